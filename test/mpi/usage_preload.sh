#!/bin/bash
# runs: every-mpi
# Test the profiler as a site preloads it, by one library for everybody: programs without MPI are as without it,
# programs of any MPI and language leave a log, and other tools in a program get its calls, too.
. "$SOURCE/test/cli/tap.sh"

usage=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib/libllampusage.so
export LLAMP_USAGE_DIR=$PWD/logs LLAMP_USAGE_PARTIAL=$PWD/partial LLAMP_USAGE_RANKS=all
mkdir logs partial && chmod 1777 logs partial
logs() { find logs -name '*.usage'; }
cells() { /usr/bin/python3 "$SOURCE/test/mpi/usage_cells.py" "$(logs)" "$@"; }
fresh() { rm -rf logs/* partial/*; }
# loaded COMMAND...: with the library as a site has it
loaded() { env LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$@"; }
# launched RANKS COMMAND...: run until the ranks leave one log
launched() {
	# On a busy machine ranks may take so long to begin that each leaves a log of its own, and says so.
	for _ in 1 2 3; do
		fresh
		exits 0 timeout 300 "$MPIEXEC" -n "$@" || return 1
		[ "$(logs | wc -l)" != 1 ] || return 0
		logs
		show err
	done
	return 1
}
# run RANKS COMMAND...
run() {
	local ranks=$1
	shift
	launched "$ranks" env LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
}

# ---- without MPI

# same COMMAND...: it prints and returns what it does without the library, and leaves nothing
same() {
	local plain=0 with=0
	"$@" >out.plain 2>err.plain <in || plain=$?
	loaded "$@" >out.with 2>err.with <in || with=$?
	[ $plain = $with ] && diff out.plain out.with && diff err.plain err.with && [ -z "$(logs; find partial -type f)" ]
}
echo "a line" >in
check "a shell runs as without the library" same bash -c 'read line; echo "$line, $(echo sub | tr s S)"; (exit 4) & wait $!; echo $?; kill -0 $$; exit 3'
check "... one that is killed, too" same sh -c 'sh -c "kill -9 \$\$"; echo $?'
check "Python runs, forks and starts programs as without the library" same /usr/bin/python3 -c '
import os, subprocess, sys, threading
thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
sys.stdout.flush()
if os.fork() == 0:
    os._exit(5)
print(os.waitstatus_to_exitcode(os.wait()[1]), subprocess.run(["sh", "-c", "echo $((6 * 7))"], capture_output=True).stdout)
sys.exit(9)'
cat >who.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	return printf("%d for %d\n", (int)geteuid(), (int)getuid()) < 0;
}
END
cc -o who who.c
if [ "$(id -u)" = 0 ] && command -v setpriv >setpriv.path && chown 0 who && chmod 4755 who && chmod 755 . &&
		[ "$(setpriv --reuid=65534 --clear-groups ./who)" = "0 for 65534" ]; then
	check "so does a program with privileges of its own" same setpriv --reuid=65534 --clear-groups ./who
else
	skip "so does a program with privileges of its own" "nothing can be setuid here"
fi
if cc -static -o static who.c 2>static.err; then
	check "so does a static program" same ./static
else
	skip "so does a static program" "there is no static libc"
fi

# ---- with MPI

run 2 "$BUILD/test/mpi/usage_known" sizes
check "a program of this MPI leaves a log" eval '[ "$(logs | wc -l)" = 1 ] && [ "$(cells | sed -n "s/^MPI_Bcast //p")" = 12 ] &&
	[ -z "$(find partial -type f)" ]'
check "... and so does one behind a shell" eval 'run 2 sh -c "\"\$0\" \"\$@\"; exit" "$BUILD/test/mpi/usage_known" sizes &&
	[ "$(logs | wc -l)" = 1 ] && [ "$(cells | sed -n "s/^MPI_Bcast //p")" = 12 ]'
# Counts of functions that a program does not call until something has happened.
settled() { cells | grep -v -e Test -e probe; }
as_direct() {
	local neutral=$usage
	run "$@" && settled >through && usage=${usage%.so}-$MPI.so && run "$@" && settled >direct
	usage=$neutral
	diff through direct && [ "$(wc -l <direct)" -ge 5 ]
}
for program in test/mpi/trace_mpif test/mpi/trace_use_mpi test/mpi/trace_f08 examples/heat1d; do
	[ -x "$BUILD/$program" ] || continue
	sentence="${program##*/}: Fortran is counted as by the library for this MPI"
	# MPI_Comm_create_group of MPICH 4.0 fails in some of them.
	if timeout 300 "$MPIEXEC" -n 2 "$BUILD/$program" >out 2>err; then
		check "$sentence" as_direct 2 "$BUILD/$program"
	else
		skip "$sentence" "it does not run without the library"
	fi
