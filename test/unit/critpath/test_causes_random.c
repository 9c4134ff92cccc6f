/*
 * Causes of waits in random programs: they are those of the definition (test/unit/lib/oracle/causes_brute.h), and
 * waiting changes with the program as they say.  With PROGRAMS in the environment that many programs are made.
 */
#include "critpath/causes/wait_causes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "test/unit/lib/make/make_play.h"
#include "test/unit/lib/make/random_calls.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/causes_brute.h"

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 40 };
#else
enum { PROGRAMS = 30 };
#endif

static uint64_t programs = PROGRAMS; /* of each test */

static const struct wait_causes_options without_ends = {.no_end = true}, with_ends = {0};

static void find(struct wait_causes *causes, const struct made_run *made,
		 const struct wait_causes_options *options)
{
	struct error err;

	MUST(wait_causes_find(causes, &made->waits, &made->walk, options, dist_alone(), &err));
}

/* ------------------------------------------------------------------- definition */

static uint64_t code_of(const struct brute_cause *cause)
{
	switch (cause->kind) {
	case 2:
		return cell_code(NO_FUNCTION, NO_SITE, CELL_CALL);
	case 3:
		return cell_code(NO_FUNCTION, NO_SITE, CELL_COMPUTE);
	default:
		return cell_code(cause->function, NO_SITE, (enum cell_kind)cause->kind);
	}
}

static double in_ns(__int128 as)
{
	return (double)as / (double)AS_PER_NS;
}

/* Check that all rows are those of the definition. */
static void check_rows(const struct wait_causes *causes, const struct brute_causes *expected,
		       uint64_t seed)
{
	__int128 sum_as = 0;
	size_t found = 0;

	for (size_t i = 0; i < expected->count; i++) {
		const struct brute_cause *cause = &expected->list[i];
		const uint64_t code = code_of(cause);
		const struct cause_row *row = NULL;

		for (size_t k = 0; k < causes->rows.list.count && !row; k++)
			if (causes->rows.list.items[k].key.first == cause->rank &&
			    causes->rows.list.items[k].key.second == code)
				row = &causes->rows.list.items[k];
		if (!row && cause->cost_ns < 1e-6 && cause->weighted_ns == 0)
			continue;
		if (!row || fabs(in_ns(row->cost_as) - cause->cost_ns) > 1e-6 ||
		    fabs(in_ns(row->direct_as) - cause->direct_ns) > 1e-6 ||
		    row->weighted_ns != cause->weighted_ns)
			fail_msg("seed %lu: cause of rank %u, kind %d", seed, cause->rank,
				 cause->kind);
		found++;
	}
	assert_int_equal(found, causes->rows.list.count);
	for (size_t i = 0; i < causes->rows.list.count; i++) {
		assert_true(causes->rows.list.items[i].direct_as >= 0);
		assert_true(causes->rows.list.items[i].cost_as >=
			    causes->rows.list.items[i].direct_as);
		sum_as += causes->rows.list.items[i].cost_as;
	}
	assert_true(sum_as == (__int128)expected->wait_ns * AS_PER_NS);
	assert_int_equal(causes->calls.ns + causes->ends.ns, expected->wait_ns);
	assert_int_equal(causes->unknown_ns, 0);
}

static void check_definition(const struct made_run *made, bool ends, uint64_t seed)
{
	struct brute_causes expected;
	struct wait_causes causes;

	find(&causes, made, ends ? &with_ends : &without_ends);
	causes_brute_find(&expected, &made->waits, ends);
	check_rows(&causes, &expected, seed);
	causes_brute_release(&expected);
	wait_causes_release(&causes);
}

static void causes_are_those_of_the_definition(void **state)
{
	struct program *program = malloc(sizeof *program);

	(void)state;
	for (uint64_t seed = 0; program && seed < programs; seed++) {
		uint64_t numbers = seed;
		struct made_run made;

		program_make(program, &numbers, 1 + (uint32_t)(seed % (seed % 4 ? 8 : 30)));
		if (program_is_empty(program))
			continue;
		program_run(&made, program, 0);
		check_definition(&made, false, seed);
		made_release(&made);
	}
	free(program);
}

