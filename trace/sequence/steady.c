#include "trace/sequence/steady.h"

/*
 * Events before the first search, and between two of them at least; visits and laps without
 * anything new.
 */
enum { FIRST_CHECK = 64, LEAST_EVENTS = 16, STEADY_LAPS = 3 };
/* Events in the log. */
enum { MOST_LOG = 1 << 20 };
/* Costs of a search on a slow machine, and the part of the time that searches may take. */
enum { EVENT_NS = 20, EDGE_NS = 200, COST_PART = 100 };

void steady_begin(struct steady *steady)
{
	*steady = (struct steady){.iteration = NO_ITERATION_YET,
				  .next_check = FIRST_CHECK,
				  .main_loop = {.loop = NO_LOOP}};
}

/* ------------------------------------------------------------------------- the graph */

/* What is counted is counted on; what is watched may be another loop now. */
static void steady_search_again(struct steady *steady)
{
	if (steady->watches)
		laps_release(&steady->watched);
	steady->watches = false;
	steady->state = STEADY_SEARCHES;
	steady->next_check = steady->trail.events < FIRST_CHECK ? FIRST_CHECK
								: steady->trail.events;
}

static int steady_visit(struct steady *steady, uint32_t number, uint64_t enter_ns,
			uint64_t leave_ns, bool *grows, struct error *err)
{
	struct steady_node *node;

	if (steady->trail.log.count == MOST_LOG)
		trail_forget(&steady->trail);
	TRY(trail_add(&steady->trail, number, enter_ns, leave_ns, grows, err));
	if (number == steady->nodes.count)
		TRY(array_push(&steady->nodes, (struct steady_node){0}, err));
	if (*grows) {
		steady->growth++;
		steady->grown_at = steady->trail.events - 1;
		steady_search_again(steady);
	}
	node = &steady->nodes.items[number];
	node->recent = node->growth == steady->growth ? node->recent + 1 : 1;
	node->growth = steady->growth;
	return 0;
}

/* -------------------------------------------------------------------------- searches */

/*
 * Choose the main loop among those of a run that goes on.  What went round twice may be a phase of
 * the program that is run twice: it is if its second time is long.
 */
static void steady_choose(struct main_loop *found, struct flow_loops *loops,
			  const struct trail_graph *made, const struct steady *steady)
{
	if (steady->trail.events - steady->grown_at >= 2 * steady->grown_at)
		flow_loops_drop_phases(loops, &made->graph);
	main_loop_choose(found, &made->graph, loops, made->node_ns, made->edge_ns, MAIN_LOOP_PART);
}

static int search_loops(struct steady *steady, struct error *err)
{
	struct trail_graph made;
	struct flow_loops loops = {0};
	struct main_loop found = {.loop = NO_LOOP};
	int result = trail_graph_make(&made, &steady->trail, err);

	if (result == 0)
		result = flow_loops_find_all(&loops, &made.graph, err);
	if (result == 0)
		steady_choose(&found, &loops, &made, steady);
	/* A loop that was left does not become steady. */
	if (result == 0 && found.loop != NO_LOOP &&
	    flow_loop_is_in(&loops, loops.of[steady->trail.at], found.loop)) {
		steady->watches = true;
		steady->next_try = 0;
		steady->state = STEADY_WATCHES;
		result = trail_laps(&steady->trail, &steady->watched, &made, &loops, found.loop,
				    steady->grown_at, &steady->watched_from, err);
	}
	flow_loops_release(&loops);
	trail_graph_release(&made);
	return result;
}

/* Search now if something was visited often enough, and if the time suffices. */
static int steady_check(struct steady *steady, struct error *err)
{
	const struct trail *trail = &steady->trail;
	const uint64_t cost_ns = EDGE_NS * (trail->nodes.count + trail->edges.count) +
				 EVENT_NS * trail->log.count;

	if (trail->events < steady->next_check ||
	    steady->nodes.items[trail->at].recent < STEADY_LAPS ||
	    steady->spent_ns + cost_ns > (trail->last_ns - trail->begin_ns) / COST_PART)
		return 0;
	steady->spent_ns += cost_ns;
	steady->next_check = trail->events +
			     (trail->events / 8 < LEAST_EVENTS ? LEAST_EVENTS : trail->events / 8);
	return search_loops(steady, err);
}

