#include "usage/index/accounting.h"
#include "usage/index/delimited.h"
#include "usage/index/insert.h"
#include "usage/index/slurm.h"

#include <stdio.h>
#include <string.h>

enum { NS_PER_S = 1000000000 };

/* Columns of the table that are used. */
enum column {
	COLUMN_ID,
	COLUMN_CLUSTER,
	COLUMN_USER,
	COLUMN_ACCOUNT,
	COLUMN_STATE,
	COLUMN_EXIT,
	COLUMN_START,
	COLUMN_END,
	COLUMN_ELAPSED,
	COLUMN_NODES,
	COLUMN_CPUS,
	COLUMN_TASKS,
	COLUMN_LINE,
	COLUMN_NAME,
	COLUMN_EXECUTABLE,
	COLUMNS
};

/* Headings of each, the better one first. */
static const char *const headings[COLUMNS][2] = {
	[COLUMN_ID] = {"JobIDRaw", "JobID"},
	[COLUMN_CLUSTER] = {"Cluster"},
	[COLUMN_USER] = {"User"},
	[COLUMN_ACCOUNT] = {"Account"},
	[COLUMN_STATE] = {"State"},
	[COLUMN_EXIT] = {"ExitCode"},
	[COLUMN_START] = {"Start"},
	[COLUMN_END] = {"End"},
	[COLUMN_ELAPSED] = {"ElapsedRaw", "Elapsed"},
	[COLUMN_NODES] = {"NNodes", "AllocNodes"},
	[COLUMN_CPUS] = {"AllocCPUS", "NCPUS"},
	[COLUMN_TASKS] = {"NTasks"},
	[COLUMN_LINE] = {"SubmitLine"},
	[COLUMN_NAME] = {"JobName"},
	[COLUMN_EXECUTABLE] = {"Executable"},
};

struct reading {
	struct delimited table;
	int columns[COLUMNS];
	accounting_take *take;
	void *context;
	struct accounting_read *read;
	struct bad_logs *bad;
	/* The last job, which is written if no step of it follows. */
	struct accounting_record job;
	bool has_job, waits;
};

static const char *field(const struct reading *of, enum column column)
{
	return delimited_field(&of->table, of->columns[column]);
}

static bool has(const struct reading *of, enum column column)
{
	return of->columns[column] != DELIMITED_NONE;
}

/* -------------------------------------------------------------------- columns */

static int need(const struct reading *of, bool is_there, const char *what, struct error *err)
{
	if (is_there)
		return 0;
	return error_set(err, STATUS_DATA,
			 "%s:1: no column %s; sacct -P -o "
			 "JobIDRaw,Cluster,User,Account,State,ExitCode,Start,End,ElapsedRaw,NNodes,"
			 "AllocCPUS,NTasks,JobName prints all that are used",
			 of->table.path, what);
}

static int find_columns(struct reading *of, struct error *err)
{
	for (int i = 0; i < COLUMNS; i++) {
		of->columns[i] = delimited_column(&of->table, headings[i][0]);
		if (of->columns[i] == DELIMITED_NONE && headings[i][1])
			of->columns[i] = delimited_column(&of->table, headings[i][1]);
	}
	TRY(need(of, has(of, COLUMN_ID), "JobIDRaw", err));
	TRY(need(of, has(of, COLUMN_NODES), "NNodes", err));
	return need(of, has(of, COLUMN_ELAPSED) || (has(of, COLUMN_START) && has(of, COLUMN_END)),
		    "ElapsedRaw", err);
}

/* ------------------------------------------------------------------------ row */

static void copy_field(char *to, size_t size, const char *text, const char *inherited)
{
	snprintf(to, size, "%s", *text ? text : inherited);
}

/* Number of a field, -1 if the field is empty or there is no column. */
static bool read_field(const struct reading *of, enum column column, int64_t *number)
{
	*number = slurm_number(field(of, column));
	return *number >= 0 || !*field(of, column);
}

/* Read the row.  Returns what is wrong with it, or NULL. */
static const char *read_row(const struct reading *of, struct accounting_record *record)
{
	if (of->table.wrong)
		return of->table.wrong;
	if (!*record->job)
		return "no job id";
	if (!read_field(of, COLUMN_NODES, &record->nodes) || record->nodes < 0)
		return "the number of nodes is no number";
	if (!read_field(of, COLUMN_CPUS, &record->cpus))
		return "the number of CPUs is no number";
	if (!read_field(of, COLUMN_TASKS, &record->tasks))
		return "the number of tasks is no number";
	record->start = slurm_time(field(of, COLUMN_START));
	record->end = slurm_time(field(of, COLUMN_END));
	record->seconds = has(of, COLUMN_ELAPSED) ? slurm_duration(field(of, COLUMN_ELAPSED))
			  : record->start >= 0	  ? record->end - record->start
						  : -1;
	if (record->seconds < 0)
		return "the elapsed time is none";
	record->exit_status = slurm_exit(field(of, COLUMN_EXIT));
	if (record->exit_status < 0 && *field(of, COLUMN_EXIT))
		return "the exit code is none";
	return NULL;
}

static void read_names(const struct reading *of, struct accounting_record *record, bool is_step)
{
	const bool inherits = is_step && of->has_job && !strcmp(of->job.job, record->job);

	copy_field(record->system, sizeof record->system, field(of, COLUMN_CLUSTER),
		   inherits ? of->job.system : "");
	copy_field(record->user, sizeof record->user, field(of, COLUMN_USER),
		   inherits ? of->job.user : "");
	copy_field(record->project, sizeof record->project, field(of, COLUMN_ACCOUNT),
		   inherits ? of->job.project : "");
	slurm_program(field(of, COLUMN_LINE), record->program, sizeof record->program);
	if (*field(of, COLUMN_EXECUTABLE) || !*record->program)
		copy_field(record->program, sizeof record->program, field(of, COLUMN_EXECUTABLE),
			   field(of, COLUMN_NAME));
}

