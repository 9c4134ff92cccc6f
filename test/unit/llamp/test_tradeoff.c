/* Tradeoffs of two variables: the worked example, intersections by brute force, laws on random graphs. */
#include "test/unit/lib/along.h"
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/must.h"

#include "common/units.h"
#include "llamp/analysis/tradeoff.h"
#include "llamp/path/path_engine.h"
#include "llamp/simulate/build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { GRAPHS = 100, PLANES = 200 };
#else
enum { GRAPHS = 600, PLANES = 600 };
#endif

/* T at values of two variables, in ns. */
static double runtime_at(const struct model *model, const uint32_t variables[2], double x_ns,
			 double y_ns)
{
	struct direction direction = direction_fixed(&model->loggps.variables);
	struct error err = {0};
	struct line line;

	direction.origin_as[variables[0]] = llround(x_ns * AS_PER_NS);
	direction.origin_as[variables[1]] = llround(y_ns * AS_PER_NS);
	MUST(path_evaluate(&model->graph, &direction, rational_from(0), SIDE_RIGHT, &line, NULL,
			   &err));
	return (double)line.constant / AS_PER_NS;
}

static void open_model(struct model *model, const char *text)
{
	struct error err = {0};

	*model = (struct model){.path = "text", .loggps = loggps_of(0, 0, 0)};
	MUST(make_goal(&model->goal, text, &err));
	MUST(graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps, &err));
}

/* T = max(1000, L + 10 G, 3 L): limits of L and G for T <= 1200. */
static void the_tradeoff_of_a_small_program_is_known(void **state)
{
	static const char text[] =
		"num_ranks 2\nrank 0 {\na: calc 1000\nb: send 11b to 1 tag 1\n"
		"c: send 0b to 1 tag 2\nd: recv 0b from 1 tag 3\n"
		"e: send 0b to 1 tag 4\ne requires d\n}\n"
		"rank 1 {\na: recv 11b from 0 tag 1\nb: recv 0b from 0 tag 2\n"
		"c: send 0b to 0 tag 3\nc requires b\nd: recv 0b from 0 tag 4\n}\n";
	const uint32_t variables[2] = {VARIABLE_L, VARIABLE_G};
	struct tradeoff tradeoff;
	struct error err = {0};
	struct model model;

	(void)state;
	open_model(&model, text);
	MUST(tradeoff_find(&tradeoff, &model, variables, 20, &err));
	assert_int_equal(tradeoff.shape, TRADEOFF_LINE);
	assert_true(tradeoff.bound_ns == 1200);
	assert_int_equal(tradeoff.vertices.count, 3);
	assert_true(tradeoff.vertices.items[0].value_ns[0] == 0);
	assert_true(tradeoff.vertices.items[0].value_ns[1] == 120);
	assert_true(tradeoff.vertices.items[0].lambda[0] == 1);
	assert_true(tradeoff.vertices.items[0].lambda[1] == 10);
	assert_true(tradeoff.vertices.items[1].value_ns[0] == 400);
	assert_true(tradeoff.vertices.items[1].value_ns[1] == 80);
	assert_true(tradeoff.vertices.items[1].lambda[0] == 3);
	assert_true(tradeoff.vertices.items[1].lambda[1] == 0);
	assert_true(tradeoff.vertices.items[2].value_ns[0] == 400);
	assert_true(tradeoff.vertices.items[2].value_ns[1] == 0);
	tradeoff_release(&tradeoff);
	model_release(&model);
}

static void a_variable_that_does_not_matter_has_no_limit(void **state)
{
	static const char message[] = "num_ranks 2\nrank 0 {\nsend 0b to 1\n}\n"
				      "rank 1 {\nrecv 0b from 0\ncalc 10\n}\n";
	const uint32_t variables[2] = {VARIABLE_L, VARIABLE_G},
		       swapped[2] = {VARIABLE_G, VARIABLE_L};
	struct tradeoff tradeoff;
	struct error err = {0};
	struct model model;

	(void)state;
	open_model(&model, message);
	MUST(tradeoff_find(&tradeoff, &model, variables, 100, &err));
	assert_int_equal(tradeoff.shape, TRADEOFF_ONLY_X);
	assert_true(tradeoff.vertices.items[0].value_ns[0] == 20);
	assert_true(isinf(tradeoff.vertices.items[0].value_ns[1]));
	tradeoff_release(&tradeoff);
	MUST(tradeoff_find(&tradeoff, &model, swapped, 100, &err));
	assert_int_equal(tradeoff.shape, TRADEOFF_ONLY_Y);
	assert_true(tradeoff.vertices.items[0].value_ns[1] == 20);
	tradeoff_release(&tradeoff);
	assert_int_equal(tradeoff_find(&tradeoff, &model, (uint32_t[]){0, 0}, 1, &err), -1);
	assert_int_equal(err.status, STATUS_USAGE);
	model_release(&model);
	open_model(&model, "num_ranks 1\nrank 0 {\ncalc 10\n}\n");
	MUST(tradeoff_find(&tradeoff, &model, variables, 1, &err));
	assert_int_equal(tradeoff.shape, TRADEOFF_ALL);
	tradeoff_release(&tradeoff);
	model_release(&model);
}

