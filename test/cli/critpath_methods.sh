#!/bin/bash
# Test the methods of critpath path, and the granularity of its output.
. "$SOURCE/test/cli/tap.sh"
shared=$SOURCE/test/cli/critpath
here=$SOURCE/test/cli/critpath_methods
DATA=${DATA:-$SOURCE/../shared/data}
schema() {
	described=$SOURCE/doc/critpath-$1.schema.json
	shift
	/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$described" "$@"
}
# compare KEY FILE FILE: both JSON files have the same value.
compare() { /usr/bin/python3 -c 'import json, sys
assert len({str(json.load(open(name))[sys.argv[1]]) for name in sys.argv[2:]}) == 1' "$@"; }

"$shared/archive.py" late <"$shared/late.calls" && "$shared/archive.py" staircase <"$here/staircase.calls" || exit 1

# ------------------------------------------------------------------------ groups
for format in text json csv; do
	golden groups.$format "groups of computation are printed as $format" \
		critpath path late --method groups --format $format
done
same_alone() { critpath path late --method shuffle >out && cmp out "$here/groups.text"; }
check "one process finds them with a shuffle, too" same_alone
check "a level of compression that zstd lacks is refused" complains 2 "--compression is a whole number from 0 to 19" \
	critpath path late --method shuffle --compression 19.5
groups_schema() {
	critpath path late --method groups --format json -o groups.json && schema groups groups.json &&
		critpath path late --method groups --threshold 1us --format json -o blocks.json && schema groups blocks.json &&
		sed 's/"is_path": true/"is_path": 1/' groups.json >bad.json && ! schema groups bad.json 2>/dev/null
}
golden_folder=$SOURCE/doc golden critpath-groups.schema.json "their schema is the one in doc/" \
	critpath path late --method groups --format schema
check "their JSON follows its schema" groups_schema
no_path() {
	exits 0 critpath path staircase --method groups && grep -q "^path        none: " out && grep -q "no path" err &&
		exits 0 critpath path staircase --method groups --format json && grep -q '"is_path": false' out
}
check "groups that cover less than half of the run are called no path" no_path

# --------------------------------------------------------------------- threshold
golden block.csv "calls that are closer than the threshold are one block" \
	critpath path late --threshold 2.41us --format csv
golden block.text "a text has the number of blocks" critpath path late --threshold 2.41us
blocks() {
	critpath path late --format json -o detail.json &&
		for threshold in 0 1ns 300 2us 1ms; do
			critpath path late --threshold $threshold --format json -o block-$threshold.json || return 1
		done
	schema path block-*.json && compare categories detail.json block-*.json && compare rank_switches detail.json block-*.json
}
check "a threshold changes no length" blocks
check "a threshold below a nanosecond joins only calls without any time between them" \
	exits 0 critpath path late --threshold 0.1ns
check "a negative threshold is refused" complains 2 "--threshold" critpath path late --threshold -1us
check "a threshold that is no time is refused" complains 2 "--threshold" critpath path late --threshold x
alone() {
	complains 2 "--compression is for --method shuffle" critpath path nothing --method groups --compression 3 &&
		complains 2 "--delta is for --method delta" critpath path nothing --method dijkstra --delta 1us &&
		complains 2 "--collectives observed is for --method walk, dijkstra and delta" \
			critpath path nothing --method shuffle --collectives observed &&
		complains 2 "--from and --to are for --method walk, dijkstra and delta" critpath path nothing --method groups --to 1us
}
check "options of other methods are refused, before the trace is read" alone
check "an unknown method is refused" complains 2 "(expected walk, dijkstra, delta, groups or shuffle)" critpath path late --method x

# ------------------------------------------------------------------- equal times
"$shared/archive.py" self <<EOF2 || exit 1
0 0 100 MPI_Init
0 300 400 MPI_Send send:0:3
0 400 500 MPI_Recv recv:0:3
0 600 700 MPI_Finalize
EOF2
to_itself() {
	exits 0 critpath path self --format csv && mv out by-walk && grep -q "^self,200,300,0,MPI,2,MPI_Send" by-walk || return 1
	for method in dijkstra delta "dijkstra --splits on"; do
		exits 0 timeout 60 critpath path self --method $method --format csv && cmp by-walk out || return 1
	done
}
check "a send to the own rank does not wait for a receive that begins when it has ended" to_itself
"$shared/archive.py" idle <<EOF2 || exit 1
0 0 100 MPI_Init
1 1000 1100 MPI_Init
0 200 300 MPI_Barrier
1 5000 5100 MPI_Finalize
0 2000 2100 MPI_Finalize
EOF2
idle() {
	exits 0 critpath path idle --format csv && mv out by-walk && grep -q "^idle,1000,4900,1,compute,2,MPI_Finalize" by-walk || return 1
	for method in dijkstra delta "dijkstra --splits on"; do
		exits 0 critpath path idle --method $method --format csv && cmp by-walk out || return 1
	done
}
check "the path stays on the rank that ends last if that only computed" idle
# Each of two ranks received, and ended, when the other one began to send: clocks that count in long ticks.
"$shared/archive.py" circle <<EOF2 || exit 1
0 0 100 MPI_Init
1 0 100 MPI_Init
2 0 100 MPI_Init
0 200 1000 MPI_Recv recv:1:7
0 1000 2000 MPI_Sendrecv send:1:8 recv:2:9
1 200 1000 MPI_Recv recv:0:8
1 1000 1100 MPI_Send send:0:7
2 1500 1600 MPI_Send send:0:9
0 2100 2200 MPI_Finalize
1 3000 3100 MPI_Finalize
2 2100 2200 MPI_Finalize
EOF2
circle() {
	exits 0 critpath path circle || return 1
	for method in dijkstra delta; do
		complains 1 "wait for each other in a circle" timeout 60 critpath path circle --method $method || return 1
	done
}
check "calls that wait for each other in a circle are an error" circle

# ------------------------------------------------------------------------ probes
# probes FOLDER NS: a program whose probe waits for a send that begins after so long.
probes() {
	"$shared/archive.py" "$1" <<-EOF2
	0 0 100 MPI_Init
	1 0 100 MPI_Init
	0 1000 $(($2 + 20)) MPI_Probe
	0 $(($2 + 21)) $(($2 + 22)) MPI_Get_count
	0 $(($2 + 30)) $(($2 + 40)) MPI_Recv recv:1:3
	1 $2 $(($2 + 2)) MPI_Send send:0:3
	0 $(($2 + 90)) $(($2 + 100)) MPI_Finalize
	1 $(($2 + 60)) $(($2 + 100)) MPI_Finalize
	EOF2
}
probes soon 5000 && probes later 1005000 || exit 1
longer() {
	for method in walk dijkstra delta "dijkstra --splits on"; do
		for name in soon later; do
			critpath path $name --method $method --format json -o $name.json || return 1
		done
		/usr/bin/python3 -c 'import json, sys
soon, later = (json.load(open(name)) for name in sys.argv[1:])
of = lambda found: found["categories"]
assert later["runtime_ns"] - soon["runtime_ns"] == 10**6
assert of(later) == {**of(soon), "compute": of(soon)["compute"] + 10**6} and not of(soon)["unknown"]' soon.json later.json ||
			{ echo "$method"; cat soon.json later.json; return 1; }
	done
}
check "1 ms more before the send that a probe waits for makes the path 1 ms longer, by all methods" longer

# --------------------------------------------------------- synchronization points
split_methods() {
	rm -f by-*.json
	critpath path "$1" --format json -o by-walk.json || return 1
	for method in "dijkstra" "delta" "delta --delta 0" "delta --delta 1ns" "delta --delta 9s"; do
		for splits in off on sequential; do
			critpath path "$1" --method $method --splits $splits --format json -o "by-${method// /}-$splits.json" ||
				return 1
		done
	done
	schema path by-*.json && compare categories by-*.json
}
barriers() {
	for rank in 0 1 2; do
		echo "$rank 0 1000 MPI_Init"
		for at in 2 4 6 8; do
			echo "$rank ${at}${rank}00 ${at}900 MPI_Barrier coll:BARRIER"
		done
		echo "$rank 9900 10000 MPI_Finalize"
	done | "$shared/archive.py" barriers
}
check "an archive with barriers is made" barriers
check "all methods with and without --splits find the same length" split_methods barriers
count_parts() {
	exits 0 critpath path barriers --method dijkstra --splits on && grep -q "^parts       5 between 4 splits" out &&
		exits 0 critpath path barriers --method dijkstra && ! grep -q "^parts" out
}
check "each barrier of all ranks is a synchronization point" count_parts
check "... and so in programs with messages" split_methods late
check "the option --splits belongs to a search in the graph" complains 2 "--splits is for" critpath path late --splits on
check "the option --splits belongs to no other method" complains 2 "--splits is for" critpath path late --method groups --splits sequential
check "an unknown choice of --splits is refused" complains 2 "(expected off, on or sequential)" \
	critpath path late --method delta --splits both

# ------------------------------------------------------------------- collectives
# The root of the broadcast is there first, but left after the last one had come.
for line in "0 0 1000 MPI_Init" "1 0 1000 MPI_Init" "0 2000 8100 MPI_Bcast coll:BCAST:0" "1 8000 8200 MPI_Bcast coll:BCAST:0" \
	"0 9500 9600 MPI_Finalize" "1 9000 9100 MPI_Finalize"; do
	echo "$line"
done | "$shared/archive.py" root
golden observed.text "collectives may wait as observed" critpath path root --collectives observed
observed() {
	critpath path root --format json -o defined.json && critpath path root --collectives observed --format json -o observed.json &&
		critpath path root --collectives observed --method dijkstra --splits on --format json -o searched.json &&
		schema path observed.json searched.json && compare categories observed.json searched.json &&
		! compare segments defined.json observed.json 2>/dev/null
}
check "... and then the path is another one" observed
check "an unknown choice of collectives is refused" complains 2 "(expected semantic or observed)" \
	critpath path root --collectives both

for archive in "$DATA/liballprof/lulesh-8" "$DATA/otf2/scorep-ping-pong"; do
	name=$(basename "$archive")
	if [ -d "$archive" ]; then
		check "$name has the same length with all methods" split_methods "$archive"
		check "$name has groups" eval "critpath path '$archive' --method groups --format json -o real.json &&
			schema groups real.json"
	else
		skip "$name has groups" "$archive is missing"
	fi
done
