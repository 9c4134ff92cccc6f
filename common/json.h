/*
 * Writing JSON (RFC 8259), and the numbers of all machine-readable output.
 *
 *	struct json json = {.stream = stdout};
 *
 *	json_begin(&json, NULL, '{', JSON_LINES);
 *	json_text(&json, "file", path);
 *	json_begin(&json, "range", '[', JSON_INLINE);
 *	json_number(&json, NULL, 1.5);
 *	json_end(&json);
 *	json_end(&json);
 *
 * Members of an object have a key, items of an array have NULL.  The writer allocates no
 * memory.  The owner of the stream checks it for errors.
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_MOST_DEPTH = 12 };

enum json_layout {
	JSON_LINES,	/* one line for each member */
	JSON_INLINE,	/* one line for all */
};

struct json {
	FILE *stream;
	int depth;
	struct {
		char end;
		char layout;
		int count;
	} levels[JSON_MOST_DEPTH];
};

/* Begin an object ('{') or an array ('['), which json_end ends. */
void json_begin(struct json *json, const char *key, char kind, enum json_layout layout);
void json_end(struct json *json);

/* Write text.  Bytes that are not UTF-8 become U+FFFD. */
void json_text(struct json *json, const char *key, const char *text);
void json_integer(struct json *json, const char *key, uint64_t value);
/* Write a number.  Infinities and NaN, which JSON lacks, become null. */
void json_number(struct json *json, const char *key, double value);
/* Write attoseconds as nanoseconds with all digits. */
void json_attoseconds(struct json *json, const char *key, __int128 as);
void json_null(struct json *json, const char *key);
void json_boolean(struct json *json, const char *key, bool value);

/* Room for any text of the functions below. */
enum { NUMBER_TEXT_BYTES = 64 };

/*
 * Write the shortest decimal number that reads back as this double, with a point in every locale,
 * or "inf", "-inf" or "nan".  Returns `text`.
 */
const char *number_text(double value, char text[static NUMBER_TEXT_BYTES]);

/* Write attoseconds as nanoseconds, exactly ("1615", "0.25").  Returns `text`. */
const char *attoseconds_text(__int128 as, char text[static NUMBER_TEXT_BYTES]);

#endif
