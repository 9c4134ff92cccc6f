#!/bin/sh
# runs: every-mpi
# Test that each thread has its own location, for any number of threads and any end of the run.
set -u
. "$SOURCE/test/mpi/traced.sh"

hop=$BUILD/test/mpi/trace_threads_hop
ranks=2

lines() { # number, text: check that this many lines begin with the text
	test "$(grep -c "^$2" shown)" = "$1"
}
locations() { ls "$1"/traces/*.evt | wc -l; }

run -o many "$hop" 600 3
if [ $status = 77 ]; then
	skip "threads are traced" "the MPI library has no MPI_THREAD_MULTIPLE"
	exit
fi
check "600 threads, 3 at a time, are traced" holds 'test $status = 0 && test ! -s err && whole many'
check "... with all their messages" \
	holds 'lines 1200 "MPI_ISEND " && lines 1200 "MPI_ISEND_COMPLETE " && lines 1200 "MPI_IRECV " && lines 1200 "MPI_SEND "'
check "... in few locations, because threads that begin later reuse them" holds 'test "$(locations many)" -le 10'
check "... and with requests that another thread completes" holds 'grep -q "^MPI_ISEND_COMPLETE  *4294967296 " shown'
check "the graph has a cpu for each of them" holds 'grep -q "cpu 1$" graph.goal && ! grep -q "cpu 9$" graph.goal'
check "the journals are gone" test ! -e many/journal

run -o dead "$hop" 60 3 kill
check "if a rank with threads is killed, its journals are left" holds 'test $status != 0 && test ! -e dead/traces.otf2 && test -e dead/journal/1.1'
check "the recorded calls of all threads are recovered" recovers dead
check "... as a readable trace and graph" holds 'whole dead'
check "... with all their messages" \
	holds 'lines 120 "MPI_ISEND " && lines 120 "MPI_IRECV " && lines 120 "MPI_SEND " && lines 120 "MPI_RECV "'
