#include "critpath/groups/group_blocks.h"

#include <string.h>
#include <zstd.h>

/* Bytes that a frame holds for each of its own, at most: a block of zstd has 128 KiB, and takes four. */
enum { MOST_PER_BYTE = 1 << 15 };

/* A number of a row, and the field that it is the difference to. */
struct field {
	size_t at, bytes;
	size_t from;
	bool from_before; /* in the row before, which is zero for the first */
};

#define FIELD(type, member, base, before)                                                         \
	{                                                                                         \
		offsetof(type, member), sizeof(((type *)0)->member), offsetof(type, base), before \
	}

struct rows {
	const struct field *fields;
	size_t field_count, row_bytes, record_bytes;
	bool (*is_valid)(const void *row);
};

/* ------------------------------------------------------------------------ rows */

static const struct field interval_fields[] = {
	FIELD(struct compute_interval, start_ns, end_ns, true),
	FIELD(struct compute_interval, end_ns, start_ns, false),
	FIELD(struct compute_interval, rank, rank, true),
	FIELD(struct compute_interval, thread, thread, true),
	FIELD(struct compute_interval, call, call, true),
	FIELD(struct compute_interval, function, function, true),
	FIELD(struct compute_interval, site, site, true),
};

static bool is_interval(const void *row)
{
	const struct compute_interval *interval = row;

	return interval->start_ns < interval->end_ns;
}

static const struct rows interval_rows = {interval_fields,
					  sizeof interval_fields / sizeof *interval_fields,
					  sizeof(struct compute_interval), INTERVAL_RECORD_BYTES,
					  is_interval};

static const struct field group_fields[] = {
	FIELD(struct compute_group, start_ns, end_ns, true),
	FIELD(struct compute_group, end_ns, start_ns, false),
	FIELD(struct compute_group, intervals, intervals, true),
	FIELD(struct compute_group, longest.start_ns, start_ns, false),
	FIELD(struct compute_group, longest.end_ns, longest.start_ns, false),
	FIELD(struct compute_group, longest.rank, longest.rank, true),
	FIELD(struct compute_group, longest.thread, longest.thread, true),
	FIELD(struct compute_group, longest.call, longest.call, true),
	FIELD(struct compute_group, longest.function, longest.function, true),
	FIELD(struct compute_group, longest.site, longest.site, true),
};

static bool is_group(const void *row)
{
	const struct compute_group *group = row;

	return is_interval(&group->longest) && group->start_ns <= group->longest.start_ns &&
	       group->longest.end_ns <= group->end_ns;
}

static const struct rows group_rows = {group_fields, sizeof group_fields / sizeof *group_fields,
				       sizeof(struct compute_group), GROUP_RECORD_BYTES, is_group};

/* Returns the number of `bytes` bytes at a place of a row. */
static uint64_t number_at(const unsigned char *row, size_t at, size_t bytes)
{
	uint32_t narrow;
	uint64_t wide;

	if (bytes == sizeof narrow) {
		memcpy(&narrow, row + at, sizeof narrow);
		return narrow;
	}
	memcpy(&wide, row + at, sizeof wide);
	return wide;
}

static void set_number(unsigned char *row, const struct field *field, uint64_t number)
{
	const uint32_t narrow = (uint32_t)number;

	if (field->bytes == sizeof narrow)
		memcpy(row + field->at, &narrow, sizeof narrow);
	else
		memcpy(row + field->at, &number, sizeof number);
}

/* Returns what a number is the difference to. */
static uint64_t base_of(const struct rows *kind, const unsigned char *row, size_t number,
			const struct field *field)
{
	if (!field->from_before)
		return number_at(row, field->from, field->bytes);
	return number ? number_at(row - kind->row_bytes, field->from, field->bytes) : 0;
}

/* ------------------------------------------------------------------------- put */

