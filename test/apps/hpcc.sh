#!/bin/bash
# runs: alone
# HPCC: seven benchmarks with verdicts, on matrices of its smallest input.
. "$SOURCE/test/apps/app.sh"
needs hpcc hpcc "Open MPI"

cat >input/hpccinf.txt <<'END'
HPCC on a grid of 1 by 2
a line that is not read
HPL.out
8
1
100
1
20
0
1
1
2
16.0
1
2
1
4
1
2
1
1
1
1
1
1
2
64
0
0
1
8
a line that is not read
0
1
0
1
END
# Print the verdicts and their values, without times.  Lines of CPU time appear only if it is not 0.
results() {
	sed -nE '/^CPU /d; /^WALL /s/ +[0-9.]+ (PASSED|FAILED).*/ \1/; /(PASSED|FAILED)$/p; / tests completed and /p
		/^(Success|[A-Za-z_]*Errors|PTRANS_residual|[A-Z]*_N)=/p' hpccoutf.txt
}
app hpcc 2 hpcc
