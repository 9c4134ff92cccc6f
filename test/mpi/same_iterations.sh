#!/bin/bash
# runs: every-mpi-long apart
# Test that eventflow, critpath and schedgen find the iterations of the examples, and the same ones.
. "$SOURCE/test/cli/tap.sh"

# Print the number of iterations on all ranks by eventflow: "LEAST to MOST".
by_eventflow() {
	eventflow loops "$1" --format json | /usr/bin/python3 -c '
import json, sys
count = [row["iterations"] for row in json.load(sys.stdin)["main_loops"] for thread in range(row["threads"])]
assert len(count) == int(sys.argv[1]), count
print(min(count), "to", max(count))' "$2"
}

# all_find EXPECTED RANKS PROGRAM ARGUMENT...: EXPECTED is a number, or +N for N more than the program says.
all_find() {
	expected=$1 ranks=$2
	shift 2
	rm -rf trace
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace -o trace "$BUILD/examples/$@" >said 2>&1 || { cat said; return 1; }
	case $expected in +*) expected=$(($(sed -n "s/.*, \([0-9]*\) iterations.*/\1/p" said) + ${expected#+})) ;; esac
	eventflow build trace -o trace.efg && found=$(by_eventflow trace.efg "$ranks") && echo "$found, not $expected" &&
		[ "$found" = "$expected to $expected" ] &&
		critpath waits trace --by iteration | grep "^iterations of a rank: $found\$" &&
		critpath waits trace.efg --by iteration | grep "^iterations of a rank: $found\$" &&
		exits 0 schedgen trace --from "iteration:$expected" -o part.bin && exits 0 goal check part.bin &&
		complains 1 "there is no iteration:$((expected + 1))" schedgen trace --from "iteration:$((expected + 1))" -o none.bin &&
		complains 1 "there is no iteration:$((expected + 1))" critpath waits trace --from "iteration:$((expected + 1))"
}

# cg and fem3d compute a residual before the first iteration by the calls of an iteration.
check "hydro3d: iterations are its steps" all_find 10 8 hydro3d --size 4 --iterations 10
check "stencil2d: iterations are its steps" all_find 100 4 stencil2d --size 40 --iterations 100
check "stencil2d with blocking calls: iterations are its steps" all_find 100 6 stencil2d --blocking --size 40 --iterations 100 --grid 2x3
check "cg: iterations are its iterations, and the residual before" all_find +1 4 cg --size 16
check "fem3d: iterations are its iterations, and the residual before" all_find +1 4 fem3d
check "multigrid: iterations are its cycles, with all grids" all_find +0 4 multigrid
# So many that the loop takes most of the time between MPI_Init and MPI_Finalize, whatever else the machine does.
check "ring: iterations are its blocks" all_find 200 4 ring --blocks 200 --count 65536
check "late: iterations are its rounds" all_find 9 2 late --bytes 100000 --compute 200 --rounds 9
[ ! -x "$BUILD/examples/heat1d" ] || check "heat1d: iterations are its steps" all_find 100 4 heat1d
