#include "llamp/report/report_compare.h"

#include "common/table.h"
#include "common/text.h"

#include <math.h>
#include <string.h>

enum { LETTERS = 16 };

static const struct fact *fact_of(const struct comparison *comparison, size_t program, size_t fact)
{
	return &comparison->items[program].facts.items[fact];
}

static struct difference difference_of(const struct comparison *comparison, size_t program,
				       size_t fact)
{
	return facts_differ(fact_of(comparison, 0, fact), fact_of(comparison, program, fact));
}

/* Whether all programs have the value 0, or none is known. */
static bool is_empty(const struct comparison *comparison, size_t fact)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const double value = fact_of(comparison, i, fact)->value;

		if (!isnan(value) && value != 0)
			return false;
	}
	return true;
}

static bool starts_with(const struct fact *fact, const char *prefix)
{
	return !strncmp(fact->quantity, prefix, strlen(prefix));
}

/* -------------------------------------------------------------------- text */

/* Write a value of the fact's kind, "" if it is unknown. */
static void show_value(const struct fact *fact, double value, char text[static UNIT_TEXT_BYTES])
{
	text[0] = '\0';
	if (isnan(value))
		return;
	switch (fact->kind) {
	case FACT_COUNT:
		report_number(value, text);
		break;
	case FACT_TIME:
		report_time(value, text);
		break;
	case FACT_SLOPE:
		report_number(value, text);
		strcat(text, report_variable(fact->variable).slope_unit);
		break;
	case FACT_SHARE:
		snprintf(text, UNIT_TEXT_BYTES, "%.2f %%", 100 * value);
		break;
	case FACT_VALUE:
		if (value == -INFINITY)
			strcpy(text, "none");
		else
			report_value(fact->variable, value, text);
		break;
	}
}

static void show_difference(const struct fact *fact, double absolute, char *cell)
{
	char text[UNIT_TEXT_BYTES];

	if (!isfinite(absolute))
		return;
	if (fact->kind == FACT_SHARE)
		snprintf(text, sizeof text, "%.2f points", 100 * fabs(absolute));
	else
		show_value(fact, fabs(absolute), text);
	snprintf(cell, TABLE_CELL_BYTES, "%s%s",
		 absolute > 0 ? "+" : absolute < 0 ? "-" : "", text);
}

static void show_percent(double percent, char *cell)
{
	if (isfinite(percent))
		snprintf(cell, TABLE_CELL_BYTES, "%s%.2f %%",
			 percent > 0 ? "+" : "", percent == 0 ? 0 : percent);
}

/* Whether tolerances are relative to another runtime than T. */
static bool has_baseline(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->items[0].facts.count; i++)
		if (!strcmp(fact_of(comparison, 0, i)->quantity, "baseline"))
			return true;
	return false;
}

/* Name of a quantity in the heading of a row or column. */
static void name_fact(const struct comparison *comparison, size_t at, char *name)
{
	const struct fact *fact = fact_of(comparison, 0, at);
	char percent[UNIT_TEXT_BYTES];

	if (fact->kind == FACT_VALUE) {
		snprintf(name, TABLE_CELL_BYTES, "%s for %s +%s %%", fact->variable->name,
			 has_baseline(comparison) ? "baseline" : "T", report_number(fact->percent, percent));
		return;
	}
	snprintf(name, TABLE_CELL_BYTES, "%s",
		 !strcmp(fact->quantity, "runtime") ? "T" :
		 !strcmp(fact->quantity, "runtime_to_traced") ? "T / traced" : fact->quantity);
	if (starts_with(fact, "path_") || !strcmp(fact->quantity, "compute_share"))
		*strchr(name, '_') = ' ';
}

/* Name a program: A ... Z, AA ... */
static const char *letters_of(size_t program, char letters[static LETTERS])
{
	char *at = letters + LETTERS - 1;

	*at = '\0';
	for (size_t rest = program + 1; rest; rest = (rest - 1) / 26)
		*--at = (char)('A' + (rest - 1) % 26);
	return at;
}

/* Facts that a table shows. */
enum { MOST_SHOWN = 128 };

struct shown {
	const struct comparison *comparison;
	size_t facts[MOST_SHOWN];
	size_t count;
	bool differences;	/* values are differences to the first program */
};

