/* Synthetic patterns: their runs, closed forms and random choices. */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/coll_formula.h"

#include "common/units.h"
#include "goal/traversal/check.h"
#include "llamp/path/path_engine.h"
#include "llamp/simulate/build.h"
#include "schedgen/pattern/pattern.h"
#include "schedgen/progress/progress_table.h"
#include "test/unit/lib/along.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The pattern as a graph. */
static void make(struct goal *goal, const char *name, const struct pattern_options *options)
{
	struct goal_writer writer;
	struct pattern pattern;
	struct input image;
	struct error err;

	MUST(pattern_open(&pattern, name, options, &err));
	MUST(goal_writer_open_memory(&writer, options->ranks, &err));
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		MUST(pattern_rank(&pattern, rank, &err));
		MUST(goal_writer_rank(&writer, &pattern.builder, &err));
	}
	MUST(goal_writer_finish(&writer, &image, &err));
	MUST(goal_from_image(goal, &image, name, &err));
	pattern_release(&pattern);
}

static uint64_t count_bytes(const struct goal *goal)
{
	uint64_t bytes = 0;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++) {
			const struct goal_op op = goal_op(&goal->ranks[rank], i);

			bytes += op.kind == GOAL_SEND ? op.size : 0;
		}
	}
	return bytes;
}

/* T at this L, with o = 0.  Its slope is lambda_L. */
static struct line line_at(const struct goal *goal, int64_t latency_ns, int64_t gap_per_byte_ns)
{
	struct loggps loggps = loggps_default;
	struct cost_graph graph;
	struct line line = {0};
	struct error err;

	loggps_set(&loggps, VARIABLE_o, 0);
	loggps_set(&loggps, VARIABLE_G, gap_per_byte_ns * AS_PER_NS);
	MUST(cost_graph_build(&graph, goal, &loggps, &err));
	MUST(path_evaluate(&graph, ALONG(&loggps, VARIABLE_L), rational_from(latency_ns * AS_PER_NS),
			   SIDE_RIGHT, &line, NULL, &err));
	cost_graph_release(&graph);
	return line;
}

/* T in ns at this L. */
static int64_t runtime_ns(const struct goal *goal, int64_t latency_ns, int64_t gap_per_byte_ns)
{
	const struct line line = line_at(goal, latency_ns, gap_per_byte_ns);

	return (int64_t)(line.constant / AS_PER_NS + line.slope * latency_ns);
}

/* ------------------------------------------------------------------ all run */

static const char *pattern_name(size_t i, char text[static 128])
{
	size_t collectives = 0;

	while (coll_algorithms[collectives].name)
		collectives++;
	if (i < collectives) {
		snprintf(text, 128, "%s=%s", coll_name(coll_algorithms[i].kind),
			 coll_algorithms[i].name);
		return text;
	}
	return pattern_kinds[i - collectives].name;
}

static void check_runs(const char *name, uint32_t ranks, uint32_t iterations, uint64_t bytes)
{
	const struct pattern_options options = {
		.ranks = ranks, .iterations = iterations, .bytes = bytes, .seed = ranks,
		.compute_ns = iterations == 2 ? 1000 : 0, .jitter = 0.3,
		.reduce_ns_per_byte = 0.5,
	};
	struct goal goal;
	struct error err;

	make(&goal, name, &options);
	if (goal_check(&goal, NULL, &err) < 0)
		fail_msg("%s, %u ranks, %u iterations: %s", name, ranks, iterations, err.text);
	assert_true(goal.successor_count <= 4 * (uint64_t)goal.op_count);
	goal_release(&goal);
}

static void every_pattern_runs_to_its_end_on_any_number_of_ranks(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 30, 32};
	char text[128];
	const char *name;

	(void)state;
	for (size_t i = 0; (name = pattern_name(i, text)); i++) {
		for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
			for (uint32_t iterations = 1; iterations <= 3; iterations++)
				check_runs(name, sizes[j], iterations, iterations == 3 ? 0 : 1000);
		}
	}
}

