/*
 * Cost of event flow graphs beside a program: flow_calls.  Prints a line for each pattern of calls:
 * its name, and per call the ns of two reads of the tracer's clock, and of the builder with
 * statistics of times, for one thread and for several that may call at the same time.
 */
#include "common/machine/ticks.h"
#include "trace/flow/builder/flow_rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 400000, REPEATS = 7, NEIGHBOURS = 26, MOST_CALLS = 2 * NEIGHBOURS + 1 };

/* Processor time of this process, ns: others may run beside it. */
static uint64_t spent_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void must(int result, const struct error *err)
{
	if (result == 0)
		return;
	fprintf(stderr, "flow_calls: %s\n", err->text);
	exit(1);
}

/* Calls of an iteration; requests are counted on from iteration to iteration. */
struct pattern {
	const char *name;
	uint32_t count, requests;
	struct mpi_call calls[MOST_CALLS];
	struct mpi_event events[4 * NEIGHBOURS];
	uint32_t event_count;
};

static void add_call(struct pattern *pattern, const char *function, const struct mpi_event *events,
		     uint32_t count)
{
	struct mpi_call *call = &pattern->calls[pattern->count++];

	call->function = function;
	call->events = &pattern->events[pattern->event_count];
	call->event_count = count;
	for (uint32_t i = 0; i < count; i++)
		pattern->events[pattern->event_count++] = events[i];
}

static void make_patterns(struct pattern patterns[static 3])
{
	const struct mpi_event send = {.kind = EVENT_SEND, .peer = 1, .bytes = 8};
	const struct mpi_event recv = {.kind = EVENT_RECV, .peer = 1, .bytes = 8};
	const struct mpi_event sum = {.kind = EVENT_COLLECTIVE,
				      .collective = COLL_ALLREDUCE,
				      .root = NO_ROOT,
				      .bytes_sent = 16,
				      .bytes_received = 16,
				      .operation = "MPI_SUM"};
	struct mpi_event ends[2 * NEIGHBOURS];

	patterns[0].name = "ping-pong";
	add_call(&patterns[0], "MPI_Send", &send, 1);
	add_call(&patterns[0], "MPI_Recv", &recv, 1);
	patterns[1].name = "neighbours";
	patterns[1].requests = 2 * NEIGHBOURS;
	for (uint32_t i = 0; i < 2 * NEIGHBOURS; i++) {
		const bool receives = i < NEIGHBOURS;
		const struct mpi_event start = {.kind = receives ? EVENT_IRECV_REQUEST
								 : EVENT_ISEND,
						.peer = receives ? 0 : 1,
						.tag = i,
						.bytes = receives ? 0 : 8,
						.request = 1 + i};

		ends[i] = (struct mpi_event){.kind = receives ? EVENT_IRECV : EVENT_ISEND_COMPLETE,
					     .peer = receives ? 1 : 0,
					     .tag = receives ? i : 0,
					     .bytes = receives ? 8 : 0,
					     .request = 1 + i};
		add_call(&patterns[1], receives ? "MPI_Irecv" : "MPI_Isend", &start, 1);
	}
	add_call(&patterns[1], "MPI_Waitall", ends, 2 * NEIGHBOURS);
	patterns[2].name = "allreduce";
	add_call(&patterns[2], "MPI_Allreduce", &sum, 1);
}

static void next_requests(struct pattern *pattern)
{
	for (uint32_t i = 0; pattern->requests && i < pattern->event_count; i++)
		pattern->events[i].request += pattern->requests;
}

/* Add the calls; without a builder only do what is around that.  Returns the ns per call. */
static double add_calls(struct pattern *pattern, struct flow_rank_builder *builder)
{
	const uint64_t rounds = ROUNDS / pattern->count, start = spent_ns();
	uint64_t time_ns = 1000;
	struct error err;

	for (uint64_t round = 0; round < rounds; round++) {
		for (uint32_t i = 0; i < pattern->count; i++) {
			struct mpi_call *call = &pattern->calls[i];

			call->enter_ns = time_ns += 700 + (time_ns >> 3 & 63);
			call->leave_ns = time_ns += 300 + (time_ns >> 2 & 31);
			if (builder)
				must(flow_rank_call(builder, call, &err), &err);
		}
		next_requests(pattern);
	}
	return (double)(spent_ns() - start) / (double)(rounds * pattern->count);
}

static double clock_reads(void)
{
	const uint64_t start = spent_ns();

	for (int i = 0; i < ROUNDS; i++) {
		ticks_now();
		ticks_now();
	}
	return (double)(spent_ns() - start) / ROUNDS;
}

/* Least ns per call of some rounds, without what is around the builder. */
static double builder_ns(struct pattern *pattern, bool concurrent)
{
	const struct flow_options options = {.times = FLOW_TIMES_STATS,
					     .level = FLOW_BY_SITE,
					     .concurrent = concurrent};
	double least = 1e9;

	for (int i = 0; i < REPEATS; i++) {
		struct flow_rank_builder *builder;
		struct error err;
		double without = add_calls(pattern, NULL), with;

		must(flow_rank_begin(&builder, &options, 2, 0, &err), &err);
		must(flow_rank_comm(builder, 0, 0, 2, &err), &err);
		with = add_calls(pattern, builder) - without;
		flow_rank_release(builder);
		least = with < least ? with : least;
	}
	return least;
}

int main(void)
{
	static struct pattern patterns[3];

	ticks_choose(TICKS_SOURCE);
	make_patterns(patterns);
	for (int i = 0; i < 3; i++)
		printf("%s %.1f %.1f %.1f\n", patterns[i].name, clock_reads(),
		       builder_ns(&patterns[i], false), builder_ns(&patterns[i], true));
	return 0;
}
