/*
 * A small OTF2 archive, written with OTF2 itself and not with our writer, for
 * tests of the reader.
 *
 * Two ranks, at locations 7 and 3, and location 9, which is no rank.  A clock of
 * two ticks per nanosecond; rank 1's clock is 1000 ticks behind.  Communicators
 * 0 MPI_COMM_WORLD, 1 of one rank (self), 2 {1, 0} with the name "turned",
 * 3 an inter-communicator {0} {1}; rank 1 calls 2 by the number 5.
 */
#ifndef TEST_MAKE_ARCHIVE_H
#define TEST_MAKE_ARCHIVE_H

#include <stdint.h>

enum archive_flaw {
	FLAW_NONE,
	FLAW_LEAVE,		/* rank 0 leaves a call that it has not entered */
	FLAW_CROSSED,		/* rank 0 leaves another call than it has entered */
	FLAW_OUTSIDE,		/* rank 0 sends outside of all calls */
	FLAW_VECTOR,		/* rank 0 has a vector of wrong length */
	FLAW_UNFINISHED,	/* rank 0 ends inside a call */
	FLAW_COUNT,		/* the definitions give rank 0 more events than it has */
	FLAW_NO_CLOCK,
	FLAW_NO_RANKS,
	FLAW_THREAD_LEAVE,	/* the thread of rank 0 leaves a call that it has not entered */
	THREADS,		/* no flaw: ranks have groups of locations, rank 0 a thread */
	THREAD_CALLS,		/* and it calls MPI */
	FLAW_LARGE_ID,		/* a region has a number that is too large */
	FLAWS
};

/* A new folder for archives; the caller removes it with remove_folder and frees it. */
char *make_folder(void);
void remove_folder(char *folder);

/* Write the archive to folder/name; the test fails if that fails. */
void make_archive(const char *folder, const char *name, enum archive_flaw flaw);

#endif
