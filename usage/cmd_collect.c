/* Command llamp-usage collect: logs of jobs that ended without one. */
#include "common/output.h"
#include "common/text.h"
#include "usage/commands.h"
#include "usage/log/collect.h"
#include "usage/log/node_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *logs;

static const struct option_spec collect_own_options[] = {
	{"output", 'o', "DIR",
	 "write the logs into DIR, the directory of logs (default: LLAMP_USAGE_DIR)", option_text,
	 &logs},
	{0},
};

static void print_collected(const struct collected *it, const char *directory)
{
	char job[80], step[80], log[PATH_MAX];

	if (!it->log)
		return;
	printf("%s.%s: %s, %lu of %lu rank%s: %s/%s\n",
	       text_show(it->job && *it->job ? it->job : "nojob", job, sizeof job),
	       text_show(it->step && *it->step ? it->step : "0", step, sizeof step),
	       job_end_names[it->end], (unsigned long)it->ranks_seen, (unsigned long)it->ranks,
	       it->ranks == 1 ? "" : "s", directory, text_show(it->log, log, sizeof log));
}

static int collect_from_all(struct collection *collection, char **directories, int count,
			    struct error *err)
{
	const struct collect_options how = {.logs = logs, .own = geteuid() != 0};
	int result = 0;

	for (int i = 0; i < count && result == 0; i++)
		result = collect(collection, directories[i], &how, err);
	return count > 0 ? result : collect_list(collection, node_file_directories(), &how, err);
}

static int cmd_collect(char **operands, int operand_count, struct error *err)
{
	struct collection collection = {0};
	int result;

	if (!logs)
		logs = getenv("LLAMP_USAGE_DIR");
	if (!logs || !*logs)
		return error_set(err, STATUS_USAGE,
				 "name the directory of logs: -o DIR, or LLAMP_USAGE_DIR");
	result = collect_from_all(&collection, operands, operand_count, err);
	for (size_t i = 0; i < collection.files.count; i++) {
		print_collected(&collection.files.items[i], logs);
		if (collection.files.items[i].problem)
			tool_warning("llamp-usage", "%s", collection.files.items[i].problem);
	}
	if (result == 0 && collection.problems > 0)
		result = error_set(err, STATUS_DATA, "%lu of %zu node files became no log",
				   (unsigned long)collection.problems, collection.files.count);
	collection_release(&collection);
	return result;
}

static const struct help_entry collect_examples[] = {
	{"llamp-usage collect -o /logs/usage || :",
	 "in the epilog of the scheduler: make logs of the job's processes that were killed here"},
	{"llamp-usage collect -o /logs/usage /dev/shm /scratch/usage",
	 "collect from these directories"},
	{0},
};

static const struct help_entry collect_files[] = {
	{"DIR/llamp-usage-JOB.STEP-START.node",
	 "what the processes of a job on this node have counted so far; removed when the log is written"},
	{0},
};

static const struct option_spec *const collect_options[] = {collect_own_options, NULL};

const struct command collect_command = {
	.name = "collect",
	.operands = "[DIR]...",
	.most_operands = -1,
	.summary = "make logs of jobs that were killed, or ended without MPI_Finalize",
	.notes =
		"While a job runs, each node has a file of what its processes have counted, in the first of the "
		"directories of LLAMP_USAGE_PARTIAL (default /dev/shm:/var/tmp) that can be written. It vanishes in "
		"MPI_Finalize. `collect` makes a log of each file that was left over, of the ranks on its node, and removes "
		"the file; DIR is where it looks, by default those directories. Files of jobs that run are not "
		"touched, several `collect` at once do no harm, and root gives each log to its job's user; other "
		"users collect their own files.\n\n"
		"It prints a line for each log. Files that it cannot read stay, and the exit status is 1.",
	.options = collect_options,
	.run = cmd_collect,
	.examples = collect_examples,
	.files = collect_files,
};
