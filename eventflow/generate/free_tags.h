/*
 * Tags that no message of a run on MPI_COMM_WORLD has.  A proxy takes them for MPI_Intercomm_create, which
 * needs such a tag, and for MPI_Comm_create_group: Open MPI 4.1 sends messages with its tag on the parent, and a receive
 * with the same tag gets them.  A receive with MPI_ANY_TAG gets them with any tag.
 * Tags repeat if fewer are free in a row than there are communicators; if none is, messages have these tags, too.
 */
#ifndef EVENTFLOW_FREE_TAGS_H
#define EVENTFLOW_FREE_TAGS_H

#include "trace/call/mpi_call.h"

#include <stdint.h>

/* Each MPI has tags below this number. */
enum { TAGS = 32768 };

/* Zero bytes: all tags are free. */
struct free_tags {
	uint64_t used[TAGS / 64];
};

/* Tags from the first one on. */
struct tag_range {
	uint32_t first, count;
};

/* Note that an event's message has its tag; others are ignored.  world: id of MPI_COMM_WORLD. */
void free_tags_note(struct free_tags *tags, const struct mpi_event *event, uint32_t world);

/* Find the longest range of free tags, of several the first; all tags if none is free. */
struct tag_range free_tags_longest(const struct free_tags *tags);

#endif