done
if MPI4PY=$(/usr/bin/python3 -c 'from mpi4py import MPI; print(MPI.Get_library_version())' 2>/dev/null </dev/null | tr -d '\0') &&
		case $MPI$MPI4PY in openmpi*"Open MPI"* | mpich*MPICH*) ;; *) false ;; esac; then
	cat >sum.py <<'END'
from mpi4py import MPI
for i in range(7):
    MPI.COMM_WORLD.Barrier()
assert MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank) == 1
END
	check "Python's MPI, which comes late, is counted" eval 'run 2 /usr/bin/python3 sum.py && [ "$(logs | wc -l)" = 1 ] &&
		[ "$(cells MPI_Barrier | cut -d " " -f 5)" = 14 ]'
else
	skip "Python's MPI, which comes late, is counted" "mpi4py is not installed, or of another MPI"
fi

cat >adds.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	int one = 1, sum, rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 7; i++)
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
END
cat >late.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *adds;

	sleep(1);
	adds = dlopen("./libadds.so", RTLD_NOW);
	return adds ? ((int (*)(int, char **))dlsym(adds, "adds"))(argc, argv) : 1;
}
END
late() {
	"$MPICC" -shared -fPIC -Dmain=adds -o libadds.so adds.c && cc -o late late.c -ldl || return 1
	"$@" ./late && zstd -dqc "$(logs)" >log && grep '"process_ns": [0-9]\{10\}' log && [ "$(cells MPI_Allreduce | cut -d " " -f 5)" = 14 ]
}
check "time counts from the start of a program that loads MPI late" late run 2
check "... also by llamp-usage run" late launched 2 llamp-usage run

cat >copied.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}
int main(int argc, char **argv)
{
	double begin;
	void *adds;

	sleep(1);
	if (fork() != 0)
		return wait(NULL) < 0;
	begin = now();
	adds = dlopen("./libadds.so", RTLD_NOW);
	if (!adds || ((int (*)(int, char **))dlsym(adds, "adds"))(argc, argv) != 0)
		return 1;
	fprintf(fopen("age", "w"), "%.0f\n", now() - begin);
	return 0;
}
END
copied() {
	cc -o copied copied.c -ldl && run 1 ./copied && zstd -dqc "$(logs)" >log && grep -o '"process_ns": [0-9]*' log >counted &&
		[ "$(awk '{print $2}' counted)" -le "$(cat age)" ]
}
check "... and from the copy if the program copies itself first" copied

# Children of a rank: a copy that ends, one that becomes another program, one that calls MPI though it must not.
cat >forks.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int child(int how)
{
	int status, rank;
	const pid_t one = fork();

	if (one == 0) {
		if (how == 0)
			exit(3);
		if (how == 1)
			execlp("sh", "sh", "-c", "exit 4", (char *)0);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		_exit(5);
	}
	waitpid(one, &status, 0);
	return WEXITSTATUS(status);
}
int main(int argc, char **argv)
{
	int sum = 0;

	if (child(0) != 3 || child(1) != 4)
		return 1;
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 5; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		sum += child(i % 3);
	}
	MPI_Finalize();
	printf("%d\n", sum + child(0) + child(1));
	return 0;
}
END
check "children of a rank count nothing, and its log is whole" eval '"$MPICC" -o forks forks.c && run 2 ./forks && grep -c "^26$" out | grep -qx 2 &&
	[ "$(logs | wc -l)" = 1 ] && [ "$(cells MPI_Barrier | cut -d " " -f 5)" = 10 ] && [ -z "$(cells MPI_Comm_rank)" ] && [ -z "$(find partial -type f)" ]'

