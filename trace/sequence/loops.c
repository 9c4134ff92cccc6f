#include "trace/sequence/loops.h"

#include <string.h>

/* Node on the path of the search, and the next of its edges. */
struct search_step {
	uint32_t node, edge;
};

struct search {
	const struct flow_graph *graph;
	uint32_t *header;   /* [node]: of the innermost loop around it that is known, or NO_LOOP */
	uint32_t *position; /* [node]: on the path, from 1; 0: not on it */
	bool *visited, *is_header, *irreducible;
	ARRAY(struct search_step) path;
};

/* Let `header` be a header around a node, among those that are known, the innermost first. */
static void tag(struct search *search, uint32_t node, uint32_t header)
{
	uint32_t inner = node, outer = header;

	if (node == header || header == NO_LOOP)
		return;
	while (search->header[inner] != NO_LOOP) {
		const uint32_t known = search->header[inner];

		if (known == outer)
			return;
		if (search->position[known] < search->position[outer]) {
			search->header[inner] = outer;
			inner = outer;
			outer = known;
		} else {
			inner = known;
		}
	}
	/* A header is not around itself. */
	if (inner != outer)
		search->header[inner] = outer;
}

/* Take an edge to a node that was visited before. */
static void meet(struct search *search, uint32_t node, uint32_t next)
{
	uint32_t header = search->header[next];

	if (search->position[next]) {
		search->is_header[next] = true;
		tag(search, node, next);
		return;
	}
	while (header != NO_LOOP && !search->position[header]) {
		/* The edge enters the loop beside its header. */
		search->irreducible[header] = true;
		header = search->header[header];
	}
	tag(search, node, header);
}

static int search_push(struct search *search, uint32_t node, struct error *err)
{
	search->visited[node] = true;
	TRY(array_push(&search->path,
		       ((struct search_step){node, search->graph->nodes.items[node].edges}), err));
	search->position[node] = (uint32_t)search->path.count;
	return 0;
}

static void search_pop(struct search *search)
{
	const uint32_t node = search->path.items[--search->path.count].node;

	search->position[node] = 0;
	if (search->path.count)
		tag(search, search->path.items[search->path.count - 1].node, search->header[node]);
}

static int search_all(struct search *search, struct error *err)
{
	const struct flow_graph *graph = search->graph;

	TRY(search_push(search, 0, err));
	while (search->path.count) {
		struct search_step *step = &search->path.items[search->path.count - 1];
		const struct flow_node *node = &graph->nodes.items[step->node];

		if (step->edge == node->edges + node->edge_count) {
			search_pop(search);
			continue;
		}
		const uint32_t from = step->node, next = graph->edges.items[step->edge++].to;

		if (search->visited[next])
			meet(search, from, next);
		else
			TRY(search_push(search, next, err));
	}
	return 0;
}

/* ------------------------------------------------------------------------- loops */

/* Add the loop of a header after the loops around it.  numbers[header]: its loop. */
static int add_loop(struct flow_loops *loops, const struct search *search, uint32_t header,
		    uint32_t *numbers, struct error *err)
{
	ARRAY(uint32_t) around = {0};
	int result = 0;

	for (uint32_t at = header; at != NO_LOOP && numbers[at] == NO_LOOP && result == 0;
	     at = search->header[at])
		result = array_push(&around, at, err);
	while (around.count && result == 0) {
		const uint32_t at = around.items[--around.count];
		struct flow_loop loop = {.header = at,
					 .parent = NO_LOOP,
					 .irreducible = search->irreducible[at]};

		if (search->header[at] != NO_LOOP) {
			loop.parent = numbers[search->header[at]];
			loop.depth = loops->loops.items[loop.parent].depth + 1;
		}
		numbers[at] = (uint32_t)loops->loops.count;
		result = array_push(&loops->loops, loop, err);
	}
	array_release(&around);
	return result;
}

