#include "critpath/report/run_report_imbalance.h"

#include "common/table.h"
#include "common/text.h"
#include "common/units.h"

#include "critpath/report/run_report_imbalance_tables.h"

#include <inttypes.h>

/* What the rows of a table are made of. */
struct source {
	const struct findings *findings;
	const struct imbalance *imbalance;
	struct share_rows *rows;
	size_t chosen[RUN_MOST_ROWS];
	struct imbalance_instance longest[RUN_MOST_ROWS]; /* that wait longest */
	size_t longest_count;
};

static void parts_cells(const struct call_parts *calls, uint64_t computation_ns,
			char cells[][TABLE_CELL_BYTES])
{
	const double ratio = imbalance_ratio(calls, computation_ns);

	run_report_short_time(calls->before_ns, cells[0]);
	run_report_short_time(calls->execution_ns, cells[1]);
	run_report_short_time(calls->after_ns, cells[2]);
	format_number(ratio, 4, cells[3]);
}

#define PARTS_COLUMNS                                                                         \
	{"before", TABLE_RIGHT, 9}, {"execution", TABLE_RIGHT, 9}, {"after", TABLE_RIGHT, 9}, \
	{                                                                                     \
		"imbalance", TABLE_RIGHT, 9                                                   \
	}

/* -------------------------------------------------------------------- program */

static void print_program(FILE *stream, const struct source *source)
{
	const struct rank_parts *sum = &source->imbalance->sum;
	char time[4][RUN_TEXT_BYTES], ratio[UNIT_TEXT_BYTES];

	fprintf(stream, "ranks       %s computing, %s executing MPI, %s waiting",
		run_report_short_time(sum->computation_ns, time[0]),
		run_report_short_time(sum->calls.execution_ns, time[1]),
		run_report_short_time(sum->calls.before_ns + sum->calls.after_ns, time[2]));
	if (sum->unknown_ns)
		fprintf(stream, ", %s unknown", run_report_short_time(sum->unknown_ns, time[3]));
	fprintf(stream, "\nimbalance   %s (waits / the rest)\n",
		format_number(imbalance_ratio(&sum->calls, sum->computation_ns), 4, ratio));
}

static void print_left_out(FILE *stream, const struct source *source)
{
	const uint64_t *states = source->imbalance->instance_states;
	const char *separator = "left out    ";

	for (int i = INSTANCE_SYNCHRONOUS + 1; i < INSTANCE_STATES; i++)
		if (states[i]) {
			fprintf(stream, "%s%" PRIu64 " collective%s %s", separator, states[i],
				plural(states[i]), instance_state_name((enum instance_state)i));
			separator = ", ";
		}
	if (states[INSTANCE_SYNCHRONOUS] < source->findings->run->instance_count)
		fputc('\n', stream);
}

static void pop_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	static const char *const names[][2] = {
		{"load balance", "mean / most computation of a rank"},
		{"communication efficiency", "most computation / T"},
		{"parallel efficiency", "mean computation / T"},
	};
	const struct pop_figures pop = pop_of(((const struct source *)data)->imbalance);
	const double values[] = {pop.load_balance, pop.communication, pop.parallel};

	snprintf(cells[0], TABLE_CELL_BYTES, "%s", names[number][0]);
	snprintf(cells[1], TABLE_CELL_BYTES, "%.2f %%", 100 * values[number]);
	snprintf(cells[2], TABLE_CELL_BYTES, "%s", names[number][1]);
}

static void print_pop(FILE *stream, const struct source *source)
{
	static const struct table_column columns[] = {
		{"efficiency", TABLE_LEFT, 24},
		{"value", TABLE_RIGHT, 9},
		{"of", TABLE_LEFT, 0},
	};
	const struct pop_figures pop = pop_of(source->imbalance);
	char mean[RUN_TEXT_BYTES], most[RUN_TEXT_BYTES], ratio[UNIT_TEXT_BYTES];

	fputc('\n', stream);
	table_print(stream, columns, 3, 3, pop_row, source);
	fprintf(stream, "computation of a rank: mean %s, most %s (rank %u), most / mean %s\n",
		run_report_short_time((uint64_t)pop.mean_ns, mean),
		run_report_short_time(pop.most_ns, most), source->imbalance->busiest,
		format_number(pop.most_to_mean, 4, ratio));
}

/* --------------------------------------------------------------------- tables */

static uint64_t rank_waits(const void *data, size_t rank)
{
	const struct call_parts *calls = &((const struct imbalance *)data)->ranks[rank].calls;

	return calls->before_ns + calls->after_ns;
}

static void rank_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct rank_parts *rank = &source->imbalance->ranks[source->chosen[number]];

	snprintf(cells[0], TABLE_CELL_BYTES, "%zu", source->chosen[number]);
	run_report_short_time(rank->computation_ns, cells[1]);
	parts_cells(&rank->calls, rank->computation_ns, &cells[2]);
}

