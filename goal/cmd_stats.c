/* Command goal stats: how the work is spread over ranks, and the sizes of messages. */
#include "common/array.h"
#include "common/output.h"
#include "common/report/report.h"
#include "common/text.h"
#include "common/units.h"
#include "goal/commands.h"
#include "goal/counts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool by_rank;

static const struct option_spec stats_own_options[] = {
	{"by-rank", 0, NULL, "print the work of every rank, too", option_flag, &by_rank},
	{0},
};

/* Quantities of a rank. */
static const struct {
	const char *name, *unit;
	size_t place;
} quantities[] = {
	{"operations", "1", offsetof(struct goal_counts, operations)},
	{"sends", "1", offsetof(struct goal_counts, sends)},
	{"recvs", "1", offsetof(struct goal_counts, recvs)},
	{"calcs", "1", offsetof(struct goal_counts, calcs)},
	{"dependencies", "1", offsetof(struct goal_counts, dependencies)},
	{"bytes", "B", offsetof(struct goal_counts, bytes)},
	{"compute", "ns", offsetof(struct goal_counts, calc_ns)},
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities, COMPUTE = QUANTITIES - 1 };

static uint64_t count_of(const struct goal_counts *counts, int quantity)
{
	uint64_t value;

	memcpy(&value, (const char *)counts + quantities[quantity].place, sizeof value);
	return value;
}

/*
 * Spread of a quantity over the ranks.  Of n values in ascending order, numbered from 0, the
 * quartile k is number (n - 1) k / 4, rounded down: minimum, quarter, median, three quarters,
 * maximum.
 */
struct spread {
	uint64_t total, quartiles[5];
	double mean;
	uint32_t most_rank;		/* the first rank with the largest value */
};

static const char *const quartile_names[] = {"min", "p25", "median", "p75", "max"};
enum { QUARTILES = 5, LARGEST = QUARTILES - 1 };

struct stats {
	const char *path;
	uint32_t rank_count;
	struct goal_counts *ranks;
	struct spread spreads[QUANTITIES];
	struct goal_size_class classes[GOAL_SIZE_CLASSES];
	int first_class, class_count;	/* from the smallest to the largest message */
};

