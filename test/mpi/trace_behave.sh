#!/bin/sh
# runs: every-mpi-long
# Test that the tracer never harms the program: its output and status stay the same.
set -u
. "$SOURCE/test/mpi/traced.sh"

behave=$BUILD/test/mpi/trace_behave

run() { # ranks, arguments of llamp-trace
	ranks=$1; shift
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace "$@" >out 2>err
	status=$?
}
printed() { grep -qx 'mean 99' out; }

run 3 -o good "$behave" status
check "the program's output and exit status are kept" holds 'printed && test $status = 7'
check "nothing is printed on stderr" holds '! grep -q llamp-trace err'
check "the trace is readable" holds 'otf2-print good/traces.otf2 >shown 2>err && test ! -s err'

run 3 -o good "$behave" status
check "an existing trace is not overwritten, and the program not started" \
	holds 'test $status = 1 && ! printed && one_message "there is a trace already"'
timeout 300 "$MPIEXEC" -n 3 sh -c '[ "${PMI_RANK-$OMPI_COMM_WORLD_RANK}" != 0 ] || sleep 2; exec "$@"' \
	late llamp-trace -o good "$behave" status >out 2>err
check "... with a message, even if the first rank is late" one_message "there is a trace already"
LLAMP_TRACE_DIR=$PWD/good run 3 "$behave" status
check "... nor is one that the environment names, but the program runs" \
	holds 'test $status = 7 && printed && one_message "there is a trace already"'
check "that trace is still readable" holds 'otf2-print good/traces.otf2 >shown 2>err && test ! -s err'

: >file
run 3 -o file/trace "$behave" status
check "an impossible directory is refused, and the program not started" \
	holds 'test $status != 0 && ! printed && one_message "file: Not a directory"'
LLAMP_TRACE_DIR=$PWD/file/trace run 3 "$behave" status
check "... also from the environment" \
	holds 'test $status != 0 && ! printed && one_message "file: Not a directory"'
run 3 sh -c 'LLAMP_TRACE_DIR=$1 exec "$2" status' sh "$PWD/file/trace" "$behave"
check "... and, if it is set after the start, the run goes on without a trace" \
	holds 'test $status = 7 && printed && one_message "file"'

run 3 "$behave" status
check "without -o the directory has the name of the program" \
	holds 'test $status = 7 && ls -d llamp-trace-trace_behave-*/traces.otf2 >/dev/null'

mkdir deep
run 3 -o deep/er/still "$behave" status
check "parents of the directory are made" test -f deep/er/still/traces.otf2

run 1 -o jumped "$behave" jump
check "a longjmp out of a call is reported, as nothing is recorded after it" \
	holds 'test $status = 7 && printed && one_message "longjmp" && whole jumped'
# MPICH's mpiexec may lose output of a run that aborts.
run 3 -o aborted sh -c 'exec "$0" abort >>printed' "$behave"
check "MPI_Abort ends the run with its status" \
	holds 'test $status = 5 && test "$(cat printed)" = "mean 99"'
run_alone -o left "$behave" leave
check "a program that ends without MPI_Finalize does not hang, and is named" \
	holds 'test $status = 6 && printed && one_message "MPI_Finalize was not called"'
check "... and leaves no archive that looks whole" test ! -e left/traces.otf2

run 1 -o none ./no-such-program
check "a program that does not exist is an error" \
	holds 'test $status = 1 && one_message "no-such-program: No such file"'
LLAMP_TRACE_LIBRARY=/no/such/library.so run 1 true
check "a missing tracer library is an error" \
	holds 'test $status = 4 && one_message "/no/such/library.so"'
run 2 -o other sh -c 'echo "$1 -o $2"' x 'a  b' c
check "options after the program go to the program" grep -qx 'a  b -o c' out
check "a program without MPI leaves no trace" test ! -e other

run 2 -o threads "$BUILD/test/mpi/trace_threads" 500
check "threads may call MPI at the same time" \
	holds 'test $status = 0 && otf2-print threads/traces.otf2 >shown 2>err && test ! -s err'
check "... and none of their messages is lost" \
	holds 'test "$(grep -c "^MPI_ISEND " shown)" = 8000 && test "$(grep -c "^MPI_ISEND_COMPLETE" shown)" = 8000 &&
		test "$(grep -c "^MPI_IRECV " shown)" = 4000 && test "$(grep -c "^MPI_RECV " shown)" = 4000'

run 1 -o long "$behave" long
check "a trace longer than the buffer has all calls" \
	holds 'test $status = 7 && otf2-print long/traces.otf2 >shown 2>err && test ! -s err &&
		grep -q "^BUFFER_FLUSH" shown && test "$(grep -c "^MPI_SEND " shown)" = 500000 &&
		test "$(grep -c "^LEAVE " shown)" = 500105'

run 4 -o late "$BUILD/test/mpi/trace_late"
check "a program with a hidden MPI_Init is traced from its first calls" \
	holds 'test $status = 0 && test "$(grep -o fine out | wc -l)" = 4 &&
		otf2-print late/traces.otf2 >shown 2>err && test ! -s err &&
		test "$(grep -c "^MPI_SEND .*\"hidden\"" shown)" = 2 &&
		test "$(grep -c "^COMM_CREATE" shown)" = 2 && test "$(grep -c "^LEAVE" shown)" = 12'

# Test spawned processes, which MPICH 4.0 of Debian 12 does not support.
spawn=$BUILD/test/mpi/trace_spawn
spawns() { status=0; "$@" >out 2>err || status=$?; test $status = 0 && grep -qx '2 and 2' out; }
if spawns timeout 300 "$MPIEXEC" -n 2 "$spawn"; then
	check "spawned processes run as without the tracer" \
		holds 'spawns timeout 300 "$MPIEXEC" -n 2 llamp-trace -o spawner "$spawn"'
	check "messages to them are not in the trace" \
		holds 'otf2-print spawner/traces.otf2 >shown 2>err && test ! -s err &&
			grep -q "^LEAVE .*MPI_Comm_spawn" shown && ! grep -q "^MPI_SEND" shown &&
			test "$(grep -c "^MPI_COLLECTIVE_END.*BARRIER" shown)" = 2'
	check "... which schedgen converts" schedgen spawner -o spawner.bin
	library=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib/libllamptrace-$MPI.so
	check "if they are traced too, their trace has its own directory" \
		holds 'spawns timeout 300 env LD_PRELOAD="$library" LLAMP_TRACE_DIR="$PWD/both" "$MPIEXEC" -n 2 "$spawn" &&
			otf2-print both/traces.otf2 >shown 2>err && otf2-print both-spawned-*/traces.otf2 >shown 2>>err &&
			test ! -s err && test "$(grep -c "^LEAVE .*MPI_Barrier" shown)" = 2'
else
	skip "spawned processes run as without the tracer" "they do not start: $(grep -m 1 . err)"
fi
