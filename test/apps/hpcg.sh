#!/bin/bash
# runs: alone
# HPCG 3.1 as doc/faster.md makes it faster: what each change takes off the critical path.
# HPCG=FOLDER, an absolute path, has its source.
. "$SOURCE/test/cli/tap.sh"
name="the changes of doc/faster.md take latencies off the path of HPCG"
why=
[ -f "${HPCG:-}/src/ComputeMG_ref.cpp" ] || why="HPCG is not the absolute path of the source of HPCG 3.1"
command -v mpicxx.mpich mpiexec.mpich >/dev/null || why="there is no MPICH with C++"
[ -f "$BUILD/lib/libllamptrace-mpich.so" ] || [ -f "$BUILD/lib/libllamptrace.so" ] || why="the tracer is not built for MPICH"
if [ -n "$why" ]; then
	skip "$name" "$why"
	exit 0
fi
export LLAMP_TRACE_QUIET=1
# Ranks that wait sleep: the test may run beside other work.
SLEEPY="env LD_PRELOAD=$BUILD/test/mpi/yield.so YIELD_SLEEP_US=100"
SIZES="--nx=16 --ny=16 --nz=16 --rt=0"

# The first smoothing of a grid begins with zeros, which need not be sent.
send_no_zeros() {
	sed -i -e 's/^int ComputeSYMGS_ref/bool x_is_zero;\n\n&/' \
		-e 's/^  ExchangeHalo(A,x);/  if (!x_is_zero) ExchangeHalo(A,x);\n  x_is_zero = false;/' ComputeSYMGS_ref.cpp
	sed -i -e 's/^int ComputeMG_ref/extern bool x_is_zero;\n\n&/' -e 's/^  ZeroVector(x);.*/&\n  x_is_zero = true;/' ComputeMG_ref.cpp
}

# The sums of r*z and r*r take one MPI_Allreduce, and the test for convergence follows it.
sum_together() {
	cat >both <<-'END'
	static void DotBoth(local_int_t n, const Vector & r, const Vector & z, double & rtz, double & normr) {
	  double sums[2] = {0.0, 0.0};
	  for (local_int_t i=0; i<n; i++) {
	    sums[0] += r.values[i]*z.values[i];
	    sums[1] += r.values[i]*r.values[i];
	  }
	  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	  rtz = sums[0];
	  normr = sqrt(sums[1]);
	}
	END
	sed -i -e 's/^#include <cmath>/#include <mpi.h>\n#include "ComputeDotProduct_ref.hpp"\n&/' \
		-e '/^#include "mytimer.hpp"/r both' \
		-e 's/ComputeDotProduct[_ref]* *(nrow, r, z, rtz, t4[^)]*);/DotBoth(nrow, r, z, rtz, normr);/' \
		-e 's/^      beta = /      if (normr\/normr0 <= tolerance) break;\n&/' \
		-e '/^    TICK(); ComputeDotProduct[_ref]* *(nrow, r, r/d' -e '/^    normr = sqrt(normr);/d' \
		-e 's/^  \/\/ Store times/  ComputeDotProduct_ref(nrow, r, r, normr, t4);\n  normr = sqrt(normr);\n&/' CG_ref.cpp CG.cpp
}

# compiles FOLDER: HPCG with the source in FOLDER/src.
compiles() {
	(mkdir -p "$1/build" && cd "$1/build" && ../configure Linux_MPI &&
		make -j2 CXX=mpicxx.mpich CXXFLAGS='$(HPCG_DEFS) -O1 -g') >make.log 2>&1 || { tail make.log; false; }
}
changed() { # FOLDER FROM CHANGE
	cp -a "$2" "$1" && (cd "$1/src" && "$3") && compiles "$1"
}
# traces NAME FOLDER: its results are valid.
traces() {
	rm -f HPCG-Benchmark*
	exits 0 $SLEEPY mpiexec.mpich -n 2 llamp-trace --call-sites -o "$1.trace" llamp-inject --latency 1ms "$2/build/bin/xhpcg" $SIZES &&
		grep -q "HPCG result is VALID" HPCG-Benchmark*
}
# latencies NAME OPTION...: on the critical path at 20 ms.
latencies() {
	schedgen "$1.trace" --preset mpich "${@:2}" -o "$1.bin" 2>/dev/null &&
		llamp analyze "$1.bin" -L 20ms --overhead 1us -G 0 2>/dev/null | awk '$1 == "lambda_L" {print $2}'
}
# less TAKEN A B: about TAKEN latencies are in A and not in B.
less() {
	echo "$2 and $3"
	awk "BEGIN {exit !($2 - $3 > 0.95 * $1 && $2 - $3 < 1.05 * $1)}"
}
# advises: with the latency of the trace.  Status 1: it withholds its advice, and says why in `err`.
advises() {
	llamp advise both.trace --preset mpich -L 1ms --overhead 1us -G 0 >advice 2>err
}
names_algorithm() {
	grep -q "MPI_Allreduce by recursive-doubling  *exact" advice || { cat advice err; false; }
}

mkdir slow && cp -r "$HPCG"/{src,setup,configure,Makefile.ext,bin} slow
check "HPCG compiles" compiles slow
check "... and if it does not send zeros" changed zeros slow send_no_zeros
check "... and if two sums are one" changed both zeros sum_together
for run in slow zeros both; do
	check "$run: runs under tracer and injector, with valid results" traces $run $run
	check "$run: critpath says what it is in" eval "exits 0 critpath efficiency $run.trace && exits 0 critpath causes $run.trace"
done
slow=$(latencies slow) zeros=$(latencies zeros) both=$(latencies both)
doubling=$(latencies both --coll allreduce=recursive-doubling)
check "4 of 14 latencies go if zeros are not sent" less 628 "$slow" "$zeros"
check "no latency goes if two sums are one, since MPICH takes two rounds for them" [ "$both" -ge "$zeros" ]
check "... but one of an iteration by recursive doubling" less 180 "$both" "$doubling"
advice="... which llamp advise names"
advises
case $? in
0) check "$advice" names_algorithm ;;
1)
	if grep -q "no advice: ranks waited for cores\|no advice: T is" err; then
		skip "$advice" "no advice on a busy machine: $(grep "no advice" err)"
	else
		check "$advice" names_algorithm
	fi
	;;
*) check "$advice" false ;;
esac
