#!/bin/bash
# runs: every-mpi-long
# Test that the log of a traced run has the sums of its records, for programs of many kinds of calls, and those of its profile.
. "$SOURCE/test/cli/tap.sh"

same_sums() { # RANKS PROGRAM ARGUMENT...
	ranks=$1
	shift
	rm -rf trace
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace -o trace "$BUILD/test/mpi/$@" >said 2>&1 || { cat said; return 1; }
	llamp-usage from-trace trace --all-ranks -o all.json && "$SOURCE/test/cli/usage_log/sums.py" trace/traces.otf2 all.json
}

# The module otf2 cannot read inter-communicators, which the pattern communicators has.
for pattern in wildcards persistent polling collectives windows; do
	check "$pattern: the log has the sums of the records" same_sums 3 patterns $pattern
done
for program in trace_collectives trace_requests trace_neighbours trace_rma trace_transfers; do
	check "$program: the log has the sums of the records" same_sums 4 $program
done
check "random programs: the log has the sums of the records" eval 'same_sums 4 random_program 5 200 && same_sums 3 random_program 6 200'
check "threads: the log has the sums of the records" same_sums 2 random_threads 3 40 3

# A trace and a profile of two runs of a program that always makes the same calls.
same_profile() { # RANKS PROGRAM ARGUMENT...
	same_sums "$@" && rm -f profile.usage || return 1
	ranks=$1
	shift
	LLAMP_USAGE_RANKS=all timeout 300 "$MPIEXEC" -n "$ranks" llamp-usage run -o profile.usage "$BUILD/test/mpi/$@" >said 2>&1 || { cat said; return 1; }
	zstd -dqc profile.usage >profile.json && "$SOURCE/test/cli/usage_log/sums.py" trace/traces.otf2 profile.json
}
for program in trace_collectives trace_neighbours trace_rma trace_transfers; do
	check "$program: the profile has the calls and bytes of the trace" same_profile 4 $program
done
