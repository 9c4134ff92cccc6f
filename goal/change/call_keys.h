/* Calls that a user names by their function, and maybe by their call site. */
#ifndef GOAL_CALL_KEYS_H
#define GOAL_CALL_KEYS_H

#include "common/source/source_lines.h"
#include "common/string_map.h"
#include "goal/calls.h"

struct goal_call_key {
	const char *function; /* "MPI_Barrier" */
	const char *
		site; /* name of their call site (source_lines_name), or its text; NULL: any site */
};

#define GOAL_NO_KEY UINT32_MAX

/* Order of keys by function and site, as strcmp gives it: 0 if they are equal. */
int goal_call_key_order(const struct goal_call_key *one, const struct goal_call_key *other);

/* Keys of calls: all that calls have, or some that are asked for.  Zero bytes: all. */
struct goal_call_keys {
	ARRAY(struct goal_call_key) list;

	/* Private. */
	bool are_given;		    /* only these */
	struct source_lines *lines; /* for their sites, or NULL; not owned */
	struct string_map numbers;  /* by the text of one */
	ARRAY(char *) texts;
	ARRAY(uint32_t) key_of; /* [function of the cursor]: of the rank */
};

/*
 * Ask for some keys only, which must outlive `keys`.  lines: names the sites; NULL: their texts do.  End with
 * goal_call_keys_release, also on failure.
 */
int goal_call_keys_only(struct goal_call_keys *keys, const struct goal_call_key *given,
			size_t count, struct source_lines *lines, struct error *err);
void goal_call_keys_release(struct goal_call_keys *keys);

/* Go to another rank. */
void goal_call_keys_start(struct goal_call_keys *keys);

/*
 * Find the number of the key of a call, the first one that fits, or GOAL_NO_KEY if it is not asked for.  cursor: where the
 * call was read.  Of all keys, names are those of the calls.
 */
int goal_call_keys_find(struct goal_call_keys *keys, const struct goal_calls_cursor *cursor,
			const struct goal_call *call, uint32_t *key, struct error *err);

/* Whether a call posts or completes a receive: not MPI_Start, whose request may be of anything. */
bool goal_call_receives(const struct goal_call *call);

/* Read "FUNCTION" or "FUNCTION@SITE", which is changed and must outlive the key.  STATUS_USAGE. */
int goal_call_key_parse(char *text, struct goal_call_key *key, struct error *err);

#endif