/* ------------------------------------------------------------- closed forms */

/* Cut the cells between backticks out of a line of a table, and return their number. */
static int read_cells(char *line, const char *cells[6])
{
	int count = 0;

	if (strncmp(line, "| `", 3) != 0)
		return 0;
	for (line = strchr(line, '`'); line && count < 6; line = strchr(line, '`')) {
		cells[count++] = ++line;
		line = strchr(line, '`');
		if (!line)
			return 0;
		*line++ = '\0';
	}
	return count;
}

/* Variable of a closed form besides P and b: a letter and its value. */
struct value {
	char letter;
	uint64_t value;
};

static uint64_t evaluate(const char *formula, const struct value *values, uint32_t ranks,
			 uint64_t bytes)
{
	char text[1024];
	size_t used = 0;
	const char *fault;
	uint64_t result;

	for (const char *at = formula; *at; at++) {
		const struct value *value = values;

		/* Not within the word "min". */
		while (value->letter && (value->letter != *at || !strncmp(at, "min", 3)))
			value++;
		used += value->letter ? (size_t)snprintf(text + used, sizeof text - used, "%llu",
							 (unsigned long long)value->value)
				      : (size_t)snprintf(text + used, sizeof text - used, "%c",
							 *at);
		assert_true(used < sizeof text);
	}
	result = formula_value(text, ranks, bytes, 0, &fault);
	if (fault)
		fail_msg("\"%s\" has %s", formula, fault);
	return result;
}

static void same(const char *name, const struct pattern_options *options, const char *what,
		 uint64_t found, uint64_t expected)
{
	if (found != expected)
		fail_msg("%s, %u ranks, %u iterations: %llu %s instead of %llu", name,
			 options->ranks, options->iterations, (unsigned long long)found, what,
			 (unsigned long long)expected);
}

/* Messages, bytes, lambda_L (not for NULL) of a pattern against their forms. */
static void compare(const char *name, const struct pattern_options *options,
		    const char *const forms[3], const struct value *values, uint64_t times)
{
	struct goal goal;
	struct error err;
	uint32_t messages;

	make(&goal, name, options);
	MUST(goal_check(&goal, &messages, &err));
	same(name, options, "messages", messages,
	     times * evaluate(forms[0], values, options->ranks, options->bytes));
	same(name, options, "bytes", count_bytes(&goal),
	     times * evaluate(forms[1], values, options->ranks, options->bytes));
	if (forms[2])
		same(name, options, "latencies", (uint64_t)line_at(&goal, 1000, 0).slope,
		     evaluate(forms[2], values, options->ranks, options->bytes));
	goal_release(&goal);
}

static FILE *open_manual(const char *name)
{
	const char *source = getenv("SOURCE");
	char path[4096];
	FILE *manual;

	snprintf(path, sizeof path, "%s/doc/%s", source ? source : ".", name);
	manual = fopen(path, "r");
	assert_non_null(manual);
	return manual;
}

static void collectives_have_the_closed_forms_of_the_manual(void **state)
{
	static const struct value none[] = {{0}};
	FILE *manual = open_manual("collectives.md");
	const char *cells[6];
	char line[2048], name[128];
	size_t lines = 0;

	(void)state;
	while (fgets(line, sizeof line, manual)) {
		if (read_cells(line, cells) != 6)
			continue;
		snprintf(name, sizeof name, "%s=%s", cells[0], cells[1]);
		for (uint32_t ranks = 2; ranks <= 33; ranks += ranks < 18 ? 1 : 5) {
			struct pattern_options options = {.ranks = ranks, .iterations = 1,
							  .bytes = 64 * (uint64_t)ranks};

			const char *latencies = strcmp(cells[5], "-") ? cells[5] : NULL;

			compare(name, &options,
				(const char *const[]){cells[3], cells[4], latencies}, none, 1);
			options.iterations = 3;
			compare(name, &options, (const char *const[]){cells[3], cells[4], NULL},
				none, 3);
		}
		lines++;
	}
	fclose(manual);
	assert_true(lines > 20);
}

