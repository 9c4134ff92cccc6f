#include "eventflow/graph/shown_graph.h"

#include "eventflow/graph/print_calls.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 90, MOST_BLOCKS = 40 };

struct showing {
	const struct flow *flow;
	const struct flow_graph *graph;
	const struct graph_times *times;
	struct flow_chains chains;
	bool with_chains;
	uint32_t *numbers; /* [node]: shown node */
};

/* Chain of a node that is shown as one, or NO_CHAIN. */
static uint32_t chain_of(const struct showing *showing, uint32_t node)
{
	return showing->with_chains ? showing->chains.of[node] : NO_CHAIN;
}

static uint64_t mean_time(const struct showing *showing, uint64_t sum)
{
	return showing->times->threads ? sum / showing->times->threads : 0;
}

static int shown_label(const struct showing *showing, uint32_t node, char **label,
		       struct error *err)
{
	const uint32_t chain = chain_of(showing, node);
	char *first = flow_label_text(showing->flow, showing->graph->nodes.items[node].signature,
				      err);

	*label = first;
	if (!first)
		return -1;
	if (chain == NO_CHAIN)
		return 0;
	if (asprintf(label, "Seq %u (length %u) from %s", chain + 1,
		     showing->chains.chains.items[chain].length, first) < 0)
		*label = NULL;
	free(first);
	return *label ? 0 : error_set_memory(err, 1);
}

static int add_node(struct shown_graph *shown, struct showing *showing, uint32_t node,
		    struct error *err)
{
	const uint32_t chain = chain_of(showing, node);
	struct shown_node made = {.node = node,
				  .calls = 1,
				  .visits = showing->graph->nodes.items[node].visits};

	if (chain != NO_CHAIN && showing->chains.chains.items[chain].first != node) {
		const uint32_t number = showing->numbers[showing->chains.chains.items[chain].first];

		showing->numbers[node] = number;
		shown->nodes.items[number].calls++;
		shown->nodes.items[number].time_ns += mean_time(showing,
								showing->times->nodes[node]);
		return 0;
	}
	made.time_ns = mean_time(showing, showing->times->nodes[node]);
	showing->numbers[node] = (uint32_t)shown->nodes.count;
	TRY(shown_label(showing, node, &made.label, err));
	if (array_push(&shown->nodes, made, err) < 0) {
		free(made.label);
		return -1;
	}
	return 0;
}

static int add_edge(struct shown_graph *shown, const struct showing *showing,
		    const struct flow_edge *edge, uint64_t sum_ns, struct error *err)
{
	const uint32_t blocks = edge->block_count < MOST_BLOCKS ? edge->block_count : MOST_BLOCKS;
	struct shown_edge made = {.from = showing->numbers[edge->from],
				  .to = showing->numbers[edge->to],
				  .count = edge->count,
				  .time_ns = mean_time(showing, sum_ns)};

	/* Inside a chain. */
	if (made.from == made.to && edge->from != edge->to &&
	    showing->chains.chains.items[showing->chains.of[edge->from]].last != edge->from) {
		shown->nodes.items[made.from].time_ns += made.time_ns;
		return 0;
	}
	TRY(allocate(&made.visits, (size_t)blocks + 1, BLOCK_BYTES, err));
	flow_blocks_text(showing->graph->blocks.items + edge->blocks, blocks, made.visits,
			 ((size_t)blocks + 1) * BLOCK_BYTES);
	if (array_push(&shown->edges, made, err) < 0) {
		free(made.visits);
		return -1;
	}
	return 0;
}

static int show(struct shown_graph *shown, struct showing *showing, struct error *err)
{
	const struct flow_graph *graph = showing->graph;

	TRY(allocate(&showing->numbers, graph->nodes.count, sizeof *showing->numbers, err));
	TRY(flow_chains_find(&showing->chains, graph, err));
	/* The first of a chain is visited first. */
	for (uint32_t n = 0; n < graph->nodes.count; n++)
		TRY(add_node(shown, showing, n, err));
	for (size_t e = 0; e < graph->edges.count; e++)
		TRY(add_edge(shown, showing, &graph->edges.items[e], showing->times->edges[e],
			     err));
	return 0;
}

int shown_graph_make(struct shown_graph *shown, const struct flow *flow,
		     const struct flow_graph *graph, const struct graph_times *times,
		     bool with_chains, struct error *err)
{
	struct showing showing = {.flow = flow,
				  .graph = graph,
				  .times = times,
				  .with_chains = with_chains};
	int result;

	*shown = (struct shown_graph){0};
	result = show(shown, &showing, err);
	flow_chains_release(&showing.chains);
	free(showing.numbers);
	if (result < 0)
		shown_graph_release(shown);
	return result;
}

void shown_graph_release(struct shown_graph *shown)
{
	for (size_t n = 0; n < shown->nodes.count; n++)
		free(shown->nodes.items[n].label);
	for (size_t e = 0; e < shown->edges.count; e++)
		free(shown->edges.items[e].visits);
	array_release(&shown->nodes);
	array_release(&shown->edges);
}