/* ------------------------------------------------------------------------- play */

enum { PLAY_RANKS = 5, LENGTH = 40 };

/* A change of a random play. */
struct change {
	uint32_t longer; /* number of a computation, or UINT32_MAX */
	uint64_t by_ns;
	uint32_t turned;  /* added to the numbers of ranks, modulo their number */
	int64_t apart_ns; /* between the clocks of neighbouring ranks */
	uint64_t unit_ns;
	uint64_t balanced_ns; /* of computation on all ranks before each barrier */
};

static const struct change unchanged = {.longer = UINT32_MAX, .unit_ns = 1};

/* Names of computations: each is a cell of its own. */
static const char *name_of(uint32_t number)
{
	static char names[LENGTH * PLAY_RANKS][16];

	snprintf(names[number], sizeof names[number], "work%u", number);
	return names[number];
}

/* Make a play in which each rank computes before it communicates; `same` names do so in all. */
static void make_play(struct play *play, uint64_t seed, uint32_t length, bool same,
		      const struct change *change)
{
	uint64_t numbers = seed;
	const uint32_t ranks = 2 + (uint32_t)random_below(&numbers, PLAY_RANKS - 1);
	uint32_t count = 0;

	play_begin(play, ranks);
	play->unit_ns = change->unit_ns;
	for (uint32_t r = 0; r < ranks; r++)
		play->made.clocks_ns[r] = change->apart_ns;
	for (uint32_t i = 0; i < length; i++) {
		const uint32_t a = (uint32_t)random_below(&numbers, ranks);
		const uint32_t b = (a + 1 + (uint32_t)random_below(&numbers, ranks - 1)) % ranks;
		const uint32_t from = (a + change->turned) % ranks;
		const uint32_t to = (b + change->turned) % ranks;
		const uint64_t ns = random_below(&numbers, 4) * 1000 + random_below(&numbers, 997);

		if (random_below(&numbers, 3))
			play_compute(play, from, same ? "work" : name_of(count),
				     ns + (change->longer == count ? change->by_ns : 0));
		count++;
		switch (random_below(&numbers, 8)) {
		case 0:
			for (uint32_t r = 0; r < ranks && change->balanced_ns; r++)
				play_compute(play, r, "balanced", change->balanced_ns);
			play_barrier(play);
			break;
		case 1:
			play_synchronous(play, from, to);
			break;
		case 2:
		case 3:
			break;
		default:
			play_message(play, from, to);
		}
	}
	play_end(play);
}

static void causes_in_plays_are_those_of_the_definition(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < programs; seed++) {
		struct play play;

		make_play(&play, seed, LENGTH, seed % 2, &unchanged);
		check_definition(&play.made, true, seed);
		check_definition(&play.made, false, seed);
		made_release(&play.made);
	}
}

/* Of many calls without waits between, marks tell the sums (critpath/causes/stretch_pieces.h). */
static void long_stretches_are_summed_up_by_marks(void **state)
{
	struct play play;
	uint64_t numbers = 7;

	(void)state;
	play_begin(&play, 3);
	for (uint32_t i = 0; i < 2000; i++) {
		play_compute(&play, 0, name_of((uint32_t)random_below(&numbers, 3)),
			     1 + random_below(&numbers, 5));
		if (!random_below(&numbers, 300)) {
			const uint32_t to = 1 + (uint32_t)random_below(&numbers, 2);

			play_compute(&play, to, name_of(1), 1);
			play_message(&play, 0, to);
		}
	}
	play_end(&play);
	assert_int_not_equal(play.made.totals.sum.wait_ns, 0);
	check_definition(&play.made, true, 0);
	made_release(&play.made);
}

/* ---------------------------------------------------------------------- slopes */

/* Whether the same calls wait for the same ones, and the same rank ends last. */
static bool same_decisions(const struct made_run *a, const struct made_run *b)
{
	if (a->run.last_rank != b->run.last_rank)
		return false;
	for (uint32_t r = 0; r < a->run.rank_count; r++)
		for (uint32_t c = 0; c < a->run.ranks[r].calls.count; c++) {
			const struct wait *x = wait_at(&a->waits, r, c),
					  *y = wait_at(&b->waits, r, c);

			if (x->kind != y->kind ||
			    (x->kind != WAIT_NONE && (x->rank != y->rank || x->call != y->call)))
				return false;
		}
	return true;
}

