/*
 * Tags that no message of a run on MPI_COMM_WORLD has.  A proxy takes them for MPI_Intercomm_create, which
 * needs such a tag, and for MPI_Comm_create_group: Open MPI 4.1 sends messages with its tag on the parent, and a receive
 * with the same tag gets them.  A receive with MPI_ANY_TAG gets them with any tag.
 * Each communicator has a tag of its own.  They are the lowest that are free in a row: beyond 32767, which not each MPI needs to have,
 * only if messages leave no room below.
 */
#ifndef EVENTFLOW_FREE_TAGS_H
#define EVENTFLOW_FREE_TAGS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_call.h"

#include <stdint.h>

/* Zero bytes: all tags are free. */
struct free_tags {
	struct number_map known;
	ARRAY(uint32_t) used; /* each once */
};

/* Note that an event's message has its tag; others are ignored.  world: id of MPI_COMM_WORLD. */
int free_tags_note(struct free_tags *tags, const struct mpi_event *event, uint32_t world,
		   struct error *err);

/* Find the first of the lowest `count` free tags in a row.  STATUS_LIMIT if there are none up to INT32_MAX. */
int free_tags_find(struct free_tags *tags, uint32_t count, uint32_t *first, struct error *err);
void free_tags_release(struct free_tags *tags);

#endif
