/*
 * Reading GOAL text, a rank at a time (doc/goal-format.md).  Private to goal/.
 *
 * A reader is at a byte of the text.  Its functions return 0 and move it past the text that they
 * have read, or -1 with an error that names file and line.
 */
#ifndef GOAL_TEXT_H
#define GOAL_TEXT_H

#include "goal/builder.h"
#include "goal/image.h"
#include "goal/labels.h"

struct goal_text {
	const uint8_t *start, *at, *end;	/* not owned */
	const char *name;			/* of the file, for errors */
	uint32_t rank_count;
	struct goal_builder builder;		/* the rank that was read last */
	struct goal_labels labels;
	struct error *err;
};

/* Read "num_ranks N" into rank_count. */
int goal_text_rank_count(struct goal_text *reader);

/* Read "rank N {" ... "}" into builder.  N must be `rank`. */
int goal_text_rank(struct goal_text *reader, uint32_t rank);

/* Check that only space and comments follow up to the end of the file. */
int goal_text_end(struct goal_text *reader);

/* Free builder and labels. */
void goal_text_release(struct goal_text *reader);

#endif
