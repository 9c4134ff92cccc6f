#include "llamp/path/longest_path.h"

/*
 * Define a pass.  The value of a vertex is stored after each of its edges, so that the loop has
 * no branch that depends on the graph.
 */
#define DEFINE_PASS(name, type, smallest)                                                      \
	static type name(const struct cost_graph *graph, type per_ns, const type *expressions, \
			 type *values)                                                         \
	{                                                                                      \
		const struct cost_edges edges = graph->edges;                                  \
		const uint32_t *slot = graph->slots;                                           \
		type best = (smallest);                                                        \
                                                                                               \
		values[0] = 0;                                                                 \
		for (uint64_t i = 0; i < graph->edge_count; i++) {                             \
			const struct cost_edge edge = cost_edges_at(&edges, i);                \
			const uint32_t last = edge.expression >> 31;                           \
			const type value = values[edge.from] + (type)edge.ns * per_ns +        \
					   expressions[cost_edge_expression(&edge)];           \
                                                                                               \
			best = value > best ? value : best;                                    \
			values[*slot] = best;                                                  \
			slot += last;                                                          \
			best = last ? (smallest) : best;                                       \
		}                                                                              \
		return values[graph->slots[graph->vertex_count - 1]];                          \
	}                                                                                      \
	/* Also note which edge decides: the first with the largest value. */                  \
	static type name##_tight(const struct cost_graph *graph, type per_ns,                  \
				 const type *expressions, type *values, uint32_t *tight)       \
	{                                                                                      \
		const struct cost_edges edges = graph->edges;                                  \
		struct cost_edge edge;                                                         \
		uint64_t i = 0;                                                                \
                                                                                               \
		values[0] = 0;                                                                 \
		for (uint32_t v = 0; v < graph->vertex_count; v++) {                           \
			type best = (smallest);                                                \
			uint32_t decides = 0, place = 0;                                       \
                                                                                               \
			do {                                                                   \
				type value;                                                    \
                                                                                               \
				edge = cost_edges_at(&edges, i++);                             \
				value = values[edge.from] + (type)edge.ns * per_ns +           \
					expressions[cost_edge_expression(&edge)];              \
				decides = value > best ? place : decides;                      \
				best = value > best ? value : best;                            \
				place++;                                                       \
			} while (!(edge.expression & COST_LAST_EDGE));                         \
			values[graph->slots[v]] = best;                                        \
			tight[v] = decides;                                                    \
		}                                                                              \
		return values[graph->slots[graph->vertex_count - 1]];                          \
	}

/* Start with less than any key.  Absolute values stay below 2^62 and 2^125. */
DEFINE_PASS(pass_narrow, int64_t, INT64_MIN)
DEFINE_PASS(pass_wide, int128, -((int128)1 << 126))

/* The ns of an edge may not fit the type.  They have no weight then. */
#define DEFINE_RUN(name, pass, type)                                                           \
	int name(const struct cost_graph *graph, const struct lexicographic_key *key,          \
		 int128 *longest, uint32_t *tight, struct error *err)                          \
	{                                                                                      \
		type *expressions, *values;                                                    \
                                                                                               \
		TRY(allocate(&expressions, graph->expressions.list.count, sizeof *expressions, \
			     err));                                                            \
		if (allocate(&values, graph->slot_count, sizeof *values, err) < 0) {           \
			free(expressions);                                                     \
			return -1;                                                             \
		}                                                                              \
		for (size_t i = 0; i < graph->expressions.list.count; i++)                     \
			expressions[i] = (type)key_of_expression(key, graph, (uint32_t)i);     \
		*longest = tight ? pass##_tight(graph, (type)key->key.ns, expressions, values, \
						tight)                                         \
				 : pass(graph, (type)key->key.ns, expressions, values);        \
		free(expressions);                                                             \
		free(values);                                                                  \
		return 0;                                                                      \
	}

DEFINE_RUN(longest_path_narrow, pass_narrow, int64_t)
DEFINE_RUN(longest_path_wide, pass_wide, int128)
