/* Waits for locks of windows, with times given to the nanosecond, and of random epochs. */
#include "critpath/tables/wait_groups.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/check/dist_methods_check.h"
#include "test/unit/lib/check/methods_check.h"
#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

enum { WINDOW = 3 };

#define LOCK(t, x) \
	{.kind = EVENT_RMA_LOCK, .comm = 0, .peer = (t), .window = WINDOW, .exclusive = (x)}
#define UNLOCK(t) {.kind = EVENT_RMA_UNLOCK, .comm = 0, .peer = (t), .window = WINDOW}
#define PUT(t, r) \
	{.kind = EVENT_RMA_PUT, .comm = 0, .peer = (t), .window = WINDOW, .request = (r)}
#define DONE(r) \
	{.kind = EVENT_RMA_COMPLETE_REMOTE, .comm = 0, .window = WINDOW, .request = (r)}

/* An epoch: calls from time to time. */
static void add_epoch(struct made_run *made, uint32_t rank, uint32_t target, bool exclusive,
		      const uint64_t times[static 4])
{
	const bool all = target == RMA_ALL;

	made_call(made, rank, all ? "MPI_Win_lock_all" : "MPI_Win_lock", times[0], times[1],
		  LOCK(target, exclusive));
	made_call(made, rank, all ? "MPI_Win_unlock_all" : "MPI_Win_unlock", times[2], times[3],
		  UNLOCK(target));
}

#define EPOCH(made, rank, target, exclusive, ...) \
	add_epoch((made), (rank), (target), (exclusive), (const uint64_t[]){__VA_ARGS__})

static void an_epoch_waits_for_the_end_of_the_one_before(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	EPOCH(&made, 0, 2, true, 1, 2, 30, 30);
	EPOCH(&made, 1, 2, true, 10, 11, 12, 35);
	made_end(&made);
	made_expect_no_wait(&made, 0, 1);
	made_expect_no_wait(&made, 0, 2);
	/* MPI_Win_lock returned without the lock. */
	made_expect_no_wait(&made, 1, 1);
	made_expect_wait(&made, 1, 2, 18, 0, 2);
	made_expect(&made, "0 compute 0-1, 0 MPI_Win_lock 1-2, 0 compute 2-30, "
			   "1 MPI_Win_unlock 30-35");
	made_release(&made);
}

static void of_several_that_had_the_lock_before_the_last_to_give_it_back_counts(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	EPOCH(&made, 0, 2, true, 1, 2, 40, 41);
	/* Began to give it back early, and got it after rank 0. */
	EPOCH(&made, 1, 2, true, 3, 4, 5, 43);
	EPOCH(&made, 2, 2, true, 3, 4, 12, 45);
	made_end(&made);
	made_expect_wait(&made, 1, 2, 35, 0, 2);
	made_expect_wait(&made, 2, 2, 28, 0, 2);
	made_release(&made);
}

static void locks_are_in_order_of_their_ends_if_the_library_waits_in_them(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	EPOCH(&made, 0, 2, true, 1, 2, 30, 60);
	/* Has the lock when rank 0 has begun to give it back, which takes longer. */
	EPOCH(&made, 1, 2, true, 3, 31, 40, 41);
	EPOCH(&made, 2, 2, true, 4, 42, 43, 44);
	made_end(&made);
	made_expect_no_wait(&made, 0, 2);
	made_expect_wait(&made, 1, 1, 27, 0, 2);
	made_expect_wait(&made, 2, 1, 36, 1, 2);
	made_release(&made);
}

static void an_epoch_has_its_lock_when_an_operation_is_complete_at_the_target(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Win_lock", 1, 2, LOCK(2, true));
	made_call(&made, 0, "MPI_Put", 2, 3, PUT(2, 7));
	made_call(&made, 0, "MPI_Win_flush", 4, 5, DONE(7));
	made_call(&made, 0, "MPI_Win_unlock", 30, 60, UNLOCK(2));
	EPOCH(&made, 1, 2, true, 3, 4, 20, 41);
	made_end(&made);
	made_expect_no_wait(&made, 0, 4);
	made_expect_wait(&made, 1, 2, 10, 0, 4);
	made_release(&made);
}

