/*
 * Iterations of a rank, in time: those of its main loop (trace/sequence/main_loop.h), found in its
 * calls. They are the iterations of `eventflow loops`.
 *
 * Of several threads, the one whose main loop takes most time decides.  Where the graph of calls
 * has no main loop, as calls differ each time, the outermost loop with most time is taken, of that
 * graph or of the one of functions alone.
 *
 * An iteration begins when the call before it has ended: computation belongs to the calls after it.
 */
#ifndef TRACE_ITERATIONS_H
#define TRACE_ITERATIONS_H

#include "common/array.h"
#include "trace/flow/builder/flow_rank.h"
#include "trace/trace_reader.h"

/* Zero bytes are none. */
struct iterations {
	ARRAY(uint64_t) starts_ns; /* of each iteration */
	uint64_t end_ns;	   /* of the last one */
};

/* Find the iteration at a time, from 0, or NO_ITERATION before and after all. */
#define NO_ITERATION UINT32_MAX
uint32_t iteration_at(const struct iterations *iterations, uint64_t time_ns);

void iterations_release(struct iterations *iterations);

/*
 * Read a rank and find its iterations, in times as `reader` delivers them: none if nothing is
 * repeated.  Memory: 12 bytes for each call, and the graph.
 */
int iterations_find(struct iterations *iterations, struct trace_reader *reader, uint32_t rank,
		    struct error *err);

/*
 * The same of calls from elsewhere.
 *
 *	iteration_finder_begin(&finder, world, rank, NULL, NULL, err);
 *	iteration_finder_call(finder, call, err);
 *	...
 *	iteration_finder_end(finder, &iterations, err);
 *	iteration_finder_release(finder);
 *
 * site: text of the call sites, or NULL (trace/flow/builder/flow_rank.h).
 */
struct iteration_finder;

int iteration_finder_begin(struct iteration_finder **finder, const struct trace_world *world,
			   uint32_t rank, flow_site_text *site, void *site_data, struct error *err);
int iteration_finder_call(void *finder, const struct mpi_call *call, struct error *err);
int iteration_finder_end(const struct iteration_finder *finder, struct iterations *iterations,
			 struct error *err);
void iteration_finder_release(struct iteration_finder *finder);

#endif
