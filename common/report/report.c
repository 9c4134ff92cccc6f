#include "common/report/report.h"

#include "common/report/report_schema.h"
#include "common/text.h"
#include "common/units.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { DIGITS = 4, LONG_DIGITS = 7, LABEL_WIDTH = 12 };

/* Row that is being written. */
struct report_row {
	const struct report *report;
	struct json *json;		/* in JSON */
	const struct report_field *field; /* of the next value */
	char (*cells)[TABLE_CELL_BYTES]; /* in text: of the next value */
	char (*notes)[TABLE_CELL_BYTES]; /* in text of facts: of the next value */
	bool is_facts;
	bool lacks_optional;
	const char *qualifier;		/* in CSV of facts */
};

struct value {
	enum { NOTHING, MISSING, INTEGER, ATTOSECONDS, REAL, NAME, TRUTH, LIST } type;
	uint64_t integer;
	__int128 as;
	double real;
	const char *name;
	size_t count;			/* of a list: of one of these */
	const uint32_t *counts;
	const char *const *names;
	const double *reals;
	const bool *truths;
};

/* ----------------------------------------------------------------------- values */

static void integer_text(enum value_kind kind, uint64_t value, char *cell)
{
	char text[UNIT_TEXT_BYTES];

	switch (kind) {
	case VALUE_TIME:
	case VALUE_LONG_TIME:
		snprintf(cell, TABLE_CELL_BYTES, "%s",
			 format_time((double)value, kind == VALUE_TIME ? DIGITS : LONG_DIGITS, text));
		break;
	case VALUE_ALL_BYTES:
		snprintf(cell, TABLE_CELL_BYTES, "%" PRIu64 " B", value);
		break;
	case VALUE_BYTES:
		snprintf(cell, TABLE_CELL_BYTES, "%s", format_bytes((double)value, text));
		break;
	default:
		snprintf(cell, TABLE_CELL_BYTES, "%" PRIu64, value);
	}
}

static void real_text(const struct report_field *field, enum value_kind kind, double value,
		      char *cell)
{
	const int digits = kind == VALUE_NUMBER ? DIGITS : LONG_DIGITS;
	char text[UNIT_TEXT_BYTES];

	if (isinf(value) && value < 0)
		snprintf(cell, TABLE_CELL_BYTES, "none");
	else if (kind == VALUE_SHARE)
		snprintf(cell, TABLE_CELL_BYTES, "%.2f %%", 100 * value);
	else if (kind == VALUE_LONG_SHARE)
		snprintf(cell, TABLE_CELL_BYTES, "%s %%", format_number(100 * value, digits, text));
	else if (kind == VALUE_SLOPE && field->unit && strcmp(field->unit, "1") != 0)
		snprintf(cell, TABLE_CELL_BYTES, "%s %s", format_number(value, digits, text),
			 field->unit);
	else if (kind == VALUE_NS || kind == VALUE_NS_PER_BYTE)
		snprintf(cell, TABLE_CELL_BYTES, "%s%s", format_time(value, digits, text),
			 kind == VALUE_NS_PER_BYTE && isfinite(value) ? "/B" : "");
	else
		snprintf(cell, TABLE_CELL_BYTES, "%s%s", format_number(value, digits, text),
			 kind == VALUE_PERCENT ? " %" : "");
}

static void list_text(const struct report_field *field, const struct value *list, char *cell)
{
	char low[TABLE_CELL_BYTES], high[TABLE_CELL_BYTES];

	if (field->kind == VALUE_SLOPES)
		real_text(field, VALUE_SLOPE, list->reals[1], cell);
	if (field->kind != VALUE_RANGE)
		return;
	real_text(field, field->ends, list->reals[0], low);
	real_text(field, field->ends, list->reals[1], high);
	snprintf(cell, TABLE_CELL_BYTES, "%.200s to %.200s", low, high);
}

