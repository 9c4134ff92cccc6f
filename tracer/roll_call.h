/*
 * Which ranks of MPI_COMM_WORLD are traced.
 *
 * If several programs share MPI_COMM_WORLD, some may run without the tracer, and communication with
 * their ranks would never end.  So each traced rank leaves a mark, the empty file DIR/ranks/R,
 * before MPI_Init.  MPI_Init returns after all ranks have entered it, so all marks exist then; where it
 * returns earlier, or the file system is slow, a few seconds of waiting make up for that.
 */
#ifndef TRACER_ROLL_CALL_H
#define TRACER_ROLL_CALL_H

#include "common/error.h"

/* Leave the mark of a rank. */
int roll_call_mark(const char *directory, int rank, struct error *err);

struct roll {
	int present;		/* ranks that have left a mark */
	int first;		/* the lowest of them */
};

/* Count marks until all of `size` ranks have left one, or for some seconds. */
struct roll roll_call_count(const char *directory, int size);

/* Remove the mark of a rank, and what was made for it and is empty. */
void roll_call_clear(const char *directory, int rank);

#endif
