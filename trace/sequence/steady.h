/*
 * Steady state of a thread that runs: found event by event, from the nodes of its graph alone.
 *
 * A thread is steady when its main loop (trace/sequence/main_loop.h) began three laps without a new
 * node or edge, and the laps tell how long a round is.  From then on iterations are counted.  Their
 * numbers are those of main_loop_find with the graph of the whole run, if this loop turns out to be
 * the main one.
 *
 *	steady_begin(&steady);
 *	for each event:
 *		if (steady_add(&steady, node, enter_ns, leave_ns, &seen, err) < 0) ...
 *		if (seen == STEADY_ITERATION) start(steady.iteration);
 *	steady_release(&steady);
 *
 * An event takes some ns.  The search for loops runs at few of them and takes at most a hundredth
 * of the time.  Memory grows with the graph, and by 4 bytes for each event up to 4 MiB.
 */
#ifndef TRACE_STEADY_H
#define TRACE_STEADY_H

#include "trace/sequence/trail.h"

#define NO_ITERATION_YET UINT64_MAX

/* Visits of a node since the graph grew, if it did so `growth` times. */
struct steady_node {
	uint32_t recent, growth;
};

enum steady_state {
	STEADY_SEARCHES, /* no loop is known */
	STEADY_WATCHES,	 /* a loop is known; whether it is steady, its next visits decide */
	STEADY_FOUND,
};

struct steady {
	enum steady_state state;
	struct main_loop main_loop; /* of what happened so far, when it was found */
	/*
	 * Number of the iteration at hand, from 0, and the visit of the header with which it began;
	 * NO_ITERATION_YET before.  When the graph of a steady thread grows, iterations are counted
	 * on until it is steady again.
	 */
	uint64_t iteration, iteration_visit;
	uint64_t grown_at;  /* events when the graph grew last */
	struct trail trail; /* the graph, and the last events */

	/* Private. */
	ARRAY(struct steady_node) nodes;
	uint32_t growth;
	uint64_t spent_ns, next_check;
	struct laps watched,
		counted; /* of the loop that may become steady, and of the one that was */
	bool watches, counts;
	uint64_t watched_from; /* laps of the watched loop before the graph grew last */
	uint64_t next_try;     /* laps of it after which its rounds are looked for again */
	uint32_t length,
		offset; /* of the counted loop: laps of a round, and before the first one */
};

/* What an event is. */
enum steady_seen {
	STEADY_NOTHING,
	STEADY_NEW,	  /* a new node or edge */
	STEADY_ITERATION, /* with it an iteration of the main loop begins */
};

void steady_begin(struct steady *steady);

/*
 * Add an event at a node, whose numbers are those of struct flow_graph: in the order of their first
 * visits.  Times in ns: of the event's first call and after its last one.
 */
int steady_add(struct steady *steady, uint32_t node, uint64_t enter_ns, uint64_t leave_ns,
	       enum steady_seen *seen, struct error *err);
void steady_release(struct steady *steady);

#endif
