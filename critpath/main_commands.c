/*
 * The commands of critpath and critpath-mpi, and what they have in common: options, traces,
 * findings.
 */
#include "common/progress.h"
#include "common/source/source_lines.h"
#include "critpath/commands.h"
#include "critpath/path/trace_quality.h"
#include "critpath/path/members.h"
#include "critpath/path/run_slice.h"
#include "critpath/match/run_sites.h"
#include "critpath/path/members.h"
#include "critpath/match/run_match.h"

const char input_notes[] =
	"ARCHIVE is an OTF2 archive, by its folder or its file traces.otf2, or a trace of liballprof. "
	"Times of the ranks are on one clock, by the offsets that the archive has.";

static const struct output_format commands_formats[] = {
	[REPORT_TEXT] = {"text", ".txt", NULL},
	[REPORT_JSON] = {"json", ".json", NULL},
	[REPORT_CSV] = {"csv", ".csv", NULL},
	[REPORT_SCHEMA] = {"schema", "", NULL},
	{0},
};
struct command_output table_output = {.formats = commands_formats};

const struct command *const critpath_commands[] = {
	&path_command, &waits_command, &imbalance_command, &profile_command, &graph_command,
	&view_command, NULL,
};

static bool strict;

const struct option_spec strict_options[] = {
	{"strict", 0, NULL,
	 "fail if the trace lacks calls, messages, members of collectives or times,"
	 " or if clocks contradict a message",
	 option_flag, &strict},
	{0},
};

static struct slice_edge slice_from, slice_to;

static int option_edge(const char *text, void *target, struct error *err)
{
	return slice_edge_parse(target, text, err);
}

const struct option_spec slice_options[] = {
	{"from", 0, "EDGE",
	 "begin at a time since the run began (1.5s), or when the first rank begins"
	 " a region (region:NAME:NUMBER, by default number 1) or an iteration of the outermost repeated"
	 " pattern of calls (iteration:NUMBER)",
	 option_edge, &slice_from},
	{"to", 0, "EDGE", "end at a time, or when the last rank ends a region or iteration",
	 option_edge, &slice_to},
	{0},
};

bool given_slice(void)
{
	return slice_from.kind || slice_to.kind;
}

enum report_format given_format(void)
{
	return (enum report_format)table_output.format;
}

struct report given_report(const struct output *output)
{
	return (struct report){.stream = output->stream, .format = given_format()};
}

const char *given_output(void)
{
	return table_output.path;
}

/* --------------------------------------------------------------------- findings */

static struct dist *dist;

void commands_share(struct dist *with)
{
	dist = with;
}

struct dist *commands_dist(void)
{
	return dist;
}

bool commands_write(void)
{
	return dist->rank == 0;
}

int commands_agree(int result, struct error *err)
{
	return dist_agree(dist, result, err);
}

int commands_open(struct output *output, struct error *err)
{
	const int opened = commands_write() ? output_open(output, given_output(), err) : 0;
	const int result = commands_agree(opened, err);

	if (result < 0 && opened == 0 && commands_write())
		output_discard(output);
	return result;
}

/* Of the run that is open. */
static struct run_sites sites;
static struct source_lines *lines;

static int find_lines(void *data, const struct string_table *texts, const char **names,
		      struct error *err)
{
	const char *doubt;

	(void)data;
	TRY(source_lines_open(&lines, err));
	for (size_t i = 0; i < texts->starts.count; i++)
		TRY(source_lines_name(lines, texts->starts.items[i], &names[i], err));
	for (size_t i = 0; (doubt = source_lines_doubt(lines, i)); i++)
		tool_warning("critpath", "%s", doubt);
	return 0;
}

static void close_sites(void)
{
	run_sites_release(&sites);
	source_lines_close(lines);
	lines = NULL;
}

static int find_slice(struct measured_run *run, const char *path, struct error *err)
{
	if (!given_slice() || run_slice_find(run, &slice_from, &slice_to, dist, err) == 0)
		return 0;
	return error_prefix(err, "%s", path);
}

int open_run(struct measured_run *run, const char *path, struct error *err)
{
	int result;

	TRY(slice_edges_check(&slice_from, &slice_to, err));
	if (commands_write())
		progress_begin("critpath", "reading the trace");
	result = run_open(run, path, dist, err);
	progress_end();
	if (result < 0)
		return -1;
	if (find_slice(run, path, err) == 0 &&
	    run_sites_find(&sites, run, dist, find_lines, NULL, err) == 0)
		return 0;
	close_sites();
	measured_run_release(run);
	return -1;
}

int no_sites(const char *path, struct error *err)
{
	return error_set(err, STATUS_DATA,
			 "%s: no call sites are recorded; llamp-trace --call-sites does", path);
}

void close_run(struct measured_run *run)
{
	close_sites();
	measured_run_release(run);
}

static int use_walk(const struct findings *found, const struct walk *walk, use_findings *use,
		    struct error *err)
{
	struct findings findings = *found;
	struct totals totals;
	int result;

	TRY(totals_find(&totals, found->waits, walk, dist, err));
	findings.walk = walk;
	findings.totals = &totals;
	result = use(&findings, err);
	totals_release(&totals);
	return result;
}

static int use_waits(const struct findings *found, use_findings *use, struct error *err)
{
	struct walk walk;
	int result;

	TRY(walk_find(&walk, found->waits, dist, err));
	run_slice_cut(&walk, found->run);
	result = use_walk(found, &walk, use, err);
	walk_release(&walk);
	return result;
}

static int find_waits(struct waits *waits, const struct measured_run *run, bool observed,
		      struct error *err)
{
	TRY(waits_find(waits, run, dist, err));
	if (!observed || members_wait(waits, true, dist, err) == 0)
		return 0;
	waits_release(waits);
	return -1;
}

/* With --strict, refuse a run that is not complete. */
static int check_complete(const struct measured_run *run, const char *path, struct error *err)
{
	struct trace_quality quality = trace_quality_of(run);

	/* All but the gaps are of all ranks. */
	TRY(dist_allreduce(dist, &quality.gaps, 1, DIST_SUM, err));
	if (!strict || trace_quality_refuse(&quality, err) == 0)
		return 0;
	return error_prefix(err, "%s", path);
}

int check_clocks(const struct findings *findings, struct error *err)
{
	if (trace_quality_check_clocks(findings->run, err) == 0)
		return 0;
	return error_prefix(err, "%s", findings->path);
}

struct wanted {
	bool path, observed;
};

static int commands_find(const char *path, struct wanted wanted, use_findings *use,
			 struct error *err)
{
	struct measured_run run;
	struct waits waits;
	int result;

	TRY(open_run(&run, path, err));
	result = check_complete(&run, path, err);
	if (result == 0)
		result = find_waits(&waits, &run, wanted.observed, err);
	if (result == 0) {
		const struct findings found = {.path = path, .run = &run, .waits = &waits};

		result = wanted.path ? use_waits(&found, use, err) : use(&found, err);
		waits_release(&waits);
	}
	close_run(&run);
	return result;
}

int with_waits(const char *path, use_findings *use, struct error *err)
{
	return commands_find(path, (struct wanted){0}, use, err);
}

int with_observed_waits(const char *path, use_findings *use, struct error *err)
{
	return commands_find(path, (struct wanted){.observed = true}, use, err);
}

int with_totals(const char *path, use_findings *use, struct error *err)
{
	return commands_find(path, (struct wanted){.path = true}, use, err);
}