/* Find the row of a computation, or NULL. */
static const struct cause_row *row_of(const struct wait_causes *causes, const struct made_run *made,
				      const char *name)
{
	for (size_t i = 0; i < causes->rows.list.count; i++) {
		const struct cause_row *row = &causes->rows.list.items[i];

		if (!cause_row_is_other(row) && cell_function(row->key.second) != NO_FUNCTION &&
		    cell_kind(row->key.second) == CELL_COMPUTE &&
		    !strcmp(measured_function(&made->run.names, cell_function(row->key.second)),
			    name))
			return row;
	}
	return NULL;
}

/* Make a computation longer.  Returns whether no decision changed. */
static bool check_slope(const struct play *play, const struct wait_causes *before, uint64_t seed,
			uint32_t number)
{
	const struct cause_row *row = row_of(before, &play->made, name_of(number));
	const struct change longer = {.longer = number, .by_ns = 1, .unit_ns = 1};
	struct wait_causes after;
	struct play changed;
	bool same;

	make_play(&changed, seed, LENGTH, false, &longer);
	find(&after, &changed.made, &with_ends);
	same = same_decisions(&play->made, &changed.made) &&
	       changed.made.run.calls == play->made.run.calls;
	if (same && row) {
		const int64_t more = (int64_t)(after.calls.ns + after.ends.ns) -
				     (int64_t)(before->calls.ns + before->ends.ns);

		if (row->weighted_ns != (__int128)more * row->time_ns)
			fail_msg("seed %lu: the slope of %s is not %ld", seed, name_of(number),
				 more);
	}
	wait_causes_release(&after);
	made_release(&changed.made);
	return same && row;
}

static void a_longer_computation_adds_waiting_by_its_slope(void **state)
{
	uint64_t checked = 0;

	(void)state;
	for (uint64_t seed = 0; seed < programs; seed++) {
		struct wait_causes causes;
		struct play play;

		make_play(&play, seed, LENGTH, false, &unchanged);
		find(&causes, &play.made, &with_ends);
		for (uint32_t i = 0; i < 3; i++)
			checked += check_slope(&play, &causes, seed,
					       (uint32_t)((seed + 11 * i) % LENGTH));
		wait_causes_release(&causes);
		made_release(&play.made);
	}
	assert_true(checked > programs / 2);
}

/* -------------------------------------------------------------------- symmetries */

/* Check that rows are the same, but for the numbers of ranks and the unit of time. */
static void compare(const struct wait_causes *a, const struct wait_causes *b, uint32_t ranks,
		    const struct change *change, uint64_t seed)
{
	assert_int_equal(a->rows.list.count, b->rows.list.count);
	for (size_t i = 0; i < a->rows.list.count; i++) {
		const struct cause_row *row = &a->rows.list.items[i];
		bool found = false;

		for (size_t k = 0; k < b->rows.list.count && !found; k++) {
			const struct cause_row *other = &b->rows.list.items[k];

			found = other->key.first == (row->key.first + change->turned) % ranks &&
				other->key.second == row->key.second &&
				fabs(in_ns(other->cost_as) -
				     in_ns(row->cost_as) * (double)change->unit_ns) < 1e-6 &&
				other->weighted_ns == row->weighted_ns * change->unit_ns;
		}
		if (!found)
			fail_msg("seed %lu: row %zu is another one", seed, i);
	}
}

static void renamed_ranks_shifted_clocks_and_longer_units_change_no_cause(void **state)
{
	static const struct change changes[] = {
		{.longer = UINT32_MAX, .unit_ns = 1, .turned = 1},
		{.longer = UINT32_MAX, .unit_ns = 1, .apart_ns = 123456},
		{.longer = UINT32_MAX, .unit_ns = 2},
	};

	(void)state;
	for (uint64_t seed = 0; seed < programs; seed++) {
		const struct change *change = &changes[seed % (sizeof changes / sizeof *changes)];
		struct wait_causes causes, others;
		struct play play, changed;

		make_play(&play, seed, LENGTH, true, &unchanged);
		make_play(&changed, seed, LENGTH, true, change);
		find(&causes, &play.made, &without_ends);
		find(&others, &changed.made, &without_ends);
		compare(&causes, &others, play.made.run.rank_count, change, seed);
		wait_causes_release(&causes);
		wait_causes_release(&others);
		made_release(&play.made);
		made_release(&changed.made);
	}
}

