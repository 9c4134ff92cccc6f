#include "usage/index/join.h"

#include <stdio.h>

/* Column of a system in job_data or record_data, to the cores of its nodes. */
#define CORES_OF(system)                                                                   \
	"(SELECT y.cores_per_node FROM systems AS y JOIN texts AS t ON t.text = y.system " \
	"WHERE t.id = " system ")"

/*
 * The parameter ?1 is the number of the text "", ?2 that of the only system of all records, or
 * NULL.
 */
static const char find_records[] =
	"UPDATE job_data SET record = (SELECT id FROM (SELECT r.id, r.step <> '' AS same_step, "
	"r.start_ns <= job_data.start_ns + 60000000000 AS before, r.start_ns FROM record_data AS r "
	"WHERE r.system IN (job_data.system, ?1, CASE WHEN job_data.system = ?1 THEN ?2 END) "
	"AND r.job = job_data.job AND (r.step = job_data.step OR r.step = '') "
	"AND (r.start_ns = 0 OR job_data.start_ns = 0 OR job_data.start_ns BETWEEN r.start_ns - "
	"86400000000000 AND coalesce(r.end_ns, r.start_ns) + 86400000000000)) "
	"ORDER BY same_step DESC, before DESC, start_ns DESC LIMIT 1) WHERE record IS NULL AND job "
	"<> ''";

/* Jobs that are new have no core-hours yet.  ?1: whether to look at all. */
#define OF_NEW_JOBS "(?1 OR id IN (SELECT record FROM job_data WHERE core_hours IS NULL))"

static const char count_logs[] =
	"UPDATE record_data SET logs = (SELECT count(*) FROM job_data WHERE record = "
	"record_data.id) WHERE (logs > 0 OR id IN (SELECT record FROM job_data)) AND " OF_NEW_JOBS;

static const char name_executables[] =
	"UPDATE record_data SET (executable, program) = (SELECT application, program FROM job_data "
	"WHERE record = record_data.id AND application IS NOT NULL ORDER BY id LIMIT 1) WHERE logs > "
	"0 AND " OF_NEW_JOBS " AND EXISTS(SELECT 1 FROM job_data WHERE record = record_data.id AND "
	"application IS NOT NULL)";

/* What does not depend on logs. */
static const char judge_records[] = "UPDATE record_data SET cores_per_node = " CORES_OF(
	"record_data.system") ", core_hours = "
			      "seconds / 3600.0 * (SELECT CASE WHEN c.cores IS NULL THEN record_data.cpus "
			      "WHEN record_data.cpus IS NULL THEN record_data.nodes * c.cores "
			      "ELSE min(record_data.cpus, record_data.nodes * c.cores) END "
			      "FROM (SELECT " CORES_OF(
				      "record_data.system") " AS cores) AS c), "
							    "normal = coalesce((SELECT s.class = 'normal' FROM states AS s JOIN texts AS t ON t.text = "
							    "s.state WHERE t.id = record_data.state), exit_status = 0 OR exit_status > 255), "
							    "in_programme = NOT EXISTS(SELECT 1 FROM programmes) OR coalesce(project IN "
							    "(SELECT t.id FROM texts AS t JOIN programmes AS p ON p.project = t.text), 0)";

/* Executables with at least 0.1 % of the core-hours of a system; all if it has none that are known. */
static const char find_large[] =
	"CREATE TEMP TABLE large AS SELECT e.system, e.executable FROM (SELECT system, executable, "
	"sum(core_hours) AS hours FROM record_data WHERE in_programme GROUP BY system, executable) AS "
	"e JOIN (SELECT system, sum(core_hours) AS hours FROM record_data GROUP BY system) AS a ON "
	"a.system = e.system WHERE a.hours IS NULL OR e.hours >= 0.001 * a.hours; "
	"CREATE INDEX temp.large_executables ON large(system, executable)";

#define IS_LARGE                                                                   \
	"(in_programme AND EXISTS(SELECT 1 FROM temp.large AS l WHERE l.system = " \
	"record_data.system AND l.executable IS record_data.executable))"
static const char filter[] = "UPDATE record_data SET in_filter = " IS_LARGE
			     " WHERE in_filter IS NOT " IS_LARGE;

/* Applications that have recorded something. */
static const char find_recorded[] =
	"CREATE TEMP TABLE recorded AS SELECT DISTINCT application AS id FROM job_data WHERE "
	"average_ns IS NOT NULL AND application IS NOT NULL; "
	"CREATE INDEX temp.recorded_ids ON recorded(id)";

