#!/bin/bash
# runs: every-mpi-long
# Test logs of jobs that other jobs spawn, of sessions, of large counts, and what a job finds of others that were killed.
. "$SOURCE/test/cli/tap.sh"

usage=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib/libllampusage.so
export LLAMP_USAGE_DIR=$PWD/logs LLAMP_USAGE_PARTIAL=$PWD/partial LLAMP_USAGE_RANKS=all
mkdir logs partial
logs() { find logs -name '*.usage'; }
cells() { /usr/bin/python3 "$SOURCE/test/mpi/usage_cells.py" "$@"; }
member() { zstd -dcq "$1" | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"; }
# run STATUS RANKS COMMAND...
run() {
	local status=$1 ranks=$2
	shift 2
	exits "$status" timeout 300 "$MPIEXEC" -n "$ranks" env LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
}
fresh() { rm -rf logs/* partial/*; }

# ---- spawned jobs, which MPICH 4.0 of Debian 12 does not support

spawn=$BUILD/test/mpi/trace_spawn
# The variable has to be there before the spawning job begins: its launcher starts the others.
spawns() {
	local program=$1 function=$2 ranks=$3 spawned spawner
	fresh
	LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" exits 0 timeout 300 "$MPIEXEC" -n 2 "$program" && grep -qx "2 and $ranks" out && [ "$(logs | wc -l)" = 2 ] || { logs; return 1; }
	spawner=$(for log in $(logs); do [ "$(member "$log" parent)" != None ] || echo "$log"; done)
	spawned=$(logs | grep -vxF "$spawner")
	echo "$spawner spawned $spawned: $(member "$spawned" parent)"
	[ "$(echo "$spawned" | wc -l)" = 1 ] && cells "$spawner" | grep -qx "$function 2" && ! cells "$spawned" | grep "$function" &&
		[ "$(member "$spawned" ranks) $(member "$spawned" ranks_seen)" = "$ranks $ranks" ] &&
		case ${spawner##*/} in "$(member "$spawned" parent)"-*) ;; *) false ;; esac
}
# Three processes by two commands, in one MPI_COMM_WORLD.
cat >several.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	char *commands[] = {argv[0], argv[0]};
	MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	MPI_Comm parent, inter;
	int size, remote;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL)
		MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, (int[]){2, 1}, infos, 0, MPI_COMM_WORLD, &inter,
					MPI_ERRCODES_IGNORE);
	else
		inter = parent;
	MPI_Barrier(inter);
	MPI_Comm_size(inter, &size);
	MPI_Comm_remote_size(inter, &remote);
	MPI_Comm_disconnect(&inter);
	MPI_Comm_rank(MPI_COMM_WORLD, &argc);
	if (parent == MPI_COMM_NULL && argc == 0)
		printf("%d and %d\n", size, remote);
	return MPI_Finalize();
}
END
"$MPICC" -o several several.c || exit 1
for pair in "$spawn:MPI_Comm_spawn:2" "$PWD/several:MPI_Comm_spawn_multiple:3"; do
	IFS=: read -r program function ranks <<<"$pair"
	sentence="a job that $function starts has a log of its own, which names the job that spawned it"
	if timeout 300 "$MPIEXEC" -n 2 "$program" >out 2>err; then
		check "$sentence" spawns "$program" "$function" "$ranks"
	else
		skip "$sentence" "MPI cannot spawn processes"
	fi
done

# ---- a job makes logs of those that were killed on its node before

die=$BUILD/test/mpi/usage_die
left() { find partial -name '*.node' | wc -l; }
# A rank that was killed may end a moment after the launcher: the node file is in use until then.
next_collects() {
	fresh
	timeout 300 "$MPIEXEC" -n 2 env LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$die" kill-all 40 >out 2>err
	[ "$(left)" = 1 ] && [ -z "$(logs)" ] || return 1
	for ((i = 1; i <= 50; i++)); do
		run 0 2 "$die" finalize 3 || return 1
		[ "$(left)" -gt 0 ] || break
		sleep 0.1
	done
	[ "$(left)" = 0 ] && [ "$(logs | wc -l)" = $((i + 1)) ] || return 1
	for log in $(logs); do echo "$(member "$log" end) $(cells "$log" | grep Allreduce)"; done | sort | uniq -c >found
	cat found
	grep -qx " *1 killed MPI_Allreduce 80" found && grep -qx " *$i finalize MPI_Allreduce 6" found
}
check "the next job makes the log of one that was killed" next_collects
leaves_others() {
	fresh && mkdir -p others
	timeout 300 "$MPIEXEC" -n 2 env LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" LLAMP_USAGE_DIR="$PWD/others" "$die" kill-all 40 >out 2>err
	sleep 0.5
	run 0 2 "$die" finalize 3 && [ "$(left)" = 1 ] && [ "$(logs | wc -l)" = 1 ]
}
check "... but not of one with another directory of logs" leaves_others
