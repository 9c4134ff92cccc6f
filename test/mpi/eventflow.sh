#!/bin/bash
# runs: every-mpi-long apart
# Test event flow graphs of traced programs: all calls come back, loops are those of the source.
. "$SOURCE/test/cli/tap.sh"

trace() { # RANKS PROGRAM ARGUMENT...: into `trace`
	ranks=$1
	shift
	rm -rf trace again trace.efg
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace -o trace "$BUILD/test/mpi/$@" >said 2>&1 || { cat said; return 1; }
}
# All records of an archive but for begin and end of the process, which no call has, and what probes have found.
records() { otf2-print "$1/traces.otf2" | grep -v "^PROGRAM_\|^BUFFER_FLUSH\|ATTRIBUTES: (\"Communicator\"" | sort; }
comes_back() {
	trace "$@" && eventflow build trace -o trace.efg && eventflow trace trace.efg -o again &&
		records trace >trace.records && records again >again.records && [ -s trace.records ] &&
		diff trace.records again.records | head -n 20 >differ && ! [ -s differ ] || { cat differ; return 1; }
	for command in path waits profile; do
		critpath $command trace --format csv 2>&1 | sed "s/^trace,//" >a.csv
		critpath $command trace.efg --format csv 2>&1 | sed "s/^trace.efg,//" >b.csv
		[ -s a.csv ] && diff a.csv b.csv || return 1
	done
	schedgen trace -o a.goal 2>/dev/null
	schedgen trace.efg -o b.goal 2>/dev/null
	diff <(grep -v "^//" a.goal) <(grep -v "^//" b.goal) | head -n 20 >differ
	[ ! -s differ ] && eventflow build again -o again.efg && "$SOURCE/test/mpi/generate/same.py" graphs trace.efg again.efg
}

for pattern in wildcards persistent polling communicators collectives windows; do
	check "$pattern: all records come back, and critpath and schedgen answer alike" comes_back 3 patterns $pattern
done
check "a random program: all records come back" comes_back 4 random_program 5 200
# The tracer wrote data between the calls of these threads: that time is left out of the file.
threads_come_back() {
	trace 2 random_threads 3 40 3 && eventflow build trace -o trace.efg && eventflow trace trace.efg -o again &&
		eventflow trace trace.efg --print >a.calls && eventflow build again -o again.efg &&
		eventflow trace again.efg --print >b.calls && [ "$(cut -d " " -f 2 a.calls | sort -u | wc -l)" -gt 2 ] &&
		cmp <(sort -s -k 1,1n -k 2,2n a.calls) <(sort -s -k 1,1n -k 2,2n b.calls) && schedgen trace -o a.goal 2>/dev/null && schedgen trace.efg -o b.goal 2>/dev/null &&
		diff <(grep -v "^//" a.goal) <(grep -v "^//" b.goal) >differ
}
check "threads: all calls come back in their order" threads_come_back

# The loops of rank 0, outer ones first: iterations/entries of each.
loops() {
	trace 2 shapes "$@" && eventflow build trace -o trace.efg &&
		eventflow loops trace.efg --rank 0 --format json | /usr/bin/python3 -c '
import json, sys
loops = json.load(sys.stdin)["loops"]
def text(parent):
    return "".join("(%s %d/%d%s)" % (loop["header"].split(":")[0], loop["iterations"], loop["entries"], text(loop["loop"]))
                   for loop in loops if loop["parent"] == parent)
print(text(None))'
}
has_loops() { # EXPECTED ARGUMENT...
	expected=$1
	shift
	found=$(loops "$@")
	[ "$found" = "$expected" ] || { echo "$found"; return 1; }
}
check "a loop of one call" has_loops "(MPI_Barrier 7/1)" 1
check "a loop of two calls" has_loops "(MPI_Barrier 7/1)" 2
check "an inner loop that begins the outer one" has_loops "(MPI_Barrier 7/1(MPI_Barrier 21/7))" 3
check "an inner loop that ends the outer one" has_loops "(MPI_Barrier 7/1(MPI_Allreduce 21/7))" 4
check "an inner loop in the middle" has_loops "(MPI_Barrier 7/1(MPI_Allreduce 21/7))" 5
check "if and else" has_loops "(MPI_Barrier 7/1)" 6
check "... is a predicate of the tree" eval 'eventflow tree trace.efg | grep -q "SEQUENCE \[0,6,2,1\]" &&
	eventflow tree trace.efg | grep -q "SEQUENCE \[1,5,2,1\]"'
