/* runs: slow */
/*
 * On random programs the walk must follow a path of the program graph without any wait, as the
 * definitions in doc/critpath.md have it (test/unit/lib/oracle/calls_graph.h), and all methods must agree.
 * With PROGRAMS in the environment that many programs are made.
 */
#include "critpath/groups/groups.h"
#include "critpath/path/blocks.h"
#include "critpath/path/members.h"
#include "critpath/graph/minimum_wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "test/unit/lib/check/edges_check.h"
#include "test/unit/lib/check/methods_check.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/calls_graph.h"

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 100 };
#else
enum { PROGRAMS = 250 };
#endif

static uint64_t programs = PROGRAMS; /* of each test */
enum { INSTANCES = RANKS * CALLS };

static uint64_t sync_points_seen;

/* The last begin of a member of a collective, at the latest when a time was. */
static uint64_t last_begin(const struct measured_run *run, uint32_t instance, uint64_t time_ns)
{
	uint64_t last_ns = 0;

	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t i = 0; i < run->ranks[r].parts.count; i++) {
			const uint32_t begin = run->ranks[r].parts.items[i].begin;
			const uint64_t begin_ns = run->ranks[r].calls.items[begin].enter_ns;

			if (run->instance_of[r][i] == instance && begin_ns <= time_ns &&
			    begin_ns > last_ns)
				last_ns = begin_ns;
		}
	return last_ns;
}

/* Check the edges of the program graph, with collectives as defined or as observed. */
static void check_edges(const struct waits *waits, const struct program *program, uint64_t seed)
{
	struct graph *expected = malloc(sizeof *expected);
	struct program_graph graph;
	struct error err;

	assert_non_null(expected);
	calls_graph_make(expected, program, waits->observed);
	MUST(program_graph_build(&graph, waits, &err));
	edges_check(&graph, expected, seed);
	program_graph_release(&graph);
	free(expected);
}

/*
 * Check that calls wait for all members that were observed, and no shorter than otherwise; of a program
 * with clocks that are right also the edges.
 */
static void check_observed(struct made_run *made, uint64_t seed, const struct program *program)
{
	struct waits observed;
	struct walk walk;
	struct totals totals;
	struct error err;

	MUST(waits_find(&observed, &made->run, dist_alone(), &err));
	MUST(members_wait(&observed, true, dist_alone(), &err));
	for (uint32_t r = 0; r < made->run.rank_count; r++) {
		const struct measured_rank *rank = &made->run.ranks[r];
		uint64_t until_ns[CALLS + 1] = {0};

		for (size_t i = 0; i < rank->parts.count; i++) {
			const uint32_t call = rank->parts.items[i].end;
			const uint64_t begin_ns = last_begin(&made->run,
							     made->run.instance_of[r][i],
							     rank->calls.items[call].leave_ns);

			if (made->run.instance_of[r][i] != NO_MATCH && begin_ns > until_ns[call])
				until_ns[call] = begin_ns;
		}
		for (uint32_t c = 0; c < rank->calls.count; c++) {
			const struct measured_call *call = &rank->calls.items[c];
			const uint64_t known = wait_ns(&made->waits, r, c);
			const uint64_t more = until_ns[c] > call->enter_ns
						      ? until_ns[c] - call->enter_ns
						      : 0;

			assert_int_equal(wait_ns(&observed, r, c), known > more ? known : more);
		}
	}
	MUST(walk_find(&walk, &observed, dist_alone(), &err));
	MUST(totals_find(&totals, &observed, &walk, dist_alone(), &err));
	made_check(&made->run, &observed, &walk, &totals);
	if (program)
		assert_int_equal(walk.category_ns[WALK_UNKNOWN], 0);
	totals_release(&totals);
	walk_release(&walk);
	if (methods_check(made, &observed, seed, &sync_points_seen) && program)
		fail_msg("seed %lu: the minimum wait as observed is not 0", seed);
	if (program)
		check_edges(&observed, program, seed);
	waits_release(&observed);
}

/* Whether a call waits for one that it depends on, and that began when the wait ended. */
static bool has_cause(const struct program *program, uint32_t rank, uint32_t call,
		      const struct wait *wait)
{
	for (uint32_t l = 0; l < program->link_count; l++) {
		const struct link *link = &program->links[l];

		if (link->to_rank == rank && link->to == call && link->from_rank == wait->rank &&
		    program_call_in_run(program, link->from_rank, link->from) == wait->call)
			return (uint64_t)program->ops[wait->rank][link->from].enter +
				       MADE_BEGIN_NS ==
			       wait->until_ns;
	}
	return false;
}

/* Check how long calls wait, and for which calls. */
static void check_waits(const struct made_run *made, const struct program *program, uint64_t seed)
{
	for (uint32_t r = 0; r < program->ranks; r++)
		for (uint32_t c = 0; c < program->counts[r]; c++) {
			const struct wait *wait = wait_at(&made->waits, r, c + 1);

			if (wait_ns(&made->waits, r, c + 1) !=
			    (uint64_t)program_wait_of(&program->ops[r][c]))
				fail_msg("seed %lu: wait of call %u of rank %u", seed, c, r);
			if (wait->kind != WAIT_NONE && !has_cause(program, r, c, wait))
				fail_msg("seed %lu: cause of call %u of rank %u", seed, c, r);
			assert_int_equal(wait->unknown, 0);
		}
}

