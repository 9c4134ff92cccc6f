#!/bin/bash
# runs: every-mpi-long
# Test that a whole run comes back from N recorded iterations and the flow graph beside them.
set -u
. "$SOURCE/test/mpi/traced.sh"

iterate=$BUILD/test/mpi/iterate

# repeats KIND COUNT [OPTION...]: the graph has the messages of all calls, and the summary tells how many iterations there are
repeats() {
	local kind=$1 count=$2
	shift 2
	rm -rf trace
	run --iterations 10 -o trace "$@" "$iterate" "$kind" "$count"
	schedgen trace/flow.efg -o all.goal 2>all.summary && schedgen trace --repeat -o whole.goal 2>summary &&
		goal check whole.goal >said && messages all.summary >a && messages summary >b && [ -s a ] && cmp a b &&
		grep -q "^schedgen: repeated: [123]0 of " summary && ! grep -q "lacks the times" summary && return 0
	show err all.summary summary
	return 1
}
messages() { sed -n 's/.* operations, \(.* messages, .* bytes\).*/\1/p' "$1"; }

computation() { awk '/^rank/ { rank = $2 } / calc / { sum[rank] += $3 } END { for (rank in sum) print rank, sum[rank] }' "$1" | sort; }
as_long() { # means are rounded: 1 ns a call
	computation all.goal >a && computation whole.goal >b && [ -s a ] && paste -d " " a b | awk '$1 != $3 || ($2 - $4) ^ 2 > 1e10 { exit 1 }'
}

check "iterations with a global sum" repeats sum 600
check "... a rank computes as long as in all calls" holds as_long
check "a ring without collectives" repeats ring 600
check "requests that go on in the next iteration" repeats overlap 600
check "ranks that are five iterations apart, with the iteration as tag" repeats chain 600 --fold tag
check "two loops" repeats phases 400
check "... of which all iterations are repeated" holds 'grep -q "repeated: 20 of 800 iterations" summary'
check "three loops, the first one twice" repeats again 300

# The same run is recorded in full, and cut: nothing differs but the iterations.  Times are those of a busy machine, and not compared.
shares() { # PROGRAM ARGUMENT...
	rm -rf whole cut
	run -o whole "$BUILD/examples/$@" && [ "$status" = 0 ] && eventflow build whole -o whole.efg && eventflow trace whole.efg -o cut --iterations 10 &&
		"$SOURCE/test/mpi/iterations/shares.py" whole cut calls bytes
}
ranks=4
for program in "hydro3d --size 4 --iterations 60" "cg --size 32" fem3d multigrid; do
	# shellcheck disable=SC2086
	check "${program%% *}: ten iterations have the shares of the functions in calls and bytes" shares $program
done
