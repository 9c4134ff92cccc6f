#!/bin/bash
# Three questions to one run: how much latency does it take, where did its time go, what if?
#
# `make demo` starts this script with the commands in PATH.  Files go to $BUILD/demo.
set -euo pipefail
params=$(cd "$(dirname "$0")" && pwd)/params/cscs-testbed.yaml
program=$(cd "$BUILD" && pwd)/examples/hydro3d
rm -rf "$BUILD/demo"
mkdir -p "$BUILD/demo"
cd "$BUILD/demo"
cp "$params" network.yaml

say() { printf '\n%s\n' "$*"; }
run() {
	printf '\n$ %s\n' "$*"
	"$@"
}
# fact FILE PATTERN: print the first number of a JSON result that follows the pattern.
fact() { tr -d ' \n' <"$1" | sed "s/.*$2\([0-9.e+]*\).*/\1/"; }
tolerance() { fact "$1" '"percent":1,"L_ns":' | awk '{printf "%.3g us", $1 / 1000}'; }
slope() { fact "$1" '"lambda_L":{[^}]*"right":'; }

# Ranks that share a core wait for it inside MPI calls.  Sleeping needs none.
cores=$(nproc)
ranks=$((cores < 4 ? 2 : 4))
sleep=
[ "$cores" -ge 2 ] || sleep="--sleep 2000"

say "Run sound waves in a box on $ranks ranks under the tracer: exchanges with neighbours and an
MPI_Allreduce of 8 bytes in each of 200 steps."
run "$MPIEXEC" -n "$ranks" llamp-trace -o wave.trace "$program" --size 16 --iterations 200 $sleep

say "1. How much?  Convert the trace to a graph of messages and computation, and ask how much
   latency the program tolerates on the network of network.yaml."
run schedgen wave.trace -o doubling.bin --coll allreduce=recursive-doubling
run llamp analyze doubling.bin --params network.yaml
llamp analyze doubling.bin --params network.yaml --tolerance 1 --format json >doubling.json 2>/dev/null
run llamp report doubling.bin --params network.yaml -o report.html --svg pictures

say "2. Where?  Ask what determined the run as it was measured."
printf '\n$ critpath path wave.trace\n'
critpath path wave.trace | sed '/^longest segments/,$d'
run critpath view wave.trace -o run.html

say "3. What if?  Take another algorithm for MPI_Allreduce, and 64 ranks: $((64 / ranks)) copies of the traced ones."
for algorithm in recursive-doubling ring; do
	run schedgen wave.trace -o $algorithm-64.bin --coll allreduce=$algorithm --extrapolate $((64 / ranks))
	llamp analyze $algorithm-64.bin --params network.yaml --tolerance 1 --format json >$algorithm-64.json
done
run llamp compare recursive-doubling-64.bin ring-64.bin --params network.yaml

say "Answers
 How much?  The program becomes 1 % slower at a latency of $(tolerance doubling.json).
 Where?     'critpath path' above: computation, MPI calls, and the ranks on the critical path.
 What if?   On 64 ranks lambda_L, the number of latencies on the critical path, is $(slope recursive-doubling-64.json) with
            recursive doubling and $(slope ring-64.json) with the ring; the program becomes 1 % slower at a
            latency of $(tolerance recursive-doubling-64.json) and $(tolerance ring-64.json)."
say "All files are in $PWD.  Try next:
 open report.html and run.html        the answers as pages, in a browser
 PATH=$(cd ../bin && pwd):\$PATH
 $(basename "$MPIEXEC") -n $ranks llamp-trace -o my.trace ./your-program
                                      the same questions to a program of yours
 llamp analyze doubling.bin --help    other networks, variables, tolerances
 README.md and doc/how-do-i.md        this session step by step, and many more"
