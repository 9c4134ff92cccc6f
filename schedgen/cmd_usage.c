/* schedgen --usage: a synthetic graph from the log of a job. */
#include "schedgen/cmd_usage.h"

#include "common/output.h"
#include "common/progress.h"
#include "schedgen/convert/summary.h"
#include "schedgen/skeleton/skeleton.h"

static const char *log_path;

const struct option_spec cmd_usage_options[] = {
	{"usage", 0, "LOG",
	 "make a synthetic graph from the log of a job (llamp-usage(1)): its calls, spread evenly over its runtime",
	 option_text, &log_path},
	{0},
};

const char *cmd_usage_log(void)
{
	return log_path;
}

static int write_ranks(struct skeleton *skeleton, struct goal_writer *writer, const char *how,
		       struct error *err)
{
	struct pattern *pattern = &skeleton->pattern;

	TRY(goal_writer_calls(writer, &(struct goal_calls_origin){.how = how}, err));
	goal_builder_spill(&pattern->builder, writer);
	for (uint32_t rank = 0; rank < pattern->options.ranks; rank++) {
		TRY(skeleton_rank(skeleton, rank, err));
		TRY(pattern_write_rank(pattern, writer, err));
		progress_show(rank + 1, pattern->options.ranks);
	}
	return 0;
}

static int write_skeleton(struct skeleton *skeleton, const struct command_output *output,
			  const char *how, struct error *err)
{
	const struct pattern *pattern = &skeleton->pattern;
	struct goal_writer writer;

	TRY(goal_writer_open(&writer, output->path, (enum goal_format)output->format,
			     pattern->options.ranks, err));
	if (write_ranks(skeleton, &writer, how, err) < 0) {
		goal_writer_discard(&writer);
		return -1;
	}
	TRY(goal_writer_close(&writer, err));
	summary_print_output(stderr, output->path, pattern->ops, pattern->messages, pattern->bytes);
	return 0;
}

int cmd_usage_run(const struct command_output *output, const struct coll_choice *choices,
		  double reduce_ns_per_byte, const char *how, struct error *err)
{
	struct skeleton skeleton;
	struct job_log log;
	int result;

	TRY(output_note_input(log_path, err));
	TRY(job_log_read(&log, log_path, err));
	if (skeleton_plan(&skeleton, &log, choices, reduce_ns_per_byte, err) < 0) {
		job_log_release(&log);
		return error_prefix(err, "%s", log_path);
	}
	tool_warning(
		"schedgen",
		"%s: the graph is synthetic: calls are spread evenly, and who waited for whom is not known",
		log_path);
	progress_begin("schedgen", log_path);
	result = write_skeleton(&skeleton, output, how, err);
	progress_end();
	skeleton_release(&skeleton);
	job_log_release(&log);
	return result;
}