check "an inner loop that begins the outer one goes round differently often" has_loops "(MPI_Barrier 7/1(MPI_Barrier 20/7))" 7 7 2
edges() { eventflow graph trace.efg --all | grep -o "n[0-9]* -> n[0-9]*"; }
other_trips() {
	has_loops "(MPI_Barrier 7/1(MPI_Allreduce 70/7))" 5 7 10 && edges >ten && has_loops "(MPI_Barrier 7/1(MPI_Allreduce 140/7))" 5 7 20 &&
		edges >twenty && [ -s ten ] && cmp ten twenty
}
check "twice the trips change counts only" other_trips
third() {
	has_loops "(MPI_Barrier 7/1)" 2 && edges >without && has_loops "(MPI_Barrier 7/1)" 8 && edges >with &&
		[ $(($(wc -l <with) - $(wc -l <without))) = 2 ] && eventflow tree trace.efg | grep -q "SEQUENCE \[0,6,3,1\]"
}
check "a call in each third iteration is a node more, and a predicate of stride 3" third
twice() {
	has_loops "(MPI_Barrier 14/2(MPI_Allreduce 42/14))" 5 7 3 2 && [ "$(eventflow tree trace.efg | grep -c "LOOP (7x)")" = 2 ] &&
		[ "$(eventflow tree trace.efg | grep -c "^  +LOOP")" = 2 ]
}
check "a phase that is run twice has twice the entries, and is in the tree twice" twice
# More iterations of a regular program take no bytes but for the digits of counts.
grows() {
	trace 2 shapes 5 50 && eventflow build trace -o small.efg --times none && trace 2 shapes 5 2000 &&
		eventflow build trace -o large.efg --times none && ls -l small.efg large.efg &&
		[ $(($(stat -c %s large.efg) - $(stat -c %s small.efg))) -lt 24 ]
}
check "40 times the iterations take no more bytes" grows
same_ring() { # all ranks of a periodic ring have one graph
	timeout 300 "$MPIEXEC" -n 4 llamp-trace -o ring.trace "$BUILD/examples/ring" >said 2>&1 &&
		eventflow info ring.trace --format json >info.json && grep -q '"graphs": [12],' info.json
}
check "ranks of a ring share graphs" same_ring
# Calls that come back are those that the program has logged (trace_log.h).  Probes do not come back, and communicators without a name have new numbers.
is_logged() { # RANKS PROGRAM
	rm -rf logs trace again trace.efg && mkdir logs &&
		TRACE_LOG=$PWD/logs timeout 300 "$MPIEXEC" -n "$1" llamp-trace -o trace "$BUILD/test/mpi/$2" >said 2>&1 || { cat said; return 1; }
	eventflow build trace -o trace.efg && eventflow trace trace.efg -o again &&
		/usr/bin/python3 -B "$SOURCE/test/mpi/trace_lines.py" again/traces.otf2 logs "$1"
}
for program in trace_blocking trace_requests trace_collectives trace_comms trace_large trace_rma trace_neighbours; do
	check "$program: the calls that come back are those of its log" is_logged 2 $program
done

# Examples, too, come back.
for program in cg fem3d hydro3d multigrid ring stencil2d teams; do
	check "example $program: all records come back, and critpath and schedgen answer alike" comes_back 4 ../../examples/$program
done

# Whether a poll or a probe is in vain, and which message is there first, is chance: it must not change nodes, edges and their counts.
shape_of() { # FILE RANKS
	for rank in $(seq 0 $(($2 - 1))); do
		eventflow graph "$1" --rank "$rank" --all | sed 's/, visits="[^"]*"//; s/, time_ns=[0-9]*//'
	done
}
runs=4
[ "${LENGTH:-}" != long ] || runs=10
is_steady() { # PROGRAM ARGUMENT: runs beside programs that compute
	yes >/dev/null &
	first=$!
	yes >/dev/null &
	second=$!
	for run in $(seq $runs); do
		rm -f shape
		trace 3 "$@" && eventflow build trace -o trace.efg --times none && shape_of trace.efg 3 >shape || break
		[ "$run" != 1 ] || cp shape shape.first
		diff shape.first shape || break
	done
	kill $first $second
	[ -s shape ] && [ "$run" = $runs ] && cmp shape.first shape
}
check "Waitany under load: $runs runs have the same nodes and edges" is_steady patterns wildcards
check "tests and probes under load: $runs runs have the same nodes and edges" is_steady patterns polling
