/*
 * Which ranks of this node have this library, known without communication.
 *
 * Each rank leaves a mark in a file of the node's shared memory before MPI_Init, and reads the marks after it:
 * MPI_Init returns when all ranks have entered it.  The file is for the time of MPI_Init only.  Without a launcher
 * that tells its job's name and the number of ranks on the node there is no file, and nothing is known.
 *
 * Programs that share MPI_COMM_WORLD may run without the library.  Communication with their ranks would never end, so
 * MPI_Init has none: the first communication, if any, is in MPI_Finalize (profiler/finish.h).
 */
#ifndef PROFILER_ATTENDANCE_H
#define PROFILER_ATTENDANCE_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct attendance {
	bool known;	      /* the members below are, but name_ns and first */
	bool whole;	      /* all ranks of the node have the library */
	bool one_node;	      /* ... and they are all of MPI_COMM_WORLD */
	ARRAY(int32_t) ranks; /* in MPI_COMM_WORLD, those of the node that have the library */
	bool first;	      /* this rank left its mark first, or is alone */
	/* When MPI_Init returned in the first of them, by the calendar: the same in all ranks of the node. */
	uint64_t name_ns;
};
extern struct attendance attendance __attribute__((visibility("hidden")));

/* Leave a mark, before MPI_Init. */
void attendance_mark(void);

/* Read the marks, after MPI_Init.  A second call, after sessions that began before it, changes nothing. */
void attendance_read(void);

#endif
