#!/bin/bash
# runs: every-mpi-long
# Test that N iterations of the main loop are recorded, the same on all ranks, and that programs without them go on as ever.
set -u
. "$SOURCE/test/mpi/traced.sh"

iterate=$BUILD/test/mpi/iterate

iterations() { # DIRECTORY N[:FROM] KIND COUNT [OPTION...]: a traced run whose result is that of a run alone
	local directory=$1 number=$2 kind=$3 count=$4
	shift 4
	timeout 300 "$MPIEXEC" -n "$ranks" "$iterate" "$kind" "$count" >alone 2>/dev/null
	rm -rf "$directory"
	run --iterations "$number" -o "$directory" "$@" "$iterate" "$kind" "$count"
	[ "$status" = 0 ] && [ -s out ] && cmp alone out || { show err; return 1; }
}
calls() { # DIRECTORY FUNCTION: calls of each rank in the archive
	otf2-print "$1/traces.otf2" | awk -v name="\"$2\"" '$1 == "ENTER" && $5 == name {calls[$2]++} END {for (rank in calls) print calls[rank]}' |
		sort -n | tr '\n' ' '
}
matched() { # DIRECTORY: all messages have both ends
	schedgen "$1" -o window.goal 2>summary && goal check window.goal >said && ! grep -qi "never\|without\|lack" summary &&
		critpath waits "$1" >waits 2>&1 && ! grep -qi "unmatched\|incomplete" waits
}
has_iterations() { # FUNCTION CALLS-OF-EACH-RANK
	[ "$(calls trace "$1")" = "$2" ] && matched trace && return 0
	calls trace "$1"
	show summary err
	return 1
}
has_all() { # WHY
	grep -q "no window of iterations, so all calls are in the trace: rank $1" err && matched trace || { show err; return 1; }
}

check "ten iterations with a global sum: the result stays" iterations trace 10 sum 600
check "... each rank has ten, and all messages" has_iterations MPI_Allreduce "10 10 10 "
check "... and the graphs have all" holds 'test "$(eventflow trace trace/flow.efg --print | grep -c MPI_Allreduce)" = 1800'
check "... the archive tells how many, and which is the first" \
	holds 'strings trace/traces.otf2 trace/traces.def >words && grep -q "LLAMP::ITERATIONS" words && grep -q "LLAMP::FIRST_ITERATION" words'
check "... recording is switched on and off around" \
	holds 'test "$(otf2-print trace/traces.otf2 | grep -c "^MEASUREMENT_ON_OFF")" = 6'
check "a given first iteration: the result stays" iterations trace 5:40 sum 600
check "... each rank has five" has_iterations MPI_Allreduce "5 5 5 "
check "a ring without collectives" iterations trace 10 ring 600
check "... each rank has ten iterations" has_iterations MPI_Sendrecv "10 10 10 "
check "requests that go on in the next iteration" iterations trace 10 overlap 600
check "... each rank has ten messages" has_iterations MPI_Isend "10 10 10 "
tags() { otf2-print trace/traces.otf2 | sed -n "s/^MPI_$1 .*Tag: \([0-9]*\),.*/\1/p" | sort -n; }
check "ranks that are five iterations apart, with the iteration as tag" iterations trace 10 chain 600 --fold tag
check "... each rank has ten iterations" has_iterations MPI_Send "10 10 10 "
check "... messages are those of the same ten iterations" \
	holds 'tags SEND >sent && tags RECV >received && cmp sent received && test "$(uniq sent | wc -l)" = 10 &&
		test $(($(tail -1 sent) - $(head -1 sent))) = 9 && test "$(wc -l <sent)" -ge 25'
check "threads of MPI_THREAD_MULTIPLE" iterations trace 10 threads 600
check "... each rank has ten iterations" has_iterations MPI_Allreduce "10 10 10 "
ranks=7
check "seven ranks" iterations trace 10 sum 300
check "... each rank has ten iterations" has_iterations MPI_Allreduce "10 10 10 10 10 10 10 "
check "... and its window is with its graphs" holds "eventflow trace trace/flow.efg --print >said"
ranks=3
check "two loops" iterations trace 10 phases 400
check "... each rank has ten iterations of each" \
	holds 'test "$(calls trace MPI_Irecv)" = "20 20 20 " && test "$(calls trace MPI_Allgather)" = "10 10 10 " && matched trace'