static int make_loops(struct flow_loops *loops, const struct search *search, struct error *err)
{
	const struct flow_graph *graph = search->graph;
	uint32_t *numbers;
	int result = 0;

	TRY(allocate(&loops->of, graph->nodes.count, sizeof *loops->of, err));
	TRY(allocate(&numbers, graph->nodes.count, sizeof *numbers, err));
	memset(numbers, 0xff, graph->nodes.count * sizeof *numbers);
	for (uint32_t n = 0; n < graph->nodes.count && result == 0; n++)
		if (search->is_header[n])
			result = add_loop(loops, search, n, numbers, err);
	for (uint32_t n = 0; n < graph->nodes.count; n++)
		loops->of[n] = search->is_header[n]	      ? numbers[n]
			       : search->header[n] != NO_LOOP ? numbers[search->header[n]]
							      : NO_LOOP;
	free(numbers);
	return result;
}

bool flow_loop_is_in(const struct flow_loops *loops, uint32_t loop, uint32_t outer)
{
	while (loop != NO_LOOP && loop != outer)
		loop = loops->loops.items[loop].parent;
	return loop == outer && loop != NO_LOOP;
}

/* ------------------------------------------------------------- loops with one header */

/*
 * Check whether a part of a loop is a loop in it: it is left for the rest of the loop by one edge,
 * at its end, which is the node `latch`.  Another exit is a condition within one loop.  Where the
 * loop as a whole ends tells nothing: that is not known while the program runs.  in: [node] whether
 * it is in the part.
 */
static bool part_is_loop(const struct flow_loops *loops, const struct flow_graph *graph,
			 uint32_t number, const bool *in, uint32_t latch)
{
	uint32_t exits = 0;

	for (size_t e = 0; e < graph->edges.count; e++) {
		const struct flow_edge *edge = &graph->edges.items[e];

		if (!in[edge->from] || in[edge->to] ||
		    !flow_loop_is_in(loops, loops->of[edge->to], number))
			continue;
		if (exits++ || edge->from != latch)
			return false;
	}
	return exits > 0;
}

/* What is needed to look for loops with one header. */
struct splitting {
	bool *in;		      /* [node]: in the part at hand */
	uint32_t *first_in, *next_in; /* [node], [edge]: edges to a node, NO_LOOP at the end */
	ARRAY(uint32_t) marked;	      /* nodes whose edges have to be followed back */
};

/*
 * Mark the members of a loop from which an edge to the header can be reached without passing the
 * header.
 */
static int mark_part(struct splitting *splitting, const struct flow_loops *loops,
		     const struct flow_graph *graph, uint32_t number, uint32_t latch,
		     struct error *err)
{
	const uint32_t header = loops->loops.items[number].header;
	bool *in = splitting->in;

	memset(in, 0, graph->nodes.count);
	in[header] = in[latch] = true;
	splitting->marked.count = 0;
	if (latch != header)
		TRY(array_push(&splitting->marked, latch, err));
	while (splitting->marked.count) {
		const uint32_t node = splitting->marked.items[--splitting->marked.count];

		for (uint32_t e = splitting->first_in[node]; e != NO_LOOP;
		     e = splitting->next_in[e]) {
			const uint32_t from = graph->edges.items[e].from;

			if (in[from] || !flow_loop_is_in(loops, loops->of[from], number))
				continue;
			in[from] = true;
			TRY(array_push(&splitting->marked, from, err));
		}
	}
	return 0;
}

/* Let the marked part of a loop be a loop in it. */
static int split(struct flow_loops *loops, const struct flow_graph *graph, uint32_t number,
		 const bool *in, struct error *err)
{
	const struct flow_loop *outer = &loops->loops.items[number];
	const uint32_t made = (uint32_t)loops->loops.count;
	const struct flow_loop inner = {.header = outer->header,
					.parent = number,
					.depth = outer->depth + 1,
					.shares_header = true};

	TRY(array_push(&loops->loops, inner, err));
	for (uint32_t n = 0; n < graph->nodes.count; n++)
		if (in[n] && loops->of[n] == number)
			loops->of[n] = made;
	for (uint32_t l = 0; l < made; l++)
		if (loops->loops.items[l].parent == number && in[loops->loops.items[l].header])
			loops->loops.items[l].parent = made;
	return 0;
}

/* Whether the marked part is not all of a loop. */
static bool is_proper(const struct flow_loops *loops, const struct flow_graph *graph,
		      uint32_t number, const bool *in)
{
	for (uint32_t n = 0; n < graph->nodes.count; n++)
		if (!in[n] && flow_loop_is_in(loops, loops->of[n], number))
			return true;
	return false;
}

