#include "eventflow/loops/iterations.h"

#include "eventflow/graph/timed_walk.h"

#include <string.h>

enum { NOT_OPEN = 0 };

/* ---------------------------------------------------------------------------- times */

static uint32_t loop_around(const struct flow_loops *loops, uint32_t loop)
{
	return loops->loops.items[loop].parent;
}

/* Find the innermost loop that has both loops, or NO_LOOP. */
static uint32_t common_loop(const struct flow_loops *loops, uint32_t one, uint32_t other)
{
	while (one != other && one != NO_LOOP && other != NO_LOOP) {
		if (loops->loops.items[one].depth < loops->loops.items[other].depth)
			other = loop_around(loops, other);
		else
			one = loop_around(loops, one);
	}
	return one == other ? one : NO_LOOP;
}

/* Add the times of inner loops to the loops around them, the deepest first. */
static void add_to_outer(uint64_t *time_ns, const struct flow_loops *loops)
{
	uint32_t deepest = 0;

	for (uint32_t l = 0; l < loops->loops.count; l++)
		if (loops->loops.items[l].depth > deepest)
			deepest = loops->loops.items[l].depth;
	for (uint32_t depth = deepest; depth; depth--)
		for (uint32_t l = 0; l < loops->loops.count; l++)
			if (loops->loops.items[l].depth == depth)
				time_ns[loop_around(loops, l)] += time_ns[l];
}

void loop_times_find(uint64_t *time_ns, const struct flow_graph *graph,
		     const struct flow_loops *loops, const uint64_t *node_ns,
		     const uint64_t *edge_ns)
{
	memset(time_ns, 0, loops->loops.count * sizeof *time_ns);
	for (size_t n = 0; n < graph->nodes.count; n++)
		if (loops->of[n] != NO_LOOP)
			time_ns[loops->of[n]] += node_ns[n];
	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];
		const uint32_t loop = common_loop(loops, loops->of[edge->from],
						  loops->of[edge->to]);

		if (loop != NO_LOOP)
			time_ns[loop] += edge_ns[e];
	}
	add_to_outer(time_ns, loops);
}

/* ----------------------------------------------------------------------- all loops */

struct loop_times {
	const struct flow_loops *loops;
	struct flow_stat *stats;
	uint64_t *begins; /* [loop]: of the iteration at hand and 1 ns more, or NOT_OPEN */
	uint32_t last;	  /* innermost loop of the event before, or NO_LOOP */
	uint64_t last_ns; /* end of the event before */
};

static void end_iteration(struct loop_times *times, uint32_t loop, uint64_t end_ns)
{
	if (times->begins[loop] != NOT_OPEN)
		flow_stat_add(&times->stats[loop], end_ns - (times->begins[loop] - 1));
	times->begins[loop] = NOT_OPEN;
}

/*
 * Whether `from` is in a loop within `loop` that has its header: then a visit of the header is an
 * iteration of that.
 */
static bool is_in_inner(const struct flow_loops *loops, uint32_t loop, uint32_t from)
{
	for (; from != NO_LOOP && from != loop; from = loops->loops.items[from].parent)
		if (loops->loops.items[from].shares_header &&
		    loops->loops.items[from].parent == loop)
			return true;
	return false;
}

static void add_event(struct loop_times *times, const struct timed_walk *walk)
{
	const struct flow_loops *loops = times->loops;
	const uint32_t own = loops->of[walk->at.node];

	for (uint32_t l = times->last; l != NO_LOOP && !flow_loop_is_in(loops, own, l);
	     l = loops->loops.items[l].parent)
		end_iteration(times, l, times->last_ns);
	for (uint32_t l = own; l != NO_LOOP; l = loops->loops.items[l].parent) {
		if (loops->loops.items[l].header != walk->at.node ||
		    is_in_inner(loops, l, times->last))
			continue;
		end_iteration(times, l, walk->enter_ns);
		times->begins[l] = walk->enter_ns + 1;
	}
	times->last = own;
	times->last_ns = walk->leave_ns;
}

static int add_events(struct loop_times *times, const struct flow *flow,
		      const struct flow_thread *thread, struct error *err)
{
	struct timed_walk walk;
	int more = timed_walk_begin(&walk, flow, thread, err);

	if (more == 0)
		while ((more = timed_walk_next(&walk, err)) > 0)
			add_event(times, &walk);
	timed_walk_release(&walk);
	for (uint32_t l = times->last; l != NO_LOOP; l = times->loops->loops.items[l].parent)
		end_iteration(times, l, times->last_ns);
	return more;
}

int loop_iterations_add(struct flow_stat *stats, const struct flow *flow,
			const struct flow_thread *thread, const struct flow_loops *loops,
			struct error *err)
{
	struct loop_times times = {.loops = loops, .stats = stats, .last = NO_LOOP};
	int result;

	TRY(allocate(&times.begins, loops->loops.count, sizeof *times.begins, err));
	result = add_events(&times, flow, thread, err);
	free(times.begins);
	return result;
}

/* ------------------------------------------------------------------------ main loop */

struct main_iterations {
	const struct flow_loops *loops;
	const struct main_loop *main_loop;
	struct flow_run starts; /* visits with which iterations begin */
	uint64_t next;		/* the next one of them */
	uint64_t number, begin_ns, begin_visit, last_ns;
	bool open;
	take_iteration *take;
	void *data;
};

static int end_main(struct main_iterations *at, uint64_t end_ns, struct error *err)
{
	if (!at->open)
		return 0;
	at->open = false;
	return at->take(at->data, at->number++, at->begin_ns, end_ns, err);
}

/* Note a visit of the header: an iteration may begin or end. */
static int visit_header(struct main_iterations *at, const struct timed_walk *walk,
			struct error *err)
{
	const uint64_t visit = walk->at.visit, round = at->main_loop->round;
	const bool begins = visit == at->next;

	if (begins || (at->open && round && visit == at->begin_visit + round))
		TRY(end_main(at, walk->enter_ns, err));
	if (!begins)
		return 0;
	at->open = true;
	at->begin_ns = walk->enter_ns;
	at->begin_visit = visit;
	if (at->next++ == at->starts.last) {
		flow_run_next(&at->starts);
		at->next = at->starts.begin;
	}
	return 0;
}

static int add_main_event(struct main_iterations *at, const struct timed_walk *walk,
			  struct error *err)
{
	if (!flow_loop_is_in(at->loops, at->loops->of[walk->at.node], at->main_loop->loop))
		TRY(end_main(at, at->last_ns, err));
	else if (walk->at.node == at->main_loop->header)
		TRY(visit_header(at, walk, err));
	at->last_ns = walk->leave_ns;
	return 0;
}

int main_loop_iterations(const struct flow *flow, const struct flow_thread *thread,
			 const struct flow_loops *loops, const struct main_loop *main_loop,
			 take_iteration *take, void *data, struct error *err)
{
	struct main_iterations at = {.loops = loops,
				     .main_loop = main_loop,
				     .starts = flow_run_first(main_loop->starts.items,
							      main_loop->starts.count),
				     .take = take,
				     .data = data};
	struct timed_walk walk;
	int more;

	at.next = at.starts.begin;
	if (main_loop->loop == NO_LOOP)
		return 0;
	more = timed_walk_begin(&walk, flow, thread, err);
	if (more == 0)
		while ((more = timed_walk_next(&walk, err)) > 0)
			if (add_main_event(&at, &walk, err) < 0) {
				more = -1;
				break;
			}
	timed_walk_release(&walk);
	return more < 0 ? -1 : end_main(&at, at.last_ns, err);
}
