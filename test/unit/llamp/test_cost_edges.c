/* Edges of cost graphs in 8 bytes, and those that need more. */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include "common/units.h"
#include "llamp/graph/cost_writer.h"
#include "llamp/path/evaluate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static struct error err;

/* Numbers on both sides of the largest that fits, and far beyond. */
static const uint64_t times[] = {0, 1, (1 << 30) - 1, 1 << 30, UINT64_MAX};
static const uint32_t places[] = {0, 1, COST_NEAR, COST_WIDE - 1, COST_WIDE, COST_WIDE + 1, UINT32_MAX};
static const uint32_t numbers[] = {0, 1, (1 << COST_EXPRESSION_BITS) - 1, 1 << COST_EXPRESSION_BITS,
				   COST_LAST_EDGE - 1};

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { KINDS = COUNT(times) * COUNT(places) * COUNT(numbers) * 2 };

/* Each combination of the numbers above, and whether the edge is the last one. */
static struct cost_edge edge_of_kind(size_t kind)
{
	const uint32_t last = kind % 2 ? COST_LAST_EDGE : 0;
	const size_t of = kind / 2;

	return (struct cost_edge){
		.ns = times[of % COUNT(times)],
		.from = places[of / COUNT(times) % COUNT(places)],
		.expression = numbers[of / COUNT(times) / COUNT(places)] | last,
	};
}

static void check_edge(const struct cost_edges *edges, uint64_t index, struct cost_edge expected)
{
	const struct cost_edge found = cost_edges_at(edges, index);

	assert_true(found.ns == expected.ns);
	assert_int_equal(found.from, expected.from);
	assert_int_equal(found.expression, expected.expression);
	assert_int_equal(cost_edge_is_last(edges->list.items[index]),
			 (expected.expression & COST_LAST_EDGE) != 0);
}

static void an_edge_of_any_kind_replaces_one_of_any_kind(void **unused)
{
	struct cost_edges edges = {0};

	(void)unused;
	MUST(array_reserve(&edges.list, 3, &err));
	edges.list.count = 3;
	for (size_t before = 0; before < KINDS; before++)
		for (size_t after = 0; after < KINDS; after++) {
			const struct cost_edge first = edge_of_kind(before);
			const struct cost_edge second = edge_of_kind(after);
			struct cost_edge moved = first;

			moved.from = second.from;
			edges.wide.count = 0;
			for (size_t i = 0; i < 3; i++) {
				edges.list.items[i] = 0;
				MUST(cost_edges_set(&edges, i, &first, &err));
			}
			MUST(cost_edges_set(&edges, 1, &second, &err));
			check_edge(&edges, 0, first);
			check_edge(&edges, 1, second);
			MUST(cost_edges_set_from(&edges, 2, second.from, &err));
			check_edge(&edges, 2, moved);
		}
	cost_edges_release(&edges);
}

static void check_length(const struct cost_graph *graph, uint64_t ns)
{
	const struct direction direction = {0};
	struct line line;

	MUST(path_evaluate(graph, &direction, rational_from(0), SIDE_RIGHT, &line, NULL, &err));
	assert_true(line.constant == (int128)ns * AS_PER_NS);
}

/* Values of all vertices are in use until the last one, so that some slots do not fit. */
static void more_values_than_places_take_wide_edges(void **unused)
{
	const uint32_t count = COST_WIDE + 1000;
	struct cost_writer writer;
	struct cost_graph graph;

	(void)unused;
	MUST(cost_writer_init(&writer, &err));
	for (uint32_t v = 0; v < count; v++) {
		MUST(cost_writer_edge(&writer, v, 1, EXPRESSION_NONE, &err));
		MUST(cost_writer_vertex(&writer, 0, &err));
	}
	for (uint32_t v = 1; v <= count; v++)
		MUST(cost_writer_edge(&writer, v, 2 * (uint64_t)(count - v), EXPRESSION_NONE,
				      &err));
	MUST(cost_writer_vertex(&writer, COST_EVENT_END, &err));
	MUST(cost_writer_finish(&writer, &graph, &err));
	assert_true(graph.slot_count > COST_WIDE);
	assert_true(graph.edges.wide.count > COST_NEAR);
	/* From the first vertex to the end. */
	check_length(&graph, 1 + 2 * (uint64_t)(count - 1));
	cost_graph_release(&graph);
}

/* Add wide edges until one is refused, or there are `count`.  Returns how many there are. */
static size_t add_wide(struct cost_edges *edges, size_t count)
{
	const struct cost_edge edge = {.ns = UINT64_C(1) << 30};

	while (edges->wide.count < count &&
	       cost_edges_set(edges, edges->wide.count, &edge, &err) == 0)
		;
	return edges->wide.count;
}

static void wide_edges_without_memory_are_refused(void **unused)
{
	enum { FEW = 10000, MANY = 100000 };
	struct cost_edges edges = {0};
	struct rlimit old, lower;
	size_t added;

	(void)unused;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* its allocator ends the process where the limit leaves nothing */
#endif
	MUST(array_reserve(&edges.list, MANY, &err));
	memset(edges.list.items, 0, MANY * sizeof *edges.list.items);
	edges.list.count = MANY;
	assert_int_equal(add_wide(&edges, FEW), FEW);
	assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
	lower = (struct rlimit){1 << 20, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_DATA, &lower), 0);
	added = add_wide(&edges, MANY);
	assert_int_equal(setrlimit(RLIMIT_DATA, &old), 0);
	assert_in_range(added, FEW, MANY - 1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_non_null(strstr(err.text, "edges of 24 bytes takes about "));
	/* The edges before are still there. */
	check_edge(&edges, added - 1, (struct cost_edge){.ns = UINT64_C(1) << 30});
	assert_int_equal(add_wide(&edges, MANY), MANY);
	cost_edges_release(&edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edge_of_any_kind_replaces_one_of_any_kind),
		cmocka_unit_test(more_values_than_places_take_wide_edges),
		cmocka_unit_test(wide_edges_without_memory_are_refused),
	};

	return cmocka_run_group_tests_name("cost_edges", tests, NULL, NULL);
}
