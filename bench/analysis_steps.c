/*
 * The steps from a GOAL file to answers: analysis_steps FILE [--lp].  Prints for each
 * the ns of processor time and the bytes it touches, per operation, the ratio to
 * reading as many bytes of an array once, measured in the same run, and the ns that
 * pass, which are fewer where several processors work; with --lp also the linear
 * program.
 */
#include "goal/match.h"
#include "llamp/cost_reduce.h"
#include "llamp/lp_engine.h"

#include "common/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static struct {
	const char *path;
	struct goal goal;
	struct execution execution;
	struct cost_graph graph;
	struct lp_model *lp;
	size_t breakpoints;
	double read_ns_per_byte;
	struct error err;
} run;

static volatile uint64_t sum;

static double now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int read_bytes(void)
{
	const uint64_t *words = (const uint64_t *)(const void *)run.graph.edges;
	const size_t count = run.graph.edge_count * sizeof *run.graph.edges / sizeof *words;
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += words[i];
	sum = total;
	return 0;
}

/* ------------------------------------------------------------------- steps */

static int load(void)
{
	goal_release(&run.goal);
	return goal_open(&run.goal, run.path, &run.err);
}

static int match(void)
{
	execution_release(&run.execution);
	return execution_init(&run.execution, &run.goal, &loggps_default, &run.err);
}

static int reduce(void)
{
	cost_graph_release(&run.graph);
	return cost_reduce(&run.graph, &run.execution, &run.err);
}

static int one_latency(void)
{
	struct line line;

	return path_evaluate(&run.graph, &loggps_default, PARAMETER_L,
			     rational_from(loggps_default.L), SIDE_RIGHT, &line, NULL, &run.err);
}

static int latencies(void)
{
	struct path_point points[16];
	struct line lines[16];

	for (int i = 0; i < 16; i++)
		points[i] = (struct path_point){PARAMETER_L, rational_from((i + 1) * 2000 * AS_PER_NS),
						SIDE_RIGHT};
	return path_evaluate_all(&run.graph, &loggps_default, points, 16, lines, &run.err);
}

static int breakpoints(void)
{
	struct breakpoints found;

	if (path_breakpoints(&run.graph, &loggps_default, PARAMETER_L,
			     rational_from(1000 * AS_PER_NS), rational_from(100000 * AS_PER_NS),
			     &found, &run.err) < 0)
		return -1;
	run.breakpoints = found.list.count;
	breakpoints_release(&found);
	return 0;
}

static int tolerances(void)
{
	struct tolerance found[] = {{.percent = 1}, {.percent = 2}, {.percent = 5}};

	return path_tolerances(&run.graph, &loggps_default, PARAMETER_L, found, 3, &run.err);
}

static int lp_model(void)
{
	lp_free(run.lp);
	run.lp = NULL;
	return lp_build(&run.lp, &run.graph, &loggps_default, &run.err);
}

static int lp_certificate(void)
{
	struct lp_solution solution;

	if (lp_solve(run.lp, LP_LONGEST_PATH, PARAMETER_L, rational_from(loggps_default.L),
		     SIDE_RIGHT, &solution, &run.err) < 0)
		return -1;
	if (solution.pivots > 0)
		return error_set(&run.err, STATUS_LIMIT, "GLPK took %lld pivots",
				 (long long)solution.pivots);
	return 0;
}

/* --------------------------------------------------------------- measuring */

/* The best of some repetitions, more of short ones; in ns. */
static double measured(int (*step)(void), double *elapsed)
{
	double best = 1e30, total = 0;

	*elapsed = 1e30;
	for (int i = 0; i < 3 || (total < 2e8 && i < 50); i++) {
		const double began = now_ns(CLOCK_MONOTONIC), start = now_ns(CLOCK_PROCESS_CPUTIME_ID);
		double time, passed;

		if (step() < 0) {
			fprintf(stderr, "analysis_steps: %s\n", run.err.text);
			exit(1);
		}
		time = now_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
		passed = now_ns(CLOCK_MONOTONIC) - began;
		*elapsed = passed < *elapsed ? passed : *elapsed;
		best = time < best ? time : best;
		total += time;
		if (time > 5e9)
			break;
	}
	return best;
}

static void report(const char *name, int (*step)(void), double bytes)
{
	double elapsed;
	const double ns = measured(step, &elapsed), ops = run.goal.op_count;

	printf("%-32s %10.2f ns %8.1f B %10.1f %10.2f ns\n", name, ns / ops, bytes / ops,
	       ns / (bytes * run.read_ns_per_byte), elapsed / ops);
	fflush(stdout);
}

static double most_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

int main(int argc, char **argv)
{
	const bool with_lp = argc == 3 && !strcmp(argv[2], "--lp");
	double ops, file, matching, graph, memory, elapsed;

	if (argc < 2 || (argc > 2 && !with_lp)) {
		fprintf(stderr, "usage: analysis_steps FILE [--lp]\n");
		return 2;
	}
	run.path = argv[1];
	/* Once for the sizes, and for what memory it takes. */
	if (load() < 0 || match() < 0 || reduce() < 0) {
		fprintf(stderr, "analysis_steps: %s\n", run.err.text);
		return 1;
	}
	memory = most_memory();
	ops = run.goal.op_count;
	file = (double)run.goal.image.count;
	matching = 4 * ops;
	graph = (double)run.graph.edge_count * sizeof *run.graph.edges +
		(double)run.graph.vertex_count * sizeof *run.graph.vertices;
	run.read_ns_per_byte =
		measured(read_bytes, &elapsed) / ((double)run.graph.edge_count * sizeof *run.graph.edges);

	printf("%-32s %10.0f\n", "operations", ops);
	printf("%-32s %10.3f\n", "edges per operation", (double)run.graph.edge_count / ops);
	printf("%-32s %10.3f\n", "vertices per operation", (double)run.graph.vertex_count / ops);
	printf("%-32s %10.1f B per operation\n", "most memory beyond the file",
	       (memory - file) / ops);
	printf("%-32s %10.4f ns per byte\n", "read an array", run.read_ns_per_byte);
	printf("%-32s %13s %10s %10s %13s\n", "", "per op", "touches", ": reading", "elapsed");
	report("load and check", load, file);
	report("match", match, file + matching);
	/* Twice for the ranks reduced by themselves, written and read. */
	report("order and reduce", reduce, file + matching + 2 * 30 * ops + graph);
	report("T and lambda at one latency", one_latency, graph);
	report("T and lambda at 16 latencies", latencies, graph);
	report("all breakpoints 1-100 us", breakpoints, graph);
	report("tolerances 1, 2, 5 %", tolerances, graph);
	if (with_lp) {
		report("LP: model", lp_model, graph);
		report("LP: certificate", lp_certificate, graph);
	}
	printf("%-32s %10zu\n", "breakpoints", run.breakpoints);
	lp_free(run.lp);
	cost_graph_release(&run.graph);
	execution_release(&run.execution);
	goal_release(&run.goal);
	return 0;
}
