/* What a wait costs, shared among the times of its first walk (critpath/causes/wait_causes.h). */
#ifndef CRITPATH_WAIT_SHARES_H
#define CRITPATH_WAIT_SHARES_H

#include "critpath/causes/stretch_pieces.h"

/* Time of one of the walks, and its share. */
struct wait_share {
	struct portion portion;
	uint32_t rank;
	bool minus;  /* of the second walk: no cost */
	bool direct; /* without another wait between */
	__int128 cost_as;
};

struct wait_shares {
	ARRAY(struct wait_share) list;

	/* Private: sums of the cells that cancel each other, by the number of the first. */
	ARRAY(struct cell_sum) sums;
	ARRAY(uint32_t) met; /* in order */
	uint64_t stamp;
};

struct cell_sum {
	uint64_t stamp;			       /* of the wait */
	uint64_t plus_ns, minus_ns, excess_ns; /* P+, P-, D */
	size_t largest;			       /* of P+ */
	__int128 cost_as, left_as;
};

/* Share `wait_ns` among the list, which has the times of both walks. */
int wait_shares_find(struct wait_shares *shares, const struct cells *cells, uint64_t wait_ns,
		     struct error *err);
void wait_shares_release(struct wait_shares *shares);

#endif
