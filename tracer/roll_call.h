/*
 * Roll call: which ranks of MPI_COMM_WORLD are traced.
 *
 * If several programs share MPI_COMM_WORLD, some may run without the tracer, and communication with
 * their ranks would never end.  Each traced rank leaves a mark, the empty file DIR/ranks/JOB/R, before
 * MPI_Init.  JOB is the name of the job (launch/launcher.h): two jobs that have the same directory by
 * mistake do not see each other's marks.  MPI_Init returns after all ranks have entered it, so all marks
 * exist then.  If it returns earlier, or the file system is slow, counting waits some seconds.
 *
 * Marks also show whether all hosts share the directory.
 */
#ifndef TRACER_ROLL_CALL_H
#define TRACER_ROLL_CALL_H

#include "common/error.h"

#include <stdbool.h>

/* Leave the mark of a rank. */
int roll_call_mark(const char *directory, int rank, struct error *err);

struct roll {
	int present;		/* ranks that have left a mark */
	int first;		/* lowest of these ranks */
};

/* Check whether a rank that has left its mark has done so in this directory; wait for some seconds. */
bool roll_call_sees(const char *directory, int rank);

/* Count marks until all of `size` ranks have left one, or for some seconds. */
struct roll roll_call_count(const char *directory, int size);

/* Remove the mark of a rank, and its folders if they are then empty. */
void roll_call_clear(const char *directory, int rank);

#endif