static int put_columns(const struct rows *kind, struct byte_array *columns,
		       const unsigned char *rows, size_t count, struct error *err)
{
	for (size_t f = 0; f < kind->field_count; f++) {
		const struct field *field = &kind->fields[f];

		TRY(array_reserve(&columns->bytes, count * VARINT_BYTES, err));
		for (size_t i = 0; i < count; i++) {
			const unsigned char *row = rows + i * kind->row_bytes;
			uint64_t difference = number_at(row, field->at, field->bytes) -
					      base_of(kind, row, i, field);

			if (field->bytes == sizeof(uint32_t))
				difference = (uint64_t)(int64_t)(int32_t)difference;
			varint_put(columns, zigzag(difference));
		}
	}
	return 0;
}

static int compress(struct byte_array *block, const struct byte_array *columns, int level,
		    struct error *err)
{
	const size_t room = ZSTD_compressBound(columns->bytes.count);
	size_t written;

	TRY(array_reserve(&block->bytes, room, err));
	written = ZSTD_compress(block->bytes.items + block->bytes.count, room, columns->bytes.items,
				columns->bytes.count, level);
	if (ZSTD_isError(written))
		return error_set(err, STATUS_SYSTEM, "zstd: %s", ZSTD_getErrorName(written));
	block->bytes.count += written;
	return 0;
}

static int put_frame(const struct rows *kind, struct byte_array *block, const void *rows,
		     size_t count, int level, struct error *err)
{
	struct byte_array columns = {0};
	int result = put_columns(kind, &columns, rows, count, err);

	if (result == 0)
		result = compress(block, &columns, level, err);
	array_release(&columns.bytes);
	return result;
}

static int put_records(const struct rows *kind, struct byte_array *block, const unsigned char *rows,
		       size_t count, struct error *err)
{
	TRY(array_reserve(&block->bytes, count * kind->record_bytes, err));
	for (size_t i = 0; i < count; i++)
		for (size_t f = 0; f < kind->field_count; f++) {
			const struct field *field = &kind->fields[f];

			memcpy(block->bytes.items + block->bytes.count,
			       rows + i * kind->row_bytes + field->at, field->bytes);
			block->bytes.count += field->bytes;
		}
	return 0;
}

static int put_block(const struct rows *kind, struct byte_array *block, const void *rows,
		     size_t count, int level, struct error *err)
{
	TRY(array_reserve(&block->bytes, 1 + VARINT_BYTES, err));
	block->bytes.items[block->bytes.count++] = level ? BLOCK_ZSTD : BLOCK_RECORDS;
	varint_put(block, count);
	return level ? put_frame(kind, block, rows, count, level, err)
		     : put_records(kind, block, rows, count, err);
}

int block_put_intervals(struct byte_array *block, const struct compute_interval *intervals,
			size_t count, int level, struct error *err)
{
	return put_block(&interval_rows, block, intervals, count, level, err);
}

int block_put_groups(struct byte_array *block, const struct compute_group *groups, size_t count,
		     int level, struct error *err)
{
	return put_block(&group_rows, block, groups, count, level, err);
}

/* ------------------------------------------------------------------------ take */

static int damaged(struct error *err, const char *what)
{
	return error_set(err, STATUS_DATA, "damaged block: %s", what);
}

/* A block whose head is read. */
struct source {
	struct varint_reader reader; /* the rest of it */
	bool is_frame;
	size_t count;	  /* rows */
	size_t raw_bytes; /* of a frame: its columns, decompressed */
};

