/*
 * Steps from a GOAL file to answers: analysis_steps FILE [--lp].  --lp adds the linear program.
 *
 * For each step it prints, per operation, the user and system time of all processors in ns, the
 * elapsed time in ns, the bytes that the step touches, and the fresh memory that it takes.  The
 * last number is the user time divided by that of reading as many bytes of an array once, in the
 * same run.
 *
 * The system clears pages of fresh memory when they are first touched.  That is most of
 * the system time, and far more in a virtual machine that returns free memory to its host.
 */
#include "goal/match.h"
#include "llamp/analysis/analysis.h"
#include "llamp/analysis/communication.h"
#include "llamp/analysis/critical_path.h"
#include "llamp/analysis/rank_totals.h"
#include "llamp/traversal/traversal.h"
#include "llamp/lp/lp_engine.h"
#include "llamp/network/parameters.h"
#include "llamp/network/topology.h"
#include "llamp/simulate/build.h"
#include "llamp/simulate/simulation.h"
#include "llamp/timeline/timeline_write.h"

#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static struct {
	const char *path;
	struct goal goal;
	struct execution_graph execution;
	struct cost_graph graph;
	struct lp_model *lp;
	size_t breakpoints;
	double read_ns_per_byte;
	struct error err;
} run;

static struct direction along_L;
static volatile uint64_t sum;

static int read_bytes(void)
{
	const uint64_t *words = run.graph.edges.list.items;
	const size_t count = run.graph.edge_count;
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += words[i];
	sum = total;
	return 0;
}

static size_t fill_size(void)
{
	return run.goal.image.count;
}

