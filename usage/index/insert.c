#include "usage/index/insert.h"
#include "trace/call/mpi_functions.h"
#include "usage/index/schema.h"
#include "usage/index/sizes.h"
#include "usage/model/exposure.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- statements */

static const char job_sql[] =
	"INSERT INTO job_data(id, system, job, step, start_ns, user, program, application, build_id, "
	"args_hash, \"end\", reason, mpi_ns, process_ns, ranks, nodes, ranks_seen, nodes_seen, "
	"ranks_per_node, threads, level_asked, level_given, library, clock, overflow, mean_ns, "
	"deviation_ns, least_ns, most_ns, quantiles, file, parent, average_ns, local_ns, p2p_ns, "
	"completion_ns, collective_ns, io_ns, rma_ns, exposure) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
	"?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, "
	"?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40)";

static const char rank_sql[] =
	"INSERT INTO rank_data VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char calls_sql[] =
	"INSERT INTO job_calls VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char cell_sql[] = "INSERT INTO cell_data VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static const char sizes_sql[] =
	"INSERT INTO job_sizes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static const char *const remove_sql[] = {
	"DELETE FROM job_data WHERE id = ?",   "DELETE FROM rank_data WHERE job = ?",
	"DELETE FROM job_calls WHERE job = ?", "DELETE FROM cell_data WHERE job = ?",
	"DELETE FROM job_sizes WHERE job = ?",
};

static int prepare_all(struct inserter *inserter, struct error *err)
{
	struct usage_db *const db = inserter->db;

	TRY(usage_db_prepare(db, &inserter->job, job_sql, err));
	TRY(usage_db_prepare(db, &inserter->rank, rank_sql, err));
	TRY(usage_db_prepare(db, &inserter->calls, calls_sql, err));
	TRY(usage_db_prepare(db, &inserter->cell, cell_sql, err));
	TRY(usage_db_prepare(db, &inserter->sizes, sizes_sql, err));
	for (size_t i = 0; i < sizeof remove_sql / sizeof *remove_sql; i++)
		TRY(usage_db_prepare(db, &inserter->remove[i], remove_sql[i], err));
	return 0;
}

int inserter_init(struct inserter *inserter, struct usage_db *db, struct error *err)
{
	*inserter = (struct inserter){.db = db};
	TRY(texts_init(&inserter->texts, db, err));
	if (prepare_all(inserter, err) == 0)
		return 0;
	inserter_release(inserter);
	return -1;
}

void inserter_release(struct inserter *inserter)
{
	texts_release(&inserter->texts);
	sqlite3_finalize(inserter->job);
	sqlite3_finalize(inserter->rank);
	sqlite3_finalize(inserter->calls);
	sqlite3_finalize(inserter->cell);
	sqlite3_finalize(inserter->sizes);
	for (size_t i = 0; i < sizeof remove_sql / sizeof *remove_sql; i++)
		sqlite3_finalize(inserter->remove[i]);
}

/* --------------------------------------------------------------------- values */

static void bind_number(sqlite3_stmt *statement, int parameter, uint64_t value)
{
	if (value == USAGE_UNKNOWN)
		sqlite3_bind_null(statement, parameter);
	else
		sqlite3_bind_int64(statement, parameter,
				   value < INT64_MAX ? (sqlite3_int64)value : INT64_MAX);
}

static int run(struct inserter *inserter, sqlite3_stmt *statement, struct error *err)
{
	const int status = usage_db_step(inserter->db, statement, err);

	sqlite3_reset(statement);
	return status < 0 ? -1 : 0;
}

const char *application_name(const char *program)
{
	const char *const slash = program ? strrchr(program, '/') : NULL;

	return slash ? slash + 1 : program;
}

static const struct job_rank *rank_of(const struct job_log *log, enum job_role role)
{
	for (size_t i = 0; i < log->rank_list.count; i++)
		if (log->rank_list.items[i].roles & role)
			return &log->rank_list.items[i];
	return NULL;
}

/* Ranks on most of the nodes, the larger number of two. */
static uint32_t ranks_per_node(const struct job_log *log)
{
	struct job_nodes most = {0};

	for (size_t i = 0; i < log->ranks_per_node.count; i++)
		if (log->ranks_per_node.items[i].nodes >= most.nodes)
			most = log->ranks_per_node.items[i];
	return most.ranks;
}

/* ------------------------------------------------------------------------ job */

/* Times of the average rank by class. */
static void bind_classes(sqlite3_stmt *statement, int parameter, const struct job_rank *average)
{
	static const enum mpi_class classes[] = {MPI_CLASS_P2P, MPI_CLASS_COMPLETION,
						 MPI_CLASS_COLLECTIVE, MPI_CLASS_IO, MPI_CLASS_RMA};
	uint64_t sums[MPI_CLASSES] = {0};

	for (size_t i = 0; i < average->calls.count; i++) {
		const struct job_calls *const calls = &average->calls.items[i];

		if (calls->function < MPI_FUNCTION_COUNT)
			sums[mpi_functions[calls->function].class] += calls->ns;
	}
	bind_number(statement, parameter, average->mpi_ns);
	bind_number(statement, parameter + 1, average->local_ns);
	for (int i = 0; i < (int)(sizeof classes / sizeof *classes); i++)
		bind_number(statement, parameter + 2 + i, sums[classes[i]]);
}

