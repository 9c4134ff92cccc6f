#include "critpath/report/run_report_imbalance.h"

#include "common/text.h"
#include "common/units.h"

#include "critpath/report/imbalance_rows.h"

#include <inttypes.h>

/* What the rows of a table are made of. */
struct source {
	const struct findings *findings;
	const struct imbalance *imbalance;
	struct dist_rows *rows; /* of instances or calls */
	struct imbalance_instance longest[RUN_MOST_ROWS]; /* in text: that wait longest */
	size_t longest_count;
};

static const char *const table_keys[IMBALANCE_TABLES] = {
	[IMBALANCE_RANKS] = "rank_parts",    [IMBALANCE_COMMS] = "communicators",
	[IMBALANCE_FUNCTIONS] = "functions", [IMBALANCE_INSTANCES] = "instances",
	[IMBALANCE_CALLS] = "calls",
};

/* Figures of critpath/tables/imbalance.h, 0 without computation. */
struct pop_figures {
	double load_balance, communication, parallel;
	double mean_ns, most_to_mean;
	uint64_t most_ns;
};

static struct pop_figures pop_of(const struct imbalance *imbalance)
{
	const struct measured_run *run = imbalance->waits->run;
	const double length_ns = (double)measured_length_ns(run);
	const uint64_t most_ns = imbalance->ranks[imbalance->busiest].first_thread_ns;
	const double mean_ns = (double)imbalance->sum.first_thread_ns / run->rank_count;

	return (struct pop_figures){
		.load_balance = most_ns ? mean_ns / (double)most_ns : 0,
		.communication = length_ns > 0 ? (double)most_ns / length_ns : 0,
		.parallel = length_ns > 0 ? mean_ns / length_ns : 0,
		.mean_ns = mean_ns,
		.most_to_mean = most_ns ? (double)most_ns / mean_ns : 0,
		.most_ns = most_ns,
	};
}

/* Time of a function on the critical path beyond the mean of the ranks (critpath/path/totals.h). */
static uint64_t path_imbalance_of(const struct findings *findings, uint32_t function)
{
	const struct totals *totals = findings->totals;

	for (size_t i = 0; i < totals->functions.count; i++)
		if (totals->functions.items[i].function == function)
			return totals_imbalance_ns(totals->functions.items[i].path_ns,
						   totals->functions.items[i].ns,
						   findings->run->rank_count);
	return 0;
}

/* ------------------------------------------------------------------------ parts */

#define RUN_NS_MEANING \
	"From begin to end of each thread: the sum of computation, unknown, waits and execution"

#define PARTS_FIELDS(null, of)                                                                  \
	{"wait_before_ns", "before", VALUE_TIME, .width = 9, .flags = (null)},                  \
	{"execution_ns", "execution", VALUE_TIME, .width = 9, .flags = (null)},                 \
	{"wait_after_ns", "after", VALUE_TIME, .width = 9, .flags = (null)},                    \
	{"imbalance", "imbalance", VALUE_NUMBER, .width = 9, .flags = FIELD_NULL,               \
	 .meaning = "Waits / " of "; null if that is unbounded"}

static void put_parts(struct report_row *row, const struct call_parts *calls,
		      uint64_t computation_ns)
{
	put_count(row, calls->before_ns);
	put_count(row, calls->execution_ns);
	put_count(row, calls->after_ns);
	put_number(row, imbalance_ratio(calls, computation_ns));
}

static uint64_t waits_of(const struct call_parts *calls)
{
	return calls->before_ns + calls->after_ns;
}

/* ---------------------------------------------------------------------- program */

static void print_left_out(const struct report *report, const struct source *source)
{
	const uint64_t *states = source->imbalance->instance_states;
	char text[256];
	int length = 0;

	for (int i = INSTANCE_SYNCHRONOUS + 1; i < INSTANCE_STATES; i++)
		if (states[i])
			length += snprintf(text + length, sizeof text - (size_t)length,
					   "%s%" PRIu64 " collective%s %s", length ? ", " : "",
					   states[i], plural(states[i]),
					   instance_state_names[i]);
	if (length)
		report_line(report, "left out", "%s", text);
}

