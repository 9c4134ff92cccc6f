#!/bin/bash
# runs: only-long
# Test that the tracer adds no fault found by the sanitizers: program and tracer are built with them.
. "$SOURCE/test/cli/tap.sh"
. "$SOURCE/test/mpi/memory/within.sh"
unset LD_PRELOAD	# the sanitizers' library must be the first

libraries=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../developer/lib
runs_clean() { # PROGRAM ARGUMENT...
	program=$1
	shift
	rm -rf trace
	"$MPICC" -std=c11 -D_GNU_SOURCE -g -w -fsanitize=address,undefined -fno-sanitize-recover=undefined \
		-o "$program" "$SOURCE/test/mpi/$program.c" -L"$libraries" -lllamptrace-"$MPI" \
		-Wl,-rpath,"$libraries" &&
		# Leaks are left to valgrind, which distinguishes those of the MPI library.
		ASAN_OPTIONS=detect_leaks=0 LLAMP_TRACE_DIR=$PWD/trace exits 0 \
			within 120 "$MPIEXEC" -n 2 "./$program" "$@" &&
		[ ! -s err ] && is_there
}
is_there() {
	if [ "${LLAMP_TRACE_FLOW:-}" = on ]; then
		eventflow trace trace --print >/dev/null
	else
		otf2-print trace/traces.otf2 >/dev/null
	fi
}
for program in trace_blocking trace_requests trace_probes trace_collectives trace_comms trace_mpi4 \
	trace_neighbours trace_sessions trace_transfers trace_threads trace_team; do
	check "sanitizers: $program has no fault" runs_clean $program
done
export LLAMP_TRACE_FLOW=on
for program in trace_requests trace_probes trace_collectives trace_comms trace_sessions trace_threads; do
	check "sanitizers: graphs of $program have no fault" runs_clean $program
done
