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

/* How a value is written; JSON and CSV have all digits of a number. */
enum value_kind {
	VALUE_END,	 /* none: after the last field */
	VALUE_COUNT,
	VALUE_TIME,	 /* uint64_t ns, in text with four digits and a unit */
	VALUE_LONG_TIME, /* likewise with seven digits */
	VALUE_ATTOSECONDS, /* __int128 attoseconds: in JSON and CSV ns, in text as VALUE_LONG_TIME */
	VALUE_NS,	 /* double, in text as VALUE_LONG_TIME */
	VALUE_NS_PER_BYTE, /* likewise, in text "0.018 ns/B" */
	VALUE_BYTES,	 /* uint64_t, in text with a unit */
	VALUE_ALL_BYTES, /* likewise with all digits */
	VALUE_NUMBER,	 /* double, in text with four digits */
	VALUE_LONG_NUMBER, /* likewise with seven digits */
	VALUE_SLOPE,	 /* likewise, in text with its unit */
	VALUE_SLOPES,	 /* two of them, left and right of a place; in text the right one */
	VALUE_SHARE,	 /* double, in text in per cent */
	VALUE_LONG_SHARE, /* likewise with seven digits */
	VALUE_PERCENT,	 /* double, in per cent, in text with seven digits */
	VALUE_NAME,	 /* text */
	VALUE_TRUTH,	 /* bool */
	VALUE_COUNTS,	 /* list of uint32_t, in JSON only, as are the next ones */
	VALUE_NAMES,	 /* list of texts */
	VALUE_RANGE,	 /* list of two doubles, also in text; NAN and infinity are null */
	VALUE_TRUTHS,	 /* list of bools */
	VALUE_ANY,	 /* of any kind, in schemas only */
};

/* Flags of a field: for the schema, FIELD_OPTIONAL also for tables. */
enum {
	FIELD_NULL = 1,	     /* put_none is possible */
	FIELD_OPTIONAL = 2,  /* put_missing is possible; or left out by `lacks_optional` */
	FIELD_POSITIVE = 4,  /* never 0 */
	FIELD_CSV = 8,	     /* JSON lacks it */
	FIELD_SIGNED = 16,   /* numbers below 0 are possible */
	FIELD_OTHER_VALUES = 32, /* `values` are those that it cannot have */
	FIELD_JSON = 64,     /* CSV lacks it */
};

struct report_field {
	const char *key;	   /* in JSON and CSV, valid until the report ends; NULL: only in text */
	const char *heading;	   /* in text, no line of them if all are ""; NULL: only in JSON and CSV */
	enum value_kind kind;
	int width;		   /* minimum, in text */
	bool right, left;	   /* aligned in text otherwise than names left, all others right */
	unsigned flags;
	const char *meaning;	   /* in the schema; NULL: the name says it */
	const char *unit;	   /* of a fact in CSV; NULL: 1 */
	const char *quantity;	   /* in CSV instead of the key; NULL: the key */
	const char *const *values; /* all values of a VALUE_NAME, ends with NULL; NULL: any */
	enum value_kind ends;	   /* of a VALUE_RANGE, in text */
};

struct report {
	FILE *stream; /* the owner checks it for errors */
	enum report_format format;
	struct html *page; /* of REPORT_PAGE, instead of the stream */
	const char *file; /* first column of CSV */
	int label_width;  /* of lines of a text; 0: 12 */
	const char *rows; /* key of the table that is written as CSV */
	bool csv_facts;	  /* CSV has facts and values of tables, one a line, instead of a table */
	const char *qualifier; /* name of a column between quantity and unit (row_qualify); NULL: none */
	/* Write the names of other first columns of CSV than `file`, or their values; NULL: that one. */
	void (*first_columns)(FILE *stream, const void *data, bool names);
	const void *first_data;

	struct json json; /* for what is no fact or table, in JSON */

	/* Private. */
	const char *required[64]; /* keys of the objects that are not complete, for the schema */
	size_t required_count;
	const struct report_field *patterns; /* of that object of which facts are written */
	bool has_csv_heading;
};

struct report_row;

/* Put the values of row `number`.  Called twice for each row in text, once in other formats. */
typedef void report_row_values(struct report_row *row, const void *data, size_t number);

/*
 * Members of an object in JSON.  A text has a line for each value of the whole that has a heading, CSV of
 * facts for each that has a key; there is none for a value that is none.
 */
