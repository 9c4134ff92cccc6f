/* Tests of loops, main loops and steady states of generated loop nests: their source is the truth. */
#include "test/unit/lib/make/make_nest.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/sequence/steady.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Each loop of the source is one of the graph, with the same numbers, and there is no other. */
static void check_loops(const struct nest *program, const struct flow *flow)
{
	bool taken[NEST_MOST_LOOPS] = {false};
	struct flow_loops loops;
	struct error err;

	MUST(flow_loops_find(&loops, &flow->graphs.items[0], &err));
	assert_int_equal(loops.loops.count, program->loop_count);
	for (uint32_t l = 0; l < program->loop_count; l++) {
		const struct nest_part *part = program->loops[l];
		uint32_t found = 0;

		while (found < loops.loops.count &&
		       (taken[found] || loops.loops.items[found].entries != part->entries ||
			loops.loops.items[found].iterations != part->iterations))
			found++;
		assert_true(found < loops.loops.count);
		taken[found] = true;
	}
	flow_loops_release(&loops);
}

static void loops_of_a_nest_are_those_of_its_source(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct nest program;
		struct flow *flow;

		nest_make(&program, seed);
		flow = nest_flow(&program);
		check_loops(&program, flow);
		flow_release(flow);
		nest_release(&program);
	}
}

static void find_main(struct main_loop *main_loop, const struct nest *program)
{
	struct flow *flow = nest_flow(program);
	struct flow_loops loops;
	struct error err;

	MUST(flow_loops_find(&loops, &flow->graphs.items[0], &err));
	MUST(main_loop_find(main_loop, &flow->graphs.items[0], &loops, NULL, NULL, &err));
	assert_int_not_equal(main_loop->loop, NO_LOOP);
	flow_loops_release(&loops);
	flow_release(flow);
}

static void the_main_loop_of_a_nest_is_its_outermost_one(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct nest program;
		struct main_loop main_loop;

		nest_make(&program, seed);
		find_main(&main_loop, &program);
		assert_int_equal(main_loop.iterations, program.loops[0]->iterations);
		main_loop_release(&main_loop);
		nest_release(&program);
	}
}

/* ---------------------------------------------------------------------------- places */

/* Steps with several places that begin with the same call, 0, and do something of their own. */
struct places {
	uint32_t count, steps, before;	 /* before: visits of the call before the first step */
	uint32_t calls[NEST_MOST_PARTS]; /* of a place, from place * 10 + 10 on */
	uint32_t inner[NEST_MOST_PARTS]; /* 0: none; its trips vary by step */
	uint32_t every[NEST_MOST_PARTS]; /* a call that happens in each so many-th step; 0: none */
};

static void run_place(struct nest *program, const struct places *places, uint32_t place,
		      uint32_t step)
{
	const uint32_t first = place * 10 + 10;
	uint32_t *events = program->events;

	events[program->event_count++] = 0;
	for (uint32_t i = 0; i < places->calls[place]; i++)
		events[program->event_count++] = first + i;
	if (places->inner[place])
		for (uint32_t trip = 0; trip < 2 + step * places->inner[place] % 5; trip++)
			events[program->event_count++] = first + 8;
	if (places->every[place] && step % places->every[place] == 0)
		events[program->event_count++] = first + 9;
}

static void make_places(struct nest *program, struct places *places, uint64_t seed)
{
	nest_begin(program, seed);
	*places = (struct places){.count = 2 + (uint32_t)random_below(&program->numbers, 4),
				  .steps = 6 + (uint32_t)random_below(&program->numbers, 30),
				  .before = (uint32_t)random_below(&program->numbers, 2)};
	program->events[program->event_count++] = 1;
	if (places->before) {
		program->events[program->event_count++] = 0;
		program->events[program->event_count++] = 2;
	}
	for (uint32_t place = 0; place < places->count; place++) {
		places->calls[place] = 2 + (uint32_t)random_below(&program->numbers, 4);
		places->inner[place] = (uint32_t)random_below(&program->numbers, 3);
		places->every[place] = (uint32_t)random_below(&program->numbers, 4);
	}
	for (uint32_t step = 0; step < places->steps; step++)
		for (uint32_t place = 0; place < places->count; place++)
			run_place(program, places, place, step);
	program->events[program->event_count++] = 3;
}

