#!/bin/bash
# runs: every-mpi-long apart
# Test eventflow-mpi: any number of processes writes the bytes that eventflow build writes.
. "$SOURCE/test/cli/tap.sh"
programs=$BUILD/test/mpi

trace() { # NAME RANKS PROGRAM ARGUMENT...
	name=$1 ranks=$2
	shift 2
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace $options -o "$name" "$@" >said 2>&1 || { cat said; return 1; }
}
together() { # PROCESSES WORD...
	processes=$1
	shift
	timeout 300 "$MPIEXEC" -n "$processes" eventflow-mpi build "$@"
}
same() { # "PROCESSES..." TRACE OPTION...
	counts=$1
	shift
	rm -f wanted.efg
	eventflow build "$@" -o wanted.efg || return 1
	for count in $counts; do
		rm -f written.efg
		together "$count" "$@" -o written.efg && cmp wanted.efg written.efg || { echo "$count processes: $*"; return 1; }
	done
}
options=--call-sites
trace random 7 "$programs/random_program" 11 120 || exit 1
options=
check "a random program: 1 to 8 processes write the bytes of one" same "1 2 3 4 5 6 7 8" random
check "... with statistics of times" same "3 8" random --times stats
check "... without times" same "2 5" random --times none
check "... with folded fields" same "4" random --fold tag,bytes --signature call
check "... from an event flow file" eval 'eventflow build random -o random.efg && same "3 5" random.efg --times stats'

trace threads 3 "$programs/random_threads" 5 40 3 || exit 1
check "threads: any number of processes writes the same bytes" same "2 3 5" threads
for pattern in polling windows communicators; do
	trace $pattern 3 "$programs/patterns" $pattern || exit 1
	check "$pattern: any number of processes writes the same bytes" same "2 4" $pattern
done
trace ring 6 "$BUILD/examples/ring" || exit 1
check "an example: any number of processes writes the same bytes" same "2 4 6" ring
check "... of which all calls come back" eval 'eventflow trace written.efg --print >a.calls && eventflow build ring -o b.efg &&
	eventflow trace b.efg --print >b.calls && [ -s a.calls ] && cmp a.calls b.calls'

one_process_says() { # STATUS MESSAGE PROCESSES WORD...
	status=$1 message=$2
	shift 2
	rm -f none.efg
	exits "$status" together "$@" && [ "$(grep -c "^eventflow-mpi: " err)" = 1 ] && grep -q "$message" err && [ ! -e none.efg ]
}
check "a trace that is missing is reported once" one_process_says 1 "nowhere: No such file or directory" 3 nowhere -o none.efg
check "an output that cannot be opened ends all processes" one_process_says 4 "/nowhere" 3 random -o /nowhere/none.efg
check "a file without times of calls needs --times none" eval 'eventflow build ring -o stats.efg --times stats &&
	one_process_says 1 "lacks the times of calls" 3 stats.efg -o none.efg'
damage() { for file in random/traces/6.evt; do truncate -s -40 $file; done; }
damage
check "damage that one process alone sees is reported once, by all" one_process_says 1 "rank 6: damaged" 3 random -o none.efg
check "... whichever process it is" one_process_says 1 "rank 6: damaged" 8 random -o none.efg
