/* Graphs made by hand: where their edges come from, how many slots they take, their bounds. */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/processors.h"

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/cost_writer.h"
#include "test/unit/lib/along.h"
#include "test/unit/lib/check/cost_graph_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* More variables than are visited together. */
enum { EXPRESSIONS = 8, VARIABLES = 7, MEASURES = VARIABLES + 1 };

/* A graph and the edges that it was made of. */
struct sample {
	struct cost_edge *written;
	uint64_t coefficients[EXPRESSIONS + 1][VARIABLES]; /* [expression as written] */
	struct cost_graph graph;
};

/* One vertex out of 50 has many edges; most edges come from vertices not long before. */
static void write_edges(struct cost_writer *writer, uint64_t *numbers)
{
	const uint32_t before = writer->vertex_count + 1;
	const uint32_t near = before < 300 ? before : 300;
	const uint64_t count = 1 + random_below(numbers, random_below(numbers, 50) ? 4 : 400);
	struct error err;

	for (uint64_t i = 0; i < count; i++) {
		uint32_t from = before - 1 - (uint32_t)random_below(numbers, near);

		if (random_below(numbers, 20) == 0)
			from = (uint32_t)random_below(numbers, before);
		MUST(cost_writer_edge(writer, from, random_below(numbers, 1000),
				      (uint32_t)random_below(numbers,
							     writer->expressions.list.count),
				      &err));
	}
}

/* Note the edges of the writer, with the numbers of their sources. */
static void note_written(struct sample *sample, const struct cost_writer *writer)
{
	uint32_t number = 1;
	struct error err;

	MUST(allocate(&sample->written, writer->edges.list.count, sizeof *sample->written, &err));
	for (size_t i = 0; i < writer->edges.list.count; i++) {
		sample->written[i] = cost_writer_edge_at(&writer->edges, i, number);
		number += cost_edge_is_last(writer->edges.list.items[i]);
	}
}

static void make_sample(struct sample *sample, uint32_t vertices, uint64_t seed)
{
	struct cost_writer writer;
	uint64_t numbers = seed;
	struct error err;

	memset(sample, 0, sizeof *sample);
	MUST(cost_writer_init(&writer, &err));
	for (int i = 0; i < EXPRESSIONS; i++) {
		struct cost_term terms[VARIABLES];
		uint32_t count = 0, number;

		for (uint32_t v = 0; v < VARIABLES; v++) {
			const uint64_t coefficient = random_below(&numbers, 5) * (v + 1);

			if (coefficient)
				terms[count++] = (struct cost_term){coefficient, v};
		}
		number = cost_expressions_find(&writer.expressions, terms, count);
		for (uint32_t k = 0; k < count; k++)
			sample->coefficients[number][terms[k].variable] = terms[k].coefficient;
	}
	for (uint32_t v = 0; v < vertices; v++) {
		write_edges(&writer, &numbers);
		MUST(cost_writer_vertex(&writer, v + 1 < vertices ? 2 * v : COST_EVENT_END, &err));
	}
	note_written(sample, &writer);
	MUST(cost_writer_finish(&writer, &sample->graph, &err));
}

static void release_sample(struct sample *sample)
{
	free(sample->written);
	cost_graph_release(&sample->graph);
}

/* An edge has the terms that were written.  Their number may be another one. */
static void check_expression(const struct sample *sample, const struct cost_edge *edge,
			     const struct cost_edge *written)
{
	for (uint32_t v = 0; v < VARIABLES; v++)
		assert_int_equal(coefficient_in(&sample->graph.expressions,
						cost_edge_expression(edge), v),
				 sample->coefficients[cost_edge_expression(written)][v]);
	assert_int_equal(edge->expression & COST_LAST_EDGE, written->expression & COST_LAST_EDGE);
}

static void check_sources(const struct sample *sample)
{
	const struct cost_graph *graph = &sample->graph;
	uint32_t *sources, v = 0;
	struct error err;

	MUST(cost_graph_sources(graph, &sources, &err));
	for (uint64_t i = 0; i < graph->edge_count; i++) {
		const struct cost_edge edge = cost_graph_edge(graph, i);

		assert_int_equal(sources[i] + 1, sample->written[i].from);
		assert_int_equal(edge.ns, sample->written[i].ns);
		check_expression(sample, &edge, &sample->written[i]);
		assert_in_range(edge.from, 0, graph->slot_count - 1);
		/* Written while edges into the vertex are still to be read. */
		assert_int_not_equal(edge.from, graph->slots[v]);
		v += (edge.expression & COST_LAST_EDGE) != 0;
	}
	assert_int_equal(v, graph->vertex_count);
	/* Others have no edge. */
	assert_in_range(graph->expressions.list.count, 1,
			graph->edge_count > EXPRESSIONS ? EXPRESSIONS + 1 : graph->edge_count + 1);
	free(sources);
}