static void shared_locks_conflict_with_exclusive_ones_only(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 4);
	EPOCH(&made, 0, 2, false, 1, 2, 30, 31);
	EPOCH(&made, 1, 2, false, 1, 2, 20, 40);
	EPOCH(&made, 2, RMA_ALL, false, 1, 2, 50, 51);
	EPOCH(&made, 3, 2, true, 10, 60, 61, 62);
	EPOCH(&made, 0, 2, false, 40, 65, 66, 67);
	EPOCH(&made, 1, 1, true, 45, 46, 52, 53);
	made_end(&made);
	made_expect_no_wait(&made, 0, 2);
	made_expect_no_wait(&made, 1, 2);
	made_expect_no_wait(&made, 2, 2);
	made_expect_wait(&made, 3, 1, 40, 2, 2);
	made_expect_wait(&made, 0, 3, 21, 3, 2);
	/* Another rank of the window: only that of all ranks. */
	made_expect_no_wait(&made, 1, 3);
	made_release(&made);
}

static void a_flush_waits_for_the_lock_of_its_operations(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	EPOCH(&made, 0, 2, true, 1, 2, 30, 31);
	made_call(&made, 1, "MPI_Win_lock", 3, 4, LOCK(2, true));
	made_call(&made, 1, "MPI_Win_lock", 4, 5, LOCK(0, true));
	made_call(&made, 1, "MPI_Put", 5, 6, PUT(2, 7));
	made_call(&made, 1, "MPI_Put", 6, 7, PUT(0, 8));
	made_call(&made, 1, "MPI_Win_flush", 8, 9, DONE(8));
	made_call(&made, 1, "MPI_Win_flush", 10, 33, DONE(7), DONE(7));
	made_call(&made, 1, "MPI_Win_unlock", 34, 35, UNLOCK(2));
	made_call(&made, 1, "MPI_Win_unlock", 36, 37, UNLOCK(0));
	made_end(&made);
	made_expect_no_wait(&made, 1, 5);
	made_expect_wait(&made, 1, 6, 20, 0, 2);
	made_expect_no_wait(&made, 1, 7);
	made_expect_no_wait(&made, 1, 8);
	made_release(&made);
}

static void a_flush_under_a_lock_of_all_ranks_waits_for_no_lock(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	EPOCH(&made, 0, 2, true, 1, 2, 30, 31);
	made_call(&made, 1, "MPI_Win_lock_all", 3, 4, LOCK(RMA_ALL, false));
	made_call(&made, 1, "MPI_Put", 5, 6, PUT(2, 7));
	made_call(&made, 1, "MPI_Win_flush", 10, 33, DONE(7));
	made_call(&made, 1, "MPI_Win_unlock_all", 34, 35, UNLOCK(RMA_ALL));
	made_end(&made);
	made_expect_no_wait(&made, 1, 3);
	made_release(&made);
}

static void flushes_under_many_locks_wait_for_theirs(void **state)
{
	enum { TARGETS = 2000, ROUNDS = 5 };
	struct made_run made;
	uint64_t now = 10;

	(void)state;
	made_begin(&made, 3);
	EPOCH(&made, 0, 7, true, 1, 2, 900000, 900001);
	for (uint32_t t = 0; t < TARGETS; t++, now++)
		made_call(&made, 1, "MPI_Win_lock", now, now + 1, LOCK(t, false));
	for (uint32_t i = 0; i < TARGETS * ROUNDS; i++, now += 2) {
		made_call(&made, 1, "MPI_Put", now, now + 1, PUT(i % TARGETS, 1 + i));
		made_call(&made, 1, "MPI_Win_flush", now + 1, now + 2, DONE(1 + i));
	}
	made_call(&made, 1, "MPI_Put", now, now + 1, PUT(7, 3));
	made_call(&made, 1, "MPI_Win_flush", now + 1, 900005, DONE(3));
	made_call(&made, 1, "MPI_Win_unlock", 900005, 900006, UNLOCK(7));
	made_end(&made);
	made_expect_wait(&made, 1, TARGETS * (1 + 2 * ROUNDS) + 2, 900000 - now - 1, 0, 2);
	made_expect_no_wait(&made, 1, TARGETS * (1 + 2 * ROUNDS) + 3);
	made_release(&made);
}

static void a_lock_that_is_never_given_back_delays_nobody(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Win_lock", 1, 2, LOCK(1, true));
	EPOCH(&made, 1, 1, true, 1, 2, 3, 20);
	/* Of no epoch. */
	made_call(&made, 1, "MPI_Win_unlock", 21, 22, UNLOCK(0));
	made_end(&made);
	made_expect_no_wait(&made, 1, 2);
	made_release(&made);
}