/* Fill memory from the system, in large pages as arrays do. */
static int fill_bytes(void)
{
	void *block = mmap(NULL, fill_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (block == MAP_FAILED)
		return error_set_memory(&run.err, fill_size());
	madvise(block, fill_size(), MADV_HUGEPAGE);
	memset(block, 1, fill_size());
	munmap(block, fill_size());
	return 0;
}

/* ------------------------------------------------------------------- steps */

static void forget_goal(void)
{
	goal_release(&run.goal);
}

static int load(void)
{
	forget_goal();
	return goal_open(&run.goal, run.path, &run.err);
}

static void forget_execution(void)
{
	execution_graph_release(&run.execution);
}

static int match(void)
{
	forget_execution();
	return execution_graph_build(&run.execution, &run.goal, &loggps_default, &run.err);
}

static void forget_graph(void)
{
	cost_graph_release(&run.graph);
}

static int reduce(void)
{
	forget_graph();
	return traversal_run(&run.graph, NULL, &run.goal, &loggps_default, NULL, &run.err);
}

/* In place of ordering and reducing, with limited resources. */
static struct cost_graph served_graph;

static void forget_served(void)
{
	cost_graph_release(&served_graph);
}

static int serve(unsigned resources)
{
	struct execution_graph execution = run.execution;
	struct loggps loggps = loggps_default;
	struct sim_result simulation;

	forget_served();
	loggps.resources = resources;
	execution.loggps = &loggps;
	return sim_run(&simulation, &execution, NULL, &served_graph, NULL, &run.err);
}

static int serve_cpus(void)
{
	return serve(RESOURCE_CPU);
}

static int serve_nics(void)
{
	return serve(RESOURCE_NIC);
}

static int serve_both(void)
{
	return serve(RESOURCE_CPU | RESOURCE_NIC);
}

static int one_latency(void)
{
	struct line line;

	return path_evaluate(&run.graph, &along_L, rational_from(along_L.start_as), SIDE_RIGHT,
			     &line, NULL, &run.err);
}

static int latencies(void)
{
	struct path_point points[16];
	struct line lines[16];

	for (int i = 0; i < 16; i++)
		points[i] = (struct path_point){&along_L, rational_from((i + 1) * 2000 * AS_PER_NS),
						SIDE_RIGHT};
	return path_evaluate_all(&run.graph, points, 16, lines, &run.err);
}

static int breakpoints(void)
{
	struct breakpoints found;

	if (path_breakpoints(&run.graph, &along_L, rational_from(1000 * AS_PER_NS),
			     rational_from(100000 * AS_PER_NS), &found, &run.err) < 0)
		return -1;
	run.breakpoints = found.list.count;
	breakpoints_release(&found);
	return 0;
}

static int tolerances(void)
{
	struct tolerance found[] = {{.percent = 1}, {.percent = 2}, {.percent = 5}};

	return path_tolerances(&run.graph, &along_L, 0, found, 3, &run.err);
}

/* Find the critical path and all times, and write the run to a device that ignores it. */
static int write_timeline(enum timeline_format format)
{
	const struct model model = {.path = run.path,
				    .loggps = loggps_default,
				    .goal = run.goal,
				    .execution = run.execution,
				    .graph = run.graph};
	const struct run_part whole = {.to_ns = UINT64_MAX};
	struct timeline_counts counts;
	FILE *null = fopen("/dev/null", "w");
	int result;

	if (!null)
		return error_set_errno(&run.err, "/dev/null");
	result = timeline_write(null, format, &model, NULL, &whole, &counts, &run.err);
	fclose(null);
	return result;
}

static int timeline_perfetto(void)
{
	return write_timeline(TIMELINE_PERFETTO);
}

static int timeline_chrome(void)
{
	return write_timeline(TIMELINE_CHROME);
}

static void forget_lp(void)
{
	lp_free(run.lp);
	run.lp = NULL;
}

static int lp_model(void)
{
	forget_lp();
	return lp_build(&run.lp, &run.graph, &loggps_default, &run.err);
}

static int lp_certificate(void)
{
	struct lp_solution solution;

	if (lp_solve(run.lp, LP_LONGEST_PATH, &along_L, rational_from(along_L.start_as), SIDE_RIGHT,
		     &solution, &run.err) < 0)
		return -1;
	if (solution.pivots > 0)
		return error_set(&run.err, STATUS_LIMIT, "GLPK took %lld pivots",
				 (long long)solution.pivots);
	return 0;
}

/* Program as the questions of a report take it.  It shares what `run` owns. */
static struct model shared_model(void)
{
	return (struct model){.path = run.path,
			      .loggps = loggps_default,
			      .goal = run.goal,
			      .execution = run.execution,
			      .graph = run.graph};
}

static int critical_path(void)
{
	const struct model model = shared_model();
	struct critical_path path;

	TRY(critical_path_find(&path, &model, &run.err));
	critical_path_release(&path);
	return 0;
}

static int critical_path_and_slack(void)
{
	const struct model model = shared_model();
	struct critical_path path;
	int128 *slack_as;

	TRY(critical_path_find_with_slack(&path, &slack_as, &model, &run.err));
	free(slack_as);
	critical_path_release(&path);
	return 0;
}

static int communication(void)
{
	struct communication counted;

	TRY(communication_count(&counted, &run.goal, &run.err));
	communication_release(&counted);
	return 0;
}

static int rank_totals(void)
{
	const struct model model = shared_model();
	struct rank_totals totals;

	TRY(rank_totals_find(&totals, &model, &run.err));
	rank_totals_release(&totals);
	return 0;
}

/* --------------------------------------------------------------- measuring */

/* Minimum duration of a round: many ticks, as the system counts times in ticks of some ms. */
#define ROUND_NS 1e8
/* Start more than 3 rounds only until this time has passed. */
#define MEASURED_NS 1e10

struct times {
	double user, system, elapsed; /* ns */
};

static double ns_of(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static struct times now(void)
{
	struct rusage usage;
	struct timespec clock;

	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_MONOTONIC, &clock);
	return (struct times){ns_of(usage.ru_utime), ns_of(usage.ru_stime),
			      (double)clock.tv_sec * 1e9 + (double)clock.tv_nsec};
}

static void run_step(int (*step)(void))
{
	if (step() < 0) {
		fprintf(stderr, "analysis_steps: %s\n", run.err.text);
		exit(1);
	}
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/*
 * Best elapsed time of all repetitions, and best user and system times of all rounds.  A slow
 * step gets more rounds, up to MEASURED_NS, so that other programs do not disturb all of
 * them.
 */
static struct times measured(int (*step)(void))
{
	struct times best = {INFINITY, INFINITY, INFINITY}, start, end = now();
	const double begin = end.elapsed;

	for (int round = 0; round < 3 || (round < 12 && end.elapsed - begin < MEASURED_NS);
	     round++) {
		double before, times = 0;

		start = end = now();
		do {
			before = end.elapsed;
			run_step(step);
			end = now();
			best.elapsed = smaller(end.elapsed - before, best.elapsed);
			times++;
		} while (end.elapsed - start.elapsed < ROUND_NS);
		best.user = smaller((end.user - start.user) / times, best.user);
		best.system = smaller((end.system - start.system) / times, best.system);
	}
	return best;
}

/* Number of bytes in a field of the status of this process, or NAN if it is missing. */
static double memory(const char *name)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	double kib = NAN;

	while (status && fgets(line, sizeof line, status))
		if (!strncmp(line, name, strlen(name)))
			kib = strtod(line + strlen(name), NULL);
	if (status)
		fclose(status);
	return kib * 1024;
}

/* Peak memory of a step, less the memory in use without its result. */
static double fresh_memory(int (*step)(void), void (*forget)(void))
{
	FILE *peak = fopen("/proc/self/clear_refs", "w");
	double before;

	if (forget)
		forget();
	before = memory("VmRSS:");
	/* Reset the peak. */
	if (!peak || fputs("5", peak) < 0 || fclose(peak) != 0)
		return NAN;
	run_step(step);
	return memory("VmHWM:") - before;
}

static struct times report(const char *name, int (*step)(void), void (*forget)(void), double bytes)
{
	/* The file is mapped, not cleared. */
	const double mapped = step == load ? (double)run.goal.image.count : 0;
	const double fresh = fresh_memory(step, forget) - mapped;
	const struct times best = measured(step);
	const double ops = run.goal.op_count;

	printf("%-28s %9.2f %9.2f %9.2f %9.1f %9.1f %9.1f\n", name, best.user / ops,
	       best.system / ops, best.elapsed / ops, bytes / ops, fresh / ops,
	       best.user / (bytes * run.read_ns_per_byte));
	fflush(stdout);
	return best;
}

/* ------------------------------------------------ networks with several classes */

/* Networks with a host for each rank: links of three or four classes, and switches. */
static const char *const networks[] = {
	"kind: dragonfly, groups: 16, routers: 8, switch: 108ns,"
	" links: {tc: 100ns, intra: 150ns, inter: 500ns}",
	"kind: torus, size: [8, 4, 4], switch: 108ns,"
	" links: {host: 100ns, dim1: 150ns, dim2: 150ns, dim3: 500ns}",
};
static const char *const varied[] = {"l_inter", "l_dim3"};

static struct model_parameters network;
static const char *network_varied;

/* Read parameters with a topology.  `hosts` is the number of hosts of a switch, if it is not 0. */
static int make_network(struct model_parameters *parameters, const char *topology, unsigned hosts)
{
	char path[] = "/tmp/analysis_steps.XXXXXX";
	const int descriptor = mkstemp(path);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	int result = -1;

	if (!file)
		return error_set_errno(&run.err, "no temporary file");
	fprintf(file, "topology: {%s", topology);
	if (hosts)
		fprintf(file, ", hosts: %u", hosts);
	fputs("}\n", file);
	parameters_init(parameters);
	if (fclose(file) == 0)
		result = parameters_read(parameters, path, &run.err);
	unlink(path);
	return result;
}

/* From the file to T, all slopes, the critical range and the tolerances of a variable. */
static int analyze(struct loggps loggps, const char *name)
{
	static const double percents[] = {1, 2, 5};
	struct analysis analysis;
	struct direction asked;
	struct model model;
	uint32_t variable;
	int result;

	TRY(variables_require(&loggps.variables, name, &variable, &run.err));
	asked = direction_of(&loggps.variables, variable);
	loggps.asked = &asked;
	TRY(model_open(&model, run.path, &loggps, MODEL_COSTS, &run.err));
	result = analysis_run(&analysis, &model,
			      &(struct analysis_request){
				      .engine = ENGINE_PATH,
				      .varied = variable,
				      .percents = percents,
				      .percent_count = 3,
			      },
			      &run.err);
	model_release(&model);
	if (result == 0)
		analysis_release(&analysis);
	return result;
}

static int analyze_plain(void)
{
	return analyze(loggps_default, "L");
}

static int analyze_network(void)
{
	return analyze(network.loggps, network_varied);
}

static struct loggps served_loggps;

static int analyze_served(void)
{
	return analyze(served_loggps, "L");
}

static void report_ratio(const struct times *times, const struct times *plain)
{
	printf("%-28s %9.2f %9s %9.2f\n", "  : plain", times->user / plain->user, "",
	       times->elapsed / plain->elapsed);
}

static void report_served(const struct times *plain, unsigned resources, const char *name,
			  double bytes)
{
	struct times served;

	served_loggps = loggps_default;
	served_loggps.resources = resources;
	served = report(name, analyze_served, NULL, bytes);
	report_ratio(&served, plain);
}

/* Compare whole analyses. */
static void report_analyses(double bytes)
{
	const struct times plain = report("analysis", analyze_plain, NULL, bytes);

	report_served(&plain, RESOURCE_CPU, "analysis, cpu", bytes);
	report_served(&plain, RESOURCE_NIC, "analysis, nic", bytes);
	report_served(&plain, RESOURCE_CPU | RESOURCE_NIC, "analysis, cpu,nic", bytes);
	for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
		struct times classes;
		char name[64];

		if (make_network(&network, networks[i], run.goal.rank_count / 128 + 1) < 0) {
			fprintf(stderr, "analysis_steps: %s\n", run.err.text);
			exit(1);
		}
		network_varied = varied[i];
		snprintf(name, sizeof name, "analysis, %s",
			 topology_name(network.network.topology));
		classes = report(name, analyze_network, NULL, bytes);
		report_ratio(&classes, &plain);
		parameters_release(&network);
	}
}

