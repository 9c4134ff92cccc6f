/*
 * Runs made by ranks that compute and communicate: each has a clock of its own, from 0.  Messages take no time.
 *
 *	play_begin(&play, 2);
 *	play_compute(&play, 0, "work", 50);
 *	play_message(&play, 0, 1);
 *	play_end(&play);
 *	... play.made ...
 *	made_release(&play.made);
 */
#ifndef TEST_MAKE_PLAY_H
#define TEST_MAKE_PLAY_H

#include "test/unit/lib/make/make_run.h"

struct play {
	struct made_run made;
	uint64_t at_ns[MADE_RANKS];
	uint64_t unit_ns; /* all times are multiplied by it; 1 by default */
};

void play_begin(struct play *play, uint32_t ranks);

/* Compute, up to a call of no length with this name. */
void play_compute(struct play *play, uint32_t rank, const char *name, uint64_t ns);

/* Send without waiting; let the receiver wait until then. */
void play_message(struct play *play, uint32_t from, uint32_t to);

/* Send, and wait until the receive begins, if that is later. */
void play_synchronous(struct play *play, uint32_t from, uint32_t to);

/* A collective of all to all of a communicator, which takes some time after the last rank came. */
void play_collective(struct play *play, uint32_t comm, const char *name, uint8_t kind, uint64_t ns);
void play_barrier(struct play *play);

/* Enter MPI_Finalize on all ranks, and end the run as made_end does. */
void play_end(struct play *play);

#endif
