#!/bin/bash
# Test llamp path with the calls of operations.
. "$SOURCE/test/cli/tap.sh"
python() { /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" "$@"; }

/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace || exit 1
schedgen trace -o trace.bin 2>/dev/null && schedgen trace -o trace.goal 2>/dev/null || exit 1

for format in text json csv; do
	golden path.$format "path names the calls of a trace as $format" \
		llamp path trace.bin -L 1us --overhead 100 --format $format
done
json_is_valid() {
	llamp path trace.bin -L 1us --overhead 100 -g 3us --format json >path.json &&
		llamp path trace.bin -L 1us --overhead 100 -g 3us --format csv >path.csv &&
		python schema "$SOURCE/doc/path.schema.json" path.json &&
		python path path.json path.csv && python functions path.json
}
check "functions have the time of their segments, and JSON follows the schema" json_is_valid
without_file() {
	sed '2,$s/^[^,]*//'
}
for table in slack lambda next; do
	golden $table.csv "path --table $table names the calls of a trace" \
		llamp path trace.bin -L 100 --overhead 100 --format csv --table $table
done
near() {
	llamp path "$@" --format json >near.json && python schema "$SOURCE/doc/path.schema.json" near.json || return 1
	for table in segments slack lambda next; do
		llamp path "$@" --format csv --table $table >near-$table.csv || return 1
	done
	python near near.json near-segments.csv near-slack.csv near-lambda.csv near-next.csv
}
check "slack, latencies and the next paths fit the path" near trace.bin -L 1us --overhead 100
check "... without overhead and latency, too" near trace.bin -L 0 --overhead 0 -G 0
both_forms() {
	llamp path trace.goal -L 1us --overhead 100 --format csv | without_file >text.csv &&
		llamp path trace.bin -L 1us --overhead 100 --format csv | without_file | diff -u text.csv -
}
check "text and binary name the same calls" both_forms
renamed() {
	goal convert trace.goal -o converted.bin && cp trace.goal.calls converted.bin.calls &&
		llamp path converted.bin -L 1us --overhead 100 --format csv | without_file | diff -u text.csv - &&
		goal convert trace.bin -o back.goal && cp trace.bin.calls back.goal.calls &&
		llamp path back.goal -L 1us --overhead 100 --format csv | without_file | diff -u text.csv -
}
check "a copy of the calls serves the graph in the other form" renamed

# without_names FILE...: check that the output is that of a graph without calls.
without_names() {
	llamp path "$1" -L 1us --overhead 100 --format csv >plain.csv &&
		sed '2,$s/,[^,]*,[^,]*,[^,]*,[^,]*$/,,,,/' text.csv >unnamed.csv &&
		without_file <plain.csv | diff -u unnamed.csv -
}
from_stdin() {
	without_names - <trace.bin
}
check "a graph from stdin has no names of calls" from_stdin
absent() {
	cp trace.bin alone.bin && without_names alone.bin 2>err && [ ! -s err ]
}
check "a graph without the side file has no names of calls, and no warning" absent
refused() {
	without_names "$1" 2>err && [ "$(wc -l <err)" = 1 ] && grep -q "^llamp: warning: $1.calls: .*$2" err
}
stale() {
	schedgen trace --compute-scale 2 -o stale.bin 2>/dev/null && cp trace.bin stale.bin &&
		refused stale.bin "belongs to another graph"
}
check "the calls of another graph are refused with a warning" stale
cut() {
	cp trace.bin cut.bin && head -c 100 trace.bin.calls >cut.bin.calls && refused cut.bin "offset"
}
check "calls that are cut off are refused, too" cut

pattern() {
	schedgen --pattern allreduce=ring --ranks 4 --iterations 3 --compute 1us -o p.bin &&
		llamp path p.bin -L 1us --overhead 100 --format json >p.json &&
		python schema "$SOURCE/doc/path.schema.json" p.json && python functions p.json &&
		grep -q '"function": "allreduce=ring", "place": "before", "call": 3}' p.json
}
check "an iteration of a pattern is a call without a time" pattern
overlapping() {
	schedgen --pattern halo-2d --ranks 16 --iterations 5 --bytes 2KB --compute 3us:40% -o halo.bin &&
		near halo.bin -L 1us --overhead 300 -G 1 && near halo.bin -L 1us --overhead 300 -g 700 -S 1KB
}
check "slack, latencies and the next paths fit the path of a halo exchange" overlapping
# llamp has mapped the graph when it opens the calls.
truncated() {
	schedgen --pattern halo-2d --ranks 16 --iterations 20 -o short.bin 2>/dev/null && rm -f short.bin.calls &&
		mkfifo short.bin.calls || return 1
	llamp analyze short.bin -o short.txt >out 2>err &
	exec 3>short.bin.calls
	truncate -s 0 short.bin
	exec 3>&-
	wait $!
	[ $? -eq 1 ] && grep -q "^llamp: short.bin: the file was truncated while it was read$" err && [ -z "$(ls short.txt*)" ]
}
check "a graph that is truncated while it is read is an error" truncated
