#include "llamp/report/report_compare.h"

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
	char number[UNIT_TEXT_BYTES];

	if (!isfinite(value) && value != INFINITY)
		strcpy(text, isnan(value) ? "" : "none");
	else if (fact->kind == FACT_TIME)
		report_time(value, text);
	else if (fact->kind == FACT_VALUE)
		report_value(fact->variable, value, text);
	else if (fact->kind == FACT_SHARE)
		snprintf(text, UNIT_TEXT_BYTES, "%.2f %%", 100 * value);
	else
		snprintf(text, UNIT_TEXT_BYTES, "%s%s", report_number(value, number),
			 fact->variable ? report_variable(fact->variable).slope_unit : "");
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

/* Sizes are in the list of programs, and what a tolerance adds to the parameter follows from it. */
static bool is_shown(const struct comparison *comparison, size_t fact)
{
	const struct fact *first = fact_of(comparison, 0, fact);

	if (starts_with(first, "tolerance_delta_") || !strcmp(first->quantity, "ranks") ||
	    !strcmp(first->quantity, "operations") || !strcmp(first->quantity, "messages"))
		return false;
	return !is_empty(comparison, fact) || !strcmp(first->quantity, "runtime");
}

enum { MOST_SHOWN = 256 };	/* facts, more than there can be */

enum cell_kind { CELL_VALUE, CELL_DIFFERENCE, CELL_PERCENT };

/* Table whose rows are facts and whose columns are programs, or the other way round. */
struct grid {
	const struct comparison *comparison;
	size_t facts[MOST_SHOWN], fact_count;
	bool by_program;	/* rows are programs */
	size_t first;		/* of the programs that are rows */
	/* Program, or place of the fact in `facts`, and what of it. */
	struct {
		size_t at;
		enum cell_kind kind;
	} columns[TABLE_MOST_COLUMNS - 1];
	size_t column_count;
	bool goes_on;		/* a table has been written */
};

static void name_column(const struct grid *grid, size_t column, char *heading)
{
	const size_t at = grid->columns[column].at;
	const enum cell_kind kind = grid->columns[column].kind;
	char letters[LETTERS];

	if (!grid->by_program)
		snprintf(heading, TABLE_CELL_BYTES,
			 kind == CELL_VALUE ? "%s" : kind == CELL_DIFFERENCE ? "%s - A" : "(%s - A) / A",
			 letters_of(at, letters));
	else if (kind == CELL_PERCENT)
		strcpy(heading, "of A");
	else
		name_fact(grid->comparison, grid->facts[at], heading);
}

static void put_cell(struct report_row *row, const struct comparison *comparison, size_t program,
		     size_t at, enum cell_kind kind)
{
	const struct fact *fact = fact_of(comparison, program, at);
	const struct difference difference = difference_of(comparison, program, at);
	char cell[TABLE_CELL_BYTES] = "";

	if (kind == CELL_VALUE)
		show_value(fact, fact->value, cell);
	else if (kind == CELL_DIFFERENCE)
		show_difference(fact, difference.absolute, cell);
	else
		show_percent(difference.percent, cell);
	put_name(row, cell);
}

static void grid_row(struct report_row *row, const void *data, size_t number)
{
	const struct grid *grid = data;
	char name[TABLE_CELL_BYTES], letters[LETTERS];

	if (grid->by_program)
		snprintf(name, sizeof name, "%s%s", letters_of(grid->first + number, letters),
			 grid->first ? " - A" : "");
	else
		name_fact(grid->comparison, grid->facts[number], name);
	put_name(row, name);
	for (size_t i = 0; i < grid->column_count; i++) {
		const size_t at = grid->columns[i].at;

		put_cell(row, grid->comparison, grid->by_program ? grid->first + number : at,
			 grid->facts[grid->by_program ? at : number], grid->columns[i].kind);
	}
}

/* Write the table, and begin another one. */
static void write_grid(struct report *report, struct grid *grid)
{
	struct report_field fields[TABLE_MOST_COLUMNS + 1] = {{NULL, "", .kind = VALUE_NAME}};
	char headings[TABLE_MOST_COLUMNS][TABLE_CELL_BYTES];

	for (size_t i = 0; i < grid->column_count; i++) {
		name_column(grid, i, headings[i]);
		fields[1 + i] = (struct report_field){NULL, headings[i], VALUE_NAME, .right = true};
	}
	report_table(report, &(struct report_table){
		.no_gap = !grid->goes_on, .fields = fields, .row = grid_row,
		.data = grid, .count = grid->by_program ? grid->comparison->count - grid->first
							: grid->fact_count});
	grid->column_count = 0;
	grid->goes_on = true;
}

/* Add a column of values, or two of differences to the first program; without room in another table. */
static void add_columns(struct report *report, struct grid *grid, size_t at, bool differences)
{
	if (grid->column_count + differences >= TABLE_MOST_COLUMNS - 1)
		write_grid(report, grid);
	for (enum cell_kind kind = differences; kind <= (differences ? CELL_PERCENT : CELL_VALUE); kind++) {
		grid->columns[grid->column_count].at = at;
		grid->columns[grid->column_count++].kind = kind;
	}
}

