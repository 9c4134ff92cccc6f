/*
 * Reports as data: facts and tables of typed values, written as text, JSON, CSV, JSON schema or into a page.
 *
 *	static const struct report_field fields[] = {
 *		{"rank", "rank", VALUE_COUNT, .width = 6, .meaning = "Rank in MPI_COMM_WORLD"},
 *		{"wait_ns", "waits", VALUE_TIME, .width = 9},
 *		{0},
 *	};
 *
 *	static void rank_row(struct report_row *row, const void *data, size_t number)
 *	{
 *		put_count(row, number);
 *		put_count(row, ((const uint64_t *)data)[number]);
 *	}
 *
 *	struct report report = {.stream = stdout, .format = REPORT_JSON, .file = "trace"};
 *
 *	report_begin(&report, "ranks-1");
 *	report_table(&report, &(struct report_table){
 *		"ranks", .title = "ranks that wait most", .fields = fields, .row = rank_row,
 *		.data = waits, .count = rank_count});
 *	report_end(&report);
 *
 *	text	ranks that wait most		JSON	"ranks": [
 *		  rank      waits			  {"rank": 0, "wait_ns": 1200},
 *		     0     1.2 us		CSV	file,rank,wait_ns
 *							trace,0,1200
 *
 * A field has a key, by which JSON and CSV know it, a heading, by which text does, both, or none.  A
 * row puts one value for each field, in their order, whatever the format: what a format lacks is left out.
 */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include "common/draw/html.h"
#include "common/json.h"
#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * REPORT_SCHEMA: the JSON schema of the report, with all its fields and tables, without values.
 * REPORT_PAGE: tables within a page, with the fields and values of a text, without facts and lines.  Commands
 * do not offer it by --format, so it has no number there.
 */
enum report_format { REPORT_PAGE = -1, REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_SCHEMA };

/* The first number for other formats of a command that offers all of REPORT_FORMATS. */
enum { REPORT_FORMATS_END = REPORT_SCHEMA + 1 };

/* The formats that commands offer, for their list of struct output_format (common/command_output.h). */
#define REPORT_FORMATS                                                                   \
	[REPORT_TEXT] = {"text", ".txt", NULL}, [REPORT_JSON] = {"json", ".json", NULL}, \
	[REPORT_CSV] = {"csv", ".csv", NULL}, [REPORT_SCHEMA] = {"schema", "", NULL}

/* Kind of a value: what it is, and how a text has it.  JSON and CSV have all digits of a number. */
enum value_kind {
	VALUE_END,	 /* none: after the last field */
	VALUE_COUNT,
	VALUE_TIME,	 /* uint64_t ns, in text with four digits and a unit */
	VALUE_LONG_TIME, /* uint64_t ns, in text with seven digits and a unit */
	VALUE_ATTOSECONDS, /* __int128 attoseconds: in JSON and CSV ns, in text as VALUE_LONG_TIME */
	VALUE_NS,	 /* double, in text as VALUE_LONG_TIME */
	VALUE_NS_PER_BYTE, /* double, in text "0.018 ns/B" */
	VALUE_BYTES,	 /* uint64_t, in text with a unit */
	VALUE_ALL_BYTES, /* uint64_t, in text with all digits and "B" */
	VALUE_NUMBER,	 /* double, in text with four digits */
	VALUE_LONG_NUMBER, /* double, in text with seven digits */
	VALUE_SLOPE,	 /* double, in text with seven digits and the unit of the field */
	VALUE_SLOPES,	 /* two slopes, left and right of a place; in text the right one */
	VALUE_SHARE,	 /* double, in text in per cent */
	VALUE_LONG_SHARE, /* double, in text in per cent with seven digits */
	VALUE_PERCENT,	 /* double, in per cent, in text with seven digits */
	VALUE_NAME,	 /* text */
	VALUE_TRUTH,	 /* bool */
	VALUE_COUNTS,	 /* list of uint32_t, in JSON only */
	VALUE_NAMES,	 /* list of texts, in JSON only */
	VALUE_RANGE,	 /* two doubles, not in CSV of a table; NAN and infinity are null in JSON */
	VALUE_TRUTHS,	 /* list of bools, in JSON only */
	VALUE_ANY,	 /* value of any kind, in schemas only */
};

