/* Members of the lines of a file of the overlap benchmark: how data are written to JSON and read from it. */
#ifndef MEASURE_MEMBERS_H
#define MEASURE_MEMBERS_H

#include "common/json.h"
#include "measure/cells/json_line.h"

enum member_kind {
	MEMBER_END,
	MEMBER_TEXT,   /* char *, owned; NULL is written as "" */
	MEMBER_PAIR,   /* two of them */
	MEMBER_TRUTH,  /* bool */
	MEMBER_COUNT,  /* unsigned */
	MEMBER_BYTES,  /* uint64_t */
	MEMBER_NUMBER, /* double; NAN is null */
	MEMBER_TIME,   /* double, finite and not below 0 */
	MEMBER_CHOICE, /* enum, written as its name */
	MEMBER_SPREAD, /* struct spread: a list in the order of its members; null without samples */
};

struct member {
	const char *key;
	enum member_kind kind;
	size_t offset;		  /* in the structure */
	const char *const *names; /* of a choice */
	bool varies;		  /* between runs that may write to the same file */
};

/* Largest values that a file may have. */
#define MEMBER_MOST_BYTES ((uint64_t)1 << 50)
enum { MEMBER_MOST_COUNT = 1 << 30 };

/* Tables end with MEMBER_END. */
extern const struct member header_members[], spec_members[], cell_members[];

/* Write all members of a table as members of the current object. */
void members_write(struct json *json, const struct member *members, const void *from);

/* Read them from the line into zeroed data.  What was read before an error is owned by these. */
int members_read(const struct json_lines *lines, const struct member *members, void *to,
		 struct error *err);

/* Free the texts. */
void members_free_texts(const struct member *members, void *of);

/* The first member that does not vary and is not the same in both, or NULL. */
const struct member *members_differ(const struct member *members, const void *a, const void *b);

#endif
