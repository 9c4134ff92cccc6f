/* Command llamp-usage index: put logs of jobs and records of the scheduler into a database. */
#include "common/output.h"
#include "common/progress.h"
#include "common/report/report.h"
#include "usage/commands.h"
#include "usage/index/index_logs.h"

static const struct output_format index_formats[] = {REPORT_FORMATS, {0}};
static struct command_output index_output = {.formats = index_formats};

static struct {
	const char *database;
} given;

/* What was done. */
struct indexing_report {
	struct indexed_logs logs;
	uint64_t jobs; /* in the index */
};

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
	{"unreadable", "unreadable", VALUE_COUNT, .meaning = "Logs that cannot be read"},
	{"jobs", "jobs", VALUE_COUNT, .meaning = "Jobs in the index that have a log"},
	{0},
};

static void index_facts(struct report_row *row, const void *data, size_t number)
{
	const struct indexing_report *const of = data;

	(void)number;
	put_count(row, of->logs.found);
	put_count(row, of->logs.known);
	put_count(row, of->logs.whole);
	put_count(row, of->logs.parts);
	put_count(row, of->logs.merged);
	put_count(row, of->logs.copies);
	put_count(row, of->logs.bad.list.count);
	put_count(row, of->jobs);
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

static void write_report(struct report *report, const struct indexing_report *of)
{
	report_begin(report, "usage-index-1");
	report_facts(report,
		     &(struct report_facts){.fields = facts, .row = index_facts, .data = of});
	report_table(report, &(struct report_table){
				     "unreadable_logs",
				     .meaning = "Logs that cannot be read, and why",
				     .title = "logs that cannot be read",
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

static int count_jobs(struct usage_db *db, uint64_t *jobs, struct error *err)
{
	sqlite3_stmt *statement;
	int status;

	TRY(usage_db_prepare(db, &statement, "SELECT count(*) FROM job_data", err));
	status = usage_db_step(db, statement, err);
	*jobs = status > 0 ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return status < 0 ? -1 : 0;
}

static int write_result(const struct indexing_report *of, struct error *err)
{
	struct output output;

	TRY(output_open(&output, index_output.path, err));
	write_report(&(struct report){output.stream,
				      .format = (enum report_format)index_output.format,
				      .file = given.database, .label_width = 14, .csv_facts = true},
		     of);
	TRY(output_commit(&output, err));
	if (of->logs.bad.list.count)
		return error_set(err, STATUS_DATA,
				 "%zu of %llu logs cannot be read; they were left out",
				 of->logs.bad.list.count, (unsigned long long)of->logs.found);
	return 0;
}

static int index_into(struct usage_db *db, char **folders, uint32_t count,
		      struct indexing_report *of, struct error *err)
{
	TRY(index_logs(&of->logs, db, folders, count, err));
	return count_jobs(db, &of->jobs, err);
}

static int cmd_index(char **operands, int operand_count, struct error *err)
{
	struct usage_db db = {.waits = say_waiting};
	struct indexing_report of = {0};
	int result;

	if (!given.database)
		return error_set(err, STATUS_USAGE, "-d FILE, the index, is missing");
	if (index_output.format == REPORT_SCHEMA)
		return write_result(&of, err);
	TRY(output_declare(given.database, err));
	for (int i = 0; i < operand_count; i++)
		TRY(output_note_input(operands[i], err));
	TRY(usage_db_open(&db, given.database, USAGE_DB_WRITE, err));
	progress_begin("llamp-usage", "indexing");
	result = index_into(&db, operands, (uint32_t)operand_count, &of, err);
	progress_end();
	usage_db_close(&db);
	if (result == 0)
		result = write_result(&of, err);
	bad_logs_release(&of.logs.bad);
	return result;
}

static const struct option_spec index_own_options[] = {
	{"database", 'd', "FILE", "the index: an SQLite database, made if there is none",
	 option_text, &given.database},
	{0},
};

static const struct option_spec *const index_options[] = {index_own_options, NULL};

static const struct help_entry index_examples[] = {
	{"llamp-usage index /logs -d usage.db", "read the logs that are new since the last time"},
	{0},
};

const struct command index_command = {
	.name = "index",
	.operands = "DIR...",
	.least_operands = 1,
	.most_operands = -1,
	.summary = "put the logs of jobs into a database",
	.notes =
		"Reads all files *.usage in DIR and below it that are new or have changed, so that an index is kept "
		"up to date by the same command every day. Logs that several nodes left of a job that was killed are merged. "
		"Logs that cannot be read are listed and left out; the exit status is then 1.",
	.options = index_options,
	.output = &index_output,
	.run = cmd_index,
	.examples = index_examples,
};