static void value_text(const struct report_field *field, const struct value *value, char *cell)
{
	char text[UNIT_TEXT_BYTES];

	if (value->type == INTEGER)
		integer_text(field->kind, value->integer, cell);
	else if (value->type == ATTOSECONDS)
		snprintf(cell, TABLE_CELL_BYTES, "%s",
			 format_time((double)((long double)value->as / AS_PER_NS), LONG_DIGITS,
				     text));
	else if (value->type == NAME)
		text_show(value->name, cell, TABLE_CELL_BYTES);
	else if (value->type == REAL)
		real_text(field, field->kind, value->real, cell);
	else if (value->type == LIST)
		list_text(field, value, cell);
	else if (value->type == TRUTH)
		snprintf(cell, TABLE_CELL_BYTES, "%s", value->integer ? "yes" : "no");
}

static void list_json(struct json *json, const char *key, const struct value *list)
{
	json_begin(json, key, '[', JSON_INLINE);
	for (size_t i = 0; i < list->count; i++) {
		if (list->counts)
			json_integer(json, NULL, list->counts[i]);
		else if (list->names)
			json_text(json, NULL, list->names[i]);
		else if (list->truths)
			json_boolean(json, NULL, list->truths[i]);
		else
			json_number(json, NULL, list->reals[i]);
	}
	json_end(json);
}

static void slopes_json(struct json *json, const char *key, const double *slopes)
{
	json_begin(json, key, '{', JSON_INLINE);
	json_number(json, "left", slopes[0]);
	json_number(json, "right", slopes[1]);
	json_end(json);
}

static void value_json(struct json *json, const struct report_field *field, const struct value *value)
{
	const char *key = field->key;

	switch (value->type) {
	case NOTHING:
		json_null(json, key);
		break;
	case MISSING:
		break;
	case INTEGER:
		json_integer(json, key, value->integer);
		break;
	case ATTOSECONDS:
		json_attoseconds(json, key, value->as);
		break;
	case REAL:
		json_number(json, key, value->real);
		break;
	case NAME:
		json_text(json, key, value->name);
		break;
	case TRUTH:
		json_boolean(json, key, value->integer);
		break;
	case LIST:
		if (field->kind == VALUE_SLOPES)
			slopes_json(json, key, value->reals);
		else
			list_json(json, key, value);
		break;
	}
}

static void value_csv(FILE *stream, const struct value *value)
{
	char text[NUMBER_TEXT_BYTES];

	fputc(',', stream);
	if (value->type == INTEGER)
		fprintf(stream, "%" PRIu64, value->integer);
	else if (value->type == ATTOSECONDS)
		fputs(attoseconds_text(value->as, text), stream);
	else if (value->type == REAL)
		fputs(number_text(value->real, text), stream);
	else if (value->type == NAME)
		text_print_csv(stream, value->name);
	else if (value->type == TRUTH)
		fputs(value->integer ? "true" : "false", stream);
}

static bool is_in_csv(const struct report_field *field)
{
	return field->key && !(field->flags & FIELD_JSON);
}

static const char *name_in_csv(const struct report_field *field)
{
	return field->quantity ? field->quantity : field->key;
}

static void first_columns(const struct report *report, bool names)
{
	if (report->first_columns)
		report->first_columns(report->stream, report->first_data, names);
	else
		text_print_csv(report->stream, names ? "file" : report->file);
}

/* Write a line of CSV.  end: of the quantity's name. */
static void line_csv(const struct report_row *row, const char *end, const struct value *value)
{
	const struct report *report = row->report;
	const struct report_field *field = row->field - 1;

	first_columns(report, false);
	fprintf(report->stream, ",%s%s", name_in_csv(field), end);
	if (report->qualifier)
		value_csv(report->stream, &(struct value){.type = NAME,
							  .name = row->qualifier ? row->qualifier : ""});
	fprintf(report->stream, ",%s", field->unit ? field->unit : "1");
	value_csv(report->stream, value);
	fputc('\n', report->stream);
}

/* Write a value as a line, a range or slopes as two.  A truth is 0 or 1. */
static void fact_csv(const struct report_row *row, const struct value *value)
{
	const bool is_slopes = row->field[-1].kind == VALUE_SLOPES;

	if (value->type == NOTHING && row->is_facts)
		return;
	if (value->type == LIST && value->reals) {
		line_csv(row, is_slopes ? "" : "_low",
			 &(struct value){.type = REAL, .real = value->reals[is_slopes]});
		line_csv(row, is_slopes ? "_left" : "_high",
			 &(struct value){.type = REAL, .real = value->reals[!is_slopes]});
	} else if (value->type == TRUTH) {
		line_csv(row, "", &(struct value){.type = INTEGER, .integer = value->integer});
	} else if (value->type != MISSING) {
		line_csv(row, "", value);
	}
}

