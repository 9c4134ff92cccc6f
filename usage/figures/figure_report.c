#include "usage/figures/figure_report.h"

#include "common/text.h"
#include "common/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_ROWS = 20, WHOLE_ROWS = 1000 };

bool figure_is_asked(const struct figure_request *request, const struct figure *figure)
{
	return !request->only || request->only == figure;
}

void figure_basis(const struct figure_source *source, struct sentence *basis)
{
	const struct figure_scope *const scope = &source->scope;

	sentence_add(basis, "%s: %" PRIu64 " job%s with a log", source->db.path, source->jobs,
		     plural(source->jobs));
	if (source->has_records)
		sentence_add(basis,
			     " that pass the filter, of %" PRIu64 " log%s and %" PRIu64 " record%s",
			     source->logs, plural(source->logs), source->records,
			     plural(source->records));
	else
		sentence_add(basis, ", and no records of the scheduler");
	if (source->has_records && source->no_record)
		sentence_add(basis, "; %" PRIu64 " log%s without a record", source->no_record,
			     plural(source->no_record));
	if (source->damaged)
		sentence_add(basis, "; %" PRIu64 " damaged file%s", source->damaged,
			     plural(source->damaged));
	if (scope->where)
		sentence_add(basis, "; only %s", scope->where);
	sentence_add(basis, "; distributions of %s", scope->core_hours ? "core-hours" : "jobs");
	sentence_add(basis, "; sums of %s",
		     scope->ranks ? "the average rank times the ranks" : "the average rank");
	if (scope->local)
		sentence_add(basis, "; with calls that concern no other rank");
	if (source->rank_hours)
		sentence_add(basis, "; core-hours of %" PRIu64 " job%s are rank-hours",
			     source->rank_hours, plural(source->rank_hours));
	if (source->no_hours)
		sentence_add(basis, "; core-hours of %" PRIu64 " record%s are not known%s",
			     source->no_hours, plural(source->no_hours),
			     source->no_cores ? " (llamp-usage index --systems)" : "");
}

/* ------------------------------------------------------------------------ rows */

static void put_value(struct report_row *row, const struct report_field *field,
		      const struct figure_value *value)
{
	if (field->kind == VALUE_NAME)
		put_name(row, value->text);
	else if (isnan(value->number))
		put_none(row);
	else if (field->kind == VALUE_COUNT)
		put_count(row, (uint64_t)fmax(value->number, 0));
	else
		put_number(row, value->number);
}

static void result_row(struct report_row *row, const void *data, size_t number)
{
	const struct figure_result *const result = data;
	const struct figure_value *const values = figure_row(result, number);

	for (int i = 0; i < result->columns; i++)
		put_value(row, &result->figure->fields[i], &values[i]);
}

static void summary_row(struct report_row *row, const void *data, size_t number)
{
	const struct figure_summary *const of =
		&((const struct figure_result *)data)->summaries.items[number];

	put_name(row, of->label);
	put_number(row, of->least);
	put_number(row, of->low);
	put_number(row, of->median);
	put_number(row, of->high);
	put_number(row, of->most);
	put_count(row, (uint64_t)of->jobs);
}

void figure_report_table(struct report *report, const struct figure_result *result,
			 const char *title, size_t most)
{
	const enum value_kind kind = result->figure->fields[1].kind;
	const struct report_field summary_fields[] = {
		{NULL, "of", .kind = VALUE_NAME},     {NULL, "least", .kind = kind},
		{NULL, "1st quartile", .kind = kind}, {NULL, "median", .kind = kind},
		{NULL, "3rd quartile", .kind = kind}, {NULL, "most", .kind = kind},
		{NULL, "jobs", .kind = VALUE_COUNT},  {0},
	};
	struct report_table table = {
		.title = title,
		.caption = title,
		.fields = result->figure->fields,
		.row = result_row,
		.data = result,
		.count = figure_rows(result),
		.most = most,
		.counts_rest = true,
		.lists_all = "--format csv",
	};

	if (result->figure->kind == FIGURE_CURVES) {
		table.fields = summary_fields;
		table.row = summary_row;
		table.count = result->summaries.count;
	}
	report_table(report, &table);
}

/* --------------------------------------------------------------------- figures */

static const struct report_field figure_facts[] = {
	{"figure", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning =
		 "Number in the paper, of the first index and of the second; null: not in the paper"},
	{"name", NULL, .kind = VALUE_NAME},
	{"title", NULL, .kind = VALUE_NAME},
	{"meaning", NULL, .kind = VALUE_NAME},
	{"index", NULL, VALUE_NAME, .meaning = "Path of the index"},
	{"jobs", NULL, VALUE_COUNT, .meaning = "Jobs with a log that are asked about"},
	{0},
};

