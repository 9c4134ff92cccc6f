/*
 * Communicators of liballprof, which names them by handle, own rank and size, without their ranks.
 *
 * The members of communicators of MPI_Comm_split are computed from colours and keys of all ranks.
 * (MPI_Comm_dup is a split into one.)  Communicators with the same members in the same order are
 * one here.  A handle is identified by own rank and size.  If several communicators of a rank have
 * the same own rank and size, handles get them in the order of their making, which is a guess.
 */
#ifndef TRACE_LIBALLPROF_COMMS_H
#define TRACE_LIBALLPROF_COMMS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/trace_world.h"

/* A communicator as a call names it: by a handle, of `size` ranks, in which the rank is `own`. */
struct liballprof_use {
	uint64_t handle;
	uint32_t own, size;
};

/* A call of MPI_Comm_split. */
struct liballprof_split {
	struct liballprof_use parent;
	int32_t color, key;
	size_t uses;		/* set by liballprof_comms_note: uses before */
	uint32_t made;		/* liballprof_comms_solve: the communicator, or NO_COMM */
};

/* The members of a communicator, in places. */
struct liballprof_members {
	uint32_t size;
	size_t first;
};

/* All communicators.  Zero bytes are valid. */
struct liballprof_comms {
	uint32_t rank_count;
	ARRAY(struct liballprof_split) splits;	/* rank by rank, in the order of the program */
	ARRAY(struct liballprof_use) uses;		/* in the same order: the first use of each handle */
	ARRAY(size_t) first_split, first_use;	/* of each rank */
	ARRAY(struct liballprof_members) list;	/* the first has the id FIRST_OWN_COMM_ID */
	ARRAY(uint32_t) places;
	struct number_map by_members;		/* list, by hash of members and size */
	struct number_map by_place;		/* ids, by rank, rank in it, and size */
};

/* Begin the next rank, whose splits follow. */
int liballprof_comms_begin_rank(struct liballprof_comms *comms, struct error *err);
int liballprof_comms_use(struct liballprof_comms *comms, const struct liballprof_use *use,
			 struct error *err);
int liballprof_comms_note(struct liballprof_comms *comms, const struct liballprof_split *split,
			  struct error *err);

/* Find the members of all. */
int liballprof_comms_solve(struct liballprof_comms *comms, struct error *err);

/* Handles that a rank has used so far.  Zero bytes are valid. */
struct liballprof_handles {
	struct number_map ids;	/* of handles that could be several communicators */
	ARRAY(bool) taken;	/* by number of split: a handle has its communicator */
	uint64_t guessed;	/* such handles */
};

/* Note that the rank has called MPI_Comm_split. */
int liballprof_handles_split(struct liballprof_handles *handles, struct error *err);

/* Find the communicator of a handle in which the rank is `own` of `size`; NO_COMM: not known. */
int liballprof_comms_find(const struct liballprof_comms *comms, struct liballprof_handles *handles,
			  uint32_t rank,
			  const struct liballprof_use *use, uint32_t *id, struct error *err);

void liballprof_handles_release(struct liballprof_handles *handles);
void liballprof_comms_release(struct liballprof_comms *comms);

#endif