static int bind_texts(struct inserter *inserter, const struct job_log *log, struct error *err)
{
	const struct {
		int parameter;
		const char *text;
	} texts[] = {
		{2, log->system ? log->system : ""},
		{6, log->user},
		{7, log->program},
		{8, application_name(log->program)},
		{9, log->build_id},
		{11, job_end_names[log->end]},
		{12, log->reason},
		{21, job_level_names[log->level_asked]},
		{22, job_level_names[log->level_given]},
		{23, log->library},
		{24, log->clock},
		{32, log->parent},
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		TRY(texts_bind(&inserter->texts, inserter->job, texts[i].parameter, texts[i].text,
			       err));
	return 0;
}

static int insert_job_row(struct inserter *inserter, sqlite3_int64 job, sqlite3_int64 file,
			  const struct job_log *log, struct error *err)
{
	const struct job_rank *const average = rank_of(log, JOB_AVERAGE);
	sqlite3_stmt *const row = inserter->job;
	uint8_t quantiles[PACKED_QUANTILES];

	sqlite3_clear_bindings(row);
	TRY(bind_texts(inserter, log, err));
	sqlite3_bind_int64(row, 1, job);
	sqlite3_bind_text(row, 3, log->job ? log->job : "", -1, SQLITE_STATIC);
	sqlite3_bind_text(row, 4, log->step ? log->step : "", -1, SQLITE_STATIC);
	sqlite3_bind_int64(row, 5,
			   log->start_unix_ns == USAGE_UNKNOWN ? 0
							       : (sqlite3_int64)log->start_unix_ns);
	sqlite3_bind_int64(row, 10, (sqlite3_int64)log->args_hash);
	bind_number(row, 13, log->mpi_ns);
	bind_number(row, 14, log->process_ns);
	sqlite3_bind_int64(row, 15, log->ranks);
	sqlite3_bind_int64(row, 16, log->nodes);
	sqlite3_bind_int64(row, 17, log->ranks_seen);
	sqlite3_bind_int64(row, 18, log->nodes_seen);
	if (log->ranks_per_node.count)
		sqlite3_bind_int64(row, 19, ranks_per_node(log));
	sqlite3_bind_int64(row, 20, log->threads);
	sqlite3_bind_int(row, 25, log->overflow);
	sqlite3_bind_int64(row, 31, file);
	/* What was not recorded is not 0. */
	if (average) {
		sqlite3_bind_int64(row, 26, llround(log->mean_ns));
		sqlite3_bind_int64(row, 27, llround(log->deviation_ns));
		bind_number(row, 28, log->least_ns);
		bind_number(row, 29, log->most_ns);
		sqlite3_bind_blob(row, 30, quantiles,
				  packed_quantiles(log->quantiles_ns, quantiles), SQLITE_STATIC);
		bind_classes(row, 33, average);
		sqlite3_bind_double(row, 40, exposure_of_log(log).most);
	}
	return run(inserter, row, err);
}

/* --------------------------------------------------------------- ranks, calls */

static int insert_rank(struct inserter *inserter, sqlite3_int64 job, const struct job_rank *rank,
		       struct error *err)
{
	sqlite3_stmt *const row = inserter->rank;

	sqlite3_bind_int64(row, 1, job);
	sqlite3_bind_int64(row, 2, rank->rank);
	sqlite3_bind_int64(row, 3, rank->roles);
	TRY(texts_bind(&inserter->texts, row, 4, rank->host, err));
	bind_number(row, 5, rank->mpi_ns);
	bind_number(row, 6, rank->local_ns);
	for (int i = 0; i < JOB_COUNTER_END; i++)
		bind_number(row, 7 + i, rank->counters[i]);
	return run(inserter, row, err);
}

_Static_assert((int)MPI_FUNCTION_COUNT < (int)USAGE_REST_ID,
	       "cell_data has 10 bits for a function");

/* Id of a function in the index. */
static int index_function(uint16_t function)
{
	return function == USAGE_REST ? USAGE_REST_ID : function;
}

/* The four roles in the order of the columns of job_calls. */
enum { ROLES = 4 };

struct role_calls {
	const struct job_rank *rank; /* NULL: no rank has the role */
	size_t next;		     /* the first of its calls that is not written */
};

/* The calls of a role of a function, or nothing; move on. */
static struct job_calls take_calls(struct role_calls *role, uint16_t function)
{
	const struct job_calls none = {.function = function};

	if (!role->rank || role->next == role->rank->calls.count ||
	    role->rank->calls.items[role->next].function != function)
		return none;
	return role->rank->calls.items[role->next++];
}

static void bind_if_other(sqlite3_stmt *row, int parameter, uint64_t value, uint64_t average)
{
	if (value == average)
		sqlite3_bind_null(row, parameter);
	else
		bind_number(row, parameter, value);
}

static int insert_function(struct inserter *inserter, sqlite3_int64 job, uint16_t function,
			   struct role_calls *roles, struct error *err)
{
	const struct job_calls average = take_calls(&roles[0], function);
	sqlite3_stmt *const row = inserter->calls;

	sqlite3_bind_int64(row, 1, job);
	sqlite3_bind_int(row, 2, index_function(function));
	bind_number(row, 3, average.calls);
	bind_number(row, 4, average.bytes);
	bind_number(row, 5, average.moved);
	bind_number(row, 6, average.ns);
	for (int i = 1; i < ROLES; i++) {
		const struct job_calls calls = take_calls(&roles[i], function);

		bind_if_other(row, 3 + 4 * i, calls.calls, average.calls);
		bind_if_other(row, 4 + 4 * i, calls.bytes, average.bytes);
		bind_if_other(row, 5 + 4 * i, calls.moved, average.moved);
		bind_if_other(row, 6 + 4 * i, calls.ns, average.ns);
	}
	return run(inserter, row, err);
}

static int insert_calls(struct inserter *inserter, sqlite3_int64 job, const struct job_log *log,
			struct error *err)
{
	struct role_calls roles[ROLES] = {{rank_of(log, JOB_AVERAGE), 0},
					  {rank_of(log, JOB_FIRST), 0},
					  {rank_of(log, JOB_MOST), 0},
					  {rank_of(log, JOB_LEAST), 0}};

	for (;;) {
		unsigned function = UINT16_MAX + 1;

		for (unsigned i = 0; i < ROLES; i++)
			if (roles[i].rank && roles[i].next < roles[i].rank->calls.count &&
			    roles[i].rank->calls.items[roles[i].next].function < function)
				function = roles[i].rank->calls.items[roles[i].next].function;
		if (function > UINT16_MAX)
			return 0;
		TRY(insert_function(inserter, job, (uint16_t)function, roles, err));
	}
}

/* ---------------------------------------------------------------------- cells */

/* Column `key` of a cell (schema.sql). */
static sqlite3_int64 cell_key(const struct usage_key *key)
{
	return (sqlite3_int64)index_function(key->function) << 15 |
	       (sqlite3_int64)key->size_class << 8 | (sqlite3_int64)key->comm_class << 3 |
	       (sqlite3_int64)key->place << 1 | (key->failed != 0);
}

static int insert_cell(struct inserter *inserter, sqlite3_int64 job, const struct job_cell *from,
		       struct error *err)
{
	const struct usage_cell *const cell = &from->cell;
	sqlite3_stmt *const row = inserter->cell;
	uint8_t bins[PACKED_BINS];

	sqlite3_bind_int64(row, 1, job);
	sqlite3_bind_int64(row, 2, cell_key(&cell->key));
	bind_number(row, 3, cell->calls);
	bind_number(row, 4, cell->bytes);
	bind_if_other(row, 5, cell->moved, cell->bytes);
	bind_number(row, 6, cell->ticks);
	bind_number(row, 7, cell->least);
	bind_number(row, 8, cell->most);
	bind_number(row, 9, from->rank_most_ns);
	sqlite3_bind_int64(row, 10, from->ranks);
	sqlite3_bind_blob(row, 11, bins, packed_bins(cell->bins, cell->calls, bins), SQLITE_STATIC);
	return run(inserter, row, err);
}

static int insert_sizes(struct inserter *inserter, sqlite3_int64 job, const struct job_log *log,
			struct error *err)
{
	uint64_t sizes[SIZES_END];

	if (!message_sizes(log, sizes))
		return 0;
	sqlite3_bind_int64(inserter->sizes, 1, job);
	for (int i = 0; i < SIZES_END; i++)
		bind_number(inserter->sizes, 2 + i, sizes[i]);
	return run(inserter, inserter->sizes, err);
}

int insert_job(struct inserter *inserter, sqlite3_int64 job, sqlite3_int64 file,
	       const struct job_log *log, struct error *err)
{
	TRY(insert_job_row(inserter, job, file, log, err));
	for (size_t i = 0; i < log->rank_list.count; i++)
		if (log->rank_list.items[i].roles)
			TRY(insert_rank(inserter, job, &log->rank_list.items[i], err));
	TRY(insert_calls(inserter, job, log, err));
	for (size_t i = 0; i < log->cells.count; i++)
		TRY(insert_cell(inserter, job, &log->cells.items[i], err));
	return insert_sizes(inserter, job, log, err);
}

int remove_job(struct inserter *inserter, sqlite3_int64 job, struct error *err)
{
	for (size_t i = 0; i < sizeof remove_sql / sizeof *remove_sql; i++) {
		sqlite3_bind_int64(inserter->remove[i], 1, job);
		TRY(run(inserter, inserter->remove[i], err));
	}
	return 0;
}
