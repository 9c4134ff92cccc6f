#!/bin/bash
# runs: every-mpi
# Test that one message says why there is no report of a run that ends early, and how to get one.
set -u
. "$SOURCE/test/mpi/traced.sh"
unset LLAMP_TRACE_DIR LLAMP_TRACE_REPORT LLAMP_TRACE_ARCHIVE

die=$BUILD/test/mpi/trace_die

# Run a program that dies.  MPICH's mpiexec may end before the message comes: cat waits for all that have stderr.
dies() { # ARGUMENT...
	timeout 300 "$MPIEXEC" -n $ranks llamp-trace "$@" 2>&1 >out | cat >err
}
# Type what the message says.
follow() { # NAME REPORT...
	local name=$1 report
	grep -q "^llamp-trace: no report: .*; llamp-trace --recover $name builds a trace of what was recorded, then .* prints\? it$" err &&
		sed -n 's/.*, then \(.*\) prints\{0,1\} it$/\1/p' err | sed 's/, \| and /\n/g' >commands &&
		for report in "${@:2}"; do echo "critpath $report $name"; done | diff - commands && recovers "$name" &&
		sh -e commands >printed && grep -q "^ended early " printed
}
for how in abort crash exit _exit leave one all; do
	dies --report -o $how "$die" $how
	check "$how: one message says that there is no report" holds 'one_message "no report: "'
	check "... and what to type to get it" holds "follow $how path waits causes imbalance"
done
dies --report=waits -o waits "$die" one
check "only the reports that were asked for are named" holds 'one_message "no report: " && follow waits waits'
dies --report=path,imbalance "$die" one
check "the message has the name of a directory that the tracer has chosen" \
	holds 'one_message "no report: " && follow "$(ls -d llamp-trace-trace_die-*)" path imbalance'
dies --report --no-archive "$die" one
check "without an archive the message does not name one" \
	holds 'one_message "no report: the run ended before MPI_Finalize was over; without --no-archive, llamp-trace --recover could"'
dies -o plain "$die" one
check "if no report was asked for, there is no message" holds '! grep "^llamp-trace" err'
dies --report -o shell sh -c '"$@"; exit 3' sh "$die" one
check "a shell may start the program" holds 'one_message "no report: " && follow shell path waits causes imbalance'
export LLAMP_TRACE_RECORD=off
dies --report -o off "$die" one
check "if nothing was recorded, the message says so instead" \
	holds 'one_message "no report: .*no call was recorded: LLAMP_TRACE_RECORD is off, and .*MPI_Pcontrol(1)$"'
run --report -o never "$die"
check "... also at the end of a run, which has no empty report" \
	holds 'one_message "no report: .*no call was recorded: LLAMP_TRACE_RECORD is off" && test "$(wc -l <err)" = 1'
unset LLAMP_TRACE_RECORD

# A program that closes the watcher's socket, which then knows nothing of its end.
cat >closes.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int file = 300; file < 400; file++)
		close(file);
	sleep(1);
	return MPI_Finalize();
}
END
"$MPICC" -o closes closes.c || exit 1
dies --report -o closes.trace "$PWD/closes"
check "a program that closes files that it has not opened has its report, and no message" \
	holds '! grep "no report" err && grep -q "the report took" err'
# A program that waits for all of its children.
cat >children.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
int main(int argc, char **argv)
{
	int children = 0;

	while (wait(NULL) > 0)
		children++;
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	printf("%d children\n", children);
	return 0;
}
END
"$MPICC" -o children children.c || exit 1
dies --report -o children.trace "$PWD/children"
check "a program has no child that it has not started" holds 'test "$(grep -cx "0 children" out)" = $ranks'
