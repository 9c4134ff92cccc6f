#!/bin/bash
# Test critpath: what determined a measured run.
. "$SOURCE/test/cli/tap.sh"
here=$SOURCE/test/cli/critpath
DATA=${DATA:-$SOURCE/../shared/data}
python() { /usr/bin/python3 "$here/check.py" "$@"; }
schema() { /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$SOURCE/doc/critpath-path.schema.json" "$@"; }

# sound NAME ARCHIVE: the invariants of all paths, and the schema; leaves NAME.json.
sound() {
	critpath path "$2" --format json -o "$1.json" || [ "$1" = wrong ] || return 1
	critpath path "$2" --format csv -o "$1.csv" || [ "$1" = wrong ] || return 1
	python path "$1.json" "$1.csv" && schema "$1.json"
}

"$here/archive.py" late <"$here/late.calls" || exit 1
# All ranks are on one host, and ranks 0 and 2 were preempted so often, and waited so long.
crowded() { # ARCHIVE COUNT/NS[/NS]-OF-RANK-0 OF-RANK-2
	"$here/archive.py" "$1" --node 0=0 --node 1=0 --node 2=0 --preempted 0="$2" --preempted 2="$3" <"$here/late.calls"
}
# Rank 2 was preempted so often in 4 s.
preempted() { # COUNT ARCHIVE
	crowded "$2" 80/4000000000 "$1"/4000000000
}
says_preempted() {
	line="3 ranks with other processes or threads (rank 2 was preempted 101 times a second)"
	preempted 404 often && critpath path often >out && [ "$(sed -n 2p out)" = "traced on   $line, whose times may include waiting for a core" ] &&
		critpath path often --format json | grep -qF "\"crowded\": \"$line\"" &&
		preempted 400 seldom && critpath path seldom >out && ! grep -q "traced on" out
}
check "a rank that was preempted more than 100 times a second is said first" says_preempted
# Rank 2 waited for so many ns of 4 s.
waited() { # NS ARCHIVE
	crowded "$2" 9000/4000000000/3000 "9000/4000000000/$1"
}
says_waited() {
	line="3 ranks with other processes or threads (a thread of rank 2 waited for a core for 5.05 % of the run)"
	waited 202000000 long && critpath path long >out && [ "$(sed -n 2p out)" = "traced on   $line, whose times include waiting for a core" ] &&
		critpath path long --format json | grep -qF "\"crowded\": \"$line\"" &&
		waited 200000000 short && critpath path short >out && ! grep -q "traced on" out
}
check "a rank that waited for a core for more than 5 % of the run is said first, and preemptions are not where waiting is known" says_waited
damaged_preemptions() {
	"$here/archive.py" odd --node 0=0 --node 1=0 --node 2=0 --preempted 2=often <"$here/late.calls" && exits 0 critpath path odd && ! grep -q "traced on" out
}
check "... and a property that is none is as if it were not there" damaged_preemptions
for format in text json csv; do
	golden path.$format "path prints the critical path as $format" critpath path late --format $format
done
golden_folder=$SOURCE/doc golden critpath-path.schema.json "the schema of path is the one in doc/" \
	critpath path late --format schema
check "segments tile the run, and JSON follows its schema" sound late late
bad_schema() {
	sed 's/"rank": 1/"rank": "one"/' late.json >bad.json && ! schema bad.json 2>/dev/null
}
check "... which another output does not" bad_schema

moved_clocks() {
	"$here/archive.py" moved --clock 0=123 --clock 1=5000 --clock 2=4000 <"$here/late.calls" && sound moved moved &&
		python same late.json moved.json
}
check "clocks that differ by known offsets change nothing" moved_clocks
written() {
	sed 's/MPI_Isend .*/& flush:700/' "$here/late.calls" >written.calls && "$here/archive.py" written <written.calls &&
		sound written written && python same late.json written.json
}
check "time in which trace data were written does not move the clock" written
scaled() {
	"$here/archive.py" larger --scale 1000 <"$here/late.calls" && sound larger larger && python scaled 1000 late.json larger.json
}
check "times that are a thousand times as long give a path a thousand times as long" scaled
wrong_clocks() {
	"$here/archive.py" wrong --wrong 0=-3000 <"$here/late.calls" && exits 1 critpath path wrong &&
		grep -q "^clocks      1 of 2 messages ended before they began, by up to 2.2 us (rank 0 to 2)$" out &&
		grep -q "^critpath: wrong: 1 of 2 messages ended .* trace with llamp-trace" err &&
		exits 1 critpath waits wrong && exits 1 critpath imbalance wrong && exits 0 critpath profile wrong
}
check "clocks that differ by unknown offsets are found by the messages" wrong_clocks
wrong_report() {
	critpath path wrong --format csv -o wrong.csv 2>/dev/null
	sound wrong wrong
}
check "... and the report is written all the same" wrong_report
cat >dead.calls <<'EOF2'
0 0 100 MPI_Init
1 0 100 MPI_Init
0 200 300 MPI_Send send:1:5
0 300 400 MPI_Irecv post:7
1 200 900 MPI_Barrier coll:BARRIER
EOF2
"$here/archive.py" dead <dead.calls || exit 1
dead() {
	sound dead dead && exits 0 critpath path dead && grep -q "^unmatched   1 send, 0 receives$" out &&
		grep -q "^incomplete  1 request whose" out
}
check "a run that ended early has a path, and what is missing is counted" dead
strict() {
	for command in path waits imbalance profile; do
		complains 1 "critpath: dead: the trace is not complete: 1 sends or receives without the other half, 1 requests" \
			critpath $command dead --strict && exits 0 critpath $command late --strict || return 1
	done
	complains 1 "messages that ended before they began" critpath path wrong --strict &&
		complains 1 "2 collectives that lack participants" critpath path part --strict
}
grep -v "^2 .*coll:" "$here/late.calls" | "$here/archive.py" part || exit 1
check "... or refused, with --strict" strict
strict_file() { ! critpath path dead --strict -o strict.text 2>/dev/null && [ ! -e strict.text ]; }
check "... without an output" strict_file

check "the path of a run with the times of the model is that of llamp path" /usr/bin/python3 "$here/model.py" "${PROGRAMS:-10}"

if [ -d "$DATA/liballprof/lulesh-8" ]; then
	check "a trace of liballprof has a path" sound lulesh "$DATA/liballprof/lulesh-8"
	matched() { grep -q '"unmatched_sends": 0' lulesh.json && grep -q '"unmatched_receives": 0' lulesh.json; }
	check "... and all its messages match" matched
	check "an archive of Score-P has a path" sound scorep "$DATA/otf2/scorep-ping-pong"
else
	skip "traces of liballprof and Score-P have a path" "$DATA is missing"
fi

# ---------------------------------------------------------------------- failures
check "an archive is needed" complains 2 "critpath: ARCHIVE is missing" critpath path
check "two archives are too many" complains 2 "critpath: unexpected operand" critpath path late late
check "an unknown format is refused" complains 2 "--format" critpath path late --format xml
check "a missing archive is named" complains 1 "critpath: nothing" critpath path nothing
check "a file that is no trace is named" complains 1 "dead.calls" critpath path dead.calls
parts_survive() {
	rm -rf parts && cp -r late parts || return 1
	for command in path waits imbalance profile; do
		complains 2 "would lie inside the input directory parts" critpath $command parts -o parts/new &&
			complains 2 "would overwrite the input" critpath $command parts/traces.otf2 --format text -o parts/traces.otf2 &&
			complains 2 "would overwrite the input" critpath $command parts/traces.otf2 --format csv -o parts/traces.def || return 1
	done
	complains 2 "would lie inside" critpath graph parts/traces.otf2 -o parts/traces/x.csv &&
		complains 2 "would lie inside" critpath view parts/traces.otf2 -o parts/traces/x.json && diff -r late parts
}
check "no output overwrites a part of the archive" parts_survive
named_once() {
	rm -rf cut && cp -r late cut && truncate -s 100 cut/traces/1.evt && exits 1 critpath path cut &&
		grep -q "^critpath: cut/traces.otf2: rank 1: damaged after event" err
}
check "an error names a damaged archive once" named_once
check "output to a full device fails" complains 4 "critpath: /dev/full" critpath path late -o /dev/full
kept() {
	echo old >kept && rm -rf cut && cp -r late cut && truncate -s 100 cut/traces/1.evt &&
		complains 1 "critpath: cut" critpath path cut -o kept && [ "$(cat kept)" = old ]
}
check "a damaged archive leaves the output as it was" kept