static void print_ranks(FILE *stream, struct source *source)
{
	static const struct table_column columns[] = {
		{"rank", TABLE_RIGHT, 6},
		{"computation", TABLE_RIGHT, 11},
		PARTS_COLUMNS,
	};
	const size_t count = run_largest(source->findings->run->rank_count, rank_waits,
					 source->imbalance, source->chosen);

	if (!count)
		return;
	fputs("\nranks that wait most\n", stream);
	table_print(stream, columns, 6, count, rank_row, source);
}

static void comm_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct parts_group *comm = &source->imbalance->comms.items[number];
	char name[MEASURED_COMM_BYTES];

	text_show(measured_comm_name(source->findings->run, comm->number, name), cells[0],
		  TABLE_CELL_BYTES);
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, comm->count);
	snprintf(cells[2], TABLE_CELL_BYTES, "%" PRIu64, comm->left_out);
	parts_cells(&comm->calls, 0, &cells[3]);
}

static size_t at_most(size_t count)
{
	return count < RUN_MOST_ROWS ? count : RUN_MOST_ROWS;
}

static void print_comms(FILE *stream, const struct source *source)
{
	static const struct table_column columns[] = {
		{"collectives on", TABLE_LEFT, 14},
		{"number", TABLE_RIGHT, 6},
		{"left out", TABLE_RIGHT, 8},
		PARTS_COLUMNS,
	};

	if (!source->imbalance->comms.count)
		return;
	fputc('\n', stream);
	table_print(stream, columns, 7, at_most(source->imbalance->comms.count), comm_row, source);
}

static void function_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct parts_group *function = &source->imbalance->functions.items[number];

	text_show(measured_function(&source->findings->run->names, function->number), cells[0],
		  TABLE_CELL_BYTES);
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, function->count);
	parts_cells(&function->calls, 0, &cells[2]);
	run_report_short_time(path_imbalance_of(source->findings, function->number), cells[6]);
}

static void print_functions(FILE *stream, const struct source *source)
{
	static const struct table_column columns[] = {
		{"function", TABLE_LEFT, 14},
		{"calls", TABLE_RIGHT, 7},
		PARTS_COLUMNS,
		{"on path", TABLE_RIGHT, 9},
	};

	if (!source->imbalance->functions.count)
		return;
	fputs("\nby function; on path: time on the critical path - mean of the ranks\n", stream);
	table_print(stream, columns, 7, at_most(source->imbalance->functions.count), function_row,
		    source);
}

static uint64_t instance_waits(const void *data, size_t number)
{
	const struct call_parts *calls = &((const struct imbalance_instance *)data)[number].parts;

	return calls->before_ns + calls->after_ns;
}

static void instance_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct imbalance_instance *row = &source->longest[source->chosen[number]];
	const struct measured_instance *instance = &row->instance;
	char call[RUN_CALL_BYTES];

	text_show(run_report_call(source->findings->run, instance->last_rank, instance->last.call,
				  instance->last.function, row->last_site, call),
		  cells[0], TABLE_CELL_BYTES);
	parts_cells(&row->parts, 0, &cells[1]);
}

/* Choose the longest of the rows, of which more are never kept than a table has. */
static void choose_instances(struct source *source)
{
	struct imbalance_instance *longest = source->longest;

	for (uint64_t i = 0; i < source->rows->total; i++) {
		const struct imbalance_instance *row = share_rows_next(source->rows);
		size_t at = source->longest_count;

		if (at == RUN_MOST_ROWS && instance_waits(longest, at - 1) >= instance_waits(row, 0))
			continue;
		at = at == RUN_MOST_ROWS ? at - 1 : source->longest_count++;
		for (; at > 0 && instance_waits(longest, at - 1) < instance_waits(row, 0); at--)
			longest[at] = longest[at - 1];
		longest[at] = *row;
	}
}

static void print_instances(FILE *stream, struct source *source)
{
	static const struct table_column columns[] = {
		{"collective, by its last call", TABLE_LEFT, 20},
		PARTS_COLUMNS,
	};
	size_t count;

	choose_instances(source);
	count = run_largest(source->longest_count, instance_waits, source->longest, source->chosen);

	if (!count)
		return;
	fputs("\ncollectives with the longest waits, sums over their members\n", stream);
	table_print(stream, columns, 5, count, instance_row, source);
}

static void imbalance_text(FILE *stream, struct source *source)
{
	run_report_heading(stream, source->findings);
	print_program(stream, source);
	print_left_out(stream, source);
	print_pop(stream, source);
	print_ranks(stream, source);
	print_comms(stream, source);
	print_functions(stream, source);
	print_instances(stream, source);
}

void run_report_imbalance(FILE *stream, enum run_format format, enum imbalance_table table,
			  const struct findings *findings, const struct imbalance *imbalance,
			  struct share_rows *rows)
{
	struct source source = {.findings = findings, .imbalance = imbalance, .rows = rows};

	switch (format) {
	case RUN_TEXT:
		imbalance_text(stream, &source);
		break;
	case RUN_JSON:
		imbalance_json(stream, findings, imbalance, rows);
		break;
	case RUN_CSV:
		imbalance_csv(stream, table, findings, imbalance, rows);
		break;
	}
}
