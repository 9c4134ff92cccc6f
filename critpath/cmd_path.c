/* Command critpath path: the critical path of the run, by the method that the user chooses. */
#include "common/parallel/parallel.h"
#include "common/units.h"
#include "critpath/commands.h"
#include "critpath/groups/groups.h"
#include "critpath/report/run_report_groups.h"
#include "critpath/report/study_reports.h"
#include "critpath/graph/minimum_wait.h"

#include <inttypes.h>
#include <math.h>

enum method { METHOD_WALK, METHOD_DIJKSTRA, METHOD_DELTA, METHOD_GROUPS, METHOD_SHUFFLE };

static const char *const methods[] = {"walk", "dijkstra", "delta", "groups", "shuffle", NULL};
static struct choice given_method = {"method", methods, METHOD_WALK};
static struct optional_time given_delta, given_threshold;
static double given_compression = NAN; /* not given */

static const char *const sync_point_uses[] = {[SYNC_POINTS_OFF] = "off",
					      [SYNC_POINTS_AT_ONCE] = "on",
					      [SYNC_POINTS_IN_TURN] = "sequential",
					      NULL};
static struct choice given_sync_points = {"splits", sync_point_uses, SYNC_POINTS_OFF};

enum collectives { AS_DEFINED, AS_OBSERVED };

static const char *const collectives[] = {"semantic", "observed", NULL};
static struct choice given_collectives = {"collectives", collectives, AS_DEFINED};

static const struct option_spec path_own_options[] = {
	{"method", 0, "NAME",
	 "walk back from the end of the run (walk, default). To confirm the result, dijkstra and delta"
	 " search the graph of all calls for the path with the minimum wait; groups finds the longest"
	 " computations between times at which all ranks are in MPI; shuffle finds the same and divides"
	 " the work between the processes of critpath-mpi otherwise",
	 option_choice, &given_method},
	{"delta", 0, "TIME", "with --method delta: bucket width of delta-stepping (default 1us)",
	 option_time, &given_delta},
	{"splits", 0, "CHOICE",
	 "with dijkstra and delta: search the parts between synchronization points, collectives that"
	 " all paths go through, at the same time (on) or one after the other (sequential); default off",
	 option_choice, &given_sync_points},
	{"collectives", 0, "CHOICE",
	 "let members of a collective wait for those that the operation needs (semantic, the"
	 " default), or for all that began before they ended (observed)",
	 option_choice, &given_collectives},
	{"compression", 0, "LEVEL",
	 "with --method shuffle by critpath-mpi: compress what processes send by this level of zstd, from"
	 " 1 (fast) to 19 (small); 0: not at all (default 3)",
	 option_number, &given_compression},
	{"threshold", 0, "TIME", "list calls with less time than this between them as one block",
	 option_time, &given_threshold},
	{0},
};

static const struct option_spec *const path_options[] = {path_own_options, slice_options,
							 strict_options, NULL};

/* A time of the command line in ns, rounded up. */
static uint64_t ns_of(const struct optional_time *time)
{
	return ((uint64_t)time->as + AS_PER_NS - 1) / AS_PER_NS;
}

/* Waits that are searched together. */
static uint64_t search_delta_ns(void)
{
	if (given_method.value == METHOD_DIJKSTRA)
		return 0;
	return given_delta.given ? (uint64_t)given_delta.as / AS_PER_NS : 1000;
}

/* Search the graph of all calls, by all processes. */
static int search(struct study *study, struct error *err)
{
	const struct minimum_wait_options options_of_search = {
		search_delta_ns(), (enum sync_point_use)given_sync_points.value};
	struct minimum_wait_found found;
	struct walk walk;

	TRY(minimum_wait_path(&walk, study->found.waits, &options_of_search, study->dist, &found,
			      err));
	if (given_sync_points.value != SYNC_POINTS_OFF)
		study->found.sync_blocks = found.blocks;
	study_take_walk(study, &walk);
	return 0;
}

static int write_path(struct study *study, struct error *err)
{
	struct output output;
	struct report report;

	if (given_method.value != METHOD_WALK)
		TRY(search(study, err));
	TRY(study_totals(study, err));
	TRY(commands_open(&output, &report, err));
	return commands_commit(&output, study_write_path(study, &report, err), err);
}

static int write_groups(const struct study *study, const struct groups *groups, struct error *err)
{
	struct output output;
	struct report report;

	TRY(commands_open(&output, &report, err));
	if (study->dist->rank == 0)
		run_report_groups(&report, &study->found, groups);
	return commands_commit(&output, 0, err);
}

