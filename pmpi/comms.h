/*
 * Communicators.
 *
 * A communicator gets a number on each rank when it is made, and a key that is the
 * same on all of its ranks, found without communication:
 *
 *	key = hash(key of the parent, number of communicators made from the
 *	parent before, lowest world rank among the first members)
 *
 * This is unique because calls on one communicator have the same order on all of its
 * ranks, and no process is in two of the communicators that one call makes.
 *
 * The key of a communicator that not all ranks of a parent make is a hash of its members
 * and of the number of such communicators made before.  If it is made of groups, the key
 * includes the tag, and the parent if it has one, as several threads may do so at a time.
 */
#ifndef PMPI_COMMS_H
#define PMPI_COMMS_H

#include "pmpi/call.h"

/* Neighbours of this rank in a topology, with MPI_PROC_NULL beyond the edge of a grid. */
struct neighbours {
	int in, out;
	int *sources, *destinations;
	int turn;		/* grids: 1, a message to i comes from source i ^ 1 there; else 0 */
	char *text;		/* "SOURCES;DESTINATIONS", without MPI_PROC_NULL */
};

struct comm {
	uint32_t id;		/* NO_COMM: has processes outside MPI_COMM_WORLD */
	uint64_t key;
	uint64_t parent_key;	/* key of MPI_COMM_WORLD if the members made it */
	uint32_t depth;		/* generations after MPI_COMM_WORLD */
	uint32_t children;	/* communicators made from it */
	uint32_t windows;	/* windows made over it */
	uint32_t persistents;	/* persistent collectives made on it */
	int rank, size;		/* this rank and the size of its group */
	int peers;		/* size, or the size of the remote group */
	bool inter;
	bool alive;
	MPI_Comm handle;
	/* World ranks if this rank reports the communicator, else NULL. */
	uint64_t *members, *remote;
	struct neighbours *neighbours;	/* NULL before they are needed */
	bool members_shared;	/* members belongs to an older communicator */
};

/* All communicators of this rank by id, also freed ones. */
struct comms {
	ARRAY(struct comm *) list;
};
extern struct comms comms;

/* Add MPI_COMM_WORLD and MPI_COMM_SELF, which need not exist yet. */
int comms_start(struct error *err);

/* Set the handles of MPI_COMM_WORLD and MPI_COMM_SELF, which exist now. */
int comms_meet_world(struct error *err);

/* Forget all communicators when the last session ends, and begin again with a later session. */
void comms_leave_sessions(void);
int comms_enter_sessions(struct error *err);

/*
 * Find the communicator of a handle, and add it if it is new.  NULL for MPI_COMM_NULL and
 * after failures (process_fail has been called).
 */
struct comm *comm_find(MPI_Comm handle);

/* Find the communicator of a handle, or NULL if it was not added before. */
struct comm *comm_find_known(MPI_Comm handle);

/* Number a call that makes communicators from the parent, for comm_add. */
static inline uint32_t comm_next_child(struct comm *parent)
{
	return parent ? parent->children++ : 0;
}

/* Add a communicator that all ranks of its parent have made. */
struct comm *comm_add(MPI_Comm handle, struct comm *parent, uint32_t child);

/* Add a communicator that its members have made. */
struct comm *comm_add_alone(MPI_Comm handle);

/* Add a communicator made by its members with MPI_Comm_create_group, or from groups of sessions. */
struct comm *comm_add_group(MPI_Comm handle, MPI_Comm parent, int tag);
struct comm *comm_add_from_groups(MPI_Comm handle, const char *tag);

/* Make the key of the next window over the communicator, the same on all of its ranks. */
uint64_t comm_window_key(struct comm *comm);

/* Find the neighbours of this rank.  NULL after failures. */
const struct neighbours *comm_neighbours(struct comm *comm);

void neighbours_free(struct neighbours *neighbours);	/* takes NULL too */

void comms_release(void);

/* Hand the name to the sink, if the communicator has one and this rank reports it. */
int comm_hand_over_name(const struct comm *comm, struct error *err);

/* Hand over the names of all communicators that are alive. */
int comms_hand_over_names(struct error *err);

#endif
