#!/bin/bash
# runs: every-mpi-long long
# Test that recorded calls become a trace, however the program ends.
set -u
. "$SOURCE/test/mpi/traced.sh"

die=$BUILD/test/mpi/trace_die

rounds_are_there() { # check for this many calls of MPI_Waitall or more
	test "$(grep -c '^RMA_PUT ' shown)" -ge "$(($1 / 5))" &&
		test "$(grep -c '^RMA_WIN_CREATE ' shown)" -ge 2 &&
		test "$(grep -c '^RMA_OP_COMPLETE_REMOTE ' shown)" -ge "$(($1 / 10))" || return 1
	test "$(grep -c '^ENTER .*MPI_Waitall' shown)" -ge "$1" &&
		test "$(grep -c '^MPI_IRECV ' shown)" -ge "$1"
}

# A long run tries all with every MPI.
deaths="crash one" times=1 disks=full inode_counts=6 file_counts="3 8"
[ "${LENGTH:-}" != long ] || deaths="abort crash exit _exit one all" times=5 disks="full narrow" inode_counts="6 7 8 9 10" file_counts="3 4 5 6 7 8"
for how in $deaths; do
	run -o $how "$die" $how
	check "$how: the program ends as without the tracer" holds 'test $status != 0 && test $status != 124'
	check "$how: it leaves no anchor file" test ! -e $how/traces.otf2
	run -o $how "$die"
	check "$how: the next run does not overwrite its journals" \
		holds 'test $status = 1 && grep -q "unfinished trace (another run may be writing it).*--recover once" err'
	check "$how: the recorded calls are recovered" recovers $how
	check "$how: the end of each rank is reported" \
		test "$(grep -c '^rank [0-2]: [0-9]* calls\?, [0-9.]* s$' out)" = $ranks
	check "$how: the trace is readable, and so is its graph" holds "whole $how"
	check "$how: the trace has all calls that have returned" holds "rounds_are_there $((50 * ranks))"
	check "$how: communicators have their names" \
		holds 'otf2-print -G $how/traces.otf2 | grep -q "^COMM .*\"copy\""'
	check "$how: the journals are gone" test ! -e $how/journal
	check "$how: the archive is marked as incomplete" \
		holds "otf2-print -A $how/traces.otf2 >shown; grep -q 'LLAMP::INCOMPLETE' $how/traces.otf2"
done

run -o status "$die" abort
check "MPI_Abort keeps its status" holds 'test $status = 5'
for how in leave vanish; do
	run_alone -o status-$how "$BUILD/test/mpi/trace_behave" $how
	check "$how keeps its status" holds 'test $status = 6'
	check "$how: the recorded calls are recovered" \
		recovers status-$how
	check "$how: the trace is readable" holds "whole status-$how"
done

run -o split "$die" split
check "a communicator whose first rank has died ends the trace of its other ranks" \
	recovers split
check "... which is readable up to there" holds "whole split && rounds_are_there $((50 * ranks))"

run -o lost "$die" _exit
rm lost/journal/0
check "a rank without a journal does not stop recovery" \
	recovers lost
check "... and is named" holds 'grep -qx "rank 0: nothing was recorded" out'
check "... and the trace is readable" holds "whole lost"

run -o hurt "$die" _exit
python3 - hurt/journal/1 <<'END'
import sys
with open(sys.argv[1], "r+b") as journal:
    journal.seek(3000)
    journal.write(b"\xff" * 100)
END
check "a damaged journal is used up to the damage" recovers hurt
check "... which is reported" holds 'grep -q "^rank 1: .*damaged" out'
check "... and the trace is readable" holds "whole hurt"

check "recovery without journals fails" \
	complains 1 "no unfinished trace" llamp-trace --recover .
run -o good "$die"
check "a run that ends well leaves no journal" \
	holds 'test $status = 0 && whole good && test ! -e good/journal'
check "... and its recovery is refused" complains 1 "there is a trace already" \
	llamp-trace --recover good

# Several recoveries of one run at a time.
run -o several "$die" _exit
cp -r several locked
cp -r several stale
# Like a launcher that was given the command by mistake.  Open MPI's ends the job when a process fails, and may lose
# what the process said before.
at_once() {
	local try
	for try in $(seq $times); do
		rm -rf again && cp -r several again
		timeout 300 "$MPIEXEC" -n 4 llamp-trace --recover again >out 2>err
		status=$?
		[ $status != 0 ] && whole again && [ ! -e again/journal ] &&
			[ "$(grep -c '^rank 0: [0-9]* calls' out)" = 1 ] &&
			{ grep -Eq "^llamp-trace: again: (another process has made its trace|there is a trace already)" err ||
				{ [ "$MPI" = openmpi ] && ! grep -q "^llamp-trace:" err; }; } || return 1
	done
}
check "of several recoveries that a launcher starts one makes the trace, and others say so" holds at_once
at_the_same_time() {
	local number pids=() made=0 refused=0
	rm -rf again && cp -r several again
	for number in 1 2 3 4 5 6; do
		llamp-trace --recover again >out.$number 2>err.$number &
		pids+=($!)
	done
	for number in 1 2 3 4 5 6; do
		status=0
		wait "${pids[number - 1]}" || status=$?
		case $status in
		0) made=$((made + 1)) ;;
		1) grep -Eq 'another process makes its trace|there is a trace already' err.$number &&
			refused=$((refused + 1)) ;;
		esac
	done
	whole again && [ $made,$refused = 1,5 ]
}
check "of several recoveries at the same time one makes the trace, and others end with status 1" \
	holds at_the_same_time
