#!/bin/bash
# runs: only-long
# Test that the tracer adds no memory error found by valgrind: each report with the tracer is also
# one without it, of the MPI library.
. "$SOURCE/test/cli/tap.sh"
. "$SOURCE/test/mpi/memory/within.sh"

programs=$BUILD/test/mpi

checked() { # FOLDER PROGRAM ARGUMENT... [run by the launcher in $launcher]
	folder=$1
	shift
	mkdir -p "$folder"
	# Without a fair scheduler a polling thread may block the thread it waits for.
	within 120 "$MPIEXEC" -n 2 $launcher valgrind --fair-sched=try --leak-check=full --show-leak-kinds=definite \
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
for program in trace_requests trace_collectives trace_comms trace_sessions trace_threads; do
	check "valgrind: the tracer adds no error to $program" adds_nothing "$programs/$program"
done