/* ---------------------------------------------------------------- brute force */

/* Path of a pair of ranks: c ns of computation, `a` messages one after the other with b bytes * G. */
struct pair {
	int64_t a, b, c;
};

enum { MOST_PAIRS = 8, MOST_POINTS = MOST_PAIRS * (MOST_PAIRS + 3) / 2 };

/* Graph in which T = max(c + a L + b G) over all pairs. */
struct program {
	int64_t latency_ns, gap_ns, percent;
	int count;
	struct pair pairs[MOST_PAIRS];
};

static void write_rank(FILE *stream, const struct pair *pair, int rank)
{
	fprintf(stream, "rank %d {\nm0: calc %d\n", rank, rank % 2 ? 0 : (int)pair->c);
	for (int i = 0; i < pair->a; i++) {
		const bool sends = i % 2 == rank % 2;

		fprintf(stream, "m%d: %s %db %s %d tag %d\nm%d requires m%d\n", i + 1,
			sends ? "send" : "recv", i ? 0 : (int)pair->b + 1, sends ? "to" : "from",
			rank ^ 1, i, i + 1, i);
	}
	fputs("}\n", stream);
}

static void open_program(struct model *model, const struct program *program)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	assert_non_null(stream);
	fprintf(stream, "num_ranks %d\n", 2 * program->count);
	for (int rank = 0; rank < 2 * program->count; rank++)
		write_rank(stream, &program->pairs[rank / 2], rank);
	fclose(stream);
	open_model(model, text);
	free(text);
	loggps_set(&model->loggps, VARIABLE_L, program->latency_ns * AS_PER_NS);
	loggps_set(&model->loggps, VARIABLE_G, program->gap_ns * AS_PER_NS);
}

/* Small slopes, so that vertices are far apart; bytes only where there is a message. */
static void random_pairs(struct program *program, uint64_t *numbers)
{
	program->latency_ns = (int64_t)random_below(numbers, 100);
	program->gap_ns = (int64_t)random_below(numbers, 20);
	program->percent = (int64_t)random_below(numbers, 200);
	program->count = 1 + (int)random_below(numbers, MOST_PAIRS);
	for (int i = 0; i < program->count; i++) {
		struct pair *pair = &program->pairs[i];

		pair->a = (int64_t)random_below(numbers, 13);
		pair->b = pair->a && random_below(numbers, 4) ? (int64_t)random_below(numbers, 60)
							      : 0;
		pair->c = (int64_t)random_below(numbers, 2000);
	}
}

/* Points (x, y) / denominator, in hundredths of a ns. */
struct point {
	int128 x, y, denominator;
};

/* T at most: a x + b y <= rest. */
static int64_t rest_of(const struct program *program, int i)
{
	int64_t most = 0;

	for (int k = 0; k < program->count; k++) {
		const struct pair *pair = &program->pairs[k];
		const int64_t T = pair->c + pair->a * program->latency_ns +
				  pair->b * program->gap_ns;

		most = T > most ? T : most;
	}
	return most * (100 + program->percent) - 100 * program->pairs[i].c;
}

static bool is_allowed(const struct program *program, const struct point *point)
{
	for (int i = 0; i < program->count; i++)
		if (program->pairs[i].a * point->x + program->pairs[i].b * point->y >
		    rest_of(program, i) * point->denominator)
			return false;
	return point->x >= 0 && point->y >= 0;
}

/* Solve a x + b y = r and c x + d y = s; false if the lines are parallel. */
static bool intersect(const int64_t first[3], const int64_t second[3], struct point *point)
{
	const int128 determinant = (int128)first[0] * second[1] - (int128)first[1] * second[0];
	const int sign = determinant < 0 ? -1 : 1;

	point->denominator = sign * determinant;
	point->x = sign * ((int128)first[2] * second[1] - (int128)first[1] * second[2]);
	point->y = sign * ((int128)first[0] * second[2] - (int128)first[2] * second[0]);
	return determinant != 0;
}

