#include "critpath/parts/columns.h"

#include "critpath/parts/frame.h"

static bool is_same_timeline(const struct compute_interval *a, const struct compute_interval *b)
{
	return a->rank == b->rank && a->thread == b->thread;
}

static size_t run_length(const struct compute_interval *intervals, size_t count)
{
	size_t length = 1;

	while (length < count && is_same_timeline(&intervals[0], &intervals[length]))
		length++;
	return length;
}

/* ---------------------------------------------------------------------- encode */

static int put_runs(struct byte_array *raw, const struct compute_interval *intervals, size_t count,
		    struct error *err)
{
	uint64_t runs = 0;

	for (size_t i = 0; i < count; i += run_length(&intervals[i], count - i))
		runs++;
	TRY(array_reserve(&raw->bytes, VARINT_BYTES * (3 * runs + 1), err));
	varint_put(raw, runs);
	for (size_t i = 0; i < count;) {
		const size_t length = run_length(&intervals[i], count - i);

		varint_put(raw, length);
		varint_put(raw, intervals[i].rank);
		varint_put(raw, intervals[i].thread);
		i += length;
	}
	return 0;
}

static int put_times(struct byte_array *raw, const struct compute_interval *intervals, size_t count,
		     struct error *err)
{
	uint64_t before_ns = 0, run_ns = 0;

	TRY(array_reserve(&raw->bytes, 2 * VARINT_BYTES * count, err));
	for (size_t i = 0; i < count; i++) {
		const bool begins = i == 0 || !is_same_timeline(&intervals[i - 1], &intervals[i]);

		varint_put(raw, zigzag(intervals[i].start_ns - (begins ? run_ns : before_ns)));
		if (begins)
			run_ns = intervals[i].start_ns;
		before_ns = intervals[i].end_ns;
	}
	for (size_t i = 0; i < count; i++)
		varint_put(raw, intervals[i].end_ns - intervals[i].start_ns);
	return 0;
}

static int encode_columns(struct byte_array *block, const struct compute_interval *intervals,
			  size_t count, int level, struct error *err)
{
	struct byte_array raw = {0};
	int result = -1;

	if (put_runs(&raw, intervals, count, err) == 0 &&
	    put_times(&raw, intervals, count, err) == 0)
		result = frame_put(block, &raw, level, err);
	array_release(&raw.bytes);
	return result;
}

static void put_little_endian(struct byte_array *block, uint64_t number, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		block->bytes.items[block->bytes.count++] = (unsigned char)(number >> 8 * i);
}

static int encode_records(struct byte_array *block, const struct compute_interval *intervals,
			  size_t count, struct error *err)
{
	TRY(array_reserve(&block->bytes, COLUMNS_RECORD_BYTES * count, err));
	for (size_t i = 0; i < count; i++) {
		put_little_endian(block, intervals[i].start_ns, 8);
		put_little_endian(block, intervals[i].end_ns, 8);
		put_little_endian(block, intervals[i].rank, 4);
		put_little_endian(block, intervals[i].thread, 4);
	}
	return 0;
}

int columns_encode(struct byte_array *block, const struct compute_interval *intervals, size_t count,
		   int level, struct error *err)
{
	TRY(array_reserve(&block->bytes, 1 + VARINT_BYTES, err));
	block->bytes.items[block->bytes.count++] = level ? COLUMNS_ZSTD : COLUMNS_RECORDS;
	varint_put(block, count);
	return level ? encode_columns(block, intervals, count, level, err)
		     : encode_records(block, intervals, count, err);
}

/* ---------------------------------------------------------------------- decode */

/* Take the runs, which say rank and thread of the next `count` intervals. */
static int take_runs(struct varint_reader *reader, struct compute_interval *intervals, size_t count,
		     struct error *err)
{
	uint64_t runs, length, rank, thread;
	size_t known = 0;

