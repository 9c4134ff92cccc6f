#include "critpath/report/run_report_imbalance_tables.h"

#include "critpath/report/imbalance_rows.h"

/* What the rows of a table are made of. */
struct source {
	const struct findings *findings;
	const struct imbalance *imbalance;
	struct share_rows *rows; /* of instances or calls */
};

struct pop_figures pop_of(const struct imbalance *imbalance)
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

uint64_t path_imbalance_of(const struct findings *findings, uint32_t function)
{
	const struct totals *totals = findings->totals;

	for (size_t i = 0; i < totals->functions.count; i++)
		if (totals->functions.items[i].function == function)
			return totals_imbalance_ns(totals->functions.items[i].path_ns,
						   totals->functions.items[i].ns,
						   findings->run->rank_count);
	return 0;
}

static void record_parts(struct run_record *record, const struct call_parts *calls,
			 uint64_t computation_ns)
{
	record_integer(record, calls->before_ns);
	record_integer(record, calls->execution_ns);
	record_integer(record, calls->after_ns);
	record_number(record, imbalance_ratio(calls, computation_ns));
}

#define PARTS_FIELDS "wait_before_ns,execution_ns,wait_after_ns,imbalance"

static void rank_record(struct run_record *record, const void *data, size_t number)
{
	const struct rank_parts *rank = &((const struct source *)data)->imbalance->ranks[number];

	record_integer(record, number);
	record_integer(record, rank->run_ns);
	record_integer(record, rank->computation_ns);
	record_integer(record, rank->unknown_ns);
	record_parts(record, &rank->calls, rank->computation_ns);
}

static void comm_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct parts_group *comm = &source->imbalance->comms.items[number];
	char name[MEASURED_COMM_BYTES];

	record_text(record, measured_comm_name(source->findings->run, comm->number, name));
	record_integer(record, comm->count);
	record_integer(record, comm->left_out);
	record_parts(record, &comm->calls, 0);
}

static void function_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct parts_group *function = &source->imbalance->functions.items[number];

	record_text(record, measured_function(&source->findings->run->names, function->number));
	record_integer(record, function->count);
	record_parts(record, &function->calls, 0);
	record_integer(record, path_imbalance_of(source->findings, function->number));
}

static uint64_t since_begin(const struct source *source, uint64_t ns)
{
	return ns > source->findings->run->begin_ns ? ns - source->findings->run->begin_ns : 0;
}

static void instance_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct imbalance_instance *row = share_rows_next(source->rows);
	const struct measured_instance *instance = &row->instance;
	char name[MEASURED_COMM_BYTES];

	(void)number;
	record_text(record, measured_function(&run->names, instance->last.function));
	record_text(record, measured_comm_name(run, instance->comm, name));
	record_integer(record, instance->members);
	record_text(record, instance_state_name((enum instance_state)row->state));
	record_integer(record, instance->last_rank);
	record_integer(record, instance->last.call + 1);
	record_integer(record, since_begin(source, instance->last.begin_ns));
	record_integer(record, since_begin(source, instance->first_end_ns));
	if (row->state == INSTANCE_SYNCHRONOUS) {
		record_parts(record, &row->parts, 0);
		return;
	}
	for (int i = 0; i < 4; i++)
		record_none(record);
}

static void call_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct imbalance_call *call = share_rows_next(source->rows);
	char name[MEASURED_COMM_BYTES];

	(void)number;
	record_integer(record, call->rank);
	record_integer(record, call->thread);
	record_integer(record, call->call + 1);
	record_text(record, measured_function(&run->names, call->function));
	if (call->comm != NO_COMM)
		record_text(record, measured_comm_name(run, call->comm, name));
	else
		record_none(record);
	record_integer(record, since_begin(source, call->enter_ns));
	record_integer(record, since_begin(source, call->leave_ns));
	record_parts(record, &call->parts, 0);
	record_integer(record, call->critical_ns);
}

static struct run_table table_of(enum imbalance_table table, const struct source *source)
{
	const struct imbalance *imbalance = source->imbalance;
	const struct measured_run *run = source->findings->run;
	const struct run_table tables[IMBALANCE_TABLES] = {
		[IMBALANCE_RANKS] = {"rank_parts",
				     "rank,run_ns,computation_ns,unknown_ns," PARTS_FIELDS,
				     run->rank_count, rank_record, source},
		[IMBALANCE_COMMS] = {"communicators", "comm,collectives,left_out," PARTS_FIELDS,
				     imbalance->comms.count, comm_record, source},
		[IMBALANCE_FUNCTIONS] = {"functions",
					 "function,calls," PARTS_FIELDS ",path_imbalance_ns",
					 imbalance->functions.count, function_record, source},
		[IMBALANCE_INSTANCES] = {"instances",
					 "function,comm,members,state,last_rank,last_call,"
					 "last_begin_ns,first_end_ns," PARTS_FIELDS,
					 source->rows->total, instance_record, source},
		[IMBALANCE_CALLS] = {"calls",
				     "rank,thread,call,function,comm,start_ns,end_ns," PARTS_FIELDS
				     ",critical_ns",
				     source->rows->total, call_record, source},
	};

	return tables[table];
}

static void json_program(struct json *json, const struct imbalance *imbalance)
{
	const struct rank_parts *sum = &imbalance->sum;
	const struct pop_figures pop = pop_of(imbalance);

	json_begin(json, "program", '{', JSON_LINES);
	json_integer(json, "run_ns", sum->run_ns);
	json_integer(json, "computation_ns", sum->computation_ns);
	json_integer(json, "unknown_ns", sum->unknown_ns);
	json_integer(json, "wait_before_ns", sum->calls.before_ns);
	json_integer(json, "execution_ns", sum->calls.execution_ns);
	json_integer(json, "wait_after_ns", sum->calls.after_ns);
	json_number(json, "imbalance", imbalance_ratio(&sum->calls, sum->computation_ns));
	json_number(json, "load_balance", pop.load_balance);
	json_number(json, "communication_efficiency", pop.communication);
	json_number(json, "parallel_efficiency", pop.parallel);
	json_number(json, "most_to_mean_computation", pop.most_to_mean);
	json_integer(json, "most_computation_rank", imbalance->busiest);
	json_end(json);
}

void imbalance_json(FILE *stream, const struct findings *findings,
		    const struct imbalance *imbalance, struct share_rows *rows)
{
	const struct source source = {findings, imbalance, rows};
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	run_report_json_heading(&json, "critpath-imbalance-1", findings);
	json_program(&json, imbalance);
	for (int i = IMBALANCE_RANKS; i <= IMBALANCE_INSTANCES; i++) {
		const struct run_table table = table_of((enum imbalance_table)i, &source);

		run_table_json(&json, &table);
	}
	json_end(&json);
}

void imbalance_csv(FILE *stream, enum imbalance_table table, const struct findings *findings,
		   const struct imbalance *imbalance, struct share_rows *rows)
{
	const struct source source = {findings, imbalance, rows};
	const struct run_table written = table_of(table, &source);

	run_table_csv(stream, findings->path, &written);
}
