#!/bin/bash
# The graph that doc/worked-example.md explains is that of the program.
. "$SOURCE/test/cli/tap.sh"

explained() {
	$MPIEXEC -n 2 llamp-trace -o constructs "$BUILD/test/mpi/constructs" &&
		schedgen constructs --compute-scale 0 -o constructs.goal &&
		cmp constructs.goal "$SOURCE/examples/constructs.goal"
}
check "the graph of the worked example is that of its program, whatever the times" explained