/* Read the head, and check that there can be so many rows. */
static int take_head(const struct rows *kind, struct source *source, const unsigned char *block,
		     size_t bytes, struct error *err)
{
	uint64_t count, size, least;

	*source = (struct source){.reader = {block, block + bytes}};
	if (bytes == 0 || (*block != BLOCK_RECORDS && *block != BLOCK_ZSTD))
		return damaged(err, "its format is unknown");
	source->is_frame = *source->reader.at++ == BLOCK_ZSTD;
	if (!varint_take(&source->reader, &count))
		return damaged(err, "it has no number of rows");
	bytes = (size_t)(source->reader.end - source->reader.at);
	size = source->is_frame ? ZSTD_getFrameContentSize(source->reader.at, bytes) : bytes;
	least = source->is_frame ? kind->field_count : kind->record_bytes;
	/* An unknown size is larger than any. */
	if (size / MOST_PER_BYTE > bytes || count > size / least ||
	    (!source->is_frame && count * least != size))
		return damaged(err, "it has another number of rows");
	source->count = count;
	source->raw_bytes = size;
	return 0;
}

static int take_columns(const struct rows *kind, struct varint_reader *columns, unsigned char *rows,
			size_t count, struct error *err)
{
	for (size_t f = 0; f < kind->field_count; f++)
		for (size_t i = 0; i < count; i++) {
			uint64_t number;

			if (!varint_take(columns, &number))
				return damaged(err, "a column is cut off");
			set_number(rows + i * kind->row_bytes, &kind->fields[f], unzigzag(number));
		}
	if (columns->at != columns->end)
		return damaged(err, "bytes after the last column");
	for (size_t i = 0; i < count; i++)
		for (size_t f = 0; f < kind->field_count; f++) {
			const struct field *field = &kind->fields[f];
			unsigned char *row = rows + i * kind->row_bytes;

			set_number(row, field,
				   number_at(row, field->at, field->bytes) +
					   base_of(kind, row, i, field));
		}
	return 0;
}

static int take_frame(const struct rows *kind, const struct source *source, unsigned char *rows,
		      struct error *err)
{
	const struct varint_reader *reader = &source->reader;
	struct varint_reader columns;
	unsigned char *raw;
	size_t taken;
	int result;

	TRY(allocate(&raw, source->raw_bytes, 1, err));
	taken = ZSTD_decompress(raw, source->raw_bytes, reader->at,
				(size_t)(reader->end - reader->at));
	columns = (struct varint_reader){raw, raw + source->raw_bytes};
	if (taken != source->raw_bytes)
		result = damaged(err, "zstd cannot decompress it");
	else
		result = take_columns(kind, &columns, rows, source->count, err);
	free(raw);
	return result;
}

static void take_records(const struct rows *kind, const struct source *source, unsigned char *rows)
{
	const unsigned char *at = source->reader.at;

	for (size_t i = 0; i < source->count; i++)
		for (size_t f = 0; f < kind->field_count; f++) {
			const struct field *field = &kind->fields[f];

			memcpy(rows + i * kind->row_bytes + field->at, at, field->bytes);
			at += field->bytes;
		}
}

static int take_rows(const struct rows *kind, const struct source *source, void *rows,
		     struct error *err)
{
	if (source->is_frame)
		TRY(take_frame(kind, source, rows, err));
	else
		take_records(kind, source, rows);
	for (size_t i = 0; i < source->count; i++)
		if (!kind->is_valid((unsigned char *)rows + i * kind->row_bytes))
			return damaged(err, "times are out of order");
	return 0;
}

int block_take_intervals(struct compute_intervals *intervals, const unsigned char *block,
			 size_t bytes, struct error *err)
{
	struct source source;

	TRY(take_head(&interval_rows, &source, block, bytes, err));
	TRY(array_reserve(&intervals->list, source.count, err));
	TRY(take_rows(&interval_rows, &source, intervals->list.items + intervals->list.count, err));
	intervals->list.count += source.count;
	return 0;
}

int block_take_groups(struct groups *groups, const unsigned char *block, size_t bytes,
		      struct error *err)
{
	struct source source;

	TRY(take_head(&group_rows, &source, block, bytes, err));
	TRY(array_reserve(&groups->list, source.count, err));
	TRY(take_rows(&group_rows, &source, groups->list.items + groups->list.count, err));
	groups->list.count += source.count;
	return 0;
}