/* Number of items needed at a time: of a vertex and all before it that edges further on read. */
static void check_slot_count(const struct sample *sample)
{
	const uint32_t count = sample->graph.vertex_count;
	uint32_t *last_reader, *ending, v = 0, needed = 1, most = 0;
	struct error err;

	MUST(allocate(&last_reader, count + 1, sizeof *last_reader, &err));
	MUST(allocate(&ending, count, sizeof *ending, &err));
	for (uint32_t i = 0; i < count; i++)
		last_reader[i + 1] = i;
	for (uint64_t i = 0; i < sample->graph.edge_count; i++) {
		last_reader[sample->written[i].from] = v;
		v += (sample->written[i].expression & COST_LAST_EDGE) != 0;
	}
	for (v = 0; v < count; v++)
		ending[last_reader[v + 1]]++;
	for (v = 0; v < count; v++) {
		needed++;
		most = needed > most ? needed : most;
		needed -= ending[v];
	}
	assert_int_equal(sample->graph.slot_count, most);
	free(last_reader);
	free(ending);
}

static uint64_t measure_of(const struct sample *sample, const struct cost_edge *written,
			   int measure)
{
	return measure == VARIABLES ? written->ns
				    : sample->coefficients[cost_edge_expression(written)][measure];
}

/* The longest path by each coefficient, in whole numbers. */
static void check_bounds(const struct sample *sample)
{
	uint64_t *longest, most_ns = 0;
	struct error err;

	for (uint64_t i = 0; i < sample->graph.edge_count; i++)
		if (sample->written[i].ns > most_ns)
			most_ns = sample->written[i].ns;
	assert_int_equal(sample->graph.most_edge_ns, most_ns);
	MUST(allocate(&longest, sample->graph.vertex_count + 1, sizeof *longest, &err));
	for (int measure = 0; measure < MEASURES; measure++) {
		const double bound = measure == VARIABLES ? sample->graph.most.ns
							  : sample->graph.most.of[measure];
		uint64_t best = 0, most = 0;
		uint32_t v = 1;

		for (uint64_t i = 0; i < sample->graph.edge_count; i++) {
			const struct cost_edge *edge = &sample->written[i];
			const uint64_t value = longest[edge->from] +
					       measure_of(sample, edge, measure);

			best = value > best ? value : best;
			most = best > most ? best : most;
			if (edge->expression & COST_LAST_EDGE) {
				longest[v++] = best;
				best = 0;
			}
		}
		assert_true(bound >= (double)most && bound <= (double)most * 1.00001);
	}
	free(longest);
}

static void check_same(const struct cost_graph *a, const struct cost_graph *b)
{
	assert_int_equal(a->slot_count, b->slot_count);
	assert_int_equal(a->edge_count, b->edge_count);
	assert_memory_equal(a->slots, b->slots, a->vertex_count * sizeof *a->slots);
	assert_memory_equal(a->events, b->events, a->vertex_count * sizeof *a->events);
	check_same_edges(a, b);
	assert_memory_equal(&a->most, &b->most, sizeof a->most);
	assert_int_equal(a->most_edge_ns, b->most_edge_ns);
}

static void slots_are_few_and_bounds_are_longest_paths(void **unused)
{
	/* A single vertex, few vertices, and more vertices than one thread visits at once. */
	static const uint32_t sizes[] = {1, 2, 3, 10, 100, 1000, 70000};

	(void)unused;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct sample by_one, by_all;
		cpu_set_t all;

		make_sample(&by_all, sizes[i], i);
		check_sources(&by_all);
		check_slot_count(&by_all);
		check_bounds(&by_all);
		use_one_processor(&all);
		make_sample(&by_one, sizes[i], i);
		use_all_processors(&all);
		check_same(&by_one.graph, &by_all.graph);
		release_sample(&by_one);
		release_sample(&by_all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_few_and_bounds_are_longest_paths),
	};

	return cmocka_run_group_tests_name("cost_writer", tests, NULL, NULL);
}