/* Number of sides of the grid longer than 1. */
static uint64_t long_sides(const char *name, const struct pattern_options *options)
{
	struct pattern pattern;
	struct error err;
	uint64_t count = 0;

	MUST(pattern_open(&pattern, name, options, &err));
	for (uint32_t i = 0; i < pattern.side_count; i++)
		count += pattern.sides[i] > 1;
	pattern_release(&pattern);
	return count;
}

static void compare_trainings(const char *const forms[3], uint32_t iterations)
{
	static const struct {
		uint64_t T, S, D, B, M, A;
	} cases[] = {
		{1, 1, 1, 1, 1, 100}, {1, 1, 4, 4, 1, 100}, {4, 1, 1, 4, 3, 100},
		{1, 4, 1, 4, 6, 100}, {2, 2, 2, 2, 2, 100}, {3, 2, 5, 1, 4, 99},
		{8, 3, 2, 1, 1, 800}, {2, 3, 4, 7, 5, 64},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct value values[] = {
			{'I', iterations}, {'T', cases[i].T}, {'S', cases[i].S}, {'D', cases[i].D},
			{'B', cases[i].B}, {'M', cases[i].M}, {'A', cases[i].A}, {0},
		};
		const struct pattern_options options = {
			.ranks = (uint32_t)(cases[i].T * cases[i].S * cases[i].D),
			.iterations = iterations, .bytes = 840,
		};
		char name[256];

		snprintf(name, sizeof name,
			 "training:tensor=%d,pipeline=%d,buckets=%d,micro-batches=%d,activation=%d",
			 (int)cases[i].T, (int)cases[i].S, (int)cases[i].B, (int)cases[i].M,
			 (int)cases[i].A);
		compare(name, &options, forms, values, 1);
	}
}

static void all_patterns_have_the_closed_forms_of_the_manual(void **state)
{
	FILE *manual = open_manual("patterns.md");
	const struct pattern_kind *kind = pattern_kinds;
	const char *cells[6], *latencies;
	char line[2048];

	(void)state;
	while (fgets(line, sizeof line, manual)) {
		if (read_cells(line, cells) != 4)
			continue;
		latencies = cells[3];
		assert_string_equal(cells[0], kind->name);
		for (uint32_t iterations = 1; iterations <= 4; iterations++) {
			if (kind->settings)
				compare_trainings(cells + 1, iterations);
			for (uint32_t ranks = 1; !kind->settings && ranks <= 36; ranks++) {
				const struct pattern_options options = {
					.ranks = ranks, .iterations = iterations, .bytes = 77,
					.seed = ranks};
				const struct value values[] = {
					{'I', iterations},
					{'d', long_sides(cells[0], &options)}, {0}};

				/* A chain of messages may end where a rank rests. */
				if (!strcmp(cells[0], "bisection") && ranks % 2)
					cells[3] = NULL;
				/*
				 * The chain of an allreduce may begin where that before did not
				 * end.
				 */
				if (!strcmp(cells[0], "solver-3d") && ranks & (ranks - 1))
					cells[3] = NULL;
				compare(cells[0], &options, cells + 1, values, 1);
				cells[3] = latencies;
			}
		}
		kind++;
	}
	fclose(manual);
	assert_null(kind->name);	/* all are in the manual */
}

static void a_halo_exchange_costs_its_computation_and_one_latency_per_iteration(void **state)
{
	const struct pattern_options options = {.ranks = 27, .iterations = 10, .bytes = 11,
						.compute_ns = 500};
	struct goal goal;

	(void)state;
	make(&goal, "halo-3d", &options);
	assert_int_equal(runtime_ns(&goal, 1000, 2), 10 * (500 + 1000 + 10 * 2));
	goal_release(&goal);
}

