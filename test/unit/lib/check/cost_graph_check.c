#include "test/unit/lib/check/cost_graph_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

void check_same_edges(const struct cost_graph *a, const struct cost_graph *b)
{
	assert_int_equal(a->edge_count, b->edge_count);
	for (uint64_t i = 0; i < a->edge_count; i++) {
		const struct cost_edge x = cost_graph_edge(a, i), y = cost_graph_edge(b, i);

		assert_int_equal(x.ns, y.ns);
		assert_int_equal(x.from, y.from);
		assert_int_equal(x.expression, y.expression);
	}
	assert_int_equal(!a->events, !b->events);
	if (a->events)
		assert_memory_equal(a->events, b->events, a->vertex_count * sizeof *a->events);
}
