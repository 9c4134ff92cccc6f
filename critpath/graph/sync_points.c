#include "critpath/graph/sync_points.h"

#include "critpath/graph/passages.h"
#include "dist/dist_ask.h"

#include <string.h>

struct finder {
	struct dist_graph *graph;
	const struct measured_run *run;
	struct dist *dist;
	/* Collectives that may be synchronization points, in the order of the calls of rank 0. */
	ARRAY(dist_vertex) hubs;   /* [number] */
	struct number_map numbers; /* [vertex]: number of the hub */
	uint64_t *passing;	   /* [number]: edges that lead past it, as differences */
	uint32_t *block_of;	   /* [own vertex]: how many of the hubs are before it */
	uint32_t *from_block;	   /* [edge]: that of the vertex where it begins */
	ARRAY(size_t) asked;	   /* edges from vertices of other processes */
	struct error *err;
};

/* ------------------------------------------------------------------------ hubs */

/* The process of rank 0 lists the hubs. */
static int list_hubs(struct finder *finder)
{
	struct passages passages = {0};
	int result = 0;

	if (measured_owns(finder->run, 0))
		result = passages_list(&passages, finder->graph, 0, finder->err);
	for (size_t i = 0; result == 0 && i < passages.list.count; i++)
		result = array_push(&finder->hubs, passages.list.items[i].hub, finder->err);
	passages_release(&passages);
	return result;
}

static int number_hubs(struct finder *finder)
{
	for (size_t i = 0; i < finder->hubs.count; i++)
		TRY(number_map_add(&finder->numbers, finder->hubs.items[i], 0, (uint32_t)i,
				   finder->err));
	return allocate(&finder->passing, finder->hubs.count + 1, sizeof *finder->passing,
			finder->err);
}

/* Let all processes know the hubs that the one of rank 0 lists. */
static int tell_hubs(struct finder *finder)
{
	struct dist *dist = finder->dist;
	uint64_t count = finder->hubs.count;
	uint64_t teller = measured_owns(finder->run, 0) ? dist->rank : UINT64_MAX;

	TRY(dist_allreduce(dist, &count, 1, DIST_SUM, finder->err));
	TRY(dist_allreduce(dist, &teller, 1, DIST_MIN, finder->err));
	TRY(dist_agree(dist, array_reserve(&finder->hubs, count, finder->err), finder->err));
	finder->hubs.count = count;
	if (count)
		TRY(dist_bcast(dist, (uint32_t)teller, finder->hubs.items,
			       count * sizeof *finder->hubs.items, finder->err));
	return dist_agree(dist, number_hubs(finder), finder->err);
}

/* ---------------------------------------------------------------------- blocks */

/* Number of an own vertex among those of this process. */
static uint64_t own(const struct finder *finder, dist_vertex vertex)
{
	return vertex - finder->graph->first[finder->dist->rank];
}

static bool is_own(const struct finder *finder, dist_vertex vertex)
{
	return dist_graph_owns(finder->graph, finder->dist->rank, vertex);
}

static bool is_hub(const struct finder *finder, dist_vertex vertex)
{
	const struct dist_graph *graph = finder->graph;

	return vertex >= graph->first_hub[dist_graph_process(graph, vertex)];
}

/* Give the vertices of a rank's calls their blocks.  *ordered: it meets the hubs in their order. */
static int place_calls(struct finder *finder, uint32_t rank, struct passages *passages,
		       bool *ordered)
{
	uint32_t *block_of = finder->block_of + own(finder, finder->graph->first_call[rank]);
	const struct passage *list;
	uint32_t passed = 0;

	TRY(passages_list(passages, finder->graph, rank, finder->err));
	list = passages->list.items;
	*ordered &= passages->list.count == finder->hubs.count;
	for (size_t i = 0; *ordered && i < passages->list.count; i++)
		*ordered = list[i].hub == finder->hubs.items[i] &&
			   (!i || list[i].call > list[i - 1].call);
	for (uint32_t c = 0; *ordered && c < finder->run->ranks[rank].calls.count; c++) {
		block_of[2 * (size_t)c] = passed;
		passed += passed < passages->list.count && list[passed].call == c;
		block_of[2 * (size_t)c + 1] = passed;
	}
	return 0;
}