/* Check that searches find a path without wait, too, with the same categories of its segments. */
static void check_searches(const struct made_run *made, const struct program *program,
			   const struct graph *graph, uint64_t seed)
{
	const struct minimum_wait_options options[] = {{0, SYNC_POINTS_OFF},
						       {5, SYNC_POINTS_OFF},
						       {0, SYNC_POINTS_AT_ONCE}};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		struct minimum_wait_found found;
		struct walk path;
		struct error err;

		MUST(minimum_wait_path(&path, &made->waits, &options[i], dist_alone(), &found,
				       &err));
		assert_int_equal(path.length_ns, made->walk.length_ns);
		if (found.wait_ns || !calls_graph_has_walk(graph, &path, program))
			fail_msg("seed %lu: what search %zu finds is no path", seed, i);
		walk_release(&path);
	}
}

/* Blocks of calls that are closer than the threshold, from what the generator knows. */
static uint64_t count_blocks(const struct program *program, int64_t threshold)
{
	uint64_t count = 0;

	for (uint32_t r = 0; r < program->ranks; r++) {
		int64_t left = 0; /* MPI_Init, which begins the first block */

		count += program->counts[r] > 0;
		for (uint32_t c = 0; c < program->counts[r]; c++) {
			count += program->ops[r][c].enter - left >= threshold;
			left = program->ops[r][c].leave;
		}
	}
	return count;
}

/* Check that thresholds leave T as it is, and give ever fewer blocks. */
static void check_blocks(struct made_run *made, const struct program *program)
{
	static const int64_t thresholds[] = {0, 1, 2, 5, 9, 1000000};
	size_t segments = made->walk.segments.count;
	uint64_t intervals = UINT64_MAX;
	struct error err;

	for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
		const uint64_t threshold_ns = (uint64_t)thresholds[i];
		const struct groups_options options = {.least_ns = threshold_ns};
		struct groups_moved moved;
		struct blocks blocks;
		struct groups groups;

		MUST(blocks_count(&blocks, &made->run, threshold_ns, dist_alone(), &err));
		assert_int_equal(blocks.count, count_blocks(program, thresholds[i]));
		blocks_join(&made->walk, &made->run, &blocks);
		made_check(&made->run, &made->waits, &made->walk, &made->totals);
		assert_true(made->walk.segments.count <= segments);
		segments = made->walk.segments.count;

		MUST(groups_find(&groups, &made->run, &options, dist_alone(), &moved, &err));
		assert_true(groups.longest_ns <= made->walk.length_ns);
		/* Without an interval that bridges two others there may be more groups. */
		assert_true(groups.intervals <= intervals);
		intervals = groups.intervals;
		groups_release(&groups);
	}
	/* All that is left is one block for each stay of the path on a rank. */
	assert_true(segments <= made->walk.rank_switches + 2);
}

static void check_program(const struct program *program, const struct graph *graph, uint64_t seed)
{
	struct made_run made;

	program_run(&made, program, 0);
	assert_int_equal(made.walk.length_ns, graph->end);
	assert_int_equal(made.walk.category_ns[WALK_UNKNOWN], 0);
	assert_int_equal(made.run.violations.count + made.run.unmatched_sends +
				 made.run.unmatched_recvs,
			 0);
	check_waits(&made, program, seed);
	if (!calls_graph_has_walk(graph, &made.walk, program))
		fail_msg("seed %lu: the walk is no path", seed);
	if (methods_check(&made, &made.waits, seed, &sync_points_seen))
		fail_msg("seed %lu: the minimum wait is not 0", seed);
	check_edges(&made.waits, program, seed);
	check_searches(&made, program, graph, seed);
	check_observed(&made, seed, program);
	check_blocks(&made, program);
	made_release(&made);
}

static void the_walk_is_a_path_without_wait_in_random_programs(void **state)
{
	struct program *program = malloc(sizeof *program);
	struct graph *graph = malloc(sizeof *graph);
	uint32_t counted = 0;

	(void)state;
	for (uint64_t seed = 0; seed < programs; seed++) {
		uint64_t numbers = seed;
		uint32_t paths = 0;

		program_make(program, &numbers, 1 + (uint32_t)(seed % (seed % 4 ? 8 : 30)));
		if (!graph || program_is_empty(program))
			continue;
		calls_graph_make(graph, program, false);
		assert_int_equal(calls_graph_least(graph), 0);
		if (calls_graph_least_of_all(graph, 0, 0, &paths) == 0 && paths < PATHS)
			counted++;
		assert_true(paths > 0);
		check_program(program, graph, seed);
	}
	assert_true(counted > programs / 4);
	assert_true(sync_points_seen > programs / 4);
	free(program);
	free(graph);
}

