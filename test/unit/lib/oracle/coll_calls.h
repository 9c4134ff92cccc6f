/* Calls of one collective by all of its ranks, for tests. */
#ifndef TEST_COLL_CALLS_H
#define TEST_COLL_CALLS_H

#include "test/unit/lib/oracle/coll_play.h"

/* Calls by rank.  Between groups, the second group's calls follow the first group's. */
extern struct collective calls[PLAY_RANKS];

/* Bytes that rank i sends to rank j; in row 0, bytes that each rank contributes. */
extern uint64_t matrix[PLAY_RANKS][PLAY_RANKS];

bool kind_has_vectors(enum mpi_collective kind);
bool kind_has_inter_vectors(enum mpi_collective kind);
bool kind_has_root(enum mpi_collective kind);

/* Set the neighbours of a call to those in a ring.  Other collectives are unchanged. */
void call_set_ring(struct collective *call);

/* Split the ranks of a call into two groups, the first with `first` ranks, and `root` in it. */
void call_set_groups(struct collective *call, uint32_t first, uint32_t root);

/* Set all calls; neighbours form a ring, groups are halves with root 0. */
void calls_set(enum mpi_collective kind, uint32_t size, uint32_t root, uint64_t bytes);

/* Give the calls the vectors of the matrix, which must outlive them. */
void calls_set_vectors(enum mpi_collective kind, uint32_t size, uint32_t root);

/* Give the calls the parameters of "name:parameters".  The test fails if they are refused. */
void calls_set_parameters(const struct coll_algorithm *algorithm, const char *text, uint32_t size);

/* Tell all ranks the sizes of gatherv and scatterv, if the algorithm needs them. */
void calls_tell_sizes(const struct coll_algorithm *algorithm, uint32_t size, uint32_t root);

#endif