/* ---------------------------------------------------------- computation in balance */

/* Whether rows of two runs are about the same, whose functions may have other numbers. */
static bool same_cause(const struct cause_row *a, const struct made_run *of_a,
		       const struct cause_row *b, const struct made_run *of_b)
{
	const uint32_t x = cell_function(a->key.second), y = cell_function(b->key.second);

	if (a->key.first != b->key.first || cell_kind(a->key.second) != cell_kind(b->key.second))
		return false;
	if (cause_row_is_other(a) || cause_row_is_other(b) || x == NO_FUNCTION || y == NO_FUNCTION)
		return a->key.second == b->key.second;
	return !strcmp(measured_function(&of_a->run.names, x),
		       measured_function(&of_b->run.names, y));
}

static bool is_balanced(const struct cause_row *row, const struct made_run *made)
{
	return cell_function(row->key.second) != NO_FUNCTION && row->cost_as == 0 &&
	       !strcmp(measured_function(&made->run.names, cell_function(row->key.second)),
		       "balanced");
}

/* Check that all rows of a run are in the changed one, and that others in it are of balanced computation and cost nothing. */
static void check_balanced(const struct wait_causes *before, const struct made_run *made,
			   const struct wait_causes *after, const struct made_run *changed,
			   uint64_t seed)
{
	size_t found = 0;

	for (size_t k = 0; k < after->rows.list.count; k++) {
		const struct cause_row *row = &after->rows.list.items[k], *same = NULL;

		for (size_t i = 0; i < before->rows.list.count && !same; i++)
			if (same_cause(&before->rows.list.items[i], made, row, changed))
				same = &before->rows.list.items[i];
		if (same && (same->cost_as != row->cost_as || same->direct_as != row->direct_as ||
			     same->weighted_ns != row->weighted_ns))
			fail_msg("seed %lu: row %zu costs something else", seed, k);
		if (!same && !is_balanced(row, changed))
			fail_msg("seed %lu: row %zu is another one", seed, k);
		found += same != NULL;
	}
	assert_int_equal(found, before->rows.list.count);
}

static void balanced_computation_before_a_barrier_changes_no_other_cause(void **state)
{
	static const struct change balanced = {.longer = UINT32_MAX,
					       .unit_ns = 1,
					       .balanced_ns = 1234};
	uint64_t longer = 0;

	(void)state;
	for (uint64_t seed = 0; seed < programs; seed++) {
		struct wait_causes causes, others;
		struct play play, changed;

		make_play(&play, seed, LENGTH, seed % 2, &unchanged);
		make_play(&changed, seed, LENGTH, seed % 2, &balanced);
		find(&causes, &play.made, &with_ends);
		find(&others, &changed.made, &with_ends);
		check_balanced(&causes, &play.made, &others, &changed.made, seed);
		longer += changed.made.run.end_ns > play.made.run.end_ns;
		wait_causes_release(&causes);
		wait_causes_release(&others);
		made_release(&play.made);
		made_release(&changed.made);
	}
	assert_true(longer > programs / 2);
}

/* ---------------------------------------------------------------------- slices */

/* Number of ranks that come last to the barrier that ends at a time. */
static unsigned last_ranks(const struct measured_run *run, uint64_t end_ns)
{
	unsigned count = 0;

	for (uint32_t rank = 0; rank < run->rank_count; rank++)
		for (uint32_t c = 0; c < run->ranks[rank].calls.count; c++) {
			const struct measured_call *call = &run->ranks[rank].calls.items[c];

			count += call->enter_ns == end_ns && call->leave_ns == end_ns &&
				 !strcmp(measured_function(&run->names, call->function),
					 "MPI_Barrier");
		}
	return count;
}