static void a_pipeline_takes_the_time_of_the_manual(void **state)
{
	const struct pattern_options options = {.ranks = 9, .iterations = 20, .bytes = 8,
						.compute_ns = 300};
	struct goal goal;

	(void)state;
	make(&goal, "pipeline", &options);
	assert_int_equal(runtime_ns(&goal, 1000, 0), 8 * (1000 + 300) + 20 * 300);
	goal_release(&goal);
}

/* 2 ranks add up b bytes by 2 messages of b / 2 each, one after the other. */
static void gradients_are_added_up_beside_the_backward_pass(void **state)
{
	const struct pattern_options options = {.ranks = 2, .iterations = 1, .bytes = 8000,
						.compute_ns = 10000};
	struct goal goal;

	(void)state;
	make(&goal, "training:buckets=1", &options);
	assert_int_equal(runtime_ns(&goal, 0, 1), 30000 + 2 * 3999);
	goal_release(&goal);
	/* Three of four buckets, each of 2 * 999 ns, overlap with 5000 ns. */
	make(&goal, "training:buckets=4", &options);
	assert_int_equal(runtime_ns(&goal, 0, 1), 30000 + 2 * 999);
	goal_release(&goal);
}

/* -------------------------------------------------------------------- grids */

static uint64_t least_sum(uint32_t ranks, uint32_t sides)
{
	uint64_t least = UINT64_MAX;

	if (sides == 1)
		return ranks;
	for (uint32_t side = 1; side <= ranks; side++) {
		if (ranks % side == 0 && side + least_sum(ranks / side, sides - 1) < least)
			least = side + least_sum(ranks / side, sides - 1);
	}
	return least;
}

static void grids_are_as_cubic_as_the_number_of_ranks_allows(void **state)
{
	static const char *const names[] = {"halo-1d", "halo-2d", "halo-3d", "halo-4d"};
	struct pattern pattern;
	struct error err;

	(void)state;
	for (uint32_t sides = 1; sides <= 4; sides++) {
		for (uint32_t ranks = 1; ranks <= 150; ranks++) {
			const struct pattern_options options = {.ranks = ranks, .iterations = 1};
			uint64_t sum = 0, product = 1;

			MUST(pattern_open(&pattern, names[sides - 1], &options, &err));
			assert_int_equal(pattern.side_count, sides);
			for (uint32_t i = 0; i < sides; i++) {
				sum += pattern.sides[i];
				product *= pattern.sides[i];
				assert_true(i == 0 || pattern.sides[i] <= pattern.sides[i - 1]);
			}
			assert_int_equal(product, ranks);
			assert_int_equal(sum, least_sum(ranks, sides));
			pattern_release(&pattern);
		}
	}
}

/* ------------------------------------------------------------------- random */

static bool equal(const struct goal *a, const struct goal *b)
{
	return a->image.count == b->image.count &&
	       !memcmp(a->image.bytes, b->image.bytes, a->image.count);
}

static void the_same_seed_gives_the_same_graph_and_another_seed_another_graph(void **state)
{
	static const char *const names[] = {"bisection", "allreduce=ring", "training"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct pattern_options options = {.ranks = 12, .iterations = 5, .bytes = 600,
						  .compute_ns = 1000, .jitter = 0.1, .seed = 1};
		struct goal one, same_one, other;

		make(&one, names[i], &options);
		make(&same_one, names[i], &options);
		options.seed = 2;
		make(&other, names[i], &options);
		assert_true(equal(&one, &same_one));
		assert_false(equal(&one, &other));
		goal_release(&one);
		goal_release(&same_one);
		goal_release(&other);
	}
}

