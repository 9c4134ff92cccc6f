#!/bin/bash
# Test traces of some iterations: eventflow trace --iterations cuts them out, schedgen --repeat makes the whole run of them.
. "$SOURCE/test/cli/tap.sh"

# steps RANKS STEPS COMPUTE...: calls of ranks that exchange with their neighbours in a ring and reduce, STEPS times, and meet in each third one
# (or $every-th).
# COMPUTE: an expression of awk for the computation in ns before the exchange of step i, rank r, and the reduction.
steps() {
	awk -v ranks="$1" -v steps="$2" -v every="${every:-3}" 'function call(what, ns) { print r, t, t + ns, what; t += ns }
	function irregular(r, i) { return 1000 + (i * 7919 + r * 104729) % 997 }
	BEGIN {
		for (r = 0; r < ranks; r++) {
			t = 1000
			call("MPI_Init", 500); t += 2500
			for (i = 0; i < steps; i++) {
				t += '"$3"'
				call("MPI_Isend isend:" (r + 1) % ranks ":7:" 2 * i + 1, 100); t += 50
				call("MPI_Recv recv:" (r + ranks - 1) % ranks ":7", 200); t += 150
				if (i % every == 0) call("MPI_Barrier coll:BARRIER", 300)
				call("MPI_Wait isent:" 2 * i + 1, 40); t += '"$4"'
				call("MPI_Allreduce coll:ALLREDUCE", 300)
			}
			t += 777
			call("MPI_Finalize", 100)
		}
	}' | "$SOURCE/test/cli/critpath/archive.py" "$5" || exit 1
	eventflow build "$5" -o "$5.efg" && schedgen "$5" -o "$5.bin" 2>/dev/null || exit 1
}
steps 4 30 1000 500 regular
steps 4 30 'irregular(r, i)' '20 * irregular(r + 1, i)' irregular

# --------------------------------------------------------------------- cutting out

check "iterations are cut out of a file with the times of calls" eval \
	'exits 0 eventflow trace irregular.efg -o six --iterations 6:9 && [ ! -s out ] && [ ! -s err ] && [ -s six/flow.efg ]'
calls_are_those_of_the_run() { # of iterations 9 to 14, which end with MPI_Allreduce
	eventflow build six -o six.efg && eventflow trace six.efg --print | grep -v "recording off" |
		sed "s/ request [0-9]*//g" >six.calls && eventflow trace irregular.efg --print | sed "s/ request [0-9]*//g" |
		awk 'NR == 1 || $1 != rank { rank = $1; n = 1 } n >= 9 && n < 15 { print } /MPI_Allreduce/ { n++ }' >run.calls
	[ "$(grep -c MPI_Allreduce six.calls)" = 24 ] && diff run.calls six.calls
}
check "... with the calls and times that they had" calls_are_those_of_the_run
properties() {
	[ "$(property six ITERATIONS)" = 6 ] && [ "$(property six FIRST_ITERATION)" = 9 ]
}
property() { # ARCHIVE NAME
	otf2-print -I "$1/traces.otf2" | awk -v name="LLAMP::$2" '/Property value/ && found { print $3 } { found = $3 == name }'
}
check "the archive tells which iterations it has" properties
check "without a first iteration they are those in the middle" eval 'eventflow trace irregular.efg -o middle --iterations 6 &&
	[ "$(property middle FIRST_ITERATION)" -ge 12 ] && [ "$(property middle FIRST_ITERATION)" -le 13 ]'
check "more iterations than there are are refused" complains 2 "the main loop of rank 0 has" \
	eventflow trace irregular.efg -o more --iterations 20:20
check "... and leave no archive" eval '[ ! -e more ]'
check "a number that is none is refused" complains 2 "'x' is not" eventflow trace irregular.efg -o more --iterations x
eventflow build irregular -o stats.efg --times stats
check "a file without the times of calls is refused" complains 1 "stats.efg lacks the times of calls" \
	eventflow trace stats.efg -o more --iterations 6

# ------------------------------------------------------------------------ repeating

# golden summary: numbers of iterations, and how far T may be off
[ -z "$UPDATE" ] || { mkdir -p "$golden_folder" && schedgen six --repeat -o rep.bin 2>"$golden_folder/summary"; }
summary() {
	exits 0 schedgen six --repeat -o rep.bin && [ ! -s out ] && diff -u "$golden_folder/summary" err
}
check "the summary says what was repeated, and how far T may be off" summary
check "calls and messages are those of the whole run" eval \
	'schedgen irregular -o all.bin 2>&1 | grep -v "irregular.bin\|all.bin" >all.err; grep -q " of messages and requests" all.err &&
	grep -c . all.err | grep -qx "$(grep -Fxf all.err err | wc -l)"'
