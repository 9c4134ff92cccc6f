/*
 * Whether all ranks of this node have this library.
 *
 * If several programs share MPI_COMM_WORLD, some may run without it, and communication with their ranks would never
 * end.  Each rank leaves a mark in a file of the node's shared memory before MPI_Init, and counts the marks after it:
 * MPI_Init returns when all ranks have entered it.  Ranks wait for others only if no rank of some node has the library,
 * or if the launcher does not tell how many ranks a node has, and no longer than profiler/sink.c allows.
 */
#ifndef PROFILER_ATTENDANCE_H
#define PROFILER_ATTENDANCE_H

#include <stdbool.h>

/* Leave a mark, before MPI_Init. */
void attendance_mark(void);

/* After MPI_Init: false if ranks of this node have left none.  True if this cannot be known. */
bool attendance_is_whole(void);

#endif