/* Whether the loop has an inner one with its header, and an edge comes from that. */
static bool comes_from_inner(const struct flow_loops *loops, uint32_t number, uint32_t from)
{
	uint32_t loop = loops->of[from];

	for (; loop != NO_LOOP && loop != number; loop = loops->loops.items[loop].parent)
		if (loops->loops.items[loop].shares_header &&
		    loops->loops.items[loop].parent == number)
			return true;
	return false;
}

/*
 * Whether an edge leads to the header of a loop from its nodes that are in no loop with this header
 * in it.
 */
static bool is_latch(const struct flow_loops *loops, uint32_t number, const struct flow_edge *edge)
{
	return edge->to == loops->loops.items[number].header &&
	       flow_loop_is_in(loops, loops->of[edge->from], number) &&
	       !comes_from_inner(loops, number, edge->from);
}

/*
 * Look for a loop in a loop that has its header, around those that were found: it ends with the
 * edge to the header that is taken most, or as often as another one, give or take one.  *found
 * becomes whether there is one.
 */
static int split_loop(struct splitting *splitting, struct flow_loops *loops,
		      const struct flow_graph *graph, uint32_t number, bool *found,
		      struct error *err)
{
	const uint32_t first = splitting->first_in[loops->loops.items[number].header];
	uint64_t most = 0;
	uint32_t latches = 0;

	*found = false;
	for (uint32_t e = first; e != NO_LOOP; e = splitting->next_in[e]) {
		const struct flow_edge *edge = &graph->edges.items[e];

		if (!is_latch(loops, number, edge))
			continue;
		latches++;
		most = edge->count > most ? edge->count : most;
	}
	for (uint32_t e = first; latches > 1 && e != NO_LOOP; e = splitting->next_in[e]) {
		const struct flow_edge *edge = &graph->edges.items[e];

		if (!is_latch(loops, number, edge) || edge->count + 1 < most)
			continue;
		TRY(mark_part(splitting, loops, graph, number, edge->from, err));
		if (!is_proper(loops, graph, number, splitting->in) ||
		    !part_is_loop(loops, graph, number, splitting->in, edge->from))
			continue;
		*found = true;
		return split(loops, graph, number, splitting->in, err);
	}
	return 0;
}

/* ------------------------------------------------------------------------- counts */

/* Count an edge to a header in its loops: they share it. */
static void count_edge(struct flow_loops *loops, const struct flow_edge *edge)
{
	for (uint32_t l = loops->of[edge->to]; l != NO_LOOP; l = loops->loops.items[l].parent) {
		struct flow_loop *loop = &loops->loops.items[l];

		if (loop->header != edge->to)
			return;
		if (!flow_loop_is_in(loops, loops->of[edge->from], l))
			loop->entries += edge->count;
		if (!comes_from_inner(loops, l, edge->from))
			loop->iterations += edge->count;
	}
}

static void count_all(struct flow_loops *loops, const struct flow_graph *graph)
{
	/* A loop that was moved into one with its parent's header may come before it: parents first. */
	for (size_t pass = 0; pass < 2; pass++)
		for (uint32_t l = 0; l < loops->loops.count; l++) {
			struct flow_loop *loop = &loops->loops.items[l];

			loop->depth = loop->parent == NO_LOOP
					      ? 0
					      : loops->loops.items[loop->parent].depth + 1;
			loop->nodes = 0;
			loop->entries = loop->iterations = loop->header == 0;
		}
	for (uint32_t n = 0; n < graph->nodes.count; n++)
		for (uint32_t l = loops->of[n]; l != NO_LOOP; l = loops->loops.items[l].parent)
			loops->loops.items[l].nodes++;
	for (size_t e = 0; e < graph->edges.count; e++)
		count_edge(loops, &graph->edges.items[e]);
}

/* List the edges to each node, in their order. */
static int make_splitting(struct splitting *splitting, const struct flow_graph *graph,
			  struct error *err)
{
	TRY(allocate(&splitting->in, graph->nodes.count, sizeof *splitting->in, err));
	TRY(allocate(&splitting->first_in, graph->nodes.count, sizeof *splitting->first_in, err));
	TRY(allocate(&splitting->next_in, graph->edges.count, sizeof *splitting->next_in, err));
	memset(splitting->first_in, 0xff, graph->nodes.count * sizeof *splitting->first_in);
	for (size_t e = graph->edges.count; e-- > 0;) {
		uint32_t *first = &splitting->first_in[graph->edges.items[e].to];

		splitting->next_in[e] = *first;
		*first = (uint32_t)e;
	}
	return 0;
}