enum { MOST_COLUMNS = 3 };	/* programs as columns */

/* Two programs have one table of values and differences. */
static void write_as_columns(struct report *report, struct grid *grid)
{
	const size_t count = grid->comparison->count;

	for (size_t i = 0; i < count; i++)
		add_columns(report, grid, i, false);
	if (count > 2)
		write_grid(report, grid);
	for (size_t i = 1; i < count; i++)
		add_columns(report, grid, i, true);
	write_grid(report, grid);
}

/* Differences of the path's parts are left out: they would make the table too long to read. */
static void write_as_rows(struct report *report, struct grid *grid)
{
	grid->by_program = true;
	for (size_t i = 0; i < grid->fact_count; i++)
		add_columns(report, grid, i, false);
	write_grid(report, grid);
	grid->first = 1;
	for (size_t i = 0; i < grid->fact_count; i++) {
		const struct fact *fact = fact_of(grid->comparison, 0, grid->facts[i]);

		if (!starts_with(fact, "path_") && strcmp(fact->quantity, "compute_share"))
			add_columns(report, grid, i, true);
	}
	write_grid(report, grid);
}

/* ----------------------------------------------------------------- the programs */

/* Programs from the first one on. */
struct listed {
	const struct comparison *comparison;
	size_t first;
};

static const struct report_field listed_fields[] = {
	{NULL, "", VALUE_NAME, .width = 10}, {NULL, "", .kind = VALUE_NAME}, {0},
};

static void listed_row(struct report_row *row, const void *data, size_t number)
{
	const struct listed *listed = data;
	const struct comparison *comparison = listed->comparison;
	const struct compared *compared = &comparison->items[listed->first + number];
	const struct model *model = &compared->model;
	char letters[LETTERS], text[TABLE_CELL_BYTES];

	put_name(row, letters_of(listed->first + number, letters));
	snprintf(text, sizeof text, "%s: %u rank%s, %u operation%s, %u message%s",
		 comparison->network_count > 1 ? compared->label : model->path,
		 model->goal.rank_count, plural(model->goal.rank_count),
		 model->graph.op_count, plural(model->graph.op_count),
		 model->graph.message_count, plural(model->graph.message_count));
	put_name(row, text);
}

/* List programs of one network, and its parameters. */
static void list_programs(struct report *report, const struct comparison *comparison, size_t first,
			  size_t count)
{
	report_table(report, &(struct report_table){
		.no_gap = true, .fields = listed_fields, .row = listed_row,
		.data = &(struct listed){comparison, first}, .count = count});
	report_parameters(report->stream, &comparison->items[first].model, UINT32_MAX, NULL);
	putc('\n', report->stream);
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

static void compare_text(struct report *report, const struct comparison *comparison)
{
	const size_t together = comparison->network_count == 1 ? comparison->count : 1;
	struct grid grid = {.comparison = comparison};

	for (size_t i = 0; i < comparison->items[0].facts.count && grid.fact_count < MOST_SHOWN; i++)
		if (is_shown(comparison, i))
			grid.facts[grid.fact_count++] = i;
	for (size_t i = 0; i < comparison->count; i += together)
		list_programs(report, comparison, i, together);
	if (comparison->count <= MOST_COLUMNS)
		write_as_columns(report, &grid);
	else
		write_as_rows(report, &grid);
	print_order(report->stream, comparison);
}

/* ------------------------------------------------------------ JSON and CSV */

static const char *unit_of(const struct fact *fact)
{
	if (!fact->variable)
		return fact->kind == FACT_TIME ? "ns" : "1";
	return fact->kind == FACT_SLOPE ? report_variable(fact->variable).slope_csv_unit
					: report_variable(fact->variable).unit;
}

/* Program `number` of a comparison, and the variables of all. */
struct program {
	const struct comparison *comparison;
	const struct variables *variables;
	size_t number;
};

static const struct compared *compared_of(const struct program *program)
{
	return &program->comparison->items[program->number];
}

static const struct report_field program_fields[] = {
	{"file", NULL, VALUE_NAME, .meaning = "Name of the graph on the command line"},
	{"network", NULL, VALUE_NAME, .flags = FIELD_NULL, .meaning = "File of --params, or null"},
	{"engine", NULL, VALUE_NAME, .values = engine_names + 1,
	 .meaning = "Engine that found the results"},
	{0},
};

static void program_row(struct report_row *row, const void *data, size_t number)
{
	const struct compared *compared = compared_of(data);

	(void)number;
	put_name(row, compared->model.path);
	put_name(row, compared->network);
	put_name(row, engine_names[compared->engine]);
}

static const struct report_field order_fields[] = {{REPORT_TOLERANCE_ORDER}, {0}};

static void put_order(struct report_row *row, const void *data, size_t number)
{
	const struct compared *compared = compared_of(data);

	(void)number;
	put_name(row, report_tolerance_order(&compared->model, compared->resimulated));
}

static const struct report_field fact_fields[] = {
	{"network", NULL, VALUE_NAME, .flags = FIELD_CSV},
	{"vary", NULL, VALUE_NAME, .flags = FIELD_CSV},
	{"quantity", NULL, VALUE_NAME,
	 .meaning = "ranks, operations, messages; runtime (T); traced (length of the traced run); lambda and rho of"
		    " variables; with --baseline baseline; tolerance_L (L up to which T is no more than `percent`"
		    " above T or the baseline), tolerance_delta_L (L - L0); on the critical path path_messages,"
		    " path_compute ... path_gap; compute_share (path_compute / T)"},
	{"percent", NULL, VALUE_PERCENT, .flags = FIELD_OPTIONAL, .meaning = "Of a tolerance"},
	{"unit", NULL, VALUE_NAME, .meaning = "1 for numbers and shares, B for bytes",
	 .values = (const char *const[]){"1", "B", "ns", "ns_per_byte", "factor", NULL}},
	{"value", NULL, VALUE_LONG_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "Below 0 for a tolerance_delta relative to a baseline only; null: a tolerance is unbounded"
		    " or none, the traced run time is unknown, or the network lacks the variable"},
	{"none", NULL, VALUE_TRUTH, .flags = FIELD_OPTIONAL | FIELD_JSON,
	 .meaning = "Present if T is above the bound of a tolerance even at L = 0"},
	{"difference", NULL, VALUE_LONG_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "value - value of the first item; null if one of them is null"},
	{"difference_percent", NULL, VALUE_PERCENT, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "The same in per cent of the first; null if that is 0 or null"},
	{"tolerance_order", NULL, VALUE_NAME, .flags = FIELD_CSV},
	{0},
};

static void fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct program *program = data;
	const struct fact *fact = fact_of(program->comparison, program->number, number);
	const struct difference difference =
		difference_of(program->comparison, program->number, number);

	put_name(row, compared_of(program)->network);
	put_name(row, program->comparison->vary);
	put_name(row, fact->quantity);
	if (isnan(fact->percent))
		put_missing(row);
	else
		put_number(row, fact->percent);
	put_name(row, unit_of(fact));
	put_number(row, fact->value);
	if (fact->value == -INFINITY)
		put_truth(row, true);
	else
		put_missing(row);
	put_number(row, difference.absolute);
	put_number(row, difference.percent);
	put_order(row, data, number);
}