static void places_with_equal_calls_make_rounds(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct nest program;
		struct places places;
		struct main_loop main_loop;

		make_places(&program, &places, seed);
		find_main(&main_loop, &program);
		assert_int_equal(main_loop.round, places.count);
		assert_int_equal(main_loop.first_visit, places.before);
		assert_int_equal(main_loop.iterations, places.steps);
		main_loop_release(&main_loop);
		nest_release(&program);
	}
}

/* ---------------------------------------------------------------------------- steady */

/* Visit of the header with which an iteration begins. */
static uint64_t start_of(const struct main_loop *main_loop, uint64_t number)
{
	struct flow_run run = flow_run_first(main_loop->starts.items, main_loop->starts.count);

	for (; run.begin != UINT64_MAX && run.begin + number > run.last; flow_run_next(&run))
		number -= run.last - run.begin + 1;
	return run.begin + number;
}

/* What was found on line. */
struct on_line {
	uint64_t begins; /* of iterations */
	uint64_t equal;	 /* of these, those with the number of the whole run */
	uint64_t after;	 /* of the others, those after one of these */
	uint64_t last;	 /* number of the last iteration */
	/* Events: when the first iteration began, and when the graph had grown last before that. */
	uint64_t found, grown;
};

/* Feed a program's events, each as long. */
static struct on_line watch_program(const struct nest *program, const struct main_loop *main_loop)
{
	uint32_t node_of[NEST_MOST_CALLS], count = 0;
	struct on_line on_line = {0};
	struct steady steady;
	struct error err;

	memset(node_of, 0xff, sizeof node_of);
	steady_begin(&steady);
	for (size_t i = 0; i < program->event_count; i++) {
		uint32_t *node = &node_of[program->events[i]];
		enum steady_seen seen;

		if (*node == UINT32_MAX)
			*node = count++;
		MUST(steady_add(&steady, *node, 1000000 * i, 1000000 * i + 500000, &seen, &err));
		if (seen != STEADY_ITERATION)
			continue;
		if (!on_line.begins++) {
			on_line.found = i;
			on_line.grown = steady.grown_at;
		}
		on_line.last = steady.iteration;
		if (*node == main_loop->header && steady.iteration < main_loop->iterations &&
		    start_of(main_loop, steady.iteration) == steady.iteration_visit)
			on_line.equal++;
		else
			on_line.after += on_line.equal > 0;
	}
	steady_release(&steady);
	return on_line;
}

/* Count the visits of the call with which the places begin, between two events. */
static uint64_t visits_between(const struct nest *program, uint64_t from, uint64_t to)
{
	uint64_t visits = 0;

	for (; from < to; from++)
		visits += !program->events[from];
	return visits;
}

static void places_are_steady_after_three_iterations_with_nothing_new(void **state)
{
	uint32_t late = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct nest program;
		struct places places;
		struct main_loop main_loop;
		struct on_line on_line;

		make_places(&program, &places, seed);
		find_main(&main_loop, &program);
		on_line = watch_program(&program, &main_loop);
		assert_int_equal(on_line.equal, on_line.begins);
		/* Programs of some 64 calls are not. */
		if (program.event_count > 200)
			assert_true(on_line.begins > 0);
		if (on_line.found > 100) {
			late++;
			assert_in_range(visits_between(&program, on_line.grown, on_line.found), 1,
					4 * places.count);
		}
		main_loop_release(&main_loop);
		nest_release(&program);
	}
	assert_true(late > 100);
}

static void iterations_of_nests_have_the_numbers_of_the_whole_run(void **state)
{
	uint32_t early = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct nest program;
		struct main_loop main_loop;
		struct on_line on_line;

		nest_make(&program, seed);
		find_main(&main_loop, &program);
		on_line = watch_program(&program, &main_loop);
		/* An inner loop may be taken for the main one until the outer one goes round. */
		assert_int_equal(on_line.after, 0);
		early += on_line.equal != on_line.begins;
		if (on_line.begins)
			assert_int_equal(on_line.last + 1, main_loop.iterations);
		if (program.event_count > 300)
			assert_true(on_line.begins > 0);
		main_loop_release(&main_loop);
		nest_release(&program);
	}
	assert_in_range(early, 1, 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_of_a_nest_are_those_of_its_source),
		cmocka_unit_test(the_main_loop_of_a_nest_is_its_outermost_one),
		cmocka_unit_test(places_with_equal_calls_make_rounds),
		cmocka_unit_test(places_are_steady_after_three_iterations_with_nothing_new),
		cmocka_unit_test(iterations_of_nests_have_the_numbers_of_the_whole_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
