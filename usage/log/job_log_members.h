/*
 * The JSON of a log as tables: which member of which structure has which key, and how it is written and
 * read.
 *
 * A list of structures is written as an object of columns, {"rank": [0, 1], "ns": [7, 9]}: that is
 * smaller than a list of objects, and other programs read it as a table.
 */
#ifndef USAGE_LOG_JOB_LOG_MEMBERS_H
#define USAGE_LOG_JOB_LOG_MEMBERS_H

#include "common/json.h"
#include "usage/log/job_log.h"

/* First member of a log. */
#define JOB_LOG_SCHEMA "llamp-usage-log-1"

/* Most bytes of a log before it is compressed. */
enum { JOB_LOG_MOST_TEXT = 1 << 26 };

enum job_member_kind {
	JOB_MEMBER_END,
	JOB_MEMBER_TEXT,     /* char *, owned; NULL is null */
	JOB_MEMBER_HASH,     /* uint64_t, in hexadecimal */
	JOB_MEMBER_NUMBER,   /* uint64_t, at most INT64_MAX; USAGE_UNKNOWN is null */
	JOB_MEMBER_COUNT,    /* uint32_t */
	JOB_MEMBER_SMALL,    /* uint8_t */
	JOB_MEMBER_REAL,     /* double, finite and not below 0 */
	JOB_MEMBER_TRUTH,    /* bool */
	JOB_MEMBER_CHOICE,   /* enum, written as its name */
	JOB_MEMBER_FUNCTION, /* uint16_t, written as the name of the function */
	JOB_MEMBER_NUMBERS,  /* `most` numbers of uint64_t */
};

struct job_member {
	const char *key;
	enum job_member_kind kind;
	size_t offset;		  /* in the structure */
	const char *const *names; /* of a choice */
	uint32_t most; /* greatest number of a choice or JOB_MEMBER_SMALL; length of numbers */
};

/* Tables end with JOB_MEMBER_END. */
extern const struct job_member job_log_members[];   /* of struct job_log */
extern const struct job_member job_nodes_members[]; /* of struct job_nodes */
extern const struct job_member job_cell_members[];  /* of struct job_cell */
extern const struct job_member job_rank_members[];  /* of struct job_rank, without roles */
extern const struct job_member job_calls_members[]; /* of struct job_calls */

/* Keys of JSON that no table has. */
#define JOB_KEY_NODES "ranks_per_node"
#define JOB_KEY_CELLS "cells"
#define JOB_KEY_RANKS "rank_list"
#define JOB_KEY_ROLES "roles"
#define JOB_KEY_COUNTERS "counters"
#define JOB_KEY_CALLS "calls"

enum { JOB_ROLES = 4 };
extern const char
	*const job_role_names[JOB_ROLES]; /* of bit i: "first", "most", "least", "average" */

/* Write the log as JSON. */
void job_log_write_json(const struct job_log *log, FILE *stream);

/*
 * Make a copy of a log of which at most `cells` cells, and at most `calls` functions of each rank, are left:
 * those that have taken the most time.  The others are added to the catch-all, and `overflow` is set.
 * The copy borrows the texts of the log; end with job_folded_release.
 */
int job_log_fold(struct job_log *folded, const struct job_log *log, size_t cells, size_t calls,
		 struct error *err);
void job_folded_release(struct job_log *folded);

#endif