static void a_rank_is_the_same_whatever_was_made_before(void **state)
{
	const struct pattern_options options = {.ranks = 13, .iterations = 4, .bytes = 100,
						.compute_ns = 1000, .jitter = 0.5};
	struct pattern pattern, fresh;
	struct error err;
	char text[128];
	const char *name;

	(void)state;
	for (size_t i = 0; (name = pattern_name(i, text)); i++) {
		MUST(pattern_open(&pattern, name, &options, &err));
		MUST(pattern_open(&fresh, name, &options, &err));
		for (uint32_t rank = 0; rank <= 7; rank++)
			MUST(pattern_rank(&pattern, rank, &err));
		MUST(pattern_rank(&fresh, 7, &err));
		assert_int_equal(pattern.builder.ops.count, fresh.builder.ops.count);
		for (size_t op = 0; op < fresh.builder.ops.count; op++) {
			assert_int_equal(pattern.builder.ops.items[op].size,
					 fresh.builder.ops.items[op].size);
			assert_int_equal(pattern.builder.ops.items[op].peer,
					 fresh.builder.ops.items[op].peer);
		}
		pattern_release(&pattern);
		pattern_release(&fresh);
	}
}

static void jitter_is_even_within_its_bounds(void **state)
{
	const struct pattern_options options = {.ranks = 100, .iterations = 200,
						.compute_ns = 1000000, .jitter = 0.2, .seed = 3};
	uint32_t tenths[10] = {0};
	struct goal goal;

	(void)state;
	make(&goal, "incast", &options);
	for (uint32_t rank = 0; rank < goal.rank_count; rank++) {
		for (uint32_t i = 0; i < goal.ranks[rank].op_count; i++) {
			const struct goal_op op = goal_op(&goal.ranks[rank], i);

			if (op.kind != GOAL_CALC || !op.size)	/* joins cost nothing */
				continue;
			assert_in_range(op.size, 800000, 1200000);
			tenths[op.size == 1200000 ? 9 : (op.size - 800000) / 40000]++;
		}
	}
	/* 2000 expected in each, with a standard deviation of 42. */
	for (int i = 0; i < 10; i++)
		assert_in_range(tenths[i], 1800, 2200);
	goal_release(&goal);
}

static void every_pair_meets_equally_often_in_random_bisections(void **state)
{
	enum { RANKS = 7, ITERATIONS = 7000 };
	const struct pattern_options options = {.ranks = RANKS, .iterations = ITERATIONS,
						.bytes = 1, .seed = 9};
	uint32_t met[RANKS][RANKS] = {{0}};
	struct goal goal;

	(void)state;
	make(&goal, "bisection", &options);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		for (uint32_t i = 0; i < goal.ranks[rank].op_count; i++) {
			const struct goal_op op = goal_op(&goal.ranks[rank], i);

			if (op.kind == GOAL_SEND)
				met[rank][op.peer]++;
		}
	}
	/* A rank works in 6 of 7 iterations, with each of 6: 1000 expected, deviation 29. */
	for (uint32_t i = 0; i < RANKS; i++) {
		for (uint32_t j = 0; j < RANKS; j++) {
			assert_int_equal(met[i][j], met[j][i]);
			if (i != j)
				assert_in_range(met[i][j], 850, 1150);
		}
	}
	goal_release(&goal);
}

static void v_forms_without_data_have_the_messages_that_ranks_cannot_leave_out(void **state)
{
	static const struct {
		const char *name;
		uint32_t messages;	/* among 5 ranks */
	} patterns[] = {
		{"gatherv=linear", 0}, {"scatterv=linear", 0}, {"allgatherv=ring", 0},
		{"reduce_scatter=pairwise", 0}, {"alltoallv=linear", 0}, {"alltoallw=linear", 0},
		{"inter_gatherv=linear", 0}, {"inter_scatterv=linear", 0},
		{"alltoallv=pairwise", 20}, {"gatherv=binomial", 4},
	};
	const struct pattern_options five = {.ranks = 5, .iterations = 1};

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct goal goal;

		make(&goal, patterns[i].name, &five);
		if (goal.op_count != 2 * patterns[i].messages)
			fail_msg("%s: %u operations", patterns[i].name, goal.op_count);
		goal_release(&goal);
	}
}

/* ----------------------------------------------------------------- refusals */

static void refused(const char *name, struct pattern_options options, enum status status,
		    const char *text)
{
	struct pattern pattern;
	struct error err;

	assert_int_equal(pattern_open(&pattern, name, &options, &err), -1);
	if (err.status != status || !strstr(err.text, text))
		fail_msg("%s: status %d, \"%s\" instead of \"%s\"", name, err.status, err.text,
			 text);
}