static void put(struct report_row *row, const struct value *value)
{
	const struct report_field *field = row->field++;

	assert(field->kind != VALUE_END);
	if (row->lacks_optional && field->flags & FIELD_OPTIONAL)
		return;
	if (row_in_text(row)) {
		if (field->heading)
			value_text(field, value, *row->cells++);
		if (field->heading && row->notes)
			row->notes++;
	} else if (field->key && row->report->format == REPORT_JSON) {
		if (!(field->flags & FIELD_CSV))
			value_json(row->json, field, value);
	} else if (is_in_csv(field) && row->report->csv_facts) {
		fact_csv(row, value);
	} else if (is_in_csv(field)) {
		value_csv(row->report->stream, value);
	}
}

void row_qualify(struct report_row *row, const char *qualifier)
{
	row->qualifier = qualifier;
}

void row_note(struct report_row *row, const char *format, ...)
{
	va_list arguments;

	if (!row->notes)
		return;
	va_start(arguments, format);
	vsnprintf(*row->notes, TABLE_CELL_BYTES, format, arguments);
	va_end(arguments);
}

bool row_in_text(const struct report_row *row)
{
	return row->report->format == REPORT_TEXT || row->report->format == REPORT_PAGE;
}

void put_count(struct report_row *row, uint64_t value)
{
	put(row, &(struct value){.type = INTEGER, .integer = value});
}

void put_attoseconds(struct report_row *row, __int128 as)
{
	put(row, &(struct value){.type = ATTOSECONDS, .as = as});
}

void put_number(struct report_row *row, double value)
{
	put(row, &(struct value){.type = isnan(value) ? NOTHING : REAL, .real = value});
}

void put_share(struct report_row *row, uint64_t part, uint64_t whole)
{
	put_number(row, whole ? (double)part / (double)whole : 0);
}

void put_name(struct report_row *row, const char *text)
{
	put(row, &(struct value){.type = text ? NAME : NOTHING, .name = text});
}

void put_truth(struct report_row *row, bool value)
{
	put(row, &(struct value){.type = TRUTH, .integer = value});
}

void put_counts(struct report_row *row, const uint32_t *values, size_t count)
{
	put(row, &(struct value){.type = LIST, .counts = values, .count = count});
}

void put_names(struct report_row *row, const char *const *names, size_t count)
{
	put(row, &(struct value){.type = LIST, .names = names, .count = count});
}

void put_range(struct report_row *row, double low, double high)
{
	const double both[] = {low, high};

	put(row, &(struct value){.type = LIST, .reals = both, .count = 2});
}

void put_slopes(struct report_row *row, double left, double right)
{
	const double both[] = {left, right};

	put(row, &(struct value){.type = LIST, .reals = both, .count = 2});
}

void put_truths(struct report_row *row, const bool *values, size_t count)
{
	put(row, &(struct value){.type = LIST, .truths = values, .count = count});
}

void put_none(struct report_row *row)
{
	put(row, &(struct value){.type = NOTHING});
}

void put_count_or_none(struct report_row *row, uint64_t value, bool known)
{
	put(row, &(struct value){.type = known ? INTEGER : NOTHING, .integer = value});
}

void put_missing(struct report_row *row)
{
	put(row, &(struct value){.type = MISSING});
}

/* Let the row have all of its values put. */
static void write_row(const struct report_table *table, struct report_row *row, size_t number)
{
	row->field = table->fields;
	row->lacks_optional = table->lacks_optional;
	table->row(row, table->data, number);
	assert(row->field->kind == VALUE_END);
}

/* ----------------------------------------------------------------- tables, text */

/* A table as common/table.h wants it. */
struct printed {
	const struct report *report;
	const struct report_table *table;
	size_t chosen[REPORT_MOST_ROWS];
};

static void print_cells(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct printed *printed = data;
	const struct report_table *table = printed->table;
	write_row(table, &(struct report_row){.report = printed->report, .cells = cells},
		  table->weight ? printed->chosen[number] : number);
}

