/* MPI_Scan and MPI_Exscan. */
#include "schedgen/collectives/coll_algorithms.h"

enum { RESULT, PARTIAL, RECEIVED };	/* areas */

/*
 * MPICH's algorithm: the partial result covers the aligned group of ranks around
 * this one, the result the ranks of this group before it.
 */
static int recursive_doubling(struct coll_run *run, bool exclusive)
{
	bool empty = exclusive;	/* the result is empty so far */
	uint32_t mask, peer;

	coll_vector(run, 1);
	coll_area_like(run, PARTIAL, RESULT);
	coll_area_like(run, RECEIVED, RESULT);
	TRY(coll_copy(run, coll_all(run, PARTIAL), coll_all(run, RESULT), COLL_STORE));
	TRY(coll_round_end(run));
	for (mask = 1; mask < run->size; mask <<= 1) {
		peer = run->rank ^ mask;
		if (peer >= run->size)
			continue;
		TRY(coll_send(run, peer, coll_all(run, PARTIAL)));
		TRY(coll_recv(run, peer, coll_all(run, RECEIVED), COLL_STORE));
		TRY(coll_copy(run, coll_all(run, PARTIAL), coll_all(run, RECEIVED), COLL_COMBINE));
		if (peer < run->rank) {
			TRY(coll_copy(run, coll_all(run, RESULT), coll_all(run, RECEIVED),
				      empty ? COLL_STORE : COLL_COMBINE));
			empty = false;
		}
		TRY(coll_round_end(run));
	}
	return 0;
}

int coll_scan_recursive_doubling(struct coll_run *run)
{
	return recursive_doubling(run, false);
}

int coll_exscan_recursive_doubling(struct coll_run *run)
{
	return recursive_doubling(run, true);
}

/* Open MPI (basic, "linear"). */
int coll_scan_linear(struct coll_run *run)
{
	coll_vector(run, 1);
	if (run->rank > 0) {
		TRY(coll_recv(run, run->rank - 1, coll_all(run, RESULT), COLL_COMBINE));
		TRY(coll_round_end(run));
	}
	if (run->rank + 1 == run->size)
		return 0;
	TRY(coll_send(run, run->rank + 1, coll_all(run, RESULT)));
	return coll_round_end(run);
}

/* Open MPI (basic, "linear").  The last rank has nothing to add. */
int coll_exscan_linear(struct coll_run *run)
{
	const bool last = run->rank + 1 == run->size;

	coll_vector(run, 1);
	coll_area_like(run, PARTIAL, RESULT);
	TRY(coll_copy(run, coll_all(run, PARTIAL), coll_all(run, RESULT), COLL_STORE));
	TRY(coll_round_end(run));
	if (run->rank > 0) {
		TRY(coll_recv(run, run->rank - 1, coll_all(run, RESULT), COLL_STORE));
		if (!last)
			TRY(coll_copy(run, coll_all(run, PARTIAL), coll_all(run, RESULT),
				      COLL_COMBINE));
	}
	TRY(coll_round_end(run));
	if (last)
		return 0;
	TRY(coll_send(run, run->rank + 1, coll_all(run, PARTIAL)));
	return coll_round_end(run);
}
