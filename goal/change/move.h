/*
 * The same graph with receives posted earlier and awaited later.
 *
 * A receive of a named call that is posted behind a computation is posted in front of it.  Where a computation begins when
 * receives of named calls have ended, a share A of it is done before: it begins when these calls have begun, and the rest
 * waits for them.  What else requires such a receive still does.  All that requires or irequires it still waits for what it
 * was posted behind.  So no operation waits for more than before, and T does not rise.
 *
 * The overhead o of such a receive can pass while its rank computes what was moved, as if by another processor.  It takes
 * time of the rank if processors are resources (llamp analyze --resources cpu), where the order of service can change, so
 * that T is not known to fall.
 */
#ifndef GOAL_MOVE_H
#define GOAL_MOVE_H

#include "goal/builder.h"
#include "goal/change/call_keys.h"

/* Computation that begins behind receives of a key. */
struct goal_awaited_sum {
	struct goal_call_key key;
	uint64_t
		most_ns; /* largest sum of a rank; what begins behind several keys is in the sum of one */
	bool is_joint; /* some of it begins behind receives of other sites of the function, too */
};

struct goal_awaited_sums {
	ARRAY(struct goal_awaited_sum) list; /* most first, then by name */
};

/*
 * Add it up for each function that receives messages, by call site if the calls have sites.  The names are those of `calls`.
 * End with goal_awaited_sums_release, also on failure.
 */
int goal_awaited_survey(struct goal_awaited_sums *sums, const struct goal *goal,
			const struct goal_calls *calls, struct error *err);
void goal_awaited_sums_release(struct goal_awaited_sums *sums);

/*
 * Write the graph to `writer`, which is open and has no rank yet, and its calls, with the receives of `count` keys moved.
 * percent[i]: 100 A of key i; where a computation waits for several keys, the largest one counts.  STATUS_DATA: no
 * computation begins behind a receive of a key, or a receive is deferred to a later call (schedgen --progress).  lines: names the
 * sites; NULL: their texts do.
 */
int goal_move(const struct goal *goal, const struct goal_calls *calls,
	      const struct goal_call_key *keys, const double *percent, size_t count,
	      struct source_lines *lines, struct goal_writer *writer, struct error *err);

/* Read "50%:FUNCTION" or "50%:FUNCTION@SITE", which is changed and must outlive the key.  STATUS_USAGE. */
int goal_move_parse(char *text, struct goal_call_key *key, double *percent, struct error *err);

#endif
