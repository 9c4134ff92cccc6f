/*
 * The main loop of a thread, and its iterations.
 *
 * The main loop is the outermost loop of a graph in which most time is spent, if that is a fifth of
 * the time between the first and the last call.  It is a loop in that one if they share the header,
 * the inner one goes round more than five times on average, and no more nodes are around it than in
 * it: these happen now and then.
 *
 * Its iterations are those of the program: where several places with equal calls are one header, an
 * iteration is a round of laps (trace/sequence/rounds.h).  The laps before the first whole round,
 * and after the last one, are in none.
 *
 *	flow_loops_find(&loops, graph, err);
 *	main_loop_find(&main_loop, graph, &loops, node_ns, edge_ns, err);
 *	if (main_loop.loop != NO_LOOP)
 *		use(main_loop.header, main_loop.first_visit, main_loop.round, main_loop.iterations);
 *	main_loop_release(&main_loop);
 */
#ifndef TRACE_MAIN_LOOP_H
#define TRACE_MAIN_LOOP_H

#include "trace/sequence/loops.h"
#include "trace/sequence/rounds.h"

#define NO_VISIT UINT64_MAX

struct main_loop {
	uint32_t
		loop; /* number in struct flow_loops, or NO_LOOP: there is no main loop, and no more */
	uint32_t header; /* node with whose visits iterations begin */
	uint64_t round;	 /* visits of the header in an iteration; 0 if iterations differ in that */
	uint64_t first_visit; /* of the header, from 0: begin of the first iteration */
	uint64_t iterations;
	/* Of the loop, and of all but the first and the last call; without times numbers of visits. */
	uint64_t time_ns, total_ns;
	uint64_t end_visit; /* with which the last one has ended; NO_VISIT: with the loop */
	/* All visits of the header with which an iteration begins; owned. */
	struct flow_blocks starts;
};

/*
 * Find the main loop of a graph, whose loops are `loops`.  node_ns, edge_ns: time of each node and
 * edge, NULL without times.  Takes time for all events, to walk through them.
 */
int main_loop_find(struct main_loop *main_loop, const struct flow_graph *graph,
		   const struct flow_loops *loops, const uint64_t *node_ns, const uint64_t *edge_ns,
		   struct error *err);
void main_loop_release(struct main_loop *main_loop);

/* Least share of the time that a main loop has: one part of so many. */
enum { MAIN_LOOP_PART = 5 };

/*
 * Choose the main loop, with at least one part of `part` of all time: fill loop, header and times
 * alone.
 */
void main_loop_choose(struct main_loop *main_loop, const struct flow_graph *graph,
		      const struct flow_loops *loops, const uint64_t *node_ns,
		      const uint64_t *edge_ns, uint64_t part);

/* Time of a loop: in its calls and between them. */
uint64_t main_loop_time(const struct flow_graph *graph, const struct flow_loops *loops,
			uint32_t loop, const uint64_t *node_ns, const uint64_t *edge_ns);

/*
 * Laps of one loop, found event by event.  An inner loop is one item of a lap, however often it
 * goes round.
 */
struct laps {
	uint32_t header, inner; /* inner: item of a loop in it that shares the header, or NO_LOOP */
	bool is_inner;		/* another loop is around the loop */
	bool settled;		/* set when rounds are known: laps are counted only */
	uint32_t node_count;
	uint32_t *items; /* [node]: node, or node_count + the loop just below; NO_LOOP outside */
	uint32_t at;	 /* item of the last event */
	uint64_t visits; /* of the header */
	uint64_t events, left; /* so far; that with which the loop was left, or NO_VISIT */
	bool in_run, in_lap; /* the header was visited since the loop was entered; a lap is open */
	struct flow_set begins; /* visits of the header with which laps begin */
	ARRAY(uint64_t) runs;	/* laps before each run */
	struct rounds rounds;
};

int laps_begin(struct laps *laps, const struct flow_graph *graph, const struct flow_loops *loops,
	       uint32_t loop, struct error *err);

/* Add an event.  Returns 1 if a lap begins with it, else 0, or -1. */
int laps_add(struct laps *laps, uint32_t node, struct error *err);

/* Find the iterations so far: fill all of *main_loop but loop, header and times. */
int laps_find(const struct laps *laps, struct main_loop *main_loop, struct error *err);
/* End the lap at hand, and do the same. */
int laps_end(struct laps *laps, struct main_loop *main_loop, struct error *err);
void laps_release(struct laps *laps);

#endif