static void invalid_patterns_are_refused(void **state)
{
	const struct pattern_options four = {.ranks = 4, .iterations = 1, .bytes = 8};
	struct pattern_options many = four;

	(void)state;
	refused("", four, STATUS_USAGE, "unknown pattern ''");
	refused("halo", four, STATUS_USAGE, "unknown pattern 'halo'");
	refused("allreduce", four, STATUS_USAGE, "unknown pattern");
	refused("allreduce=", four, STATUS_USAGE, "allreduce needs an algorithm");
	refused("=ring", four, STATUS_USAGE, "unknown pattern");
	refused("allreduce=rin", four, STATUS_USAGE, "unknown algorithm 'rin' of allreduce");
	refused("barrier=ring", four, STATUS_USAGE, "unknown algorithm 'ring' of barrier");
	refused("halo-1d:", four, STATUS_USAGE, "no settings");
	refused("allreduce=ring:tensor=2", four, STATUS_USAGE, "no parameter 'tensor'");
	refused("training:", four, STATUS_USAGE, "NAME=VALUE");
	refused("training:tensor", four, STATUS_USAGE, "NAME=VALUE");
	refused("training:tensor=0", four, STATUS_USAGE, "from 1");
	refused("training:tensor=2,", four, STATUS_USAGE, "NAME=VALUE");
	refused("training:speed=2", four, STATUS_USAGE, "unknown setting 'speed'");
	refused("training:tensor=3", four, STATUS_USAGE, "no multiple of tensor * pipeline = 3");
	refused("training:activation=2x", four, STATUS_USAGE, "size");
	refused("training:tensor=4,micro-batches=1000000,buckets=1000000,pipeline=1",
		(struct pattern_options){.ranks = 4096, .iterations = 1, .bytes = 1}, STATUS_LIMIT,
		"2^32 operations");
	refused("inter_reduce_scatter=remote-reduce-local-scatter",
		(struct pattern_options){.ranks = 4, .iterations = 1, .bytes = UINT64_C(1) << 62},
		STATUS_LIMIT, "2^64 bytes");
	refused("halo-1d", (struct pattern_options){.ranks = 0, .iterations = 1}, STATUS_USAGE,
		"at least one rank");
	refused("halo-1d", (struct pattern_options){.ranks = 1, .iterations = 0}, STATUS_USAGE,
		"one iteration");
	many.ranks = UINT32_MAX;
	refused("halo-1d", many, STATUS_LIMIT, "more than 4194304 ranks");
	many.ranks = 100000;
	refused("alltoall=linear", many, STATUS_LIMIT, "2^32 operations");
	many.iterations = UINT32_MAX;
	refused("halo-2d", many, STATUS_LIMIT, "2^32 operations");
	many.bytes = UINT64_MAX;
	refused("alltoall=linear", many, STATUS_LIMIT, "2^64 bytes");
}

