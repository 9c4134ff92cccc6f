#include "critpath/graph/graph_slice.h"

const char *const program_edge_kind_names[EDGE_KINDS + 1] = {
	[EDGE_PROGRAM] = "program",	  [EDGE_CALL] = "call",
	[EDGE_MESSAGE] = "message",	  [EDGE_LATE_RECEIVER] = "late receiver",
	[EDGE_COLLECTIVE] = "collective", [EDGE_LOCK] = "lock",
};

/* Find what kind an edge between two calls is: what the second waited for the first for. */
static enum program_edge_kind kind_between(const struct program_graph *graph,
					   const struct program_vertex *from,
					   const struct program_vertex *to)
{
	const struct wait *wait = wait_at(graph->waits, to->rank, to->call);

	if (wait->kind == WAIT_NONE || wait->rank != from->rank || wait->call != from->call)
		return EDGE_MESSAGE;
	if (wait->kind == WAIT_LATE_RECEIVER)
		return EDGE_LATE_RECEIVER;
	if (wait->kind == WAIT_LOCK)
		return EDGE_LOCK;
	return wait->kind == WAIT_LATE_SENDER ? EDGE_MESSAGE : EDGE_COLLECTIVE;
}

static enum program_edge_kind kind_of(const struct program_graph *graph, uint32_t from_vertex,
				      uint32_t to_vertex)
{
	const uint64_t first_hub = graph->first_vertex[graph->waits->run->rank_count];
	const struct program_vertex from = program_vertex_of(graph, from_vertex);
	const struct program_vertex to = program_vertex_of(graph, to_vertex);

	if (from_vertex >= first_hub || to_vertex >= first_hub)
		return EDGE_COLLECTIVE;
	if (from_vertex == graph->source || to_vertex == graph->sink || from.end)
		return EDGE_PROGRAM;
	if (from.rank == to.rank && from.call == to.call)
		return EDGE_CALL;
	return kind_between(graph, &from, &to);
}

/* When a vertex is, since the run began. */
static uint64_t time_of(const struct program_graph *graph, uint32_t vertex)
{
	return measured_since_begin(graph->waits->run, program_vertex_of(graph, vertex).at_ns);
}

static bool is_between(uint64_t time_ns, uint64_t from_ns, uint64_t to_ns)
{
	return time_ns >= from_ns && time_ns <= to_ns;
}

/* Add the edges of a vertex that is in the slice, and mark their ends. */
static int add_edges(struct graph_slice *slice, uint32_t from, uint64_t from_ns, uint64_t to_ns,
		     bool *marked, struct error *err)
{
	const struct program_graph *graph = slice->graph;
	const uint64_t begin_ns = time_of(graph, from);

	if (!is_between(begin_ns, from_ns, to_ns))
		return 0;
	for (uint64_t i = graph->first_edge[from]; i < graph->first_edge[from + 1]; i++) {
		const struct program_edge *edge = &graph->edges[i];
		const uint64_t end_ns = time_of(graph, edge->to);
		const uint64_t ns = end_ns > begin_ns ? end_ns - begin_ns : 0;

		if (!is_between(end_ns, from_ns, to_ns))
			continue;
		marked[from] = marked[edge->to] = true;
		TRY(array_push(&slice->edges,
			       ((struct sliced_edge){from, edge->to, edge->wait_ns,
						     ns > edge->wait_ns ? ns - edge->wait_ns : 0,
						     kind_of(graph, from, edge->to)}),
			       err));
	}
	return 0;
}

static int find_edges(struct graph_slice *slice, uint64_t from_ns, uint64_t to_ns, bool *marked,
		      struct error *err)
{
	for (uint32_t v = 0; v < slice->graph->vertex_count; v++)
		TRY(add_edges(slice, v, from_ns, to_ns, marked, err));
	for (uint32_t v = 0; v < slice->graph->vertex_count; v++)
		if (marked[v])
			TRY(array_push(&slice->vertices, v, err));
	return 0;
}

int graph_slice_find(struct graph_slice *slice, const struct program_graph *graph, uint64_t from_ns,
		     uint64_t to_ns, struct error *err)
{
	bool *marked;
	int result;

	*slice = (struct graph_slice){.graph = graph};
	TRY(allocate(&marked, graph->vertex_count, sizeof *marked, err));
	result = find_edges(slice, from_ns, to_ns, marked, err);
	free(marked);
	if (result < 0)
		graph_slice_release(slice);
	return result;
}

void graph_slice_release(struct graph_slice *slice)
{
	array_release(&slice->vertices);
	array_release(&slice->edges);
}
