#include "eventflow/graph/growth.h"

#include "trace/flow/flow_walk.h"

/* Note an event that may be new.  All before it have been noted. */
static int note_event(struct growth *growth, const struct flow_walk *walk, bool *taken,
		      struct error *err)
{
	struct growth_point point = {0};

	if (growth->points.count)
		point = growth->points.items[growth->points.count - 1];
	point.events = walk->events;
	if (walk->node == point.nodes) {
		point.nodes++;
		growth->last_node = walk->events;
	}
	if (walk->edge != FLOW_NO_EDGE && !taken[walk->edge]) {
		taken[walk->edge] = true;
		point.edges++;
		growth->last_edge = walk->events;
	} else if (growth->last_node != walk->events) {
		return 0;
	}
	return array_push(&growth->points, point, err);
}

int growth_find(struct growth *growth, const struct flow_graph *graph, struct error *err)
{
	struct flow_walk walk;
	bool *taken;
	int more = 1;

	*growth = (struct growth){0};
	TRY(allocate(&taken, graph->edges.count, sizeof *taken, err));
	if (flow_walk_begin(&walk, graph, err) < 0) {
		free(taken);
		return -1;
	}
	/* The first event is a node without an edge; each later node comes by an edge. */
	while (more > 0 &&
	       (!growth->points.count ||
		growth->points.items[growth->points.count - 1].edges < graph->edges.count)) {
		more = flow_walk_next(&walk, err);
		if (more > 0 && note_event(growth, &walk, taken, err) < 0)
			more = -1;
	}
	flow_walk_release(&walk);
	free(taken);
	return more < 0 ? -1 : 0;
}

void growth_release(struct growth *growth)
{
	array_release(&growth->points);
}
