/*
 * Loops of a graph and their nesting, from its edges alone, in one depth-first search in time near
 * the number of edges: the algorithm of Wei, Mao, Zou, Chen, "A New Algorithm for Identifying Loops
 * in Decompilation" (SAS 2007), without recursion.
 *
 * A loop has a header, by which it is entered, and members, from which the header can be reached
 * again.  Two loops with one header, where the inner one begins the outer one, are one loop to that
 * search.  They are told apart by the last node of the inner one, which leads to the header most
 * often: only there the inner one is left for the rest of the outer one.
 *
 * What is entered once, goes round twice and has loops in it is a phase of the program that was run
 * twice, and no loop.
 */
#ifndef TRACE_LOOPS_H
#define TRACE_LOOPS_H

#include "trace/flow/flow.h"

enum { NO_LOOP = UINT32_MAX };

struct flow_loop {
	uint32_t header;
	uint32_t parent;    /* the loop around it, or NO_LOOP */
	uint32_t depth;	    /* 0: no loop is around it */
	bool irreducible;   /* it is also entered at other nodes */
	bool shares_header; /* with its parent */
	uint64_t nodes;	    /* members, of inner loops too */
	uint64_t entries, iterations;
};

/* Owned arrays. */
struct flow_loops {
	ARRAY(struct flow_loop) loops; /* outer ones before those in them */
	uint32_t *of;		       /* [node]: the innermost loop that has it, or NO_LOOP */
};

/* Find the loops of a whole run. */
int flow_loops_find(struct flow_loops *loops, const struct flow_graph *graph, struct error *err);
/* Find the loops of a run that goes on: what went round twice may go on. */
int flow_loops_find_all(struct flow_loops *loops, const struct flow_graph *graph,
			struct error *err);
/* Drop the phases that were run twice, as flow_loops_find does, from flow_loops_find_all's loops. */
void flow_loops_drop_phases(struct flow_loops *loops, const struct flow_graph *graph);
void flow_loops_release(struct flow_loops *loops);

/* Check whether a loop, or NO_LOOP, is the other one or inside it. */
bool flow_loop_is_in(const struct flow_loops *loops, uint32_t loop, uint32_t outer);

#endif