/* Sizes are in the list of programs, and what a tolerance adds to the parameter follows from it. */
static bool is_shown(const struct comparison *comparison, size_t fact)
{
	const struct fact *first = fact_of(comparison, 0, fact);

	if (starts_with(first, "tolerance_delta_") || !strcmp(first->quantity, "ranks") ||
	    !strcmp(first->quantity, "operations") || !strcmp(first->quantity, "messages"))
		return false;
	return !is_empty(comparison, fact) || !strcmp(first->quantity, "runtime");
}

static void find_shown(struct shown *shown, const struct comparison *comparison)
{
	const size_t count = comparison->items[0].facts.count;

	*shown = (struct shown){.comparison = comparison};
	for (size_t i = 0; i < count && shown->count < MOST_SHOWN; i++)
		if (is_shown(comparison, i))
			shown->facts[shown->count++] = i;
}

/* ------------------------------------------------- programs as columns */

/* Row of two programs: name, both values, the differences. */
static void pair_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct shown *shown = data;
	const struct comparison *comparison = shown->comparison;
	const size_t at = shown->facts[number];
	const struct difference difference = difference_of(comparison, 1, at);

	name_fact(comparison, at, cells[0]);
	for (size_t i = 0; i < 2; i++)
		show_value(fact_of(comparison, i, at),
			   fact_of(comparison, i, at)->value, cells[i + 1]);
	show_difference(fact_of(comparison, 1, at), difference.absolute, cells[3]);
	show_percent(difference.percent, cells[4]);
}

/* Row of three programs: name, and all values or all differences. */
static void three_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct shown *shown = data;
	const struct comparison *comparison = shown->comparison;
	const size_t at = shown->facts[number];

	name_fact(comparison, at, cells[0]);
	for (size_t i = shown->differences; i < comparison->count; i++) {
		const struct difference difference = difference_of(comparison, i, at);
		const struct fact *fact = fact_of(comparison, i, at);

		if (!shown->differences) {
			show_value(fact, fact->value, cells[i + 1]);
			continue;
		}
		show_difference(fact, difference.absolute, cells[2 * i - 1]);
		show_percent(difference.percent, cells[2 * i]);
	}
}

enum { MOST_COLUMNS = 3 };	/* programs as columns */

static void print_as_columns(FILE *stream, struct shown *shown)
{
	static const struct table_column pair[] = {
		{NULL, TABLE_LEFT, 0}, {"A", TABLE_RIGHT, 0}, {"B", TABLE_RIGHT, 0},
		{"B - A", TABLE_RIGHT, 0}, {"(B - A) / A", TABLE_RIGHT, 0},
	};
	static const struct table_column values[] = {
		{NULL, TABLE_LEFT, 0}, {"A", TABLE_RIGHT, 0}, {"B", TABLE_RIGHT, 0},
		{"C", TABLE_RIGHT, 0},
	};
	static const struct table_column differences[] = {
		{NULL, TABLE_LEFT, 0}, {"B - A", TABLE_RIGHT, 0}, {"(B - A) / A", TABLE_RIGHT, 0},
		{"C - A", TABLE_RIGHT, 0}, {"(C - A) / A", TABLE_RIGHT, 0},
	};

	if (shown->comparison->count == 2) {
		table_print(stream, pair, 5, shown->count, pair_row, shown);
		return;
	}
	table_print(stream, values, 4, shown->count, three_row, shown);
	putc('\n', stream);
	shown->differences = true;
	table_print(stream, differences, 5, shown->count, three_row, shown);
}

/* ---------------------------------------------------- programs as rows */

/* Row: program and its values, or its differences to the first one. */
static void program_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct shown *shown = data;
	const struct comparison *comparison = shown->comparison;
	const size_t program = shown->differences ? number + 1 : number;
	char letters[LETTERS];

	snprintf(cells[0], TABLE_CELL_BYTES, "%s%s", letters_of(program, letters),
		 shown->differences ? " - A" : "");
	for (size_t i = 0; i < shown->count; i++) {
		const size_t at = shown->facts[i];
		const struct fact *fact = fact_of(comparison, program, at);
		const struct difference difference = difference_of(comparison, program, at);

		if (!shown->differences) {
			show_value(fact, fact->value, cells[i + 1]);
			continue;
		}
		show_difference(fact, difference.absolute, cells[2 * i + 1]);
		show_percent(difference.percent, cells[2 * i + 2]);
	}
}

