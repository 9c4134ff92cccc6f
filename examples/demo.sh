#!/bin/bash
# From an MPI program to its latency tolerance, with two allreduce algorithms.
#
# `make demo` starts this with the commands in PATH; what it makes is in $BUILD/demo.
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
# The latency up to which a JSON result tolerates 1 %, in microseconds.
tolerance() {
	tr -d ' \n' <"$1" | sed 's/.*"percent":1,"L_ns":\([0-9.e+]*\).*/\1/' | awk '{printf "%.3g us", $1 / 1000}'
}

say "1. Run conjugate gradients on 8 ranks under the tracer."
run "$MPIEXEC" -n 8 llamp-trace -o cg.trace "$program" --size 32

say "2. Turn the trace into a graph of messages and computation: once with MPI_Allreduce
   by recursive doubling, once by a ring.  The trace is the same."
run schedgen cg.trace -o doubling.bin --coll allreduce=recursive-doubling
run schedgen cg.trace -o ring.bin --coll allreduce=ring

say "3. How much network latency does the program take, on the network in network.yaml?"
run llamp analyze doubling.bin --params network.yaml --tolerance 1,2,5
run llamp analyze ring.bin --params network.yaml --tolerance 1,2,5

for name in doubling ring; do
	llamp analyze $name.bin --params network.yaml --tolerance 1 --format json >$name.json
done
slope() { sed -n 's/.*"right": *\([0-9]*\).*/\1/p' "$1" | head -n 1; }
say "What you see: each of the 8-byte allreduces takes 3 messages one after the other by recursive
doubling and 14 by the ring.  So there are $(slope doubling.json) latencies on the critical path with the one and
$(slope ring.json) with the other (lambda_L), and the program is slowed down by 1 % at a latency of
$(tolerance doubling.json) with the one and of $(tolerance ring.json) with the other.
(Times between calls are those of this machine, where 8 ranks may share few cores.)
Everything is in $PWD; examples/README.md goes on from here."
