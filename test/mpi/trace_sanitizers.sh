#!/bin/bash
# runs: every-mpi
# The tracer adds no fault that the sanitizers see: program and tracer are built with them.
. "$SOURCE/test/cli/tap.sh"
. "$SOURCE/test/mpi/memory/within.sh"
unset LD_PRELOAD	# the sanitizers' library wants to be the first

libraries=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../developer/lib
runs_clean() { # PROGRAM ARGUMENT...
	program=$1
	shift
	rm -rf trace
	"$MPICC" -std=c11 -D_GNU_SOURCE -g -w -fsanitize=address,undefined -fno-sanitize-recover=undefined \
		-o "$program" "$SOURCE/test/mpi/$program.c" -L"$libraries" -lllamptrace-"$MPI" \
		-Wl,-rpath,"$libraries" &&
		# What MPI does not free is valgrind's part, which tells whose it is.
		ASAN_OPTIONS=detect_leaks=0 LLAMP_TRACE_DIR=$PWD/trace exits 0 \
			within 120 "$MPIEXEC" -n 2 "./$program" "$@" &&
		[ ! -s err ] && otf2-print trace/traces.otf2 >/dev/null
}
for program in trace_blocking trace_requests trace_probes trace_collectives trace_comms trace_mpi4 \
	trace_neighbours trace_sessions trace_transfers trace_threads trace_team; do
	check "sanitizers: none complains about $program" runs_clean $program
done
