/* Helpers of the sub-commands of `eventflow`. */
#include "eventflow/commands.h"

#include "common/units.h"
#include "trace/flow/recover/flow_backend.h"

static const struct output_format print_formats[] = {REPORT_FORMATS, {0}};
struct command_output print_output = {.formats = print_formats};

static const struct output_format picture_formats[] = {
	REPORT_FORMATS, [REPORT_FORMATS_END] = {"svg", ".svg", "a picture"}, {0}};
struct command_output picture_output = {.formats = picture_formats};

static struct {
	bool given;
	uint64_t rank;
} only;

static int option_rank(const char *text, void *target, struct error *err)
{
	(void)target;
	only.given = true;
	return parse_count(text, 0, UINT32_MAX - 1, &only.rank, err);
}

const struct option_spec rank_options[] = {
	{"rank", 0, "RANK", "only this rank", option_rank, &only},
	{0},
};

static uint64_t given_thread;

static int option_thread(const char *text, void *target, struct error *err)
{
	return parse_count(text, 0, UINT32_MAX - 1, target, err);
}

const struct option_spec thread_options[] = {
	{"thread", 0, "NUMBER", "this thread of the rank (0, by default)", option_thread,
	 &given_thread},
	{0},
};

int commands_given_thread(const struct flow_rank *rank, uint32_t *thread, struct error *err)
{
	*thread = (uint32_t)given_thread;
	if (given_thread < rank->threads.count)
		return 0;
	return error_set(err, STATUS_USAGE, "--thread %llu: the rank has %zu threads",
			 (unsigned long long)given_thread, rank->threads.count);
}

int commands_given_rank(const struct flow *flow, uint32_t *rank, struct error *err)
{
	*rank = UINT32_MAX;
	if (!only.given)
		return 0;
	*rank = (uint32_t)only.rank;
	if (only.rank < flow->world.rank_count)
		return 0;
	return error_set(err, STATUS_USAGE, "--rank %llu: there are %u ranks",
			 (unsigned long long)only.rank, flow->world.rank_count);
}

int commands_open_flow_with(struct flow **flow, const char *path, enum flow_times times,
			    struct error *err)
{
	const struct flow_options options = {.times = times, .level = FLOW_BY_SITE};

	char file[4096];

	TRY(output_note_input(path, err));
	if (flow_find(path, file))
		return flow_read(flow, file, err);
	return commands_build(flow, path, &options, err);
}

int commands_open_flow(struct flow **flow, const char *path, struct error *err)
{
	return commands_open_flow_with(flow, path, FLOW_TIMES_STATS, err);
}

static void print_report(FILE *stream, int format, const char *file, const char *rows,
			 commands_write *write, const void *data)
{
	write(&(struct report){.stream = stream,
			       .file = file,
			       .format = (enum report_format)format,
			       .label_width = sizeof "compression",
			       .rows = rows},
	      data);
}

int commands_print(const char *file, const char *rows, commands_write *write, const void *data,
		   struct error *err)
{
	struct output output;

	TRY(output_open(&output, print_output.path, err));
	print_report(output.stream, print_output.format, file, rows, write, data);
	return output_commit(&output, err);
}

int commands_print_or_draw(const char *file, const char *rows, commands_write *write,
			   commands_picture *draw, const void *data, struct error *err)
{
	struct output output;

	TRY(output_open(&output, picture_output.path, err));
	if (picture_output.format != REPORT_FORMATS_END) {
		print_report(output.stream, picture_output.format, file, rows, write, data);
	} else if (draw(&(struct svg){.stream = output.stream,
				      .place = SVG_FILE,
				      .width = SVG_WIDE_PX},
			data, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}
