#!/bin/bash
# runs: every-mpi-long apart
# Test traces, reports and critpath-mpi on two hosts.
. "$SOURCE/test/mpi/hosts.sh"
unset LLAMP_TRACE_DIR LLAMP_TRACE_REPORT LLAMP_TRACE_ARCHIVE
# The machine of a test may be slow.
export LLAMP_TRACE_BUDGET=100s

python() { /usr/bin/python3 "$SOURCE/test/cli/critpath/check.py" "$@"; }
programs=$BUILD/test/mpi
if ! make_hosts; then
	skip "a run on two hosts leaves a trace" "$no_hosts"
	exit
fi

# Run the command in the argument; if it fails, show the output of the run.
holds() {
	eval "$1" && return 0
	echo "status $status"
	tail -n 30 out err
	return 1
}

# ----------------------------------------------------------------------- trace

# slow TRACE [COMMAND...]: trace a program in which rank 3 computes, the second one of host 2.
slow() {
	between_hosts 4 "${@:2}" llamp-trace -o "$1" "$programs/slow_rank" 3 10 50
	[ $status = 0 ] || { cat out err; return 1; }
}
# Check the path: it covers the run, all messages match, and it is the computation of rank 3.
sound() { # TRACE
	critpath path "$1" --format json -o path.json && critpath path "$1" --format csv -o path.csv &&
		python path path.json path.csv && python complete path.json && python slow 3 500 path.json
}
offsets() { # TRACE RANK: offset and deviation of both measurements
	otf2-print --show-clock-offsets "$1/traces.otf2" |
		sed -n "s/^CLOCK_OFFSET  *$2  *Time: [0-9]*, Offset: \([-+0-9]*\), StdDev: \(.*\)/\1 \2/p"
}
# The offset is within bounds, which are sqrt(3) deviations on both sides of their middle.
offset_is() { # TRACE RANK NS
	offsets "$1" "$2" | awk -v is="$3" '{ n++; away = $1 - is; print; if (away * away > 3 * $2 * $2 + 1) bad = 1 }
		END { exit n != 2 || bad }'
}
# No message arrives before it was sent by more than the clocks may be wrong.
in_order() { # TRACE
	"$SOURCE/test/mpi/clock/arrows.py" "$1/traces.otf2" >arrows && read -r backward messages shortest <arrows &&
		offsets "$1" 3 | awk -v shortest="$shortest" '{ if (shortest * shortest > 3 * $2 * $2 + 1 && shortest < 0) bad = 1 } END { exit bad }'
}

check "a run on two hosts leaves a trace" slow trace
check "... which is complete" eval "otf2-print trace/traces.otf2 >shown 2>said && ! test -s said && ! test -e trace/journal"
printf 'Rank %s\n' "0 node1" "1 node1" "2 node2" "3 node2" >hosts
check "... and knows the hosts" eval \
	'otf2-print -G trace/traces.otf2 | sed -n "s/^LOCATION_GROUP.*\(Rank [0-9]\).*::\(node[12]\)\".*/\1 \2/p" | diff hosts -'
check "its path is the computation of the slow rank" sound trace
sentence="the clocks of the hosts differ by as much as the trace says"
if [ -s clocks ]; then
	check "$sentence" eval 'offset_is trace 2 -4000000000000 && offset_is trace 3 -4000000000000'
	check "... and no message arrives before it was sent" in_order trace
else
	skip "$sentence" "no namespaces of time"
fi

# The ranks of host 2 have another clock by libfaketime, which also takes the time of day for CLOCK_MONOTONIC.
cat >faked.sh <<'END'
#!/bin/sh
[ "$(hostname)" = node2 ] && export LD_PRELOAD="$FAKER:$LD_PRELOAD" FAKETIME=-2.5s
exec "$@"
END
chmod +x faked.sh
FAKER=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null)
export FAKER
sentence="the path is the same if libfaketime shifts the clock of a host"
if [ -n "$FAKER" ]; then
	check "$sentence" eval 'slow faked ./faked.sh && sound faked'
	check "... and no message arrives before it was sent" in_order faked
else
	skip "$sentence" "libfaketime is missing"
fi
cp -r trace raw && rm raw/traces/*.def
contradicted() {
	exits 1 critpath path raw --format json -o path.json && exits 1 critpath path raw --format csv -o path.csv &&
		python path path.json path.csv && python violated path.json && complains 1 "messages that ended before" \
		critpath path raw --strict
}
sentence="without the offsets of the hosts, messages contradict the clocks"
[ -s clocks ] && check "$sentence" contradicted || skip "$sentence" "no namespaces of time"

# ---------------------------------------------------------------------- reports

# The report in err, without the line that says how long it took.
reported() { sed '/^llamp-trace: the report took/,$d' err | sed '$d'; }
took() { grep -q '^llamp-trace: the report took .* % of the run; the busiest rank worked .*s$' err; }
same_report() { # TRACE STATUS
	critpath path "$PWD/$1" >wanted && { echo && critpath waits "$PWD/$1" && echo &&
		critpath causes "$PWD/$1" && echo && critpath imbalance "$PWD/$1"; } >>wanted &&
		[ $status = $2 ] && took && reported | diff wanted -
}
between_hosts 4 ./faked.sh llamp-trace --report -o reported "$programs/slow_rank" 3 10 50
check "a report of two hosts is what critpath prints of the archive" holds "same_report reported 0"
# The clocks of a busy computer may be compared badly: critpath says so, and ends with status 1.
for attempt in 1 2 3 4 5; do
	rm -rf random
	between_hosts 4 llamp-trace --report --call-sites -o random "$programs/random_program" 3 100
	critpath path random >path 2>&1 && break
	grep -q "messages ended before they began" path || break
done
check "... of a random program with call sites, too" holds "same_report random 0"
# Rank 0 has not the memory for the calls of both.
between_hosts 2 bash -c 'ulimit -d 230000; exec "$@"' limited llamp-trace --report -o together "$programs/trace_behave" long 200000
check "... also if both hosts find it together" holds "same_report together 7"
mkdir none
between_hosts 4 sh -c "cd none && exec env TMPDIR=$PWD/none llamp-trace --report --no-archive $programs/slow_rank 3 10 50"
check "without an archive there is the report of the slow rank" holds \
	'[ $status = 0 ] && took && sed -n "/^ranks with most time/,/^\$/p" err | awk "NR == 3 {exit \$1 != 3}"'
check "... and no file" eval '! find none -type f -not -path "*/ompi.*" | grep .'

