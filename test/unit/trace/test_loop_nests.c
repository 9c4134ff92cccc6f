/* Tests of loops, main loops and steady states of generated loop nests: their source is the truth. */
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/sequence/steady.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_PARTS = 5, MOST_LOOPS = 40, MOST_NAMES = 2000, MOST_EVENTS = 30000 };

/* A call, or a loop of parts. */
struct part {
	bool is_loop, varies; /* varies: in its trips */
	uint32_t call;
	uint64_t trips;
	uint32_t count;
	struct part *parts[MOST_PARTS];
	/* How often it was begun, and how often it went round: the truth. */
	uint64_t entries, iterations;
};

/* A program, and what it calls. */
struct program {
	uint64_t numbers;
	uint32_t calls; /* different ones */
	struct part *loops[MOST_LOOPS];
	uint32_t loop_count;
	uint32_t *events;
	size_t event_count;
};

static struct part *new_part(void)
{
	struct part *part = calloc(1, sizeof *part);

	assert_non_null(part);
	return part;
}

static struct part *make_call(struct program *program)
{
	struct part *part = new_part();

	part->call = program->calls++;
	return part;
}

/*
 * Make a loop: it has a call of its own at least, which is not always the first, so that inner loops share its header.
 * A loop that has nothing but a loop cannot be seen.
 */
static struct part *make_nest(struct program *program, uint32_t depth)
{
	struct part *part = new_part();

	part->is_loop = true;
	part->trips = 2 + random_below(&program->numbers, 4);
	part->varies = !random_below(&program->numbers, 3);
	program->loops[program->loop_count++] = part;
	part->count = 1 + (uint32_t)random_below(&program->numbers, MOST_PARTS - 1);
	for (uint32_t i = 0; i + 1 < part->count; i++)
		part->parts[i] = depth && random_below(&program->numbers, 2)
					 ? make_nest(program, depth - 1)
					 : make_call(program);
	part->parts[part->count - 1] = make_call(program);
	/* The loop's own call may be anywhere but for its begin, and there sometimes. */
	if (part->count > 2 && random_below(&program->numbers, 2)) {
		struct part *last = part->parts[part->count - 1];

		part->parts[part->count - 1] = part->parts[1];
		part->parts[1] = last;
	}
	return part;
}

static void run_part(struct program *program, struct part *part)
{
	uint64_t trips = part->trips;

	if (!part->is_loop) {
		assert_in_range(program->event_count, 0, MOST_EVENTS - 1);
		program->events[program->event_count++] = part->call;
		return;
	}
	if (part->varies && part->entries)
		trips = 2 + random_below(&program->numbers, 4);
	part->entries++;
	part->iterations += trips;
	for (; trips; trips--)
		for (uint32_t i = 0; i < part->count; i++)
			run_part(program, part->parts[i]);
}

static void release_part(struct part *part)
{
	for (uint32_t i = 0; i < part->count; i++)
		release_part(part->parts[i]);
	free(part);
}

/* Build the flow of a program's events. */
static struct flow *flow_of(const struct program *program)
{
	static char names[MOST_NAMES][8];
	struct flow_feed feed;
	struct flow *flow;

	flow_feed_begin(&feed, 1);
	for (size_t i = 0; i < program->event_count; i++) {
		char *name = names[program->events[i]];

		snprintf(name, sizeof names[0], "c%u", program->events[i]);
		flow_feed_add(&feed, 0, name, NULL, 0);
	}
	flow = flow_feed_build(&feed, &(struct flow_options){.level = FLOW_BY_SITE});
	flow_feed_release(&feed);
	return flow;
}

/* Each loop of the source is one of the graph, with the same numbers, and there is no other. */
static void check_loops(const struct program *program, const struct flow *flow)
{
	bool taken[MOST_LOOPS] = {false};
	struct flow_loops loops;
	struct error err;

	MUST(flow_loops_find(&loops, &flow->graphs.items[0], &err));
	assert_int_equal(loops.loops.count, program->loop_count);
	for (uint32_t l = 0; l < program->loop_count; l++) {
		const struct part *part = program->loops[l];
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

/* Make a nest of at least three steps, with calls before and after it, and run it. */
static void make_program(struct program *program, uint64_t seed)
{
	struct part *part;

	*program = (struct program){.numbers = seed};
	program->events = calloc(MOST_EVENTS, sizeof *program->events);
	assert_non_null(program->events);
	for (uint64_t i = random_below(&program->numbers, 9); i; i--)
		program->events[program->event_count++] = program->calls++;
	part = make_nest(program, 2);
	part->varies = false;
	part->trips = 4 + random_below(&program->numbers, 12);
	run_part(program, part);
	program->events[program->event_count++] = program->calls++;
}

static void release_program(struct program *program)
{
	release_part(program->loops[0]);
	free(program->events);
}

static void loops_of_a_nest_are_those_of_its_source(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct program program;
		struct flow *flow;

		make_program(&program, seed);
		flow = flow_of(&program);
		check_loops(&program, flow);
		flow_release(flow);
		release_program(&program);
	}
}

static void find_main(struct main_loop *main_loop, const struct program *program)
{
	struct flow *flow = flow_of(program);
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
		struct program program;
		struct main_loop main_loop;

		make_program(&program, seed);
		find_main(&main_loop, &program);
		assert_int_equal(main_loop.iterations, program.loops[0]->iterations);
		main_loop_release(&main_loop);
		release_program(&program);
	}
}

/* ---------------------------------------------------------------------------- places */

/* Steps with several places that begin with the same call, 0, and do something of their own. */
struct places {
	uint32_t count, steps, before; /* before: visits of the call before the first step */
	uint32_t calls[MOST_PARTS];    /* of a place, from place * 10 + 10 on */
	uint32_t inner[MOST_PARTS];    /* 0: none; its trips vary by step */
	uint32_t every[MOST_PARTS];    /* a call that happens in each so many-th step; 0: none */
};

static void run_place(struct program *program, const struct places *places, uint32_t place,
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

static void make_places(struct program *program, struct places *places, uint64_t seed)
{
	*program = (struct program){.numbers = seed};
	program->events = calloc(MOST_EVENTS, sizeof *program->events);
	assert_non_null(program->events);
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
		struct program program;
		struct places places;
		struct main_loop main_loop;

		make_places(&program, &places, seed);
		find_main(&main_loop, &program);
		assert_int_equal(main_loop.round, places.count);
		assert_int_equal(main_loop.first_visit, places.before);
		assert_int_equal(main_loop.iterations, places.steps);
		main_loop_release(&main_loop);
		free(program.events);
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
static struct on_line watch_program(const struct program *program,
				    const struct main_loop *main_loop)
{
	uint32_t node_of[MOST_NAMES], count = 0;
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
static uint64_t visits_between(const struct program *program, uint64_t from, uint64_t to)
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
		struct program program;
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
		free(program.events);
	}
	assert_true(late > 100);
}

static void iterations_of_nests_have_the_numbers_of_the_whole_run(void **state)
{
	uint32_t early = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct program program;
		struct main_loop main_loop;
		struct on_line on_line;

		make_program(&program, seed);
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
		release_program(&program);
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