static void waits_for_locks_have_a_pattern(void **state)
{
	struct wait_groups groups;
	struct wait_items items;
	struct made_run made;
	struct error err;

	(void)state;
	made_begin(&made, 3);
	EPOCH(&made, 0, 2, true, 1, 2, 30, 30);
	EPOCH(&made, 1, 2, true, 10, 10, 12, 35);
	made_end(&made);
	MUST(wait_items_find(&items, &made.waits, &err));
	MUST(wait_groups_find(&groups, &made.waits, &items, WAITS_BY_RANK, PATTERN_LOCK,
			      dist_alone(), &err));
	assert_int_equal(groups.patterns[PATTERN_LOCK].waits, 1);
	assert_int_equal(groups.patterns[PATTERN_LOCK].ns, 18);
	assert_int_equal(groups.all.ns, 18);
	assert_int_equal(groups.groups.count, 1);
	assert_int_equal(groups.groups.items[0].number, 1);
	assert_int_equal(groups.groups.items[0].cause, 0);
	wait_groups_release(&groups);
	wait_items_release(&items);
	made_release(&made);
}

/* --------------------------------------------------------------------- at random */

enum { RANDOM_RANKS = 5, RANDOM_EPOCHS = 6, FIRST_WINDOW = 2, RANDOM_WINDOWS = 3 };

/* Calls of an epoch: call i is from times[i] to times[i + 1]. */
enum { CALL_LOCK, CALL_FLUSH, CALL_UNLOCK };

struct random_epoch {
	uint32_t window, target;
	bool exclusive;
	bool flushes; /* an operation between lock and unlock */
	uint64_t times[4];
};

static void make_epochs(struct random_epoch epochs[RANDOM_RANKS][RANDOM_EPOCHS], uint64_t *numbers)
{
	for (uint32_t r = 0; r < RANDOM_RANKS; r++) {
		uint64_t now = 0;

		for (uint32_t e = 0; e < RANDOM_EPOCHS; e++) {
			struct random_epoch *epoch = &epochs[r][e];

			epoch->window = FIRST_WINDOW +
					(uint32_t)random_below(numbers, RANDOM_WINDOWS);
			epoch->target = (uint32_t)random_below(numbers, 3);
			epoch->flushes = e % 3 == 2;
			epoch->exclusive = random_below(numbers, 2);
			if (random_below(numbers, 5) == 0) {
				epoch->target = RMA_ALL;
				epoch->exclusive = false;
			}
			for (int i = 0; i < 4; i++)
				epoch->times[i] = now += random_below(numbers, i % 2 ? 20 : 8);
		}
	}
}

/* Add the epochs of a rank. */
static void add_random_epochs(struct made_run *made, uint32_t rank,
			      const struct random_epoch epochs[RANDOM_EPOCHS])
{
	for (uint32_t e = 0; e < RANDOM_EPOCHS; e++) {
		const struct random_epoch *epoch = &epochs[e];
		const uint64_t *times = epoch->times;
		struct mpi_event lock = LOCK(epoch->target, epoch->exclusive);
		struct mpi_event put = PUT(epoch->target == RMA_ALL ? 0 : epoch->target, 1 + e);
		struct mpi_event done = DONE(1 + e), unlock = UNLOCK(epoch->target);

		lock.window = put.window = done.window = unlock.window = epoch->window;
		made_call(made, rank, "MPI_Win_lock", times[0], times[1], lock);
		if (epoch->flushes) {
			made_call(made, rank, "MPI_Put", times[1], times[1], put);
			made_call(made, rank, "MPI_Win_flush", times[1], times[2], done);
		}
		made_call(made, rank, "MPI_Win_unlock", times[2], times[3], unlock);
	}
}

static bool conflict(const struct random_epoch *a, const struct random_epoch *b)
{
	return a->window == b->window &&
	       (a->target == b->target || a->target == RMA_ALL || b->target == RMA_ALL) &&
	       (a->exclusive || b->exclusive);
}

/* Whether two epochs of a window that conflict are between their calls at once: MPI_Win_lock does not wait. */
static bool is_lazy(struct random_epoch epochs[RANDOM_RANKS][RANDOM_EPOCHS], uint32_t window)
{
	for (uint32_t a = 0; a < RANDOM_RANKS * RANDOM_EPOCHS; a++)
		for (uint32_t b = 0; b < a; b++) {
			const struct random_epoch *x = &epochs[a / RANDOM_EPOCHS][a % RANDOM_EPOCHS];
			const struct random_epoch *y = &epochs[b / RANDOM_EPOCHS][b % RANDOM_EPOCHS];

			if (x->window == window && conflict(x, y) && x->times[1] < y->times[2] &&
			    y->times[1] < x->times[2])
				return true;
		}
	return false;
}

