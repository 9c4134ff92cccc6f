#!/bin/bash
# runs: every-mpi-long
# Test times and counts of a profile where they are known: calls that are made longer, ranks that come late, more
# iterations; and that a limit of file sizes does no harm.
. "$SOURCE/test/cli/tap.sh"

usage=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib/libllampusage.so
cells() { /usr/bin/python3 "$SOURCE/test/mpi/usage_cells.py" run.usage "$@"; }
# counted RANKS COMMAND...: leave its log as run.usage and run.json
counted() {
	local ranks=$1
	shift
	rm -f run.usage
	LLAMP_USAGE_FILE=$PWD/run.usage LLAMP_USAGE_RANKS=all LLAMP_USAGE_PARTIAL=off exits 0 timeout 300 "$MPIEXEC" -n "$ranks" \
		env LD_PRELOAD="$usage$behind${LD_PRELOAD:+:$LD_PRELOAD}" "$@" && zstd -dqc run.usage >run.json
}
behind=

# Rank r sleeps so many ms before each of the calls: loop CALLS SLEEP-OF-RANK-0 SLEEP-OF-RANK-1 ...
cat >loop.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < atoi(argv[1]); i++) {
		if (rank + 2 < argc)
			usleep(1000 * atoi(argv[rank + 2]));
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
	}
	return MPI_Finalize();
}
END
# A library behind the profiler in which MPI_Allreduce takes 3 ms more by the clock: sleep may take longer.
cat >delay.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
int PMPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	__typeof__(&MPI_Allreduce) below = dlsym(RTLD_NEXT, "PMPI_Allreduce");
	const int result = below(from, to, count, type, op, comm);

	for (double end = MPI_Wtime() + 0.003; MPI_Wtime() < end;)
		;
	return result;
}
END
check "the programs can be built" eval '"$MPICC" -o loop loop.c && "$MPICC" -shared -fPIC -o delay.so delay.c -ldl'

# time FUNCTION: of all ranks, calls and ms; bins FUNCTION: calls in bins of time
time_of() { /usr/bin/python3 - "$1" <<'END'
import json, sys
cells = json.load(open("run.json"))["cells"]
rows = [i for i, name in enumerate(cells["function"]) if name == sys.argv[1]]
print(sum(cells["calls"][i] for i in rows), sum(cells["ns"][i] for i in rows) / 1e6, min(cells["least_ns"][i] for i in rows) / 1e6,
      *[sum(cells["bins"][i][b] for i in rows) for b in range(8)])
END
}
# Bins end at 2^(11 + 2 b) ns: 3 ms and more are in the last two.
delayed() {
	counted 2 ./loop 20 && read -r calls ms least bins < <(time_of MPI_Allreduce) && read -r _ barrier _ < <(time_of MPI_Barrier) || return 1
	behind=:$PWD/delay.so
	counted 2 ./loop 20 && read -r slow_calls slow_ms slow_least slow_bins < <(time_of MPI_Allreduce)
	local failed=$?
	behind=
	echo "before: $calls calls, $ms ms, at least $least ms, bins $bins; delayed: $slow_calls calls, $slow_ms ms, at least $slow_least ms, bins $slow_bins"
	[ $failed = 0 ] && [ "$calls" = 40 ] && [ "$slow_calls" = 40 ] && awk "BEGIN { exit !($slow_least >= 3 && $slow_ms >= 40 * 3) }" || return 1
	# Of 40 calls that take 3 ms more none is in a bin below; of the others most are.
	/usr/bin/python3 -c 'import sys
fast, slow = (list(map(int, text.split())) for text in sys.argv[1:])
assert sum(slow[:5]) == 0 and sum(slow) == 40 and sum(fast[:5]) > 20, (fast, slow)' "$bins" "$slow_bins"
}
# The machine may be busy, so that a call takes longer than the delay.
once_in() { for _ in 1 2 3; do "$@" && return; done; return 1; }
check "a function that is made longer by 3 ms a call takes that much more, and its calls are in other bins" once_in delayed

roles() { /usr/bin/python3 -c '
import json
for rank in json.load(open("run.json"))["rank_list"]:
    print(rank["rank"], *rank["roles"])'; }
# Who sleeps longest waits least in the barrier.
known_roles() { # TIMES: how much longer all sleep
	counted 4 ./loop 8 0 $((10 * $1)) $((32 * $1)) $((80 * $1)) && roles >forward &&
		counted 4 ./loop 8 $((80 * $1)) $((32 * $1)) $((10 * $1)) 0 && roles >backward || return 1
	paste forward backward
	printf '%s\n' "0 first most" "1" "2 average" "3 least" | diff - forward && printf '%s\n' "0 first least" "1 average" "2" "3 most" | diff - backward
}
# A busy machine lets ranks sleep longer than they should, by less than a long sleep.
roles_in_time() { for times in 1 1 4 16; do known_roles $times && return; done; return 1; }
check "ranks that come late have their roles, and in the reverse order the reverse ones" roles_in_time
twice() {
	counted 3 ./loop 40 && cells MPI_Barrier MPI_Allreduce >once && counted 3 ./loop 80 && cells MPI_Barrier MPI_Allreduce >again &&
		awk '{ print $1, $2, $3, $4, 2 * $5, 2 * $6, 2 * $7 }' once | diff - again && [ "$(wc -l <again)" = 2 ]
}
check "twice the iterations have twice the calls and bytes" twice

# ---- limits

# The limit is for what comes after MPI_Init.
cat >limited.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
	const rlim_t bytes = (rlim_t)atoi(argv[1]);
	int sum, one = 1;

	MPI_Init(&argc, &argv);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
	return MPI_Finalize();
}
END
limited() { # BYTES FOLDER-OF-NODE-FILES
	rm -rf logs partial && mkdir logs partial
	LLAMP_USAGE_DIR=$PWD/logs LLAMP_USAGE_PARTIAL=$2 exits 0 timeout 300 "$MPIEXEC" -n 1 env LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" ./limited "$1" &&
		[ -z "$(find logs -type f)" ] && [ "$(grep -c "llamp-usage: .*File too large" err)" = 1 ]
}
check "with a limit of file sizes the program ends well, and has no log" eval '"$MPICC" -o limited limited.c && limited 0 off'
# As a disk that is full in the middle of the file.
check "... nor a part of one, if the limit is within the log" limited 300 off
check "... but what it counted stays, and collect makes its log" eval 'limited 300 "$PWD/partial" && llamp-usage collect -o logs partial &&
	llamp-usage show "$(find logs -name "*.usage")" --format csv --rank all | grep -q "MPI_Allreduce,collective,1,"'
