#!/bin/bash
# Test that programs with sessions of MPI 4 are recorded, without MPI_Init or with it.
set -u
. "$SOURCE/test/mpi/traced.sh"

sessions=$BUILD/test/mpi/trace_sessions

printed() { grep -qx 'sum 3' out; }
no_message() { ! grep -q llamp-trace err; }
complete() { otf2-print -A "$1/traces.otf2" >said 2>&1; ! grep -q 'LLAMP::INCOMPLETE' "$1/traces.otf2"; }

timeout 300 "$MPIEXEC" -n $ranks "$sessions" status >out 2>err
if ! printed; then
	skip "programs with sessions are recorded" "this MPI has none"
	exit
fi

run -o good "$sessions" status
check "the program's output and exit status are kept" holds 'printed && test $status = 7 && no_message'
check "the archive is made at the end of the program, and is whole" holds 'whole good && complete good && test ! -e good/journal'
check "the messages are in the graph" \
	holds 'grep -q "3 ranks, " summary && grep -q ": 52 of messages and requests" summary && goal info graph.goal | grep -q "^sends  *83$"'
check "the run begins with the first session and ends with the last" \
	holds 'grep -q " 6 to begin and end" summary &&
		grep -q "counted as computation: MPI_Session_init, 9 calls" summary &&
		grep -q "counted as computation: MPI_Session_finalize, 9 calls" summary'
check "communicators have their members" \
	holds 'otf2-print -G good/traces.otf2 >said && grep -q "^COMM .*\"ends\"" said &&
		grep -q "^INTER_COMM .*\"inter\"" said && test "$(grep -c "^COMM .*\"own\"" said)" = 3'
run -o good "$sessions" status
check "the next run does not overwrite the archive" holds 'test $status = 1 && ! printed && one_message "there is a trace already"'

run -o threads "$sessions" threads
check "threads may have their own sessions at the same time" \
	holds 'test $status = 0 && no_message && whole threads && complete threads'
check "... and tags distinguish their communicators" \
	holds 'otf2-print -G threads/traces.otf2 >said && for name in a b c; do
		test "$(grep -c "^COMM .*\"$name\"" said)" = 1 &&
			test "$(grep -c "^MPI_COLLECTIVE_END .*ALLREDUCE, Communicator: \"$name\"" shown)" = 300 ||
			return 1; done'

run -o late "$sessions" late
check "a communicator that is made when MPI_Finalize has ended is not recorded" \
	holds 'test $status = 0 && no_message && whole late && ! grep -q CREATE_HANDLE shown'

run -o after "$sessions" after
check "sessions that begin after MPI_Finalize are not recorded, as one message says" \
	holds 'test $status = 0 && one_message "after MPI_Finalize are not recorded"'
check "... and the trace ends there" holds 'whole after && complete after &&
	test "$(grep -c "^ENTER .*MPI_Comm_create_from_group" shown)" = 12'

run -o killed "$sessions" kill
check "if a rank is killed in its session, the run ends as without the tracer" \
	holds 'test $status != 0 && test $status != 124 && test ! -e killed/traces.otf2'
check "... and the recorded calls are recovered" recovers killed
check "... as a trace and a graph up to its end" \
	holds 'whole killed && ! complete killed &&
		test "$(grep -c "^MPI_COLLECTIVE_END .*ALLREDUCE, Communicator: \"r2\"" shown)" = 3'

run_alone -o left "$sessions" leave
check "a session that is not finalized is reported once" \
	holds 'test $status = 6 && one_message "MPI_Session_finalize was not called; llamp-trace --recover"'
check "... and the recorded calls are recovered" recovers left
check "... as a trace and a graph up to its end" holds 'whole left && ! complete left'

run -o gone "$sessions" vanish
check "if one rank does not end, no archive is made, and no rank waits for it" \
	holds 'test $status = 0 && no_message && test ! -e gone/traces.otf2'
check "... but all recorded calls are recovered" recovers gone
check "... and the ranks that have ended are reported" \
	test "$(grep -c '^rank [02]: .*, up to its end' out) $(grep -c '^rank 1: [0-9]* calls\?, [0-9.]* s$' out)" = "2 1"
check "... as a readable trace and graph" holds 'whole gone && ! complete gone &&
	test "$(grep -c "^ENTER .*MPI_Session_finalize" shown)" = 12'

# The program limits the size of files after its calls.
run -o full "$sessions" many
check "an archive that cannot be written changes nothing for the run" \
	holds 'test $status = 0 && one_message "full: File is too large; llamp-trace --recover" && test ! -e full/traces.otf2'
check "... and is made where there is room" recovers full
check "... complete, as all ranks have ended" holds 'whole full && complete full &&
	test "$(grep -c "^ENTER .*MPI_Session_get_num_psets" shown)" = 12000'
