/*
 * Printing of ranks as GOAL text that LogGOPSim's txt2bin accepts: statements in column 0, labels
 * before use, one dependency per line.  Private to goal/.
 */
#ifndef GOAL_PRINT_H
#define GOAL_PRINT_H

#include "goal/goal.h"

#include <stddef.h>
#include <stdio.h>

enum { GOAL_PRINT_MOST_OPS = INT32_MAX - 1 };

/*
 * Print rank `rank`. A dependency is printed as soon as both operations are printed, and
 * those on one operation in the order of its successor lists, so that compiling the text
 * gives the same block again. Linear. Memory is bounded by the operations that have
 * successors still to come. Pages of `mapped`, which is NULL or the mapped file that the
 * block begins with, are given back on the way. Returns 0 or -1; ferror(stream) reports
 * errors of the stream.
 */
int goal_print_rank(FILE *stream, uint32_t rank, const struct goal_block *block, void *mapped,
		    struct error *err);

#endif
