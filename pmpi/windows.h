/*
 * Windows, and the operations on them that are under way.
 *
 * A window has a number on each rank and a key that is the same on all of its
 * ranks: that of its communicator and how many windows were made over it before.
 * A window whose making was not seen, or with processes outside MPI_COMM_WORLD,
 * leaves no records.
 *
 * Operations get numbers as requests do.  Those to one target share one until
 * they are complete there; gets, which are complete there as soon as they are
 * here, another one; those with a request have their own.
 */
#ifndef PMPI_WINDOWS_H
#define PMPI_WINDOWS_H

#include "common/number_map.h"
#include "pmpi/requests.h"

enum operation_state { OPERATION_NONE, OPERATION_PENDING, OPERATION_HERE };

struct operation {
	uint64_t id;
	uint32_t target;
	uint32_t next;			/* of the places that are free */
	enum operation_state state;	/* NONE: the place is free; HERE: complete on this rank */
	bool get;			/* complete at the target when it is here */
};

struct window {
	uint32_t id;
	struct comm *comm;
	MPI_Win handle;
	bool alive;
	bool allocated;			/* its memory is its own */
	uint32_t access, exposure;	/* groups of the epochs that are open */
	ARRAY(struct operation) shared;	/* without requests, two for a target */
	struct number_map places;	/* of them: target, get */
	size_t shared_open;		/* not NONE */
	ARRAY(struct operation) own;	/* with requests */
	uint32_t own_free;		/* place or NOWHERE */
};
#define NOWHERE UINT32_MAX
#define ALL_TARGETS UINT32_MAX

/* When operations complete. */
enum completion {
	COMPLETE_HERE,		/* on this rank */
	COMPLETE_THERE,		/* at the target too */
	COMPLETE_EPOCH,		/* on this rank; at the target the end of the epoch does */
};

/* Of a handle, or NULL. */
struct window *window_find(MPI_Win handle);

/* A new one; NULL if it is not to be recorded. */
struct window *window_add(MPI_Win handle, MPI_Comm comm, bool allocated);

/* Before and after it is freed. */
void window_hand_over_name(const struct window *window);
void window_remove(struct window *window);

/* The number of a group, which is handed to the sink at its first use; NOWHERE after failures. */
uint32_t window_group(MPI_Group group);

/* An event on the window. */
struct mpi_event *window_event(const struct call *call, enum mpi_event_kind kind,
			       const struct window *window);

/* An operation to the target: its number.  After failures the number does not matter. */
uint64_t window_operation(struct window *window, uint32_t target, bool get);

/* One with a request: number and place of the request are set. */
void window_request(struct window *window, uint32_t target, bool get, struct request *request);

/* Record that operations to the target (or ALL_TARGETS) are complete. */
void window_complete(const struct call *call, struct window *window, uint32_t target,
		     enum completion how);

/* The operation of a request is complete here. */
void window_complete_request(const struct call *call, const struct request *request);

/* Hand the names of those that are alive to the sink. */
void windows_hand_over_names(void);

/* No window is alive any more. */
void windows_forget(void);

void windows_release(void);

#endif
