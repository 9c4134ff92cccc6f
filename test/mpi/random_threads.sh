#!/bin/bash
# runs: every-mpi-long apart
# Tests of random MPI programs with threads, from the run to the tolerance.
. "$SOURCE/test/cli/tap.sh"
. "$SOURCE/test/mpi/deferred.sh"

program=$BUILD/test/mpi/random_threads
export TRACE_LOG=$PWD/logs

run() { # RANKS ARGUMENT...
	ranks=$1
	shift
	rm -rf trace logs
	mkdir logs
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace -o trace "$program" "$@" >out 2>err
	status=$?
}
runs() {
	run "$@"
	[ $status = 0 ] && [ ! -s out ] && [ ! -s err ] && return
	echo "status $status"
	cat out err
	return 1
}
has_what_was_done() { # RANKS [cut]
	/usr/bin/python3 "$SOURCE/test/mpi/trace_lines.py" trace/traces.otf2 logs "$@"
}
becomes_a_graph() {
	exits 0 schedgen trace -o program.bin && exits 0 goal check program.bin
}
# Use rendezvous only, too: the program cannot deadlock.
engines_agree() {
	for threshold in none 0; do
		for engine in lp path; do
			exits 0 llamp analyze program.bin -S $threshold --engine $engine || return 1
			grep -v '^engine\|^basis' out >$engine.txt
		done
		diff -w lp.txt path.txt || return 1
	done
}

dies() {
	run "$@"
	[ $status != 0 ] && [ $status != 124 ] && [ ! -e trace/traces.otf2 ] && return
	echo "status $status"
	cat out err
	return 1
}

run 2 1 0 1
if [ $status = 77 ]; then
	skip "random programs with threads are traced" "the MPI library has no MPI_THREAD_MULTIPLE"
	exit
fi
for shape in "2 4" "3 2" "4 3"; do
	ranks=${shape% *}
	threads=${shape#* }
	for seed in 1 2 3; do
		name="random program $seed on $ranks ranks of $threads threads"
		check "$name: runs under the tracer" runs "$ranks" $seed 60 "$threads"
		check "$name: each thread's location has its calls" has_what_was_done "$ranks"
		check "$name: its graph is complete" becomes_a_graph
		check "$name: both engines agree, with and without rendezvous" engines_agree
		check "$name: it takes no less time if messages move only in MPI calls" defers
	done
	name="random program 4 on $ranks ranks of $threads threads, killed in the middle"
	check "$name: it is killed" dies "$ranks" 4 60 "$threads" 30
	check "$name: its calls are recovered" recovers trace
	check "$name: each thread's location has its calls until then" has_what_was_done "$ranks" cut
	check "$name: its graph is complete" becomes_a_graph
	check "$name: both engines agree, with and without rendezvous" engines_agree
	check "$name: it takes no less time if messages move only in MPI calls" defers
done

# Check that the comparison finds differences.
finds() { # EXPRESSION of sed for the log of a thread of rank 1
	rm -rf logs
	cp -r kept logs
	sed -i "$1" logs/1.2
	cmp kept/1.2 logs/1.2
	has_what_was_done 3 >said
	cat said
	grep -q '^rank 1, location [1-9]' said && ! grep -q '^rank [02]' said
}
check "a program of 3 ranks runs under the tracer" runs 3 1 60 2
check "... and its trace has the calls of its threads' logs" has_what_was_done 3
mv logs kept
check "another size of a message is found" finds 's/\(MPI_Recv: recv [0-9]* [0-9]*\) [0-9]*/\1 77/'
check "another request is found" finds 's/sent #2\.1$/sent #2.3/'
check "a call missing in the trace is found" finds '$p'
check "a call missing in the log is found" finds '$d'
