/* Event flow graphs from the calls of a trace. */
#ifndef TRACE_FLOW_BUILD_H
#define TRACE_FLOW_BUILD_H

#include "trace/flow/builder/flow_rank.h"

/* Where calls come from. */
struct flow_source {
	const struct trace_world *world;
	/* Deliver the calls of a rank in their order. */
	int (*rank)(void *data, uint32_t rank, trace_receive *receive, void *receiver,
		    struct error *err);
	flow_site_text *site; /* text of a call site; NULL: there are none */
	void *data;
	/*
	 * Open the source again for a thread, and close it, one thread at a time; NULL: all threads
	 * share `data`.
	 */
	int (*again)(void *data, void **another, struct error *err);
	void (*close)(void *another);
	unsigned threads; /* at most; 0: one for each processor */
};

/*
 * Read all ranks and make their graphs, each call in constant time, by several threads: the flow
 * does not depend on their number.  Memory grows with values and times, but not with the iterations
 * of a regular program, nor with ranks that do alike.  `site` of the options is the source's.
 * Release with flow_release.  On failure *flow is NULL.
 */
int flow_build(struct flow **flow, const struct flow_source *source,
	       const struct flow_options *options, struct error *err);

/*
 * Make a flow of some ranks, without the processes of the run (flow_set_world), to be merged
 * (trace/flow/file/flow_merge.h).
 */
int flow_build_ranks(struct flow **part, const struct flow_source *source,
		     const struct flow_options *options, uint32_t first_rank, uint32_t count,
		     struct error *err);

#endif
