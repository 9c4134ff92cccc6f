/* The table sums: what the jobs of each application did in each function. */
#include "common/array.h"
#include "common/number_map.h"
#include "usage/figures/figure_source.h"
#include "usage/index/schema.h"

#include <stdint.h>

struct sum {
	sqlite3_int64 application, function, last_job;
	double jobs, calls, bytes, ns, core_hours;
};

/* A job of the table log. */
struct summed_job {
	sqlite3_int64 job, application;
	double scale, hours_per_ns;
};

struct sums {
	ARRAY(struct sum) sums;
	struct number_map numbers; /* by application and function */
	/* By id of a function: 1 + the id of that without _c; 0: it does not count. */
	uint16_t plain[USAGE_REST_ID + 1];
};

/* --------------------------------------------------------------------- reading */

/*
 * SQLite would look for the calls of each job, and group by sorting all rows.  Two tables that are read in the
 * order of their jobs, and a hash table, are several times faster.
 */
static const char each_job[] =
	"SELECT job, application, scale, core_hours / time_ns FROM temp.log ORDER BY job";
static const char each_call[] =
	"SELECT job, function, calls, bytes, ns FROM job_calls WHERE calls > 0 ORDER BY job";
/* Of those whose time is time in MPI (usage_counts_as_mpi). */
static const char each_function[] =
	"SELECT f.id, p.id FROM functions AS f JOIN functions AS p ON p.name = f.plain "
	"WHERE f.class NOT IN ('init', 'finalize') AND (?1 OR f.class <> 'local')";

static struct sum *find_sum(struct sums *sums, sqlite3_int64 application, uint32_t function,
			    struct error *err)
{
	uint32_t number = number_map_get(&sums->numbers, (uint64_t)application, function);
	const struct sum empty = {.application = application, .function = function};

	if (number != NUMBER_MAP_EMPTY)
		return &sums->sums.items[number];
	number = (uint32_t)sums->sums.count;
	if (array_push(&sums->sums, empty, err) < 0 ||
	    number_map_add(&sums->numbers, (uint64_t)application, function, number, err) < 0)
		return NULL;
	return &sums->sums.items[number];
}

static int add_call(struct sums *sums, const struct summed_job *job, sqlite3_stmt *call,
		    struct error *err)
{
	const uint16_t plain = sums->plain[sqlite3_column_int(call, 1) & USAGE_REST_ID];
	struct sum *sum;

	if (!plain)
		return 0;
	sum = find_sum(sums, job->application, plain - 1u, err);
	if (!sum)
		return -1;
	/* Functions with and without _c are one. */
	sum->jobs += sum->last_job != job->job;
	sum->last_job = job->job;
	sum->calls += sqlite3_column_double(call, 2) * job->scale;
	sum->bytes += sqlite3_column_double(call, 3) * job->scale;
	sum->ns += sqlite3_column_double(call, 4) * job->scale;
	sum->core_hours += sqlite3_column_double(call, 4) * job->hours_per_ns;
	return 0;
}

/* Read the next job.  Returns 1, 0 if there is none, -1. */
static int next_job(struct usage_db *db, sqlite3_stmt *jobs, struct summed_job *job,
		    struct error *err)
{
	const int status = usage_db_step(db, jobs, err);

	if (status > 0)
		*job = (struct summed_job){
			.job = sqlite3_column_int64(jobs, 0),
			.application = sqlite3_column_int64(jobs, 1),
			.scale = sqlite3_column_double(jobs, 2),
			.hours_per_ns = sqlite3_column_double(jobs, 3),
		};
	return status;
}

static int merge_calls(struct usage_db *db, struct sums *sums, sqlite3_stmt *jobs,
		       sqlite3_stmt *calls, struct error *err)
{
	struct summed_job job;
	int has_job = next_job(db, jobs, &job, err), status = 0;

	while (has_job > 0 && (status = usage_db_step(db, calls, err)) > 0) {
		const sqlite3_int64 of = sqlite3_column_int64(calls, 0);

		while (has_job > 0 && job.job < of)
			has_job = next_job(db, jobs, &job, err);
		if (has_job > 0 && job.job == of)
			TRY(add_call(sums, &job, calls, err));
	}
	return has_job < 0 || status < 0 ? -1 : 0;
}

static int read_functions(struct figure_source *source, struct sums *sums, struct error *err)
{
	sqlite3_stmt *functions;
	int status;

	TRY(usage_db_prepare(&source->db, &functions, each_function, err));
	sqlite3_bind_int(functions, 1, source->scope.local);
	while ((status = usage_db_step(&source->db, functions, err)) > 0)
		sums->plain[sqlite3_column_int(functions, 0) & USAGE_REST_ID] =
			(uint16_t)(1 + sqlite3_column_int(functions, 1));
	sqlite3_finalize(functions);
	return status;
}

static int read_sums(struct figure_source *source, struct sums *sums, struct error *err)
{
	sqlite3_stmt *jobs, *calls = NULL;
	int status;

	TRY(read_functions(source, sums, err));
	TRY(usage_db_prepare(&source->db, &jobs, each_job, err));
	status = usage_db_prepare(&source->db, &calls, each_call, err);
	if (status == 0)
		status = merge_calls(&source->db, sums, jobs, calls, err);
	sqlite3_finalize(jobs);
	sqlite3_finalize(calls);
	return status;
}

/* --------------------------------------------------------------------- writing */

static int write_sums(struct usage_db *db, const struct sums *sums, struct error *err)
{
	sqlite3_stmt *insert;
	int status = 0;

	TRY(usage_db_run(db,
			 "CREATE TEMP TABLE sums(application INTEGER, function INTEGER, "
			 "jobs REAL, calls REAL, bytes REAL, ns REAL, core_hours REAL)",
			 err));
	TRY(usage_db_prepare(db, &insert, "INSERT INTO temp.sums VALUES(?, ?, ?, ?, ?, ?, ?)",
			     err));
	for (size_t i = 0; i < sums->sums.count && status >= 0; i++) {
		const struct sum *const sum = &sums->sums.items[i];
		const double values[] = {sum->jobs, sum->calls, sum->bytes, sum->ns,
					 sum->core_hours};

		sqlite3_reset(insert);
		sqlite3_bind_int64(insert, 1, sum->application);
		sqlite3_bind_int64(insert, 2, sum->function);
		for (int j = 0; j < 5; j++)
			sqlite3_bind_double(insert, j + 3, values[j]);
		status = usage_db_step(db, insert, err);
	}
	sqlite3_finalize(insert);
	return status < 0 ? -1 : 0;
}

int figure_source_sum(struct figure_source *source, struct error *err)
{
	struct sums sums = {.sums = {0}};
	int status;

	if (source->has_sums)
		return 0;
	status = read_sums(source, &sums, err);
	if (status == 0)
		status = write_sums(&source->db, &sums, err);
	source->has_sums = status == 0;
	array_release(&sums.sums);
	number_map_release(&sums.numbers);
	return status;
}
