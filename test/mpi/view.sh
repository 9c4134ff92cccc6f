#!/bin/bash
# critpath view of programs' traces.
# runs: every-mpi-long apart
. "$SOURCE/test/cli/tap.sh"

# view PATTERN RANKS: the messages and bytes that the program has counted are those of the view.
view() {
	$MPIEXEC -n "$2" llamp-trace -o "trace-$1-$2" "$BUILD/test/mpi/patterns" "$1" >counts &&
		critpath view "trace-$1-$2" -o run.pftrace 2>said && critpath view "trace-$1-$2" -o run.json 2>/dev/null &&
		! grep warning said && read -r count size <counts &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/timeline.py" recorded run.pftrace run.json "$count" "$size"
}
for ranks in 1 2 5; do
	for pattern in wildcards persistent polling cancelled; do
		check "the view has the messages of $pattern on $ranks ranks" view $pattern $ranks
	done
done
