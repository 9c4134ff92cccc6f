/*
 * Lines of JSON that anybody may have written: each is an object, and every value is checked.
 *
 *	TRY(json_lines_open(&lines, path, err));
 *	while (json_lines_next(&lines, &bytes, &count))
 *		TRY(json_lines_parse(&lines, bytes, count, err)), ...
 *
 * Errors are STATUS_DATA or STATUS_LIMIT and begin with "path:line: ", those of the syntax with "path:line:column: ".
 */
#ifndef MEASURE_JSON_LINE_H
#define MEASURE_JSON_LINE_H

#include "common/error.h"
#include "common/input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_lines {
	const char *path; /* as given */
	struct input input;
	size_t offset; /* of the next line */
	size_t number; /* of the line that was read last, from 1 */
	bool cut;      /* that line has no end */
	struct json_tokener *tokener;
	struct json_object *object; /* of that line */
};

/* Most bytes of a line. */
#define JSON_LINE_MOST_BYTES ((size_t)1 << 24)

/* Open a file.  On success end with json_lines_release. */
int json_lines_open(struct json_lines *lines, const char *path, struct error *err);
void json_lines_release(struct json_lines *lines);

/* Find the next line.  Returns false after the last. */
bool json_lines_next(struct json_lines *lines, const char **bytes, size_t *count);

/* Parse that line.  Members have keys of their own, and texts no zero bytes. */
int json_lines_parse(struct json_lines *lines, const char *bytes, size_t count, struct error *err);

/* Fill `err` with STATUS_DATA, "path:line: " and the text.  Returns -1. */
int json_lines_error(const struct json_lines *lines, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether the line has a member, which may be null. */
bool json_lines_has(const struct json_lines *lines, const char *key);

/*
 * Read a member of the line.  Each fails if the member is missing or of another kind.  Texts are copies, which
 * the caller frees.
 */
int json_lines_text(const struct json_lines *lines, const char *key, char **text,
		    struct error *err);
int json_lines_truth(const struct json_lines *lines, const char *key, bool *value,
		     struct error *err);
int json_lines_count(const struct json_lines *lines, const char *key, uint64_t most,
		     uint64_t *count, struct error *err);
/* Read a number within -JSON_MOST_NUMBER and JSON_MOST_NUMBER; null is NAN. */
#define JSON_MOST_NUMBER 1e18
int json_lines_number(const struct json_lines *lines, const char *key, double *value,
		      struct error *err);
/* Read an index into a list of names that ends with NULL. */
int json_lines_choice(const struct json_lines *lines, const char *key, const char *const *names,
		      int *value, struct error *err);
/* Read a list of `count` texts. */
int json_lines_texts(const struct json_lines *lines, const char *key, char **texts, size_t count,
		     struct error *err);

/* Length of a list; 0 if the member is missing or null. */
int json_lines_length(const struct json_lines *lines, const char *key, size_t *count,
		      struct error *err);
/* Read the first numbers of a list, as json_lines_number does. */
int json_lines_numbers(const struct json_lines *lines, const char *key, double *values,
		       size_t count, struct error *err);

/* Call `put` for each member of an object; the texts are copies that `put` owns. */
int json_lines_pairs(const struct json_lines *lines, const char *key,
		     int (*put)(void *target, char *name, char *value, struct error *err),
		     void *target, struct error *err);

#endif
