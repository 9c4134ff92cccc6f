#include "test/unit/lib/make/make_nest.h"

#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct nest_part *nest_new_part(void)
{
	struct nest_part *part = calloc(1, sizeof *part);

	assert_non_null(part);
	return part;
}

static struct nest_part *nest_make_call(struct nest *nest)
{
	struct nest_part *part = nest_new_part();

	part->call = nest->calls++;
	return part;
}

/*
 * Make a loop: it has a call of its own at least, which is not always the first, so that inner loops share its header.
 * A loop that has nothing but a loop cannot be seen.
 */
static struct nest_part *nest_make_loop(struct nest *nest, uint32_t depth)
{
	struct nest_part *part = nest_new_part();

	part->is_loop = true;
	part->trips = 2 + random_below(&nest->numbers, 4);
	part->varies = !random_below(&nest->numbers, 3);
	nest->loops[nest->loop_count++] = part;
	part->count = 1 + (uint32_t)random_below(&nest->numbers, NEST_MOST_PARTS - 1);
	for (uint32_t i = 0; i + 1 < part->count; i++)
		part->parts[i] = depth && random_below(&nest->numbers, 2)
					 ? nest_make_loop(nest, depth - 1)
					 : nest_make_call(nest);
	part->parts[part->count - 1] = nest_make_call(nest);
	/* The loop's own call may be anywhere but for its begin, and there sometimes. */
	if (part->count > 2 && random_below(&nest->numbers, 2)) {
		struct nest_part *last = part->parts[part->count - 1];

		part->parts[part->count - 1] = part->parts[1];
		part->parts[1] = last;
	}
	return part;
}

static void nest_run_part(struct nest *nest, struct nest_part *part)
{
	uint64_t trips = part->trips;

	if (!part->is_loop) {
		assert_in_range(nest->event_count, 0, NEST_MOST_EVENTS - 1);
		nest->events[nest->event_count++] = part->call;
		return;
	}
	if (part->varies && part->entries)
		trips = 2 + random_below(&nest->numbers, 4);
	part->entries++;
	part->iterations += trips;
	for (; trips; trips--)
		for (uint32_t i = 0; i < part->count; i++)
			nest_run_part(nest, part->parts[i]);
}

static void nest_release_part(struct nest_part *part)
{
	for (uint32_t i = 0; i < part->count; i++)
		nest_release_part(part->parts[i]);
	free(part);
}

struct flow *nest_flow(const struct nest *nest)
{
	static char names[NEST_MOST_CALLS][8];
	struct flow_feed feed;
	struct flow *flow;

	flow_feed_begin(&feed, 1);
	for (size_t i = 0; i < nest->event_count; i++) {
		char *name = names[nest->events[i]];

		snprintf(name, sizeof names[0], "c%u", nest->events[i]);
		flow_feed_add(&feed, 0, name, NULL, 0);
	}
	flow = flow_feed_build(&feed, &(struct flow_options){.level = FLOW_BY_SITE});
	flow_feed_release(&feed);
	return flow;
}

void nest_begin(struct nest *nest, uint64_t seed)
{
	*nest = (struct nest){.numbers = seed};
	nest->events = calloc(NEST_MOST_EVENTS, sizeof *nest->events);
	assert_non_null(nest->events);
}

void nest_make(struct nest *nest, uint64_t seed)
{
	struct nest_part *part;

	nest_begin(nest, seed);
	for (uint64_t i = random_below(&nest->numbers, 9); i; i--)
		nest->events[nest->event_count++] = nest->calls++;
	part = nest_make_loop(nest, 2);
	part->varies = false;
	part->trips = 4 + random_below(&nest->numbers, 12);
	nest_run_part(nest, part);
	nest->events[nest->event_count++] = nest->calls++;
}

void nest_release(struct nest *nest)
{
	if (nest->loop_count)
		nest_release_part(nest->loops[0]);
	free(nest->events);
}