/* Print as many facts as a table can have. */
static void print_as_rows(FILE *stream, struct shown *shown)
{
	const size_t each = shown->differences ? 2 : 1;
	struct table_column columns[TABLE_MOST_COLUMNS] = {{NULL, TABLE_LEFT, 0}};
	char names[TABLE_MOST_COLUMNS][TABLE_CELL_BYTES];
	int count = 1;

	if (shown->count > (TABLE_MOST_COLUMNS - 1) / each)
		shown->count = (TABLE_MOST_COLUMNS - 1) / each;
	for (size_t i = 0; i < shown->count; i++) {
		name_fact(shown->comparison, shown->facts[i], names[i]);
		columns[count++] = (struct table_column){names[i], TABLE_RIGHT, 0};
		if (shown->differences)
			columns[count++] = (struct table_column){"of A", TABLE_RIGHT, 0};
	}
	table_print(stream, columns, count,
		    shown->comparison->count - (size_t)shown->differences, program_row, shown);
}

/* Leave out the parts of the path, which would make the table too long to read. */
static void leave_out_path(struct shown *shown)
{
	size_t count = 0;

	for (size_t i = 0; i < shown->count; i++) {
		const struct fact *fact = fact_of(shown->comparison, 0, shown->facts[i]);

		if (!starts_with(fact, "path_") && strcmp(fact->quantity, "compute_share"))
			shown->facts[count++] = shown->facts[i];
	}
	shown->count = count;
}

/* Programs from the first one on. */
struct listed {
	const struct comparison *comparison;
	size_t first;
};

static void name_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct listed *listed = data;
	const struct comparison *comparison = listed->comparison;
	const struct compared *compared = &comparison->items[listed->first + number];
	const struct model *model = &compared->model;
	char letters[LETTERS];

	snprintf(cells[0], TABLE_CELL_BYTES, "%s", letters_of(listed->first + number, letters));
	snprintf(cells[1], TABLE_CELL_BYTES, "%s: %u rank%s, %u operation%s, %u message%s",
		 comparison->network_count > 1 ? compared->label : model->path,
		 model->goal.rank_count, plural(model->goal.rank_count),
		 model->graph.op_count, plural(model->graph.op_count),
		 model->graph.message_count, plural(model->graph.message_count));
}

/* List programs of one network, and its parameters. */
static void print_programs(FILE *stream, const struct comparison *comparison, size_t first,
			   size_t count)
{
	static const struct table_column columns[] = {
		{NULL, TABLE_LEFT, 10}, {NULL, TABLE_LEFT, 0},
	};

	table_print(stream, columns, 2, count, name_row, &(struct listed){comparison, first});
	report_parameters(stream, &comparison->items[first].model, UINT32_MAX, NULL);
	putc('\n', stream);
}

static void print_all_programs(FILE *stream, const struct comparison *comparison)
{
	if (comparison->network_count == 1) {
		print_programs(stream, comparison, 0, comparison->count);
		return;
	}
	for (size_t i = 0; i < comparison->count; i++)
		print_programs(stream, comparison, i, 1);
}

/* Say which order of service the tolerances hold for, if any program has limited resources. */
static void print_order(FILE *stream, const struct comparison *comparison)
{
	const struct compared *limited = comparison->items, *end = limited + comparison->count;

	while (limited < end && !limited->model.loggps.resources)
		limited++;
	if (limited < end)
		fputs(limited->resimulated
			      ? "the order of service was decided again at each tolerance\n"
			      : "tolerances hold for one order of service, that at the given parameters\n",
		      stream);
}

static void compare_text(FILE *stream, const struct comparison *comparison)
{
	struct shown shown;

	find_shown(&shown, comparison);
	print_all_programs(stream, comparison);
	if (comparison->count <= MOST_COLUMNS) {
		print_as_columns(stream, &shown);
	} else {
		print_as_rows(stream, &shown);
		putc('\n', stream);
		leave_out_path(&shown);
		shown.differences = true;
		print_as_rows(stream, &shown);
	}
	print_order(stream, comparison);
}

/* ------------------------------------------------------------ JSON and CSV */

static const char *unit_of(const struct fact *fact)
{
	switch (fact->kind) {
	case FACT_TIME:
		return "ns";
	case FACT_SLOPE:
		return report_variable(fact->variable).slope_csv_unit;
	case FACT_VALUE:
		return report_variable(fact->variable).unit;
	case FACT_COUNT:
	case FACT_SHARE:
		break;
	}
	return "1";
}

