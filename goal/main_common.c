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