static int by_value(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static void find_spread(struct stats *stats, int quantity, uint64_t *values)
{
	struct spread *spread = &stats->spreads[quantity];

	for (uint32_t rank = 0; rank < stats->rank_count; rank++) {
		values[rank] = count_of(&stats->ranks[rank], quantity);
		spread->total += values[rank];
		if (values[rank] > values[spread->most_rank])
			spread->most_rank = rank;
	}
	qsort(values, stats->rank_count, sizeof *values, by_value);
	for (uint64_t k = 0; k < QUARTILES; k++)
		spread->quartiles[k] = values[(stats->rank_count - 1) * k / LARGEST];
	spread->mean = (double)spread->total / stats->rank_count;
}

static void find_classes(struct stats *stats)
{
	int end = GOAL_SIZE_CLASSES;

	while (end > 0 && !stats->classes[end - 1].messages)
		end--;
	while (stats->first_class < end && !stats->classes[stats->first_class].messages)
		stats->first_class++;
	stats->class_count = end - stats->first_class;
}

static int count_ranks(struct stats *stats, const struct goal *goal, struct error *err)
{
	struct goal_counts total = {0};
	uint64_t *values;

	TRY(allocate(&stats->ranks, goal->rank_count, sizeof *stats->ranks, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		TRY(goal_count(&total, &goal->ranks[rank], err));
		TRY(goal_count(&stats->ranks[rank], &goal->ranks[rank], err));
		goal_count_sizes(stats->classes, &goal->ranks[rank]);
	}
	TRY(allocate(&values, goal->rank_count, sizeof *values, err));
	for (int quantity = 0; quantity < QUANTITIES; quantity++)
		find_spread(stats, quantity, values);
	free(values);
	find_classes(stats);
	return 0;
}

/* Sizes of the messages of a class, in bytes. */
static uint64_t class_from(int class)
{
	return class ? UINT64_C(1) << (class - 1) : 0;
}

static uint64_t class_to(int class)
{
	return class ? class_from(class) + (class_from(class) - 1) : 0;
}

/* ------------------------------------------------------------------ spread */

/* In text compute is a time, and all else are numbers. */
#define SPREAD(name, meaning_of_it)                                                             \
	{NULL, name, VALUE_NAME, .right = true},                                                \
	{name, NULL, VALUE_COUNT, .meaning = meaning_of_it}

static const struct report_field spread_fields[] = {
	{NULL, "", .kind = VALUE_NAME},
	SPREAD("total", NULL),
	{NULL, "mean", VALUE_NAME, .right = true},
	{"mean", NULL, .kind = VALUE_NUMBER},
	SPREAD("min", NULL),
	{"p25", NULL, VALUE_COUNT,
	 .meaning = "Number (n - 1) / 4, rounded down, of the values of n ranks in ascending order, from 0"},
	SPREAD("median", "Number (n - 1) / 2"),
	{"p75", NULL, VALUE_COUNT, .meaning = "Number 3 (n - 1) / 4"},
	SPREAD("max", NULL),
	{"max_rank", "of rank", VALUE_COUNT, .meaning = "First rank that has max"},
	{0},
};

static const char *show_value(int quantity, double value, char text[UNIT_TEXT_BYTES])
{
	if (quantity == COMPUTE)
		return format_time(value, 4, text);
	snprintf(text, UNIT_TEXT_BYTES, "%.*f", value == (double)(uint64_t)value ? 0 : 1, value);
	return text;
}

static void put_integer(struct report_row *row, int quantity, uint64_t value)
{
	char text[UNIT_TEXT_BYTES];

	if (quantity == COMPUTE)
		format_time((double)value, 4, text);
	else
		snprintf(text, sizeof text, "%" PRIu64, value);
	put_name(row, text);
	put_count(row, value);
}

static void spread_row(struct report_row *row, const void *data, size_t number)
{
	const struct spread *spread = &((const struct stats *)data)->spreads[number];
	const int quantity = (int)number;
	char mean[UNIT_TEXT_BYTES];

	put_name(row, quantities[number].name);
	put_integer(row, quantity, spread->total);
	put_name(row, show_value(quantity, spread->mean, mean));
	put_number(row, spread->mean);
	put_integer(row, quantity, spread->quartiles[0]);
	put_count(row, spread->quartiles[1]);
	put_integer(row, quantity, spread->quartiles[2]);
	put_count(row, spread->quartiles[3]);
	put_integer(row, quantity, spread->quartiles[LARGEST]);
	put_count(row, spread->most_rank);
}

/* ------------------------------------------------------- ranks and messages */

static const struct report_field stats_rank_fields[] = {
	{"rank", "rank", .kind = VALUE_COUNT},
	{"operations", "operations", .kind = VALUE_COUNT},
	{"sends", "sends", .kind = VALUE_COUNT},
	{"recvs", "recvs", .kind = VALUE_COUNT},
	{"calcs", "calcs", .kind = VALUE_COUNT},
	{"dependencies", "dependencies", .kind = VALUE_COUNT},
	{"bytes", "bytes", VALUE_COUNT, .meaning = "Bytes that are sent"},
	{"compute_ns", "compute", .kind = VALUE_TIME},
	{0},
};

static void stats_rank_row(struct report_row *row, const void *data, size_t number)
{
	put_count(row, number);
	for (int quantity = 0; quantity < QUANTITIES; quantity++)
		put_count(row, count_of(&((const struct stats *)data)->ranks[number], quantity));
}

static const struct report_field class_fields[] = {
	{"from_bytes", "bytes from", VALUE_COUNT, .meaning = "Smallest message of the class"},
	{"to_bytes", "to", VALUE_COUNT, .width = 10, .meaning = "Largest message of the class"},
	{"messages", "messages", VALUE_COUNT, .width = 10},
	{"bytes", "bytes", VALUE_COUNT, .width = 10},
	{0},
};

static void class_row(struct report_row *row, const void *data, size_t number)
{
	const struct stats *stats = data;
	const int class = stats->first_class + (int)number;

	put_count(row, class_from(class));
	put_count(row, class_to(class));
	put_count(row, stats->classes[class].messages);
	put_count(row, stats->classes[class].bytes);
}

/* --------------------------------------------------------------------- CSV */

static void print_spread_csv(FILE *stream, const struct stats *stats, int quantity)
{
	const struct spread *spread = &stats->spreads[quantity];
	const char *name = quantities[quantity].name, *unit = quantities[quantity].unit;
	char mean[NUMBER_TEXT_BYTES];

	text_print_csv(stream, stats->path);
	fprintf(stream, ",,,,%s,total,%s,%" PRIu64 "\n", name, unit, spread->total);
	text_print_csv(stream, stats->path);
	fprintf(stream, ",,,,%s,mean,%s,%s\n", name, unit, number_text(spread->mean, mean));
	for (int k = 0; k < QUARTILES; k++) {
		text_print_csv(stream, stats->path);
		if (k == LARGEST)
			fprintf(stream, ",%u", spread->most_rank);
		else
			putc(',', stream);
		fprintf(stream, ",,,%s,%s,%s,%" PRIu64 "\n", name, quartile_names[k], unit,
		       spread->quartiles[k]);
	}
}

static void stats_print_csv(FILE *stream, const struct stats *stats)
{
	fprintf(stream, "file,rank,from_bytes,to_bytes,quantity,statistic,unit,value\n");
	for (int quantity = 0; quantity < QUANTITIES; quantity++)
		print_spread_csv(stream, stats, quantity);
	for (uint32_t rank = 0; by_rank && rank < stats->rank_count; rank++) {
		for (int i = 0; i < QUANTITIES; i++) {
			text_print_csv(stream, stats->path);
			fprintf(stream, ",%u,,,%s,,%s,%" PRIu64 "\n", rank, quantities[i].name,
			       quantities[i].unit, count_of(&stats->ranks[rank], i));
		}
	}
	for (int i = 0; i < stats->class_count; i++) {
		const int class = stats->first_class + i;
		const uint64_t from = class_from(class), to = class_to(class);

		text_print_csv(stream, stats->path);
		fprintf(stream, ",,%" PRIu64 ",%" PRIu64 ",messages,,1,%" PRIu64 "\n", from, to,
		       stats->classes[class].messages);
		text_print_csv(stream, stats->path);
		fprintf(stream, ",,%" PRIu64 ",%" PRIu64 ",bytes,,B,%" PRIu64 "\n", from, to,
		       stats->classes[class].bytes);
	}
}

/* ------------------------------------------------------------------ report */

static const struct report_field stats_fact_fields[] = {
	{"file", NULL, .kind = VALUE_NAME},
	{"ranks", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE},
	{0},
};

static void stats_fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct stats *stats = data;

	(void)number;
	put_name(row, stats->path);
	put_count(row, stats->rank_count);
}

static void stats_report(struct report *report, const struct stats *stats)
{
	static const char *const keys[QUANTITIES + 1] = {
		"operations", "sends", "recvs", "calcs", "dependencies", "bytes", "compute_ns", NULL};

	report_begin(report, "goal-stats-1");
	report_facts(report, &(struct report_facts){.fields = stats_fact_fields,
						    .row = stats_fact_row,
						    .data = stats});
	if (report->format == REPORT_TEXT)
		fprintf(report->stream, "%u rank%s\n", stats->rank_count, plural(stats->rank_count));
	report_table(report, &(struct report_table){
		"spread", .meaning = "Values of the ranks; bytes are those sent", .members = keys,
		.fields = spread_fields, .row = spread_row, .data = stats, .count = QUANTITIES});
	if (by_rank || report->format == REPORT_SCHEMA)
		report_table(report, &(struct report_table){"by_rank", .optional = true,
							    .meaning = "With --by-rank",
							    .fields = stats_rank_fields,
							    .row = stats_rank_row, .data = stats,
							    .count = stats->rank_count});
	report_table(report, &(struct report_table){
		"messages", .meaning = "Classes of messages by their sizes, from the smallest to the largest",
		.fields = class_fields, .row = class_row, .data = stats,
		.count = (size_t)stats->class_count});
	report_end(report);
}

static int cmd_stats(char **operands, int operand_count, struct error *err)
{
	struct stats stats = {.path = operands[0]};
	struct output output;
	struct goal goal;
	int result;

	(void)operand_count;
	TRY(open_graph(&goal, operands[0], err));
	stats.rank_count = goal.rank_count;
	result = count_ranks(&stats, &goal, err);
	if (result < 0)
		error_prefix(err, "%s", operands[0]);
	else
		result = output_open(&output, print_output.path, err);
	if (result == 0) {
		struct report report = {.stream = output.stream,
					.format = (enum report_format)print_output.format};

		if (report.format == REPORT_CSV)
			stats_print_csv(output.stream, &stats);
		else
			stats_report(&report, &stats);
		result = output_commit(&output, err);
	}
	free(stats.ranks);
	goal_release(&goal);
	return result;
}

static const struct help_entry stats_examples[] = {
	{"goal stats app.bin", "how the work is spread over the ranks"},
	{"goal stats app.bin --by-rank --format csv", "the work of every rank, one fact a line"},
	{0},
};

static const struct option_spec *const stats_options[] = {stats_own_options, NULL};

const struct command stats_command = {
	.name = "stats", .operands = "FILE", .least_operands = 1, .most_operands = 1,
	.summary = "print how the work is spread over ranks, and message sizes",
	.notes = FILE_NOTES " bytes are those sent; compute is the sum of the calcs. JSON "
		 "and CSV have quartiles, too.",
	.options = stats_options, .output = &print_output, .run = cmd_stats, .examples = stats_examples,
};
