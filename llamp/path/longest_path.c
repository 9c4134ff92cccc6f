#include "llamp/path/longest_path.h"

/*
 * Define a pass.  The value of a vertex is stored after each of its edges, so that the loop has
 * no branch that depends on the graph.
 */
#define DEFINE_PASS(name, type, smallest)                                                  \
	static type name(const struct cost_graph *graph, type per_ns, const type *expressions, \
			 type *values)                                                     \
	{                                                                                  \
		const struct cost_vertex *vertex = graph->vertices;                        \
		type best = (smallest);                                                    \
                                                                                           \
		values[0] = 0;                                                             \
		for (uint64_t i = 0; i < graph->edge_count; i++) {                         \
			const struct cost_edge *edge = &graph->edges[i];                   \
			const uint32_t last = edge->expression >> 31;                      \
			const type value = values[edge->from] + (type)edge->ns * per_ns +  \
					   expressions[cost_edge_expression(edge)];        \
                                                                                           \
			best = value > best ? value : best;                                \
			values[vertex->slot] = best;                                       \
			vertex += last;                                                    \
			best = last ? (smallest) : best;                                   \
		}                                                                          \
		return values[graph->vertices[graph->vertex_count - 1].slot];              \
	}                                                                                  \
	/* Also note which edge decides: the first with the largest value. */              \
	static type name##_tight(const struct cost_graph *graph, type per_ns,              \
				 const type *expressions, type *values, uint32_t *tight)   \
	{                                                                                  \
		const struct cost_edge *edge = graph->edges;                               \
                                                                                           \
		values[0] = 0;                                                             \
		for (uint32_t v = 0; v < graph->vertex_count; v++) {                       \
			type best = (smallest);                                            \
			uint32_t decides = 0, place = 0;                                   \
                                                                                           \
			do {                                                               \
				const type value = values[edge->from] +                    \
						   (type)edge->ns * per_ns +               \
						   expressions[cost_edge_expression(edge)]; \
                                                                                           \
				decides = value > best ? place : decides;                  \
				best = value > best ? value : best;                        \
				place++;                                                   \
			} while (!(edge++->expression & COST_LAST_EDGE));                  \
			values[graph->vertices[v].slot] = best;                            \
			tight[v] = decides;                                                \
		}                                                                          \
		return values[graph->vertices[graph->vertex_count - 1].slot];              \
	}

/* Start with less than any key.  Absolute values stay below 2^62 and 2^125. */
DEFINE_PASS(pass_narrow, int64_t, INT64_MIN)
DEFINE_PASS(pass_wide, int128, -((int128)1 << 126))

/* The ns of an edge may not fit the type.  They have no weight then. */
#define DEFINE_RUN(name, pass, type)                                                       \
	int name(const struct cost_graph *graph, const struct lexicographic_key *key,      \
		 int128 *longest, uint32_t *tight, struct error *err)                      \
	{                                                                                  \
		type *expressions, *values;                                                \
                                                                                           \
		TRY(allocate(&expressions, graph->expressions.list.count,                   \
			     sizeof *expressions, err));                                    \
		if (allocate(&values, graph->slot_count, sizeof *values, err) < 0) {       \
			free(expressions);                                                 \
			return -1;                                                         \
		}                                                                          \
		for (size_t i = 0; i < graph->expressions.list.count; i++)                 \
			expressions[i] = (type)key_of_expression(key, graph, (uint32_t)i); \
		*longest = tight ? pass##_tight(graph, (type)key->key.ns, expressions, values, \
						tight)                                     \
				 : pass(graph, (type)key->key.ns, expressions, values);    \
		free(expressions);                                                         \
		free(values);                                                              \
		return 0;                                                                  \
	}

DEFINE_RUN(longest_path_narrow, pass_narrow, int64_t)
DEFINE_RUN(longest_path_wide, pass_wide, int128)
