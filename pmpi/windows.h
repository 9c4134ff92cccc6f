/*
 * Windows and the open operations on them.
 *
 * A window has a number on each rank and a key that is the same on all of its
 * ranks, made of the key of its communicator and the number of windows made over it
 * before.  A window that was made unseen, or that has processes outside
 * MPI_COMM_WORLD, is not recorded.
 *
 * Operations get numbers as requests do.  Operations to one target share a number
 * until they are complete at the target.  Gets share another number, as they are complete
 * at the target as soon as they are complete here.  Operations with a request have their own.
 */
#ifndef PMPI_WINDOWS_H
#define PMPI_WINDOWS_H

#include "common/number_map.h"
#include "pmpi/requests.h"

enum operation_state { OPERATION_NONE, OPERATION_PENDING, OPERATION_HERE };

struct operation {
	uint64_t id;
	uint32_t target;
	uint32_t next;			/* free place, or NOWHERE */
	enum operation_state state;	/* NONE for a free place, HERE if complete on this rank */
	bool get;			/* complete at the target when it is here */
};

struct window {
	uint32_t id;
	struct comm *comm;
	MPI_Win handle;
	bool alive;
	bool allocated;			/* MPI allocated its memory */
	uint32_t access, exposure;	/* groups of the open epochs, or NOWHERE */
	ARRAY(struct operation) shared;	/* without requests, at most two for a target */
	struct number_map places;	/* in `shared`, by target and get */
	size_t shared_open;		/* operations whose state is not NONE */
	ARRAY(struct operation) own;	/* with requests */
	uint32_t own_free;		/* first free place, or NOWHERE */
};
#define NOWHERE UINT32_MAX
#define ALL_TARGETS UINT32_MAX

/* Extent to which operations complete. */
enum completion {
	COMPLETE_HERE,		/* on this rank */
	COMPLETE_THERE,		/* also at the target */
	COMPLETE_EPOCH,		/* on this rank, and at the target by the end of the epoch */
};

/* Find the window of a handle, or NULL. */
struct window *window_find(MPI_Win handle);

/* Add a window.  NULL if it is not to be recorded. */
struct window *window_add(MPI_Win handle, MPI_Comm comm, bool allocated);

/* Hand the name to the sink before the window is freed, and remove the window afterwards. */
void window_hand_over_name(const struct window *window);
void window_remove(struct window *window);

/* Number a group, and hand it to the sink at its first use.  NOWHERE after failures. */
uint32_t window_group(MPI_Group group);

/* Add an event on the window to the call. */
struct mpi_event *window_event(const struct call *call, enum mpi_event_kind kind,
			       const struct window *window);

/* Begin an operation to the target and return its number, which is arbitrary after failures. */
uint64_t window_operation(struct window *window, uint32_t target, bool get);

/* Begin an operation with a request: set its number and place in the request. */
void window_request(struct window *window, uint32_t target, bool get, struct request *request);

/* Add events: the operations to the target or to ALL_TARGETS are complete. */
void window_complete(const struct call *call, struct window *window, uint32_t target,
		     enum completion how);

/* Add the event: the operation of a request is complete on this rank. */
void window_complete_request(const struct call *call, const struct request *request);

/* Hand the names of living windows to the sink. */
void windows_hand_over_names(void);

/* Remove all windows. */
void windows_forget(void);

void windows_release(void);

#endif
