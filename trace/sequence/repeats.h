/*
 * Repeats: loops of a rank, found in the sequence of its calls.
 *
 * A call is a token.  Tokens that repeat the tokens before them are folded into one token, a
 * loop.  Its token does not depend on the number of iterations.  Inner loops may therefore differ
 * in this number, as in a solver that converges.  The result is a short list of tokens.  The loop
 * with most calls among them is the outermost repeated pattern.
 *
 * Sequences are compared by hashes.  Every call is compared a bounded number of times.
 */
#ifndef TRACE_REPEATS_H
#define TRACE_REPEATS_H

#include "common/array.h"
#include "common/number_map.h"

#include <stdbool.h>

struct repeat_item {
	uint64_t token;
	uint64_t hash;	   /* of all tokens up to this one */
	uint32_t previous; /* nearest item before it with this token, or NO_ITEM */
	uint32_t loop;	   /* nearest loop at or before it, or NO_ITEM */
	uint32_t body;	   /* loops: place in bodies; else NO_ITEM */
	uint64_t calls;
	uint64_t begin_ns, end_ns;
	ARRAY(uint64_t) starts; /* loops: begin of each iteration */
};
#define NO_ITEM UINT32_MAX

/* Body of a loop. */
struct repeat_body {
	uint64_t hash;
	uint32_t length; /* tokens */
	uint32_t last;	 /* body of its last token, if this is a loop; else NO_ITEM */
};

/* Zero bytes are valid. */
struct repeats {
	ARRAY(struct repeat_item) items;
	ARRAY(struct repeat_body) bodies;
	struct number_map places;      /* of tokens: last item with the token */
	struct number_map body_places; /* in bodies, by hash and length */
	ARRAY(uint64_t) powers;	       /* of the base of the hash */
};

/* Add the next call; [begin_ns, end_ns) includes the computation before it. */
int repeats_add(struct repeats *repeats, uint64_t token, uint64_t begin_ns, uint64_t end_ns,
		struct error *err);

/* Find the outermost repeated pattern; NULL if no calls are repeated. */
const struct repeat_item *repeats_outermost(const struct repeats *repeats);

/* Forget all calls, but keep the memory. */
void repeats_clear(struct repeats *repeats);
void repeats_release(struct repeats *repeats);

#endif
