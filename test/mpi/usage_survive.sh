#!/bin/bash
# runs: long every-mpi-long
# Test that each job leaves a log, however it ends, and ends as without the profiler.
. "$SOURCE/test/cli/tap.sh"

program=$BUILD/test/mpi/usage_die
calls=500
export LLAMP_USAGE_DIR=$PWD/logs LLAMP_USAGE_PARTIAL=$PWD/partial
fresh() { chmod -R u+w logs partial 2>/dev/null; rm -rf logs partial && mkdir logs partial; }
launch() { timeout 60 "$MPIEXEC" -n 3 "$@"; }
# result COMMAND...: what it prints that does not depend on the run, and its exit status
result() { "$@" >out 2>err; echo "status $?"; grep -c correct out; }
logs() { find logs -name '*.usage'; }
nodes() { find partial -type f; }
# Make logs of all node files.  A process that was killed may end a moment after the launcher.
collected() {
	for _ in {1..100}; do
		[ -n "$(nodes)" ] || return 0
		llamp-usage collect -o logs partial >said || return 1
		cat said
		sleep 0.1
	done
}
# value FILE KEY: of the log as JSON; calls FILE: of MPI_Allreduce, of all ranks
value() { llamp-usage show "$1" --format json | sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\).*/\1/p" | head -n 1; }
allreduces() { llamp-usage show "$1" --rank all --format csv | awk -F, '$2 == "MPI_Allreduce" { print $4 }'; }

# dies HOW END LEAST MOST: the job ends as without the library, and the collected log has the ranks' calls
dies() {
	local how=$1 end=$2 least=$3 most=$4 plain with log
	# Several ranks end at once, and the launcher may see another one first and kill the rest.
	for _ in 1 2 3 4 5; do
		fresh
		plain=$(result launch "$program" "$how" $calls)
		with=$(result launch llamp-usage run "$program" "$how" $calls)
		echo "without: $plain, with: $with"
		[ "$plain" != "$with" ] || break
	done
	[ "$plain" = "$with" ] || return 1
	collected || return 1
	[ -z "$(nodes)" ] && [ "$(logs | wc -l)" = 1 ] || { logs; nodes; return 1; }
	log=$(logs)
	echo "end $(value "$log" end), ranks $(value "$log" ranks_seen), calls $(allreduces "$log")"
	value "$log" end | grep -qx "$end" && [ "$(value "$log" ranks)" = 3 ] && [ "$(value "$log" ranks_seen)" = 3 ] &&
		[ "$(allreduces "$log")" -ge "$least" ] && [ "$(allreduces "$log")" -le "$most" ]
}
all=$((3 * calls))
check "a job that reaches MPI_Finalize leaves its log and no other file" dies finalize finalize $all $all
check "SIGKILL of one rank: the log has all calls of all ranks" dies kill-one killed $all $all
check "SIGKILL of all ranks" dies kill-all killed $all $all
check "MPI_Abort" dies abort "killed\|exit" $all $all
check "exit without MPI_Finalize" dies exit exit $all $all
[ "$LENGTH" = long ] || exit 0
check "a segmentation fault" dies segfault killed $all $all
check "_exit without MPI_Finalize" dies _exit killed $all $all

# The time limit of a scheduler: SIGTERM, then SIGKILL.
walltime() {
	fresh
	launch llamp-usage run "$program" hang $calls >out 2>err &
	local launcher=$!
	# Until one rank waits in MPI, and the others have left it.
	for _ in {1..300}; do
		llamp-usage show --live --format csv >live && grep -q ,running,MPI_Recv, live && [ "$(grep -c ',running,,[0-9]' live)" = 2 ] && break
		sleep 0.1
	done
	llamp-usage show --live >text || { cat live err; kill -9 $launcher; return 1; }
	pids=$(awk -F, 'NR > 1 { print $3 }' live)
	kill -15 $pids; sleep 0.2; kill -9 $pids 2>/dev/null
	wait $launcher
	collected && [ "$(logs | wc -l)" = 1 ] && [ "$(value "$(logs)" end)" = killed ] && [ "$(allreduces "$(logs)")" = $all ]
}
check "a job that is ended by the time limit leaves a log" walltime
check "... and shows before in which function it hangs" eval 'cat live text; grep -q "^,*[^,]*,1,[0-9]*,running,MPI_Recv," live &&
	[ "$(grep -c ,running,,[0-9] live)" = 2 ] && grep -q "1 .*running.*MPI_Recv" text'

# What is counted is the same whether the job is killed or not.
same() {
	local n=$((calls + 37 * $1)) killed
	fresh && launch llamp-usage run "$program" kill-all $n >out 2>err
	collected && llamp-usage show "$(logs)" --rank all --format csv | cut -d, -f 2-4,7- | grep -v MPI_Barrier >killed.csv
	fresh && launch llamp-usage run "$program" finalize $n >out 2>err
	llamp-usage show "$(logs)" --rank all --format csv | cut -d, -f 2-4,7- | grep -v -e MPI_Finalize -e MPI_Barrier >whole.csv
	# All call MPI_Barrier, where the first may be killed while the others wait.
	diff <(sort killed.csv) <(sort whole.csv) && grep -q "MPI_Allreduce,collective,$((3 * n)),$((3 * n * 8))" whole.csv
}
check "a job killed after n calls has the counts and bytes of one that ends" same 1
check "... also with another n" same 2

