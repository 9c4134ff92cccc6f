/*
 * Tables of the reports in machine-readable form: one description for JSON and for CSV.
 *
 *	static void row(struct run_record *record, const void *data, size_t number)
 *	{
 *		record_integer(record, ...);
 *		record_text(record, ...);
 *	}
 *
 *	const struct run_table table = {"ranks", "rank,name", row_count, row, data};
 *
 *	run_table_json(&json, &table);		"ranks": [{"rank": 0, "name": "a"}, ...]
 *	run_table_csv(stream, path, &table);	file,rank,name
 *						trace,0,a
 */
#ifndef CRITPATH_RUN_TABLE_H
#define CRITPATH_RUN_TABLE_H

#include "common/json.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The row being written.  Its values come in the order of the fields. */
struct run_record {
	FILE *stream;
	struct json *json;  /* NULL: CSV */
	const char *fields; /* that follow */
};

/* Write the next value.  record_none: null in JSON, empty in CSV. */
void record_integer(struct run_record *record, uint64_t value);
void record_number(struct run_record *record, double value);
void record_text(struct run_record *record, const char *text);
void record_none(struct run_record *record);
void record_text_or_none(struct run_record *record, const char *text); /* NULL: none */

struct run_table {
	const char *name;   /* key in JSON */
	const char *fields; /* names with commas between them */
	size_t count;	    /* rows */
	void (*row)(struct run_record *record, const void *data, size_t number);
	const void *data;
};

void run_table_json(struct json *json, const struct run_table *table);

/* The first column is the file. */
void run_table_csv(FILE *stream, const char *path, const struct run_table *table);

/*
 * Choose the numbers below `count` with the largest values, at most RUN_MOST_ROWS and none of value
 * 0, for a table of text.  Returns how many; the largest is first, and the smallest number of
 * equal ones.
 */
enum { RUN_MOST_ROWS = 10 };
size_t run_largest(size_t count, uint64_t (*value)(const void *data, size_t number),
		   const void *data, size_t chosen[static RUN_MOST_ROWS]);

#endif
