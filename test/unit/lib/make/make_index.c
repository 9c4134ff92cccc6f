#include "test/unit/lib/make/make_index.h"

#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

/* Functions of rows by their names without MPI_. */
#define BY_FUNCTION "FROM v JOIN functions AS f ON f.name = 'MPI_' || v.name;"

const char made_applications[] = MAKE_TEXTS
	"INSERT INTO domains VALUES('alpha', 'chemistry');" MAKE_JOBS
	"VALUES(1, 1, 'a', '', 1, 2, 1e12, 1e12, 8, 2, 4, 2, 5, 1e12, 4e10, 1e11, 3e11, 6e11, 30, 5e11, 1e12), "
	"(2, 1, 'b', '', 2, 3, 1e12, 1e12, 4, 1, 4, 1, 4, 1e11, 0, 0, 0, 1e11, 10, 1e11, 1e11);"

	"WITH v(job, name, calls, bytes, moved, ns) AS (VALUES"
	"(1, 'Allreduce', 10, 80, 160, 2e11), (1, 'Allreduce_c', 10, 240, 480, 4e11), "
	"(1, 'Isend', 7, 7000, 7000, 1e11), (1, 'Waitall', 3, 0, 0, 3e11), (1, 'Comm_rank', 9, 0, 0, 4e10), "
	"(1, 'Init', 1, 0, 0, 2e12), (1, 'Finalize', 1, 0, 0, 1e12), "
	"(2, 'Allreduce', 10, 80, 160, 5e10), (2, 'Allreduce_c', 10, 240, 480, 5e10)) "
	"INSERT INTO job_calls(job, function, calls, bytes, moved, ns) "
	"SELECT v.job, f.id, v.calls, v.bytes, v.moved, v.ns " BY_FUNCTION

	"WITH v(job, name, size_class, comm_class, failed, calls, bytes) AS (VALUES"
	"(1, 'Allreduce', 7, 4, 0, 80, 640), (1, 'Allreduce_c', 41, 4, 0, 20, 1), "
	"(2, 'Allreduce', 17, 4, 0, 100, 25600), (2, 'File_open', 0, 1, 0, 3, 0), (2, 'File_open', 0, 3, 0, 5, 0), "
	"(2, 'File_write_at_all', 5, 3, 0, 2, 0), (2, 'File_write_all', 5, 3, 0, 4, 0), "
	"(2, 'File_set_atomicity', 0, 3, 0, 1, 0), (2, 'File_write_all', 5, 3, 1, 100, 0)) "
	"INSERT INTO cells(job, function, size_class, comm_class, place, failed, calls, bytes, moved, ns) "
	"SELECT v.job, f.id, v.size_class, v.comm_class, 0, v.failed, v.calls, v.bytes, 0, 0 " BY_FUNCTION

	"INSERT INTO job_sizes VALUES(1, 20, 320, 100, 80, 80, 20, 320, 100, 20, 0, 0, 0, 0), "
	"(2, 20, 320, 100, 100, 100, 20, 320, 100, 0, 0, 0, 0, 0)";

const char made_ping_pong[] =
	"INSERT INTO ping_pong VALUES('alone', 1, 500), ('profiled', 1, 540), ('alone', 1, 480), "
	"('alone', 1024, 1500), ('profiled', 1024, 1530), ('profiled', 4194304, 6e5)";

const char made_records[] = MAKE_TEXTS
	"INSERT INTO record_data(id, system, job, step, start_ns, executable, nodes, seconds, core_hours, normal, "
	"in_programme, in_filter, logs, coverage) VALUES"
	"(1, 1, 'a', '', 1, 2, 512, 100, 10, 1, 1, 1, 1, 6), (2, 1, 'b', '', 2, 2, 48000, 5000, 30, 0, 1, 1, 0, 7), "
	"(3, 1, 'c', '', 3, 3, 1, 1, 60, 1, 0, 0, 1, 6);" MAKE_JOBS
	"VALUES(1, 1, 'a', '', 1, 2, 1e11, 1e11, 8192, 512, 16, 1, 4, 5e10, 0, 0, 0, 0, NULL, 0, 0), "
	"(3, 1, 'c', '', 3, 3, 1e9, 1e9, 1, 1, 1, 1, 4, 5e8, 0, 0, 0, 0, NULL, 0, 0);"
	"UPDATE job_data SET record = id";

/* Lets statements insert into the view of the cells. */
static const char put_cells[] =
	"CREATE TEMP TRIGGER put_cells INSTEAD OF INSERT ON main.cells BEGIN "
	"INSERT INTO cell_data(job, key, calls, bytes, moved, ns) VALUES(new.job, "
	"(new.function << 15) + (new.size_class << 8) + (new.comm_class << 3) + "
	"(new.place << 1) + new.failed, new.calls, new.bytes, new.moved, new.ns); END";

const char *made_index_path(void)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/usage.db", scratch);
	return path;
}

void make_index(const char *sql)
{
	remove(made_index_path());
	add_to_index(sql);
}

void add_to_index(const char *sql)
{
	struct usage_db db = {0};
	struct error err;

	MUST(usage_db_open(&db, made_index_path(), USAGE_DB_WRITE, &err));
	MUST(usage_db_run(&db, put_cells, &err));
	MUST(usage_db_run(&db, "BEGIN", &err));
	MUST(usage_db_run(&db, sql, &err));
	MUST(usage_db_run(&db, "COMMIT", &err));
	usage_db_close(&db);
}

void open_index(struct figure_source *source, struct figure_scope scope)
{
	struct error err;

	MUST(figure_source_open(source, made_index_path(), &scope, &err));
}

struct figure_result ask_figure(struct figure_source *source, const char *name)
{
	struct figure_result result;
	struct error err;

	MUST(figure_ask(&result, figure_find(name, &err), source, &err));
	return result;
}

double number_at(const struct figure_result *result, size_t row, int column)
{
	assert_true(row < figure_rows(result));
	return figure_row(result, row)[column].number;
}

const char *text_at(const struct figure_result *result, size_t row, int column)
{
	assert_true(row < figure_rows(result));
	return figure_row(result, row)[column].text;
}

void must_be(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fmax(fabs(wanted), 1)))
		fail_msg("%.12g instead of %.12g", value, wanted);
}

int index_remove(void **state)
{
	(void)state;
	scratch_empty();
	return 0;
}
