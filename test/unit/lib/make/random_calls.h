/*
 * Random programs of MPI calls with their times, and what each call waits for, known to the generator.
 */
#ifndef TEST_RANDOM_CALLS_H
#define TEST_RANDOM_CALLS_H

#include "test/unit/lib/make/make_run.h"

enum { RANKS = 5, CALLS = 96, EVENTS = 8, LINKS = 4096 };

/* A call of a program, and what it waits for, as the generator knows. */
struct op {
	const char *function;
	int64_t enter, leave;
	int64_t sender, receiver, member; /* last begin of what it waits for; -1: nothing */
	uint32_t polls;			  /* tests that find nothing, in its time before it */
	bool polls_joined;		  /* ... which are one call in the trace */
	uint32_t vain; /* tests that it stands for, with computation between them */
	struct mpi_event events[EVENTS];
	uint32_t events_count;
};

/* A communication edge, from the start of a call to the end of another, through a time. */
struct link {
	uint32_t from_rank, from, to_rank, to;
	int64_t hub; /* of collectives: the last begin; else -1 */
	/* From a receive to its send, or in a scan: an edge only if the second call waits for the first. */
	bool if_waited;
};

/* A rank's part in a collective, by the calls that begin and complete it. */
struct taken_part {
	uint64_t collective; /* no other one has this number */
	uint32_t rank, begin, end;
};

struct pending {
	uint64_t request;
	struct mpi_event event; /* that completes it */
	uint32_t begin;
	bool send, synchronous, buffered;
	uint32_t peer, peer_begin; /* messages: the other half */
	uint32_t links[RANKS], link_count;
	int64_t until; /* collectives: the last begin that it waits for */
	uint32_t part; /* ... and number in parts */
};

struct program {
	uint64_t *numbers;
	uint32_t ranks;
	struct op ops[RANKS][CALLS];
	uint32_t counts[RANKS];
	int64_t clock[RANKS];
	struct pending open[RANKS][EVENTS];
	uint32_t open_counts[RANKS];
	struct link links[LINKS];
	uint32_t link_count;
	struct taken_part parts[LINKS];
	uint32_t part_count;
	uint64_t requests;
	uint32_t persistent; /* collectives so far */
	uint64_t ids;	     /* messages and collectives so far: their numbers of bytes */
	/* Recording is off on a rank from a call up to another one, if there is such a rank. */
	bool has_gap;
	uint32_t gap_rank, gap_from, gap_to;
	bool at_once;	   /* much is at the same time, begun by one call */
	bool knows_probes; /* the trace tells which messages probes have found */
	bool polls;	   /* requests are tested, with computation between the tests */
	uint32_t comms[3], comm_sizes[3], comm_ranks[3][RANKS];
};

/* The later of two times. */
static inline int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * Make a program of so many steps: a message, with or without a probe, one or several collectives, the
 * end of requests.
 */
void program_make(struct program *program, uint64_t *numbers, uint32_t steps);

/* Whether no rank has a call. */
bool program_is_empty(const struct program *program);

/* Time for which a call waits. */
int64_t program_wait_of(const struct op *op);

/*
 * Let recording be off on a rank for some calls; all ranks end in MPI_Finalize.  Returns false if the rank
 * has no calls, or tests requests.
 */
bool program_add_gap(struct program *program);

/* Number of a call in the run that the toolchain sees, or NO_CALL. */
uint32_t program_call_in_run(const struct program *program, uint32_t rank, uint32_t call);

/* Let the toolchain see the program, with the clocks of ranks set apart.  End with made_release. */
void program_run(struct made_run *made, const struct program *program, int64_t apart);

#endif
