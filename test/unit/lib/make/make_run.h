/*
 * A measured run made of calls in memory, without a trace, and its waits, walk and totals.
 *
 *	made_begin(&made, 2);
 *	made_call(&made, 0, "MPI_Send", 10, 20, (struct mpi_event)SEND(0, 1, 5, 8));
 *	made_call(&made, 1, "MPI_Recv", 10, 25, (struct mpi_event)RECV(0, 0, 5, 8));
 *	made_end(&made);
 *	... made.run, made.waits, made.walk, made.totals ...
 *	made_release(&made);
 *
 * Communicator 0 is MPI_COMM_WORLD, 1 is MPI_COMM_SELF.  Every rank begins with MPI_Init, which it
 * leaves at time 0 of the run.  All functions fail the test on an error.
 */
#ifndef TEST_MAKE_RUN_H
#define TEST_MAKE_RUN_H

#include "critpath/path/totals.h"

enum { MADE_RANKS = 16, MADE_COMMS = 8 };

/* Time of the clock at which the runs begin. */
#define MADE_BEGIN_NS UINT64_C(1000000)

struct made_run {
	struct trace_world world;
	struct trace_comm comms[MADE_COMMS];
	uint32_t members[MADE_COMMS][MADE_RANKS];
	struct measured_reading readings[MADE_RANKS];
	struct iteration_finder *finders[MADE_RANKS];
	struct iterations iterations[MADE_RANKS];
	int64_t clocks_ns[MADE_RANKS]; /* added to all times of a rank; 0 by default */
	struct measured_run run;
	struct waits waits;
	struct walk walk;
	struct totals totals;
};

void made_begin(struct made_run *made, uint32_t ranks);

/* Add a communicator of the ranks, and return its id. */
uint32_t made_comm(struct made_run *made, uint32_t size, const uint32_t *ranks);

/* Add a call of a thread from time to time. */
void made_take(struct made_run *made, uint32_t rank, const struct mpi_call *call);
#define made_thread_call(made, rank, thread_number, name, from, to, ...)                        \
	made_take((made), (rank),                                                               \
		  &(struct mpi_call){.function = (name),                                        \
				     .thread = (thread_number),                                 \
				     .enter_ns = (from),                                        \
				     .leave_ns = (to),                                          \
				     .events = (struct mpi_event[]){__VA_ARGS__},               \
				     .event_count = sizeof((struct mpi_event[]){__VA_ARGS__}) / \
						    sizeof(struct mpi_event)})
#define made_call(made, rank, name, from, to, ...) \
	made_thread_call(made, rank, 0, name, from, to, __VA_ARGS__)
#define made_plain(made, rank, name, from, to) \
	made_take((made), (rank),              \
		  &(struct mpi_call){.function = (name), .enter_ns = (from), .leave_ns = (to)})

/* Match the calls, no more. */
void made_match(struct made_run *made);

/*
 * Match the calls, find waits and path, and check the invariants of all runs, and that several
 * processes find the same.
 */
void made_end(struct made_run *made);
void made_release(struct made_run *made);

/* Check that segments tile the run, and that sums add up. */
void made_check(const struct measured_run *run, const struct waits *waits, const struct walk *walk,
		const struct totals *totals);

/*
 * Expect the path as text, "0 compute 0-10, 1 MPI_Recv 10-15": rank, function or category, and
 * times since the run began.
 */
void made_expect(const struct made_run *made, const char *path);

/* Expect the wait of a call, which counts from 0 for MPI_Init: its time, and the rank and call. */
void made_expect_wait(const struct made_run *made, uint32_t rank, uint32_t call, uint64_t ns,
		      uint32_t for_rank, uint32_t for_call);
void made_expect_no_wait(const struct made_run *made, uint32_t rank, uint32_t call);

/* Events besides those of feed.h. */
#define ROOTED(k, c, r)                                                         \
	{                                                                       \
		.kind = EVENT_COLLECTIVE, .collective = k, .comm = c, .root = r \
	}

#endif