/* Give own calls their blocks.  *ordered: all ranks of this process meet the hubs in their order. */
static int place_ranks(struct finder *finder, bool *ordered)
{
	const struct dist_graph *graph = finder->graph;
	const uint32_t rank = finder->dist->rank;
	struct passages passages = {0};
	int result = 0;

	TRY(allocate(&finder->block_of, graph->first[rank + 1] - graph->first[rank],
		     sizeof *finder->block_of, finder->err));
	TRY(allocate(&finder->from_block, graph->edges.count, sizeof *finder->from_block,
		     finder->err));
	for (uint32_t r = finder->run->own_first; result == 0 && r < finder->run->own_end; r++)
		result = place_calls(finder, r, &passages, ordered);
	if (is_own(finder, PROGRAM_SINK))
		finder->block_of[own(finder, PROGRAM_SINK)] = (uint32_t)finder->hubs.count;
	passages_release(&passages);
	return result;
}

/* ----------------------------------------------------------- where edges begin */

static uint32_t ask_block(const void *data, size_t number, void *question)
{
	const struct finder *finder = data;
	const dist_vertex from = finder->graph->edges.items[finder->asked.items[number]].from;

	*(dist_vertex *)question = from;
	return dist_graph_process(finder->graph, from);
}

static int answer_blocks(void *data, const void *questions, size_t count, void *answers,
			 struct error *err)
{
	const struct finder *finder = data;
	const dist_vertex *vertices = questions;
	uint32_t *blocks = answers;

	for (size_t i = 0; i < count; i++) {
		if (!is_own(finder, vertices[i]))
			return error_set(err, STATUS_DATA,
					 "a question about a vertex of another process");
		blocks[i] = finder->block_of[own(finder, vertices[i])];
	}
	return 0;
}

static void take_block(void *data, size_t number, const void *answer)
{
	struct finder *finder = data;

	finder->from_block[finder->asked.items[number]] = *(const uint32_t *)answer;
}

/* Find the blocks where the edges from own vertices begin, and list those to ask for. */
static int list_questions(struct finder *finder, bool from_hubs)
{
	const struct dist_graph *graph = finder->graph;

	finder->asked.count = 0;
	for (size_t i = 0; i < graph->edges.count; i++) {
		const dist_vertex from = graph->edges.items[i].from;

		if (is_hub(finder, from) != from_hubs)
			continue;
		if (is_own(finder, from))
			finder->from_block[i] = finder->block_of[own(finder, from)];
		else if (from != PROGRAM_SOURCE)
			TRY(array_push(&finder->asked, i, finder->err));
	}
	return 0;
}

/* Find in which blocks the edges begin, those from hubs or the others. */
static int find_from_blocks(struct finder *finder, bool from_hubs)
{
	const struct dist_questions questions = {
		.question_bytes = sizeof(dist_vertex),
		.answer_bytes = sizeof(uint32_t),
		.answer = answer_blocks,
		.data = finder,
		.ask = ask_block,
		.take = take_block,
		.own = finder,
	};

	TRY(dist_agree(finder->dist, list_questions(finder, from_hubs), finder->err));
	return dist_ask(finder->dist, &questions, finder->asked.count, finder->err);
}

/* Give own hubs their blocks: that of the last edge to them.  Those from hub to hub are in order. */
static void place_hubs(struct finder *finder)
{
	const struct dist_graph *graph = finder->graph;

	for (int from_hubs = 0; from_hubs < 2; from_hubs++)
		for (size_t i = 0; i < graph->edges.count; i++) {
			const struct dist_raw_edge *edge = &graph->edges.items[i];
			const bool is_from_hub = is_own(finder, edge->from) &&
						 is_hub(finder, edge->from);
			const uint32_t from = is_from_hub
						      ? finder->block_of[own(finder, edge->from)]
						      : finder->from_block[i];
			uint32_t *to = &finder->block_of[own(finder, edge->to)];

			if (is_hub(finder, edge->to) && is_from_hub == from_hubs && from > *to)
				*to = from;
		}
}

/* ------------------------------------------------------------------ what passes */

