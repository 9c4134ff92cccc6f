/*
 * Bursts of messages and all-to-alls: programs whose time the network interfaces decide.
 *
 *	mpiexec -n 8 bursts [--pattern send|isend|alltoall] [--messages N] [--bytes SIZE]
 *		[--rounds K]
 *
 * In each round every rank sends a burst of N messages to the next rank, by MPI_Send or
 * MPI_Isend, and receives one from the previous rank.  With alltoall, MPI_Alltoall exchanges a
 * block of SIZE bytes between every two ranks N times.  A rank begins the next round when it has
 * received everything.  A round therefore takes the latency once, and then as long as an
 * interface needs for all messages of the rank.
 *
 * Every message holds bytes that tell its round, number and receiver.
 */
#include "tally.h"

struct burst {
	int rank, ranks;
	int messages, bytes, rounds;
	enum { SEND, ISEND, ALLTOALL } pattern;
	unsigned char *sent, *received; /* of one round */
	MPI_Request *requests;
	long wrong; /* bytes */
};

static const char *const patterns[] = {"send", "isend", "alltoall"};

static unsigned char made(int round, int message, int receiver, int i)
{
	return (unsigned char)(round * 7 + message * 31 + receiver * 17 + i * 13);
}

static void fill(const struct burst *burst, int round, int message, int receiver,
		 unsigned char *block)
{
	for (int i = 0; i < burst->bytes; i++)
		block[i] = made(round, message, receiver, i);
}

static void inspect(struct burst *burst, int round, int message, const unsigned char *block)
{
	for (int i = 0; i < burst->bytes; i++)
		burst->wrong += block[i] != made(round, message, burst->rank, i);
}

/* Send a burst to the next rank, and receive one from the previous rank. */
static void pass(struct burst *burst, int round)
{
	int next = (burst->rank + 1) % burst->ranks;
	int previous = (burst->rank + burst->ranks - 1) % burst->ranks;
	int count = burst->messages;

	for (int m = 0; m < count; m++) {
		size_t at = (size_t)m * burst->bytes;

		fill(burst, round, m, next, burst->sent + at);
		MPI_Irecv(burst->received + at, burst->bytes, MPI_BYTE, previous, m, MPI_COMM_WORLD,
			  &burst->requests[m]);
		tally_receive(previous, burst->bytes);
	}
	for (int m = 0; m < burst->messages; m++) {
		unsigned char *block = burst->sent + (size_t)m * burst->bytes;

		if (burst->pattern == SEND)
			MPI_Send(block, burst->bytes, MPI_BYTE, next, m, MPI_COMM_WORLD);
		else
			MPI_Isend(block, burst->bytes, MPI_BYTE, next, m, MPI_COMM_WORLD,
				  &burst->requests[count++]);
		tally_send(next, burst->bytes);
	}
	MPI_Waitall(count, burst->requests, MPI_STATUSES_IGNORE);
	for (int m = 0; m < burst->messages; m++)
		inspect(burst, round, m, burst->received + (size_t)m * burst->bytes);
}

static void exchange_with_all(struct burst *burst, int round)
{
	for (int m = 0; m < burst->messages; m++) {
		for (int to = 0; to < burst->ranks; to++)
			fill(burst, round, m, to, burst->sent + (size_t)to * burst->bytes);
		MPI_Alltoall(burst->sent, burst->bytes, MPI_BYTE, burst->received, burst->bytes,
			     MPI_BYTE, MPI_COMM_WORLD);
		tally_collective("MPI_Alltoall");
		for (int from = 0; from < burst->ranks; from++)
			inspect(burst, round, m, burst->received + (size_t)from * burst->bytes);
	}
}

static int read_settings(struct burst *burst, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		int *setting = !strcmp(argv[i], "--messages") ? &burst->messages
			       : !strcmp(argv[i], "--bytes")  ? &burst->bytes
			       : !strcmp(argv[i], "--rounds") ? &burst->rounds
							      : NULL;

		if (setting && sscanf(value, "%d", setting) == 1)
			continue;
		if (strcmp(argv[i], "--pattern"))
			return 0;
		for (burst->pattern = SEND; strcmp(patterns[burst->pattern], value);)
			if (burst->pattern++ == ALLTOALL)
				return 0;
	}
	return burst->messages > 0 && burst->bytes >= 0 && burst->rounds > 0 && burst->ranks > 1;
}

int main(int argc, char **argv)
{
	struct burst burst = {.messages = 16, .bytes = 8192, .rounds = 20};
	size_t blocks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &burst.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &burst.ranks);
	if (!read_settings(&burst, argc, argv)) {
		if (burst.rank == 0)
			fprintf(stderr,
				"usage: bursts [--pattern send|isend|alltoall] [--messages N]"
				" [--bytes SIZE] [--rounds K]; at least 2 ranks\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	blocks = burst.pattern == ALLTOALL ? burst.ranks : burst.messages;
	burst.sent = calloc(blocks + 1, burst.bytes + 1);
	burst.received = calloc(blocks + 1, burst.bytes + 1);
	burst.requests = calloc(2 * (size_t)burst.messages, sizeof(MPI_Request));
	if (!burst.sent || !burst.received || !burst.requests)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int round = 0; round < burst.rounds; round++)
		if (burst.pattern == ALLTOALL)
			exchange_with_all(&burst, round);
		else
			pass(&burst, round);
	MPI_Allreduce(MPI_IN_PLACE, &burst.wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce");

	if (burst.rank == 0)
		printf("bursts: %d ranks, %d rounds of %d x %d bytes by %s:"
		       " %s (%ld bytes differ)\n",
		       burst.ranks, burst.rounds, burst.messages, burst.bytes,
		       patterns[burst.pattern], burst.wrong ? "WRONG" : "correct", burst.wrong);
	free(burst.sent);
	free(burst.received);
	free(burst.requests);
	tally_end();
	MPI_Finalize();
	return burst.wrong ? 1 : 0;
}
