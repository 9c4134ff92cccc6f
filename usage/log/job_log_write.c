/* Writing logs: JSON from the tables of members, compressed, and no larger than a log may be. */
#include "usage/log/function_names.h"
#include "usage/log/job_log.h"
#include "usage/log/job_log_members.h"

#include <inttypes.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* A compressed log of at most four ranks is no larger than this. */
enum { MOST_COMPRESSED = 16384 };

/*
 * Levels of zstd.  All ranks wait in MPI_Finalize for the log: level 6 takes twice as long, and saves 5 to 7 %, which a
 * log that would be too large needs.
 */
enum { COMPRESSION = 3, MORE_COMPRESSION = 6 };

static void write_function(struct json *json, const char *key, uint16_t function)
{
	json_text(json, key, usage_function_name(function));
}

static void write_number(struct json *json, const char *key, uint64_t value)
{
	if (value == USAGE_UNKNOWN)
		json_null(json, key);
	else
		json_integer(json, key, value < INT64_MAX ? value : INT64_MAX);
}

static void write_member(struct json *json, const char *key, const struct job_member *member,
			 const void *from)
{
	const void *value = (const char *)from + member->offset;
	const char *text;
	char hash[17];

	switch (member->kind) {
	case JOB_MEMBER_TEXT:
		text = *(char *const *)value;
		if (text)
			json_text(json, key, text);
		else
			json_null(json, key);
		break;
	case JOB_MEMBER_HASH:
		snprintf(hash, sizeof hash, "%016" PRIx64, *(const uint64_t *)value);
		json_text(json, key, hash);
		break;
	case JOB_MEMBER_NUMBER:
		write_number(json, key, *(const uint64_t *)value);
		break;
	case JOB_MEMBER_COUNT:
		json_integer(json, key, *(const uint32_t *)value);
		break;
	case JOB_MEMBER_SMALL:
		json_integer(json, key, *(const uint8_t *)value);
		break;
	case JOB_MEMBER_REAL:
		json_number(json, key, *(const double *)value);
		break;
	case JOB_MEMBER_TRUTH:
		json_boolean(json, key, *(const bool *)value);
		break;
	case JOB_MEMBER_CHOICE:
		json_text(json, key, member->names[*(const unsigned *)value]);
		break;
	case JOB_MEMBER_FUNCTION:
		write_function(json, key, *(const uint16_t *)value);
		break;
	case JOB_MEMBER_NUMBERS:
		json_begin(json, key, '[', JSON_INLINE);
		for (uint32_t i = 0; i < member->most; i++)
			write_number(json, NULL, ((const uint64_t *)value)[i]);
		json_end(json);
		break;
	case JOB_MEMBER_END:
		break;
	}
}

static void write_members(struct json *json, const struct job_member *members, const void *from)
{
	for (; members->kind != JOB_MEMBER_END; members++)
		write_member(json, members->key, members, from);
}

static void write_columns(struct json *json, const char *key, const struct job_member *members,
			  const void *rows, size_t count, size_t row_bytes)
{
	json_begin(json, key, '{', JSON_LINES);
	for (; members->kind != JOB_MEMBER_END; members++) {
		json_begin(json, members->key, '[', JSON_INLINE);
		for (size_t i = 0; i < count; i++)
			write_member(json, NULL, members, (const char *)rows + i * row_bytes);
		json_end(json);
	}
	json_end(json);
}

static void write_job_rank(struct json *json, const struct job_rank *rank)
{
	json_begin(json, NULL, '{', JSON_LINES);
	json_begin(json, JOB_KEY_ROLES, '[', JSON_INLINE);
	for (unsigned i = 0; i < JOB_ROLES; i++)
		if (rank->roles >> i & 1)
			json_text(json, NULL, job_role_names[i]);
	json_end(json);
	write_members(json, job_rank_members, rank);
	json_begin(json, JOB_KEY_COUNTERS, '{', JSON_INLINE);
	for (unsigned i = 0; i < JOB_COUNTER_END; i++)
		write_number(json, job_counter_names[i], rank->counters[i]);
	json_end(json);
	write_columns(json, JOB_KEY_CALLS, job_calls_members, rank->calls.items, rank->calls.count,
		      sizeof *rank->calls.items);
	json_end(json);
}