enum { REPORT_MOST_FACTS = 96 };	/* with headings */

struct report_facts {
	const char *key;	/* NULL: members of the whole */
	const char *meaning;
	const struct report_field *fields;	/* ends with {0} */
	report_row_values *row;			/* its number is 0 */
	const void *data;
	bool one_line;
	const struct report_field *others;	/* all members beside `fields`; NULL: none.  Schema only */
	/* Of the whole: members that may be there, whose keys are regular expressions.  Schema only. */
	const struct report_field *patterns;
};

enum { REPORT_MOST_ROWS = 20 };

/* By what rows are chosen: a time in ns or attoseconds, or a number. */
typedef unsigned __int128 report_weight;

struct report_table {
	const char *key;	/* in JSON, and to choose it for CSV; NULL: in text only */
	bool optional;		/* JSON may lack it */
	const char *meaning;	/* in the schema */
	/* In JSON the rows are members of an object, with these keys, ends with NULL; NULL: items of an array. */
	const char *const *members;
	const char *title;	/* line above it in text; NULL: an empty one only */
	bool no_gap;		/* not even that one */
	const char *caption;	/* in a page; NULL: the title */
	const struct report_field *fields;	/* ends with {0} */
	/* For the schema: all fields that rows may have instead, ends with NULL; NULL: these only. */
	const struct report_field *const *forms;
	const struct report_field *others; /* all members of a row beside `fields`; NULL: none */
	report_row_values *row;
	const void *data;
	size_t count;
	bool lacks_optional;	/* the fields with FIELD_OPTIONAL are left out */
	/*
	 * Rows in text: 0 means all.  With `weight`, for REPORT_MOST_ROWS at most, the ones of largest
	 * weight come first, and those of weight 0 are left out.  With `counts_rest` a line tells how many there are beyond.
	 */
	size_t most;
	report_weight (*weight)(const void *data, size_t number);
	bool counts_rest;
	const char *lists_all;	/* option that does, for that line; NULL: none */
};

/*
 * List of objects that have facts, tables and lists of their own.  In text there is nothing but what these
 * write, and in CSV the rows of all objects follow each other.
 */
struct report_list {
	const char *key, *meaning;
	/* Write an object.  For a schema, with number 0. */
	void (*object)(struct report *report, const void *data, size_t number);
	const void *data;
	size_t count;
	bool is_object;		/* in JSON no list, but its only object */
};

/* Begin the whole, and end it.  schema: its name, the first member of JSON. */
void report_begin(struct report *report, const char *schema);
void report_end(struct report *report);

/*
 * Begin and end the forms of a report, for the schema only: JSON is as one of the reports that are begun and
 * ended between.
 */
void report_begin_forms(struct report *report);
void report_end_forms(struct report *report);

void report_facts(struct report *report, const struct report_facts *facts);

/* Write a table: in text and pages if one of its fields has a heading and it has rows. */
void report_table(struct report *report, const struct report_table *table);

void report_list(struct report *report, const struct report_list *list);

/* Write "label       text" in a text, nothing in other formats. */
void report_line(const struct report *report, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether the row is for people: a text or a page. */
bool row_in_text(const struct report_row *row);

/* Set the qualifier of the values that follow, in CSV with one a line; at first it is empty. */
void row_qualify(struct report_row *row, const char *qualifier);

/* Put the next value of a row. */
void put_count(struct report_row *row, uint64_t value); /* also times and bytes */
void put_attoseconds(struct report_row *row, __int128 as);
/* Tell in a text what the next value is, in a third column of facts. */
void row_note(struct report_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put a double of any kind.  NAN is none; infinity is null in JSON, in text "unbounded" or, below 0, "none". */
void put_number(struct report_row *row, double value);
void put_share(struct report_row *row, uint64_t part, uint64_t whole); /* 0 of 0 is 0 */
void put_name(struct report_row *row, const char *text);	       /* NULL: none */
void put_truth(struct report_row *row, bool value);
void put_counts(struct report_row *row, const uint32_t *values, size_t count);
void put_names(struct report_row *row, const char *const *names, size_t count);
void put_range(struct report_row *row, double low, double high);
void put_slopes(struct report_row *row, double left, double right);
void put_truths(struct report_row *row, const bool *values, size_t count);
/* Put nothing: null in JSON, empty in CSV and text. */
void put_none(struct report_row *row);
/* Put a count if it is known, else nothing. */
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
