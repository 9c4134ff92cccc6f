/* Reading logs that anybody may have written: every value is checked, and errors name its place. */
#include "usage/log/job_log.h"
#include "usage/log/job_value.h"

#include "common/input.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Nesting of the JSON: log, list of ranks, rank, calls, column. */
enum { MOST_DEPTH = 6 };

/* -------------------------------------------------------------------- columns */

/* Find the number of rows of an object of columns: the length of its first one. */
static int count_rows(const struct job_place *place, const struct tree_value *object,
		      const struct job_member *members, size_t *count, struct error *err)
{
	const struct tree_value *column;

	TRY(job_value_member(place, object, members->key, TREE_ARRAY, &column, err));
	*count = column->count;
	return 0;
}

static int read_column(const struct job_place *place, const struct tree_value *column,
		       const struct job_member *member, void *rows, size_t count, size_t row_bytes,
		       struct error *err)
{
	const struct tree_value *item = column + 1;

	if (column->count != count)
		return job_value_error(place, err, "expected %zu values, as in the first column",
				       count);
	for (size_t i = 0; i < count; i++, item += item->size)
		TRY(job_value_read(&(struct job_place){place->around, place->key, i}, item, member,
				   (char *)rows + i * row_bytes, err));
	return 0;
}

/* Read an object of columns into *rows, a new list of `count` structures that the caller frees. */
static int read_columns(const struct job_place *around, const struct tree_value *object,
			const char *key, const struct job_member *members, void *rows,
			size_t *count, size_t row_bytes, struct error *err)
{
	const struct job_place place = {around, key, JOB_NO_ITEM};
	const struct tree_value *columns, *column;

	TRY(job_value_member(around, object, key, TREE_OBJECT, &columns, err));
	TRY(count_rows(&place, columns, members, count, err));
	TRY(allocate(rows, *count, row_bytes, err));
	for (; members->kind != JOB_MEMBER_END; members++) {
		TRY(job_value_member(&place, columns, members->key, TREE_ARRAY, &column, err));
		TRY(read_column(&(struct job_place){&place, members->key, JOB_NO_ITEM}, column,
				members, *(void **)rows, *count, row_bytes, err));
	}
	return 0;
}

#define READ_COLUMNS(place, object, key, members, array, err)                                \
	(read_columns((place), (object), (key), (members), &(array)->items, &(array)->count, \
		      sizeof *(array)->items, (err)) < 0                                     \
		 ? -1                                                                        \
		 : ((array)->capacity = (array)->count, 0))

/* ------------------------------------------------------------- lists of a log */

static int compare_cells(const void *a, const void *b)
{
	return usage_compare_keys(&((const struct job_cell *)a)->cell.key,
				  &((const struct job_cell *)b)->cell.key);
}

static int compare_calls(const void *a, const void *b)
{
	return (int)((const struct job_calls *)a)->function -
	       (int)((const struct job_calls *)b)->function;
}

/* The numbers that are sums are known. */
static int check_cell(const struct job_place *place, struct job_cell *cell, struct error *err)
{
	const uint64_t sums[] = {cell->cell.calls, cell->cell.bytes, cell->cell.moved,
				 cell->cell.ticks, cell->cell.most,  cell->rank_most_ns};

	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		if (sums[i] == USAGE_UNKNOWN)
			return job_value_error(place, err,
					       "only the least time of a call may be null");
	for (unsigned i = 0; i < USAGE_TIME_BINS; i++)
		if (cell->cell.bins[i] > cell->cell.calls)
			return job_value_error(place, err, "a bin has more calls than the cell");
	cell->cell.key.used = 1;
	return 0;
}

static int read_cells(const struct job_place *log_place, const struct tree_value *object,
		      struct job_log *log, struct error *err)
{
	TRY(READ_COLUMNS(log_place, object, JOB_KEY_CELLS, job_cell_members, &log->cells, err));
	for (size_t i = 0; i < log->cells.count; i++)
		TRY(check_cell(&(struct job_place){log_place, JOB_KEY_CELLS, i},
			       &log->cells.items[i], err));
	qsort(log->cells.items, log->cells.count, sizeof *log->cells.items, compare_cells);
	for (size_t i = 1; i < log->cells.count; i++)
		if (!compare_cells(&log->cells.items[i - 1], &log->cells.items[i]))
			return job_value_error(&(struct job_place){log_place, JOB_KEY_CELLS,
								   JOB_NO_ITEM},
					       err, "two cells have the same key");
	return 0;
}

static int read_calls(const struct job_place *rank_place, const struct tree_value *object,
		      struct job_rank *rank, struct error *err)
{
	const struct job_place place = {rank_place, JOB_KEY_CALLS, JOB_NO_ITEM};

