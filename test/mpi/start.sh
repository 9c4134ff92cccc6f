#!/bin/bash
# runs: every-mpi
# Tests of several programs in MPI_COMM_WORLD, a launcher of another MPI, LLAMP_TRACE_REQUIRED.
. "$SOURCE/test/mpi/traced.sh"
unset LLAMP_TRACE_DIR LLAMP_TRACE_LIBRARY LLAMP_TRACE_REQUIRED

cg=$BUILD/examples/cg
behave=$BUILD/test/mpi/trace_behave
correct() { grep -q 'correct' out; }
together() { # ARGUMENTS OF mpiexec...: run with a time limit, which ends ranks that wait for ever
	status=0
	timeout 120 "$MPIEXEC" "$@" >out 2>err || status=$?
}

together -n 2 llamp-trace -o both "$cg" --size 8 : -n 1 llamp-trace -o both "$cg" --size 8
check "several traced programs have one trace" \
	holds 'test $status = 0 && correct && ! grep -q "^llamp-trace" err && whole both && test ! -e both/ranks'
check "... of all ranks" grep -q '3 ranks' summary
together -n 2 llamp-trace -o first "$cg" --size 8 : -n 1 "$cg" --size 8
check "if the last program is not traced, the run is as without the tracer" holds 'test $status = 0 && correct'
check "... and one message reports it" holds 'one_message "1 of 3 ranks run without the tracer"'
check "... and schedgen says that the trace lacks a rank" \
	holds 'schedgen first -o first.goal 2>said && grep -q "note: the trace is incomplete" said'
check "... and the other programs have a readable trace, marked as incomplete" \
	holds 'whole first && grep -q LLAMP::INCOMPLETE first/traces.otf2 && test ! -e first/ranks && test ! -e first/journal'
check "... with their calls and messages" \
	holds 'grep -q "^MPI_IRECV " shown && test "$(grep "^ENTER" shown | awk "{print \$2}" | sort -u | tr "\n" " ")" = "0 1 "'
together -n 1 "$cg" --size 8 : -n 2 llamp-trace -o last "$cg" --size 8
check "if the first program is not traced, the other programs have a trace" \
	holds 'test $status = 0 && correct && one_message "1 of 3 ranks run without the tracer" && whole last'
check "... also of communicators whose first rank is not traced" \
	holds 'otf2-print -G last/traces.otf2 >said && test "$(grep "^ENTER" shown | awk "{print \$2}" | sort -u | tr "\n" " ")" = "1 2 "'
together -n 1 "$behave" status : -n 2 llamp-trace -o dies sh -c '"$0" status; exit 3' "$behave"
check "the status of the run is that without the tracer" holds 'test $status != 0 && test $status != 124'

LLAMP_TRACED_LIMIT_S=1 together -n 2 llamp-trace "$cg" --size 8 : -n 1 "$cg" --size 8
check "where the traced ranks cannot find each other, the run goes on without a trace" \
	holds 'test $status = 0 && correct && grep -q "other ranks have not answered for 1 s; .*; this run leaves no trace" err'

# Each process is alone if the mpiexec of another MPI starts it.
own=$("$MPIEXEC" --version 2>&1 | grep -c 'Open MPI\|OpenRTE')
for other in mpiexec.mpich mpiexec.openmpi; do
	command -v $other >/dev/null || continue
	[ "$($other --version 2>&1 | grep -c 'Open MPI\|OpenRTE')" = "$own" ] && continue
	# Of two processes of Open MPI that start without its mpiexec, one may find that the other has made its folder.
	for try in 1 2 3 4 5; do
		status=0
		timeout 120 $other -n 2 llamp-trace -o foreign "$cg" --size 8 >out 2>err || status=$?
		grep -q "File exists" err || break
	done
	check "$other for a program of another MPI is reported once" \
		holds 'one_message "the launcher started 2 processes, but MPI_COMM_WORLD has 1: the program is linked with"'
	check "... the program runs as without the tracer" holds 'test $status = 0 && test "$(grep -c correct out)" = 2'
	check "... and there is no archive that looks whole" test ! -e foreign
	status=0
	LLAMP_TRACE_REQUIRED=1 timeout 120 $other -n 2 llamp-trace -o foreign "$cg" --size 8 >out 2>err || status=$?
	check "... which fails if a trace is required" test $status != 0
	timeout 120 $other -n 1 llamp-trace -o alone "$cg" --size 8 >out 2>err
	check "... but one process that it starts is traced" holds '! grep "^llamp-trace" err && whole alone'