# ----------------------------------------- a folder that the hosts do not share

mkdir apart
on_host 2 "mount -t tmpfs none $PWD/apart"
everywhere() { on_host 1 "$1" && on_host 2 "$1"; } # COMMAND-LINE
between_hosts 4 sh -c "cd apart && exec llamp-trace --report $programs/slow_rank 3 2 5"
check "without -o, a folder that the hosts do not share is named, once" holds \
	'[ $status = 0 ] && [ "$(grep -c "^llamp-trace: " err)" = 1 ] &&
		grep -q "^llamp-trace: rank 2: $PWD/apart/llamp-trace-.* on node2 is not the directory of rank 0:.*; this run leaves no trace$" err'
check "... and nothing is left in it" everywhere '! find apart -type f | grep .'
between_hosts 4 llamp-trace --report -o apart/trace "$programs/slow_rank" 3 2 5
said_by() { # HOST
	grep -q "^llamp-trace: 2 of 4 ranks run without the tracer, .* or on hosts that do not share $PWD/apart/trace with $1;" err
}
check "with -o, each host says which ranks it does not see, and that there is no report" holds \
	'[ $status = 0 ] && said_by node1 && said_by node2 && ! took && [ "$(grep -c "^llamp-trace: no report: not all ranks meet" err)" = 2 ]'
check "... and each has a trace of its ranks, which says that it is not complete" eval \
	"everywhere 'critpath path apart/trace | grep \"^ended early\" && ! critpath path apart/trace --strict 2>/dev/null'"

# ----------------------------------------------------------------- critpath-mpi

same() { # COMMAND ARCHIVE WORD...
	critpath "$@" >wanted 2>/dev/null && between_hosts 4 critpath-mpi "$@" && [ $status = 0 ] && diff wanted out && return
	echo "$*: status $status"
	cat err
	return 1
}
all_same() { # ARCHIVE, lines "COMMAND WORD..." from stdin
	while read -r command words; do
		same "$command" "$1" $words </dev/null || return 1
	done
}
walks() {
	all_same random <<-END
		path
		waits --format json
		profile --format json
	END
}
searches() {
	all_same random <<-END
		path --method dijkstra --format csv
		path --method delta --delta 5us --splits on --format csv
		path --collectives observed
	END
}
check "critpath-mpi on two hosts writes the bytes of critpath" walks
check "... also if it searches the graph" searches
groups() { # METHOD
	critpath path random --method groups --format csv >wanted && between_hosts 4 critpath-mpi path random --method $1 --format csv &&
		diff wanted out
}
check "... or groups" groups groups
check "... by a shuffle, too" groups shuffle

mkdir hidden
cp -r random/* hidden
fails_on() { # HOST STATUS TEXT
	between_hosts 4 critpath-mpi path hidden
	holds "[ \$status = $2 ] && [ ! -s out ] && [ \"\$(grep -c '^critpath-mpi: ' err)\" = 1 ] && grep -q '^critpath-mpi: node$1: hidden.*$3' err"
}
on_host 2 "mount -t tmpfs none $PWD/hidden"
check "an archive that one host does not see is an error, with the name of the host" fails_on 2 1 "No such file"
on_host 2 "cp random/traces.* hidden"
check "... or of which it lacks the events" fails_on 2 1 "rank 2: .*"
on_host 2 "umount $PWD/hidden" && on_host 1 "mount -t tmpfs none $PWD/hidden"
check "... also if it is the first host" fails_on 1 1 "No such file"

# ------------------------------------------------------------ a host that dies

kill_ranks() { # HOST PROGRAM
	for process in $(processes_of $1); do
		[ "$(cat /proc/$process/comm)" = "$2" ] && kill -9 $process
	done 2>/dev/null
}
dies() {
	{ between_hosts 4 llamp-trace --report -o dead "$programs/slow_rank" 3 2000 50; echo $status >ended; } &
	for _ in {1..300}; do
		[ -e dead/journal/3 ] && [ ! -e dead/ranks ] && break
		sleep 0.1
	done
	sleep 1
	kill_ranks 2 slow_rank
	wait
	[ "$(cat ended)" != 0 ] && [ "$(cat ended)" != 124 ] && [ -d dead/journal ] && ! grep "^llamp-trace: the report took" err && ! grep "^path  " err
}
check "if the ranks of one host are killed, there is no report, and the journals stay" dies
recovered() {
	recovers dead && critpath path dead --format json -o path.json && critpath path dead --format csv -o path.csv &&
		python path path.json path.csv && critpath path dead >out && grep "^ended early" out &&
		! grep "^unmatched\|^incomplete\|^clocks" out
}
check "... from which a trace of both hosts is recovered" recovered