/*
 * Find the ends of the barriers of a rank, with the begin and the end of the run.  Returns their number.  Barriers to
 * which several ranks come last are left out: walks may go on from each of them to causes before the barrier.
 */
static size_t find_cuts(uint64_t *cuts, const struct measured_run *run)
{
	size_t count = 0;

	cuts[count++] = run->begin_ns;
	for (uint32_t c = 0; c < run->ranks[0].calls.count; c++) {
		const struct measured_call *call = &run->ranks[0].calls.items[c];

		if (!strcmp(measured_function(&run->names, call->function), "MPI_Barrier") &&
		    call->leave_ns > cuts[count - 1] && call->leave_ns < run->end_ns &&
		    last_ranks(run, call->leave_ns) < 2)
			cuts[count++] = call->leave_ns;
	}
	cuts[count++] = run->end_ns;
	return count;
}

/* Add the rows of a slice to sums, which are those of the rows of the whole run. */
static void add_slice(struct cause_row *sums, const struct wait_causes *whole,
		      const struct wait_causes *slice, uint64_t seed)
{
	for (size_t k = 0; k < slice->rows.list.count; k++) {
		const struct cause_row *row = &slice->rows.list.items[k];
		size_t i = 0;

		while (i < whole->rows.list.count &&
		       (whole->rows.list.items[i].key.first != row->key.first ||
			whole->rows.list.items[i].key.second != row->key.second))
			i++;
		if (i == whole->rows.list.count) {
			/* What adds up to nothing in the run may have a slope in a slice. */
			if (row->cost_as || cause_row_is_other(row))
				fail_msg("seed %lu: row %zu of a slice is not in the run", seed, k);
			continue;
		}
		sums[i].cost_as += row->cost_as;
		sums[i].direct_as += row->direct_as;
		sums[i].weighted_ns += row->weighted_ns;
	}
}

/* After a barrier no wait has a cause before it, so causes of slices between barriers add up to those of the run. */
static void slices_between_barriers_add_up(void **state)
{
	uint64_t cuts[LENGTH + 2], cut = 0;

	(void)state;
	for (uint64_t seed = 0; seed < programs; seed++) {
		struct wait_causes whole, slice;
		struct cause_row *sums;
		struct play play;
		struct error err;
		size_t count;

		make_play(&play, seed, LENGTH, seed % 2, &unchanged);
		find(&whole, &play.made, &with_ends);
		MUST(allocate(&sums, whole.rows.list.count, sizeof *sums, &err));
		count = find_cuts(cuts, &play.made.run);
		cut += count > 2;
		play.made.run.sliced = true;
		for (size_t i = 0; i + 1 < count; i++) {
			play.made.run.slice_begin_ns = cuts[i];
			play.made.run.slice_end_ns = cuts[i + 1];
			find(&slice, &play.made, &with_ends);
			add_slice(sums, &whole, &slice, seed);
			wait_causes_release(&slice);
		}
		play.made.run.sliced = false;
		for (size_t i = 0; i < whole.rows.list.count; i++) {
			const struct cause_row *row = &whole.rows.list.items[i];

			if (row->cost_as != sums[i].cost_as ||
			    row->direct_as != sums[i].direct_as ||
			    row->weighted_ns != sums[i].weighted_ns)
				fail_msg("seed %lu: row %zu of the slices does not add up", seed,
					 i);
		}
		free(sums);
		wait_causes_release(&whole);
		made_release(&play.made);
	}
	assert_true(cut > programs / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(causes_are_those_of_the_definition),
		cmocka_unit_test(causes_in_plays_are_those_of_the_definition),
		cmocka_unit_test(long_stretches_are_summed_up_by_marks),
		cmocka_unit_test(a_longer_computation_adds_waiting_by_its_slope),
		cmocka_unit_test(renamed_ranks_shifted_clocks_and_longer_units_change_no_cause),
		cmocka_unit_test(balanced_computation_before_a_barrier_changes_no_other_cause),
		cmocka_unit_test(slices_between_barriers_add_up),
	};

	if (getenv("PROGRAMS"))
		programs = strtoull(getenv("PROGRAMS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