static int compare_points(const void *left, const void *right)
{
	const struct point *a = left, *b = right;
	const int128 x = a->x * b->denominator - b->x * a->denominator;
	const int128 y = b->y * a->denominator - a->y * b->denominator;

	return x ? (x > 0) - (x < 0) : (y > 0) - (y < 0);
}

/*
 * Find the vertices of the frontier: of all intersections of two lines or of a line with an axis,
 * those that all pairs allow, from left to right.
 */
static int find_vertices(const struct program *program, struct point points[MOST_POINTS])
{
	int64_t lines[MOST_PAIRS + 2][3] = {{1, 0, 0}, {0, 1, 0}};
	int count = 0, different = 0, line_count = 2;

	for (int i = 0; i < program->count; i++)
		if (program->pairs[i].a)
			memcpy(lines[line_count++],
			       (int64_t[]){program->pairs[i].a, program->pairs[i].b,
					   rest_of(program, i)},
			       sizeof *lines);
	for (int i = 2; i < line_count; i++)
		for (int k = 0; k < i; k++)
			if (intersect(lines[i], lines[k], &points[count]) &&
			    is_allowed(program, &points[count]))
				count++;
	qsort(points, (size_t)count, sizeof *points, compare_points);
	for (int i = 0; i < count; i++)
		if (!different || compare_points(&points[different - 1], &points[i]))
			points[different++] = points[i];
	return different;
}

static enum tradeoff_shape shape_of(const struct program *program)
{
	bool latency = false, bytes = false;

	for (int i = 0; i < program->count; i++) {
		latency |= program->pairs[i].a > 0;
		bytes |= program->pairs[i].b > 0;
	}
	return bytes ? TRADEOFF_LINE : latency ? TRADEOFF_ONLY_X : TRADEOFF_ALL;
}

static bool is_near(double found, int128 hundredths, int128 denominator)
{
	const double value = (double)hundredths / (double)denominator / 100;

	return fabs(found - value) <= 1e-8 + 1e-12 * value;
}

static bool same_frontier(const struct program *program, const struct tradeoff *tradeoff)
{
	struct point points[MOST_POINTS];
	const int count = find_vertices(program, points);

	if (tradeoff->shape != shape_of(program))
		return false;
	if (tradeoff->shape == TRADEOFF_ALL)
		return tradeoff->vertices.count == 0;
	if (tradeoff->shape == TRADEOFF_ONLY_X)
		return tradeoff->vertices.count == 1 &&
		       is_near(tradeoff->vertices.items[0].value_ns[0], points[count - 1].x,
			       points[count - 1].denominator);
	if (tradeoff->vertices.count != (size_t)count)
		return false;
	for (int i = 0; i < count; i++)
		if (!is_near(tradeoff->vertices.items[i].value_ns[0], points[i].x,
			     points[i].denominator) ||
		    !is_near(tradeoff->vertices.items[i].value_ns[1], points[i].y,
			     points[i].denominator))
			return false;
	return true;
}

/* Show a program and both frontiers, and fail. */
static void fail_frontier(const struct program *program, const struct tradeoff *tradeoff)
{
	struct point points[MOST_POINTS];
	const int count = find_vertices(program, points);

	print_error("L %d, G %d, %d %%\n", (int)program->latency_ns, (int)program->gap_ns,
		    (int)program->percent);
	for (int i = 0; i < program->count; i++)
		print_error("T >= %d + %d L + %d G\n", (int)program->pairs[i].c,
			    (int)program->pairs[i].a, (int)program->pairs[i].b);
	for (size_t i = 0; i < tradeoff->vertices.count; i++)
		print_error("found    %.9g %.9g\n", tradeoff->vertices.items[i].value_ns[0],
			    tradeoff->vertices.items[i].value_ns[1]);
	for (int i = 0; i < count; i++)
		print_error("expected %.9g %.9g\n",
			    (double)points[i].x / (double)points[i].denominator / 100,
			    (double)points[i].y / (double)points[i].denominator / 100);
	fail_msg("another frontier");
}

