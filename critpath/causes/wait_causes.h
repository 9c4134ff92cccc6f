/*
 * Who caused the waiting: the difference of two walks back.  Specification in doc/critpath.md.
 *
 * A wait of thread w for a call of thread d ends at o.  Two walks go back, as that of the critical path does: from
 * (d, o), and from w where the wait begins, until both are in the same stretch (critpath/causes/stretches.h).  P+ is
 * what only the first one goes through, P- what only the second one does.  Neither has waits, so
 *
 *	|P+| - |P-| = wait
 *
 * What is in the same cell (critpath/causes/cells.h) cancels.  D(g) = max(0, P+(g) - P-(g)), S is the sum of all D.  A
 * piece of P+ of length a in cell g costs
 *
 *	a * D(g) / P+(g) * wait / S
 *
 * So the costs of a wait are not negative, and add up to it: they are whole attoseconds, and what rounding leaves
 * goes to the largest share.
 *
 * The slope of a piece is the number of P+ that contain it, less the number of P-: how much more waiting there is for
 * each ns that it is longer, while the same calls wait for the same ones.
 *
 * The time from the end of a rank to that of the run is a wait for the rank that ends last.
 */
#ifndef CRITPATH_WAIT_CAUSES_H
#define CRITPATH_WAIT_CAUSES_H

#include "critpath/causes/cause_rows.h"
#include "critpath/causes/cells.h"
#include "critpath/path/walk.h"

enum cause_grouping {
	CAUSES_BY_CAUSE, /* rank and cell */
	CAUSES_BY_RANK,
	CAUSES_BY_FUNCTION,  /* cells of all ranks and sites */
	CAUSES_BY_SITE,	     /* cells of all ranks */
	CAUSES_BY_ITERATION, /* of the rank that caused it */
	CAUSES_BY_PAIR,	     /* ranks that caused it and that waited */
	CAUSES_BY_WAITER, /* function, call site and kind of wait: critpath/causes/cause_waiters.h */
	CAUSE_GROUPINGS,
};

/* Names of the options, NULL at the end. */
extern const char *const cause_grouping_names[CAUSE_GROUPINGS + 1];
extern const char *const cell_match_names[CELL_MATCHES + 1];

/* First numbers of the keys of rows that are about no rank; second is OTHER_ROW, which no other key has. */
enum other_row {
	ROW_UNKNOWN = UINT32_C(0xffffffff), /* waits of which it is not known what caused them */
	ROW_BEFORE = UINT32_C(0xfffffffe),  /* causes before the slice */
	ROW_OUTSIDE = UINT32_C(0xfffffffd), /* in no iteration */
};
#define OTHER_ROW UINT64_MAX

/* Whether a row is one of these. */
static inline bool cause_row_is_other(const struct cause_row *row)
{
	return row->key.second == OTHER_ROW;
}

struct wait_causes_options {
	enum cell_match match;
	enum cause_grouping by;
	bool no_end; /* leave out the waits at the end of ranks */
};

struct wait_total {
	uint64_t waits, ns;
	uint64_t short_waits; /* below 10 times the largest contradiction of clocks */
};

struct wait_causes {
	struct wait_total calls, ends; /* of calls, and of ends of ranks, of the run or the slice */
	uint64_t unknown_ns;	       /* part of both */
	/*
	 * Of process 0, largest cost first: by cause (first: rank, second: code of the cell), and as asked for, or
	 * empty.  Keys of those: rank; code without site; code; iteration; rank and waiting rank; kind of wait and code.  Iterations are in
	 * order.
	 */
	struct cause_rows rows, groups;
};

/*
 * Collective.  Find the causes of the waits that begin in the run or in its slice.  walk: the critical path.  End with
 * wait_causes_release, also on failure.
 */
int wait_causes_find(struct wait_causes *causes, const struct waits *waits, const struct walk *walk,
		     const struct wait_causes_options *options, struct dist *dist,
		     struct error *err);
void wait_causes_release(struct wait_causes *causes);

/*
 * Whether clocks contradict each other by so much that costs mean nothing: of more messages than
 * trace_quality_contradicts allows, or by more than a tenth of the median wait of calls.
 */
bool wait_causes_doubtful(const struct wait_causes *causes, const struct measured_run *run);

#endif
