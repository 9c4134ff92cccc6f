#!/bin/bash
# runs: alone
# ScaLAPACK's own tests, which check their results: on 2 ranks with their inputs, on grids that
# fit.  LU is on grids of 2 by 2 and 4 by 1 with few matrices, because its ranks poll.
. "$SOURCE/test/apps/app.sh"
folder=$(dpkg -L scalapack-mpi-test 2>/dev/null | grep 'mpich-tests/xdlu$' | xargs -r dirname)
needs scalapack-mpi-test "${folder:-/nowhere}/xdlu" MPICH
cp "$folder"/*.dat input

# Print all lines of problems, without times and rates, and the sums.
results() {
	sed -nE '/^CPU /d; /(PASSED|FAILED)/{s/ +[0-9.]+([0-9.Ee+ -]*)(PASSED|FAILED)/ \2/; s/[0-9]+\.[0-9]+//g; p}; /^ *[0-9]+ tests/p' out
}
for program in xdqr xdllt xdls xdhrd xdnep; do
	app $program 2 "$folder/$program"
done

cat >input/LU.dat <<'END'
'LU factorization'
'two grids'
'LU.out'
6
1
17
13
1
3
1
3
1
3
2
2 4
2 1
1.0
T
END
app xdlu 4 "$folder/xdlu"
