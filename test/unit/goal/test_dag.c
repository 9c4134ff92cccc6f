/* Topological order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "goal/dag.h"
#include "test/unit/lib/make/make_goal.h"

struct edge {
	uint32_t from, to;
};

/* Compress the edges, which must be sorted by `from`. */
static struct dag compress(uint32_t vertices, const struct edge *edges, size_t count)
{
	uint64_t *first = calloc((size_t)vertices + 1, sizeof *first);
	uint32_t *successor = calloc(count + 1, sizeof *successor);
	struct dag dag = {vertices, first, successor};

	for (size_t i = 0; i < count; i++) {
		successor[i] = edges[i].to;
		first[edges[i].from + 1]++;
	}
	for (uint32_t v = 0; v < vertices; v++)
		first[v + 1] += first[v];
	return dag;
}

static void release(struct dag *dag)
{
	free((void *)dag->first);
	free((void *)dag->successor);
}

static int order_of(const struct dag *dag, uint32_t *order, uint32_t **cycle, uint32_t *count)
{
	struct error err = {0};
	int result;

	*cycle = NULL;
	result = dag_order(dag, order, cycle, count, &err);
	assert_true(result >= 0);
	return result;
}

static void ready_vertices_come_first_in_first_out(void **state)
{
	const struct edge edges[] = {{0, 3}, {1, 4}, {2, 3}, {4, 0}};
	struct dag dag = compress(5, edges, 4);
	uint32_t order[5], *cycle, count;
	const uint32_t expected[] = {1, 2, 4, 0, 3};

	(void)state;
	assert_int_equal(order_of(&dag, order, &cycle, &count), 0);
	assert_memory_equal(order, expected, sizeof expected);
	assert_null(cycle);
	release(&dag);
}

static void an_empty_graph_has_an_empty_order(void **state)
{
	struct dag dag = compress(0, NULL, 0);
	uint32_t order[1], *cycle, count;

	(void)state;
	assert_int_equal(order_of(&dag, order, &cycle, &count), 0);
	release(&dag);
}

static void a_cycle_is_listed_in_the_direction_of_its_edges(void **state)
{
	/* 0 leads into the cycle 1 -> 2 -> 3 -> 1, which leads to 4. */
	const struct edge edges[] = {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}};
	struct dag dag = compress(5, edges, 5);
	uint32_t order[5], *cycle, count;

	(void)state;
	assert_int_equal(order_of(&dag, order, &cycle, &count), 1);
	assert_int_equal(count, 3);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(cycle[(i + 1) % count], cycle[i] == 3 ? 1 : cycle[i] + 1);
	free(cycle);
	release(&dag);
}

static void a_vertex_that_leads_to_itself_is_a_cycle(void **state)
{
	const struct edge edges[] = {{1, 1}};
	struct dag dag = compress(2, edges, 1);
	uint32_t order[2], *cycle, count;

	(void)state;
	assert_int_equal(order_of(&dag, order, &cycle, &count), 1);
	assert_int_equal(count, 1);
	assert_int_equal(cycle[0], 1);
	free(cycle);
	release(&dag);
}

static bool has_edge(const struct dag *dag, uint32_t from, uint32_t to)
{
	for (uint64_t i = dag->first[from]; i < dag->first[from + 1]; i++)
		if (dag->successor[i] == to)
			return true;
	return false;
}

/* Whether a vertex can be reached from itself, the slow way. */
static bool is_cyclic(const struct dag *dag)
{
	enum { MOST = 12 };
	bool reach[MOST][MOST] = {{false}};
	uint32_t n = dag->vertex_count;

	for (uint32_t v = 0; v < n; v++)
		for (uint32_t w = 0; w < n; w++)
			reach[v][w] = has_edge(dag, v, w);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t v = 0; v < n; v++)
			for (uint32_t w = 0; w < n; w++)
				reach[v][w] = reach[v][w] || (reach[v][k] && reach[k][w]);
	for (uint32_t v = 0; v < n; v++)
		if (reach[v][v])
			return true;
	return false;
}

static void check_order(const struct dag *dag, const uint32_t *order)
{
	uint32_t place[12];

	memset(place, 0xff, sizeof place);
	for (uint32_t i = 0; i < dag->vertex_count; i++) {
		assert_true(order[i] < dag->vertex_count);
		assert_int_equal(place[order[i]], UINT32_MAX);
		place[order[i]] = i;
	}
	for (uint32_t v = 0; v < dag->vertex_count; v++)
		for (uint64_t i = dag->first[v]; i < dag->first[v + 1]; i++)
			assert_true(place[v] < place[dag->successor[i]]);
}

static void check_cycle(const struct dag *dag, const uint32_t *cycle, uint32_t count)
{
	bool seen[12] = {false};

	assert_true(count > 0);
	for (uint32_t i = 0; i < count; i++) {
		assert_true(has_edge(dag, cycle[i], cycle[(i + 1) % count]));
		assert_false(seen[cycle[i]]);
		seen[cycle[i]] = true;
	}
}

static void random_graphs_have_an_order_or_a_cycle(void **state)
{
	uint64_t numbers = 1;
	int cyclic = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		uint32_t vertices = 1 + random_below(&numbers, 12);
		uint32_t density = 1 + random_below(&numbers, 12);
		struct edge edges[12 * 12];
		size_t edge_count = 0;
		uint32_t order[12], *cycle, count;
		struct dag dag;
		int result;

		for (uint32_t v = 0; v < vertices; v++)
			for (uint32_t w = 0; w < vertices; w++)
				if (random_below(&numbers, 24) < density && (v != w))
					edges[edge_count++] = (struct edge){v, w};
		dag = compress(vertices, edges, edge_count);
		result = order_of(&dag, order, &cycle, &count);
		assert_int_equal(result, is_cyclic(&dag));
		if (result)
			check_cycle(&dag, cycle, count);
		else
			check_order(&dag, order);
		cyclic += result;
		free(cycle);
		release(&dag);
	}
	assert_in_range(cyclic, 500, 2500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ready_vertices_come_first_in_first_out),
		cmocka_unit_test(an_empty_graph_has_an_empty_order),
		cmocka_unit_test(a_cycle_is_listed_in_the_direction_of_its_edges),
		cmocka_unit_test(a_vertex_that_leads_to_itself_is_a_cycle),
		cmocka_unit_test(random_graphs_have_an_order_or_a_cycle),
	};

	return cmocka_run_group_tests_name("dag", tests, NULL, NULL);
}
