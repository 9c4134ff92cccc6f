#!/bin/sh
# runs: every-mpi alone
# Test traces of different clocks: no message arrives before it is sent.
set -u
. "$SOURCE/test/cli/tap.sh"
# Answers of a rank that sleeps are too late to compare clocks by.
export YIELD_SLEEP_US=0

"$MPICC" -shared -fPIC -O2 -o skew.so "$SOURCE/test/mpi/clock/skew.c" || exit 1
programs=$BUILD/test/mpi

run() { # ranks, directory, program, arguments: run with different clocks
	ranks=$1 directory=$2
	shift 2
	timeout 300 "$MPIEXEC" -n "$ranks" env LD_PRELOAD="$PWD/skew.so:${LD_PRELOAD:-}" llamp-trace -o "$directory" "$@"
}
arrows() { # trace: set backward, messages and shortest
	"$SOURCE/test/mpi/clock/arrows.py" "$1/traces.otf2" >arrows || return 1
	read -r backward messages shortest <arrows
}
offsets() { # trace, rank: print time and offset of each measurement
	otf2-print --show-clock-offsets "$1/traces.otf2" |
		sed -n "s/^CLOCK_OFFSET  *$2  *Time: \([0-9]*\), Offset: \([-+0-9]*\).*/\1 \2/p"
}

# Try several times, because other load delays messages in some attempts.
try() { # ranks, directory, most ns that a message may arrive before it is sent
	for attempt in 1 2 3 4 5 6 7 8 9 10 11 12; do
		rm -rf "$2"
		run "$1" "$2" "$programs/trace_clock" 500 && arrows "$2" || return 1
		[ "$shortest" -ge "-$3" ] && return 0
		echo "attempt $attempt: $backward of $messages backward, by up to $shortest ns"
	done
	return 1
}

check "two ranks: no message arrives before it is sent" try 2 two 0
check "... and no message is missing" test "$messages" = 800
cp -r two raw && rm raw/traces/*.def
uncorrected_differs() { arrows raw 2>/dev/null && [ "$backward" = 400 ] && [ "$shortest" -lt -40000000 ]; }
check "... but without the offsets some arrive earlier" uncorrected_differs
check "otf2-print reads the trace without a complaint" \
	sh -c 'otf2-print two/traces.otf2 >shown 2>err && otf2-print -G two/traces.otf2 >>shown 2>>err && ! test -s err'
covers() {
	otf2-print -G two/traces.otf2 | sed -n 's/.*Global Offset: \([0-9]*\), Length: \([0-9]*\).*/\1 \2/p' >clock
	otf2-print two/traces.otf2 | awk '$3 ~ /^[0-9]+$/ {print $3}' | sort -n >times
	read -r begin length <clock
	test "$(head -n 1 times)" = "$begin" && test "$(tail -n 1 times)" = $((begin + length))
}
check "the definitions have the corrected time of the trace" covers
check "schedgen reads it" schedgen two -o two.bin

drifts() { # 20 ppm
	offsets two 1 | awk '{t[NR] = $1; o[NR] = $2}
		END {ppm = (o[2] - o[1]) / (t[2] - t[1]) * 1e6; print ppm
			exit !(NR == 2 && ppm < -16 && ppm > -24)}'
}
finds_drift() {
	for attempt in 1 2 3 4 5 6; do
		drifts && return
		try 2 two 0 || return 1
	done
	return 1
}
check "the drift of the clock is found" finds_drift
zero() { test "$(offsets two 0 | cut -d" " -f2 | sort -u)" = +0; }
check "rank 0 has offset 0" zero
in_init() { # the times of rank 0 are not corrected
	measured=$(offsets two 0 | sed -n '1s/ .*//p')
	otf2-print two/traces.otf2 | awk -v at="$measured" '
		$2 == 0 && /"MPI_Init"/ {t[$1] = $3}
		END {exit !(t["ENTER"] < at && at < t["LEAVE"])}'
}
check "clocks are compared within MPI_Init" in_init

# With more ranks than cores, the offsets add up along the tree, less exactly.
check "four ranks: offsets are found along the tree" try 4 four 1000000

late_is_constant() {
	run 2 late "$programs/trace_late" >/dev/null && offsets late 1 >seen &&
		awk '{o[NR] = $2} END {exit !(NR == 2 && o[1] == o[2] && o[1] < -40000000)}' seen
}
check "without a visible MPI_Init, the offset at the end is used for all times" late_is_constant
one_is_fine() { run 1 one "$programs/trace_clock" 10 && otf2-print one/traces.otf2 >shown 2>err && ! test -s err; }
check "one rank compares no clocks" one_is_fine
same_clock() {
	timeout 300 "$MPIEXEC" -n 3 llamp-trace -o same "$programs/trace_clock" 10 &&
		test "$(offsets same 0)" && test "$(for r in 0 1 2; do offsets same $r; done | cut -d" " -f2 | sort -u)" = +0
}
check "ranks on one computer have offset 0 when its clock is left alone" same_clock

# A clock that is set back: nothing waits for it, and nobody is given up because of it.
"$MPICC" -shared -fPIC -O2 -o back.so "$SOURCE/test/mpi/clock/back.c" || exit 1
set_back() { # READINGS ARGUMENT...
	readings=$1
	shift
	rm -rf back llamp-trace-*
	exits 0 env CLOCK_READINGS="$readings" timeout 60 "$MPIEXEC" -n 2 env LD_PRELOAD="$PWD/back.so:${LD_PRELOAD:-}" \
		llamp-trace --report "$@" "$programs/trace_clock" 5 &&
		! grep -Eq 'have not answered|took [0-9.]*e' err && [ "$(grep -c 'report' err)" = 1 ]
}
for readings in 2 100; do
	check "a clock that is set back every $readings readings stops no run" set_back $readings -o back
	check "... nor one without a directory" set_back $readings
	check "... nor one without an archive" set_back $readings --no-archive
done
