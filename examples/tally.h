/*
 * A program's own count of its communication.
 *
 * With TALLY=PREFIX in the environment every rank writes PREFIX.RANK when
 * tally_end is called; each line is one of
 *
 *	send PEER MESSAGES BYTES
 *	recv PEER MESSAGES BYTES
 *	collective NAME CALLS
 *
 * where PEER is a rank of MPI_COMM_WORLD.  The tests compare this with the trace.
 */
#ifndef EXAMPLES_TALLY_H
#define EXAMPLES_TALLY_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally_pair {
	long messages, bytes;
};

enum { TALLY_COLLECTIVES = 16 };

static struct {
	int rank, size;
	struct tally_pair *sent, *received;	/* by rank of MPI_COMM_WORLD */
	struct { const char *name; long calls; } collectives[TALLY_COLLECTIVES];
} tally;

static inline void tally_begin(void)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &tally.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &tally.size);
	tally.sent = calloc(tally.size, sizeof *tally.sent);
	tally.received = calloc(tally.size, sizeof *tally.received);
	if (!tally.sent || !tally.received)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Count one message to or from a rank of MPI_COMM_WORLD; MPI_PROC_NULL is ignored. */
static inline void tally_send(int to, long bytes)
{
	if (to == MPI_PROC_NULL)
		return;
	tally.sent[to].messages++;
	tally.sent[to].bytes += bytes;
}

static inline void tally_receive(int from, long bytes)
{
	if (from == MPI_PROC_NULL)
		return;
	tally.received[from].messages++;
	tally.received[from].bytes += bytes;
}

/* Count one call of the collective `name`, a string constant such as "MPI_Bcast". */
static inline void tally_collective(const char *name)
{
	int i = 0;

	while (tally.collectives[i].name && strcmp(tally.collectives[i].name, name))
		i++;
	tally.collectives[i].name = name;
	tally.collectives[i].calls++;
}

/* Write the file if TALLY is set. */
static inline void tally_end(void)
{
	const char *prefix = getenv("TALLY");
	char path[4096];
	FILE *file;

	if (prefix) {
		snprintf(path, sizeof path, "%s.%d", prefix, tally.rank);
		file = fopen(path, "w");
		if (!file) {
			perror(path);
			MPI_Abort(MPI_COMM_WORLD, 1);
			return;
		}
		for (int i = 0; i < tally.size; i++) {
			if (tally.sent[i].messages)
				fprintf(file, "send %d %ld %ld\n", i, tally.sent[i].messages,
					tally.sent[i].bytes);
			if (tally.received[i].messages)
				fprintf(file, "recv %d %ld %ld\n", i, tally.received[i].messages,
					tally.received[i].bytes);
		}
		for (int i = 0; i < TALLY_COLLECTIVES && tally.collectives[i].name; i++)
			fprintf(file, "collective %s %ld\n", tally.collectives[i].name,
				tally.collectives[i].calls);
		fclose(file);
	}
	free(tally.sent);
	free(tally.received);
}

#endif
