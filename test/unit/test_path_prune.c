/* What is left of a cost graph between points has the lines of the whole graph there. */
#include "must.h"
#include "random_graph.h"

#include "llamp/path_line.h"
#include "llamp/path_prune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { GRAPHS = 200 };
#else
enum { GRAPHS = 2000 };
#endif

static struct error err;

/* How much there was to compare. */
static struct {
	uint64_t intervals, edges, kept;
} seen;

/* The intervals between points in which T bends. */
struct intervals {
	struct path_interval items[64];
	size_t count;
};

static int ascending(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static struct line line_at(const struct cost_graph *graph, const struct loggps *loggps,
			   enum parameter parameter, struct rational at, enum side side)
{
	struct line line = {0};

	MUST(path_evaluate(graph, loggps, parameter, at, side, &line, NULL, &err));
	return line;
}

static void find_intervals(struct intervals *intervals, const struct cost_graph *graph,
			   const struct loggps *loggps, enum parameter parameter,
			   const int64_t *points, size_t count)
{
	struct path_interval next = {.high = rational_from(points[0])};

	intervals->count = 0;
	next.end = line_at(graph, loggps, parameter, next.high, SIDE_RIGHT);
	for (size_t i = 1; i < count; i++) {
		next.low = next.high;
		next.begin = next.end;
		next.high = rational_from(points[i]);
		next.end = line_at(graph, loggps, parameter, next.high, SIDE_RIGHT);
		if (next.begin.slope != next.end.slope)
			intervals->items[intervals->count++] = next;
	}
}

static void must_agree(const struct cost_graph *part, const struct cost_graph *graph,
		       const struct loggps *loggps, enum parameter parameter, struct rational at)
{
	for (int side = SIDE_LEFT; side <= SIDE_RIGHT; side++) {
		const struct line a = line_at(part, loggps, parameter, at, (enum side)side);
		const struct line b = line_at(graph, loggps, parameter, at, (enum side)side);

		assert_true(a.slope == b.slope && a.constant == b.constant);
	}
}

static void check_interval(const struct cost_graph *part, const struct cost_graph *graph,
			   const struct loggps *loggps, enum parameter parameter,
			   const struct path_interval *interval, uint64_t *numbers)
{
	const struct rational middle = lines_meet(interval->begin, interval->end);
	const int64_t low = (int64_t)interval->low.numerator;
	const uint64_t length = (uint64_t)interval->high.numerator - (uint64_t)low;
	struct line line = line_at(part, loggps, parameter, interval->low, SIDE_RIGHT);

	assert_true(lines_equal_at(line, interval->begin, interval->low));
	line = line_at(part, loggps, parameter, interval->high, SIDE_LEFT);
	assert_true(lines_equal_at(line, interval->end, interval->high));
	if (middle.numerator < interval->high.numerator * middle.denominator)
		must_agree(part, graph, loggps, parameter, middle);
	for (int i = 0; i < 4 && length > 1; i++)
		must_agree(part, graph, loggps, parameter,
			   rational_from(low + 1 + (int64_t)random_below(numbers, length - 1)));
}

static void check(const struct cost_graph *graph, const struct loggps *loggps,
		  enum parameter parameter, size_t count, uint64_t *numbers)
{
	const uint64_t most = UINT64_C(1) << (26 + random_below(numbers, 20));
	int64_t points[64] = {0};
	struct intervals intervals;
	struct cost_graph part;

	assert_true(path_prune_fits(graph));
	for (size_t i = 1; i < count; i++)
		points[i] = (int64_t)random_below(numbers, i % 3 ? most : most / 16);
	qsort(points, count, sizeof *points, ascending);
	find_intervals(&intervals, graph, loggps, parameter, points, count);
	if (intervals.count == 0)
		return;
	MUST(path_prune(&part, graph, loggps, parameter, intervals.items, intervals.count, &err));
	for (size_t i = 0; i < intervals.count; i++)
		check_interval(&part, graph, loggps, parameter, &intervals.items[i], numbers);
	seen.intervals += intervals.count;
	seen.edges += graph->edge_count;
	seen.kept += part.edge_count;
	path_prune_release(&part);
}

static void check_graph(const struct goal *goal, size_t points, uint64_t *numbers)
{
	struct cost_graph graph;
	struct loggps loggps;

	random_loggps(&loggps, numbers);
	if (cost_graph_build(&graph, goal, &loggps, &err) < 0)
		return;
	for (int parameter = 0; parameter < PARAMETER_COUNT; parameter++)
		check(&graph, &loggps, (enum parameter)parameter, points, numbers);
	cost_graph_release(&graph);
}

static void parts_of_random_graphs_have_their_lines(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		uint64_t numbers = seed;
		struct goal goal;

		random_graph(&goal, &numbers, 6, 300);
		check_graph(&goal, 2 + random_below(&numbers, 10), &numbers);
		goal_release(&goal);
	}
	assert_true(seen.intervals > GRAPHS / 2);
	assert_true(seen.kept > 0 && seen.kept < seen.edges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_random_graphs_have_their_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
