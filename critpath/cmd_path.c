#include "critpath/commands.h"
#include "critpath/path/least_wait.h"

enum method { METHOD_WALK, METHOD_DIJKSTRA, METHOD_DELTA };

static const char *const methods[] = {"walk", "dijkstra", "delta", NULL};
static struct choice given_method = {"method", methods, METHOD_WALK};
static struct optional_time given_delta;

static const struct option_spec options[] = {
	{"method", 0, "NAME", "walk back from the end (default), or confirm it by dijkstra or delta,"
	 " which search the graph of all calls for the path with the least wait", option_choice,
	 &given_method},
	{"delta", 0, "TIME", "with --method delta: waits that are searched together (default 1us)",
	 option_time, &given_delta},
	{0},
};

const struct option_spec *const path_options[] = {options, output_options, NULL};

static int write_path(const struct findings *findings, struct error *err)
{
	struct output output;

	TRY(output_open(&output, given_output(), err));
	run_report_path(output.stream, given_format(), findings);
	return output_commit(&output, err);
}

static int find_totals(struct findings *findings, struct error *err)
{
	struct totals totals;
	int result;

	TRY(totals_find(&totals, findings->waits, findings->walk, err));
	findings->totals = &totals;
	result = write_path(findings, err);
	totals_release(&totals);
	return result;
}

static int search(struct walk *walk, const struct program_graph *graph, struct error *err)
{
	const uint64_t delta_ns = given_delta.given ? (uint64_t)given_delta.as / 1000000000 : 1000;
	struct least_wait path;
	int result;

	if (given_method.value == METHOD_DIJKSTRA)
		TRY(least_wait_dijkstra(&path, graph, err));
	else
		TRY(least_wait_delta(&path, graph, delta_ns, err));
	result = least_wait_segments(walk, &path, graph, err);
	least_wait_release(&path);
	return result;
}

static int find_by_method(struct walk *walk, const struct waits *waits, struct error *err)
{
	struct program_graph graph;
	int result;

	if (given_method.value == METHOD_WALK)
		return walk_find(walk, waits, err);
	TRY(program_graph_build(&graph, waits, err));
	result = search(walk, &graph, err);
	program_graph_release(&graph);
	return result;
}

static int find_path(const struct findings *found, struct error *err)
{
	struct findings findings = *found;
	struct walk walk;
	int result;

	TRY(find_by_method(&walk, found->waits, err));
	findings.walk = &walk;
	result = find_totals(&findings, err);
	walk_release(&walk);
	return result;
}

int cmd_path(char **operands, int count, struct error *err)
{
	(void)count;
	return with_waits(operands[0], find_path, err);
}