static int split_and_count(struct flow_loops *loops, const struct flow_graph *graph,
			   struct error *err)
{
	struct splitting splitting = {0};
	bool found = false;
	int result = make_splitting(&splitting, graph, err);

	/* Loops that are made are looked at, too, and those in which they are once more. */
	for (uint32_t l = 0; l < loops->loops.count && result == 0; l += !found)
		result = split_loop(&splitting, loops, graph, l, &found, err);
	free(splitting.in);
	free(splitting.first_in);
	free(splitting.next_in);
	array_release(&splitting.marked);
	count_all(loops, graph);
	return result;
}

/* ------------------------------------------------------------------------- phases */

/* Find a loop that is entered once, goes round twice, and has another loop in it. */
static uint32_t find_phases(const struct flow_loops *loops)
{
	for (uint32_t l = 0; l < loops->loops.count; l++) {
		const uint32_t parent = loops->loops.items[l].parent;

		if (parent != NO_LOOP && loops->loops.items[parent].parent == NO_LOOP &&
		    loops->loops.items[parent].entries == 1 &&
		    loops->loops.items[parent].iterations == 2)
			return parent;
	}
	return NO_LOOP;
}

/* Forget an outermost loop; the loops in it are outermost then. */
static void forget_loop(struct flow_loops *loops, size_t node_count, uint32_t number)
{
	for (size_t n = 0; n < node_count; n++) {
		uint32_t *of = &loops->of[n];

		*of = *of == number ? NO_LOOP : *of - (*of > number && *of != NO_LOOP);
	}
	for (uint32_t l = 0; l < loops->loops.count; l++) {
		struct flow_loop *loop = &loops->loops.items[l];

		if (loop->parent == number) {
			loop->parent = NO_LOOP;
			loop->shares_header = false;
		}
		loop->parent -= loop->parent > number && loop->parent != NO_LOOP;
	}
	loops->loops.count--;
	memmove(loops->loops.items + number, loops->loops.items + number + 1,
		(loops->loops.count - number) * sizeof *loops->loops.items);
}

void flow_loops_drop_phases(struct flow_loops *loops, const struct flow_graph *graph)
{
	uint32_t phases;

	while ((phases = find_phases(loops)) != NO_LOOP) {
		forget_loop(loops, graph->nodes.count, phases);
		count_all(loops, graph);
	}
}

static int search_make(struct search *search, const struct flow_graph *graph, struct error *err)
{
	const size_t count = graph->nodes.count;

	*search = (struct search){.graph = graph};
	TRY(allocate(&search->header, count, sizeof *search->header, err));
	TRY(allocate(&search->position, count, sizeof *search->position, err));
	TRY(allocate(&search->visited, count, sizeof *search->visited, err));
	TRY(allocate(&search->is_header, count, sizeof *search->is_header, err));
	TRY(allocate(&search->irreducible, count, sizeof *search->irreducible, err));
	memset(search->header, 0xff, count * sizeof *search->header);
	return 0;
}

int flow_loops_find_all(struct flow_loops *loops, const struct flow_graph *graph, struct error *err)
{
	struct search search;
	int result = search_make(&search, graph, err);

	*loops = (struct flow_loops){0};
	if (result == 0 && graph->nodes.count)
		result = search_all(&search, err);
	if (result == 0)
		result = make_loops(loops, &search, err);
	if (result == 0)
		result = split_and_count(loops, graph, err);
	free(search.header);
	free(search.position);
	free(search.visited);
	free(search.is_header);
	free(search.irreducible);
	array_release(&search.path);
	return result;
}

int flow_loops_find(struct flow_loops *loops, const struct flow_graph *graph, struct error *err)
{
	TRY(flow_loops_find_all(loops, graph, err));
	flow_loops_drop_phases(loops, graph);
	return 0;
}

void flow_loops_release(struct flow_loops *loops)
{
	free(loops->of);
	array_release(&loops->loops);
}
