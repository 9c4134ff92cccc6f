/* Threads that compute beside the communication, and never call MPI (benchmark nload). */
#ifndef MEASURE_LOAD_H
#define MEASURE_LOAD_H

#include "common/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct load {
	pthread_t *threads;
	unsigned count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	atomic_bool on;
	bool ends;
	unsigned computing; /* threads that compute now */
};

/*
 * Start threads, which wait.  `pin`: thread i stays on the i-th processor that the calling thread may use, and
 * around again.  All signals are blocked in them.
 */
int load_begin(struct load *load, unsigned threads, bool pin, struct error *err);

/* Let all threads compute, or wait; returns when all do. */
void load_set(struct load *load, bool on);

/* End the threads.  Does nothing to zero bytes. */
void load_end(struct load *load);

#endif
