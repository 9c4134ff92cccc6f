#!/bin/bash
# From an MPI program to its latency tolerance, with two allreduce algorithms.
#
# `make demo` starts this script with the commands in PATH.  Files go to $BUILD/demo.
set -euo pipefail
params=$(cd "$(dirname "$0")" && pwd)/params/cscs-testbed.yaml
program=$(cd "$BUILD" && pwd)/examples/cg
rm -rf "$BUILD/demo"
mkdir -p "$BUILD/demo"
cd "$BUILD/demo"
cp "$params" network.yaml

say() { printf '\n%s\n' "$*"; }
run() {
	printf '\n$ %s\n' "$*"
	"$@"
}
# tolerance FILE: print the latency of the 1 % tolerance in a JSON result, in microseconds.
tolerance() {
	tr -d ' \n' <"$1" | sed 's/.*"percent":1,"L_ns":\([0-9.e+]*\).*/\1/' | awk '{printf "%.3g us", $1 / 1000}'
}

say "1. Run conjugate gradients on 8 ranks under the tracer."
run "$MPIEXEC" -n 8 llamp-trace -o cg.trace "$program" --size 32

say "2. Convert the trace to graphs of messages and computation: one with MPI_Allreduce
   by recursive doubling, one with a ring."
run schedgen cg.trace -o doubling.bin --coll allreduce=recursive-doubling
run schedgen cg.trace -o ring.bin --coll allreduce=ring

say "3. How much network latency does the program tolerate on the network of network.yaml?"
run llamp analyze doubling.bin --params network.yaml --tolerance 1,2,5
run llamp analyze ring.bin --params network.yaml --tolerance 1,2,5

for name in doubling ring; do
	llamp analyze $name.bin --params network.yaml --tolerance 1 --format json >$name.json
done
say "4. The same with pictures: a page for a browser, and each picture as SVG."
run llamp report doubling.bin --params network.yaml -o report.html --svg pictures
run llamp report doubling.bin ring.bin --params network.yaml -o compare.html

slope() { sed -n 's/.*"right": *\([0-9]*\).*/\1/p' "$1" | head -n 1; }
say "Result: each of the 8-byte allreduces sends 3 messages one after the other with recursive
doubling, and 14 with the ring.  So lambda_L, the number of latencies on the critical path, is $(slope doubling.json)
with recursive doubling and $(slope ring.json) with the ring.  The program becomes 1 % slower at a latency of
$(tolerance doubling.json) and $(tolerance ring.json).
(Times between calls are those of this machine, where 8 ranks may share few cores.)
All files are in $PWD; README.md has the same session step by step."