/* Whether an edge leads from the begin to the end of the call of a member. */
static bool is_of_member(const struct finder *finder, const struct dist_raw_edge *edge)
{
	const struct dist_graph *graph = finder->graph;

	/* All calls of a rank have two vertices. */
	return is_own(finder, edge->from) && !is_hub(finder, edge->to) &&
	       edge->from >= PROGRAM_FIRST_CALL && edge->to == edge->from + 1 &&
	       (edge->from - graph->first_call[finder->run->own_first]) % 2 == 0;
}

/* Whether an edge goes through a hub, or through the call of one of its members. */
static bool goes_through(const struct finder *finder, size_t number)
{
	const struct dist_raw_edge *edge = &finder->graph->edges.items[number];
	const uint32_t from = finder->from_block[number];

	if (finder->block_of[own(finder, edge->to)] != from + 1)
		return false;
	return is_of_member(finder, edge) ||
	       number_map_get(&finder->numbers, edge->from, 0) == from;
}

static void count_passing(struct finder *finder)
{
	const struct dist_graph *graph = finder->graph;

	for (size_t i = 0; i < graph->edges.count; i++) {
		const uint32_t from = finder->from_block[i];
		const uint32_t to = finder->block_of[own(finder, graph->edges.items[i].to)];

		if (from == to || goes_through(finder, i))
			continue;
		finder->passing[from < to ? from : to]++;
		finder->passing[from < to ? to : from]--;
	}
}

/* Keep the hubs that no edge leads past.  after[number of hubs before]: how many of them are kept. */
static int keep_points(struct sync_points *points, const struct finder *finder, uint32_t *after)
{
	uint64_t passing = 0;

	for (size_t k = 0; k < finder->hubs.count; k++) {
		passing += finder->passing[k];
		if (!passing)
			TRY(array_push(&points->hubs, finder->hubs.items[k], finder->err));
		after[k + 1] = (uint32_t)points->hubs.count;
	}
	return 0;
}

/* Take out the edges of the members' calls. */
static void remove_beside(struct finder *finder, const uint32_t *after)
{
	struct dist_graph *graph = finder->graph;
	size_t kept = 0;

	for (size_t i = 0; i < graph->edges.count; i++) {
		const struct dist_raw_edge *edge = &graph->edges.items[i];

		if (is_of_member(finder, edge) &&
		    after[finder->from_block[i]] != after[finder->block_of[own(finder, edge->to)]])
			continue;
		graph->edges.items[kept++] = *edge;
	}
	graph->edges.count = kept;
}

static int divide(struct sync_points *points, struct finder *finder)
{
	struct dist *dist = finder->dist;
	uint32_t *after = NULL;
	int result;

	TRY(find_from_blocks(finder, false));
	place_hubs(finder);
	TRY(find_from_blocks(finder, true));
	count_passing(finder);
	TRY(dist_allreduce(dist, finder->passing, finder->hubs.count, DIST_SUM, finder->err));
	result = allocate(&after, finder->hubs.count + 1, sizeof *after, finder->err);
	if (result == 0)
		result = keep_points(points, finder, after);
	result = dist_agree(dist, result, finder->err);
	if (result == 0)
		remove_beside(finder, after);
	free(after);
	return result;
}

static int find_points(struct sync_points *points, struct finder *finder)
{
	struct dist *dist = finder->dist;
	bool ordered = true;
	uint64_t all_ordered;

	TRY(dist_agree(dist, list_hubs(finder), finder->err));
	TRY(tell_hubs(finder));
	if (!finder->hubs.count)
		return 0;
	TRY(dist_agree(dist, place_ranks(finder, &ordered), finder->err));
	all_ordered = ordered;
	TRY(dist_allreduce(dist, &all_ordered, 1, DIST_MIN, finder->err));
	/* Threads may meet collectives of several communicators in any order. */
	return all_ordered ? divide(points, finder) : 0;
}

int sync_points_find(struct sync_points *points, struct dist_graph *graph, struct dist *dist,
		     struct error *err)
{
	struct finder finder = {.graph = graph, .run = graph->waits->run, .dist = dist, .err = err};
	int result;

	*points = (struct sync_points){0};
	result = find_points(points, &finder);
	array_release(&finder.hubs);
	array_release(&finder.asked);
	number_map_release(&finder.numbers);
	free(finder.passing);
	free(finder.block_of);
	free(finder.from_block);
	if (result < 0)
		sync_points_release(points);
	return result;
}

void sync_points_release(struct sync_points *points)
{
	array_release(&points->hubs);
}