/* Flags of a field.  Most of them only tell the schema which values are possible. */
enum {
	FIELD_NULL = 1,	     /* rows may call put_none */
	FIELD_OPTIONAL = 2,  /* rows may call put_missing; tables with `lacks_optional` have no such column */
	FIELD_POSITIVE = 4,  /* the value is never 0 */
	FIELD_CSV = 8,	     /* JSON lacks the field */
	FIELD_SIGNED = 16,   /* numbers below 0 are possible */
	FIELD_OTHER_VALUES = 32, /* `values` lists the values that are not possible */
	FIELD_JSON = 64,     /* CSV lacks the field */
};

struct report_field {
	const char *key;	   /* in JSON and CSV, valid until the report ends; NULL: only in text */
	const char *heading;	   /* in text; if all are "", there is no line of headings; NULL: not in text */
	enum value_kind kind;
	int width;		   /* minimum, in text */
	bool right, left;	   /* alignment in text; neither: names are left, all others right */
	unsigned flags;
	const char *meaning;	   /* description in the schema; NULL: none */
	const char *unit;	   /* of a fact in CSV, of a VALUE_SLOPE in text; NULL: 1 */
	const char *quantity;	   /* name in CSV; NULL: the key */
	const char *const *values; /* all values of a VALUE_NAME, ends with NULL; NULL: any */
	enum value_kind ends;	   /* kind of both ends of a VALUE_RANGE */
};

struct report {
	FILE *stream; /* the owner checks it for errors */
	enum report_format format;
	struct html *page; /* where REPORT_PAGE writes, instead of the stream */
	const char *file; /* first column of CSV */
	int label_width;  /* width of the labels of report_line; 0: 12 */
	const char *rows; /* key of the table that CSV has */
	bool csv_facts;	  /* CSV has no table, but a line for each fact and each value of a table */
	const char *qualifier; /* name of a column between quantity and unit (row_qualify); NULL: none */
	/* Write the names or the values of the columns that CSV begins with; NULL: "file" and `file`. */
	void (*first_columns)(FILE *stream, const void *data, bool names);
	const void *first_data;

	struct json json; /* where callers write JSON that neither facts nor tables can express */

	/* Private: for the schema. */
	const char *required[64]; /* keys of the objects that are begun and not ended */
	size_t required_count;
	const struct report_field *patterns; /* of the object whose facts are being written */
	bool has_csv_heading;
};

struct report_row;

/* Put the values of row `number`, one for each field.  A text calls it twice for each row. */
typedef void report_row_values(struct report_row *row, const void *data, size_t number);

enum { REPORT_MOST_FACTS = 96 };	/* facts with headings */

/*
 * Facts: values that are not in rows.  JSON has them as members of the report or of an object in it.  A text
 * has a line for each fact with a heading, but not for those of an object.  CSV with csv_facts has a line for
 * each fact with a key.  Text and CSV leave out the facts for which put_none was called.
 */
struct report_facts {
	const char *key;	/* of the object in JSON; NULL: the facts are members of the report */
	const char *meaning;	/* of the object, in the schema; NULL: none */
	const struct report_field *fields;	/* ends with {0} */
	report_row_values *row;			/* called with number 0 */
	const void *data;
	bool one_line;				/* the object is one line of JSON */
	/* For the schema: */
	const struct report_field *others;	/* kind of the members beside `fields`; NULL: none */
	const struct report_field *patterns;	/* optional members of the report; keys are regular expressions */
};

enum { REPORT_MOST_ROWS = 20 };

/* Weight by which rows are chosen: a time in ns or attoseconds, or a number. */
typedef unsigned __int128 report_weight;

