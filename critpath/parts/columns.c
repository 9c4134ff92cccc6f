#include "critpath/parts/columns.h"

#include "critpath/parts/frame.h"
#include "critpath/parts/start_guess.h"

/* The columns, in the order of a block. */
enum column { COLUMN_FUNCTION, COLUMN_SITE, COLUMN_CALL, COLUMN_DURATION, COLUMN_START, COLUMNS };

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

struct encoder {
	struct byte_array raw;
	struct frame_cuts cuts;
	uint64_t *numbers; /* of a column */
	struct error *err;
};

static int put_runs(struct encoder *encoder, const struct compute_interval *intervals, size_t count)
{
	struct byte_array *raw = &encoder->raw;
	uint64_t runs = 0;

	for (size_t i = 0; i < count; i += run_length(&intervals[i], count - i))
		runs++;
	TRY(array_reserve(&raw->bytes, VARINT_BYTES * (3 * runs + 1), encoder->err));
	varint_put(raw, runs);
	for (size_t i = 0; i < count;) {
		const size_t length = run_length(&intervals[i], count - i);

		varint_put(raw, length);
		varint_put(raw, intervals[i].rank);
		varint_put(raw, intervals[i].thread);
		i += length;
	}
	return array_push(&encoder->cuts.at, raw->bytes.count, encoder->err);
}

static void set_starts(uint64_t *numbers, const struct compute_interval *intervals, size_t count)
{
	struct start_guess guess = {0};

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !is_same_timeline(&intervals[i - 1], &intervals[i]))
			start_guess_begin(&guess, &intervals[i]);
		numbers[i] = intervals[i].start_ns - start_guess(&guess, &intervals[i]);
		start_guess_learn(&guess, &intervals[i]);
	}
}

static void set_numbers(uint64_t *numbers, const struct compute_interval *intervals, size_t count,
			enum column column)
{
	uint64_t before = 0;

	if (column == COLUMN_START)
		set_starts(numbers, intervals, count);
	else
		for (size_t i = 0; i < count; i++) {
			const struct compute_interval *interval = &intervals[i];

			if (column == COLUMN_FUNCTION)
				numbers[i] = interval->function;
			else if (column == COLUMN_SITE)
				numbers[i] = interval->site + UINT32_C(1);
			else if (column == COLUMN_CALL)
				numbers[i] = interval->call - before;
			else
				numbers[i] = interval->end_ns - interval->start_ns;
			before = interval->call;
		}
}

/* Divide the numbers of a column, which are signed, by their unit.  Returns it. */
static uint64_t divide(uint64_t *numbers, size_t count)
{
	uint64_t unit = 0;

	for (size_t i = 0; i < count && unit != 1; i++)
		unit = greatest_divisor(numbers[i] >> 63 ? -numbers[i] : numbers[i], unit);
	for (size_t i = 0; i < count; i++)
		numbers[i] = numbers[i] >> 63 ? zigzag(-(-numbers[i] / unit))
			     : unit	      ? zigzag(numbers[i] / unit)
					      : 0;
	return unit;
}

/* Put the unit of a column, then the bytes of its numbers, the lowest of all first. */
static int put_bytes(struct encoder *encoder, size_t count)
{
	struct byte_array *raw = &encoder->raw;
	const uint64_t unit = divide(encoder->numbers, count);
	unsigned width = 0;

	for (size_t i = 0; i < count; i++)
		if ((bits_of(encoder->numbers[i]) + 7) / 8 > width)
			width = (bits_of(encoder->numbers[i]) + 7) / 8;
	TRY(array_reserve(&raw->bytes, VARINT_BYTES + 1 + width * count, encoder->err));
	varint_put(raw, unit);
	raw->bytes.items[raw->bytes.count++] = (unsigned char)width;
	for (unsigned byte = 0; byte < width; byte++) {
		for (size_t i = 0; i < count; i++)
			raw->bytes.items[raw->bytes.count++] =
				(unsigned char)(encoder->numbers[i] >> 8 * byte);
		TRY(array_push(&encoder->cuts.at, raw->bytes.count, encoder->err));
	}
	return 0;
}

static int put_columns(struct encoder *encoder, const struct compute_interval *intervals,
		       size_t count)
{
	TRY(put_runs(encoder, intervals, count));
	TRY(allocate(&encoder->numbers, count, sizeof *encoder->numbers, encoder->err));
	for (int column = 0; column < COLUMNS; column++) {
		set_numbers(encoder->numbers, intervals, count, (enum column)column);
		TRY(put_bytes(encoder, count));
	}
	return 0;
}

