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
/* Rows that SQLite reads from the inserter (new_rows.h).  If one fails, so does the whole transaction. */
static const char calls_sql[] = "INSERT OR FAIL INTO job_calls SELECT * FROM new_calls";
static const char cells_sql[] = "INSERT OR FAIL INTO cell_data SELECT * FROM new_cells";

static const char sizes_sql[] =
	"INSERT INTO job_sizes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static const char *const remove_sql[] = {
	"DELETE FROM job_data WHERE id = ?",   "DELETE FROM rank_data WHERE job = ?",
	"DELETE FROM job_calls WHERE job = ?", "DELETE FROM cell_data WHERE job = ?",
	"DELETE FROM job_sizes WHERE job = ?",
};

/* --------------------------------------------------------------------- values */

static void bind_number(sqlite3_stmt *statement, int parameter, uint64_t value)
{
	if (value == USAGE_UNKNOWN)
		sqlite3_bind_null(statement, parameter);
	else
		sqlite3_bind_int64(statement, parameter,
				   value < INT64_MAX ? (sqlite3_int64)value : INT64_MAX);
}

/* As a column of new rows. */
static void give_number(sqlite3_context *to, uint64_t value)
{
	if (value != USAGE_UNKNOWN)
		sqlite3_result_int64(to, value < INT64_MAX ? (sqlite3_int64)value : INT64_MAX);
}

