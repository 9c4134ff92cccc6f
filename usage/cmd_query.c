/* Command llamp-usage query: ask an index in SQL. */
#include "common/output.h"
#include "usage/commands.h"
#include "usage/index/query.h"

static const struct output_format query_formats[] = {REPORT_FORMATS, {0}};
static struct command_output query_output = {.formats = query_formats};

static struct {
	const char *database;
} given;

static void say_query_waits(const char *path)
{
	tool_warning("llamp-usage", "another process writes %s; waiting for it", path);
}

static int write_answer(const struct query_answer *answer, struct error *err)
{
	struct report report = {.format = (enum report_format)query_output.format,
				.file = given.database,
				.rows = "rows"};
	struct output output;

	TRY(output_open(&output, query_output.path, err));
	report.stream = output.stream;
	if (query_write(&report, answer, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static int cmd_query(char **operands, int operand_count, struct error *err)
{
	struct usage_db db = {.waits = say_query_waits};
	struct query_answer answer = {0};
	int result;

	(void)operand_count;
	if (!given.database)
		return error_set(err, STATUS_USAGE, "-d FILE, the index, is missing");
	TRY(usage_db_open(&db, given.database, USAGE_DB_READ, err));
	result = query_ask(&answer, &db, operands[0], query_output.format != REPORT_SCHEMA, err);
	usage_db_close(&db);
	if (result == 0)
		result = write_answer(&answer, err);
	query_release(&answer);
	return result;
}

static const struct option_spec query_own_options[] = {
	{"database", 'd', "FILE", "the index, as llamp-usage index writes it", option_text,
	 &given.database},
	{0},
};

static const struct option_spec *const query_options[] = {query_own_options, NULL};

static const struct help_entry query_examples[] = {
	{"llamp-usage query -d usage.db 'SELECT application, sum(core_hours) FROM jobs GROUP BY 1 ORDER "
	 "BY 2 DESC LIMIT 10'",
	 "which programs take most of the machine"},
	{"llamp-usage query -d usage.db 'SELECT path, reason FROM damaged' --format csv",
	 "logs that could not be read"},
	{"llamp-usage query -d usage.db 'SELECT name, sql FROM sqlite_schema'",
	 "all tables and views with their columns"},
	{0},
};

const struct command query_command = {
	.name = "query",
	.operands = "SQL",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "ask an index in SQL",
	.notes =
		"SQL is one statement in the language of SQLite that returns rows. It cannot change the index. "
		"Views: jobs, job_ranks, rank_calls, cells, functions, accounting, job_weights, damaged, partials; their "
		"columns are in doc/usage.md.",
	.options = query_options,
	.output = &query_output,
	.run = cmd_query,
	.examples = query_examples,
};