# ---- other tools

cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>
static int sums;
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	sums++;
	return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Init(int *argc, char ***argv)
{
	return PMPI_Init(argc, argv);
}
int MPI_Finalize(void)
{
	printf("tool: %d\n", sums);
	return PMPI_Finalize();
}
END
check "tools can be built" eval '"$MPICC" -shared -fPIC -o libtool.so tool.c && "$MPICC" -o adds adds.c &&
	"$MPICC" -o adds_linked adds.c -L. -Wl,--no-as-needed -ltool -Wl,-rpath,"$PWD" && "$MPICC" -o adds_inside adds.c tool.c'
run 2 ./adds && cells >expected
# both RUN...: the tool has the calls, and so has the log
both() { "$@" && [ "$(grep -c '^tool: 7$' out)" = 2 ] && [ ! -s err ] && cells | diff expected -; }
check "what a program counts is known" grep -qx "MPI_Allreduce 14" expected
check "a tool that the program is linked with gets its calls, and so does the log" both run 2 ./adds_linked
check "so does a tool inside of the program" both run 2 ./adds_inside
check "so does a tool that is preloaded behind" eval 'LD_PRELOAD=$PWD/libtool.so${LD_PRELOAD:+:$LD_PRELOAD} both run 2 ./adds'
check "... or before" both run 2 env LD_PRELOAD="$PWD/libtool.so:$usage${LD_PRELOAD:+:$LD_PRELOAD}" ./adds

# run_by COMMAND...: the same by `llamp-usage run`, below what LD_PRELOAD has
run_by() { both launched 2 llamp-usage run "$@"; }
check "by llamp-usage run a tool that the program is linked with works as well" run_by ./adds_linked
check "... and one inside of the program" run_by ./adds_inside
check "... and one that is preloaded before" eval 'LD_PRELOAD=$PWD/libtool.so${LD_PRELOAD:+:$LD_PRELOAD} run_by ./adds'
check "... also by env" run_by env LD_PRELOAD="$PWD/libtool.so${LD_PRELOAD:+:$LD_PRELOAD}" ./adds

# A tool that goes around all others.
sed -e 's/PMPI_\([A-Za-z]*\)(/AROUND(\1)(/' -e '1i #define _GNU_SOURCE\n#include <dlfcn.h>\n#define AROUND(Name) ((__typeof__(\&MPI_##Name))around("PMPI_" #Name))' \
	-e '/^static int sums/i static void *around(const char *name)\n{\n\tDl_info mpi;\n\tvoid *next = dlsym(RTLD_NEXT, "MPI_Wtime");\n\n\tnext = dladdr(next, \&mpi) ? dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : 0;\n\treturn next ? dlsym(next, name) : 0;\n}' tool.c >around.c
check "a tool that goes around can be built" eval '"$MPICC" -shared -fPIC -o libaround.so around.c -ldl &&
	"$MPICC" -o adds_around adds.c -L. -Wl,--no-as-needed -laround -Wl,-rpath,"$PWD"'
around() {
	run 3 ./adds_around && [ "$(grep -c '^tool: 7$' out)" = 3 ] && [ "$(logs | wc -l)" = 1 ] && [ -z "$(find partial -type f)" ] || return 1
	llamp-usage show "$(logs)" >text && cat text
	llamp-usage show "$(logs)" --format json | grep -q '"end": "other-tool"' && grep -q "libaround.so" text
}
check "a tool that keeps calls from the library stays alone, and one log names it" around
