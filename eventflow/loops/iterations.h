/*
 * Times of the iterations of loops, from the times of each call.
 *
 * An iteration of a loop begins when its header is entered.  It ends when the next one begins or,
 * if it is the last one before the loop is left, with the last call in the loop.  So the iterations
 * of a loop take all of its time, but what comes before the header if the loop is entered beside
 * it.
 */
#ifndef EVENTFLOW_ITERATIONS_H
#define EVENTFLOW_ITERATIONS_H

#include "trace/sequence/main_loop.h"

/*
 * Find the time of each loop, in its calls and between them, of those of nodes and edges:
 * time_ns[loop].  Takes time by edges and depth, where main_loop_time for each loop would take it
 * by edges and loops.
 */
void loop_times_find(uint64_t *time_ns, const struct flow_graph *graph,
		     const struct flow_loops *loops, const uint64_t *node_ns,
		     const uint64_t *edge_ns);

/*
 * Add the times of all iterations of each loop of a thread: stats[loop].  flow->times is
 * FLOW_TIMES_ALL.  Walks through all events.
 */
int loop_iterations_add(struct flow_stat *stats, const struct flow *flow,
			const struct flow_thread *thread, const struct flow_loops *loops,
			struct error *err);

/* Take iteration `number`, from 0, of the main loop of a thread. */
typedef int take_iteration(void *data, uint64_t number, uint64_t begin_ns, uint64_t end_ns,
			   struct error *err);

/*
 * Deliver the iterations of the main loop of a thread in their order: those of the program, which may be
 * several visits of the header (trace/sequence/main_loop.h).  flow->times is FLOW_TIMES_ALL.
 */
int main_loop_iterations(const struct flow *flow, const struct flow_thread *thread,
			 const struct flow_loops *loops, const struct main_loop *main_loop,
			 take_iteration *take, void *data, struct error *err);

#endif