/* Time of a route and memory of a topology of more than 10,000 hosts. */
static void report_topology_memory(const char *text)
{
	enum { ROUTES = 1000000 };
	const double before = memory("VmRSS:");
	struct model_parameters parameters;
	const struct topology *topology;
	struct route route;
	struct times start;
	uint64_t hosts;

	if (make_network(&parameters, text, 0) < 0) {
		fprintf(stderr, "analysis_steps: %s\n", run.err.text);
		exit(1);
	}
	topology = parameters.network.topology;
	hosts = topology->host_count;
	start = now();
	for (uint64_t i = 0; i < ROUTES; i++) {
		topology_route(topology, (uint32_t)(i * 7919 % hosts),
			       (uint32_t)(i * 104729 % hosts), &route);
		sum += route.switches;
	}
	printf("%-28s %9llu %9.1f %9.0f\n", topology_name(topology), (unsigned long long)hosts,
	       (now().user - start.user) / ROUTES, memory("VmRSS:") - before);
	parameters_release(&parameters);
}

static void report_topologies(void)
{
	static const char *const large[] = {
		"kind: fat-tree, radix: 36, levels: 3, links: {wire: 274ns}",
		"kind: dragonfly, groups: 65, routers: 16, hosts: 10, links: {wire: 274ns}",
		"kind: torus, size: [22, 22, 22], links: {wire: 274ns}",
		"kind: hyperx, size: [10, 10, 10], hosts: 10, links: {wire: 274ns}",
		"kind: slim-fly, q: 19, hosts: 14, links: {wire: 274ns}",
	};

	printf("%-28s %9s %9s %9s\n", "large topologies", "hosts", "route ns", "memory B");
	for (size_t i = 0; i < sizeof large / sizeof *large; i++)
		report_topology_memory(large[i]);
}

