#!/bin/bash
# runs: every-mpi-long apart
# Test critpath on traces of programs: whole, with other clocks, killed, damaged.
. "$SOURCE/test/cli/tap.sh"
python() { /usr/bin/python3 "$SOURCE/test/cli/critpath/check.py" "$@"; }
programs=$BUILD/test/mpi

# trace RANKS PROGRAM ARGUMENT...: into `trace`.
trace() {
	ranks=$1
	shift
	rm -rf trace
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace -o trace "$programs/$@" >said 2>&1 || { cat said; return 1; }
}
# Check the invariants of all paths, and that JSON and CSV agree.
sound() {
	critpath path trace --format json -o path.json && critpath path trace --format csv -o path.csv &&
		python path path.json path.csv
}
complete() { trace "$@" && sound && python complete path.json; }

for ranks in 1 2 5; do
	# Open MPI fails to make windows on one rank.
	for pattern in wildcards persistent polling communicators collectives $([ $ranks = 1 ] || echo windows); do
		check "$pattern on $ranks ranks: the path covers the run, and everything matches" complete $ranks patterns $pattern
	done
	check "a random program on $ranks ranks: the path covers the run, and everything matches" \
		complete $ranks random_program 3 100
done
gaps() {
	trace 4 random_program 3 100 gaps && sound && critpath waits trace --format csv >waits.csv && /usr/bin/python3 -c 'import csv
rows = [row for row in csv.DictReader(open("waits.csv")) if row["pattern"] in ("barrier", "collective", "root")]
assert len(rows) > 20 and all(row["function"] == row["cause_function"] for row in rows), rows'
}
check "a random program in which single ranks do not record: collectives wait for those of their kind" gaps
threads() { trace 3 random_threads 5 40 3 && sound; }
check "a random program with threads: the path covers the run" threads
own_messages() { complete 3 trace_threads && critpath path trace >out && ! grep "^clocks" out; }
check "messages of threads do not contradict the clocks" own_messages

slow() { trace 4 slow_rank 3 10 50 && sound && python complete path.json && python slow 3 500 path.json; }
check "the path is the computation of the slow rank" slow
found() {
	critpath path trace >out && sed -n '/^ranks with most time/,/^$/p' out >ranks &&
		[ "$(awk 'NR == 3 {print $1}' ranks)" = 3 ]
}
check "... which is the first in the table of ranks" found
check "... and the waits are those of Scalasca's definitions" /usr/bin/python3 "$SOURCE/test/cli/critpath_scalasca.py" trace
persistent() { trace 2 patterns persistent && /usr/bin/python3 "$SOURCE/test/cli/critpath_scalasca.py" trace; }
check "... so with persistent requests" persistent

signals() { trace 4 slow_rank 3 10 50 $1 && sound && python complete path.json && python slow 3 500 path.json; }
check "... also if others wait for it in collectives of neighbours" signals neighbours
check "... and if they wait in epochs of a window" signals epochs
# The three others wait for the lock while the slow rank computes, on an idle machine for 1.5 s.
locks() {
	signals locks && critpath waits trace --format csv >waits.csv && /usr/bin/python3 -c 'import csv
rows = [row for row in csv.DictReader(open("waits.csv")) if row["pattern"] == "lock"]
assert sum(int(row["wait_ns"]) for row in rows) > 300e6, rows'
}
check "... and if they wait for the lock of a window" locks
lock_edges() { critpath graph trace -o graph.dot && grep -q "^	v.* -> v" graph.dot && ! grep null graph.dot; }
check "... whose edges have a style in a picture" lock_edges

# Every rank has another clock: 50 ms ahead and 20 ppm faster than that of the rank before.
other_clocks() {
	"$MPICC" -shared -fPIC -O2 -o skew.so "$SOURCE/test/mpi/clock/skew.c" || return 1
	LD_PRELOAD_BEFORE=${LD_PRELOAD:-}
	rm -rf trace
	timeout 300 "$MPIEXEC" -n 4 env LD_PRELOAD="$PWD/skew.so:$LD_PRELOAD_BEFORE" llamp-trace -o trace \
		"$programs/slow_rank" 3 10 50 >said 2>&1 || { cat said; return 1; }
	sound && python slow 3 500 path.json
}
# Clocks are compared by messages, which other work on the machine may delay at the begin and at the end: three attempts.
attempts() { "$@" || "$@" || "$@"; }
check "the path is the same with clocks that differ" attempts other_clocks
uncorrected() {
	rm trace/traces/*.def && exits 1 critpath path trace --format json -o path.json &&
		exits 1 critpath path trace --format csv -o path.csv && python path path.json path.csv &&
		python violated path.json
}
check "... and without their offsets, messages contradict the clocks" uncorrected

# Rank 1 has another clock by libfaketime, which also takes the time of day for CLOCK_MONOTONIC.
cat >faked.sh <<'EOF'
#!/bin/sh
rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
[ "$rank" = 1 ] && export LD_PRELOAD="$FAKER:$LD_PRELOAD" FAKETIME=-2.5s
exec "$@"
EOF
chmod +x faked.sh
faked_clock() {
	rm -rf trace
	timeout 300 "$MPIEXEC" -n 4 ./faked.sh llamp-trace -o trace "$programs/slow_rank" 3 10 50 >said 2>&1 || { cat said; return 1; }
	sound && python complete path.json && python slow 3 500 path.json
}
FAKER=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null)
export FAKER
if [ -n "$FAKER" ]; then
	check "the path is the same if libfaketime shifts the clock of a rank" attempts faked_clock
else
	skip "the path is the same if libfaketime shifts the clock of a rank" "libfaketime is missing"
fi

for how in abort crash _exit; do
	killed() {
		rm -rf trace
		timeout 300 "$MPIEXEC" -n 3 llamp-trace -o trace "$programs/trace_die" $how >said 2>&1
		recovers trace && sound
	}
	check "$how: the path covers the run as far as it is known" killed
	cut() {
		critpath path trace >out && grep -qx "ended early some ranks, before MPI_Finalize, or they were not traced" out &&
			complains 1 "the trace is not complete: some ranks ended before MPI_Finalize or were not traced" \
				critpath path trace --strict
	}
	check "... and the report says that it is not complete" cut
done
