/*
 * Alignment of the sequences of several members, of which some lack items: which items of different members
 * are the same one.  The parts of ranks in the collectives of a communicator are such sequences, and the
 * sends and receives of a channel.  Items are missing where the trace cuts a sequence: recording was off,
 * or a rank ended early.
 *
 * Without cuts the k-th items of all members are the same.  Behind a cut a member goes on at the only place
 *	- where the items of its segment, up to the next cut, have kinds and roots of the items of another
 *	  member, and times at which these could wait for each other, or
 *	- that brings both members to the end of their sequences at once, if both are known to the end, or
 *	- at once, if the other member is cut there, too, and has as many items of these kinds up to its next
 *	  cut: all ranks have switched recording.
 * If there are several such places, it is not known which items of other members are those of the segment.
 * Where the kinds or roots of members differ without a cut, all of them are taken to be cut.
 */
#ifndef TRACE_ALIGN_H
#define TRACE_ALIGN_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ALIGN_OPEN = 1,	      /* the sequence is cut somewhere after the item */
	ALIGN_NEEDS_ALL = 2,  /* it cannot end before the others have begun */
	ALIGN_NEEDS_ROOT = 4, /* it cannot end before the root has begun */
	ALIGN_IS_ROOT = 8,
};

struct align_item {
	uint64_t key[2];   /* what the sequences are of: a stream of collectives, a channel */
	uint64_t position; /* in the sequence of its member: its order */
	uint64_t begin_ns, end_ns;
	uint64_t bytes; /* the same for all members, or 0 */
	uint32_t member;
	uint32_t segment; /* cuts of the sequence before it */
	uint32_t root;	  /* the same for all members, or NO_ROOT */
	uint8_t kind;	  /* the same for all members */
	uint8_t flags;
};

/* Number of an item of which it is not known which items of other members are the same. */
#define ALIGN_UNKNOWN UINT32_MAX

/*
 * Number the items: those of a key with the same number are the same one.  numbers: [item].  The numbers
 * rise along each sequence.  The result does not depend on the order of the items.
 */
int align_items(const struct align_item *items, size_t count, uint32_t *numbers, struct error *err);

#endif