/* PROGRAMS of the environment sets how many. */
static void the_frontier_is_the_intersection_of_the_half_planes_of_all_paths(void **state)
{
	const uint32_t variables[2] = {VARIABLE_L, VARIABLE_G};
	const int programs = getenv("PROGRAMS") ? atoi(getenv("PROGRAMS")) : PLANES;
	uint64_t numbers = 11;
	int lines = 0, vertices = 0;

	(void)state;
	for (int i = 0; i < programs; i++) {
		struct program program;
		struct tradeoff tradeoff;
		struct error err = {0};
		struct model model;

		random_pairs(&program, &numbers);
		open_program(&model, &program);
		MUST(tradeoff_find(&tradeoff, &model, variables, (double)program.percent, &err));
		if (!same_frontier(&program, &tradeoff))
			fail_frontier(&program, &tradeoff);
		lines += tradeoff.shape == TRADEOFF_LINE;
		vertices += tradeoff.vertices.count > 3;
		tradeoff_release(&tradeoff);
		model_release(&model);
	}
	assert_true(lines > programs / 2);
	assert_true(vertices > programs / 20);
}

/* --------------------------------------------------------------- random graphs */

/* T is the bound at vertices and half way between them, and above it beyond. */
static void check_tradeoff(const struct model *model, const uint32_t variables[2],
			   const struct tradeoff *tradeoff)
{
	const double margin = tradeoff->bound_ns * 1e-7 + 1e-3;

	for (size_t i = 0; i < tradeoff->vertices.count; i++) {
		const struct tradeoff_vertex *vertex = &tradeoff->vertices.items[i];

		if (fabs(runtime_at(model, variables, vertex->value_ns[0], vertex->value_ns[1]) -
			 tradeoff->bound_ns) > margin)
			fail_msg("T(%.9g, %.9g) is %.9g, not %.9g", vertex->value_ns[0],
				 vertex->value_ns[1],
				 runtime_at(model, variables, vertex->value_ns[0],
					    vertex->value_ns[1]),
				 tradeoff->bound_ns);
		assert_true(vertex->value_ns[0] >= 0 && vertex->value_ns[1] >= 0);
		if (i + 1 == tradeoff->vertices.count)
			break;
		assert_true(vertex[0].value_ns[0] <= vertex[1].value_ns[0]);
		assert_true(vertex[0].value_ns[1] >= vertex[1].value_ns[1]);
		assert_true(vertex[0].value_ns[0] != vertex[1].value_ns[0] ||
			    vertex[0].value_ns[1] != vertex[1].value_ns[1]);
		const double x = (vertex[0].value_ns[0] + vertex[1].value_ns[0]) / 2;
		const double y = (vertex[0].value_ns[1] + vertex[1].value_ns[1]) / 2;

		assert_true(fabs(runtime_at(model, variables, x, y) - tradeoff->bound_ns) <=
			    margin);
		/* The slopes are those of a path that touches T there. */
		assert_true(
			fabs(vertex->lambda[0] * (vertex[1].value_ns[0] - vertex[0].value_ns[0]) +
			     vertex->lambda[1] * (vertex[1].value_ns[1] - vertex[0].value_ns[1])) <=
			margin);
	}
}

static void t_is_the_bound_on_tradeoffs_of_random_graphs(void **state)
{
	uint64_t numbers = 7;
	int lines = 0, vertices = 0;

	(void)state;
	for (int i = 0; i < GRAPHS; i++) {
		const uint32_t variables[2] = {VARIABLE_L, i % 3 ? VARIABLE_G : VARIABLE_o};
		const double percent = (double)random_below(&numbers, 20000) / 100;
		struct tradeoff tradeoff;
		struct error err = {0};
		struct model model = {.path = "random"};

		random_graph(&model.goal, &numbers, 8, 120);
		random_loggps(&model.loggps, &numbers);
		if (graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps, &err) <
		    0) {
			goal_release(&model.goal);
			continue;
		}
		MUST(tradeoff_find(&tradeoff, &model, variables, percent, &err));
		if (tradeoff.shape == TRADEOFF_LINE) {
			check_tradeoff(&model, variables, &tradeoff);
			lines++;
			vertices += tradeoff.vertices.count > 2;
		}
		tradeoff_release(&tradeoff);
		model_release(&model);
	}
	assert_true(lines > GRAPHS / 4);
	assert_true(vertices > GRAPHS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tradeoff_of_a_small_program_is_known),
		cmocka_unit_test(a_variable_that_does_not_matter_has_no_limit),
		cmocka_unit_test(the_frontier_is_the_intersection_of_the_half_planes_of_all_paths),
		cmocka_unit_test(t_is_the_bound_on_tradeoffs_of_random_graphs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
