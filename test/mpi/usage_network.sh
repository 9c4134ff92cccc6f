#!/bin/bash
# runs: every-mpi-long
# Test that the report finds a network whose parameters are known: a library behind the profiler in which messages take
# as long as the model says, and send nothing.
. "$SOURCE/test/cli/tap.sh"

usage=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib/libllampusage.so

# Nothing is shorter than 4 us, so that reading the clock and calling take few per cent.
cat >network.c <<'END'
#include <mpi.h>

static const double o = 4e-6, G = 0.5e-9;
static double latency(void);

static int take(double start, double seconds)
{
	while (MPI_Wtime() < start + seconds)
		;
	return MPI_SUCCESS;
}

/* A message of more than 4 KiB waits for its partner. */
static int message(int count, MPI_Datatype type, int overheads, int latencies, int waits)
{
	const double start = MPI_Wtime();
	int size;

	PMPI_Type_size(type, &size);
	if (!waits && count * size <= 4096)
		return take(start, o);
	return take(start, overheads * o + latencies * latency() + (count * (double)size - 1) * G);
}

int PMPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	return message(count, type, 2, 4, 0);
}

int PMPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	int size;

	PMPI_Type_size(type, &size);
	return count * size > 4096 ? message(count, type, 2, 4, 1) : message(count, type, 1, 2, 1);
}

int PMPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	PMPI_Status_set_elements(status, type, count);
	return message(count, type, 1, 2, 0);
}

#include <stdlib.h>

static double latency(void)
{
	return atof(getenv("NETWORK_LATENCY")) * 1e-9;
}
END
cat >program.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	static char data[1 << 17];
	MPI_Status status;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 40; i++)
		for (int bytes = 64; bytes <= 1 << 17; bytes *= 2) {
			MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
			MPI_Recv(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &status);
			MPI_Ssend(data, bytes / 8, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
		}
	return MPI_Finalize();
}
END
check "the programs can be built" eval '"$MPICC" -shared -fPIC -o network.so network.c && "$MPICC" -o program program.c'

# within NAME FOUND WANTED: by 10 %, as calls of a busy machine are late; the least of 40 is late by chance only.
within() { awk -v name="$1" -v found="$2" -v wanted="$3" 'BEGIN { print name, found, "wanted", wanted; exit !(found > 0.9 * wanted && found < 1.1 * wanted) }'; }
# network LATENCY-NS
network() {
	rm -rf logs usage.db && mkdir logs
	NETWORK_LATENCY=$1 LLAMP_USAGE_DIR=$PWD/logs LLAMP_USAGE_PARTIAL=off exits 0 timeout 300 "$MPIEXEC" -n 2 \
		env LD_PRELOAD="$usage:$PWD/network.so${LD_PRELOAD:+:$LD_PRELOAD}" ./program &&
		llamp-usage index logs -d usage.db >/dev/null &&
		llamp-usage report -d usage.db --figure network-parameters --format json >report.json || return 1
	read -r L o G S least most residual < <(/usr/bin/python3 -c '
import json
row, = json.load(open("report.json"))["figures"][0]["rows"]
print(*(row[key] for key in ("L_ns", "o_ns", "G_ns_per_byte", "S_bytes", "least_L_ns", "most_L_ns", "residual")))')
	within L "$L" "$1" && within o "$o" 4000 && within G "$G" 0.5 && within least "$least" "$1" && within most "$most" "$1" && [ "$S" = 4096 ]
}
once_in() { for _ in 1 2 3; do "$@" && return; done; return 1; }
check "L, o, G and S of a network are found in the log of a job" once_in network 20000
check "... and another L, with the same o, G and S" once_in network 60000
