#!/bin/bash
# runs: only-long alone
# Test llamp-measure overlap where the answer is known: libraries that move messages only in their calls do not overlap, a limit of
# eager messages moves the change of the ratio, and tests within the computation help.  Ratios of a machine with other
# work scatter, so a check has three attempts, and its bars are wide.
. "$SOURCE/test/cli/tap.sh"

if [ "$(nproc)" -lt 2 ]; then
	skip "known answers are measured" "each rank needs a processor"
	exit
fi
# Ranks that sleep while they wait, or yield, measure that.
unset LD_PRELOAD OMPI_MCA_mpi_yield_when_idle

# Ask until a Python expression over r(BENCH, SIZE), the median of the whole sequence's ratio, and the header h is true.
known() { # EXPRESSION LAUNCHER-OPTIONS -- OPTION...
	expression=$1
	shift
	launcher=()
	while [ "$1" != -- ]; do
		launcher+=("$1")
		shift
	done
	for _ in 1 2 3; do
		rm -f known.overlap
		timeout 200 "$MPIEXEC" "${launcher[@]}" -n 2 $inject llamp-measure overlap --same-node -o known.overlap "${@:2}" || return 1
		/usr/bin/python3 - "$expression" <<-END && return 0
			import json, statistics, sys
			lines = [json.loads(line) for line in open("known.overlap")]
			h, cells = lines[0], [line for line in lines if "full" in line]
			def sequence(cell):
			    full, latency, comm, comp = (cell[name][4] for name in ("full", "latency", "comm", "comp"))
			    return (full - max(comm + latency, comp)) / min(comm + latency, comp)
			def r(bench, size):
			    return statistics.median(sequence(c) for c in cells if (c["bench"], c["bytes"] >> 10) == (bench, size))
			for size in sorted({c["bytes"] >> 10 for c in cells}):
			    print(size, "KiB", {b: round(r(b, size), 2) for b in sorted({c["bench"] for c in cells})})
			sys.exit(not eval(f"({sys.argv[1]})"))
		END
	done
	return 1
}
inject=
planes="--bench sender,receiver --kernel time --compute 64us:256us --per-octave 1"

if [ "$MPI" = mpich ]; then
	tcp="-genv UCX_TLS=tcp -genv MPIR_CVAR_NOLOCAL=1" shm=
else
	tcp="--mca pml ob1 --mca btl tcp,self" shm="--mca pml ob1 --mca btl vader,self"
fi
check "over TCP nothing overlaps on the receiver side from 64 KiB on" \
	known 'all(0.7 < r("receiver", s) < 1.3 for s in (64, 128, 256))' $tcp -- $planes --sizes 64KiB:256KiB
check "with shared memory the sender overlaps from 64 KiB to 1 MiB" \
	known 'all(r("sender", s) < 0.2 for s in (64, 128, 256, 512, 1024))' $shm -- $planes --sizes 64KiB:1MiB
check "... and the receiver does not" \
	known 'all(r("receiver", s) > 0.6 for s in (256, 512, 1024))' $shm -- $planes --sizes 256KiB:1MiB
one="--bench receiver --sizes 256KiB --compute 100us --kernel time"
check "MPI_Test within the computation helps the receiver" known 'r("receiver", 256) < 0.75' $shm -- $one --tests 5us
check "... after it does not" known 'r("receiver", 256) > 0.8' $shm -- $one --tests 100us

# The limit counts a header of the library.  MPICH over TCP has no limit that one variable sets.  Where the kernel receives
# on the processor of the rank that computes, few sizes or none overlap: then the threshold alone tells the limit.  How much
# the others overlap depends on their size, so the last one below the limit is what the first one above it is compared with.
moves() { # KIB
	known "$1 - 1 <= h['threshold'][0] / 1024 <= $1 and
		(statistics.median(r('receiver', s) for s in (8, 16, 32) if s < $1) > 0.9 or r('receiver', $1) > r('receiver', $1 >> 1) + 0.1)" \
		$tcp --mca btl_tcp_eager_limit $(($1 << 10)) -- --bench receiver --kernel time --sizes 8KiB:128KiB --compute 256us --per-octave 1
}
if [ "$MPI" = openmpi ]; then
	check "the ratio rises at the limit of eager messages" moves 32
	check "... at another one" moves 64
fi

# A latency that is waited for by no processor: sends of both sides are hidden behind the computation.
if command -v llamp-inject >/dev/null; then
	inject="llamp-inject --latency 10ms"
	check "an injected latency overlaps" known 'all(abs(c["ratio"]) < 0.3 for c in cells)' -- \
		--bench both --sizes 8 --compute 2ms:4ms --per-octave 1 --repeat 10 --kernel time
fi