static enum table_align align_of(const struct report_field *field)
{
	return field->left || (field->kind == VALUE_NAME && !field->right) ? TABLE_LEFT : TABLE_RIGHT;
}

static int columns_of(const struct report_table *table, struct table_column *columns)
{
	int count = 0;

	for (const struct report_field *field = table->fields; field->kind != VALUE_END; field++)
		if (field->heading && !(table->lacks_optional && field->flags & FIELD_OPTIONAL))
			columns[count++] = (struct table_column){*field->heading ? field->heading
										 : NULL,
								 align_of(field), field->width};
	return count;
}

/* Choose the rows that are shown, and return their number. */
static size_t choose_rows(struct printed *printed)
{
	const struct report_table *table = printed->table;

	if (table->weight)
		return report_largest(table->count, table->weight, table->data, table->most,
				      printed->chosen);
	return table->most && table->most < table->count ? table->most : table->count;
}

static void table_text(const struct report *report, const struct report_table *table)
{
	struct table_column columns[TABLE_MOST_COLUMNS];
	struct printed printed = {.report = report, .table = table};
	const int column_count = columns_of(table, columns);
	const size_t shown = choose_rows(&printed);

	if (!column_count || !shown)
		return;
	if (!table->no_gap)
		fputc('\n', report->stream);
	if (table->title)
		fprintf(report->stream, "%s\n", table->title);
	table_print(report->stream, columns, column_count, shown, print_cells, &printed);
	if (table->counts_rest && shown < table->count)
		fprintf(report->stream, table->lists_all ? "and %zu more; %s lists all\n" : "and %zu more\n",
			table->count - shown, table->lists_all);
}

/* ----------------------------------------------------------------- tables, page */

/* Write a heading as html_table wants it, with Greek letters instead of their names. */
static void page_heading(const struct table_column *column, char *heading)
{
	const char *text = column->heading ? column->heading : "";
	const bool lambda = !strncmp(text, "lambda_", 7), rho = !strncmp(text, "rho_", 4);

	snprintf(heading, TABLE_CELL_BYTES, "%s%s%s", column->align == TABLE_RIGHT ? ">" : "",
		 lambda ? "λ" : rho ? "ρ" : "", text + (lambda ? 6 : rho ? 3 : 0));
}

/* Write a cell: a text or, if it is right, a number, with µs instead of us. */
static void page_cell(struct html *page, const char *cell, enum table_align align)
{
	const char *us = align == TABLE_RIGHT ? strstr(cell, " us") : NULL;
	char text[TABLE_CELL_BYTES];

	snprintf(text, sizeof text, "%.*s%s%s", us ? (int)(us - cell) : (int)strlen(cell), cell,
		 us ? " µ" : "", us ? us + 2 : "");
	(align == TABLE_RIGHT ? html_number : html_cell)(page, text);
}

static void page_row(struct html *page, const struct printed *printed, size_t number,
		     const struct table_column *columns, int column_count)
{
	char cells[TABLE_MOST_COLUMNS][TABLE_CELL_BYTES];

	for (int i = 0; i < column_count; i++)
		*cells[i] = '\0';
	print_cells(printed, number, cells);
	html_row(page);
	for (int i = 0; i < column_count; i++)
		page_cell(page, cells[i], columns[i].align);
	html_row_end(page);
}

static void table_page(const struct report *report, const struct report_table *table)
{
	struct table_column columns[TABLE_MOST_COLUMNS];
	char texts[TABLE_MOST_COLUMNS][TABLE_CELL_BYTES];
	const char *headings[TABLE_MOST_COLUMNS];
	struct printed printed = {.report = report, .table = table};
	const int column_count = columns_of(table, columns);
	const size_t shown = choose_rows(&printed);

	if (!column_count || !shown)
		return;
	for (int i = 0; i < column_count; i++) {
		page_heading(&columns[i], texts[i]);
		headings[i] = texts[i];
	}
	html_table(report->page, table->caption ? table->caption : table->title, headings,
		   column_count);
	for (size_t i = 0; i < shown; i++)
		page_row(report->page, &printed, i, columns, column_count);
	html_table_end(report->page);
	if (table->counts_rest && shown < table->count) {
		snprintf(*texts, sizeof *texts, "and %zu more", table->count - shown);
		html_note(report->page, *texts);
	}
}

