/*
 * A small OTF2 archive, written with OTF2 itself and not with our writer, for
 * tests of the reader.
 *
 * It has two ranks, at locations 7 and 3, and location 9 without a rank.  The clock has two ticks
 * per nanosecond, and rank 1's clock is 1000 ticks slow.  Communicators are 0 MPI_COMM_WORLD,
 * 1 of one rank (self), 2 {1, 0} with the name "turned", 3 an inter-communicator {0} {1}.
 * Rank 1's local id of communicator 2 is 5.
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
	FLAW_SITE,		/* a call site of rank 0 is a string that is not defined */
	FLAW_UNFINISHED,	/* rank 0 ends inside a call */
	FLAW_COUNT,		/* the definitions give rank 0 more events than it has */
	FLAW_NO_CLOCK,
	FLAW_NO_RANKS,
	FLAW_THREAD_LEAVE,	/* the thread of rank 0 leaves a call that it has not entered */
	THREADS,		/* no flaw: ranks have groups of locations, rank 0 a thread */
	THREAD_CALLS,		/* THREADS, and the thread calls MPI */
	FLAW_LARGE_ID,		/* a region has too large an id */
	FLAWS
};

/* Make a folder for archives.  The caller removes it with remove_folder, which frees it. */
char *make_folder(void);
void remove_folder(char *folder);

/* Write the archive to folder/name.  The test fails on an error. */
void make_archive(const char *folder, const char *name, enum archive_flaw flaw);

#endif
