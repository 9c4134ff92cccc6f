/*
 * The steps from a GOAL file to T and lambda: path_pass FILE.  Prints ns per
 * operation of each, beside reading the bytes of the file once.
 */
#include "goal/match.h"
#include "llamp/path_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 5 };

static struct goal goal;
static struct goal_matching matching;
static struct cost_graph graph;
static volatile uint64_t sum;
static struct error err;

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

static int read_bytes(void)
{
	uint64_t total = 0;

	for (size_t i = 0; i + 8 <= goal.image.count; i += 8)
		total += goal_load64(goal.image.bytes + i);
	sum = total;
	return 0;
}

static int match(void)
{
	goal_matching_release(&matching);
	return goal_match(&matching, &goal, &err);
}

static int build(void)
{
	cost_graph_release(&graph);
	return cost_graph_build(&graph, &goal, &loggps_default, &err);
}

static int pass(void)
{
	struct line line;

	return path_evaluate(&graph, &loggps_default, PARAMETER_L, rational_from(loggps_default.L),
			     SIDE_RIGHT, &line, NULL, &err);
}

/* The best time of a step in ns per operation. */
static double measured(int (*step)(void))
{
	double best = 1e30;

	for (int i = 0; i < REPEATS; i++) {
		double start = now_ns(), time;

		if (step() < 0) {
			fprintf(stderr, "path_pass: %s\n", err.text);
			exit(1);
		}
		time = now_ns() - start;
		best = time < best ? time : best;
	}
	return best / goal.op_count;
}

int main(int argc, char **argv)
{
	double stream, path;

	if (argc != 2 || goal_open(&goal, argv[1], &err) < 0) {
		fprintf(stderr, "path_pass: %s\n", argc == 2 ? err.text : "usage: path_pass FILE");
		return 1;
	}
	stream = measured(read_bytes);
	printf("operations                   %10u\n", goal.op_count);
	printf("read the bytes of the file   %10.2f ns per operation\n", stream);
	printf("match sends and receives     %10.2f ns per operation\n", measured(match));
	printf("order and build costs        %10.2f ns per operation\n", measured(build));
	path = measured(pass);
	printf("path engine, T and lambda    %10.2f ns per operation\n", path);
	printf("ratio path pass : reading    %10.2f\n", path / stream);
	goal_matching_release(&matching);
	cost_graph_release(&graph);
	goal_release(&goal);
	return 0;
}
