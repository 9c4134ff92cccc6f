#!/bin/bash
# runs: every-mpi-long apart
# Compare the graphs of doc/worked-example.md with those of its programs.
. "$SOURCE/test/cli/tap.sh"

# explained PROGRAM
explained() {
	$MPIEXEC -n 2 llamp-trace -o "$1" "$BUILD/test/mpi/$1" &&
		schedgen "$1" --compute-scale 0 -o "$1.goal" &&
		diff -u "$SOURCE/examples/$1.goal" "$1.goal"
}
has_partitioned() {
	echo '#include <mpi.h>' | "$MPICC" -E -x c - | grep -q MPI_Psend_init
}

for program in constructs constructs_windows constructs_inter; do
	check "the graph of the worked example $program is that of its program, whatever the times" \
		explained "$program"
done
sentence="the graph of the worked example constructs_threads is that of its program"
if has_partitioned; then
	check "$sentence" explained constructs_threads
else
	skip "$sentence" "this MPI has no partitioned messages"
fi
