/* Values of the JSON of a log, which anybody may have written: each is checked, and errors name its place. */
#ifndef USAGE_LOG_JOB_VALUE_H
#define USAGE_LOG_JOB_VALUE_H

#include "usage/log/job_log_members.h"
#include "usage/log/json_tree.h"

/* Where a value is: a list of the objects around it. */
struct job_place {
	const struct job_place *around; /* NULL: the log */
	const char *key;		/* or the name of the log */
	size_t item;			/* of a list; JOB_NO_ITEM: the value is no item */
};
#define JOB_NO_ITEM SIZE_MAX

/* Fill `err` with STATUS_DATA, "LOG: cells.calls[3]: " and the text.  Returns -1. */
int job_value_error(const struct job_place *place, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Find a member of the object at `place`, which must be of that type. */
int job_value_member(const struct job_place *place, const struct tree_value *object,
		     const char *key, enum tree_kind kind, const struct tree_value **value,
		     struct error *err);

/* Read a whole number, or null: USAGE_UNKNOWN. */
int job_value_number(const struct job_place *place, const struct tree_value *from, uint64_t *value,
		     struct error *err);

/* Read a name of `member`, as its number. */
int job_value_choice(const struct job_place *place, const struct tree_value *from,
		     const struct job_member *member, unsigned *value, struct error *err);

/* Read a value into a zeroed structure. */
int job_value_read(const struct job_place *place, const struct tree_value *from,
		   const struct job_member *member, void *to, struct error *err);

/* Read all members of a table from the object at `place`. */
int job_value_members(const struct job_place *place, const struct tree_value *object,
		      const struct job_member *members, void *to, struct error *err);

#endif
