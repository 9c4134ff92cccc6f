/*
 * A pipeline: blocks of data travel once around a ring of ranks.
 *
 *	mpiexec -n 8 ring [--blocks N] [--count DOUBLES]
 *
 * Rank 0 creates the blocks and sends one after the other to rank 1.  Each rank
 * works on a block and passes it on; the last one sends it back to rank 0.
 * Every rank has two buffers and posts the receive of the next block first, so
 * that the next block travels while the rank works.  When the pipeline is full,
 * all ranks are busy.  Latency matters only while it fills and empties.
 *
 * Every rank adds its number plus one to each element, so that a block comes
 * back increased by p (p + 1) / 2.
 */
#include "tally.h"

struct pipeline {
	int rank, ranks, blocks, count;
	double *buffer[2];
};

static void work(const struct pipeline *pipeline, double *block)
{
	for (int i = 0; i < pipeline->count; i++)
		block[i] += pipeline->rank + 1;
}

/* Initial value of element i of a block. */
static double made(int block, int i)
{
	return block * 1000.0 + i;
}

static void receive(struct pipeline *pipeline, int block, MPI_Request *request)
{
	int from = (pipeline->rank + pipeline->ranks - 1) % pipeline->ranks;

	MPI_Irecv(pipeline->buffer[block % 2], pipeline->count, MPI_DOUBLE, from, block,
		  MPI_COMM_WORLD, request);
	tally_receive(from, pipeline->count * (long)sizeof(double));
}

static void pass_on(struct pipeline *pipeline, int block, double *data)
{
	int to = (pipeline->rank + 1) % pipeline->ranks;

	MPI_Send(data, pipeline->count, MPI_DOUBLE, to, block, MPI_COMM_WORLD);
	tally_send(to, pipeline->count * (long)sizeof(double));
}

/* All ranks but 0: receive, work, send. */
static void stage(struct pipeline *pipeline)
{
	MPI_Request requests[2];

	receive(pipeline, 0, &requests[0]);
	for (int block = 0; block < pipeline->blocks; block++) {
		if (block + 1 < pipeline->blocks)
			receive(pipeline, block + 1, &requests[(block + 1) % 2]);
		MPI_Wait(&requests[block % 2], MPI_STATUS_IGNORE);
		work(pipeline, pipeline->buffer[block % 2]);
		pass_on(pipeline, block, pipeline->buffer[block % 2]);
	}
}

/* Count the wrong elements of a returned block. */
static long wrong_elements(const struct pipeline *pipeline, int block)
{
	double added = 0.5 * pipeline->ranks * (pipeline->ranks + 1);
	long wrong = 0;

	for (int i = 0; i < pipeline->count; i++)
		wrong += pipeline->buffer[block % 2][i] != made(block, i) + added;
	return wrong;
}

/* Rank 0: create the blocks and take them back, with at most one block per rank under way. */
static long source_and_sink(struct pipeline *pipeline, double *data)
{
	MPI_Request requests[2];
	long wrong = 0;
	int sent = 0;

	for (int block = 0; block < pipeline->blocks; block++) {
		receive(pipeline, block, &requests[block % 2]);
		while (sent < pipeline->blocks && sent < block + pipeline->ranks) {
			for (int i = 0; i < pipeline->count; i++)
				data[i] = made(sent, i);
			work(pipeline, data);
			pass_on(pipeline, sent++, data);
		}
		MPI_Wait(&requests[block % 2], MPI_STATUS_IGNORE);
		wrong += wrong_elements(pipeline, block);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	struct pipeline pipeline = {.blocks = 40, .count = 4096};
	double *data;
	long wrong = 0;
	int usable = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &pipeline.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &pipeline.ranks);
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--blocks"))
			usable = usable && sscanf(value, "%d", &pipeline.blocks) == 1;
		else if (!strcmp(argv[i], "--count"))
			usable = usable && sscanf(value, "%d", &pipeline.count) == 1;
		else
			usable = 0;
	}
	if (!usable || pipeline.ranks < 2 || pipeline.blocks < 1 || pipeline.count < 0) {
		if (pipeline.rank == 0)
			fprintf(stderr,
				"usage: ring [--blocks N] [--count DOUBLES]; at least 2 ranks\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	data = calloc((size_t)pipeline.count + 1, sizeof(double));
	pipeline.buffer[0] = calloc((size_t)pipeline.count + 1, sizeof(double));
	pipeline.buffer[1] = calloc((size_t)pipeline.count + 1, sizeof(double));
	if (!data || !pipeline.buffer[0] || !pipeline.buffer[1])
		MPI_Abort(MPI_COMM_WORLD, 1);

	if (pipeline.rank == 0)
		wrong = source_and_sink(&pipeline, data);
	else
		stage(&pipeline);
	MPI_Bcast(&wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	tally_collective("MPI_Bcast");

	if (pipeline.rank == 0)
		printf("ring: %d blocks of %ld bytes through %d ranks: %s (%ld elements differ)\n",
		       pipeline.blocks, pipeline.count * (long)sizeof(double), pipeline.ranks,
		       wrong ? "WRONG" : "correct", wrong);
	free(data);
	free(pipeline.buffer[0]);
	free(pipeline.buffer[1]);
	tally_end();
	MPI_Finalize();
	return wrong ? 1 : 0;
}