static void json_fact(struct json *json, const struct comparison *comparison, size_t program,
		      size_t at)
{
	const struct fact *fact = fact_of(comparison, program, at);
	const struct difference difference = difference_of(comparison, program, at);

	json_begin(json, NULL, '{', JSON_INLINE);
	json_text(json, "quantity", fact->quantity);
	if (!isnan(fact->percent))
		json_number(json, "percent", fact->percent);
	json_text(json, "unit", unit_of(fact));
	json_number(json, "value", fact->value);
	if (fact->value == -INFINITY)
		json_boolean(json, "none", true);
	json_number(json, "difference", difference.absolute);
	json_number(json, "difference_percent", difference.percent);
	json_end(json);
}

static void json_program(struct report *report, const struct comparison *comparison, size_t program)
{
	const struct compared *compared = &comparison->items[program];
	struct json *json = &report->json;

	json_begin(json, NULL, '{', JSON_LINES);
	json_text(json, "file", compared->model.path);
	if (compared->network)
		json_text(json, "network", compared->network);
	else
		json_null(json, "network");
	json_text(json, "engine", engine_name(compared->engine));
	report_model_parameters(report, &compared->model.loggps);
	report_json_tolerance_order(json, &compared->model, compared->resimulated);
	json_begin(json, "facts", '[', JSON_LINES);
	for (size_t i = 0; i < compared->facts.count; i++)
		json_fact(json, comparison, program, i);
	json_end(json);
	json_end(json);
}

static void compare_json(struct report *report, const struct comparison *comparison)
{
	report_begin(report, "llamp-compare-1");
	json_text(&report->json, "vary", comparison->vary);
	json_begin(&report->json, "files", '[', JSON_LINES);
	for (size_t i = 0; i < comparison->count; i++)
		json_program(report, comparison, i);
	json_end(&report->json);
	report_end(report);
}

static void csv_number(FILE *stream, double value)
{
	char text[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%s", isnan(value) ? "" : number_text(value, text));
}

static void report_compare_csv_fact(FILE *stream, const struct comparison *comparison,
				    size_t program, size_t at)
{
	const struct compared *compared = &comparison->items[program];
	const char *order = report_tolerance_order(&compared->model, compared->resimulated);
	const struct fact *fact = fact_of(comparison, program, at);
	const struct difference difference = difference_of(comparison, program, at);

	fprintf(stream, ",%s,%s", comparison->vary, fact->quantity);
	csv_number(stream, fact->percent);
	fprintf(stream, ",%s", unit_of(fact));
	csv_number(stream, fact->value);
	csv_number(stream, difference.absolute);
	csv_number(stream, difference.percent);
	fprintf(stream, ",%s\n", order ? order : "");
}

/* Find the variables of all programs. */
static int find_columns(struct variables *columns, const struct comparison *comparison,
			struct error *err)
{
	*columns = comparison->items[0].model.loggps.variables;
	for (size_t i = 1; i < comparison->count; i++) {
		const struct variables *variables = &comparison->items[i].model.loggps.variables;

		for (uint32_t v = 0; v < variables->count; v++) {
			if (variables_find(columns, variables->of[v].name) >= 0)
				continue;
			if (columns->count == VARIABLES_MOST)
				return error_set(err, STATUS_LIMIT, "the networks have more than"
						 " %d variables together", VARIABLES_MOST);
			columns->of[columns->count++] = variables->of[v];
		}
	}
	return 0;
}

static int compare_csv(FILE *stream, const struct comparison *comparison, struct error *err)
{
	struct variables columns;

	TRY(find_columns(&columns, comparison, err));
	report_csv_model_columns(stream, &columns);
	fputs(",network,vary,quantity,percent,unit,value,difference,difference_percent,tolerance_order\n",
	      stream);
	for (size_t i = 0; i < comparison->count; i++) {
		const struct compared *compared = &comparison->items[i];

		for (size_t k = 0; k < compared->facts.count; k++) {
			report_csv_model_in(stream, &columns, &compared->model, compared->engine);
			putc(',', stream);
			text_print_csv(stream, compared->network ? compared->network : "");
			report_compare_csv_fact(stream, comparison, i, k);
		}
	}
	return 0;
}

int report_compare(struct report *report, const struct comparison *comparison, struct error *err)
{
	if (report->format == REPORT_CSV)
		return compare_csv(report->stream, comparison, err);
	if (report->format == REPORT_TEXT)
		compare_text(report->stream, comparison);
	else
		compare_json(report, comparison);
	return 0;
}