static int compression_level(void)
{
	return isnan(given_compression) ? GROUPS_LEVEL : (int)given_compression;
}

/* Say what was moved: not in the report, which does not depend on the number of processes. */
static void tell_moved(const struct groups_moved *moved, uint32_t processes)
{
	fprintf(stderr,
		"critpath: moved %" PRIu64 " byte%s (%" PRIu64
		" as records) between %u processes: %" PRIu64 " computation%s, %" PRIu64
		" group%s\n",
		moved->bytes, plural(moved->bytes), moved->record_bytes, processes,
		moved->intervals, plural(moved->intervals), moved->groups, plural(moved->groups));
}

static int find_groups(struct study *study, struct error *err)
{
	const struct groups_options groups_options = {.least_ns = ns_of(&given_threshold),
						      .shuffle = given_method.value ==
								 METHOD_SHUFFLE,
						      .level = compression_level()};
	const struct dist *dist = study->dist;
	struct groups groups;
	struct groups_moved moved;
	int result;

	TRY(groups_find(&groups, study->found.run, &groups_options, study->dist, &moved, err));
	if (dist->size > 1 && dist->rank == 0)
		tell_moved(&moved, dist->size);
	result = write_groups(study, &groups, err);
	if (result == 0 && dist->rank == 0 && !groups_are_path(&groups, study->found.run))
		tool_warning("critpath",
			     "the longest computations of all groups are less than half of"
			     " the run, so they are no path; --method walk finds it");
	groups_release(&groups);
	return result;
}

static bool finds_groups(void)
{
	return given_method.value == METHOD_GROUPS || given_method.value == METHOD_SHUFFLE;
}

static int path_find(struct study *study, struct error *err)
{
	static struct blocks blocks;

	TRY(study_waits(study, err));
	if (given_threshold.given) {
		TRY(blocks_count(&blocks, study->found.run, ns_of(&given_threshold), study->dist,
				 err));
		study->found.blocks = &blocks;
	}
	TRY(finds_groups() ? find_groups(study, err) : write_path(study, err));
	return check_clocks(&study->found, err);
}

static int check_compression(struct error *err)
{
	if (isnan(given_compression))
		return 0;
	if (given_method.value != METHOD_SHUFFLE)
		return error_set(err, STATUS_USAGE, "--compression is for --method shuffle");
	if (!(given_compression >= 0 && given_compression <= GROUPS_LEVEL_MOST) ||
	    given_compression != (int)given_compression)
		return error_set(err, STATUS_USAGE, "--compression is a whole number from 0 to %d",
				 GROUPS_LEVEL_MOST);
	if (commands_dist() == dist_alone())
		return option_unused("--compression",
				     "one process sends nothing; critpath-mpi does", err);
	return 0;
}

/* Refuse options of other methods. */
static int path_check_options(struct error *err)
{
	TRY(check_compression(err));
	if (given_delta.given && given_method.value != METHOD_DELTA)
		return error_set(err, STATUS_USAGE, "--delta is for --method delta");
	if (given_sync_points.value != SYNC_POINTS_OFF && given_method.value != METHOD_DIJKSTRA &&
	    given_method.value != METHOD_DELTA)
		return error_set(err, STATUS_USAGE,
				 "--splits is for --method dijkstra and --method delta");
	if (given_slice() && finds_groups())
		return error_set(err, STATUS_USAGE,
				 "--from and --to are for --method walk, dijkstra and delta");
	if (given_collectives.value == AS_OBSERVED && finds_groups())
		return error_set(err, STATUS_USAGE,
				 "--collectives observed is for --method walk, dijkstra and delta");
	return 0;
}

static int cmd_path(char **operands, int count, struct error *err)
{
	(void)count;
	TRY(path_check_options(err));
	return with_study(operands[0], given_collectives.value == AS_OBSERVED, path_find, err);
}

static const struct help_entry path_examples[] = {
	{"critpath path llamp-trace-app-42", "the functions, ranks and calls that determined the run"
					     " time"},
	{"critpath path app.trace --format csv", "all segments of the path"},
	{0},
};

const struct command path_command = {
	.name = "path",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "the critical path of the run: where its time went",
	.notes = input_notes,
	.options = path_options,
	.output = &table_output,
	.run = cmd_path,
	.examples = path_examples,
};
