#include "usage/figures/figure_calibrate.h"

#include "common/array.h"
#include "usage/model/fleet.h"

#include <math.h>

/* lambda_L of a job, by its id and step or by its id alone. */
#define LAMBDA                                                                              \
	"(SELECT t.lambda FROM traced AS t WHERE t.job = j.job || '.' || j.step UNION ALL " \
	"SELECT t.lambda FROM traced AS t WHERE t.job = j.job LIMIT 1)"

static const char make_tables[] =
	"CREATE TEMP TABLE calibration(application INTEGER, jobs INTEGER, factor REAL, least REAL, "
	"most REAL); "
	"CREATE TEMP TABLE job_lambda(job INTEGER PRIMARY KEY, lambda REAL)";
static const char find_jobs[] =
	"INSERT INTO temp.job_lambda SELECT * FROM (SELECT j.id AS job, " LAMBDA
	" AS lambda FROM temp.exposure AS e JOIN job_data AS j ON j.id = e.job "
	"WHERE j.job <> '') WHERE lambda IS NOT NULL";
static const char each_job[] =
	"SELECT l.application, t.lambda, e.counted FROM temp.job_lambda AS t "
	"JOIN temp.exposure AS e ON e.job = t.job JOIN temp.log AS l ON l.job = t.job "
	"WHERE e.counted > 0 ORDER BY l.application";
static const char set_exposures[] =
	"UPDATE temp.exposure SET exposure = coalesce("
	"(SELECT lambda FROM temp.job_lambda AS t WHERE t.job = exposure.job), "
	"counted * coalesce((SELECT c.factor FROM temp.log AS l JOIN temp.calibration AS c "
	"ON c.application = l.application WHERE l.job = exposure.job), "
	"(SELECT factor FROM temp.calibration WHERE application IS NULL), 1)) "
	"WHERE EXISTS(SELECT 1 FROM temp.job_lambda)";

/* Jobs that were traced and have an exposure, ordered by application. */
struct traced_jobs {
	ARRAY(int64_t) applications;
	ARRAY(double) lambdas, exposures;
};

static int read_jobs(struct traced_jobs *jobs, struct usage_db *db, sqlite3_stmt *each,
		     struct error *err)
{
	int status;

	while ((status = usage_db_step(db, each, err)) > 0) {
		TRY(array_push(&jobs->applications, sqlite3_column_int64(each, 0), err));
		TRY(array_push(&jobs->lambdas, sqlite3_column_double(each, 1), err));
		TRY(array_push(&jobs->exposures, sqlite3_column_double(each, 2), err));
	}
	return status;
}

/* Add the row of the jobs from `from` on, before `to`; application 0: of all. */
static int add_factor(const struct traced_jobs *jobs, struct usage_db *db, sqlite3_stmt *insert,
		      int64_t application, size_t from, size_t to, struct error *err)
{
	const double *const lambdas = jobs->lambdas.items + from;
	const double *const exposures = jobs->exposures.items + from;
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < to - from; i++) {
		least = fmin(least, lambdas[i] / exposures[i]);
		most = fmax(most, lambdas[i] / exposures[i]);
	}
	sqlite3_reset(insert);
	sqlite3_bind_int64(insert, 1, application);
	sqlite3_bind_int64(insert, 2, (int64_t)(to - from));
	sqlite3_bind_double(insert, 3, fleet_calibration(lambdas, exposures, to - from));
	sqlite3_bind_double(insert, 4, least);
	sqlite3_bind_double(insert, 5, most);
	return usage_db_step(db, insert, err);
}

static int add_factors(const struct traced_jobs *jobs, struct usage_db *db, sqlite3_stmt *insert,
		       struct error *err)
{
	const int64_t *const applications = jobs->applications.items;
	const size_t count = jobs->applications.count;

	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && applications[to] == applications[from];)
			to++;
		if (applications[from])
			TRY(add_factor(jobs, db, insert, applications[from], from, to, err));
	}
	return count ? add_factor(jobs, db, insert, 0, 0, count, err) : 0;
}

static int fill_calibration(struct traced_jobs *jobs, struct usage_db *db, struct error *err)
{
	sqlite3_stmt *each, *insert = NULL;
	int status;

	TRY(usage_db_prepare(db, &each, each_job, err));
	status = read_jobs(jobs, db, each, err);
	sqlite3_finalize(each);
	TRY(status);
	TRY(usage_db_prepare(db, &insert,
			     "INSERT INTO temp.calibration VALUES(nullif(?, 0), ?, ?, ?, ?)", err));
	status = add_factors(jobs, db, insert, err);
	sqlite3_finalize(insert);
	return status;
}

int figure_calibrate(struct usage_db *db, struct error *err)
{
	struct traced_jobs jobs = {0};
	int status;

	TRY(usage_db_run(db, make_tables, err));
	TRY(usage_db_run(db, find_jobs, err));
	status = fill_calibration(&jobs, db, err);
	array_release(&jobs.applications);
	array_release(&jobs.lambdas);
	array_release(&jobs.exposures);
	TRY(status);
	return usage_db_run(db, set_exposures, err);
}
