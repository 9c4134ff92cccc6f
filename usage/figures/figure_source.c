#include "usage/figures/figure_source.h"
#include "usage/figures/figure_calibrate.h"
#include "usage/figures/figure_network.h"
#include "usage/model/fleet.h"

#include <stdint.h>

/* ------------------------------------------------------------------- condition */

/* Columns of FIGURE_WHERE_COLUMNS: of logs and their records, and of records and their logs. */
#define COMMON_COLUMNS(system, job, step, user, program, nodes, core_hours, start_ns)                  \
	system " AS system, " job " AS job, " step " AS step, " user                                   \
	       " AS user, k.project, k.programme, w.domain, coalesce(w.application, k.executable) AS " \
	       "application, " program " AS program, k.state, k.exit_status, " nodes                   \
	       " AS nodes, " core_hours " AS core_hours, " start_ns                                    \
	       " AS start_ns, coalesce(k.seconds, j.process_ns / 1e9, j.mpi_ns / 1e9) AS "             \
	       "seconds, j.ranks, j.ranks_per_node, j.threads, j.level_asked, "                        \
	       "j.level_given, j.library, j.\"end\", j.build_id, j.args_hash, j.mpi_ns, "              \
	       "j.process_ns, w.fraction"

static const char logs_where[] = "SELECT row FROM (SELECT j.id AS row, " COMMON_COLUMNS(
	"j.system", "j.job", "j.step", "coalesce(j.user, k.user)", "j.program",
	"coalesce(j.nodes, k.nodes)", "coalesce(j.core_hours, k.core_hours)",
	"j.start_ns") " FROM jobs AS j JOIN job_weights AS w ON w.job = j.id "
		      "LEFT JOIN accounting AS k ON k.id = j.record) WHERE (\n";

static const char records_where[] = "SELECT row FROM (SELECT k.id AS row, " COMMON_COLUMNS(
	"k.system", "k.job", "k.step", "k.user", "k.program", "k.nodes", "k.core_hours",
	"k.start_ns") " FROM accounting AS k LEFT JOIN jobs AS j ON j.record = k.id "
		      "LEFT JOIN job_weights AS w ON w.job = j.id) WHERE (\n";

/* Check that a condition is one expression that only reads. */
static int check_where(struct usage_db *db, const char *where, struct error *err)
{
	char *const sql = sqlite3_mprintf("%s%s\n)", logs_where, where);
	sqlite3_stmt *statement = NULL;
	const char *rest = "";
	int status = 0;

	if (!sql)
		return error_set_memory(err, 0);
	if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, &rest) != SQLITE_OK)
		status = error_set(err, STATUS_USAGE, "--where %s: %s (columns: %s)", where,
				   sqlite3_errmsg(db->handle), FIGURE_WHERE_COLUMNS);
	else if (*rest)
		status = error_set(err, STATUS_USAGE, "--where %s: expected one condition in SQL",
				   where);
	sqlite3_finalize(statement);
	sqlite3_free(sql);
	return status;
}

/* The condition as one on the column `id`, or a condition that is true.  sqlite3_free frees it. */
static char *id_condition(const char *id, const char *select, const char *where)
{
	return where ? sqlite3_mprintf("%s IN (%s%s\n))", id, select, where) : sqlite3_mprintf("1");
}

/* ---------------------------------------------------------------------- tables */

#define FILTERED "(coalesce(k.in_programme, 1) AND coalesce(k.in_filter, 1))"
#define SECONDS "coalesce(k.seconds, j.process_ns / 1e9, j.mpi_ns / 1e9)"

/* %z: the condition on records. */
static const char make_records[] =
	"CREATE TEMP TABLE record(id INTEGER PRIMARY KEY, executable INTEGER, core_hours REAL, "
	"seconds REAL, nodes INTEGER, programme INTEGER, filtered INTEGER, normal INTEGER, "
	"logged INTEGER);"
	"INSERT INTO temp.record SELECT id, coalesce(executable, program), core_hours, seconds, "
	"nodes, coalesce(in_programme, 1), " FILTERED ", coalesce(normal, 0), logs > 0 "
	"FROM record_data AS k WHERE %z";

