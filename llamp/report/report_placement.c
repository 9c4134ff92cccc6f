#include "llamp/report/report_placement.h"

#include "common/table.h"

#include <math.h>

struct rows {
	const struct placement_task *task;
	const struct placements *placements;
	size_t *current;	/* mapping of a row */
};

static const struct placement *best_of(const struct placements *placements)
{
	return &placements->list.items[placements->best];
}

/* T relative to that of the first mapping, in per cent. */
static double gain_percent(const struct placements *placements, const struct placement *placement)
{
	const double first = report_ns(placements->list.items[0].runtime_as);

	return first > 0 ? 100 * (report_ns(placement->runtime_as) / first - 1) : 0;
}

/* ---------------------------------------------------------------- text and JSON */

static const struct report_field task_fields[] = {
	{"hosts", NULL, VALUE_COUNT, .flags = FIELD_JSON},
	{"slots", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE | FIELD_JSON, .meaning = "Ranks that fit on a host"},
	{"evaluations", NULL, VALUE_COUNT, .flags = FIELD_JSON, .meaning = "Mappings whose T was computed"},
	{0},
};

static void task_row(struct report_row *row, const void *data, size_t number)
{
	const struct rows *rows = data;

	(void)number;
	put_count(row, rows->task->host_count);
	put_count(row, rows->task->slots);
	put_count(row, rows->placements->evaluations);
}

static const struct report_field mapping_fields[] = {
	{"name", "mapping", VALUE_NAME, .width = 20, .flags = FIELD_JSON},
	{"runtime_ns", "T", VALUE_ATTOSECONDS, .width = 14, .unit = "ns", .quantity = "runtime"},
	{NULL, "to block", VALUE_NAME, .width = 10, .right = true},
	{"swaps", "swaps", VALUE_COUNT, .width = 6},
	{0},
};

/* In a text the best mapping has a star, and the baselines, which come first, no swaps. */
static void mapping_row(struct report_row *row, const void *data, size_t number)
{
	const struct placements *placements = ((const struct rows *)data)->placements;
	const struct placement *placement = &placements->list.items[number];
	const bool is_best = number == placements->best;
	char name[TABLE_CELL_BYTES], gain[UNIT_TEXT_BYTES];

	*((const struct rows *)data)->current = number;
	snprintf(name, sizeof name, "%s%s", placement->name,
		 is_best && row_in_text(row) ? " *" : "");
	snprintf(gain, sizeof gain, "%+.3f %%", gain_percent(placements, placement));
	put_name(row, name);
	put_attoseconds(row, placement->runtime_as);
	put_name(row, gain);
	put_count_or_none(row, placement->steps,
			  !row_in_text(row) || number >= placements->list.count / 2);
}

static const struct report_field best_fields[] = {
	{"best", NULL, VALUE_NAME, .flags = FIELD_JSON, .meaning = "Name of the mapping with the smallest T"},
	{"runtime_ns", NULL, VALUE_ATTOSECONDS, .flags = FIELD_JSON},
	{"mapping", NULL, VALUE_COUNTS, .flags = FIELD_JSON, .meaning = "Host of each rank"},
	{0},
};

static void best_row(struct report_row *row, const void *data, size_t number)
{
	const struct rows *rows = data;
	const struct placement *best = best_of(rows->placements);

	(void)number;
	put_name(row, best->name);
	put_attoseconds(row, best->runtime_as);
	put_counts(row, best->hosts, rows->task->model->goal.rank_count);
}

static void write_placements(struct report *report, const struct rows *rows)
{
	const struct placements *placements = rows->placements;
	char text[UNIT_TEXT_BYTES];

	report_begin_model(report, "llamp-place-1", rows->task->model, VARIABLE_L, NULL, ENGINE_PATH);
	report_line(report, "hosts", "%u, with room for %u rank%s each", rows->task->host_count,
		    rows->task->slots, plural(rows->task->slots));
	report_line(report, "best", "%s: %s, after T of %llu mappings", best_of(placements)->name,
		    report_time(report_ns(best_of(placements)->runtime_as), text),
		    (unsigned long long)placements->evaluations);
	report_facts(report, &(struct report_facts){
		.fields = task_fields, .row = task_row, .data = rows});
	report_table(report, &(struct report_table){
		"mappings", .meaning = "Baselines, then what swaps have made of them",
		.fields = mapping_fields, .row = mapping_row, .data = rows,
		.count = placements->list.count});
	report_facts(report, &(struct report_facts){
		.fields = best_fields, .row = best_row, .data = rows});
	report_end(report);
}

/* Before the lines of CSV, which are one for each value of a mapping. */
static void mapping_columns(FILE *stream, const void *data, bool names)
{
	const struct rows *rows = data;

	report_first_columns(stream, &(struct report_columns){.model = rows->task->model,
							      .engine = ENGINE_PATH}, names);
	fprintf(stream, ",%s", names ? "mapping" : rows->placements->list.items[*rows->current].name);
}

void report_placements(struct report *report, const struct placement_task *task,
		       const struct placements *placements)
{
	size_t current = 0;
	const struct rows rows = {task, placements, &current};

	report->csv_facts = true;
	report->first_columns = mapping_columns;
	report->first_data = &rows;
	write_placements(report, &rows);
}

/* -------------------------------------------------------------------- mappings */

static void print_host(FILE *stream, uint32_t host, const char *const *names)
{
	if (names)
		fputs(names[host], stream);
	else
		fprintf(stream, "host%u", host);
}

/* Number of ranks on the same host before this one. */
static uint32_t place_on_host(const uint32_t *hosts, uint32_t rank)
{
	uint32_t count = 0;

	for (uint32_t other = 0; other < rank; other++)
		count += hosts[other] == hosts[rank];
	return count;
}

/* Runs of ranks on a host; Hydra fills the lines one after the other. */
static void print_hydra(FILE *stream, const uint32_t *hosts, uint32_t rank_count,
			const char *const *names)
{
	for (uint32_t rank = 0, next; rank < rank_count; rank = next) {
		for (next = rank; next < rank_count && hosts[next] == hosts[rank]; next++)
			;
		print_host(stream, hosts[rank], names);
		fprintf(stream, ":%u\n", next - rank);
	}
}

void report_mapping(FILE *stream, enum mapping_form form, const uint32_t *hosts,
		    uint32_t rank_count, const char *const *names)
{
	if (form == MAPPING_FORM_MPICH) {
		print_hydra(stream, hosts, rank_count, names);
		return;
	}
	for (uint32_t rank = 0; rank < rank_count; rank++) {
		if (form == MAPPING_FORM_LLAMP) {
			fprintf(stream, "%u\n", hosts[rank]);
			continue;
		}
		if (form == MAPPING_FORM_OPENMPI)
			fprintf(stream, "rank %u=", rank);
		print_host(stream, hosts[rank], names);
		if (form == MAPPING_FORM_OPENMPI)
			fprintf(stream, " slot=%u", place_on_host(hosts, rank));
		fputc('\n', stream);
	}
}
