/*
 * Comparison of solvers: lp_solvers FILE.  Prints T, lambda_L, the tolerances of 1, 2 and 5 %, and
 * the elapsed time of each.
 */
#include "common/units.h"
#include "llamp/lp/lp_engine.h"
#include "llamp/simulate/build.h"

#include <stdio.h>
#include <time.h>

enum { PERCENTS = 3 };
static const double percents[PERCENTS] = {1, 2, 5};

static struct goal goal;
static struct cost_graph graph;
static struct direction along_L;
static struct error err;

struct answer {
	double runtime_ns, lambda_L, tolerance_ns[PERCENTS];
};

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int ask_glpk(struct answer *answer, enum lp_start start)
{
	struct lp_model *model;
	struct lp_solution solution;
	int result;

	TRY(lp_build(&model, &graph, &loggps_default, &err));
	result = lp_solve(model, start, &along_L, rational_from(along_L.start_as), SIDE_RIGHT,
			  &solution, &err);
	answer->runtime_ns = solution.runtime_ns;
	answer->lambda_L = solution.lambda[VARIABLE_L];
	for (int i = 0; i < PERCENTS && result == 0; i++) {
		result = lp_tolerance(model, start, &along_L, solution.runtime_ns, percents[i],
				      &answer->tolerance_ns[i], NULL, &err);
	}
	lp_free(model);
	return result;
}

static int ask_glpk_cold(struct answer *answer)
{
	return ask_glpk(answer, LP_COLD);
}

static int ask_glpk_warm(struct answer *answer)
{
	return ask_glpk(answer, LP_LONGEST_PATH);
}

static int ask_path_engine(struct answer *answer)
{
	struct tolerance tolerances[PERCENTS];
	struct line line;

	TRY(path_evaluate(&graph, &along_L, rational_from(along_L.start_as),
			  SIDE_RIGHT, &line, NULL, &err));
	answer->runtime_ns = (double)(line.constant + line.slope * along_L.start_as) /
			     (double)AS_PER_NS;
	answer->lambda_L = (double)line.slope;
	for (int i = 0; i < PERCENTS; i++)
		tolerances[i].percent = percents[i];
	TRY(path_tolerances(&graph, &along_L, 0, tolerances, PERCENTS, &err));
	for (int i = 0; i < PERCENTS; i++)
		answer->tolerance_ns[i] = tolerances[i].value_ns;
	return 0;
}

static int report(const char *name, int (*ask)(struct answer *answer))
{
	struct answer answer = {0};
	const double start = now_s();

	if (ask(&answer) < 0)
		return -1;
	printf("%-28s %14.10g ns %10.7g", name, answer.runtime_ns, answer.lambda_L);
	for (int i = 0; i < PERCENTS; i++)
		printf("%12.9g", answer.tolerance_ns[i]);
	printf(" %9.3f s\n", now_s() - start);
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	int result = -1;

	if (argc != 2) {
		fprintf(stderr, "usage: lp_solvers FILE\n");
		return 2;
	}
	along_L = direction_of(&loggps_default.variables, VARIABLE_L);
	if (goal_open(&goal, argv[1], &err) == 0 &&
	    cost_graph_build(&graph, &goal, &loggps_default, &err) == 0) {
		printf("%-28s %10llu\n", "rows", (unsigned long long)graph.edge_count);
		printf("%-28s %17s %10s %36s\n", "", "T", "lambda_L", "L up to: 1 %, 2 %, 5 %");
		result = report("path engine", ask_path_engine);
		if (result == 0)
			result = report("GLPK, from the longest path", ask_glpk_warm);
		if (result == 0)
			result = report("GLPK, cold dual simplex", ask_glpk_cold);
	}
	if (result < 0)
		fprintf(stderr, "lp_solvers: %s\n", err.text);
	cost_graph_release(&graph);
	goal_release(&goal);
	return result < 0;
}