/* %s: weight, scale, time of local functions, the filter; %z: the condition on logs. */
static const char make_logs[] =
	"CREATE TEMP TABLE log(job INTEGER PRIMARY KEY, record INTEGER, application INTEGER, "
	"core_hours REAL, weight REAL, scale REAL, time_ns REAL, mpi_ns REAL, "
	"p2p_ns REAL, collective_ns REAL, fraction REAL, seconds REAL, nodes INTEGER, "
	"ranks INTEGER, ranks_per_node INTEGER, level INTEGER, args_hash INTEGER, mean_ns REAL, "
	"most_ns REAL, runtime_ns INTEGER, exposure REAL, rank_hours INTEGER);"
	"INSERT INTO temp.log SELECT id, record, application, hours, %s, %s, time, mpi, p2p, "
	"collective, mpi / nullif(time, 0), seconds, nodes, ranks, ranks_per_node, level, "
	"args_hash, mean_ns, most_ns, mpi_ns, exposure, rank_hours FROM ("
	"SELECT j.id, j.record, j.application, coalesce(j.core_hours, k.core_hours, "
	"j.ranks * " SECONDS " / 3600.0, 0) AS hours, "
	"k.core_hours IS NULL AND (j.nodes IS NULL OR j.system NOT IN (SELECT t.id FROM systems AS y "
	"JOIN texts AS t ON t.text = y.system)) AS rank_hours, "
	"j.mpi_ns * 1.0 * max(coalesce(j.threads, 1), 1) AS time, j.average_ns * 1.0%s AS mpi, "
	"(coalesce(j.p2p_ns, 0) + coalesce(j.completion_ns, 0)) * 1.0 AS p2p, "
	"coalesce(j.collective_ns, 0) * 1.0 AS collective, " SECONDS " AS seconds, "
	"coalesce(j.nodes, k.nodes) AS nodes, j.ranks, j.ranks_per_node, "
	"coalesce(j.level_asked, j.level_given) AS level, j.args_hash, j.mean_ns, j.most_ns, "
	"j.mpi_ns, j.exposure "
	"FROM job_data AS j LEFT JOIN record_data AS k ON k.id = j.record "
	"WHERE j.average_ns IS NOT NULL AND %s AND %z)";

/* Run statements made by sqlite3_mprintf, and free them. */
static int run_made(struct usage_db *db, char *sql, struct error *err)
{
	int status;

	if (!sql)
		return error_set_memory(err, 0);
	status = usage_db_run(db, sql, err);
	sqlite3_free(sql);
	return status;
}

static int make_log_table(struct figure_source *source, struct error *err)
{
	const struct figure_scope *const scope = &source->scope;

	return run_made(&source->db,
			sqlite3_mprintf(make_logs, scope->core_hours ? "hours" : "1",
					scope->ranks ? "ranks" : "1",
					scope->local ? " + coalesce(j.local_ns, 0)" : "",
					source->has_records ? "k.id IS NOT NULL AND " FILTERED
							    : "1",
					id_condition("j.id", logs_where, scope->where)),
			err);
}

int figure_source_records(struct figure_source *source, struct error *err)
{
	if (source->has_record_table)
		return 0;
	TRY(run_made(&source->db,
		     sqlite3_mprintf(make_records,
				     id_condition("k.id", records_where, source->scope.where)),
		     err));
	source->has_record_table = true;
	return 0;
}

int figure_source_expose(struct figure_source *source, struct error *err)
{
	static const char make_exposures[] =
		"CREATE TEMP TABLE exposure(job INTEGER PRIMARY KEY, counted REAL, exposure REAL, "
		"runtime_ns REAL);"
		"INSERT INTO temp.exposure SELECT job, exposure, exposure, runtime_ns "
		"FROM temp.log WHERE runtime_ns > 0";

	if (source->has_exposure)
		return 0;
	TRY(usage_db_run(&source->db, make_exposures, err));
	TRY(figure_calibrate(&source->db, err));
	source->has_exposure = true;
	return 0;
}