# ---- places that cannot be written

# unharmed LINES VARIABLE=VALUE...: the job ends well, and there are at most so many lines of the profiler
unharmed() {
	local lines=$1
	shift
	[ "$(result launch env "$@" llamp-usage run "$program" finalize $calls)" = "$(printf 'status 0\n1')" ] &&
		[ "$(grep -c llamp-usage: err)" -le "$lines" ] || { cat err; return 1; }
}
fresh
check "a directory of logs that does not exist costs one line" unharmed 1 LLAMP_USAGE_DIR="$PWD/none"
check "... which sites switch off" unharmed 0 LLAMP_USAGE_DIR="$PWD/none" LLAMP_USAGE_QUIET=1
check "... and the directory is not made" test ! -e none
check "... what was counted stays for collect" eval '[ "$(nodes | wc -l)" = 2 ] && collected && [ -z "$(nodes)" ] && [ "$(logs | wc -l)" = 2 ]'
fresh
check "without a place for node files the log is written" eval 'unharmed 0 LLAMP_USAGE_PARTIAL=/proc/none && [ "$(logs | wc -l)" = 1 ]'
fresh
check "without node files the log is written" eval 'unharmed 0 LLAMP_USAGE_PARTIAL=off && [ "$(logs | wc -l)" = 1 ]'
fresh
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null; then
	check "on a full file system the program runs, and its log is written" eval 'unharmed 0 LLAMP_USAGE_PARTIAL="$PWD/small" && [ "$(logs | wc -l)" = 1 ]'
	fresh
	check "... a full directory of logs costs one line, and leaves no part of a file" eval 'head -c 70000 /dev/zero >small/full 2>/dev/null; unharmed 1 LLAMP_USAGE_DIR="$PWD/small" && [ -z "$(find small -type f ! -name full)" ]'
	umount small
else
	skip "on a full file system the program runs" "only root can mount one"
fi

# ---- killed within MPI_Finalize

# The file of the log is written, and a node file stays: the log wins in the index, as it is whole.
fresh
within() {
	cat >slow.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <signal.h>
		#include <string.h>
		#include <stdlib.h>
		int renameat(int a, const char *from, int b, const char *to)
		{
			if (strstr(to, ".usage"))
				raise(SIGKILL);
			return ((int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat"))(a, from, b, to);
		}
		int rename(const char *from, const char *to)
		{
			if (strstr(to, ".usage"))
				raise(SIGKILL);
			return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
		}
	END
	cc -shared -fPIC -o slow.so slow.c -ldl || return 1
	launch env LD_PRELOAD="$PWD/slow.so" llamp-usage run "$program" finalize $calls >out 2>err
	[ -z "$(logs)" ] && [ "$(nodes | wc -l)" = 1 ] && collected && [ "$(value "$(logs)" end)" = killed ] &&
		[ "$(allreduces "$(logs)")" = $all ]
}
check "rank 0 killed before its log has its name: collect makes it" within

# ---- a rank without a role that is late at the end

# Rank 1 has sent its sums, and waits for the log before it sends its calls, which the log does not need.
cat >waits.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int gethostname(char *name, size_t length)
{
	const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");

	if (length == 63 && rank && strcmp(rank, "1") == 0) {
		for (int i = 0; i < 200 && access(getenv("WAITS_FOR"), F_OK) < 0; i++)
			usleep(100000);
		printf(access(getenv("WAITS_FOR"), F_OK) < 0 ? "no log\n" : "a log\n");
		fflush(stdout);
	}
	return ((int (*)(char *, size_t))dlsym(RTLD_NEXT, "gethostname"))(name, length);
}
END
# Rank 0 waits longest, rank 5 least, and rank 2 or 3 on the average.
cat >stairs.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	usleep(rank * 200000);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
END
late_without_role() {
	cc -shared -fPIC -o waits.so waits.c -ldl && "$MPICC" -o stairs stairs.c || return 1
	# On a busy machine rank 1 may have a role, or ranks a log each.
	for _ in 1 2 3; do
		fresh && rm -f waits.usage
		WAITS_FOR=$PWD/waits.usage exits 0 timeout 100 "$MPIEXEC" -n 6 env LD_PRELOAD="$PWD/waits.so${LD_PRELOAD:+:$LD_PRELOAD}" \
			llamp-usage run -o waits.usage ./stairs && show out err || return 1
		grep -qx "a log" out && [ "$(value waits.usage end)" = finalize ] && [ "$(value waits.usage ranks_seen)" = 6 ] && return
	done
	return 1
}
check "a rank without a role that is late holds the log up no longer than a moment" late_without_role