/* The parameters are the numbers of the words. */
#define COVERAGE                                                                               \
	"CASE WHEN logs > 0 THEN CASE WHEN EXISTS(SELECT 1 FROM job_data WHERE record = "      \
	"record_data.id AND average_ns IS NOT NULL) THEN ?1 ELSE ?2 END WHEN normal = 0 THEN " \
	"?3 WHEN executable IN (SELECT id FROM temp.recorded) THEN ?4 WHEN tasks = 1 THEN ?5 " \
	"ELSE ?6 END"
static const char find_coverage[] = "UPDATE record_data SET coverage = " COVERAGE
				    " WHERE coverage IS NOT " COVERAGE;

static const char *const coverages[] = {"log",	       "other tool", "killed",
					"no Finalize", "no MPI",     "not preloaded"};

/* Core-hours of jobs: ?1 is whether to compute them again where they are known. */
static const char share_core_hours[] =
	"UPDATE job_data SET core_hours = coalesce("
	"(SELECT CASE r.logs WHEN 1 THEN r.core_hours ELSE r.core_hours * job_data.nodes * "
	"coalesce(job_data.process_ns, job_data.mpi_ns) * 1.0 / nullif((SELECT sum(s.nodes * "
	"coalesce(s.process_ns, s.mpi_ns) * 1.0) FROM job_data AS s WHERE s.record = r.id), 0) END "
	"FROM record_data AS r WHERE r.id = job_data.record), "
	"coalesce(nodes * " CORES_OF(
		"job_data.system") ", ranks) * 1.0 * "
				   "coalesce(process_ns, mpi_ns) / 3.6e12) WHERE ?1 OR core_hours IS NULL OR record IN "
				   "(SELECT id FROM record_data WHERE logs > 1)";

/* --------------------------------------------------------------------------- */

/* Run a statement with numbers as parameters; below 0: NULL. */
static int run_with(struct usage_db *db, const char *sql, const sqlite3_int64 *values, int count,
		    struct error *err)
{
	sqlite3_stmt *statement;
	int status;

	TRY(usage_db_prepare(db, &statement, sql, err));
	for (int i = 0; i < count; i++)
		if (values[i] >= 0)
			sqlite3_bind_int64(statement, i + 1, values[i]);
	status = usage_db_step(db, statement, err);
	sqlite3_finalize(statement);
	return status < 0 ? -1 : 0;
}

/* First number of the rows of a statement, -1 if it is NULL or there is no row. */
static int query_one(struct usage_db *db, const char *sql, sqlite3_int64 *number, struct error *err)
{
	sqlite3_stmt *statement;
	int status;

	TRY(usage_db_prepare(db, &statement, sql, err));
	status = usage_db_step(db, statement, err);
	*number = status > 0 && sqlite3_column_type(statement, 0) != SQLITE_NULL
			  ? sqlite3_column_int64(statement, 0)
			  : -1;
	sqlite3_finalize(statement);
	return status < 0 ? -1 : 0;
}

static int find_filter(struct usage_db *db, struct error *err)
{
	TRY(usage_db_run(db, find_large, err));
	TRY(usage_db_run(db, filter, err));
	return usage_db_run(db, "DROP TABLE temp.large", err);
}

static int cover_records(struct texts *texts, struct error *err)
{
	enum { WORDS = sizeof coverages / sizeof *coverages };
	struct usage_db *const db = texts->db;
	sqlite3_int64 words[WORDS];

	for (int i = 0; i < WORDS; i++)
		TRY(texts_number(texts, coverages[i], &words[i], err));
	TRY(usage_db_run(db, find_recorded, err));
	TRY(run_with(db, find_coverage, words, WORDS, err));
	return usage_db_run(db, "DROP TABLE temp.recorded", err);
}

int join_records(struct texts *texts, bool all, struct error *err)
{
	const sqlite3_int64 of_all = all;
	struct usage_db *const db = texts->db;
	sqlite3_int64 systems[2], has_records;

	TRY(texts_number(texts, "", &systems[0], err));
	TRY(query_one(db,
		      "SELECT CASE WHEN min(system) = max(system) THEN min(system) END FROM "
		      "record_data",
		      &systems[1], err));
	TRY(query_one(db, "SELECT EXISTS(SELECT 1 FROM record_data)", &has_records, err));
	if (has_records) {
		TRY(run_with(db, find_records, systems, 2, err));
		TRY(run_with(db, count_logs, &of_all, 1, err));
		TRY(run_with(db, name_executables, &of_all, 1, err));
		if (all)
			TRY(usage_db_run(db, judge_records, err));
		TRY(find_filter(db, err));
		TRY(cover_records(texts, err));
	}
	return run_with(db, share_core_hours, &of_all, 1, err);
}