size_t report_largest(size_t count, report_weight (*weight)(const void *data, size_t number),
		      const void *data, size_t most, size_t chosen[static REPORT_MOST_ROWS])
{
	report_weight weights[REPORT_MOST_ROWS];
	size_t found = 0;

	assert(most <= REPORT_MOST_ROWS);
	for (size_t i = 0; i < count; i++) {
		const report_weight own = weight(data, i);
		size_t at;

		if (!own || (found == most && weights[found - 1] >= own))
			continue;
		at = found == most ? found - 1 : found++;
		for (; at > 0 && weights[at - 1] < own; at--) {
			chosen[at] = chosen[at - 1];
			weights[at] = weights[at - 1];
		}
		chosen[at] = i;
		weights[at] = own;
	}
	return found;
}

/* ------------------------------------------------------------ tables, JSON and CSV */

static void table_json(struct report *report, const struct report_table *table)
{
	json_begin(&report->json, table->key, table->members ? '{' : '[', JSON_LINES);
	for (size_t i = 0; i < table->count; i++) {
		json_begin(&report->json, table->members ? table->members[i] : NULL, '{', JSON_INLINE);
		write_row(table, &(struct report_row){.report = report, .json = &report->json}, i);
		json_end(&report->json);
	}
	json_end(&report->json);
}

/* table: NULL for facts only. */
static void csv_heading(struct report *report, const struct report_table *table)
{
	if (report->has_csv_heading)
		return;
	report->has_csv_heading = true;
	first_columns(report, true);
	if (report->csv_facts) {
		fprintf(report->stream, report->qualifier ? ",quantity,%s,unit,value\n" : ",quantity,unit,value\n",
			report->qualifier);
		return;
	}
	for (const struct report_field *field = table->fields; field->kind != VALUE_END; field++)
		if (is_in_csv(field) && !(table->lacks_optional && field->flags & FIELD_OPTIONAL))
			fprintf(report->stream, ",%s", name_in_csv(field));
	fputc('\n', report->stream);
}

static void table_csv(struct report *report, const struct report_table *table)
{
	csv_heading(report, table);
	for (size_t i = 0; i < table->count; i++) {
		if (!report->csv_facts)
			first_columns(report, false);
		write_row(table, &(struct report_row){.report = report}, i);
		if (!report->csv_facts)
			fputc('\n', report->stream);
	}
}

void report_table(struct report *report, const struct report_table *table)
{
	switch (report->format) {
	case REPORT_TEXT:
		table_text(report, table);
		break;
	case REPORT_JSON:
		if (table->key)
			table_json(report, table);
		break;
	case REPORT_CSV:
		if (table->key && (report->csv_facts || !strcmp(table->key, report->rows)))
			table_csv(report, table);
		break;
	case REPORT_SCHEMA:
		if (table->key)
			schema_table(report, table);
		break;
	case REPORT_PAGE:
		table_page(report, table);
		break;
	}
}

void report_list(struct report *report, const struct report_list *list)
{
	const bool is_json = report->format == REPORT_JSON, is_list = is_json && !list->is_object;

	assert(!list->is_object || list->count == 1);
	if (report->format == REPORT_SCHEMA) {
		schema_list(report, list);
		return;
	}
	if (is_list)
		json_begin(&report->json, list->key, '[', JSON_LINES);
	for (size_t i = 0; i < list->count; i++) {
		if (is_json)
			json_begin(&report->json, is_list ? NULL : list->key, '{', JSON_LINES);
		list->object(report, list->data, i);
		if (is_json)
			json_end(&report->json);
	}
	if (is_list)
		json_end(&report->json);
}

/* ------------------------------------------------------------------ facts and lines */

static void write_facts(const struct report_facts *facts, struct report_row *row)
{
	row->field = facts->fields;
	row->is_facts = true;
	facts->row(row, facts->data, 0);
}