struct report_table {
	const char *key;	/* in JSON, and for report.rows; NULL: the table is in text only */
	bool optional;		/* for the schema: JSON may lack the table */
	const char *meaning;	/* in the schema; NULL: none */
	/* Keys of the rows, which are members of an object in JSON; ends with NULL.  NULL: items of an array. */
	const char *const *members;
	const char *title;	/* line above the table in text; NULL: none */
	bool no_gap;		/* no empty line above title and table */
	const char *caption;	/* in a page; NULL: the title; "": none */
	const struct report_field *fields;	/* ends with {0} */
	/* For the schema: lists of fields, one of which a row has in place of `fields`; ends with NULL.  NULL: none. */
	const struct report_field *const *forms;
	const struct report_field *others; /* for the schema: kind of a row's members beside `fields`; NULL: none */
	report_row_values *row;
	const void *data;
	size_t count;
	bool lacks_optional;	/* leave out the fields with FIELD_OPTIONAL */

	/* For texts and pages, which need not list all rows. */
	size_t most;		/* number of rows listed; 0: all */
	/* List the rows of largest weight first, and none of weight 0; `most` is 1 to REPORT_MOST_ROWS. */
	report_weight (*weight)(const void *data, size_t number);
	bool counts_rest;	/* a line below the table tells how many rows are not listed */
	const char *lists_all;	/* option of the command that lists them, for that line; NULL: none */
};

/*
 * List of objects that have facts, tables and lists of their own.  JSON has an array of the objects; text and
 * CSV have what the objects write, one after the other.
 */
struct report_list {
	const char *key, *meaning;
	/* Write an object.  A schema asks for number 0, whatever the count is. */
	void (*object)(struct report *report, const void *data, size_t number);
	const void *data;
	size_t count;
	bool is_object;		/* JSON has the only object, without an array around it */
};

/* Begin and end a report.  schema: its name, which is the first member in JSON. */
void report_begin(struct report *report, const char *schema);
void report_end(struct report *report);

/*
 * Begin and end the forms of a report, each of which report_begin and report_end enclose: the schema allows
 * JSON of any of these forms.  Do nothing in other formats.
 */
void report_begin_forms(struct report *report);
void report_end_forms(struct report *report);

/* Write facts. */
void report_facts(struct report *report, const struct report_facts *facts);

/* Write a table.  Texts and pages have none without rows, or without a field that has a heading. */
void report_table(struct report *report, const struct report_table *table);

/* Write the objects of a list. */
void report_list(struct report *report, const struct report_list *list);

/* Write "label       text" in a text, nothing in other formats. */
void report_line(const struct report *report, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether the row is for a text or a page. */
bool row_in_text(const struct report_row *row);

/* Set the qualifier of the next values, for CSV with csv_facts.  It is empty before the first call. */
void row_qualify(struct report_row *row, const char *qualifier);

/* Set the note of the next value, which a text has in a third column of facts. */
void row_note(struct report_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put the next value of a row.  Texts and lists must stay valid until the function returns. */
void put_count(struct report_row *row, uint64_t value); /* also times and bytes */
void put_attoseconds(struct report_row *row, __int128 as);
/* A double of any kind.  NAN is put_none; infinity is null in JSON, in text "unbounded" or, below 0, "none". */
void put_number(struct report_row *row, double value);
void put_share(struct report_row *row, uint64_t part, uint64_t whole); /* 0 of 0 is 0 */
void put_name(struct report_row *row, const char *text);	       /* NULL: put_none */
void put_truth(struct report_row *row, bool value);
void put_counts(struct report_row *row, const uint32_t *values, size_t count);
void put_names(struct report_row *row, const char *const *names, size_t count);
void put_range(struct report_row *row, double low, double high);
void put_slopes(struct report_row *row, double left, double right);
void put_truths(struct report_row *row, const bool *values, size_t count);
/* Put nothing: null in JSON, empty in CSV and text. */
void put_none(struct report_row *row);
/* Put a count if it is known, otherwise call put_none. */
void put_count_or_none(struct report_row *row, uint64_t value, bool known);
/* Leave the member out of the JSON object. */
void put_missing(struct report_row *row);

/*
 * Choose the numbers below `count` with the largest weights, at most `most` and none of weight 0.
 * Returns how many; the largest is first, and the smallest number of equal ones.
 */
size_t report_largest(size_t count, report_weight (*weight)(const void *data, size_t number),
		      const void *data, size_t most, size_t chosen[static REPORT_MOST_ROWS]);

#endif