	if (!varint_take(reader, &runs))
		return frame_damaged(err, "no number of runs");
	for (; runs; runs--) {
		if (!varint_take(reader, &length) || !varint_take(reader, &rank) ||
		    !varint_take(reader, &thread))
			return frame_damaged(err, "runs are cut off");
		if (length == 0 || length > count - known || rank > UINT32_MAX ||
		    thread > UINT32_MAX)
			return frame_damaged(err, "a run is too long, or of no rank");
		for (; length; length--)
			intervals[known++] = (struct compute_interval){.rank = (uint32_t)rank,
								       .thread = (uint32_t)thread};
	}
	return known == count ? 0 : frame_damaged(err, "runs are too short");
}

/* Take starts, as time since the end before: it follows when the durations are known. */
static int take_times(struct varint_reader *reader, struct compute_interval *intervals,
		      size_t count, struct error *err)
{
	uint64_t before_ns = 0, run_ns = 0, number;

	for (size_t i = 0; i < count; i++) {
		if (!varint_take(reader, &number))
			return frame_damaged(err, "starts are cut off");
		intervals[i].start_ns = unzigzag(number);
	}
	for (size_t i = 0; i < count; i++) {
		struct compute_interval *interval = &intervals[i];
		const bool begins = i == 0 || !is_same_timeline(&intervals[i - 1], interval);

		if (!varint_take(reader, &number))
			return frame_damaged(err, "durations are cut off");
		interval->start_ns += begins ? run_ns : before_ns;
		interval->end_ns = interval->start_ns + number;
		if (interval->end_ns <= interval->start_ns)
			return frame_damaged(err, "an interval is empty, or a time too large");
		if (begins)
			run_ns = interval->start_ns;
		before_ns = interval->end_ns;
	}
	return reader->at == reader->end ? 0 : frame_damaged(err, "bytes after the last duration");
}

static int decode_columns(struct varint_reader *rest, struct compute_interval *intervals,
			  size_t count, struct error *err)
{
	/* Each interval has its times, and may be a run of its own. */
	const unsigned long long most = VARINT_BYTES * (5 * (unsigned long long)count + 1);
	struct varint_reader columns;
	unsigned char *raw;
	int result = frame_take(&raw, &columns, rest, most, err);

	if (result == 0)
		result = take_runs(&columns, intervals, count, err);
	if (result == 0)
		result = take_times(&columns, intervals, count, err);
	free(raw);
	return result;
}

static uint64_t take_little_endian(struct varint_reader *reader, unsigned bytes)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < bytes; i++)
		number |= (uint64_t)*reader->at++ << 8 * i;
	return number;
}

static int decode_records(struct varint_reader *reader, struct compute_interval *intervals,
			  size_t count, struct error *err)
{
	if ((size_t)(reader->end - reader->at) != count * COLUMNS_RECORD_BYTES)
		return frame_damaged(err, "records are cut off, or too many");
	for (size_t i = 0; i < count; i++) {
		intervals[i].start_ns = take_little_endian(reader, 8);
		intervals[i].end_ns = take_little_endian(reader, 8);
		intervals[i].rank = (uint32_t)take_little_endian(reader, 4);
		intervals[i].thread = (uint32_t)take_little_endian(reader, 4);
		if (intervals[i].end_ns <= intervals[i].start_ns)
			return frame_damaged(err, "an interval is empty");
	}
	return 0;
}

int columns_decode(struct compute_intervals *intervals, const unsigned char *block, size_t bytes,
		   size_t most, struct error *err)
{
	struct varint_reader reader = {block + 1, block + bytes};
	struct compute_interval *first;
	uint64_t count;
	int result;

	if (bytes == 0 || (block[0] != COLUMNS_RECORDS && block[0] != COLUMNS_ZSTD))
		return frame_damaged(err, "its format is unknown");
	if (!varint_take(&reader, &count) || count > most)
		return frame_damaged(err, "it has no number of intervals, or too many");
	TRY(array_reserve(&intervals->list, count, err));
	first = intervals->list.items + intervals->list.count;
	result = block[0] == COLUMNS_ZSTD ? decode_columns(&reader, first, (size_t)count, err)
					  : decode_records(&reader, first, (size_t)count, err);
	if (result == 0)
		intervals->list.count += (size_t)count;
	return result;
}
