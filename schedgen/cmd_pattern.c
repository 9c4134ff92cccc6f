/* schedgen --pattern: graphs without a trace. */
#include "schedgen/cmd_pattern.h"

#include "common/progress.h"
#include "common/table.h"
#include "common/units.h"
#include "common/version.h"
#include "schedgen/pattern/pattern.h"
#include "schedgen/progress/progress_table.h"
#include "schedgen/convert/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct count {
	uint64_t value;
	bool given;
};

static struct {
	const char *pattern;
	struct count ranks, bytes, iterations, seed;
	struct {
		uint64_t ns;
		double jitter;
		const char *text;
		bool given;
	} compute;
} given = {.bytes.value = 8, .iterations.value = 1};

static int option_positive(const char *text, void *target, struct error *err)
{
	struct count *count = target;

	count->given = true;
	return parse_count(text, 1, UINT32_MAX, &count->value, err);
}

/* Too many ranks exceed a limit, which pattern_open reports. */
static int option_ranks(const char *text, void *target, struct error *err)
{
	struct count *count = target;
	struct error ignored;

	count->given = true;
	if (parse_count(text, 1, UINT32_MAX, &count->value, &ignored) == 0)
		return 0;
	return parse_count(text, 1, PATTERN_MOST_RANKS, &count->value, err);
}

static int option_seed(const char *text, void *target, struct error *err)
{
	struct count *count = target;

	count->given = true;
	return parse_count(text, 0, UINT64_MAX, &count->value, err);
}

static int option_bytes(const char *text, void *target, struct error *err)
{
	struct count *count = target;

	count->given = true;
	return parse_bytes(text, &count->value, err);
}

/* Read "100us" or "100us:10%". */
static int option_compute(const char *text, void *target, struct error *err)
{
	const size_t length = strcspn(text, ":");
	char time[64], percent[64];
	double jitter = 0;
	int64_t as;

	(void)target;
	if (length >= sizeof time || strlen(text) - length >= sizeof percent)
		return error_set(err, STATUS_USAGE, "'%s' is too long", text);
	memcpy(time, text, length);
	time[length] = '\0';
	TRY(parse_time_as(time, &as, err));
	if (text[length]) {
		const size_t digits = strlen(text + length + 1);

		if (!digits || text[length + digits] != '%')
			return error_set(err, STATUS_USAGE,
					 "'%s': after ':' a percentage is expected, as in"
					 " 100us:10%%",
					 text);
		memcpy(percent, text + length + 1, digits - 1);
		percent[digits - 1] = '\0';
		TRY(parse_number(percent, &jitter, err));
		if (jitter < 0 || jitter > 100)
			return error_set(err, STATUS_USAGE, "'%s': the jitter is 0%% to 100%%",
					 text);
	}
	given.compute.ns = ((uint64_t)as + AS_PER_NS / 2) / AS_PER_NS;
	given.compute.jitter = jitter / 100;
	given.compute.text = text;
	given.compute.given = true;
	return 0;
}

const struct option_spec cmd_pattern_options[] = {
	{"pattern", 0, "NAME",
	 "make a synthetic pattern instead of reading an archive; help: list "
	 "the patterns",
	 option_text, &given.pattern},
	{"ranks", 0, "P", "number of ranks of the pattern", option_ranks, &given.ranks},
	{"bytes", 0, "N", "size of the messages, vectors or blocks of the pattern (default 8)",
	 option_bytes, &given.bytes},
	{"iterations", 0, "I", "number of iterations of the pattern (default 1)", option_positive,
	 &given.iterations},
	{"compute", 0, "T[:PERCENT%]",
	 "computation in each iteration of the pattern, with a random "
	 "deviation of up to PERCENT (default 0)",
	 option_compute, NULL},
	{"seed", 0, "N", "random seed of the pattern (default 0)", option_seed, &given.seed},
	{0},
};

int cmd_pattern_given(bool *is_given, struct error *err)
{
	*is_given = given.pattern != NULL;
	if (!given.pattern && (given.ranks.given || given.bytes.given || given.iterations.given ||
			       given.compute.given || given.seed.given))
		return error_set(err, STATUS_USAGE,
				 "--ranks, --bytes, --iterations, --compute and --seed belong to "
				 "--pattern");
	return 0;
}

static void pattern_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const size_t algorithms = *(const size_t *)data;
	const struct coll_algorithm *algorithm = &coll_algorithms[number];
	const struct pattern_kind *kind = &pattern_kinds[number - algorithms];
	char parameters[128];

	if (number >= algorithms) {
		snprintf(cells[0], TABLE_CELL_BYTES, "%s", kind->name);
		snprintf(cells[1], TABLE_CELL_BYTES, "%s%s%s", kind->help,
			 kind->settings ? "; settings after ':', " : "",
			 kind->settings ? kind->settings : "");
		return;
	}
	coll_list_parameters(algorithm, parameters, sizeof parameters);
	snprintf(cells[0], TABLE_CELL_BYTES, "%s=%s", coll_name(algorithm->kind), algorithm->name);
	snprintf(cells[1], TABLE_CELL_BYTES, "%s%s%s", algorithm->help,
		 *parameters ? "; parameters after ':', " : "", parameters);
}

