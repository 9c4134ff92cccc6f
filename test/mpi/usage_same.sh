#!/bin/bash
# runs: every-mpi-long long
# Test that a profile has the calls and bytes of a trace of the same run, with both libraries loaded in either order.
. "$SOURCE/test/cli/tap.sh"

libraries=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib
usage=$libraries/libllampusage-$MPI.so
trace=$libraries/libllamptrace-$MPI.so
# same PRELOADED RANKS PROGRAM ARGUMENT...
same() {
	local preloaded=$1 ranks=$2
	shift 2
	rm -rf trace run.usage
	LLAMP_TRACE_DIR=$PWD/trace LLAMP_TRACE_QUIET=1 LLAMP_USAGE_FILE=$PWD/run.usage LLAMP_USAGE_RANKS=all \
		exits 0 timeout 300 "$MPIEXEC" -n "$ranks" env LD_PRELOAD="$preloaded${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/$1" "${@:2}" || return 1
	zstd -dqc run.usage >run.json && "$SOURCE/test/cli/usage_log/sums.py" trace/traces.otf2 run.json
}
inner() { check "$2: the profile has the calls and bytes of the trace below it" same "$usage:$trace" "$@"; }
outer() { check "$2: ... and of the trace above it" same "$trace:$usage" "$@"; }
both() { inner "$@"; outer "$@"; }

both 4 test/mpi/trace_collectives
both 2 test/mpi/trace_requests
both 3 test/mpi/random_program 7 60
outer 2 test/mpi/random_threads 3 40 3
inner 4 examples/cg
outer 4 examples/stencil2d
[ "$LENGTH" = long ] || exit 0
for program in bursts fem3d heat1d hydro3d late multigrid ring teams; do
	[ ! -x "$BUILD/examples/$program" ] || both 4 examples/$program
done
# Not programs with messages that are truncated: these calls fail, and a profile counts no bytes of them.
for program in trace_neighbours trace_rma trace_transfers; do
	both 4 test/mpi/$program
done
# Not programs with collectives in place on a communicator of one rank: records have no bytes of them.
both 4 test/mpi/random_program 12 200
for seed in 11 12 13; do
	both 2 test/mpi/random_threads $seed 40 3
done
