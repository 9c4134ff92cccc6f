#!/bin/bash
# runs: every-mpi
# Test a sink that counts calls (test/mpi/count_calls): that it needs only pmpi/, and that its
# counts are those of the programs' logs (trace_log.h).
. "$SOURCE/test/cli/tap.sh"

library=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../test/mpi/count_calls-$MPI.so

needs_no_otf2() {
	readelf -d "$library" >needed && grep NEEDED needed && ldd "$library" >loaded || return 1
	! grep -i -e otf2 -e llamp needed && ! grep -i -e otf2 -e llamp loaded
}
has_no_tracer() { nm "$library" >symbols && ! grep -i -e journal_ -e otf2_ -e tracer symbols; }
check "the sink needs neither OTF2 nor another library of this project" needs_no_otf2
check "... and contains no function of the journal and the tracer" has_no_tracer
check "its source has fewer than 150 lines" \
	test "$(wc -l <"$SOURCE/test/mpi/count_calls/count_calls.c")" -lt 150

# counts RANKS PROGRAM: compare the counts of all logged functions, summed over the ranks.
counts() {
	rm -rf logs && mkdir logs
	TRACE_LOG=$PWD/logs exits 0 timeout 300 "$MPIEXEC" -n "$1" \
		env LD_PRELOAD="$library${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/$2" || return 1
	sed -n 's/^\(MPI_[A-Za-z_]*\):.*/\1/p' logs/* | sort | uniq -c | awk '{print $2, $1}' >expected
	sed -n 's/^count_calls: //p' err | sort >counted
	awk 'NR == FNR {logged[$1]; next} $1 in logged' expected counted | diff expected - &&
		[ "$(wc -l <expected)" -ge "$3" ]
}
check "sends and receives are counted as the program counts them" counts 3 trace_blocking 5
check "collectives are counted as the program counts them" counts 3 trace_collectives 20
check "communicators are counted as the program counts them" counts 3 trace_comms 5
check "one-sided operations are counted as the program counts them" counts 2 trace_rma 5
check "requests are counted as the program counts them" counts 2 trace_requests 5
check "the least of the ranks' numbers is that of unsigned numbers" grep -qx "count_calls: least of ranks 7" err
check "calls of Fortran are counted as the program counts them" counts 2 trace_mpif 5
