/* Command goal info: the size of a graph. */
#include "common/json.h"
#include "common/output.h"
#include "common/text.h"
#include "goal/cmd.h"
#include "goal/counts.h"

#include <stdio.h>

struct line {
	const char *key, *unit;
	uint64_t value;
};

static void info_print_text(FILE *stream, const char *path, const struct line *lines,
			    size_t count)
{
	(void)path;
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "%-12s %llu\n", lines[i].key, (unsigned long long)lines[i].value);
}

static void info_print_json(FILE *stream, const char *path, const struct line *lines,
			    size_t count)
{
	struct json json = {.stream = stream};

	(void)path;
	json_begin(&json, NULL, '{', JSON_LINES);
	for (size_t i = 0; i < count; i++)
		json_integer(&json, lines[i].key, lines[i].value);
	json_end(&json);
}

static void info_print_csv(FILE *stream, const char *path, const struct line *lines,
			    size_t count)
{
	fprintf(stream, "file,quantity,unit,value\n");
	for (size_t i = 0; i < count; i++) {
		text_print_csv(stream, path);
		fprintf(stream, ",%s,%s,%llu\n", lines[i].key, lines[i].unit,
		       (unsigned long long)lines[i].value);
	}
}

static int cmd_info(char **operands, int operand_count, struct error *err)
{
	static void (*const print[])(FILE *stream, const char *path, const struct line *lines,
				     size_t count) = {
		[FORMAT_TEXT] = info_print_text,
		[FORMAT_JSON] = info_print_json,
		[FORMAT_CSV] = info_print_csv,
	};
	struct goal_counts counts = {0};
	struct output output;
	struct goal goal;
	int result = 0;

	(void)operand_count;
	TRY(open_graph(&goal, operands[0], err));
	for (uint32_t rank = 0; rank < goal.rank_count && result == 0; rank++)
		result = goal_count(&counts, &goal.ranks[rank], err);
	if (result < 0)
		error_prefix(err, "%s", operands[0]);
	else
		result = output_open(&output, print_output.path, err);
	if (result == 0) {
		const struct line lines[] = {
			{"ranks", "1", goal.rank_count},
			{"operations", "1", counts.operations},
			{"sends", "1", counts.sends},
			{"recvs", "1", counts.recvs},
			{"calcs", "1", counts.calcs},
			{"dependencies", "1", counts.dependencies},
			{"bytes", "B", counts.bytes},
		};

		print[print_output.format](output.stream, operands[0], lines,
				    sizeof lines / sizeof *lines);
		result = output_commit(&output, err);
	}
	goal_release(&goal);
	return result;
}

static const struct help_entry info_examples[] = {
	{"goal info app.bin --format json", "the size of a graph for programs to read"},
	{0},
};

static const struct option_spec *const info_options[] = {NULL};

const struct command info_command = {
	.name = "info", .operands = "FILE", .least_operands = 1, .most_operands = 1,
	.summary = "print the size of a graph: ranks, operations, dependencies, bytes",
	.notes = FILE_NOTES " bytes is the sum over all sends.",
	.options = info_options, .output = &print_output, .run = cmd_info, .examples = info_examples,
};
