/*
 * Messages that are completed late: does the network work while the ranks compute?
 *
 *	mpiexec -n 2 late [--bytes SIZE] [--compute MICROSECONDS] [--test MICROSECONDS] [--rounds K]
 *
 * In each round every rank begins to receive a message from the previous rank and to send one to the next
 * rank, computes, and only then waits for both.  With --test it calls MPI_Testall after every so many
 * microseconds of computation, in which a library without a progress thread moves the messages, too.
 *
 * It prints the time of a round on rank 0, without making and checking the messages.  If that is the longer one of
 * computation and messages, they overlap; if it is their sum they do not.
 */
#include "tally.h"

struct late {
	int rank, ranks;
	int bytes, rounds;
	int compute_us, test_us; /* test_us 0: no tests */
	unsigned char *sent, *received;
	long wrong; /* bytes */
};

static unsigned char made(int round, int sender, int i)
{
	return (unsigned char)(round * 7 + sender * 31 + i * 13);
}

static void compute_for(int microseconds)
{
	const double end = MPI_Wtime() + microseconds * 1e-6;

	while (MPI_Wtime() < end)
		;
}

/* Compute, with tests of the two requests between. */
static void compute(const struct late *late, MPI_Request requests[2])
{
	int left = late->compute_us, complete;

	for (; late->test_us && left > late->test_us; left -= late->test_us) {
		compute_for(late->test_us);
		MPI_Testall(2, requests, &complete, MPI_STATUSES_IGNORE);
	}
	compute_for(left);
}

/* Exchange messages beside the computation.  Returns its time in seconds. */
static double exchange(struct late *late)
{
	const int next = (late->rank + 1) % late->ranks;
	const int previous = (late->rank + late->ranks - 1) % late->ranks;
	MPI_Request requests[2];
	double start;

	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier");
	start = MPI_Wtime();
	MPI_Irecv(late->received, late->bytes, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &requests[0]);
	tally_receive(previous, late->bytes);
	MPI_Isend(late->sent, late->bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[1]);
	tally_send(next, late->bytes);
	compute(late, requests);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	return MPI_Wtime() - start;
}

static double do_round(struct late *late, int round)
{
	const int previous = (late->rank + late->ranks - 1) % late->ranks;
	double elapsed;

	for (int i = 0; i < late->bytes; i++)
		late->sent[i] = made(round, late->rank, i);
	elapsed = exchange(late);
	for (int i = 0; i < late->bytes; i++)
		late->wrong += late->received[i] != made(round, previous, i);
	return elapsed;
}

static int read_settings(struct late *late, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		int *setting = !strcmp(argv[i], "--bytes")     ? &late->bytes
			       : !strcmp(argv[i], "--compute") ? &late->compute_us
			       : !strcmp(argv[i], "--test")    ? &late->test_us
			       : !strcmp(argv[i], "--rounds")  ? &late->rounds
							       : NULL;

		if (!setting || sscanf(value, "%d", setting) != 1)
			return 0;
	}
	return late->bytes >= 0 && late->rounds > 0 && late->compute_us >= 0 &&
	       late->test_us >= 0 && late->ranks > 1;
}

int main(int argc, char **argv)
{
	struct late late = {.bytes = 1 << 20, .rounds = 100, .compute_us = 1000};
	double elapsed = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &late.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &late.ranks);
	if (!read_settings(&late, argc, argv)) {
		if (late.rank == 0)
			fprintf(stderr, "usage: late [--bytes SIZE] [--compute MICROSECONDS] "
					"[--test MICROSECONDS] [--rounds K]; at least 2 ranks\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	late.sent = calloc(1, late.bytes + 1);
	late.received = calloc(1, late.bytes + 1);
	if (!late.sent || !late.received)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int round = 0; round < late.rounds; round++)
		elapsed += do_round(&late, round);
	MPI_Allreduce(MPI_IN_PLACE, &late.wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce");
	if (late.rank == 0)
		printf("late: %d ranks, %d rounds of %d bytes and %d us: %.1f us a round, %s (%ld bytes differ)\n",
		       late.ranks, late.rounds, late.bytes, late.compute_us,
		       elapsed / late.rounds * 1e6, late.wrong ? "WRONG" : "correct", late.wrong);
	free(late.sent);
	free(late.received);
	tally_end();
	MPI_Finalize();
	return late.wrong ? 1 : 0;
}