check "... and the archive tells of both" holds 'strings trace/traces.def trace/traces.otf2 | grep -qx "10,10"'
check "one loop of two" iterations trace 10 phases 400 --phases 1
check "... each rank has ten iterations of the first" \
	holds 'test "$(calls trace MPI_Irecv)" = "20 20 20 " && test -z "$(calls trace MPI_Allgather)" && matched trace'
check "three loops, the first one twice, with a new call between" iterations trace 5 again 300
check "... each rank has five iterations of each, and the first loop is recorded once" \
	holds 'test "$(calls trace MPI_Irecv)" = "10 10 10 " && test "$(calls trace MPI_Allgather)" = "5 5 5 " &&
		test "$(calls trace MPI_Bcast)" = "10 10 10 " && matched trace'
check "... which critpath, eventflow and schedgen read" \
	holds 'critpath path trace >said && eventflow build trace -o three.efg && eventflow trace three.efg --print --rank 0 >calls &&
		test "$(sed "\$d" calls | grep -c "recording off")" = 2 && schedgen trace --repeat -o whole.goal'
check "a master and workers" iterations trace 10 master 600
check "... no message is cut, or there is no window, as iterations of ranks differ" \
	holds 'matched trace || grep -q "no window of iterations, .* not those of other ranks" err'

check "a short program" iterations trace 10 sum 4
check "... keeps all calls" has_all 0
check "... in the archive" holds 'test "$(calls trace MPI_Allreduce)" = "4 4 4 "'
check "a loop that ends in the window" iterations trace 100000 sum 600
check "... leaves the iterations that all ranks have" \
	holds 'n=$(calls trace MPI_Allreduce | cut -d " " -f 1) && test "$n" -gt 100 && test "$(calls trace MPI_Allreduce)" = "$n $n $n " && matched trace'
check "a rank without a loop" iterations trace 10 absent 200
check "... keeps all calls, and is named" has_all "1: no loop was steady"
check "a rank that leaves its loop before others are steady" iterations trace 10 early 300
check "... no message is cut" matched trace
check "a loop of calls that differ" iterations trace 10 irregular 100
check "... keeps all calls, and the function is named" has_all ".*, 100 of them MPI_Bcast"
check "... if the ring has room for them" \
	holds 'LLAMP_TRACE_RING=256KiB LLAMP_TRACE_BUFFER=64KiB iterations small 10 irregular 14000'
check "... else graphs are left alone" \
	holds 'grep -q "no window of iterations, so there are only event flow graphs: rank 0: .* of them MPI_Bcast" err &&
		test ! -e small/traces.otf2 && test ! -e small/journal && eventflow info small/flow.efg >said'

run --iterations 10 -o dead "$iterate" die 100
check "a rank that dies ends the run" holds 'test $status != 0 && test $status != 124'
check "... what is left is recovered" recovers dead
check "... with no message cut" holds "whole dead"
check "... and no journal is left" test ! -e dead/journal

status=0
timeout 300 "$MPIEXEC" -n 2 llamp-trace --iterations 10 -o mixed "$iterate" sum 100 : -n 1 "$iterate" sum 100 >out 2>err || status=$?
check "ranks without the tracer are not waited for" holds 'test $status = 0 && test "$(cat out)" = "$(timeout 300 "$MPIEXEC" -n 3 "$iterate" sum 100)"'
timeout 300 "$MPIEXEC" -n 2 llamp-trace --iterations 5:100 -o given "$iterate" sum 400 : -n 1 "$iterate" sum 400 >out 2>err
check "... and have the given iterations" holds 'test "$(calls given MPI_Allreduce)" = "5 5 "'
run --iterations 5 -o sessions "$BUILD/test/mpi/trace_sessions" status
check "programs with sessions go on" holds 'test $status != 124 && ! grep -q "not whole\|failed" err'
for wrong in 0 x 65 ""; do
	check "--phases '$wrong' is refused" complains 2 "phases" llamp-trace --iterations 5 --phases="$wrong" -o wrong "$iterate" sum 3
done
check "--phases alone is refused" complains 2 "phases" llamp-trace --phases 2 -o wrong "$iterate" sum 3
for wrong in 0 x 5: 5:0 -3 5:x; do
	check "--iterations $wrong is refused" complains 2 "iterations" llamp-trace --iterations=$wrong -o wrong "$iterate" sum 3
done
