/* Command llamp-usage index: put logs of jobs and records of the scheduler into a database. */
#include "common/output.h"
#include "common/progress.h"
#include "common/report/report.h"
#include "usage/commands.h"
#include "usage/index/fill.h"

#include <string.h>

static const struct output_format index_formats[] = {REPORT_FORMATS, {0}};
static struct command_output index_output = {.formats = index_formats};

static struct {
	const char *database, *accounting;
	const char *tables[SITE_TABLES];
} given;

/* --------------------------------------------------------------------- report */

static const struct report_field facts[] = {
	{"logs", "logs", VALUE_COUNT, .meaning = "Files found in the folders"},
	{"known", "known", VALUE_COUNT,
	 .meaning = "Files that were read before and have not changed"},
	{"whole", "new", VALUE_COUNT, .meaning = "New or changed logs of whole jobs"},
	{"parts", "parts", VALUE_COUNT, .meaning = "New or changed logs of some ranks of a job"},
	{"merged", "merged", VALUE_COUNT, .meaning = "Jobs made of such logs"},
	{"copies", "copies", VALUE_COUNT,
	 .meaning = "New or changed logs of jobs of which another log tells as much"},
	{"records", "records", VALUE_COUNT, .meaning = "Records that the accounting has"},
	{"unended", "not ended", VALUE_COUNT,
	 .meaning = "Rows of the accounting left out, as the job has not ended or never started"},
	{"unreadable", "unreadable", VALUE_COUNT,
	 .meaning = "Logs, and lines of the accounting, that cannot be read"},
	{"jobs", "all jobs", VALUE_COUNT, .meaning = "Jobs in the index that have a log"},
	{"jobs_with_record", "with record", VALUE_COUNT,
	 .meaning = "... of which the scheduler has a record"},
	{"all_records", "all records", VALUE_COUNT, .meaning = "Records in the index"},
	{0},
};

static void index_facts(struct report_row *row, const void *data, size_t number)
{
	const struct filled *const of = data;

	(void)number;
	put_count(row, of->logs.found);
	put_count(row, of->logs.known);
	put_count(row, of->logs.whole);
	put_count(row, of->logs.parts);
	put_count(row, of->logs.merged);
	put_count(row, of->logs.copies);
	put_count(row, of->accounting.records);
	put_count(row, of->accounting.unended);
	put_count(row, of->logs.bad.list.count);
	put_count(row, of->jobs);
	put_count(row, of->jobs_with_record);
	put_count(row, of->records);
}

static const struct report_field bad_fields[] = {
	{"path", "path", .kind = VALUE_NAME},
	{"reason", "reason", .kind = VALUE_NAME},
	{0},
};

static void bad_row(struct report_row *row, const void *data, size_t number)
{
	const struct bad_log *const bad = &((const struct bad_log *)data)[number];

	put_name(row, bad->path);
	put_name(row, bad->reason);
}

static void write_report(struct report *report, const struct filled *of)
{
	report_begin(report, "usage-index-1");
	report_facts(report,
		     &(struct report_facts){.fields = facts, .row = index_facts, .data = of});
	report_table(report, &(struct report_table){
				     "unreadable_files",
				     .meaning = "Logs and lines that cannot be read, and why",
				     .title = "what cannot be read",
				     .fields = bad_fields,
				     .row = bad_row,
				     .data = of->logs.bad.list.items,
				     .count = of->logs.bad.list.count,
				     .most = 20,
				     .counts_rest = true,
			     });
	report_end(report);
}

/* -------------------------------------------------------------------- command */

static void say_waiting(const char *path)
{
	tool_warning("llamp-usage", "another process writes %s; waiting for it", path);
}

static int write_result(const struct filled *of, struct error *err)
{
	struct output output;

	TRY(output_open(&output, index_output.path, err));
	write_report(&(struct report){output.stream,
				      .format = (enum report_format)index_output.format,
				      .file = given.database, .label_width = 14, .csv_facts = true},
		     of);
	TRY(output_commit(&output, err));
	if (!of->logs.bad.list.count)
		return 0;
	return error_set(err, STATUS_DATA,
			 "%zu %s cannot be read; the report lists what was left out",
			 of->logs.bad.list.count,
			 given.accounting ? "logs and lines of the accounting" : "logs");
}

