/*
 * Matching where sequences have cuts (struct measured_cuts) or kinds and roots of collectives differ:
 * items for trace/sequence/align.h, and what follows from their numbers.
 */
#ifndef TRACE_MEASURED_ALIGN_H
#define TRACE_MEASURED_ALIGN_H

#include "common/array.h"
#include "trace/sequence/align.h"
#include "trace/measured/measured_match.h"

/* What an item is: an element of the lists of an own rank. */
struct aligned {
	uint32_t rank, index;
	enum { ALIGNED_PART, ALIGNED_SEND, ALIGNED_RECV, ALIGNED_LISTS } list;
};

struct measured_alignment {
	ARRAY(struct align_item) items; /* rank by rank */
	ARRAY(struct aligned) are;	/* [item] */
	uint32_t *numbers;		/* [item] */
};

/* Whether the trace may lack what own ranks did, or members of a collective state another kind or root. */
bool measured_needs_alignment(const struct measured_run *run);

/* Sequences of a rank that have cuts. */
enum { CUT_SENDS = 1, CUT_RECVS = 2 };

/* Find which sequences of an own rank have cuts. */
uint64_t measured_cuts_of(const struct measured_rank *rank);

/*
 * List the parts of own ranks in collectives, and their messages of channels with cuts, and make room for
 * numbers.  cuts: [rank], of all ranks.  End with measured_alignment_release.
 */
int measured_alignment_list(struct measured_alignment *alignment, const struct measured_run *run,
			    const uint64_t *cuts, struct error *err);
void measured_alignment_release(struct measured_alignment *alignment);

/* Match the ranks of this process with each other again, by the numbers of all items that it has. */
int measured_match_again(struct measured_matching *matching,
			 const struct measured_alignment *alignment, struct error *err);

#endif