static void print_program(const struct report *report, const struct source *source)
{
	const struct rank_parts *sum = &source->imbalance->sum;
	char time[4][RUN_TEXT_BYTES], ratio[UNIT_TEXT_BYTES];

	report_line(report, "ranks", "%s computing, %s executing MPI, %s waiting%s%s%s",
		    run_report_short_time(sum->computation_ns, time[0]),
		    run_report_short_time(sum->calls.execution_ns, time[1]),
		    run_report_short_time(waits_of(&sum->calls), time[2]),
		    sum->unknown_ns ? ", " : "",
		    sum->unknown_ns ? run_report_short_time(sum->unknown_ns, time[3]) : "",
		    sum->unknown_ns ? " unknown" : "");
	report_line(report, "imbalance", "%s (waits / the rest)",
		    format_number(imbalance_ratio(&sum->calls, sum->computation_ns), 4, ratio));
	print_left_out(report, source);
}

static const struct report_field program_fields[] = {
	{"run_ns", NULL, VALUE_TIME, .meaning = RUN_NS_MEANING},
	{"computation_ns", NULL, VALUE_TIME, .meaning = "Between calls"},
	{"unknown_ns", NULL, VALUE_TIME, .meaning = "Recording was off"},
	PARTS_FIELDS(0, "(execution + computation)"),
	{"load_balance", NULL, VALUE_SHARE,
	 .meaning = "Mean / most computation of a rank, on its first thread"},
	{"communication_efficiency", NULL, VALUE_SHARE, .meaning = "Most computation of a rank / T"},
	{"parallel_efficiency", NULL, VALUE_SHARE, .meaning = "Mean computation of the ranks / T"},
	{"most_to_mean_computation", NULL, .kind = VALUE_NUMBER},
	{"most_computation_rank", NULL, VALUE_COUNT, .meaning = "Rank in MPI_COMM_WORLD"},
	{0},
};

static void program_row(struct report_row *row, const void *data, size_t number)
{
	const struct imbalance *imbalance = ((const struct source *)data)->imbalance;
	const struct rank_parts *sum = &imbalance->sum;
	const struct pop_figures pop = pop_of(imbalance);

	(void)number;
	put_count(row, sum->run_ns);
	put_count(row, sum->computation_ns);
	put_count(row, sum->unknown_ns);
	put_parts(row, &sum->calls, sum->computation_ns);
	put_number(row, pop.load_balance);
	put_number(row, pop.communication);
	put_number(row, pop.parallel);
	put_number(row, pop.most_to_mean);
	put_count(row, imbalance->busiest);
}

/* In text only: JSON has the figures with the program. */
static const struct report_field pop_fields[] = {
	{NULL, "efficiency", VALUE_NAME, .width = 24},
	{NULL, "value", VALUE_SHARE, .width = 9},
	{NULL, "of", .kind = VALUE_NAME},
	{0},
};

static void pop_row(struct report_row *row, const void *data, size_t number)
{
	static const char *const names[][2] = {
		{"load balance", "mean / most computation of a rank"},
		{"communication efficiency", "most computation / T"},
		{"parallel efficiency", "mean computation / T"},
	};
	const struct pop_figures pop = pop_of(((const struct source *)data)->imbalance);
	const double values[] = {pop.load_balance, pop.communication, pop.parallel};

	put_name(row, names[number][0]);
	put_number(row, values[number]);
	put_name(row, names[number][1]);
}

static void report_pop(struct report *report, const struct source *source)
{
	const struct pop_figures pop = pop_of(source->imbalance);
	char mean[RUN_TEXT_BYTES], most[RUN_TEXT_BYTES], ratio[UNIT_TEXT_BYTES];

	report_table(report, &(struct report_table){
		.fields = pop_fields, .row = pop_row, .data = source, .count = 3});
	report_line(report, "computation of a rank:", " mean %s, most %s (rank %u), most / mean %s",
		    run_report_short_time((uint64_t)pop.mean_ns, mean),
		    run_report_short_time(pop.most_ns, most), source->imbalance->busiest,
		    format_number(pop.most_to_mean, 4, ratio));
}

/* ----------------------------------------------------------------------- tables */

static const struct report_field imbalance_rank_fields[] = {
	{"rank", "rank", VALUE_COUNT, .width = 6, .meaning = "Rank in MPI_COMM_WORLD"},
	{"run_ns", NULL, VALUE_TIME, .meaning = RUN_NS_MEANING},
	{"computation_ns", "computation", VALUE_TIME, .width = 11, .meaning = "Between calls"},
	{"unknown_ns", NULL, VALUE_TIME, .meaning = "Recording was off"},
	PARTS_FIELDS(0, "(execution + computation)"),
	{0},
};