	TRY(READ_COLUMNS(rank_place, object, JOB_KEY_CALLS, job_calls_members, &rank->calls, err));
	qsort(rank->calls.items, rank->calls.count, sizeof *rank->calls.items, compare_calls);
	for (size_t i = 0; i < rank->calls.count; i++) {
		const struct job_calls *calls = &rank->calls.items[i];

		if (calls->calls == USAGE_UNKNOWN || calls->bytes == USAGE_UNKNOWN ||
		    calls->moved == USAGE_UNKNOWN || calls->ns == USAGE_UNKNOWN)
			return job_value_error(&place, err, "a number is null");
		if (i > 0 && calls[-1].function == calls->function)
			return job_value_error(&place, err, "two rows have the same function");
	}
	return 0;
}

static int read_roles(const struct job_place *rank_place, const struct tree_value *object,
		      unsigned *roles, struct error *err)
{
	const struct job_member role = {.names = job_role_names, .most = JOB_ROLES - 1};
	const struct tree_value *list, *item;

	TRY(job_value_member(rank_place, object, JOB_KEY_ROLES, TREE_ARRAY, &list, err));
	item = list + 1;
	for (size_t i = 0; i < list->count; i++, item += item->size) {
		unsigned number;

		TRY(job_value_choice(&(struct job_place){rank_place, JOB_KEY_ROLES, i}, item, &role,
				     &number, err));
		*roles |= 1u << number;
	}
	return 0;
}

static int read_counters(const struct job_place *rank_place, const struct tree_value *object,
			 struct job_rank *rank, struct error *err)
{
	const struct job_place place = {rank_place, JOB_KEY_COUNTERS, JOB_NO_ITEM};
	const struct tree_value *counters, *value;

	TRY(job_value_member(rank_place, object, JOB_KEY_COUNTERS, TREE_OBJECT, &counters, err));
	for (unsigned i = 0; i < JOB_COUNTER_END; i++) {
		value = tree_member(counters, job_counter_names[i]);
		if (!value)
			return job_value_error(&place, err, "member '%s' is missing",
					       job_counter_names[i]);
		TRY(job_value_number(&(struct job_place){&place, job_counter_names[i], JOB_NO_ITEM},
				     value, &rank->counters[i], err));
	}
	return 0;
}

static int read_rank(const struct job_place *place, const struct tree_value *object,
		     struct job_log *log, struct error *err)
{
	struct job_rank *rank = &log->rank_list.items[log->rank_list.count++];

	memset(rank, 0, sizeof *rank);
	if (object->kind != TREE_OBJECT)
		return job_value_error(place, err, "expected object");
	TRY(job_value_members(place, object, job_rank_members, rank, err));
	TRY(read_roles(place, object, &rank->roles, err));
	TRY(read_counters(place, object, rank, err));
	TRY(read_calls(place, object, rank, err));
	if (rank->rank >= log->ranks)
		return job_value_error(place, err, "rank %u of %u ranks", rank->rank, log->ranks);
	if (log->rank_list.count > 1 && rank[-1].rank >= rank->rank)
		return job_value_error(place, err, "rank %u behind rank %u", rank->rank,
				       rank[-1].rank);
	if (rank->mpi_ns == USAGE_UNKNOWN || rank->local_ns == USAGE_UNKNOWN)
		return job_value_error(place, err, "a time is null");
	return 0;
}

static int read_rank_list(const struct job_place *log_place, const struct tree_value *object,
			  struct job_log *log, struct error *err)
{
	unsigned roles = 0;
	const struct tree_value *list, *item;
	size_t count;

	TRY(job_value_member(log_place, object, JOB_KEY_RANKS, TREE_ARRAY, &list, err));
	count = list->count;
	item = list + 1;
	TRY(array_reserve(&log->rank_list, count, err));
	for (size_t i = 0; i < count; i++, item += item->size) {
		TRY(read_rank(&(struct job_place){log_place, JOB_KEY_RANKS, i}, item, log, err));
		if (roles & log->rank_list.items[i].roles)
			return job_value_error(&(struct job_place){log_place, JOB_KEY_RANKS, i},
					       err, "another rank has the same role");
		roles |= log->rank_list.items[i].roles;
	}
	return 0;
}

/* ---------------------------------------------------------------------- a log */

static int read_schema(const struct job_place *place, const struct tree_value *object,
		       struct error *err)
{
	static const char stem[] = "llamp-usage-log-";
	const struct tree_value *value = NULL;
	const char *text;