/* Whether the job of the row runs, or never ran. */
static bool has_not_ended(const struct reading *of, const char *state)
{
	const char *const end = field(of, COLUMN_END);

	if (slurm_runs(state) || !strcmp(end, "Unknown"))
		return true;
	return has(of, COLUMN_START) && *field(of, COLUMN_START) &&
	       slurm_time(field(of, COLUMN_START)) < 0;
}

static int take_record(struct reading *of, const struct accounting_record *record,
		       struct error *err)
{
	of->read->records++;
	return of->take(of->context, record, err);
}

/* Take the last job, unless its steps were. */
static int end_job(struct reading *of, struct error *err)
{
	if (of->waits)
		TRY(take_record(of, &of->job, err));
	of->has_job = of->waits = false;
	return 0;
}

static int add_wrong(const struct reading *of, const char *reason, struct error *err)
{
	char place[RECORD_TEXT_BYTES];

	snprintf(place, sizeof place, "%s:%llu", of->table.path,
		 (unsigned long long)of->table.line);
	return bad_logs_add(of->bad, place, reason, err);
}

static int take_row(struct reading *of, struct error *err)
{
	struct accounting_record record;
	const bool counts = slurm_id(field(of, COLUMN_ID), record.job, record.step,
				     RECORD_ID_BYTES);
	const bool is_step = *record.step;
	const char *wrong;

	slurm_state(field(of, COLUMN_STATE), record.state, sizeof record.state);
	if (!counts)
		return 0;
	if (!is_step)
		TRY(end_job(of, err));
	if (!of->table.wrong && has_not_ended(of, record.state)) {
		of->read->unended++;
		return 0;
	}
	wrong = read_row(of, &record);
	if (wrong)
		return add_wrong(of, wrong, err);
	read_names(of, &record, is_step);
	if (!is_step) {
		of->job = record;
		of->has_job = of->waits = true;
		return 0;
	}
	if (of->has_job && !strcmp(of->job.job, record.job))
		of->waits = false;
	return take_record(of, &record, err);
}

static int read_records(struct reading *of, struct error *err)
{
	TRY(find_columns(of, err));
	while (delimited_next(&of->table))
		TRY(take_row(of, err));
	return end_job(of, err);
}

int accounting_each(struct accounting_read *read, const char *path, accounting_take *take,
		    void *context, struct bad_logs *bad, struct error *err)
{
	struct reading of = {.take = take, .context = context, .read = read, .bad = bad};
	int result;

	TRY(delimited_open(&of.table, path, err));
	result = read_records(&of, err);
	delimited_release(&of.table);
	return result;
}

/* -------------------------------------------------------------------- writing */

struct writing {
	struct texts *texts;
	sqlite3_stmt *put;
};

static const char put_sql[] =
	"INSERT INTO record_data(system, job, step, user, project, program, executable, nodes, cpus, "
	"tasks, start_ns, end_ns, seconds, state, exit_status) "
	"VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
	"ON CONFLICT(system, job, step, start_ns) DO UPDATE SET user = excluded.user, project = "
	"excluded.project, program = excluded.program, executable = excluded.executable, nodes = "
	"excluded.nodes, cpus = excluded.cpus, tasks = excluded.tasks, end_ns = excluded.end_ns, "
	"seconds = excluded.seconds, state = excluded.state, exit_status = excluded.exit_status";

static void bind_known(sqlite3_stmt *row, int parameter, int64_t value, int64_t unit)
{
	if (value < 0 || value > INT64_MAX / unit)
		sqlite3_bind_null(row, parameter);
	else
		sqlite3_bind_int64(row, parameter, value * unit);
}

static int bind_name(const struct writing *of, int parameter, const char *text, struct error *err)
{
	return texts_bind(of->texts, of->put, parameter, *text ? text : NULL, err);
}

static int write_record(void *context, const struct accounting_record *record, struct error *err)
{
	const struct writing *const of = context;
	sqlite3_stmt *const row = of->put;

	sqlite3_reset(row);
	TRY(texts_bind(of->texts, row, 1, record->system, err));
	sqlite3_bind_text(row, 2, record->job, -1, SQLITE_STATIC);
	sqlite3_bind_text(row, 3, record->step, -1, SQLITE_STATIC);
	TRY(bind_name(of, 4, record->user, err));
	TRY(bind_name(of, 5, record->project, err));
	TRY(bind_name(of, 6, record->program, err));
	TRY(bind_name(of, 7, application_name(record->program), err));
	bind_known(row, 8, record->nodes, 1);
	bind_known(row, 9, record->cpus, 1);
	bind_known(row, 10, record->tasks, 1);
	bind_known(row, 11, record->start < 0 ? 0 : record->start, NS_PER_S);
	bind_known(row, 12, record->end, NS_PER_S);
	bind_known(row, 13, record->seconds, 1);
	TRY(bind_name(of, 14, record->state, err));
	bind_known(row, 15, record->exit_status, 1);
	return usage_db_step(of->texts->db, row, err) < 0 ? -1 : 0;
}

int accounting_read(struct accounting_read *read, struct texts *texts, const char *path,
		    struct bad_logs *bad, struct error *err)
{
	struct writing of = {.texts = texts};
	int result;

	TRY(usage_db_prepare(texts->db, &of.put, put_sql, err));
	result = accounting_each(read, path, write_record, &of, bad, err);
	sqlite3_finalize(of.put);
	return result;
}