static int note_inputs(const struct fill_from *from, struct error *err)
{
	for (uint32_t i = 0; i < from->folder_count; i++)
		TRY(output_note_input(from->folders[i], err));
	for (int i = 0; i < SITE_TABLES; i++)
		if (from->tables[i])
			TRY(output_note_input(from->tables[i], err));
	return from->accounting ? output_note_input(from->accounting, err) : 0;
}

static int check_given(const struct fill_from *from, struct error *err)
{
	if (!given.database)
		return error_set(err, STATUS_USAGE, "-d FILE, the index, is missing");
	if (from->folder_count || from->accounting)
		return 0;
	for (int i = 0; i < SITE_TABLES; i++)
		if (from->tables[i])
			return 0;
	return error_set(err, STATUS_USAGE, "there is nothing to read: no DIR, no --accounting");
}

static int cmd_index(char **operands, int operand_count, struct error *err)
{
	struct fill_from from = {operands, (uint32_t)operand_count, given.accounting, {0}};
	struct usage_db db = {.waits = say_waiting};
	struct filled filled = {0};
	int result;

	memcpy(from.tables, given.tables, sizeof from.tables);
	TRY(check_given(&from, err));
	if (index_output.format == REPORT_SCHEMA)
		return write_result(&filled, err);
	TRY(output_declare(given.database, err));
	TRY(note_inputs(&from, err));
	TRY(usage_db_open(&db, given.database, USAGE_DB_WRITE, err));
	progress_begin("llamp-usage", "indexing");
	result = fill_index(&filled, &db, &from, err);
	progress_end();
	usage_db_close(&db);
	if (result == 0)
		result = write_result(&filled, err);
	bad_logs_release(&filled.logs.bad);
	return result;
}

static const struct option_spec index_own_options[] = {
	{"database", 'd', "FILE", "the index: an SQLite database, made if there is none",
	 option_text, &given.database},
	{"accounting", 0, "FILE",
	 "records of the scheduler: what sacct --parsable2 prints, or a CSV with its headings; - is stdin",
	 option_text, &given.accounting},
	{"programmes", 0, "FILE", "CSV project,programme: the projects whose jobs count",
	 option_text, &given.tables[SITE_PROGRAMMES]},
	{"domains", 0, "FILE", "CSV application,domain: domains of science", option_text,
	 &given.tables[SITE_DOMAINS]},
	{"states", 0, "FILE",
	 "CSV state,class: which exit states are normal or failed; without it Slurm's", option_text,
	 &given.tables[SITE_STATES]},
	{"systems", 0, "FILE", "CSV system,cores_per_node", option_text,
	 &given.tables[SITE_SYSTEMS]},
	{"traced", 0, "FILE",
	 "CSV job,lambda: jobs that were also traced, and lambda_L, which llamp analyze prints of their graphs; "
	 "by them llamp-usage report calibrates what jobs tolerate",
	 option_text, &given.tables[SITE_TRACED]},
	{"ping-pong", 0, "FILE",
	 "CSV run,bytes,latency_ns: latencies of messages, measured alone and profiled (figure 1)",
	 option_text, &given.tables[SITE_PING_PONG]},
	{0},
};

static const struct option_spec *const index_options[] = {index_own_options, NULL};

static const struct help_entry index_examples[] = {
	{"llamp-usage index /logs -d usage.db", "read the logs that are new since the last time"},
	{"sacct -aP -S today -o JobIDRaw,Cluster,User,Account,State,ExitCode,Start,End,ElapsedRaw,NNodes,"
	 "AllocCPUS,NTasks,JobName | llamp-usage index -d usage.db --accounting -",
	 "add the scheduler's records: also jobs without a log are known then"},
	{0},
};

const struct command index_command = {
	.name = "index",
	.operands = "[DIR...]",
	.least_operands = 0,
	.most_operands = -1,
	.summary = "put logs of jobs and records of the scheduler into a database",
	.notes =
		"Reads all files *.usage in DIR and below it that are new or have changed, so that an index is kept "
		"up to date by the same command every day. Logs that several nodes left of a job that was killed are merged. "
		"Logs that cannot be read are listed and left out; the exit status is then 1.\n\n"
		"Records of the scheduler tell of all jobs, also of those without a log, and weigh jobs by core-hours. "
		"Jobs that have steps are their steps. A record's core-hours are nodes x cores of a node x hours, "
		"or CPUs x hours if that is less. A job ended normally if its state is, "
		"or without a state if its exit status is 0 or above 255. The tables of the site stay in the index until others "
		"replace them.",
	.options = index_options,
	.output = &index_output,
	.run = cmd_index,
	.examples = index_examples,
};
