#!/bin/bash
# runs: every-mpi-long long
# Test that graphs which are made while the program runs survive it, however it ends, and never harm it.
set -u
. "$SOURCE/test/mpi/traced.sh"

die=$BUILD/test/mpi/trace_die
behave=$BUILD/test/mpi/trace_behave

flow() { # DIRECTORY ARGUMENT...: only graphs
	local directory=$1
	shift
	run --flow -o "$directory" "$@"
}
# The graphs are whole: all calls come back, as many as the recovery has said.
comes_back() { # DIRECTORY
	local rank said
	[ "$(ls "$1")" = flow.efg ] || { ls "$1"; return 1; }
	for ((rank = 0; rank < ranks; rank++)); do
		eventflow trace "$1" --print --rank $rank >calls || return 1
		said=$(sed -n "s/^rank $rank: \([0-9]*\) calls\?.*/\1/p" out.recovered)
		[ "$(wc -l <calls)" -gt 0 ] && [ "${said:-0}" -ge "$(wc -l <calls)" ] || { cat out.recovered; return 1; }
	done
}
revives() { # DIRECTORY
	recovers "$1" || return 1
	cp out out.recovered
	comes_back "$1"
}

deaths="abort crash exit one"
[ "${LENGTH:-}" != long ] || deaths="abort crash exit _exit one all split leave"
for how in $deaths; do
	flow $how "$die" $how
	check "$how: the program ends as without the tracer" holds 'test $status != 0 && test $status != 124'
	check "$how: it leaves no file" test ! -e $how/flow.efg
	check "$how: the graphs are recovered" revives $how
done
run -o status --flow "$die" abort
check "MPI_Abort keeps its status" holds 'test $status = 5'

# exit leaves all calls, those of the journals.
LLAMP_TRACED_BOTH=1 flow both "$die" exit
check "a run that also has journals leaves both" eval 'recovers both && [ -e both/traces.otf2 ] && [ -e both/flow.efg ]'
counts() { eventflow profile "$1" --format csv | cut -d , -f 2,5 | sort; }
both_agree() { counts both/traces.otf2 >a && counts both/flow.efg >b && [ "$(wc -l <a)" -gt 10 ] && diff a b; }
# The launcher may kill the other ranks before they have ended by themselves: then try again.
for try in 1 2 3 4; do
	! both_agree >said || break
	rm -rf both
	LLAMP_TRACED_BOTH=1 flow both "$die" exit
	recovers both >said
done
check "exit loses no call" both_agree

# Most calls of a long run survive.
killed_late() {
	rm -rf long
	llamp-trace --flow -o long "$behave" long 2000000000 >long.out 2>&1 &
	for _ in $(seq 600); do
		[ ! -s long/journal/0-0.efg ] || [ ! -s long/journal/0-1.efg ] || break
		sleep 0.1
	done
	sleep 1
	kill -KILL $!
	wait $! 2>said
	ranks=1 revives long && [ "$(sed -n "s/^rank 0: \([0-9]*\) calls.*/\1/p" out.recovered)" -gt 10000 ]
}
check "the calls of a run that is killed survive but for the last moments" killed_late

flow lost "$die" exit
rm lost/journal/0
check "a rank without a journal does not stop recovery" recovers lost
check "... and is named" holds 'grep -qx "rank 0: nothing was recorded" out'
check "... as are ranks with a communicator that it alone has described" \
	holds 'test "$(grep -c "^rank [12]: .*lost communicator and are left out" out)" -ge 1 && eventflow info lost | grep -q "^calls "'

flow hurt "$die" exit
newest=$(ls -t hurt/journal/1-*.efg | head -n 1)
[ "$(ls hurt/journal/1-*.efg | wc -l)" = 2 ] || cp "$newest" hurt/journal/1-1.efg
echo damaged >>"$newest"
check "if the newest graphs are damaged, those before them are taken" revives hurt

flow several "$die" exit
check "a running recovery keeps another one off" eval ': >several/journal/recovering && exec 9<>several/journal/recovering &&
	flock 9 && complains 1 "another process makes its trace" llamp-trace --recover several; exec 9>&-'
check "recovery takes no --flow" complains 2 "as they were recorded" llamp-trace --recover several --flow

# Sessions.
sessions=$BUILD/test/mpi/trace_sessions
timeout 300 "$MPIEXEC" -n $ranks "$sessions" status >out 2>err
if grep -qx 'sum 3' out; then
	flow session "$sessions" status
	check "a program with sessions leaves graphs at its end" \
		eval '[ $status = 7 ] && [ ! -s err ] && [ "$(ls session)" = flow.efg ] && eventflow info session | grep -q "^ranks  *3"'
	LLAMP_TRACED_BOTH=1 flow session2 "$sessions" status
	check "... those of its archive" eval 'counts session2/traces.otf2 >a && counts session2/flow.efg >b && diff a b &&
		eventflow build session2/traces.otf2 --times none -o a.efg && eventflow build session2/flow.efg --times none -o b.efg && cmp a.efg b.efg'
	flow killed "$sessions" kill
	check "... also if a rank is killed" revives killed
else
	skip "a program with sessions leaves graphs" "this MPI has none"
fi

# Threads that come and go, and one that is killed.
hop=$BUILD/test/mpi/trace_threads_hop
flow threads "$hop" 60 3
if [ $status = 77 ]; then
	skip "threads" "the MPI library has no MPI_THREAD_MULTIPLE"
else
	check "threads that come and go leave graphs" eval '[ $status = 0 ] && [ "$(ls threads)" = flow.efg ] &&
		eventflow trace threads --print | grep -q MPI_Waitall'
	flow dead "$hop" 60 3 kill
	check "... also if a rank is killed" recovers dead
fi

# No room.
ranks=1
calls=100000
flow full "$behave" full $calls
check "a limit of file sizes does not change the run" holds 'test $status = 7 && grep -qx "mean 99" out'
own_view=-m
unshare -m true 2>/dev/null || own_view=-rm
on_disk() { # MOUNT-OPTIONS COMMAND...: with the file system in ./disk
	mkdir -p disk
	unshare $own_view "$BASH" -c 'mount -t tmpfs -o "$1" none disk && shift && "$@"' sh "$@"
}
if on_disk size=1m true 2>/dev/null; then
	long_run() { # DIRECTORY
		timeout 300 "$MPIEXEC" -n 1 llamp-trace --flow -o "$1" "$BUILD/test/mpi/trace_behave" long $calls
	}
	export -f long_run
	export calls
	fills() {
		long_run disk/run >out 2>err
		echo $? >ended
	}
	export -f fills
	check "a full disk does not change the run" eval 'on_disk size=72k "$BASH" -c fills && [ "$(cat ended)" = 7 ] && grep -qx "mean 99" out'
	check "... and is reported once" holds 'test "$(grep -c llamp-trace: err)" = 1 && grep -q "^llamp-trace: .*No space left" err'
	status=0
	on_disk ro "$BASH" -c "long_run disk/run" >out 2>err || status=$?
	check "a read-only disk is refused before the program starts" \
		holds 'test $status != 0 && ! grep -qx "mean 99" out && one_message "disk: Read-only file system"'
else
	skip "a full disk does not change the run" "file systems cannot be mounted here"
fi
