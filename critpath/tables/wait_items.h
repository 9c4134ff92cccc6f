/*
 * Waits as rows, with their patterns.
 *
 *	late sender	a receive began before its send
 *	late receiver	a send waited for its receive
 *	barrier		a rank waited in a barrier for other members
 *	collective	a rank waited in another collective for other members
 *	early reduce	the root of a gather or a reduction waited for the last member
 *	early scan	a rank waited in a scan for lower ranks
 *	late broadcast	a rank waited in a collective for its root
 *	lock		a rank waited for the lock of a window that another one had
 *	wrong order	the part of a wait for a late sender in which another message, which the
 *			rank received later, had already been sent: by the same sender or by a
 *			different one, whichever message was sent first
 *
 * Each wait has one of the first eight patterns.  Both wrong orders are parts of late sender.
 */
#ifndef CRITPATH_WAIT_ITEMS_H
#define CRITPATH_WAIT_ITEMS_H

#include "critpath/path/waits.h"
#include "dist/dist.h"

enum wait_pattern {
	PATTERN_LATE_SENDER,
	PATTERN_LATE_RECEIVER,
	PATTERN_BARRIER,
	PATTERN_COLLECTIVE,
	PATTERN_EARLY_REDUCE,
	PATTERN_EARLY_SCAN,
	PATTERN_LATE_BROADCAST,
	PATTERN_LOCK,
	PATTERN_WRONG_ORDER_SAME,
	PATTERN_WRONG_ORDER_DIFFERENT,
	PATTERNS,
	PATTERN_ANY = PATTERNS,
};

/* Names, for people and options: "late-sender".  NULL at the end; the last is "any". */
extern const char *const wait_pattern_names[PATTERNS + 2];

#define NO_TAG UINT32_MAX

struct wait_item {
	uint32_t rank, thread, call, function;
	uint64_t enter_ns, leave_ns; /* of the call */
	uint32_t comm;
	uint32_t tag; /* of the message; NO_TAG: of a collective, a lock */
	uint32_t cause_rank, cause_call, cause_function;
	uint32_t site,
		cause_site; /* of both calls; cause_site is NO_SITE before wait_items_find_sites */
	uint8_t pattern;    /* enum wait_pattern, not one of wrong order */
	uint8_t order;	    /* PATTERN_WRONG_ORDER_SAME or _DIFFERENT if wrong_order_ns > 0 */
	uint64_t ns;
	uint64_t wrong_order_ns; /* part of ns */
};

struct wait_items {
	ARRAY(struct wait_item) list; /* by rank and call */
};

/* List all waits of own ranks.  Memory: 80 bytes for each.  End with wait_items_release. */
int wait_items_find(struct wait_items *items, const struct waits *waits, struct error *err);
void wait_items_release(struct wait_items *items);

/*
 * Find the call sites of the calls that caused the waits.  Collective.
 */
int wait_items_find_sites(struct wait_items *items, const struct measured_run *run,
			  struct dist *dist, struct error *err);

/* Remove the waits that do not belong to a pattern. */
void wait_items_keep(struct wait_items *items, enum wait_pattern pattern);

/* Keep only the waits with these numbers, in order. */
void wait_items_choose(struct wait_items *items, const size_t *chosen, size_t count);

/* Time of a wait that belongs to a pattern, or to any. */
uint64_t wait_item_ns(const struct wait_item *item, enum wait_pattern pattern);

#endif