: >locked/journal/recovering
exec 9<>locked/journal/recovering
flock 9
check "a recovery that is at work keeps another one off" \
	complains 1 "another process makes its trace" llamp-trace --recover locked
check "... which leaves the journals" test "$(ls locked/journal | wc -l)" = $((ranks + 1))
exec 9>&-
cat >no_locks.c <<'END'
#include <errno.h>
int flock(int file, int operation)
{
	(void)file, (void)operation;
	errno = ENOLCK;
	return -1;
}
END
"${CC:-cc}" -shared -fPIC -o no_locks.so no_locks.c
check "... also where files cannot be locked" complains 1 "if none does, remove locked/journal/recovering" \
	env LD_PRELOAD="$PWD/no_locks.so" llamp-trace --recover locked
rm locked/journal/recovering
check "... once its mark is gone, there is a trace" exits 0 \
	env LD_PRELOAD="$PWD/no_locks.so" llamp-trace --recover locked
echo "process 1 on elsewhere" >stale/journal/recovering
check "a recovery that was killed keeps no other one off" recovers stale
check "... and its mark is gone" holds 'whole stale && test ! -e stale/journal'

# Start a run that waits for a file before it ends.
start_waiting() { # directory
	rm -f go ready
	timeout 300 "$MPIEXEC" -n $ranks llamp-trace -o "$1" "$die" wait >"$1.out" 2>"$1.err" &
	for _ in $(seq 600); do
		test -e ready && return
		sleep 0.1
	done
}
start_waiting live
ls live/journal >journals
check "a running program's trace is not recovered" \
	complains 1 "the run has not ended" llamp-trace --recover live
check "... and its journals are kept" eval 'ls live/journal | cmp - journals && test ! -e live/traces.otf2'
touch go
wait
check "... which makes its trace at its end" eval 'whole live && test ! -e live/journal && test ! -s live.err'

start_waiting foreign
cp -r good/traces* foreign
touch go
wait
check "a run does not remove the archive of another run" cmp good/traces.otf2 foreign/traces.otf2
check "... nor the events of it" diff -r good/traces foreign/traces
check "... and keeps its own journals" test "$(ls foreign/journal | wc -l)" = $ranks
check "... and reports it" holds 'cp foreign.err err && one_message "there is a trace already"'

check "--recover takes no program" complains 2 "--recover takes no program" \
	llamp-trace --recover good true

# Simulate a full disk by a limit of file sizes, beyond which writing raises a signal.  The journal
# grows in several steps.
ranks=1
calls=100000
export LLAMP_TRACE_BUFFER=512KiB
for how in $disks; do
	run -o $how "$BUILD/test/mpi/trace_behave" $how $calls
	check "$how: a full disk does not change the run" \
		holds 'test $status = 7 && grep -qx "mean 99" out'
	check "$how: it is reported once" \
		holds 'test "$(grep -c "^llamp-trace: rank 0: .*--recover" err)" = 1 && test "$(grep -c llamp-trace: err)" = 1'
	check "$how: the calls recorded before are recovered" recovers $how
	check "$how: ... as a readable trace" \
		holds 'whole $how && test "$(grep -c "^MPI_SEND " shown)" -gt $((calls / 5))'
done

# Limit files to the size of the journal, which is too small for the archive.
run -o large "$BUILD/test/mpi/trace_behave" large $calls
check "an archive that cannot be written does not change the run" \
	holds 'test $status = 7 && grep -qx "mean 99" out && test ! -e large/traces.otf2'
check "... which is reported once" \
	holds 'test "$(grep -c llamp-trace: err)" = 1 && grep -q "large: File is too large; llamp-trace --recover" err'
check "... and is made where there is room" recovers large
check "... with all calls, and not marked as incomplete, because the run has ended" \
	holds 'whole large && test "$(grep -c "^LEAVE " shown)" = $((calls + 105)) &&
		! grep -q LLAMP::INCOMPLETE large/traces.otf2'