int figure_source_network(struct figure_source *source, struct error *err)
{
	if (source->has_network)
		return 0;
	TRY(figure_find_network(&source->db, err));
	source->has_network = true;
	return 0;
}

static int query_count(struct usage_db *db, const char *sql, uint64_t *count, struct error *err)
{
	sqlite3_stmt *statement;
	int status;

	TRY(usage_db_prepare(db, &statement, sql, err));
	status = usage_db_step(db, statement, err);
	*count = status > 0 ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return status < 0 ? -1 : 0;
}

/* Count the records for which another condition is true, too. */
static int count_records(struct figure_source *source, const char *condition, uint64_t *count,
			 struct error *err)
{
	char *const sql = sqlite3_mprintf("SELECT count(*) FROM record_data AS k WHERE %s AND %z",
					  condition,
					  id_condition("k.id", records_where, source->scope.where));
	int status;

	if (!sql)
		return error_set_memory(err, 0);
	status = query_count(&source->db, sql, count, err);
	sqlite3_free(sql);
	return status;
}

static int count_rows(struct figure_source *source, struct error *err)
{
	struct usage_db *const db = &source->db;

	TRY(query_count(db, "SELECT count(*) FROM temp.log", &source->jobs, err));
	TRY(count_records(source, "1", &source->records, err));
	TRY(count_records(source, "k.core_hours IS NULL", &source->no_hours, err));
	TRY(count_records(source,
			  "k.core_hours IS NULL AND k.nodes > 0 AND k.cores_per_node IS NULL",
			  &source->no_cores, err));
	TRY(query_count(db, "SELECT count(*) FROM files WHERE state = 3", &source->damaged, err));
	TRY(query_count(db, "SELECT total(rank_hours) FROM temp.log", &source->rank_hours, err));
	return query_count(db,
			   "SELECT (SELECT count(*) FROM job_data) - "
			   "(SELECT count(*) FROM job_data WHERE record IS NOT NULL)",
			   &source->no_record, err);
}

static void node_class(sqlite3_context *context, int count, sqlite3_value **values)
{
	const sqlite3_int64 nodes = sqlite3_value_int64(values[0]);
	sqlite3_int64 class = 1;

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	while (class < nodes && class < INT64_MAX / 2)
		class *= 2;
	sqlite3_result_int64(context, class);
}

/* trace_line(program, ranks) */
static void trace_line(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *const program = (const char *)sqlite3_value_text(values[0]);
	char line[1024];

	(void)count;
	if (!program)
		return;
	fleet_trace_line(program, (uint32_t)sqlite3_value_int64(values[1]), line, sizeof line);
	sqlite3_result_text(context, line, -1, SQLITE_TRANSIENT);
}

static int add_sql_functions(struct usage_db *db, struct error *err)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;

	if (sqlite3_create_function(db->handle, "node_class", 1, flags, NULL, node_class, NULL,
				    NULL) != SQLITE_OK ||
	    sqlite3_create_function(db->handle, "trace_line", 2, flags, NULL, trace_line, NULL,
				    NULL) != SQLITE_OK)
		return usage_db_error(db, err);
	return 0;
}

static int set_up(struct figure_source *source, struct error *err)
{
	struct usage_db *const db = &source->db;
	uint64_t records;

	if (source->scope.where)
		TRY(check_where(db, source->scope.where, err));
	TRY(usage_db_allow_temporary(db, err));
	TRY(add_sql_functions(db, err));
	TRY(query_count(db, "SELECT count(*) FROM job_data", &source->logs, err));
	TRY(query_count(db, "SELECT EXISTS(SELECT 1 FROM record_data)", &records, err));
	source->has_records = records > 0;
	TRY(make_log_table(source, err));
	return count_rows(source, err);
}

int figure_source_open(struct figure_source *source, const char *path,
		       const struct figure_scope *scope, struct error *err)
{
	*source = (struct figure_source){.scope = *scope};
	TRY(usage_db_open(&source->db, path, USAGE_DB_READ, err));
	if (set_up(source, err) == 0)
		return 0;
	usage_db_close(&source->db);
	return -1;
}

void figure_source_close(struct figure_source *source)
{
	usage_db_close(&source->db);
}
