#include "critpath/report/run_report_iterations.h"

#include "common/table.h"
#include "critpath/report/run_table.h"

struct source {
	const struct findings *findings;
	const struct imbalance_iterations *iterations;
	size_t chosen[RUN_MOST_ROWS];
};

static uint64_t start_of(const struct source *source, const struct iteration_parts *parts)
{
	const uint64_t begin_ns = source->findings->run->begin_ns;

	return parts->start_ns > begin_ns ? parts->start_ns - begin_ns : 0;
}

/* ------------------------------------------------------------------------ text */

/* Computation that the ranks would be spared if they were balanced: most - mean. */
static uint64_t excess_of(const void *data, size_t number)
{
	const struct iteration_parts *parts =
		&((const struct imbalance_iterations *)data)->list.items[number];

	return parts->ranks ? parts->most_ns - parts->computation_ns / parts->ranks : 0;
}

static void iteration_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct iteration_parts *parts =
		&source->iterations->list.items[source->chosen[number]];

	if (parts->iteration == NO_ITERATION)
		snprintf(cells[0], TABLE_CELL_BYTES, "outside");
	else
		snprintf(cells[0], TABLE_CELL_BYTES, "%u", parts->iteration + 1);
	run_report_short_time(start_of(source, parts), cells[1]);
	run_report_short_time(parts->computation_ns / parts->ranks, cells[2]);
	run_report_short_time(parts->most_ns, cells[3]);
	snprintf(cells[4], TABLE_CELL_BYTES, "%u", parts->busiest);
	snprintf(cells[5], TABLE_CELL_BYTES, "%.2f %%", 100 * iteration_load_balance(parts));
	run_report_short_time(parts->calls.before_ns + parts->calls.after_ns, cells[6]);
}

static void iterations_text(FILE *stream, struct source *source)
{
	static const struct table_column columns[] = {
		{"iteration", TABLE_RIGHT, 9}, {"from", TABLE_RIGHT, 9},
		{"computing", TABLE_RIGHT, 9}, {"most", TABLE_RIGHT, 9},
		{"rank", TABLE_RIGHT, 5},      {"balance", TABLE_RIGHT, 8},
		{"waits", TABLE_RIGHT, 9},
	};
	const struct imbalance_iterations *iterations = source->iterations;
	const size_t rows = run_largest(iterations->list.count, excess_of, iterations,
					source->chosen);

	run_report_heading(stream, source->findings);
	if (iterations->least == iterations->most)
		fprintf(stream, "iterations  %u\n", iterations->most);
	else
		fprintf(stream, "iterations  %u to %u, by rank\n", iterations->least,
			iterations->most);
	fputs("\niterations with the most computation beyond the mean of the ranks\n", stream);
	table_print(stream, columns, 7, rows, iteration_row, source);
}

/* ------------------------------------------------------------------ JSON, CSV */

static void iteration_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct iteration_parts *parts = &source->iterations->list.items[number];

	if (parts->iteration == NO_ITERATION)
		record_none(record);
	else
		record_integer(record, parts->iteration + 1);
	record_integer(record, start_of(source, parts));
	record_integer(record, parts->ranks);
	record_integer(record, parts->computation_ns);
	record_integer(record, parts->most_ns);
	record_integer(record, parts->busiest);
	record_number(record, iteration_load_balance(parts));
	record_integer(record, parts->calls.before_ns);
	record_integer(record, parts->calls.execution_ns);
	record_integer(record, parts->calls.after_ns);
	record_number(record, imbalance_ratio(&parts->calls, parts->computation_ns));
}

static void iterations_json(FILE *stream, const struct findings *findings,
			    const struct run_table *table)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	run_report_json_heading(&json, "critpath-iterations-1", findings);
	run_table_json(&json, table);
	json_end(&json);
}

void run_report_iterations(FILE *stream, enum run_format format, const struct findings *findings,
			   const struct imbalance_iterations *iterations)
{
	struct source source = {.findings = findings, .iterations = iterations};
	const struct run_table table = {
		"iterations",
		"iteration,start_ns,ranks,computation_ns,most_computation_ns,"
		"most_computation_rank,load_balance,wait_before_ns,execution_ns,wait_after_ns,"
		"imbalance",
		iterations->list.count, iteration_record, &source};

	switch (format) {
	case RUN_TEXT:
		iterations_text(stream, &source);
		break;
	case RUN_JSON:
		iterations_json(stream, findings, &table);
		break;
	case RUN_CSV:
		run_table_csv(stream, findings->path, &table);
		break;
	}
}