static void write_program(struct report *report, const void *data, size_t number)
{
	struct program program = *(const struct program *)data;
	const struct compared *compared = &program.comparison->items[number];
	const struct report_columns columns = {.model = &compared->model, .engine = compared->engine,
					       .variables = program.variables};

	program.number = number;
	report->first_columns = report_first_columns;
	report->first_data = &columns;
	report_facts(report, &(struct report_facts){
		.fields = program_fields, .row = program_row, .data = &program});
	report_model_parameters(report, &compared->model.loggps);
	report_facts(report, &(struct report_facts){
		.fields = order_fields, .row = put_order, .data = &program});
	report_table(report, &(struct report_table){
		"facts", .fields = fact_fields, .row = fact_row, .data = &program,
		.count = compared->facts.count});
}

static const struct report_field vary_fields[] = {
	{"vary", NULL, VALUE_NAME, .meaning = "Variable of rho and of the tolerances"}, {0},
};

static void vary_row(struct report_row *row, const void *data, size_t number)
{
	(void)number;
	put_name(row, ((const struct program *)data)->comparison->vary);
}

/* Find the variables of all programs. */
static int find_variables(struct variables *all, const struct comparison *comparison,
			  struct error *err)
{
	*all = comparison->items[0].model.loggps.variables;
	for (size_t i = 1; i < comparison->count; i++) {
		const struct variables *variables = &comparison->items[i].model.loggps.variables;

		for (uint32_t v = 0; v < variables->count; v++) {
			if (variables_find(all, variables->of[v].name) >= 0)
				continue;
			if (all->count == VARIABLES_MOST)
				return error_set(err, STATUS_LIMIT, "the networks have more than"
						 " %d variables together", VARIABLES_MOST);
			all->of[all->count++] = variables->of[v];
		}
	}
	return 0;
}

int report_compare(struct report *report, const struct comparison *comparison, struct error *err)
{
	struct variables variables;
	struct program program = {comparison, &variables, 0};

	if (report->format == REPORT_TEXT) {
		compare_text(report, comparison);
		return 0;
	}
	if (report->format == REPORT_CSV)
		TRY(find_variables(&variables, comparison, err));
	report->rows = "facts";
	report_begin(report, "llamp-compare-1");
	report_facts(report, &(struct report_facts){
		.fields = vary_fields, .row = vary_row, .data = &program});
	report_list(report, &(struct report_list){
		"files",
		"Graphs in the order of the command line, each on all networks in the order of --params. All have"
		" the same facts in the same order",
		write_program, &program, .count = comparison->count});
	report_end(report);
	return 0;
}
