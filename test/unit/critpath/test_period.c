/*
 * The walk through periods of a run, each on another process, against that of one process: long chains of
 * messages, whose calls begin and end at the same times as those of other ranks, and so as periods.
 */
#include "test/unit/lib/check/dist_check.h"
#include "test/unit/lib/make/make_run.h"
#include "test/unit/lib/make/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

enum { RANKS = 9, THREADS = 3, MESSAGES = 700, PROCESSES = 7 };
#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 10 };
#else
enum { ROUNDS = 30 };
#endif

struct op {
	const char *function;
	uint64_t enter, leave;
	uint32_t rank, thread;
	struct mpi_event event;
};

/* A chain of messages: each is sent after the one before has been received, by a thread of its receiver. */
struct chain {
	struct op ops[2 * MESSAGES];
	uint32_t count;
	uint64_t free_at[RANKS][THREADS]; /* the last call of the thread has ended */
};

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_message(struct chain *chain, uint32_t tag, uint32_t threads, uint64_t *now,
			uint32_t from, uint32_t to, uint64_t *numbers)
{
	struct op *send = &chain->ops[chain->count++], *recv = &chain->ops[chain->count++];
	uint64_t *sender, *receiver;

	*send = (struct op){"MPI_Send", 0, 0, from, (uint32_t)random_below(numbers, threads),
			    SEND(0, to, tag, 8)};
	*recv = (struct op){"MPI_Recv", 0, 0, to, (uint32_t)random_below(numbers, threads),
			    RECV(0, from, tag, 8)};
	sender = &chain->free_at[from][send->thread];
	receiver = &chain->free_at[to][recv->thread];
	send->enter = latest(*now, *sender) + random_below(numbers, 3);
	send->leave = *sender = send->enter + random_below(numbers, 3);
	/* Some messages were there before. */
	recv->enter = *receiver + random_below(numbers, latest(send->enter + 2, *receiver + 1) - *receiver);
	recv->leave = *now = *receiver = latest(recv->enter, send->enter) + 1 + random_below(numbers, 2);
}

static int compare(const void *a, const void *b)
{
	const struct op *x = a, *y = b;

	if (x->enter != y->enter)
		return x->enter < y->enter ? -1 : 1;
	return x->event.tag < y->event.tag ? -1 : x->event.tag > y->event.tag;
}

static void make_chain(struct chain *chain, uint32_t ranks, uint32_t threads, uint64_t *numbers)
{
	const uint32_t messages = 1 + (uint32_t)random_below(numbers, MESSAGES);
	uint32_t from = 0;
	uint64_t now = 0;

	memset(chain, 0, sizeof *chain);
	for (uint32_t i = 0; i < messages; i++) {
		const uint32_t to = (from + 1 + (uint32_t)random_below(numbers, ranks - 1)) % ranks;

		add_message(chain, i, threads, &now, from, to, numbers);
		from = to;
	}
	qsort(chain->ops, chain->count, sizeof *chain->ops, compare);
}

/* Find the walk of a chain by one process, and by several; clocks of ranks are `apart` from each other. */
static uint64_t check_chain(const struct chain *chain, uint32_t ranks, int64_t apart)
{
	struct made_run made;
	uint64_t rank_switches;

	made_begin(&made, ranks);
	for (uint32_t r = 0; r < ranks; r++)
		made.clocks_ns[r] = apart * (r % 3);
	for (uint32_t i = 0; i < chain->count; i++) {
		const struct op *op = &chain->ops[i];
		struct mpi_event event = op->event;

		made_take(&made, op->rank, &(struct mpi_call){.function = op->function,
							      .thread = op->thread,
							      .enter_ns = op->enter,
							      .leave_ns = op->leave,
							      .events = &event,
							      .event_count = 1});
	}
	made_end(&made);
	for (uint32_t processes = 1; processes <= PROCESSES; processes++)
		dist_check(&(struct found_alone){&made.run, &made.waits, &made.walk, &made.totals},
			    processes);
	rank_switches = made.walk.rank_switches;
	made_release(&made);
	return rank_switches;
}

static void check_chains(uint32_t threads, int64_t apart)
{
	struct chain *chain = malloc(sizeof *chain);
	uint64_t rank_switches = 0;

	assert_non_null(chain);
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		uint64_t numbers = seed;
		const uint32_t ranks = 2 + (uint32_t)(seed % (RANKS - 1));

		make_chain(chain, ranks, threads, &numbers);
		rank_switches += check_chain(chain, ranks, apart);
	}
	/* Paths go along many messages. */
	assert_true(rank_switches > 5 * ROUNDS);
	free(chain);
}

static void periods_are_followed_one_after_the_other(void **state)
{
	(void)state;
	check_chains(1, 0);
}

static void so_they_are_on_ranks_with_several_threads(void **state)
{
	(void)state;
	check_chains(THREADS, 0);
}

/* Then walks go to later periods, too. */
static void so_they_are_with_clocks_that_contradict_each_other(void **state)
{
	(void)state;
	check_chains(1, 4);
	check_chains(THREADS, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_are_followed_one_after_the_other),
		cmocka_unit_test(so_they_are_on_ranks_with_several_threads),
		cmocka_unit_test(so_they_are_with_clocks_that_contradict_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
