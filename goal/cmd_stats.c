/* Command goal stats: how the work is spread over ranks, and the sizes of messages. */
#include "common/array.h"
#include "common/json.h"
#include "common/output.h"
#include "common/table.h"
#include "common/text.h"
#include "common/units.h"
#include "goal/cmd.h"
#include "goal/counts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool by_rank;

static const struct option_spec options[] = {
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

/* -------------------------------------------------------------------- text */

static void show_value(char cell[TABLE_CELL_BYTES], int quantity, double value)
{
	if (quantity == COMPUTE)
		format_time(value, 4, cell);
	else
		snprintf(cell, TABLE_CELL_BYTES, "%.*f", value == (double)(uint64_t)value ? 0 : 1,
			 value);
}

static void show_integer(char cell[TABLE_CELL_BYTES], int quantity, uint64_t value)
{
	if (quantity == COMPUTE)
		format_time((double)value, 4, cell);
	else
		snprintf(cell, TABLE_CELL_BYTES, "%" PRIu64, value);
}

static void spread_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct spread *spread = &((const struct stats *)data)->spreads[number];
	const int quantity = (int)number;

	snprintf(cells[0], TABLE_CELL_BYTES, "%s", quantities[number].name);
	show_integer(cells[1], quantity, spread->total);
	show_value(cells[2], quantity, spread->mean);
	show_integer(cells[3], quantity, spread->quartiles[0]);
	show_integer(cells[4], quantity, spread->quartiles[LARGEST / 2]);
	show_integer(cells[5], quantity, spread->quartiles[LARGEST]);
	snprintf(cells[6], TABLE_CELL_BYTES, "%u", spread->most_rank);
}

static void rank_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct stats *stats = data;

	snprintf(cells[0], TABLE_CELL_BYTES, "%zu", number);
	for (int quantity = 0; quantity < QUANTITIES; quantity++)
		show_integer(cells[1 + quantity], quantity,
			     count_of(&stats->ranks[number], quantity));
}

static void class_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct stats *stats = data;
	const int class = stats->first_class + (int)number;

	snprintf(cells[0], TABLE_CELL_BYTES, "%" PRIu64, class_from(class));
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, class_to(class));
	snprintf(cells[2], TABLE_CELL_BYTES, "%" PRIu64, stats->classes[class].messages);
	snprintf(cells[3], TABLE_CELL_BYTES, "%" PRIu64, stats->classes[class].bytes);
}

static void stats_print_text(FILE *stream, const struct stats *stats)
{
	static const struct table_column spread_columns[] = {
		{"", TABLE_LEFT, 0}, {"total", TABLE_RIGHT, 0}, {"mean", TABLE_RIGHT, 0},
		{"min", TABLE_RIGHT, 0}, {"median", TABLE_RIGHT, 0}, {"max", TABLE_RIGHT, 0},
		{"of rank", TABLE_RIGHT, 0},
	};
	static const struct table_column class_columns[] = {
		{"bytes from", TABLE_RIGHT, 0}, {"to", TABLE_RIGHT, 10},
		{"messages", TABLE_RIGHT, 10}, {"bytes", TABLE_RIGHT, 10},
	};
	struct table_column rank_columns[1 + QUANTITIES] = {{"rank", TABLE_RIGHT, 0}};

	fprintf(stream, "%u rank%s\n\n", stats->rank_count, plural(stats->rank_count));
	table_print(stream, spread_columns, 7, QUANTITIES, spread_row, stats);
	if (by_rank) {
		for (int i = 0; i < QUANTITIES; i++)
			rank_columns[1 + i] = (struct table_column){quantities[i].name,
								    TABLE_RIGHT, 0};
		putc('\n', stream);
		table_print(stream, rank_columns, 1 + QUANTITIES, stats->rank_count, rank_row,
			    stats);
	}
	if (stats->class_count) {
		putc('\n', stream);
		table_print(stream, class_columns, 4, (size_t)stats->class_count, class_row,
			    stats);
	}
}

/* -------------------------------------------------------------------- JSON */

/* "compute_ns", "bytes" */
static const char *json_key(int quantity)
{
	return quantity == COMPUTE ? "compute_ns" : quantities[quantity].name;
}

static void stats_print_json(FILE *stream, const struct stats *stats)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	json_text(&json, "schema", "goal-stats-1");
	json_text(&json, "file", stats->path);
	json_integer(&json, "ranks", stats->rank_count);
	json_begin(&json, "spread", '{', JSON_LINES);
	for (int quantity = 0; quantity < QUANTITIES; quantity++) {
		const struct spread *spread = &stats->spreads[quantity];

		json_begin(&json, json_key(quantity), '{', JSON_INLINE);
		json_integer(&json, "total", spread->total);
		json_number(&json, "mean", spread->mean);
		for (int k = 0; k < QUARTILES; k++)
			json_integer(&json, quartile_names[k], spread->quartiles[k]);
		json_integer(&json, "max_rank", spread->most_rank);
		json_end(&json);
	}
	json_end(&json);
	if (by_rank) {
		json_begin(&json, "by_rank", '[', JSON_LINES);
		for (uint32_t rank = 0; rank < stats->rank_count; rank++) {
			json_begin(&json, NULL, '{', JSON_INLINE);
			json_integer(&json, "rank", rank);
			for (int i = 0; i < QUANTITIES; i++)
				json_integer(&json, json_key(i), count_of(&stats->ranks[rank], i));
			json_end(&json);
		}
		json_end(&json);
	}
	json_begin(&json, "messages", '[', JSON_LINES);
	for (int i = 0; i < stats->class_count; i++) {
		const int class = stats->first_class + i;

		json_begin(&json, NULL, '{', JSON_INLINE);
		json_integer(&json, "from_bytes", class_from(class));
		json_integer(&json, "to_bytes", class_to(class));
		json_integer(&json, "messages", stats->classes[class].messages);
		json_integer(&json, "bytes", stats->classes[class].bytes);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
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

static int cmd_stats(char **operands, int operand_count, struct error *err)
{
	static void (*const print[])(FILE *stream, const struct stats *stats) = {
		[FORMAT_TEXT] = stats_print_text,
		[FORMAT_JSON] = stats_print_json,
		[FORMAT_CSV] = stats_print_csv,
	};
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
		print[print_output.format](output.stream, &stats);
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

static const struct option_spec *const stats_options[] = {options, NULL};

const struct command stats_command = {
	.name = "stats", .operands = "FILE", .least_operands = 1, .most_operands = 1,
	.summary = "print how the work is spread over ranks, and message sizes",
	.notes = FILE_NOTES " bytes are those sent; compute is the sum of the calcs. JSON "
		 "and CSV have quartiles, too.",
	.options = stats_options, .output = &print_output, .run = cmd_stats, .examples = stats_examples,
};
