#!/bin/bash
# runs: every-mpi-long
# Test logs of jobs on two hosts, also where one of them lacks the profiler.
. "$SOURCE/test/mpi/hosts.sh"

usage=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib/libllampusage.so
if ! make_hosts; then
	skip "a job on two hosts leaves one log" "$no_hosts"
	exit
fi
# Each rank sends to the next one: half of the messages of four ranks go to the other host.
cat >ring.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, size, token;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 5; i++) {
		MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
		MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return MPI_Finalize();
}
END
check "the program can be built" "$MPICC" -o ring ring.c

# job NODE...: run the program, with the profiler on these nodes
job() {
	rm -rf logs partial && mkdir logs partial
	between_hosts 4 env LLAMP_USAGE_DIR="$PWD/logs" LLAMP_USAGE_PARTIAL=/dev/shm sh -c \
		"case '$*' in *\$(hostname)*) export LD_PRELOAD=$usage\${LD_PRELOAD:+:\$LD_PRELOAD} ;; esac; exec ./ring"
	find logs -name '*.usage' >found
	[ $status = 0 ] || { echo "status $status"; cat out err; return 1; }
}
# facts: of the only log, and its calls of MPI_Send by place
facts() {
	[ "$(wc -l <found)" = 1 ] || { cat found err; return 1; }
	zstd -dcq "$(cat found)" | /usr/bin/python3 -c '
import json, sys
log = json.load(sys.stdin)
cells = log["cells"]
sends = {place: calls for name, place, calls in zip(cells["function"], cells["place"], cells["calls"]) if name == "MPI_Send"}
print(log["end"], log["ranks"], log["ranks_seen"], log["nodes"], log["ranks_per_node"]["ranks"], log["ranks_per_node"]["nodes"], *sorted(sends.items()))'
}
left() { { on_host 1 "ls /dev/shm"; on_host 2 "ls /dev/shm"; } | grep llamp-usage; }
one_log() { job node1 node2 && facts >said && { cat said; grep -qx "finalize 4 4 2 \[2\] \[2\] (1, 10) (2, 10)" said; } && ! left; }
check "a job on two hosts leaves one log, which knows the messages between them" one_log
half() { job node1 && facts >said && { cat said; grep -qx "finalize 4 2 0 \[2\] \[1\] (1, 5) (2, 5)" said; } && ! left; }
check "a host without the profiler is not waited for, and the other one leaves a log" half
