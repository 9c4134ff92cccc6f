#include "trace/sequence/main_loop.h"

#include "trace/flow/flow_walk.h"

/* Mean iterations of a loop in another one, from which what follows it happens now and then. */
enum { OFTEN = 5 };

/* Item of a node that was not there when the loop was found. */
enum { UNKNOWN_ITEM = UINT32_MAX - 1 };

/* ---------------------------------------------------------------------------- choice */

uint64_t main_loop_time(const struct flow_graph *graph, const struct flow_loops *loops,
			uint32_t loop, const uint64_t *node_ns, const uint64_t *edge_ns)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < graph->nodes.count; n++)
		if (flow_loop_is_in(loops, loops->of[n], loop))
			sum += node_ns ? node_ns[n] : graph->nodes.items[n].visits;
	for (size_t e = 0; edge_ns && e < graph->edges.count; e++)
		if (flow_loop_is_in(loops, loops->of[graph->edges.items[e].from], loop) &&
		    flow_loop_is_in(loops, loops->of[graph->edges.items[e].to], loop))
			sum += edge_ns[e];
	return sum;
}

/* Whether a node is the first call or the last one, and no other. */
static bool is_outer_call(const struct flow_graph *graph, uint32_t node)
{
	return (node == 0 || node == graph->end) && graph->nodes.items[node].visits == 1;
}

/* Time of all but the first and the last call, which start and end MPI: between them is the run. */
static uint64_t total_time(const struct flow_graph *graph, const uint64_t *node_ns,
			   const uint64_t *edge_ns)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < graph->nodes.count; n++)
		if (!is_outer_call(graph, n))
			sum += node_ns ? node_ns[n] : graph->nodes.items[n].visits;
	for (size_t e = 0; edge_ns && e < graph->edges.count; e++)
		sum += edge_ns[e];
	return sum;
}

/*
 * Find the loop that begins a loop, shares its header and goes round often before the little that
 * follows: that happens now and then, as a check of convergence.  NO_LOOP: none.
 */
static uint32_t often_in(const struct flow_loops *loops, uint32_t loop)
{
	const struct flow_loop *outer = &loops->loops.items[loop];

	for (uint32_t l = 0; l < loops->loops.count; l++) {
		const struct flow_loop *inner = &loops->loops.items[l];

		if (inner->parent == loop && inner->shares_header &&
		    inner->iterations > OFTEN * outer->iterations &&
		    outer->nodes - inner->nodes <= inner->nodes)
			return l;
	}
	return NO_LOOP;
}

void main_loop_choose(struct main_loop *main_loop, const struct flow_graph *graph,
		      const struct flow_loops *loops, const uint64_t *node_ns,
		      const uint64_t *edge_ns, uint64_t part)
{
	*main_loop = (struct main_loop){.loop = NO_LOOP};
	main_loop->total_ns = total_time(graph, node_ns, edge_ns);
	if (!main_loop->total_ns) {
		node_ns = edge_ns = NULL;
		main_loop->total_ns = graph->events;
	}
	for (uint32_t l = 0; l < loops->loops.count; l++) {
		uint64_t time_ns;

		if (loops->loops.items[l].parent != NO_LOOP)
			continue;
		time_ns = main_loop_time(graph, loops, l, node_ns, edge_ns);
		if ((double)time_ns * (double)part < (double)main_loop->total_ns ||
		    (main_loop->loop != NO_LOOP && time_ns <= main_loop->time_ns))
			continue;
		main_loop->loop = l;
		main_loop->header = loops->loops.items[l].header;
		main_loop->time_ns = time_ns;
	}
	while (main_loop->loop != NO_LOOP && often_in(loops, main_loop->loop) != NO_LOOP) {
		main_loop->loop = often_in(loops, main_loop->loop);
		main_loop->time_ns = main_loop_time(graph, loops, main_loop->loop, node_ns,
						    edge_ns);
	}
}

/* ------------------------------------------------------------------------------ laps */

/* Find the item of a node: itself, or the loop below `loop` that has it. */
static uint32_t item_of(const struct flow_loops *loops, uint32_t loop, uint32_t node,
			uint32_t node_count)
{
	uint32_t at = loops->of[node], below = NO_LOOP;

	for (; at != NO_LOOP && at != loop; at = loops->loops.items[at].parent)
		below = at;
	if (at == NO_LOOP)
		return NO_LOOP;
	return below == NO_LOOP ? node : node_count + below;
}

/*
 * Whether the header follows itself often, compared with the nodes of the loop that also lead to
 * it.  Two fifths are far from the shares of regular programs, such as a third and a half.
 */
static bool is_repeated(const struct laps *laps, const struct flow_graph *graph)
{
	uint64_t by_itself = 0, by_others = 0;

	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];

		if (edge->to != laps->header || laps->items[edge->from] == NO_LOOP)
			continue;
		*(edge->from == laps->header ? &by_itself : &by_others) += edge->count;
	}
	return by_others && 5 * by_itself >= 2 * by_others;
}

int laps_begin(struct laps *laps, const struct flow_graph *graph, const struct flow_loops *loops,
	       uint32_t loop, struct error *err)
{
	const uint32_t count = (uint32_t)graph->nodes.count;

	*laps = (struct laps){.header = loops->loops.items[loop].header,
			      .is_inner = loops->loops.items[loop].parent != NO_LOOP,
			      .inner = NO_LOOP,
			      .node_count = count,
			      .at = NO_LOOP};
	TRY(allocate(&laps->items, count, sizeof *laps->items, err));
	for (uint32_t n = 0; n < count; n++)
		laps->items[n] = item_of(loops, loop, n, count);
	/*
	 * The header is in a loop below only if they share it.  Its visits one after the other are
	 * such a loop.
	 */
	if (laps->items[laps->header] >= count || is_repeated(laps, graph))
		laps->inner = laps->items[laps->header];
	return 0;
}

