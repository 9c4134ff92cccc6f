/*
 * The critical path of a measured run, found by walking back from its end.
 *
 * The walk begins where the last rank ends.  A call that waited for another one is followed from
 * its end back to the start of that call, and the walk goes on there, on the other rank; all other
 * calls, and the computation between calls, are followed on the same rank.  The segments cover the
 * run from begin to end without a gap, and contain no wait whose cause is known.
 */
#ifndef CRITPATH_WALK_H
#define CRITPATH_WALK_H

#include "critpath/path/waits.h"

enum walk_category {
	WALK_COMPUTE, /* between calls */
	WALK_CALL,    /* in an MPI call */
	WALK_START,   /* before the rank has left MPI_Init */
	WALK_UNKNOWN, /* see enum unknown_reason */
	WALK_CATEGORIES,
	WALK_BLOCK = WALK_CATEGORIES, /* of segments only: critpath/path/blocks.h */
};

/* Ends with NULL. */
extern const char *const walk_category_names[WALK_CATEGORIES + 2];

/* Why a time on the path is unknown. */
enum unknown_reason {
	UNKNOWN_CLOCKS,	 /* clocks contradict the order of events */
	UNKNOWN_LACKING, /* in a call that may have waited for one that the trace lacks */
	UNKNOWN_OFF,	 /* recording was off */
	UNKNOWN_REASONS,
};

/* Find the category of the time of a call in which it did not wait, as far as is known. */
enum walk_category walk_category_of(const struct waits *waits, uint32_t rank, uint32_t call,
				    enum unknown_reason *reason);

struct walk_segment {
	uint64_t start_ns, end_ns; /* since the run began; start < end */
	uint32_t rank;
	uint32_t call;		/* that it is part of, or that it comes before; NO_CALL */
	uint32_t site;		/* of the call, or NO_SITE */
	uint32_t function : 24; /* of the call, if there is one */
	uint32_t category : 3;
	uint32_t reason : 2;  /* enum unknown_reason, of WALK_UNKNOWN */
	bool switches_rank : 1; /* the segment before it is on another rank */
};

struct walk {
	uint64_t length_ns;		     /* of the run: T */
	ARRAY(struct walk_segment) segments; /* in order of time */
	uint64_t category_ns[WALK_CATEGORIES];
	uint64_t unknown_ns[UNKNOWN_REASONS]; /* of WALK_UNKNOWN */
	uint64_t rank_switches;
};

/*
 * Collective.  Find the path.  Process 0 gets all of it, the others the segments of own ranks.  Memory, if
 * there are several processes: 32 bytes for each wait of one period of the run (critpath/path/period.h), and
 * 24 for each time that the path comes to another process in it.  End with walk_release.
 */
int walk_find(struct walk *walk, const struct waits *waits, struct dist *dist, struct error *err);
void walk_release(struct walk *walk);

/* ------------------------------------------------ steps, for ranks of several processes */

/* Where a walk is. */
struct walk_place {
	uint32_t rank;
	uint32_t next;		/* call at whose begin it is; NO_CALL: at the end of the run */
	uint64_t at_ns;		/* on the clock of the run */
	uint32_t jumps_at_once; /* to other ranks since the time was last earlier */
	bool arrived;		/* at the start of the run */
};

/* Whether the run of a rank begins with a call: the walk does not go past it. */
bool walk_begins_run(const struct measured_call *call);

/* End of a run, where its walk begins: on run->last_rank. */
struct walk_place walk_end_of(const struct measured_run *run);

/*
 * Go back from a place on a rank of this process until the walk arrives or gets to a rank of another
 * process, and add the segments to those of `walk`, the latest first.
 */
int walk_back(struct walk *walk, const struct waits *waits, struct walk_place *place,
	      struct error *err);

/* Put the segments into order of time. */
void walk_reverse(struct walk *walk);

/*
 * Collective.  Give the segments of all processes to process 0, in order of time, and add them up.  Those of
 * a process are in that order, or the latest first.
 */
int walk_gather(struct walk *walk, struct dist *dist, struct error *err);

/* Find rank switches, or these and sums, when the segments are in order of time. */
void walk_mark_rank_switches(struct walk *walk);
void walk_add_up(struct walk *walk);

#endif
