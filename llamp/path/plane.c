#include "llamp/path/plane.h"

#include "common/units.h"

int planes_init(struct planes *planes, const struct cost_graph *graph, const struct direction *x,
		const struct direction *y, struct error *err)
{
	*planes = (struct planes){.graph = graph, .axes = {x, y}};
	if (cost_graph_sources(graph, &planes->sources, err) == 0 &&
	    allocate(&planes->tight, graph->vertex_count, sizeof *planes->tight, err) == 0)
		return 0;
	planes_release(planes);
	return -1;
}

void planes_release(struct planes *planes)
{
	free(planes->sources);
	free(planes->tight);
}

/* Value of a variable where x and y are 0. */
static int64_t plane_origin(const struct planes *planes, uint32_t v)
{
	return planes->axes[planes->axes[1]->weight[v] ? 1 : 0]->origin_as[v];
}

static void plane_add_edge(const struct planes *planes, const struct cost_edge *edge,
			   struct plane *plane)
{
	uint32_t count;
	const struct cost_term *terms = cost_terms(&planes->graph->expressions,
						   cost_edge_expression(edge), &count);

	plane->constant += (int128)edge->ns * AS_PER_NS;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t v = terms[i].variable;
		const int128 coefficient = terms[i].coefficient;

		plane->constant += coefficient * plane_origin(planes, v);
		plane->slope[0] += coefficient * planes->axes[0]->weight[v];
		plane->slope[1] += coefficient * planes->axes[1]->weight[v];
	}
}

/* Add up the edges of the path, from the end of the program back to its beginning. */
static void follow_path(const struct planes *planes, struct plane *plane)
{
	const struct cost_graph *graph = planes->graph;
	uint32_t wanted = graph->vertex_count - 1;
	uint64_t end = graph->edge_count;

	*plane = (struct plane){0};
	for (uint32_t v = graph->vertex_count; v-- > 0 && wanted != UINT32_MAX;) {
		uint64_t first = end - 1;

		while (first > 0 && !cost_graph_is_last(graph, first - 1))
			first--;
		if (v == wanted) {
			const struct cost_edge edge = cost_graph_edge(graph,
								      first + planes->tight[v]);

			plane_add_edge(planes, &edge, plane);
			wanted = planes->sources[first + planes->tight[v]];
		}
		end = first;
	}
}

/* Make the direction that is at the point where p is 2^shift. */
static int direction_to(const struct planes *planes, int128 x_as, int128 y_as, int shift,
			struct direction *direction, struct error *err)
{
	*direction = *planes->axes[0];
	for (uint32_t v = 0; v < direction->count; v++) {
		int128 x, y;

		if (__builtin_mul_overflow(planes->axes[0]->weight[v], x_as >> shift, &x) ||
		    __builtin_mul_overflow(planes->axes[1]->weight[v], y_as >> shift, &y) ||
		    x + y > INT64_MAX)
			return error_set(err, STATUS_LIMIT, "values are too large");
		direction->origin_as[v] = plane_origin(planes, v);
		direction->weight[v] = (int64_t)(x + y);
	}
	return 0;
}

int planes_at(const struct planes *planes, int128 x_as, int128 y_as, struct plane *plane,
	      struct error *err)
{
	struct direction direction;
	struct line line;
	int shift = 0;

	while ((x_as | y_as) >> shift >= (int128)1 << 62)
		shift++;
	TRY(direction_to(planes, x_as, y_as, shift, &direction, err));
	TRY(path_evaluate(planes->graph, &direction, (struct rational){(int128)1 << shift, 1},
			  SIDE_RIGHT, &line, planes->tight, err));
	follow_path(planes, plane);
	return 0;
}

int planes_towards_infinity(const struct planes *planes, int axis, struct plane *plane,
			    struct error *err)
{
	struct direction direction = *planes->axes[axis];
	struct line line;

	for (uint32_t v = 0; v < direction.count; v++)
		direction.origin_as[v] = plane_origin(planes, v);
	TRY(path_evaluate(planes->graph, &direction, RATIONAL_INFINITY, SIDE_RIGHT, &line,
			  planes->tight, err));
	follow_path(planes, plane);
	return 0;
}