static void give_if_other(sqlite3_context *to, uint64_t value, uint64_t average)
{
	if (value != average)
		give_number(to, value);
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

/* The calls of a role that are not listed yet. */
struct role_calls {
	const struct job_rank *rank; /* NULL: no rank has the role */
	size_t next;
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

static int list_function(struct inserter *inserter, uint16_t function, struct role_calls *roles,
			 struct error *err)
{
	struct calls_of_roles calls;

	for (int i = 0; i < INSERTED_ROLES; i++)
		calls.roles[i] = take_calls(&roles[i], function);
	return array_push(&inserter->calls_of_roles, calls, err);
}

static int list_calls(struct inserter *inserter, const struct job_log *log, struct error *err)
{
	struct role_calls roles[INSERTED_ROLES] = {{rank_of(log, JOB_AVERAGE), 0},
						   {rank_of(log, JOB_FIRST), 0},
						   {rank_of(log, JOB_MOST), 0},
						   {rank_of(log, JOB_LEAST), 0}};

	inserter->calls_of_roles.count = 0;
	for (;;) {
		unsigned function = UINT16_MAX + 1;

		for (unsigned i = 0; i < INSERTED_ROLES; i++)
			if (roles[i].rank && roles[i].next < roles[i].rank->calls.count &&
			    roles[i].rank->calls.items[roles[i].next].function < function)
				function = roles[i].rank->calls.items[roles[i].next].function;
		if (function > UINT16_MAX)
			return 0;
		TRY(list_function(inserter, (uint16_t)function, roles, err));
	}
}

/* Columns of job_calls: job, function, and four numbers of each role. */
enum {
	CALLS_FIRST = 2,
	CALLS_NUMBERS = 4,
	CALLS_COLUMNS = CALLS_FIRST + INSERTED_ROLES * CALLS_NUMBERS
};

static uint64_t number_of_calls(const struct job_calls *calls, int number)
{
	const uint64_t numbers[CALLS_NUMBERS] = {calls->calls, calls->bytes, calls->moved,
						 calls->ns};

	return numbers[number];
}

static void column_of_calls(const void *of, size_t row, int column, sqlite3_context *value)
{
	const struct inserter *const inserter = of;
	const struct job_calls *const roles = inserter->calls_of_roles.items[row].roles;
	const int role = (column - CALLS_FIRST) / CALLS_NUMBERS;
	const int number = (column - CALLS_FIRST) % CALLS_NUMBERS;

	if (column == 0)
		sqlite3_result_int64(value, inserter->id);
	else if (column == 1)
		sqlite3_result_int(value, index_function(roles->function));
	else if (role == 0)
		give_number(value, number_of_calls(roles, number));
	else
		give_if_other(value, number_of_calls(&roles[role], number),
			      number_of_calls(roles, number));
}

/* ---------------------------------------------------------------------- cells */

/* Column `key` of a cell (schema.sql). */
static sqlite3_int64 cell_key(const struct usage_key *key)
{
	return (sqlite3_int64)index_function(key->function) << 15 |
	       (sqlite3_int64)key->size_class << 8 | (sqlite3_int64)key->comm_class << 3 |
	       (sqlite3_int64)key->place << 1 | (key->failed != 0);
}

/* Columns of cell_data. */
enum {
	CELL_JOB,
	CELL_KEY,
	CELL_CALLS,
	CELL_BYTES,
	CELL_MOVED,
	CELL_NS,
	CELL_LEAST,
	CELL_MOST,
	CELL_RANK_MOST,
	CELL_RANKS,
	CELL_BINS,
	CELL_COLUMNS
};

static void give_bins(sqlite3_context *value, const struct usage_cell *cell)
{
	uint8_t bins[PACKED_BINS];

	sqlite3_result_blob(value, bins, packed_bins(cell->bins, cell->calls, bins),
			    SQLITE_TRANSIENT);
}

static void column_of_cell(const void *of, size_t row, int column, sqlite3_context *value)
{
	const struct inserter *const inserter = of;
	const struct job_cell *const from = &inserter->log->cells.items[row];
	const struct usage_cell *const cell = &from->cell;

	switch (column) {
	case CELL_JOB:
		sqlite3_result_int64(value, inserter->id);
		break;
	case CELL_KEY:
		sqlite3_result_int64(value, cell_key(&cell->key));
		break;
	case CELL_CALLS:
		give_number(value, cell->calls);
		break;
	case CELL_BYTES:
		give_number(value, cell->bytes);
		break;
	case CELL_MOVED:
		give_if_other(value, cell->moved, cell->bytes);
		break;
	case CELL_NS:
		give_number(value, cell->ticks);
		break;
	case CELL_LEAST:
		give_number(value, cell->least);
		break;
	case CELL_MOST:
		give_number(value, cell->most);
		break;
	case CELL_RANK_MOST:
		give_number(value, from->rank_most_ns);
		break;
	case CELL_RANKS:
		sqlite3_result_int64(value, from->ranks);
		break;
	default:
		give_bins(value, cell);
		break;
	}
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

/* Write the rows of job inserter->id that the statement selects. */
static int insert_rows(struct inserter *inserter, struct new_rows *rows, size_t count,
		       sqlite3_stmt *statement, struct error *err)
{
	int status;

	rows->of = inserter;
	rows->count = count;
	status = run(inserter, statement, err);
	/* They do not outlive the job. */
	rows->count = 0;
	return status;
}

int insert_job(struct inserter *inserter, sqlite3_int64 job, sqlite3_int64 file,
	       const struct job_log *log, struct error *err)
{
	inserter->id = job;
	inserter->log = log;
	TRY(insert_job_row(inserter, job, file, log, err));
	for (size_t i = 0; i < log->rank_list.count; i++)
		if (log->rank_list.items[i].roles)
			TRY(insert_rank(inserter, job, &log->rank_list.items[i], err));
	TRY(list_calls(inserter, log, err));
	TRY(insert_rows(inserter, &inserter->new_calls, inserter->calls_of_roles.count,
			inserter->calls, err));
	TRY(insert_rows(inserter, &inserter->new_cells, log->cells.count, inserter->cells, err));
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

/* ------------------------------------------------------------------- inserter */

static int prepare_all(struct inserter *inserter, struct error *err)
{
	struct usage_db *const db = inserter->db;

	TRY(usage_db_prepare(db, &inserter->job, job_sql, err));
	TRY(usage_db_prepare(db, &inserter->rank, rank_sql, err));
	TRY(new_rows_offer(db, "new_calls", &inserter->new_calls, err));
	TRY(usage_db_prepare(db, &inserter->calls, calls_sql, err));
	TRY(new_rows_offer(db, "new_cells", &inserter->new_cells, err));
	TRY(usage_db_prepare(db, &inserter->cells, cells_sql, err));
	TRY(usage_db_prepare(db, &inserter->sizes, sizes_sql, err));
	for (size_t i = 0; i < sizeof remove_sql / sizeof *remove_sql; i++)
		TRY(usage_db_prepare(db, &inserter->remove[i], remove_sql[i], err));
	return 0;
}

int inserter_init(struct inserter *inserter, struct usage_db *db, struct error *err)
{
	*inserter = (struct inserter){
		.db = db,
		.new_calls = {.column = column_of_calls, .columns = CALLS_COLUMNS},
		.new_cells = {.column = column_of_cell, .columns = CELL_COLUMNS},
	};
	TRY(texts_init(&inserter->texts, db, err));
	if (prepare_all(inserter, err) == 0)
		return 0;
	inserter_release(inserter);
	return -1;
}

void inserter_release(struct inserter *inserter)
{
	texts_release(&inserter->texts);
	array_release(&inserter->calls_of_roles);
	sqlite3_finalize(inserter->job);
	sqlite3_finalize(inserter->rank);
	sqlite3_finalize(inserter->calls);
	sqlite3_finalize(inserter->cells);
	sqlite3_finalize(inserter->sizes);
	for (size_t i = 0; i < sizeof remove_sql / sizeof *remove_sql; i++)
		sqlite3_finalize(inserter->remove[i]);
}