# Test a full disk and a read-only one: small file systems that only this command sees.
own_view=-m # root may mount; other users become root in their own user namespace
unshare -m true 2>/dev/null || own_view=-rm
on_disk() { # MOUNT-OPTIONS COMMAND...: with the file system in ./disk
	mkdir -p disk
	unshare $own_view "$BASH" -c 'mount -t tmpfs -o "$1" none disk && shift && "$@"' sh "$@"
}
if on_disk size=1m true 2>/dev/null; then
	long_run() { # DIRECTORY
		timeout 300 "$MPIEXEC" -n 1 llamp-trace -o "$1" "$BUILD/test/mpi/trace_behave" long $calls
	}
	fills_disk() {
		long_run disk/run >out 2>err
		echo $? >ended
		llamp-trace --recover disk/run >recovery 2>&1 && return 1
		cp -r disk/run kept
	}
	export -f long_run fills_disk
	export calls
	check "disk: a full disk does not change the run" \
		eval 'on_disk size=1500k "$BASH" -c fills_disk && [ "$(cat ended)" = 7 ] && grep -qx "mean 99" out'
	check "disk: it is reported once" \
		holds 'test "$(grep -c llamp-trace: err)" = 1 && grep -q "^llamp-trace: rank 0: .*No space left" err'
	check "disk: recovery reports that no space is left" grep -q 'No space left' recovery
	check "disk: elsewhere the recorded calls are recovered" recovers kept
	check "disk: ... as a readable trace" \
		holds 'whole kept && test "$(grep -c "^MPI_SEND " shown)" -gt $((calls / 5))'
	runs_out() { # INODES
		timeout 300 "$MPIEXEC" -n 2 llamp-trace -o disk/run "$BUILD/test/mpi/trace_behave" status >out 2>err
		[ $? = 7 ] && grep -q "^llamp-trace: rank [01]: .*No space left on device; " err &&
			[ "$(grep -c "^llamp-trace" err)" = 1 ] && return 0
		cat err
		return 1
	}
	export -f runs_out
	for inodes in $inode_counts; do
		check "a message says that a disk with $inodes inodes has no space" \
			on_disk "size=64m,nr_inodes=$inodes" "$BASH" -c runs_out
	done
	status=0
	on_disk ro "$BASH" -c "long_run disk/run" >out 2>err || status=$?
	check "a read-only disk is refused before the program starts" \
		holds 'test $status != 0 && ! grep -qx "mean 99" out'
	check "... and is named once" \
		holds 'test "$(grep -c llamp-trace: err)" = 1 && grep -q "disk: Read-only file system" err'
	status=0
	on_disk size=256k "$BASH" -c "long_run disk/run" >out 2>err || status=$?
	check "a full disk does not stop the program, which runs without a trace" \
		holds 'test $status = 7 && grep -qx "mean 99" out &&
			one_message "disk: No space left on device; the program runs without a trace"'
	status=0
	LLAMP_TRACE_REQUIRED=1 on_disk size=256k "$BASH" -c "long_run disk/run" >out 2>err || status=$?
	check "... but does if a trace is required" \
		holds 'test $status != 0 && ! grep -qx "mean 99" out && one_message "disk: No space left on device"'
	without_files() { # FILE...: names of the files that the disk has, too few
		on_disk "nr_inodes=$1" "$BASH" -c "long_run disk/run" >out 2>err
		one_message 'No space left on device'
	}
	for files in $file_counts; do
		check "a disk with room for only $files is reported" without_files $files
	done
else
	skip "a full disk does not change the run" "file systems cannot be mounted here"
fi

for setting in BUFFER=1KiB BUFFER=2GiB BUFFER=much RECORD=maybe; do
	check "LLAMP_TRACE_$setting is an error before the program starts" \
		complains 2 "LLAMP_TRACE_${setting%=*}" env "LLAMP_TRACE_$setting" llamp-trace true
done
export LLAMP_TRACE_RECORD=off LLAMP_TRACE_BUFFER=64KiB
run -o off "$BUILD/test/mpi/trace_behave" status
check "nothing is recorded while LLAMP_TRACE_RECORD is off" \
	holds 'test $status = 7 && whole off && ! grep -q "^ENTER" shown'
unset LLAMP_TRACE_RECORD
run -o small "$BUILD/test/mpi/trace_behave" long $calls
check "a long trace needs only a small buffer" \
	holds 'test $status = 7 && whole small && test "$(grep -c "^LEAVE " shown)" = $((calls + 105))'
settings=$(sed -n 's/^\tSETTING(\([A-Z]*\),.*/\1/p' "$SOURCE/trace/journal/settings.h")
every_setting_is_a_property() {
	[ "$(echo "$settings" | wc -l)" -ge 4 ] || return 1
	for name in $settings; do
		# An archive of all calls has no graphs.
		case $name in FLOW | MEMORY | FOLD | ITERATIONS | PHASES | RING) continue ;; esac
		grep -aq "LLAMP::TRACE_$name" small/traces.otf2 || { echo "$name is not"; return 1; }
	done
	grep -aq 64KiB small/traces.otf2
}
check "every setting is a property of the archive" every_setting_is_a_property
every_setting_has_help() {
	for name in $settings; do
		llamp-trace --help | grep -A1 "LLAMP_TRACE_$name" | grep -q '[a-z]' || return 1
	done
}
check "every setting is in the help" every_setting_has_help
