/*
 * Smallest sink: count the calls of all MPI functions, and print the sums over all ranks in
 * MPI_Finalize, on stderr: "count_calls: MPI_Send 12", in the order of mpi_functions.def.
 *
 *	LD_PRELOAD=build/test/mpi/count_calls-mpich.so mpiexec -n 4 ./app
 */
#include "common/array.h"
#include "common/machine/ticks.h"
#include "pmpi/library.h"
#include "pmpi/process.h"
#include "pmpi/sink.h"
#include "pmpi/together.h"
#include "trace/call/mpi_functions.h"

#include <stdio.h>
#include <stdlib.h>

/* Counts of one recorder. */
struct counts {
	uint64_t calls[MPI_FUNCTION_COUNT];
	struct counts *next;
};

static struct counts *all;

/* Read the tracer's clock, so that what it costs can be compared (bench/flow). */
__attribute__((constructor)) static void choose_clock(void)
{
	ticks_choose(TICKS_SOURCE);
}

static void *thread_begin(uint32_t number, struct error *err)
{
	struct counts *counts;

	(void)number;
	if (allocate(&counts, 1, sizeof *counts, err) < 0)
		return NULL;
	counts->next = all;
	return all = counts;
}

static int count(void *recorder, unsigned function, const struct mpi_call *call, struct error *err)
{
	struct counts *counts = recorder;

	(void)call;
	(void)err;
	counts->calls[function]++;
	return 0;
}

static int end(bool together, struct error *err)
{
	uint64_t own[MPI_FUNCTION_COUNT] = {0}, sums[MPI_FUNCTION_COUNT];
	uint64_t least = process.rank == 0 ? UINT64_MAX : 7; /* as signed numbers: -1 */

	(void)err;
	for (const struct counts *counts = all; counts; counts = counts->next)
		for (int i = 0; i < MPI_FUNCTION_COUNT; i++)
			own[i] += counts->calls[i];
	if (!together)
		return 0;
	if (together_least(&least, 1) && process.rank == 0)
		fprintf(stderr, "%s: least of ranks %llu\n", sink.name, (unsigned long long)least);
	PMPI_Reduce(own, sums, MPI_FUNCTION_COUNT, MPI_UINT64_T, MPI_SUM, 0, process.comm);
	for (int i = 0; i < MPI_FUNCTION_COUNT && process.rank == 0; i++)
		if (sums[i])
			fprintf(stderr, "%s: %s %llu\n", sink.name, mpi_functions[i].name,
				(unsigned long long)sums[i]);
	return 0;
}

static void failed(const struct error *err)
{
	fprintf(stderr, "%s: rank %d: %s\n", sink.name, process.rank, err->text);
}

const struct sink sink = {
	.name = "count_calls",
	.needs = SINK_CALLS,
	.thread_begin = thread_begin,
	.call = count,
	.end = end,
	.failed = failed,
};
