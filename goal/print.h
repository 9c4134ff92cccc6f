/*
 * Ranks as GOAL text that LogGOPSim's txt2bin accepts: statements in column 0,
 * labels before use, one dependency a line.  Private to goal/.
 */
#ifndef GOAL_PRINT_H
#define GOAL_PRINT_H

#include "goal/goal.h"

#include <stddef.h>
#include <stdio.h>

enum { GOAL_PRINT_MOST_OPS = INT32_MAX - 1 };

/* How many numbers of working memory goal_print_rank wants. */
size_t goal_print_scratch(const struct goal_block *block);

/*
 * Print rank `rank`.  Dependencies are printed as soon as both operations stand
 * above, and those on one operation in the order of its successor lists, so
 * that compiling the text gives the same block again.  Linear.  Returns 0, or
 * -1 with errno set.
 */
int goal_print_rank(FILE *stream, uint32_t rank, const struct goal_block *block,
		    uint32_t *scratch);

#endif