bool cmd_pattern_is_given(void)
{
	return given.pattern;
}

bool cmd_pattern_has_chance(void)
{
	return !given.pattern || given.compute.jitter > 0 || pattern_is_random(given.pattern);
}

bool cmd_pattern_reduces(void)
{
	return !given.pattern || pattern_reduces(given.pattern);
}

bool cmd_pattern_overlaps(void)
{
	return given.pattern && pattern_overlaps(given.pattern);
}

bool cmd_pattern_has_bytes(void)
{
	return !given.pattern || strncmp(given.pattern, "barrier=", 8) != 0;
}

bool cmd_pattern_lists(void)
{
	return given.pattern && !strcmp(given.pattern, "help");
}

static void list_patterns(void)
{
	static const struct table_column columns[] = {{NULL, TABLE_LEFT, 0}, {NULL, TABLE_LEFT, 0}};
	size_t algorithms = 0, kinds = 0;

	while (coll_algorithms[algorithms].name)
		algorithms++;
	while (pattern_kinds[kinds].name)
		kinds++;
	table_print(stdout, columns, 2, algorithms + kinds, pattern_row, &algorithms);
}

/* Write the options that shape the graph. */
static void cmd_pattern_print_how(FILE *stream, double reduce_ns_per_byte,
				  const struct progress_table *progress)
{
	fprintf(stream, "schedgen %s --pattern %s --ranks %" PRIu64, PROJECT_VERSION, given.pattern,
		given.ranks.value);
	if (given.bytes.given)
		fprintf(stream, " --bytes %" PRIu64, given.bytes.value);
	if (given.iterations.given)
		fprintf(stream, " --iterations %" PRIu64, given.iterations.value);
	if (given.compute.given)
		fprintf(stream, " --compute %s", given.compute.text);
	if (given.seed.given)
		fprintf(stream, " --seed %" PRIu64, given.seed.value);
	if (progress)
		progress_table_print(progress, stream);
	if (reduce_ns_per_byte > 0)
		fprintf(stream, " --reduce-cost %.15g", reduce_ns_per_byte);
}

static int begin_calls(struct goal_writer *writer, const struct pattern_options *options,
		       struct error *err)
{
	char *how = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&how, &bytes);
	int result;

	if (!stream)
		return error_set_memory(err, 1);
	cmd_pattern_print_how(stream, options->reduce_ns_per_byte, options->progress);
	fclose(stream);
	result = goal_writer_calls(writer, &(struct goal_calls_origin){.how = how}, err);
	free(how);
	return result;
}

static int write_pattern(struct pattern *pattern, const struct command_output *output,
			 struct error *err)
{
	struct goal_writer writer;

	TRY(goal_writer_open(&writer, output->path, (enum goal_format)output->format,
			     pattern->options.ranks, err));
	if (begin_calls(&writer, &pattern->options, err) < 0) {
		goal_writer_discard(&writer);
		return -1;
	}
	goal_builder_spill(&pattern->builder, &writer);
	for (uint32_t rank = 0; rank < pattern->options.ranks; rank++) {
		if (pattern_rank(pattern, rank, err) < 0 ||
		    pattern_write_rank(pattern, &writer, err) < 0) {
			goal_writer_discard(&writer);
			return -1;
		}
		progress_show(rank + 1, pattern->options.ranks);
	}
	return goal_writer_close(&writer, err);
}

int cmd_pattern_run(const struct command_output *output, double reduce_ns_per_byte,
		    const struct progress_table *progress, struct error *err)
{
	const struct pattern_options options = {
		.ranks = (uint32_t)given.ranks.value,
		.bytes = given.bytes.value,
		.iterations = (uint32_t)given.iterations.value,
		.compute_ns = given.compute.ns,
		.jitter = given.compute.jitter,
		.seed = given.seed.value,
		.reduce_ns_per_byte = reduce_ns_per_byte,
		.progress = progress,
	};
	struct pattern pattern;
	int result;

	if (cmd_pattern_lists()) {
		list_patterns();
		return 0;
	}
	if (!given.ranks.given)
		return error_set(err, STATUS_USAGE, "--ranks P is missing: how large a pattern");
	progress_begin("schedgen", given.pattern);
	result = pattern_open(&pattern, given.pattern, &options, err);
	if (result == 0)
		result = write_pattern(&pattern, output, err);
	progress_end();
	if (result == 0)
		summary_print_output(stderr, output->path, pattern.ops, pattern.messages,
				     pattern.bytes);
	pattern_release(&pattern);
	return result;
}