static void imbalance_rank_row(struct report_row *row, const void *data, size_t number)
{
	const struct rank_parts *rank = &((const struct source *)data)->imbalance->ranks[number];

	put_count(row, number);
	put_count(row, rank->run_ns);
	put_count(row, rank->computation_ns);
	put_count(row, rank->unknown_ns);
	put_parts(row, &rank->calls, rank->computation_ns);
}

static report_weight rank_waits(const void *data, size_t number)
{
	return waits_of(&((const struct source *)data)->imbalance->ranks[number].calls);
}

static const struct report_field comm_fields[] = {
	{"comm", "collectives on", VALUE_NAME, .width = 14},
	{"collectives", "number", VALUE_COUNT, .width = 6, .meaning = "Synchronous ones"},
	{"left_out", "left out", VALUE_COUNT, .width = 8, .meaning = "Other ones"},
	PARTS_FIELDS(0, "execution"),
	{0},
};

static void comm_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct parts_group *comm = &source->imbalance->comms.items[number];
	char name[MEASURED_COMM_BYTES];

	put_name(row, measured_comm_name(source->findings->run, comm->number, name));
	put_count(row, comm->count);
	put_count(row, comm->left_out);
	put_parts(row, &comm->calls, 0);
}

static const struct report_field imbalance_function_fields[] = {
	{"function", "function", VALUE_NAME, .width = 14},
	{"calls", "calls", VALUE_COUNT, .width = 7, .flags = FIELD_POSITIVE},
	PARTS_FIELDS(0, "execution"),
	{"path_imbalance_ns", "on path", VALUE_TIME, .width = 9,
	 .meaning = "Time on the critical path beyond the mean of the ranks"},
	{0},
};

static void imbalance_function_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct parts_group *function = &source->imbalance->functions.items[number];

	put_name(row, measured_function(&source->findings->run->names, function->number));
	put_count(row, function->count);
	put_parts(row, &function->calls, 0);
	put_count(row, path_imbalance_of(source->findings, function->number));
}

static const struct report_field instance_fields[] = {
	{"function", NULL, .kind = VALUE_NAME},
	{"comm", NULL, .kind = VALUE_NAME},
	{"members", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE, .meaning = "Ranks that the trace has"},
	{"state", NULL, VALUE_NAME, .values = instance_state_names,
	 .meaning = "Only synchronous instances have waits and execution (critpath.md)"},
	{"last_rank", NULL, VALUE_COUNT, .meaning = "Rank that began last"},
	{"last_call", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE, .meaning = "Its call"},
	{"last_begin_ns", NULL, VALUE_TIME, .meaning = "Since the run began"},
	{"first_end_ns", NULL, .kind = VALUE_TIME},
	PARTS_FIELDS(FIELD_NULL, "execution"),
	{0},
};

static void instance_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct imbalance_instance *read = dist_rows_next(source->rows);
	const struct measured_instance *instance = &read->instance;
	char name[MEASURED_COMM_BYTES];

	(void)number;
	put_name(row, measured_function(&run->names, instance->last.function));
	put_name(row, measured_comm_name(run, instance->comm, name));
	put_count(row, instance->members);
	put_name(row, instance_state_names[read->state]);
	put_count(row, instance->last_rank);
	put_count(row, instance->last.call + 1);
	put_count(row, measured_since_begin(run, instance->last.begin_ns));
	put_count(row, measured_since_begin(run, instance->first_end_ns));
	if (read->state == INSTANCE_SYNCHRONOUS) {
		put_parts(row, &read->parts, 0);
		return;
	}
	for (int i = 0; i < 4; i++)
		put_none(row);
}

static const struct report_field longest_fields[] = {
	{NULL, "collective, by its last call", VALUE_NAME, .width = 20},
	PARTS_FIELDS(0, "execution"),
	{0},
};

static void longest_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct imbalance_instance *longest = &source->longest[number];
	const struct measured_instance *instance = &longest->instance;
	char call[RUN_CALL_BYTES];

	put_name(row, run_report_call(source->findings->run, instance->last_rank, instance->last.call,
				      instance->last.function, longest->last_site, call));
	put_parts(row, &longest->parts, 0);
}

static report_weight longest_waits(const void *data, size_t number)
{
	return waits_of(&((const struct source *)data)->longest[number].parts);
}

