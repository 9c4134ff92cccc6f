#!/bin/bash
# runs: every-mpi
# Test traces of two hosts.
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
