/* How often the jobs of a sample wait for a latency: the table `exposure`, and lines that trace a job. */
#include "common/array.h"
#include "usage/figures/figure_calibrate.h"
#include "usage/figures/figure_source.h"
#include "usage/model/exposure.h"
#include "usage/model/fleet.h"

#include <math.h>

enum { ROLES = 4 };

static const char make_table[] =
	"CREATE TEMP TABLE exposure(job INTEGER PRIMARY KEY, counted REAL, exposure REAL, runtime_ns REAL)";
static const char each_job[] =
	"SELECT l.job, j.ranks, j.mpi_ns FROM temp.log AS l "
	"JOIN job_data AS j ON j.id = l.job WHERE j.mpi_ns > 0 ORDER BY l.job";
static const char each_cell[] = "SELECT function, comm_class, calls FROM cells WHERE job = ?";
/* Calls of the average rank and of the others with a role. */
static const char each_call[] =
	"SELECT function, calls, coalesce(first_calls, calls), coalesce(most_calls, calls), "
	"coalesce(least_calls, calls) FROM job_calls WHERE job = ?";

struct exposing {
	struct usage_db *db;
	sqlite3_stmt *jobs, *cells, *calls, *insert;
	ARRAY(struct job_calls) of[ROLES]; /* calls of the job's ranks */
};

static int read_job_cells(struct exposing *exposing, struct exposure *exposure, struct error *err)
{
	int status;

	sqlite3_reset(exposing->cells);
	sqlite3_bind_int64(exposing->cells, 1, sqlite3_column_int64(exposing->jobs, 0));
	while ((status = usage_db_step(exposing->db, exposing->cells, err)) > 0)
		exposure_add_cell(exposure, (uint16_t)sqlite3_column_int(exposing->cells, 0),
				  (uint8_t)sqlite3_column_int(exposing->cells, 1),
				  (uint64_t)sqlite3_column_int64(exposing->cells, 2));
	return status;
}

static int read_role_calls(struct exposing *exposing, struct error *err)
{
	int status;

	for (int i = 0; i < ROLES; i++)
		exposing->of[i].count = 0;
	sqlite3_reset(exposing->calls);
	sqlite3_bind_int64(exposing->calls, 1, sqlite3_column_int64(exposing->jobs, 0));
	while ((status = usage_db_step(exposing->db, exposing->calls, err)) > 0)
		for (int i = 0; i < ROLES; i++) {
			const struct job_calls calls = {
				.function = (uint16_t)sqlite3_column_int(exposing->calls, 0),
				.calls = (uint64_t)sqlite3_column_int64(exposing->calls, i + 1)};

			TRY(array_push(&exposing->of[i], calls, err));
		}
	return status;
}

static int expose_job(struct exposing *exposing, struct error *err)
{
	struct exposure exposure = {.ranks = (uint32_t)sqlite3_column_int64(exposing->jobs, 1)};
	double most = 0;

	TRY(read_job_cells(exposing, &exposure, err));
	TRY(read_role_calls(exposing, err));
	for (int i = 0; i < ROLES; i++)
		most = fmax(most, exposure_of_calls(&exposure, exposing->of[i].items,
						    exposing->of[i].count));
	sqlite3_reset(exposing->insert);
	sqlite3_bind_int64(exposing->insert, 1, sqlite3_column_int64(exposing->jobs, 0));
	sqlite3_bind_double(exposing->insert, 2, most);
	sqlite3_bind_double(exposing->insert, 3, sqlite3_column_double(exposing->jobs, 2));
	return usage_db_step(exposing->db, exposing->insert, err);
}

static int expose_jobs(struct exposing *exposing, struct error *err)
{
	struct usage_db *const db = exposing->db;
	int status;

	TRY(usage_db_prepare(db, &exposing->jobs, each_job, err));
	TRY(usage_db_prepare(db, &exposing->cells, each_cell, err));
	TRY(usage_db_prepare(db, &exposing->calls, each_call, err));
	TRY(usage_db_prepare(db, &exposing->insert,
			     "INSERT INTO temp.exposure VALUES(?1, ?2, ?2, ?3)", err));
	while ((status = usage_db_step(db, exposing->jobs, err)) > 0)
		TRY(expose_job(exposing, err));
	return status;
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

int figure_source_expose(struct figure_source *source, struct error *err)
{
	struct exposing exposing = {.db = &source->db};
	int status;

	if (source->has_exposure)
		return 0;
	if (sqlite3_create_function(source->db.handle, "trace_line", 2, SQLITE_UTF8, NULL,
				    trace_line, NULL, NULL) != SQLITE_OK)
		return usage_db_error(&source->db, err);
	TRY(usage_db_run(&source->db, make_table, err));
	status = expose_jobs(&exposing, err);
	sqlite3_finalize(exposing.jobs);
	sqlite3_finalize(exposing.cells);
	sqlite3_finalize(exposing.calls);
	sqlite3_finalize(exposing.insert);
	for (int i = 0; i < ROLES; i++)
		array_release(&exposing.of[i]);
	if (status == 0)
		status = figure_calibrate(&source->db, err);
	source->has_exposure = status == 0;
	return status;
}