/* ------------------------------------------------------------------------ iterations */

/* Find whether the lap that begins is the first of a round: count it then. */
static bool begins_iteration(struct steady *steady)
{
	const struct laps *laps = &steady->counted;
	const size_t last = laps->runs.count - 1;
	const uint64_t lap = laps->begins.count - 1 - laps->runs.items[last];
	uint64_t number = steady->trail.nodes.items[laps->header].skipped / steady->length;

	if (lap < steady->offset || (lap - steady->offset) % steady->length)
		return false;
	for (size_t r = 0; r < last; r++) {
		const uint64_t count = laps->runs.items[r + 1] - laps->runs.items[r];

		if (count > steady->offset)
			number += (count - steady->offset) / steady->length;
	}
	steady->iteration = number + (lap - steady->offset) / steady->length;
	steady->iteration_visit = laps->visits - 1;
	return true;
}

/*
 * The watched loop is steady if enough laps began, and if they tell the length of a round: count it
 * then.
 */
static int steady_decide(struct steady *steady, struct error *err)
{
	uint32_t length, offset;
	bool sure;

	if (steady->watched.begins.count < steady->watched_from + STEADY_LAPS ||
	    steady->watched.begins.count < steady->next_try)
		return 0;
	length = rounds_length(&steady->watched.rounds, &offset, &sure);
	steady->next_try = steady->watched.begins.count + steady->watched.begins.count / 8;
	if (!sure)
		return 0;
	if (steady->counts)
		laps_release(&steady->counted);
	steady->counted = steady->watched;
	steady->counts = true;
	steady->watches = false;
	steady->length = length;
	steady->offset = offset;
	steady->state = STEADY_FOUND;
	main_loop_release(&steady->main_loop);
	steady->main_loop = (struct main_loop){.header = steady->counted.header};
	TRY(laps_find(&steady->counted, &steady->main_loop, err));
	steady->counted.settled = true;
	return 0;
}

/* Go on with the laps of the counted loop. */
static int steady_count(struct steady *steady, uint32_t node, int *begins, struct error *err)
{
	const bool inside = steady->counted.in_run;

	*begins = laps_add(&steady->counted, node, err);
	if (*begins < 0)
		return -1;
	/* A loop that is left may be in another one, which is not known. */
	if (inside && !steady->counted.in_run && steady->state == STEADY_FOUND &&
	    !steady->counted.is_inner)
		steady_search_again(steady);
	return 0;
}

int steady_add(struct steady *steady, uint32_t node, uint64_t enter_ns, uint64_t leave_ns,
	       enum steady_seen *seen, struct error *err)
{
	bool grows;
	int begins = 0;

	TRY(steady_visit(steady, node, enter_ns, leave_ns, &grows, err));
	*seen = grows ? STEADY_NEW : STEADY_NOTHING;
	if (steady->counts)
		TRY(steady_count(steady, node, &begins, err));
	if (steady->state == STEADY_SEARCHES) {
		TRY(steady_check(steady, err));
	} else if (steady->state == STEADY_WATCHES) {
		const int watched = laps_add(&steady->watched, node, err);

		TRY(watched);
		if (watched)
			TRY(steady_decide(steady, err));
		if (steady->state == STEADY_FOUND)
			begins = true;
	}
	if (begins && begins_iteration(steady))
		*seen = STEADY_ITERATION;
	return 0;
}

void steady_release(struct steady *steady)
{
	trail_release(&steady->trail);
	array_release(&steady->nodes);
	main_loop_release(&steady->main_loop);
	if (steady->watches)
		laps_release(&steady->watched);
	if (steady->counts)
		laps_release(&steady->counted);
}