/* Check that what is matched belongs together: messages and collectives are as long as their numbers. */
static void check_matches(const struct measured_run *run, uint64_t seed)
{
	uint64_t ids[INSTANCES] = {0};

	assert_in_range(run->instances.count, 0, INSTANCES);
	for (uint32_t r = 0; r < run->rank_count; r++) {
		const struct measured_rank *rank = &run->ranks[r];

		for (size_t i = 0; i < rank->recvs.count; i++) {
			const struct measured_recv *recv = &rank->recvs.items[i];
			const uint32_t send = run->send_of[r][i];

			if (send != NO_MATCH &&
			    run->ranks[recv->peer].sends.items[send].bytes != recv->bytes)
				fail_msg("seed %lu: receive %zu of rank %u gets another message",
					 seed, i, r);
		}
		for (size_t i = 0; i < rank->parts.count; i++) {
			const uint32_t instance = run->instance_of[r][i];

			if (instance == NO_MATCH)
				continue;
			if (ids[instance] && ids[instance] != rank->parts.items[i].bytes)
				fail_msg("seed %lu: part %zu of rank %u is of another collective",
					 seed, i, r);
			ids[instance] = rank->parts.items[i].bytes;
		}
	}
}

/* What became of the calls of programs with a gap. */
struct gap_counts {
	uint64_t calls, unknown, hidden;
};

/* Whether a call depends on one in the gap. */
static bool is_hidden(const struct program *program, uint32_t rank, uint32_t call)
{
	for (uint32_t l = 0; l < program->link_count; l++) {
		const struct link *link = &program->links[l];

		if (link->to_rank == rank && link->to == call &&
		    program_call_in_run(program, link->from_rank, link->from) == NO_CALL)
			return true;
	}
	return false;
}

/* Check that each wait that is known has a true cause and, unless the gap hides something, its length. */
static void check_gap_waits(const struct made_run *made, const struct program *program,
			    struct gap_counts *counts, uint64_t seed)
{
	for (uint32_t r = 0; r < program->ranks; r++)
		for (uint32_t c = 0; c < program->counts[r]; c++) {
			const uint32_t call = program_call_in_run(program, r, c);
			const bool hidden = call != NO_CALL && is_hidden(program, r, c);
			const struct wait *wait;

			if (call == NO_CALL)
				continue;
			wait = wait_at(&made->waits, r, call);
			if (wait->kind != WAIT_NONE && !wait->unknown &&
			    !has_cause(program, r, c, wait))
				fail_msg("seed %lu: cause of call %u of rank %u", seed, c, r);
			if (!wait->unknown && !hidden && r != program->gap_rank &&
			    wait_ns(&made->waits, r, call) !=
				    (uint64_t)program_wait_of(&program->ops[r][c]))
				fail_msg("seed %lu: wait of call %u of rank %u", seed, c, r);
			counts->calls++;
			counts->unknown += wait->unknown;
			counts->hidden += hidden;
		}
}

static void all_that_is_said_of_programs_in_which_a_rank_has_a_gap_is_true(void **state)
{
	struct program *program = malloc(sizeof *program);
	struct gap_counts counts = {0};

	(void)state;
	for (uint64_t seed = 0; program && seed < programs; seed++) {
		uint64_t numbers = seed;
		struct made_run made;

		program_make(program, &numbers, 1 + (uint32_t)(seed % 30));
		if (program_is_empty(program) || !program_add_gap(program))
			continue;
		program_run(&made, program, 0);
		assert_int_equal(made.run.violations.count, 0);
		check_matches(&made.run, seed);
		check_gap_waits(&made, program, &counts, seed);
		if (methods_check(&made, &made.waits, seed, &sync_points_seen))
			fail_msg("seed %lu: the minimum wait is not 0", seed);
		made_release(&made);
	}
	print_message("# of %lu calls %lu are unknown, %lu depend on one in a gap\n", counts.calls,
		      counts.unknown, counts.hidden);
	assert_true(counts.hidden > 0 && counts.unknown < 2 * counts.hidden);
	free(program);
}

/* Invariants, which made_end checks, hold whatever the clocks are. */
static void the_walk_ends_in_random_programs_with_wrong_clocks(void **state)
{
	struct program *program = malloc(sizeof *program);
	uint64_t violations = 0;

	(void)state;
	for (uint64_t seed = 0; program && seed < programs; seed++) {
		uint64_t numbers = seed;
		struct made_run made;

		program_make(program, &numbers, 1 + (uint32_t)(seed % 30));
		if (program_is_empty(program))
			continue;
		program_run(&made, program, 1 + (int64_t)(seed % 50));
		violations += made.run.violations.count;
		methods_check(&made, &made.waits, seed, &sync_points_seen);
		check_observed(&made, seed, NULL);
		made_release(&made);
	}
	assert_true(violations > programs);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_walk_is_a_path_without_wait_in_random_programs),
		cmocka_unit_test(all_that_is_said_of_programs_in_which_a_rank_has_a_gap_is_true),
		cmocka_unit_test(the_walk_ends_in_random_programs_with_wrong_clocks),
	};

	if (getenv("PROGRAMS"))
		programs = strtoull(getenv("PROGRAMS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
