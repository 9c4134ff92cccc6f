#!/bin/bash
# Run the walk-throughs of the documents as a reader types them, MPI runs included.
if ! command -v mpiexec.mpich >/dev/null || [ "$MPI" != mpich ]; then
	echo "ok 1 - the walk-throughs work as typed # SKIP the examples are not built with MPICH of Debian"
	echo 1..1
	exit
fi
unset LLAMP_TRACE_QUIET
exec /usr/bin/python3 "$SOURCE/test/cli/docs.py" --measured