check "the graph tells how it was made" eval 'tr "\0" "\n" <rep.bin.calls | grep -aq "six --repeat$"'
repeated_is_run() { # NAME ITERATIONS: graphs are the same
	rm -rf cut && eventflow trace "$1.efg" -o cut --iterations "$2" && exits 0 schedgen cut --repeat -o rep.bin &&
		cmp rep.bin "$1.bin"
}
check "three iterations of a regular program give the graph of its run" repeated_is_run regular 3:12
check "all iterations of any program do" repeated_is_run irregular 30
sums_are_exact() { # T / traced is of the longest rank
	schedgen irregular -o - --compute-scale 1000 2>/dev/null | awk '/^rank/ { r = $2 } /calc/ { sum[r] += $3 } END { for (r in sum) print r, sum[r] }' | sort >run.sums
	schedgen six --repeat -o - --compute-scale 1000 2>/dev/null | awk '/^rank/ { r = $2 } /calc/ { sum[r] += $3 } END { for (r in sum) print r, sum[r] }' | sort >six.sums
	[ -s run.sums ] && diff run.sums six.sums
}
check "each rank computes as long as in the run" sums_are_exact
slices() {
	schedgen irregular -o a.goal --from iteration:4 --to iteration:5 2>/dev/null && rm -rf cut &&
		eventflow trace irregular.efg -o cut --iterations 30 && schedgen cut --repeat -o b.goal --from iteration:4 --to iteration:5 2>/dev/null &&
		cmp a.goal b.goal
}
check "a part of a repeated run can be chosen" slices

# T of a graph in a network that costs nothing, ns
T() {
	llamp analyze "$1" -p L=0 -p o=0 -p G=0 --format json 2>/dev/null | /usr/bin/python3 -c 'import json, sys
print(round(json.load(sys.stdin)["runtime_ns"]))'
}
# within NS: T of the repeated run is as near to this as the printed estimate says
within() {
	schedgen cut --repeat -o rep.bin 2>err && /usr/bin/python3 - "$1" "$(T rep.bin)" <<-'PYTHON'
	import re, sys
	run, repeated = map(int, sys.argv[1:])
	text = re.sub(r"\n *", " ", open("err").read())
	found = re.search(r"T is that of the run within ([\d.]+) (\w+) by estimate, within ([\d.]+) (\w+)", text)
	unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
	estimate, bound = float(found[1]) * unit[found[2]], float(found[3]) * unit[found[4]]
	sys.exit(not (run > 0 and abs(run - repeated) <= estimate * 1.01 + 200 and estimate <= bound))
	PYTHON
}
# Step i computes i us; on rank r shifted by r quarters of the run.
# All ranks meet in each step, so T has the longest computation of each:
# that of a rank which is between 60 and 79 us, each four times.
steps 4 80 '1000 * ((i + r * 20) % 80)' 10 grows
grows_ns=$((4 * 1000 * (60 + 79) * 20 / 2 + 80 * (50 + 150 + 10) + 2500 + 777))
grown() {
	for first in 1 25 70; do
		rm -rf cut && eventflow trace grows.efg -o cut --iterations 8:$first && within "$grows_ns" || return 1
	done
}
check "where step i computes i us, T of the run is that of the closed form" eval 'echo "$(T grows.bin) $grows_ns"; [ "$(T grows.bin)" = "$grows_ns" ]'
check "... which the printed estimate contains, wherever the window is" grown
check "... and T of other programs, too" eval 'rm -rf cut && cp -r six cut && within "$(T irregular.bin)"'

# -------------------------------------------------------------------- what it tells

check "iterations have the shares of the functions in calls, bytes and time" eval 'rm -rf cut && eventflow trace irregular.efg -o cut --iterations 6 &&
	"$SOURCE/test/mpi/iterations/shares.py" irregular cut calls bytes time'
near() { # T and lambda_L within 5 %
	schedgen cut --repeat -o rep.bin 2>err || return 1
	for graph in irregular rep; do
		llamp analyze $graph.bin -L 3us --overhead 1us -G 0.1 --format json 2>err >$graph.json || return 1
	done
	/usr/bin/python3 - <<-'PYTHON'
	import json, sys
	run, repeated = (json.load(open(name)) for name in ("irregular.json", "rep.json"))
	pairs = [(side["runtime_ns"], side["lambda_L"]["right"]) for side in (run, repeated)]
	print(pairs)
	sys.exit(not all(a > 0 and abs(a - b) <= 0.05 * a for a, b in zip(*pairs)))
	PYTHON
}
check "T and lambda_L of the whole run are within 5 %" near