struct fact_lines {
	size_t count;
	const char *labels[REPORT_MOST_FACTS];
	char values[REPORT_MOST_FACTS][TABLE_CELL_BYTES], notes[REPORT_MOST_FACTS][TABLE_CELL_BYTES];
};

static void fact_cells(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct fact_lines *lines = data;

	snprintf(cells[0], TABLE_CELL_BYTES, "%s", lines->labels[number]);
	memcpy(cells[1], lines->values[number], TABLE_CELL_BYTES);
	memcpy(cells[2], lines->notes[number], TABLE_CELL_BYTES);
}

/* Leave out the values that are none.  Returns whether there are notes. */
static bool keep_known(struct fact_lines *lines)
{
	bool has_notes = false;
	size_t kept = 0;

	for (size_t i = 0; i < lines->count; i++) {
		if (!*lines->values[i])
			continue;
		has_notes |= *lines->notes[i] != '\0';
		lines->labels[kept] = lines->labels[i];
		memmove(lines->values[kept], lines->values[i], TABLE_CELL_BYTES);
		memmove(lines->notes[kept++], lines->notes[i], TABLE_CELL_BYTES);
	}
	lines->count = kept;
	return has_notes;
}

static void facts_text(const struct report *report, const struct report_facts *facts)
{
	static const struct table_column columns[3] = {{.align = TABLE_LEFT}};
	struct fact_lines lines;

	lines.count = 0;
	for (const struct report_field *field = facts->fields; field->kind != VALUE_END; field++) {
		if (!field->heading)
			continue;
		assert(lines.count < REPORT_MOST_FACTS);
		*lines.values[lines.count] = *lines.notes[lines.count] = '\0';
		lines.labels[lines.count++] = field->heading;
	}
	if (!lines.count)
		return;
	write_facts(facts, &(struct report_row){.report = report, .cells = lines.values,
						.notes = lines.notes});
	if (keep_known(&lines))
		table_print(report->stream, columns, 3, lines.count, fact_cells, &lines);
	else
		for (size_t i = 0; i < lines.count; i++)
			report_line(report, lines.labels[i], "%s", lines.values[i]);
}

static void facts_csv(struct report *report, const struct report_facts *facts)
{
	csv_heading(report, NULL);
	write_facts(facts, &(struct report_row){.report = report});
}

static void facts_json(struct report *report, const struct report_facts *facts)
{
	if (facts->key)
		json_begin(&report->json, facts->key, '{', facts->one_line ? JSON_INLINE : JSON_LINES);
	write_facts(facts, &(struct report_row){.report = report, .json = &report->json});
	if (facts->key)
		json_end(&report->json);
}

void report_facts(struct report *report, const struct report_facts *facts)
{
	if (report->format == REPORT_TEXT && !facts->key)
		facts_text(report, facts);
	else if (report->format == REPORT_JSON)
		facts_json(report, facts);
	else if (report->format == REPORT_SCHEMA)
		schema_facts(report, facts);
	else if (report->format == REPORT_CSV && report->csv_facts)
		facts_csv(report, facts);
}

void report_line(const struct report *report, const char *label, const char *format, ...)
{
	va_list arguments;

	if (report->format != REPORT_TEXT)
		return;
	fprintf(report->stream, "%-*s", report->label_width ? report->label_width : LABEL_WIDTH,
		label);
	va_start(arguments, format);
	vfprintf(report->stream, format, arguments);
	va_end(arguments);
	fputc('\n', report->stream);
}

void report_begin(struct report *report, const char *schema)
{
	report->json.stream = report->stream;
	report->has_csv_heading = false;
	if (report->format == REPORT_JSON) {
		json_begin(&report->json, NULL, '{', JSON_LINES);
		json_text(&report->json, "schema", schema);
	} else if (report->format == REPORT_SCHEMA) {
		schema_begin(report, schema);
	}
}

void report_end(struct report *report)
{
	if (report->format == REPORT_JSON)
		json_end(&report->json);
	else if (report->format == REPORT_SCHEMA)
		schema_end(report);
}

void report_begin_forms(struct report *report)
{
	if (report->format == REPORT_SCHEMA)
		schema_begin_forms(report);
}

void report_end_forms(struct report *report)
{
	if (report->format == REPORT_SCHEMA)
		schema_end_forms(report);
}