/* The estimate passes, because most ranks have few operations.  The root has too many. */
static void a_rank_with_too_many_operations_is_refused_before_it_is_made(void **state)
{
	const struct pattern_options options = {.ranks = 5, .iterations = UINT32_MAX / 5,
						.bytes = 8};
	struct pattern pattern;
	struct error err;

	(void)state;
	MUST(pattern_open(&pattern, "outcast", &options, &err));
	pattern.ops = UINT64_C(1) << 31;
	assert_int_equal(pattern_rank(&pattern, 0, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_true(pattern.builder.ops.count < 100);
	pattern_release(&pattern);
}

/* T of a pair in which messages overlap with computation, with rendezvous and o = 0, G = 1 ns. */
static int64_t overlap_ns(const char *name, int64_t bytes, int64_t compute_ns, double receiver, bool both)
{
	struct progress_table table;
	struct loggps loggps = loggps_default;
	struct cost_graph graph;
	struct line line = {0};
	struct goal goal;
	struct error err;

	MUST(progress_table_calls(&table, 1000, both, &err));
	table.rows.items[0].receiver = receiver;
	make(&goal, name, &(struct pattern_options){.ranks = 2, .iterations = 1, .bytes = (uint64_t)bytes,
						    .compute_ns = (uint64_t)compute_ns,
						    .progress = &table});
	loggps_set(&loggps, VARIABLE_o, 0);
	loggps_set(&loggps, VARIABLE_L, 1000 * (int64_t)AS_PER_NS);
	loggps_set(&loggps, VARIABLE_G, AS_PER_NS);
	loggps.S = 1000;
	MUST(cost_graph_build(&graph, &goal, &loggps, &err));
	MUST(path_evaluate(&graph, ALONG(&loggps, VARIABLE_L), rational_from(1000 * (int64_t)AS_PER_NS),
			   SIDE_RIGHT, &line, NULL, &err));
	cost_graph_release(&graph);
	goal_release(&goal);
	progress_table_release(&table);
	return (int64_t)(line.constant / AS_PER_NS + line.slope * 1000);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The equations of doc/model.md for read, where S is 1000 bytes. */
static void patterns_of_overlap_take_what_the_equations_say(void **state)
{
	enum { L = 1000, B = 1000000, HALF = B / 2 };

	(void)state;
	for (int64_t c = 1000; c <= 3 * B; c += 500000) {
		/* Sender: it ends at 4 L + B, when the answer is there, too. */
		for (int f = 0; f < 2; f++)
			assert_true(overlap_ns("overlap-sender", B + 1, c, f, false) == larger(c, 4 * L + B));
		/* It begins after the computation if the sender has to act. */
		assert_true(overlap_ns("overlap-sender", B + 1, c, 1, true) == c + 4 * L + B);
		/* Receiver: ready at the other rank after L, announced after 2 L. */
		assert_true(overlap_ns("overlap-receiver", B + 1, c, 1, false) == larger(c, 5 * L + B));
		assert_true(overlap_ns("overlap-receiver", B + 1, c, 0, false) == larger(c, 2 * L) + 3 * L + B);
		/* Both: the second message moves after the first one and the second computation. */
		assert_true(overlap_ns("overlap-both", B + 1, c, 0, false) == larger(c, L) + c + 2 * (3 * L + B));
		/* The second one begins after two computations if both have to act. */
		assert_true(overlap_ns("overlap-both", B + 1, c, 0, true) == 2 * (c + L + 2 * L + B) + L);
		/* A half moves in time, then the other one. */
		assert_true(overlap_ns("overlap-receiver", B + 2, c, 0.5, false) ==
			    larger(c, 4 * L + HALF) + 3 * L + HALF);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_of_overlap_take_what_the_equations_say),
		cmocka_unit_test(every_pattern_runs_to_its_end_on_any_number_of_ranks),
		cmocka_unit_test(collectives_have_the_closed_forms_of_the_manual),
		cmocka_unit_test(all_patterns_have_the_closed_forms_of_the_manual),
		cmocka_unit_test(
			a_halo_exchange_costs_its_computation_and_one_latency_per_iteration),
		cmocka_unit_test(a_pipeline_takes_the_time_of_the_manual),
		cmocka_unit_test(gradients_are_added_up_beside_the_backward_pass),
		cmocka_unit_test(grids_are_as_cubic_as_the_number_of_ranks_allows),
		cmocka_unit_test(the_same_seed_gives_the_same_graph_and_another_seed_another_graph),
		cmocka_unit_test(a_rank_is_the_same_whatever_was_made_before),
		cmocka_unit_test(jitter_is_even_within_its_bounds),
		cmocka_unit_test(every_pair_meets_equally_often_in_random_bisections),
		cmocka_unit_test(
			v_forms_without_data_have_the_messages_that_ranks_cannot_leave_out),
		cmocka_unit_test(invalid_patterns_are_refused),
		cmocka_unit_test(a_rank_with_too_many_operations_is_refused_before_it_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
