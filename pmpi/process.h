/*
 * State of interception in this process.
 *
 * The program must never be harmed: a failure here ends recording on this rank with one message,
 * and the program goes on.
 */
#ifndef PMPI_PROCESS_H
#define PMPI_PROCESS_H

#include "common/error.h"
#include "common/machine/now.h"
#include "pmpi/library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum process_state {
	PROCESS_NEW,		/* MPI is not initialised, or this is not known yet */
	PROCESS_ACTIVE,
	PROCESS_FAILED,		/* this rank records no more */
	PROCESS_DONE,
};

struct process {
	volatile enum process_state state;
	volatile bool on;		/* MPI_Pcontrol */
	bool world;			/* MPI_Init has been called: MPI_COMM_WORLD exists */
	bool apart;			/* other ranks lack this library: never communicate */
	bool threaded;			/* MPI_THREAD_MULTIPLE, or sessions: lock */
	int rank, size;			/* in MPI_COMM_WORLD or mpi://WORLD */
	int level_asked;		/* of threads, by MPI_Init_thread: MPI_THREAD_SINGLE, ... */
	MPI_Group world_group;
	MPI_Comm comm;			/* own duplicate of MPI_COMM_WORLD, or null */
	struct error error;		/* why it failed */
	uint64_t load_ns;		/* when this library was loaded */
	uint64_t finalize, finalize_ns;	/* when MPI_Finalize was entered: ticks, time; or 0 */
	uintptr_t finalize_address, finalize_cfa; /* its return address and CFA, or 0 */
	volatile size_t switch_count;	/* number of switches of recording */
	pthread_mutex_t lock;		/* of requests, communicators, windows */
};

extern struct process process;

/* Whether this thread has the lock, as `threaded` may change while it is in a call. */
extern _Thread_local bool process_is_locked __attribute__((tls_model("initial-exec")));

static inline void process_lock(void)
{
	if (!process.threaded)
		return;
	pthread_mutex_lock(&process.lock);
	process_is_locked = true;
}

static inline void process_unlock(void)
{
	if (!process_is_locked)
		return;
	process_is_locked = false;
	pthread_mutex_unlock(&process.lock);
}

/* End recording on this rank.  The sink reports why when the program ends. */
void process_fail(const struct error *err);

#endif