/* When an epoch had its lock for sure. */
static uint64_t had_ns(const struct random_epoch *epoch, bool lazy)
{
	const bool flushed = epoch->flushes && epoch->target != RMA_ALL;

	return epoch->times[lazy && !flushed ? 3 : 2];
}

/* Time for which a call of an epoch waits, by all pairs. */
static uint64_t wait_of(struct random_epoch epochs[RANDOM_RANKS][RANDOM_EPOCHS], uint32_t rank,
			uint32_t number, int call)
{
	const struct random_epoch *own = &epochs[rank][number];
	const uint64_t enter_ns = own->times[call], leave_ns = own->times[call + 1];
	const bool lazy = is_lazy(epochs, own->window);
	uint64_t until_ns = enter_ns;

	if (call == CALL_FLUSH && own->target == RMA_ALL)
		return 0;
	for (uint32_t r = 0; r < RANDOM_RANKS; r++)
		for (uint32_t e = 0; e < RANDOM_EPOCHS; e++) {
			const struct random_epoch *other = &epochs[r][e];
			const uint64_t other_ns = had_ns(other, lazy), own_ns = had_ns(own, lazy);
			const bool first = !lazy && other->times[1] != own->times[1]
						   ? other->times[1] < own->times[1]
						   : r < rank;
			const bool before = other_ns < own_ns || (other_ns == own_ns && first);

			if (r != rank && before && conflict(own, other) &&
			    other->times[2] > until_ns)
				until_ns = other->times[2];
		}
	return until_ns <= leave_ns ? until_ns - enter_ns : 0;
}

/* Check the waits of a rank, and add them to those of each kind of calls. */
static void check_waits(const struct made_run *made,
			struct random_epoch epochs[RANDOM_RANKS][RANDOM_EPOCHS], uint32_t rank,
			uint64_t waited[3])
{
	uint32_t number = 1;

	for (uint32_t e = 0; e < RANDOM_EPOCHS; e++)
		for (int call = CALL_LOCK; call <= CALL_UNLOCK; call++) {
			const uint64_t ns = wait_of(epochs, rank, e, call);

			if (call == CALL_FLUSH && !epochs[rank][e].flushes)
				continue;
			number += call == CALL_FLUSH; /* the operation */
			assert_int_equal(wait_ns(&made->waits, rank, number++), ns);
			waited[call] += ns;
		}
}

static void waits_of_random_epochs_are_those_of_all_pairs(void **state)
{
	struct random_epoch epochs[RANDOM_RANKS][RANDOM_EPOCHS];
	uint64_t numbers = 17, waited[3] = {0}, sync_points = 0;

	(void)state;
	for (uint32_t i = 0; i < 400; i++) {
		struct made_run made;

		make_epochs(epochs, &numbers);
		made_begin(&made, RANDOM_RANKS);
		for (uint32_t r = 0; r < RANDOM_RANKS; r++)
			add_random_epochs(&made, r, epochs[r]);
		made_end(&made);
		for (uint32_t r = 0; r < RANDOM_RANKS; r++)
			check_waits(&made, epochs, r, waited);
		assert_int_equal(methods_check(&made, &made.waits, i, &sync_points), 0);
		dist_methods_check(&made, &made.waits, 1 + i % 7, i % 20, 0);
		made_release(&made);
	}
	for (int call = CALL_LOCK; call <= CALL_UNLOCK; call++)
		assert_true(waited[call] > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_epoch_waits_for_the_end_of_the_one_before),
		cmocka_unit_test(
			of_several_that_had_the_lock_before_the_last_to_give_it_back_counts),
		cmocka_unit_test(locks_are_in_order_of_their_ends_if_the_library_waits_in_them),
		cmocka_unit_test(an_epoch_has_its_lock_when_an_operation_is_complete_at_the_target),
		cmocka_unit_test(shared_locks_conflict_with_exclusive_ones_only),
		cmocka_unit_test(a_flush_waits_for_the_lock_of_its_operations),
		cmocka_unit_test(a_flush_under_a_lock_of_all_ranks_waits_for_no_lock),
		cmocka_unit_test(flushes_under_many_locks_wait_for_theirs),
		cmocka_unit_test(a_lock_that_is_never_given_back_delays_nobody),
		cmocka_unit_test(waits_for_locks_have_a_pattern),
		cmocka_unit_test(waits_of_random_epochs_are_those_of_all_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