	if (object->kind == TREE_OBJECT)
		value = tree_member(object, "schema");
	if (!value || value->kind != TREE_STRING)
		return job_value_error(place, err, "no log of a job: member 'schema' is missing");
	text = value->text;
	if (!strcmp(text, JOB_LOG_SCHEMA))
		return 0;
	if (!strncmp(text, stem, strlen(stem)))
		return job_value_error(place, err,
				       "schema '%s' is of another version; this one reads %s", text,
				       JOB_LOG_SCHEMA);
	return job_value_error(place, err, "no log of a job: its schema is '%s', not %s", text,
			       JOB_LOG_SCHEMA);
}

static int read_log(const struct job_place *place, const struct tree_value *object,
		    struct job_log *log, struct error *err)
{
	TRY(read_schema(place, object, err));
	TRY(job_value_members(place, object, job_log_members, log, err));
	TRY(READ_COLUMNS(place, object, JOB_KEY_NODES, job_nodes_members, &log->ranks_per_node,
			 err));
	TRY(read_cells(place, object, log, err));
	return read_rank_list(place, object, log, err);
}

/* Line and column of a byte, from 1. */
static int parse_error(const char *name, const char *text, const struct json_tree *tree,
		       struct error *err)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < tree->at; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	return error_set(err, STATUS_DATA, "%s:%zu:%zu: no JSON: %s", name, line, column,
			 tree->wrong);
}

static int parse_text(struct job_log *log, const char *name, const char *text, size_t count,
		      struct error *err)
{
	const struct job_place place = {NULL, name, JOB_NO_ITEM};
	struct json_tree tree;
	int result;

	if (count > JOB_LOG_MOST_TEXT)
		return error_set(err, STATUS_LIMIT, "%s: a log has at most %d bytes", name,
				 JOB_LOG_MOST_TEXT);
	result = json_tree_parse(&tree, text, count, MOST_DEPTH, err);
	if (result == 0)
		result = tree.wrong ? parse_error(name, text, &tree, err)
				    : read_log(&place, tree.values.items, log, err);
	json_tree_release(&tree);
	return result;
}

static int parse_compressed(struct job_log *log, const char *name, const void *data, size_t size,
			    struct error *err)
{
	const unsigned long long count = ZSTD_getFrameContentSize(data, size);
	const size_t frame = ZSTD_findFrameCompressedSize(data, size);
	size_t unpacked;
	int result;
	char *text;

	if (count == ZSTD_CONTENTSIZE_ERROR || count == ZSTD_CONTENTSIZE_UNKNOWN)
		return error_set(err, STATUS_DATA, "%s: damaged: the header has no size", name);
	if (count > JOB_LOG_MOST_TEXT)
		return error_set(err, STATUS_LIMIT, "%s: a log has at most %d bytes, this one %llu",
				 name, JOB_LOG_MOST_TEXT, count);
	if (ZSTD_isError(frame))
		return error_set(err, STATUS_DATA,
				 "%s: damaged: the compressed data do not end within the %zu bytes "
				 "of the file",
				 name, size);
	if (frame != size)
		return error_set(err, STATUS_DATA,
				 "%s: damaged: bytes behind the log, from byte %zu on", name,
				 frame);
	TRY(allocate(&text, (size_t)count, 1, err));
	unpacked = ZSTD_decompress(text, (size_t)count, data, size);
	if (ZSTD_isError(unpacked) || unpacked != count)
		result = error_set(err, STATUS_DATA, "%s: damaged: %s", name,
				   ZSTD_isError(unpacked)
					   ? ZSTD_getErrorName(unpacked)
					   : "the log is shorter than its header says");
	else
		result = parse_text(log, name, text, unpacked, err);
	free(text);
	return result;
}

int job_log_parse(struct job_log *log, const char *name, const void *data, size_t size,
		  struct error *err)
{
	static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	int result;

	memset(log, 0, sizeof *log);
	if (size == 0)
		return error_set(err, STATUS_DATA, "%s: the file is empty", name);
	if (size >= sizeof magic && !memcmp(data, magic, sizeof magic))
		result = parse_compressed(log, name, data, size, err);
	else if (*(const char *)data == '{')
		result = parse_text(log, name, data, size, err);
	else
		result = error_set(err, STATUS_DATA,
				   "%s: no log of a job: it begins neither as zstd nor as JSON",
				   name);
	if (result < 0)
		job_log_release(log);
	return result;
}

int job_log_read(struct job_log *log, const char *path, struct error *err)
{
	struct input input;
	int result;

	TRY(input_open(&input, path, err));
	result = job_log_parse(log, path, input.bytes, input.count, err);
	input_release(&input);
	return result;
}
