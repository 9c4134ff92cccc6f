/*
 * The loops of a rank, found in the sequence of its calls.
 *
 * A call is a token.  Tokens that repeat those before them are folded into one
 * token, a loop, which is the same however often it goes round; so the loops
 * inside an iteration may go round differently often, as in a solver that
 * converges.  What stands in the end is a short list of tokens; the loop among
 * them that has most calls is the outermost repeated pattern.
 *
 * Sequences are compared by hashes.  Every call is looked at a bounded number of
 * times.
 */
#ifndef SCHEDGEN_REPEATS_H
#define SCHEDGEN_REPEATS_H

#include "common/array.h"
#include "common/number_map.h"

#include <stdbool.h>

struct repeat_item {
	uint64_t token;
	uint64_t hash;		/* of all tokens up to this one */
	uint32_t previous;	/* the nearest item before it with this token, or NO_ITEM */
	uint32_t loop;		/* the nearest loop at or before it, or NO_ITEM */
	uint32_t body;		/* a loop: its place in bodies; else NO_ITEM */
	uint64_t calls;
	uint64_t begin_ns, end_ns;
	ARRAY(uint64_t) starts;	/* a loop: when each of its iterations begins */
};
#define NO_ITEM UINT32_MAX

/* What a loop repeats. */
struct repeat_body {
	uint64_t hash;
	uint32_t length;	/* tokens */
	uint32_t last;		/* the body of its last token, if that is a loop; else NO_ITEM */
};

/* Zero bytes are valid. */
struct repeats {
	ARRAY(struct repeat_item) items;
	ARRAY(struct repeat_body) bodies;
	struct number_map places;	/* of tokens: the last item with it */
	struct number_map body_places;	/* in bodies, by hash and length */
	ARRAY(uint64_t) powers;		/* of the base of the hash */
};

/* The next call, which takes this time with the computation before it. */
int repeats_add(struct repeats *repeats, uint64_t token, uint64_t begin_ns, uint64_t end_ns,
		struct error *err);

/* The outermost repeated pattern, or NULL if nothing is repeated. */
const struct repeat_item *repeats_outermost(const struct repeats *repeats);

/* Forget all calls; memory is kept. */
void repeats_clear(struct repeats *repeats);
void repeats_release(struct repeats *repeats);

#endif
