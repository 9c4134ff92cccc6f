/*
 * An OTF2 archive of any size, written with OTF2 itself, for tests of reading by
 * several threads and for measurements.
 *
 * In each round every rank sends to the next rank and receives from the previous one, with
 * MPI_Isend, MPI_Irecv and MPI_Waitall.  Every fourth round has an MPI_Allreduce of the even ranks
 * and one of the odd ranks, whose ids of communicators are not in the order of first use.  Every
 * eighth round has an MPI_Ibarrier of all ranks during the messages.  Every second rank has local
 * definitions, with a clock offset of 0.
 */
#ifndef TEST_MAKE_RING_H
#define TEST_MAKE_RING_H

#include <stdint.h>

struct ring {
	uint32_t ranks, rounds;
	uint32_t damaged_from, damaged_to;	/* ranks whose events contradict themselves */
};

/* Write folder/name/traces.otf2.  Returns its number of events.  The test fails on an error. */
uint64_t make_ring(const char *folder, const char *name, const struct ring *ring);

#endif
