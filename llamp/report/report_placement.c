#include "llamp/report/report_placement.h"

#include "common/table.h"

#include <math.h>

struct rows {
	const struct placement_task *task;
	const struct placements *placements;
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

/* ------------------------------------------------------------------------ text */

static void placement_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct rows *rows = data;
	const struct placement *placement = &rows->placements->list.items[number];
	char text[UNIT_TEXT_BYTES];

	snprintf(cells[0], TABLE_CELL_BYTES, "%s%s", placement->name,
		 number == rows->placements->best ? " *" : "");
	snprintf(cells[1], TABLE_CELL_BYTES, "%s",
		 report_time(report_ns(placement->runtime_as), text));
	snprintf(cells[2], TABLE_CELL_BYTES, "%+.3f %%",
		 gain_percent(rows->placements, placement));
	if (number >= rows->placements->list.count / 2)
		snprintf(cells[3], TABLE_CELL_BYTES, "%u", placement->steps);
}

static void placements_text(FILE *stream, const struct rows *rows)
{
	const struct placements *placements = rows->placements;
	const struct table_column columns[] = {
		{"mapping", TABLE_LEFT, 20}, {"T", TABLE_RIGHT, 14},
		{"to block", TABLE_RIGHT, 10}, {"swaps", TABLE_RIGHT, 6},
	};
	char text[UNIT_TEXT_BYTES];

	report_heading(stream, rows->task->model, VARIABLE_L, NULL, ENGINE_PATH);
	fprintf(stream, "hosts       %u, with room for %u rank%s each\n", rows->task->host_count,
		rows->task->slots, plural(rows->task->slots));
	fprintf(stream, "best        %s: %s, after T of %llu mappings\n",
		best_of(placements)->name,
		report_time(report_ns(best_of(placements)->runtime_as), text),
		(unsigned long long)placements->evaluations);
	fputc('\n', stream);
	table_print(stream, columns, 4, placements->list.count, placement_row, rows);
}

/* ------------------------------------------------------------------ JSON, CSV */

static void placements_json(FILE *stream, const struct rows *rows)
{
	const struct placements *placements = rows->placements;
	const uint32_t ranks = rows->task->model->goal.rank_count;
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	report_json_heading(&json, "llamp-place-1", rows->task->model, ENGINE_PATH);
	json_integer(&json, "hosts", rows->task->host_count);
	json_integer(&json, "slots", rows->task->slots);
	json_integer(&json, "evaluations", placements->evaluations);
	json_begin(&json, "mappings", '[', JSON_LINES);
	for (size_t i = 0; i < placements->list.count; i++) {
		json_begin(&json, NULL, '{', JSON_INLINE);
		json_text(&json, "name", placements->list.items[i].name);
		json_attoseconds(&json, "runtime_ns", placements->list.items[i].runtime_as);
		json_integer(&json, "swaps", placements->list.items[i].steps);
		json_end(&json);
	}
	json_end(&json);
	json_text(&json, "best", best_of(placements)->name);
	json_attoseconds(&json, "runtime_ns", best_of(placements)->runtime_as);
	json_begin(&json, "mapping", '[', JSON_INLINE);
	for (uint32_t rank = 0; rank < ranks; rank++)
		json_integer(&json, NULL, best_of(placements)->hosts[rank]);
	json_end(&json);
	json_end(&json);
}

static void placements_csv(FILE *stream, const struct rows *rows)
{
	const struct placements *placements = rows->placements;

	report_csv_model_columns(stream, &rows->task->model->loggps.variables);
	fputs(",mapping,quantity,unit,value\n", stream);
	for (size_t i = 0; i < placements->list.count; i++) {
		const struct placement *placement = &placements->list.items[i];
		char text[NUMBER_TEXT_BYTES];

		report_csv_model(stream, rows->task->model, ENGINE_PATH, 0, NULL);
		fprintf(stream, ",%s,runtime,ns,%s\n", placement->name,
			attoseconds_text(placement->runtime_as, text));
		report_csv_model(stream, rows->task->model, ENGINE_PATH, 0, NULL);
		fprintf(stream, ",%s,swaps,1,%u\n", placement->name, placement->steps);
	}
}

void report_placements(FILE *stream, enum report_format format, const struct placement_task *task,
		       const struct placements *placements)
{
	const struct rows rows = {task, placements};

	switch (format) {
	case REPORT_TEXT:
		placements_text(stream, &rows);
		break;
	case REPORT_JSON:
		placements_json(stream, &rows);
		break;
	case REPORT_CSV:
		placements_csv(stream, &rows);
		break;
	case REPORT_SCHEMA:
		break;
	}
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
