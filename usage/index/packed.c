#include "usage/index/packed.h"
#include "usage/log/job_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------- numbers */

static int pack(const uint64_t *numbers, int count, uint8_t *bytes)
{
	int bytes_used = 0;

	while (count > 0 && !numbers[count - 1])
		count--;
	for (int i = 0; i < count; i++) {
		uint64_t rest = numbers[i];

		for (; rest >= 0x80; rest >>= 7)
			bytes[bytes_used++] = (uint8_t)(0x80 | (rest & 0x7f));
		bytes[bytes_used++] = (uint8_t)rest;
	}
	return bytes_used;
}

/* Unpack at most `most` numbers.  The others are 0.  Returns how many there were, or -1. */
static int unpack(uint64_t *numbers, int most, const uint8_t *bytes, int count)
{
	unsigned shift = 0;
	int number = 0;

	memset(numbers, 0, (size_t)most * sizeof *numbers);
	for (int i = 0; i < count; i++) {
		if (number == most || shift > 63)
			return -1;
		numbers[number] |= (uint64_t)(bytes[i] & 0x7f) << shift;
		shift = bytes[i] & 0x80 ? shift + 7 : 0;
		number += !shift;
	}
	return shift ? -1 : number;
}

/* ----------------------------------------------------------------------- bins */

int packed_bins(const uint64_t *bins, uint64_t calls, uint8_t *bytes)
{
	uint64_t numbers[1 + USAGE_TIME_BINS] = {0};
	int count = 1;

	for (int i = 0; i < USAGE_TIME_BINS; i++) {
		if (!bins[i])
			continue;
		numbers[0] |= UINT64_C(1) << i;
		numbers[count++] = bins[i];
	}
	for (int i = 1; i < count; i++)
		calls -= numbers[i];
	/* The last one is the rest. */
	if (count > 1 && calls == 0)
		count--;
	return pack(numbers, count, bytes);
}

int unpack_bins(uint64_t *bins, uint64_t calls, const void *bytes, int count)
{
	uint64_t numbers[1 + USAGE_TIME_BINS];
	const int given = unpack(numbers, 1 + USAGE_TIME_BINS, bytes, count);
	const int filled = __builtin_popcountll(numbers[0]);
	int next = 1;

	memset(bins, 0, USAGE_TIME_BINS * sizeof *bins);
	if (given < 0 || numbers[0] >> USAGE_TIME_BINS ||
	    (filled > 0 && given != filled && given != filled + 1) || (filled == 0 && given > 0))
		return -1;
	for (int i = 1; i < given; i++)
		calls -= numbers[i];
	if (given == filled)
		numbers[filled] = calls;
	for (int i = 0; i < USAGE_TIME_BINS; i++)
		if (numbers[0] >> i & 1)
			bins[i] = numbers[next++];
	return 0;
}

/* ------------------------------------------------------------------ quantiles */

int packed_quantiles(const uint64_t *quantiles, uint8_t *bytes)
{
	uint64_t numbers[JOB_QUANTILES];

	for (int i = 0; i < JOB_QUANTILES; i++)
		numbers[i] = quantiles[i] - (i ? quantiles[i - 1] : 0);
	return pack(numbers, JOB_QUANTILES, bytes);
}

int unpack_quantiles(uint64_t *quantiles, const void *bytes, int count)
{
	if (unpack(quantiles, JOB_QUANTILES, bytes, count) < 0)
		return -1;
	for (int i = 1; i < JOB_QUANTILES; i++)
		quantiles[i] += quantiles[i - 1];
	return 0;
}

/* ------------------------------------------------------------------------ SQL */

static void return_list(sqlite3_context *context, const uint64_t *numbers, int count)
{
	enum { NUMBER_TEXT = 21 };
	char text[JOB_QUANTILES * NUMBER_TEXT + 2];
	int length = 0;

	for (int i = 0; i < count; i++)
		length += snprintf(text + length, sizeof text - (size_t)length, "%c%" PRIu64,
				   i ? ',' : '[', numbers[i]);
	text[length++] = ']';
	sqlite3_result_text(context, text, length, SQLITE_TRANSIENT);
}

/* bins(bins, calls) */
static void sql_bins(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint64_t bins[USAGE_TIME_BINS];
	const void *const bytes = sqlite3_value_blob(values[0]);

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	if (unpack_bins(bins, (uint64_t)sqlite3_value_int64(values[1]), bytes,
			sqlite3_value_bytes(values[0])) < 0)
		sqlite3_result_error(context, "bins(): no bins", -1);
	else
		return_list(context, bins, USAGE_TIME_BINS);
}

/* quantiles(quantiles) */
static void sql_quantiles(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint64_t quantiles[JOB_QUANTILES];
	const void *const bytes = sqlite3_value_blob(values[0]);

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	if (unpack_quantiles(quantiles, bytes, sqlite3_value_bytes(values[0])) < 0)
		sqlite3_result_error(context, "quantiles(): no quantiles", -1);
	else
		return_list(context, quantiles, JOB_QUANTILES);
}

int packed_functions(struct usage_db *db, struct error *err)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;

	if (sqlite3_create_function(db->handle, "bins", 2, flags, NULL, sql_bins, NULL, NULL) !=
		    SQLITE_OK ||
	    sqlite3_create_function(db->handle, "quantiles", 1, flags, NULL, sql_quantiles, NULL,
				    NULL) != SQLITE_OK)
		return usage_db_error(db, err);
	return 0;
}