static int encode_columns(struct byte_array *block, const struct compute_interval *intervals,
			  size_t count, int level, struct error *err)
{
	struct encoder encoder = {.err = err};
	int result = put_columns(&encoder, intervals, count);

	if (result == 0)
		result = frame_put(block, &encoder.raw, &encoder.cuts, level, err);
	array_release(&encoder.raw.bytes);
	array_release(&encoder.cuts.at);
	free(encoder.numbers);
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
		put_little_endian(block, intervals[i].call, 4);
		put_little_endian(block, intervals[i].function, 4);
		put_little_endian(block, intervals[i].site, 4);
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

/* Take the unit and the width of a column; its bytes follow. */
static int take_head(struct varint_reader *reader, size_t count, uint64_t *unit, unsigned *width,
		     struct error *err)
{
	if (!varint_take(reader, unit))
		return frame_damaged(err, "a column has no unit");
	*width = reader->at < reader->end ? *reader->at++ : UINT8_MAX;
	if (*width > 8 || *width * count > (size_t)(reader->end - reader->at))
		return frame_damaged(err, "a column is cut off, or too wide");
	return 0;
}

static int take_number(struct compute_interval *interval, enum column column, uint64_t number,
		       uint64_t *before, struct error *err)
{
	if (column == COLUMN_CALL)
		number = *before += number;
	if (column == COLUMN_DURATION) {
		interval->end_ns = number;
		return number ? 0 : frame_damaged(err, "an interval is empty");
	}
	if (number > UINT32_MAX)
		return frame_damaged(err, "a number of a call, function or site is too large");
	if (column == COLUMN_CALL)
		interval->call = (uint32_t)number;
	else if (column == COLUMN_SITE)
		interval->site = (uint32_t)number - 1;
	else
		interval->function = (uint32_t)number;
	return 0;
}

static int take_start(struct compute_interval *interval, struct start_guess *guess, bool begins,
		      uint64_t number, struct error *err)
{
	if (begins)
		start_guess_begin(guess, interval);
	interval->start_ns = start_guess(guess, interval) + number;
	interval->end_ns += interval->start_ns;
	start_guess_learn(guess, interval);
	return interval->end_ns > interval->start_ns ? 0
						     : frame_damaged(err, "a time is too large");
}

static int take_column(struct varint_reader *reader, struct compute_interval *intervals,
		       size_t count, enum column column, struct error *err)
{
	struct start_guess guess = {0};
	uint64_t before = 0, unit = 0;
	unsigned width = 0;

	TRY(take_head(reader, count, &unit, &width, err));
	for (size_t i = 0; i < count; i++) {
		uint64_t number = 0;

		for (unsigned k = 0; k < width; k++)
			number |= (uint64_t)reader->at[k * count + i] << 8 * k;
		number = unzigzag(number) * unit;
		if (column == COLUMN_START)
			TRY(take_start(&intervals[i], &guess,
				       i == 0 ||
					       !is_same_timeline(&intervals[i - 1], &intervals[i]),
				       number, err));
		else
			TRY(take_number(&intervals[i], column, number, &before, err));
	}
	reader->at += width * count;
	return 0;
}

static int decode_columns(struct varint_reader *rest, struct compute_interval *intervals,
			  size_t count, struct error *err)
{
	/* Each interval may be a run of its own. */
	const unsigned long long most = VARINT_BYTES * (3 * (unsigned long long)count + 1) +
					COLUMNS *
						(VARINT_BYTES + 1 + 8 * (unsigned long long)count);
	struct varint_reader columns;
	unsigned char *raw;
	int result = frame_take(&raw, &columns, rest, most, err);

	if (result == 0)
		result = take_runs(&columns, intervals, count, err);
	for (int column = 0; result == 0 && column < COLUMNS; column++)
		result = take_column(&columns, intervals, count, (enum column)column, err);
	if (result == 0 && columns.at != columns.end)
		result = frame_damaged(err, "bytes after the last column");
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
		intervals[i].call = (uint32_t)take_little_endian(reader, 4);
		intervals[i].function = (uint32_t)take_little_endian(reader, 4);
		intervals[i].site = (uint32_t)take_little_endian(reader, 4);
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