/* Choose the longest of the rows, of which more are never kept than a table has. */
static void choose_instances(struct source *source)
{
	struct imbalance_instance *longest = source->longest;

	for (uint64_t i = 0; i < source->rows->total; i++) {
		const struct imbalance_instance *row = dist_rows_next(source->rows);
		size_t at = source->longest_count;

		if (at == RUN_MOST_ROWS && waits_of(&longest[at - 1].parts) >= waits_of(&row->parts))
			continue;
		at = at == RUN_MOST_ROWS ? at - 1 : source->longest_count++;
		for (; at > 0 && waits_of(&longest[at - 1].parts) < waits_of(&row->parts); at--)
			longest[at] = longest[at - 1];
		longest[at] = *row;
	}
}

static const struct report_field call_fields[] = {
	{"rank", NULL, .kind = VALUE_COUNT},
	{"thread", NULL, .kind = VALUE_COUNT},
	{"call", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE},
	{"function", NULL, .kind = VALUE_NAME},
	{"comm", NULL, VALUE_NAME, .flags = FIELD_NULL},
	{"start_ns", NULL, .kind = VALUE_TIME},
	{"end_ns", NULL, .kind = VALUE_TIME},
	PARTS_FIELDS(0, "execution"),
	{"critical_ns", NULL, .kind = VALUE_TIME},
	{0},
};

static void call_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct imbalance_call *call = dist_rows_next(source->rows);
	char name[MEASURED_COMM_BYTES];

	(void)number;
	put_count(row, call->rank);
	put_count(row, call->thread);
	put_count(row, call->call + 1);
	put_name(row, measured_function(&run->names, call->function));
	put_name(row, call->comm == NO_COMM ? NULL : measured_comm_name(run, call->comm, name));
	put_count(row, measured_since_begin(run, call->enter_ns));
	put_count(row, measured_since_begin(run, call->leave_ns));
	put_parts(row, &call->parts, 0);
	put_count(row, call->critical_ns);
}

/* All instances, or in text those that wait longest. */
static void report_instances(struct report *report, struct source *source)
{
	if (report->format != REPORT_TEXT) {
		report_table(report, &(struct report_table){
			table_keys[IMBALANCE_INSTANCES],
			.meaning = "Instances of collectives; sums over members",
			.fields = instance_fields, .row = instance_row, .data = source,
			.count = source->rows->total});
		return;
	}
	choose_instances(source);
	report_table(report, &(struct report_table){
		.title = "collectives with the longest waits, sums over their members",
		.fields = longest_fields, .row = longest_row, .data = source,
		.count = source->longest_count, .most = RUN_MOST_ROWS, .weight = longest_waits});
}

void run_report_imbalance(struct report *report, enum imbalance_table table,
			  const struct findings *findings, const struct imbalance *imbalance,
			  struct dist_rows *rows)
{
	struct source source = {.findings = findings, .imbalance = imbalance, .rows = rows};

	report->rows = table_keys[table];
	run_report_begin(report, "critpath-imbalance-1", findings);
	print_program(report, &source);
	report_facts(report, &(struct report_facts){
		"program", "Sums over all ranks", program_fields, program_row, .data = &source});
	report_pop(report, &source);
	report_table(report, &(struct report_table){table_keys[IMBALANCE_RANKS],
						    .meaning = "All ranks in order",
						    .title = "ranks that wait most",
						    .fields = imbalance_rank_fields,
						    .row = imbalance_rank_row, .data = &source,
						    .count = findings->run->rank_count,
						    .most = RUN_MOST_ROWS, .weight = rank_waits});
	report_table(report, &(struct report_table){
		table_keys[IMBALANCE_COMMS],
		.meaning = "Synchronous collectives of each communicator, by waits",
		.fields = comm_fields, .row = comm_row, .data = &source,
		.count = imbalance->comms.count, .most = RUN_MOST_ROWS});
	report_table(
		report,
		&(struct report_table){
			table_keys[IMBALANCE_FUNCTIONS], .meaning = "Calls in the run, by waits",
			.title =
				"by function; on path: time on the critical path - mean of the ranks",
			.fields = imbalance_function_fields, .row = imbalance_function_row,
			.data = &source, .count = imbalance->functions.count,
			.most = RUN_MOST_ROWS});
	if (report->format != REPORT_CSV || table == IMBALANCE_INSTANCES)
		report_instances(report, &source);
	if (table == IMBALANCE_CALLS && report->format == REPORT_CSV)
		report_table(report, &(struct report_table){
			table_keys[IMBALANCE_CALLS], .fields = call_fields, .row = call_row,
			.data = &source, .count = rows->total});
	report_end(report);
}
