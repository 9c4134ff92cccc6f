#!/bin/bash
# The tracer adds no fault in the use of memory: none that valgrind sees, none that the
# sanitizers see.
. "$SOURCE/test/cli/tap.sh"

programs=$BUILD/test/mpi

# ---- valgrind: what it says with the tracer it must say without it, of the MPI library

checked() { # FOLDER PROGRAM ARGUMENT... [behind the launcher in $launcher]
	folder=$1
	shift
	mkdir -p "$folder"
	timeout 120 "$MPIEXEC" -n 2 $launcher valgrind --leak-check=full --show-leak-kinds=definite \
		--num-callers=60 --keep-debuginfo=yes --xml=yes --xml-file="$PWD/$folder/%p" "$@" >out 2>err &&
		return 0
	echo "$folder: status $?"
	cat out err
	return 1
}
adds_nothing() { # PROGRAM ARGUMENT...
	rm -rf plain traced trace
	launcher='' checked plain "$@" && launcher='llamp-trace -o trace' checked traced "$@" &&
		otf2-print trace/traces.otf2 >/dev/null && "$SOURCE/test/mpi/memory/added.py" plain traced
}
for program in trace_requests trace_collectives trace_comms trace_threads; do
	check "valgrind: the tracer adds no error to $program" adds_nothing "$programs/$program"
done

# ---- sanitizers: programs that are made with them, linked to a tracer that is too

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
			timeout 120 "$MPIEXEC" -n 2 "./$program" "$@" &&
		[ ! -s err ] && otf2-print trace/traces.otf2 >/dev/null
}
for program in trace_blocking trace_requests trace_probes trace_collectives trace_comms trace_mpi4 \
	trace_neighbours trace_transfers trace_threads trace_team; do
	check "sanitizers: none complains about $program" runs_clean $program
done
