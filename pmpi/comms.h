/*
 * Communicators.
 *
 * A communicator gets a number on each rank when it comes to be, and a key that
 * is the same on all of its ranks, found without communication:
 *
 *	key = hash(key of the parent, how many communicators have been made from
 *	the parent before, lowest world rank among the first members)
 *
 * for calls on one communicator have the same order on all of its ranks, and
 * no process is in two of the communicators that one call makes.  Communicators
 * that are not made by all ranks of a parent are known by their members, by
 * parent and tag, or tag, if they are made of groups (several threads may do that
 * at a time), and by how many of these there were before.  At the end the keys
 * are numbered (trace/assemble/global_ids.h).
 */
#ifndef PMPI_COMMS_H
#define PMPI_COMMS_H

#include "pmpi/call.h"

/* Those next to this rank in a topology; MPI_PROC_NULL beyond the edge of a grid. */
struct neighbours {
	int in, out;
	int *sources, *destinations;
	int turn;		/* 1 of a grid: what goes to i is for who has it as source i ^ 1 */
	char *text;		/* "SOURCES;DESTINATIONS" but PROC_NULL, source i ^ turn first */
};

struct comm {
	uint32_t id;		/* on this rank; NO_COMM: has processes outside MPI_COMM_WORLD */
	uint64_t key;
	uint64_t parent_key;	/* of MPI_COMM_WORLD if it was made by its members */
	uint32_t depth;		/* how many generations after MPI_COMM_WORLD */
	uint32_t children;	/* communicators made from it */
	uint32_t windows;	/* made over it */
	uint32_t persistents;	/* persistent collectives made on it */
	int rank, size;		/* this rank, ranks of its group */
	int peers;		/* ranks that it talks to: size, or that of the remote group */
	bool inter;
	bool alive;
	MPI_Comm handle;
	/* World ranks, where this rank reports the communicator; NULL elsewhere. */
	uint64_t *members, *remote;
	struct neighbours *neighbours;	/* NULL: not needed so far */
	bool members_shared;	/* members belongs to an older communicator */
};

/* All communicators of this rank by id; they stay when they are freed. */
struct comms {
	ARRAY(struct comm *) list;
};
extern struct comms comms;

/* Take note of MPI_COMM_WORLD and MPI_COMM_SELF, which need not be there; 0 or -1. */
int comms_start(struct error *err);

/* They are there. */
int comms_meet_world(struct error *err);

/* MPI ends with the last session, with all that was made in it, and begins again. */
void comms_leave_sessions(void);
int comms_enter_sessions(struct error *err);

/*
 * The communicator of a handle; one that is met for the first time is added.
 * NULL for MPI_COMM_NULL and after failures (process_fail has been called).
 */
struct comm *comm_find(MPI_Comm handle);

/* Likewise, but NULL for one that has not been met. */
struct comm *comm_find_known(MPI_Comm handle);

/* Count a call that makes communicators from the parent; for comm_add. */
static inline uint32_t comm_next_child(struct comm *parent)
{
	return parent ? parent->children++ : 0;
}

/* A new communicator, made by all ranks of its parent. */
struct comm *comm_add(MPI_Comm handle, struct comm *parent, uint32_t child);

/* A new communicator, made by its members. */
struct comm *comm_add_alone(MPI_Comm handle);

/* Likewise by MPI_Comm_create_group, and from groups that sessions have given. */
struct comm *comm_add_group(MPI_Comm handle, MPI_Comm parent, int tag);
struct comm *comm_add_from_groups(MPI_Comm handle, const char *tag);

/* The key of the next window over the communicator, the same on all of its ranks. */
uint64_t comm_window_key(struct comm *comm);

/* Those next to this rank; NULL after failures. */
const struct neighbours *comm_neighbours(struct comm *comm);

void neighbours_free(struct neighbours *neighbours);	/* takes NULL too */

void comms_release(void);

/* Hand the name to the sink, if there is one and this rank reports the communicator. */
int comm_hand_over_name(const struct comm *comm, struct error *err);

/* Likewise the names of all that are alive. */
int comms_hand_over_names(struct error *err);

#endif