static int end_lap(struct laps *laps, struct error *err)
{
	if (!laps->in_lap)
		return 0;
	laps->in_lap = false;
	return laps->settled ? 0 : rounds_lap(&laps->rounds, err);
}

/* Begin a lap with the visit at hand of the header. */
static int begin_lap(struct laps *laps, struct error *err)
{
	TRY(end_lap(laps, err));
	if (!laps->in_run) {
		TRY(rounds_run(&laps->rounds, err));
		laps->left = NO_VISIT;
		TRY(array_push(&laps->runs, laps->begins.count, err));
	}
	TRY(flow_set_add(&laps->begins, laps->visits, err));
	laps->in_run = laps->in_lap = true;
	return 0;
}

int laps_add(struct laps *laps, uint32_t node, struct error *err)
{
	const bool begins = node == laps->header &&
			    (laps->at == NO_LOOP || laps->at != laps->inner);
	uint32_t item = NO_LOOP;

	if (node < laps->node_count)
		item = laps->items[node];
	else if (laps->at != NO_LOOP)
		item = UNKNOWN_ITEM;
	if (item == NO_LOOP) {
		TRY(end_lap(laps, err));
		if (laps->in_run)
			laps->left = laps->events;
		laps->in_run = false;
	}
	if (begins)
		TRY(begin_lap(laps, err));
	/* An inner loop is one item.  The header is in all laps. */
	if (laps->in_lap && !laps->settled && node != laps->header &&
	    (item != laps->at || item < laps->node_count))
		TRY(rounds_item(&laps->rounds, item, err));
	laps->visits += node == laps->header;
	laps->at = item;
	laps->events++;
	return begins;
}

/*
 * Keep the visits with which rounds of `length` laps begin, after `offset` laps of each run, and
 * the end of the last.
 */
static int keep_starts(const struct laps *laps, const struct flow_blocks *begins,
		       struct flow_set *starts, uint64_t *end, uint32_t length, uint32_t offset,
		       struct error *err)
{
	struct flow_run at = flow_run_first(begins->items, begins->count);
	uint64_t lap = 0, visit = at.begin;

	*end = NO_VISIT;
	for (size_t r = 0; r < laps->runs.count; r++) {
		const uint64_t first = laps->runs.items[r] + offset;
		const uint64_t beyond = r + 1 < laps->runs.count ? laps->runs.items[r + 1]
								 : laps->begins.count;

		for (; lap < beyond; lap++) {
			if (lap >= first && (lap - first) % length == 0) {
				*end = lap + length <= beyond ? NO_VISIT : visit;
				if (*end == NO_VISIT)
					TRY(flow_set_add(starts, visit, err));
			}
			if (visit++ < at.last)
				continue;
			flow_run_next(&at);
			visit = at.begin;
		}
	}
	return flow_set_end(starts, err);
}

/* Find the distance of all starts, 0 if they have several. */
static uint64_t distance_of(const struct flow_blocks *starts)
{
	const struct flow_block *block = starts->items;

	if (starts->count != 1)
		return 0;
	if (!block->stride)
		return block->last > block->first;
	return block->length == 1 ? block->stride : 0;
}

int laps_find(const struct laps *laps, struct main_loop *main_loop, struct error *err)
{
	struct flow_blocks begins = {0};
	struct flow_set starts = {0};
	uint32_t length, offset;
	bool sure;
	int result = flow_set_copy(&laps->begins, &begins, err);

	length = rounds_length(&laps->rounds, &offset, &sure);
	if (result == 0)
		result = keep_starts(laps, &begins, &starts, &main_loop->end_visit, length,
				     offset, err);
	array_release(&begins);
	main_loop->starts = starts.blocks;
	main_loop->iterations = starts.count;
	main_loop->first_visit = starts.blocks.count ? starts.blocks.items[0].first : 0;
	main_loop->round = laps->inner == NO_LOOP ? length : distance_of(&main_loop->starts);
	return result;
}

int laps_end(struct laps *laps, struct main_loop *main_loop, struct error *err)
{
	TRY(end_lap(laps, err));
	return laps_find(laps, main_loop, err);
}

void laps_release(struct laps *laps)
{
	free(laps->items);
	array_release(&laps->begins.blocks);
	array_release(&laps->runs);
	rounds_release(&laps->rounds);
}

static int walk_laps(struct laps *laps, const struct flow_graph *graph, struct error *err)
{
	struct flow_walk walk;
	int more;

	TRY(flow_walk_begin(&walk, graph, err));
	while ((more = flow_walk_next(&walk, err)) > 0)
		if (laps_add(laps, walk.node, err) < 0) {
			more = -1;
			break;
		}
	flow_walk_release(&walk);
	return more;
}

int main_loop_find(struct main_loop *main_loop, const struct flow_graph *graph,
		   const struct flow_loops *loops, const uint64_t *node_ns, const uint64_t *edge_ns,
		   struct error *err)
{
	struct laps laps;
	int result;

	main_loop_choose(main_loop, graph, loops, node_ns, edge_ns, MAIN_LOOP_PART);
	if (main_loop->loop == NO_LOOP)
		return 0;
	result = laps_begin(&laps, graph, loops, main_loop->loop, err);
	if (result == 0)
		result = walk_laps(&laps, graph, err);
	if (result == 0)
		result = laps_end(&laps, main_loop, err);
	laps_release(&laps);
	if (result < 0)
		main_loop_release(main_loop);
	return result;
}

void main_loop_release(struct main_loop *main_loop)
{
	array_release(&main_loop->starts);
}