/* Figures that are being written. */
struct writing {
	const struct figure_request *request;
	const char *index; /* first column of CSV */
	const struct figure *figure;
	struct figure_source *source;
	int status;
	struct error *err;
};

static void fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct writing *const writing = data;
	char numbers[FIGURE_NUMBER_BYTES];

	(void)number;
	figure_numbers(writing->figure, true, numbers);
	put_name(row, *numbers ? numbers : NULL);
	put_name(row, writing->figure->name);
	put_name(row, writing->figure->title);
	put_name(row, writing->figure->meaning);
	put_name(row, writing->source ? writing->source->db.path : "");
	put_count(row, writing->source ? writing->source->jobs : 0);
}

static void write_title(const struct writing *writing, char *title, size_t size)
{
	char numbers[FIGURE_NUMBER_BYTES];

	figure_numbers(writing->figure, writing->request->source_count > 1, numbers);
	if (*numbers)
		*numbers = (char)toupper((unsigned char)*numbers);
	snprintf(title, size, "%s%s%s (%s)%s%s", numbers, *numbers ? ": " : "",
		 writing->figure->title, writing->figure->name,
		 writing->request->source_count > 1 ? ", " : "",
		 writing->request->source_count > 1 ? writing->source->db.path : "");
}

static void write_rows(struct report *report, const struct writing *writing,
		       const struct figure_result *result)
{
	char title[1024];

	if (report->format == REPORT_TEXT) {
		write_title(writing, title, sizeof title);
		figure_report_table(report, result, title,
				    writing->request->only ? WHOLE_ROWS : TEXT_ROWS);
		if (writing->request->only && !figure_rows(result))
			fprintf(report->stream, "\n%s: %s\n", title, figure_lack(writing->figure));
		return;
	}
	report_table(report, &(struct report_table){.key = "rows",
						    .fields = result->figure->fields,
						    .row = result_row,
						    .data = result,
						    .count = figure_rows(result)});
}

/* The schema has all columns of all figures as forms of a row. */
static void write_schema(struct report *report, struct writing *writing)
{
	const struct report_field **forms;

	if (allocate(&forms, figure_count + 1, sizeof *forms, writing->err) < 0) {
		writing->status = -1;
		return;
	}
	size_t count = 0;
	for (size_t i = 0; i < figure_count; i++) {
		size_t same = 0;

		while (same < count && forms[same] != figures[i].fields)
			same++;
		if (same == count)
			forms[count++] = figures[i].fields;
	}
	report_facts(report, &(struct report_facts){.fields = figure_facts, .row = fact_row});
	report_table(report, &(struct report_table){.key = "rows", .forms = forms});
	free(forms);
}

static void write_figure(struct report *report, const void *data, size_t number)
{
	struct writing *const writing = *(struct writing *const *)data;
	const struct figure_request *const request = writing->request;
	const size_t sources = (size_t)request->source_count;
	struct figure_result result;

	if (report->format == REPORT_SCHEMA) {
		write_schema(report, writing);
		return;
	}
	if (writing->status < 0)
		return;
	writing->figure = request->only ? request->only : &figures[number / sources];
	writing->source = request->sources[number % sources];
	writing->index = writing->source->db.path;
	writing->status = figure_ask(&result, writing->figure, writing->source, writing->err);
	if (writing->status < 0)
		return;
	report_facts(report, &(struct report_facts){.fields = figure_facts,
						    .row = fact_row,
						    .data = writing});
	write_rows(report, writing, &result);
	figure_result_release(&result);
}

static void index_column(FILE *stream, const void *data, bool names)
{
	const struct writing *const writing = data;

	text_print_csv(stream, names ? "index" : writing->index);
}

int figure_report(struct report *report, const struct figure_request *request, struct error *err)
{
	struct writing writing = {.request = request, .index = "", .err = err};
	struct writing *const pointer = &writing;

	report->rows = "rows";
	report->first_columns = index_column;
	report->first_data = &writing;
	report_begin(report, "llamp-usage-report-1");
	for (int i = 0; i < request->source_count && report->format == REPORT_TEXT; i++) {
		struct sentence basis = {.length = 0};

		figure_basis(request->sources[i], &basis);
		fprintf(report->stream, "%s\n", basis.text);
	}
	report_list(report, &(struct report_list){
				    .key = "figures",
				    .meaning = "Figures and tables, of each index",
				    .object = write_figure,
				    .data = &pointer,
				    .count = (request->only ? 1 : figure_count) *
					     (size_t)request->source_count,
			    });
	report_end(report);
	return writing.status;
}