/* Bytes of the cost graph. */
static double graph_size(void)
{
	return (double)run.graph.edge_count * sizeof *run.graph.edges.list.items +
	       (double)run.graph.vertex_count * sizeof *run.graph.slots;
}

/* Print the sizes of the program and the times that the steps are compared with. */
static void report_program(double most_memory)
{
	const double ops = run.goal.op_count, file = (double)run.goal.image.count;
	const struct times filling = measured(fill_bytes);

	run.read_ns_per_byte = measured(read_bytes).user /
			       ((double)run.graph.edge_count * sizeof *run.graph.edges.list.items);
	printf("%-28s %9.0f\n", "operations", ops);
	printf("%-28s %9.3f\n", "edges per operation", (double)run.graph.edge_count / ops);
	printf("%-28s %9.3f\n", "vertices per operation", (double)run.graph.vertex_count / ops);
	printf("%-28s %9.1f B per operation\n", "most memory beyond the file",
	       (most_memory - file) / ops);
	printf("%-28s %9.4f ns per byte\n", "read an array", run.read_ns_per_byte);
	printf("%-28s %9.4f ns per byte, of which the system %.4f\n", "fill fresh memory",
	       (filling.user + filling.system) / file, filling.system / file);
}

static void report_steps(bool with_lp)
{
	const double ops = run.goal.op_count, file = (double)run.goal.image.count;
	const double matching = 4 * ops, graph = graph_size();

	printf("%-28s %9s %9s %9s %9s %9s %9s\n", "per operation", "user ns", "system ns",
	       "elapsed", "touches B", "fresh B", ": reading");
	report("load and check", load, forget_goal, file);
	report("match", match, forget_execution, file + matching);
	report("traversal", reduce, forget_graph, file + graph);
	report("order of service, cpu", serve_cpus, forget_served, file + matching + graph);
	report("order of service, nic", serve_nics, forget_served, file + matching + graph);
	report("order of service, cpu,nic", serve_both, forget_served, file + matching + graph);
	forget_served();
	report("T and lambda at one latency", one_latency, NULL, graph);
	report("T and lambda at 16 latencies", latencies, NULL, graph);
	report("all breakpoints 1-100 us", breakpoints, NULL, graph);
	report("tolerances 1, 2, 5 %", tolerances, NULL, graph);
	/* The times of all operations are written and read. */
	report("report: critical path", critical_path, NULL, file + matching + 2 * 21 * ops);
	/* The same backward, with two more numbers for each operation. */
	report("critical path and slack", critical_path_and_slack, NULL,
	       2 * (file + matching) + (4 * 21 + 4 * 16) * ops);
	report("report: messages of ranks", communication, NULL, file);
	report("report: ends of ranks", rank_totals, NULL, file + matching + 2 * 21 * ops);
	report("timeline.pftrace", timeline_perfetto, NULL, file + matching);
	report("timeline.json", timeline_chrome, NULL, file + matching);
	if (with_lp) {
		report("LP: model", lp_model, forget_lp, graph);
		report("LP: certificate", lp_certificate, NULL, graph);
	}
	printf("%-28s %9zu\n", "breakpoints", run.breakpoints);
}

int main(int argc, char **argv)
{
	const bool with_lp = argc == 3 && !strcmp(argv[2], "--lp");
	double bytes;

	if (argc < 2 || (argc > 2 && !with_lp)) {
		fprintf(stderr, "usage: analysis_steps FILE [--lp]\n");
		return 2;
	}
	run.path = argv[1];
	along_L = direction_of(&loggps_default.variables, VARIABLE_L);
	/* The first run gives the sizes and the peak memory. */
	run_step(load);
	run_step(match);
	run_step(reduce);
	report_program(memory("VmHWM:"));
	report_steps(with_lp);
	bytes = run.goal.image.count + 4.0 * run.goal.op_count + graph_size();
	forget_lp();
	forget_graph();
	forget_execution();
	report_analyses(bytes);
	report_topologies();
	forget_goal();
	return 0;
}