void job_log_write_json(const struct job_log *log, FILE *stream)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	json_text(&json, "schema", JOB_LOG_SCHEMA);
	write_members(&json, job_log_members, log);
	write_columns(&json, JOB_KEY_NODES, job_nodes_members, log->ranks_per_node.items,
		      log->ranks_per_node.count, sizeof *log->ranks_per_node.items);
	write_columns(&json, JOB_KEY_CELLS, job_cell_members, log->cells.items, log->cells.count,
		      sizeof *log->cells.items);
	json_begin(&json, JOB_KEY_RANKS, '[', JSON_LINES);
	for (size_t i = 0; i < log->rank_list.count; i++)
		write_job_rank(&json, &log->rank_list.items[i]);
	json_end(&json);
	json_end(&json);
}

/* Bytes of a log, owned. */
struct packed {
	void *bytes;
	size_t count;
};

static int log_text(const struct job_log *log, struct packed *text, struct error *err)
{
	char *bytes = NULL;
	size_t count = 0;
	FILE *stream = open_memstream(&bytes, &count);

	if (!stream)
		return error_set_memory(err, JOB_LOG_MOST_TEXT);
	/* Nobody else has the stream: its locks would take a tenth of the time for the text. */
	__fsetlocking(stream, FSETLOCKING_BYCALLER);
	job_log_write_json(log, stream);
	if (fclose(stream) == 0) {
		*text = (struct packed){bytes, count};
		return 0;
	}
	free(bytes);
	return error_set_memory(err, count);
}

static int compress_with(ZSTD_CCtx *context, int level, const struct packed *text,
			 struct packed *packed, struct error *err)
{
	size_t size;

	packed->count = ZSTD_compressBound(text->count);
	TRY(allocate(&packed->bytes, packed->count, 1, err));
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	size = ZSTD_compress2(context, packed->bytes, packed->count, text->bytes, text->count);
	if (!ZSTD_isError(size)) {
		packed->count = size;
		return 0;
	}
	free(packed->bytes);
	*packed = (struct packed){0};
	return error_set(err, STATUS_SYSTEM, "zstd: %s", ZSTD_getErrorName(size));
}

static bool is_too_large(const struct job_log *log, const struct packed *packed)
{
	return log->rank_list.count <= JOB_ROLES && packed->count > MOST_COMPRESSED;
}

static int compress_text(const struct job_log *log, ZSTD_CCtx *context, const struct packed *text,
			 struct packed *packed, struct error *err)
{
	TRY(compress_with(context, COMPRESSION, text, packed, err));
	if (!is_too_large(log, packed))
		return 0;
	free(packed->bytes);
	*packed = (struct packed){0};
	return compress_with(context, MORE_COMPRESSION, text, packed, err);
}

static int compress_log(const struct job_log *log, struct packed *packed, struct error *err)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct packed text = {0};
	int result = -1;

	if (!context)
		error_set_memory(err, sizeof(void *));
	else if (log_text(log, &text, err) == 0)
		result = compress_text(log, context, &text, packed, err);
	free(text.bytes);
	ZSTD_freeCCtx(context);
	return result;
}

/* Fold a quarter of the longer list away until the log is small enough. */
static int compress_folded(const struct job_log *log, struct packed *packed, struct error *err)
{
	size_t cells = log->cells.count, calls = 0;

	for (size_t i = 0; i < log->rank_list.count; i++)
		if (log->rank_list.items[i].calls.count > calls)
			calls = log->rank_list.items[i].calls.count;
	while (is_too_large(log, packed) && (cells > 1 || calls > 1)) {
		struct job_log folded;
		int result;

		if (cells >= calls)
			cells -= (cells + 3) / 4;
		else
			calls -= (calls + 3) / 4;
		free(packed->bytes);
		*packed = (struct packed){0};
		TRY(job_log_fold(&folded, log, cells, calls, err));
		result = compress_log(&folded, packed, err);
		job_folded_release(&folded);
		TRY(result);
	}
	return 0;
}

int job_log_write(const struct job_log *log, FILE *stream, bool compressed, struct error *err)
{
	struct packed packed = {0};
	int result = 0;

	if (!compressed)
		TRY(log_text(log, &packed, err));
	else if (compress_log(log, &packed, err) < 0 || compress_folded(log, &packed, err) < 0)
		result = -1;
	if (result == 0 && packed.count &&
	    fwrite(packed.bytes, 1, packed.count, stream) != packed.count)
		result = error_set_errno(err, "cannot write the log");
	free(packed.bytes);
	return result;
}
