#!/bin/bash
# The CSV of all commands, joined as a reader of several runs does, and texts for narrow terminals.
. "$SOURCE/test/cli/tap.sh"
python() { /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" "$@"; }

/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace || exit 1
name='my "best", 2nd run.bin'
schedgen trace -o "$name" 2>/dev/null && schedgen trace --coll allreduce=ring -o ring.bin 2>/dev/null || exit 1

# --------------------------------------------------------------- CSV

# csv NAME COMMAND ARGUMENT...: the output is in NAME.csv.
csv() {
	llamp "${@:2}" --overhead 100 -S 150 --format csv >"$1.csv" 2>/dev/null || exit 1
}
for file in "$name" ring.bin; do
	for latency in 100 1000; do
		prefix=$latency-${file:0:4}
		csv "$prefix-analyze" analyze "$file" -L $latency
		csv "$prefix-tradeoff" tradeoff "$file" -L $latency
		for table in segments slack lambda next; do
			csv "$prefix-$table" path "$file" --table $table -L $latency
		done
	done
	csv "${file:0:4}-sweep" sweep "$file" --min 0 --max 1us --step 100
done
csv compare compare "$name" ring.bin -L 100
check "the outputs of all commands join to one table, by file and parameters" python joined ./*.csv

# ----------------------------------------------------- narrow terminals

long=a_graph_$(printf '%040d' 0)_of_many_options_$(printf '%030d' 0).bin
schedgen --pattern halo-2d --ranks 10000 --iterations 2 --compute 123456789ns:10% --bytes 123456789 -o "$long" 2>/dev/null
cp "$name" trace.bin && cp "$name.calls" trace.bin.calls
# fits COLUMNS COMMAND...: no line of the output and the messages is longer.
fits() {
	COLUMNS=$1 "${@:2}" >out 2>err && [ -s out ] && awk -v most="$1" 'length > most { print; bad = 1 } END { exit bad }' out err
}
for columns in 80 60; do
	for file in "$long" trace.bin; do
		for command in "analyze --engine path" "sweep --min 0 --max 1s" path; do
			check "llamp ${command%% *} fits $columns columns: ${file:0:8}" fits $columns llamp $command "$file" \
				-g 1234567ns -p O=1.234567ns -S 123456789
		done
	done
	check "llamp compare fits $columns columns" fits $columns llamp compare "$long" trace.bin --engine path -G 1GB/s
done
wrapped() {
	COLUMNS=60 schedgen trace -o trace.bin 2>err && awk 'length > 60 { exit 1 }' err &&
		tr '\n' ' ' <err | tr -s ' ' | grep -q "13 calls: 4 to begin and end, 1 local, 2 not modelled" &&
		schedgen trace -o trace.bin 2>err && ! grep -v "^schedgen: " err
}
check "schedgen wraps its summary for a terminal, but not for a file" wrapped
# parameters COLUMNS: lines of the parameters, of which there is one, or several that fit.
parameters() {
	env ${1:+COLUMNS=$1} llamp analyze trace.bin -g 1234567ns -p O=1.234567ns -S 123456789 --engine path |
		sed -n '/^parameters/,/^resources/p' | grep -c -v ^resources
}
unset COLUMNS
one_line() {
	[ "$(parameters)" = 1 ] && [ "$(parameters 60)" -gt 1 ]
}
check "... nor does llamp wrap its parameters" one_line