# lambda_L of the run is what the recorded iterations say: between the numbers that llamp path prints
path_json() { llamp path "$1" -L 3us --overhead 1us -G 0.1 --format json; }
lambda_within() { # NAME N:FROM... : of the windows but one in 20
	path_json "$1.bin" >run.json || return 1
	for window in "${@:2}"; do
		rm -rf cut && eventflow trace "$1.efg" -o cut --iterations "$window" && schedgen cut --repeat -o rep.bin 2>err && path_json rep.bin || return 1
	done >windows.json
	/usr/bin/python3 - <<-'PYTHON'
	import json, sys
	run, text, found, at = json.load(open("run.json"))["lambda_L"], open("windows.json").read(), [], 0
	while text[at:].strip():
	    window, end = json.JSONDecoder().raw_decode(text[at:].lstrip())
	    at += len(text[at:]) - len(text[at:].lstrip()) + end
	    found.append((window["lambda_L_run_low"], window["lambda_L_run_high"]))
	print(run, found)
	within = sum(low <= run <= high for low, high in found)
	sys.exit(not (run > 0 and within >= 0.95 * len(found) and min(high - low for low, high in found) < run))
	PYTHON
}
# Each rank computes 1 to 2 us, by chance: another rank is late in each step.
steps 4 200 '1000 + (i * 7919 + r * 104729 + i * i * r * 31) % 997' 500 chance
check "lambda_L of the run is where the recorded iterations say" lambda_within chance \
	$(for first in 1 10 20 30 40 50 60 70 80 90 100 110 120 130 140 150 160 170; do echo 20:$first; done)
every=1 steps 4 30 1000 500 alike
three() { # where all iterations are alike, 3 of N others may still differ: of 3 recorded ones each of the 27 others
	rm -rf cut && eventflow trace alike.efg -o cut --iterations 3:12 && schedgen cut --repeat -o rep.bin 2>err && path_json rep.bin >out &&
		/usr/bin/python3 -c 'import json
r = json.load(open("out"))
assert r["lambda_L"] > 27 and r["lambda_L_run_low"] == r["lambda_L"] - 27 and r["lambda_L_run_high"] == r["lambda_L"] + 27, r'
}
check "... and where all iterations are alike, as if others had a latency more or less" three
check "... and said in text" eval 'llamp path rep.bin -L 3us --overhead 1us | grep "^repeated    3 iterations in 27 others; of the run lambda_L is [0-9]* to [0-9]* by estimate"'
unknown() {
	rm -rf cut && eventflow trace irregular.efg -o cut --iterations 1:12 && schedgen cut --repeat -o rep.bin 2>err && llamp path rep.bin -L 3us >out &&
		grep -q "^repeated    1 iteration in 29 others; of the run lambda_L is not known" out &&
		llamp path rep.bin -L 3us --format json | grep -q '"lambda_L_run_high": null'
}
check "a single recorded iteration tells nothing of it" unknown
check "a graph that repeats nothing has no such range" eval '! llamp path irregular.bin -L 3us --format json | grep "lambda_L_run"'

# ------------------------------------------------------------------------- refusals

check "an archive without a flow graph is refused" complains 1 "regular/flow.efg is not there: --repeat needs the flow graph" \
	schedgen regular --repeat -o no.bin
cp stats.efg irregular/flow.efg
check "a flow graph that does not tell what was recorded is refused" complains 1 \
	"irregular/flow.efg does not tell which iterations the archive beside it has" schedgen irregular --repeat -o no.bin
rm irregular/flow.efg
steps 4 30 2000 500 other && eventflow trace other.efg -o other.cut --iterations 6:9 && cp -r six mixed &&
	cp other.cut/flow.efg mixed/flow.efg
check "the flow graph of the same program in another run is taken for what it is" exits 0 schedgen mixed --repeat -o mixed.bin
steps 3 30 2000 500 three && eventflow trace three.efg -o three.cut --iterations 6:9 && cp three.cut/flow.efg mixed/flow.efg
check "... that of other ranks is refused" complains 1 "has 3 ranks, and the archive beside it 4" schedgen mixed --repeat -o no.bin
eventflow trace irregular.efg -o seven --iterations 6:8 && cp seven/flow.efg mixed/flow.efg
check "... that of other iterations, too" complains 1 "they are not of one run" schedgen mixed --repeat -o no.bin
head -c 300 six/flow.efg >mixed/flow.efg
check "... and a damaged one" complains 1 "mixed/flow.efg" schedgen mixed --repeat -o no.bin
check "nothing is left then" eval '[ ! -e no.bin ]'
check "patterns are not repeated" complains 2 "--repeat belongs to an archive" \
	schedgen --pattern halo-2d --ranks 4 --repeat -o no.bin