done
timeout 120 llamp-trace -o singleton "$cg" --size 8 >out 2>err
check "a program without a launcher is traced" holds '! grep "^llamp-trace" err && whole singleton'

# Test LLAMP_TRACE_REQUIRED.  Nobody reads the ranks' messages for a while.
: >file
export LLAMP_TRACE_REQUIRED=1
cat >begin.c <<'END'
#include <fcntl.h>
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	open("begun", O_CREAT, 0666);
	return MPI_Finalize();
}
END
"$MPICC" -o begin begin.c
mkfifo messages
read_late() {
	until read -r -t 0; do sleep 0.05; done
	sleep 0.5
	[ -e ended ] || : >waited
	cat >heard
}
ends_before_begin() { # TEXT COMMAND...: check that all ranks end with the message before their program begins
	rm -f ended waited begun heard
	read_late <messages &
	exec 9>messages
	together -n 2 sh -c '"$@" 2>messages' sh "${@:2}" 9>&-
	: >ended
	exec 9>&-
	wait $!
	test $status != 0 && test $status != 124 && grep -q "$1" heard && test -e waited && test ! -e begun && return
	echo "status $status"
	tail heard
	ls
	return 1
}
check "if a trace is required, a run without one ends before the program begins, and says why" \
	ends_before_begin "file/trace: Not a directory" llamp-trace sh -c 'LLAMP_TRACE_DIR=$0 exec ./begin' "$PWD/file/trace"
# One rank alone finds no room for its journal: for the first part of it, or for the second.
cat >no_room.c <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int posix_fallocate(int file, off_t begin, off_t bytes)
{
	const char *mpich = getenv("PMI_RANK"), *open_mpi = getenv("OMPI_COMM_WORLD_RANK"), *from = getenv("NO_ROOM_FROM");
	int (*next)(int, off_t, off_t) = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
	char link[64], path[4096] = "";

	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/journal/") && from && begin >= atol(from) &&
	    atoi(open_mpi ? open_mpi : mpich ? mpich : "0") == 1)
		return ENOSPC;
	return next(file, begin, bytes);
}
END
"${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o no_room.so no_room.c || exit 1
no_room=(env LD_PRELOAD="$PWD/no_room.so:${LD_PRELOAD:-}")
no_space='rank 1: .*/journal/1: No space left on device'
check "... also if only one rank cannot write" \
	ends_before_begin "$no_space" "${no_room[@]}" NO_ROOM_FROM=0 llamp-trace -o room ./begin
check "... and leaves nothing" test ! -e room
LLAMP_TRACE_REQUIRED=0 together -n 2 "${no_room[@]}" NO_ROOM_FROM=0 llamp-trace -o room "$cg" --size 8
check "... but runs without a trace if none is required" \
	holds 'test $status = 0 && correct && one_message "$no_space; this run leaves no trace" && test ! -e room'
LLAMP_TRACE_BUFFER=64KiB together -n 2 "${no_room[@]}" NO_ROOM_FROM=1 llamp-trace -o room "$BUILD/examples/ring" --blocks 6000 --count 1
check "a run of which one rank cannot write any more ends with a failure, after its end" \
	holds 'test $status = 4 && correct && one_message "$no_space; llamp-trace --recover"'
check "... and what it has recorded is recovered" recovers room
run_alone -o required "$cg" --size 8
check "... and one with a trace ends as it would" holds 'test $status = 0 && whole required'
printf 'int main(void) { return 0; }\n' >mute.c
cc -o mute mute.c
run_alone -o none ./mute
check "... and one without intercepted calls ends with a failure" holds 'test $status = 4 && one_message "no MPI call was intercepted"'
check "another value of LLAMP_TRACE_REQUIRED is refused" complains 2 "LLAMP_TRACE_REQUIRED: 'maybe' is neither 0 nor 1" \
	env LLAMP_TRACE_REQUIRED=maybe llamp-trace true
