/* Helpers of the sub-commands of `goal`. */
#include "goal/commands.h"

#include "common/progress.h"
#include "common/report/report.h"

static const struct output_format print_formats[] = {REPORT_FORMATS, {0}};
struct command_output print_output = {.formats = print_formats};

int open_graph(struct goal *goal, const char *path, struct error *err)
{
	int result;

	progress_begin("goal", "reading the graph");
	result = goal_open(goal, path, err);
	progress_end();
	return result;
}

struct command_output change_output = {
	.formats = goal_output_formats,
	.required = "FILE.bin for a binary graph, FILE.goal for text",
};

static int open_calls(struct goal_calls *calls, const struct goal *goal, const char *path,
		      struct error *err)
{
	const int found = goal_calls_open(calls, goal, path, err);

	if (found == 1)
		return error_set(
			err, STATUS_DATA,
			"%s has no file %s.calls beside it, so its calls are not known; schedgen writes both",
			path, path);
	return found;
}

static int write_with(const struct goal *goal, const struct goal_calls *calls, graph_change *change,
		      struct error *err)
{
	struct source_lines *lines = NULL;
	struct goal_writer writer;
	int result;

	TRY(goal_writer_open(&writer, change_output.path, (enum goal_format)change_output.format,
			     goal->rank_count, err));
	result = calls->origin.sites ? source_lines_open(&lines, err) : 0;
	if (result == 0)
		result = change(goal, calls, lines, &writer, err);
	source_lines_close(lines);
	if (result == 0)
		return goal_writer_close(&writer, err);
	goal_writer_discard(&writer);
	return -1;
}

int write_changed(const char *path, graph_change *change, struct error *err)
{
	struct goal goal;
	struct goal_calls calls;
	int result;

	TRY(goal_declare_calls(change_output.path, err));
	TRY(open_graph(&goal, path, err));
	result = open_calls(&calls, &goal, path, err);
	if (result == 0) {
		result = write_with(&goal, &calls, change, err);
		goal_calls_release(&calls);
	}
	goal_release(&goal);
	return result;
}
