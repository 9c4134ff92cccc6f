#!/bin/bash
# runs: every-mpi-long apart
# Tests of the examples, from the trace to the tolerance.
. "$SOURCE/test/cli/tap.sh"

# traced RANKS NAME PROGRAM ARGUMENT...: run under the tracer; the archive is NAME.trace.
traced() {
	ranks=$1 name=$2 program=$BUILD/examples/$3
	shift 3
	TALLY=$name.tally exits 0 "$MPIEXEC" -n "$ranks" llamp-trace -o "$name.trace" "$program" "$@"
}

prints_without_warning() {
	exits 0 otf2-print "$1" && ! grep -i 'warning\|error' err
}

generates() {
	exits 0 schedgen "$1.trace" -o "$1.bin" && exits 0 goal check "$1.bin"
}

# Check that the tolerance rises with the percentage, and the runtime is positive.
analyzes() {
	exits 0 llamp analyze "$1.bin" --params "$SOURCE/examples/params/$2.yaml" \
		--tolerance 1,2,5 --format json &&
		/usr/bin/python3 - out <<-END
			import json, math, sys
			result = json.load(open(sys.argv[1]))
			assert result["runtime_ns"] > 0, result
			L = [t["L_ns"] for t in result["tolerance"]]
			L = [math.inf if l is None else l for l in L]
			assert len(L) == 3 and L == sorted(L) and L[0] >= result["parameters"]["L"], L
		END
}

# Check that messages which move only in MPI calls take no less time, and that T async is T without --progress.
defers() {
	exits 0 schedgen "$1.trace" -o "$1-calls.bin" --progress calls -S 0 && exits 0 goal check "$1-calls.bin" &&
		llamp analyze "$1.bin" -S 0 --format json >async.json && llamp analyze "$1-calls.bin" -S 0 --format json >calls.json &&
		/usr/bin/python3 - <<-END
			import json
			T, calls = (json.load(open(f)) for f in ("async.json", "calls.json"))
			assert T["runtime_ns"] == calls.get("runtime_async_ns", calls["runtime_ns"]) <= calls["runtime_ns"]
		END
}

# example RANKS NAME PROGRAM ARGUMENT...
example() {
	name=$2
	check "$name: runs under the tracer, with the right result" traced "$@"
	grep -q correct out || not_ok "$name: says that its result is correct"
	check "$name: otf2-print reads the trace without a warning" \
		prints_without_warning "$name.trace/traces.otf2"
	check "$name: the archive holds the messages and collectives that the program counted" \
		/usr/bin/python3 "$SOURCE/test/mpi/tally.py" "$name.trace/traces.otf2" "$name.tally"
	check "$name: schedgen makes a graph that goal check accepts" generates "$name"
	check "$name: it takes no less time if messages move only in MPI calls" defers "$name"
	for cluster in cscs-testbed piz-daint; do
		check "$name: llamp finds its tolerance on $cluster" analyzes "$name" $cluster
	done
}

example 4 stencil stencil2d --size 40 --iterations 20
example 6 stencil-blocking stencil2d --blocking --size 40 --iterations 20 --grid 2x3
example 4 cg cg --size 16
example 8 ring ring --blocks 10 --count 512
example 8 hydro hydro3d --size 4 --iterations 10
example 6 multigrid multigrid --size 8 --tolerance 1e-4
example 5 fem fem3d --size 8 --sleep 50
for pattern in send isend alltoall; do
	example 3 bursts-$pattern bursts --pattern $pattern --messages 4 --bytes 1000 --rounds 3
done
example 2 late late --bytes 100000 --compute 200 --rounds 5
example 3 late-tests late --bytes 100000 --compute 200 --test 50 --rounds 5
example 8 daylight daylight --steps 6 --barrier
example 6 daylight-dealt daylight --steps 6 --deal --late --means reduce-bcast
example 4 daylight-alltoall daylight --steps 6 --day 0 --means alltoall
example 8 teams teams --tasks 20
example 3 teams-alone teams --teams 3 --tasks 6
[ ! -x "$BUILD/examples/heat1d" ] || example 4 heat1d heat1d

check "a wrong count is found" exits 1 /usr/bin/python3 "$SOURCE/test/mpi/tally.py" \
	ring.trace/traces.otf2 teams.tally
