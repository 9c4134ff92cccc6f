/* Event flow graphs from the calls of a trace. */
#ifndef TRACE_FLOW_BUILD_H
#define TRACE_FLOW_BUILD_H

#include "trace/flow/flow_rank.h"

/* Where calls come from. */
struct flow_source {
	const struct trace_world *world;
	/* Deliver the calls of a rank in their order. */
	int (*rank)(void *data, uint32_t rank, trace_receive *receive, void *receiver,
		    struct error *err);
	flow_site_text *site; /* text of a call site; NULL: there are none */
	void *data;
};

/*
 * Read all ranks and make their graphs, each call in constant time.  Memory grows with values and times, but not
 * with the iterations of a regular program.  `site` of the options is the source's.  Release with flow_release.  On
 * failure *flow is NULL.
 */
int flow_build(struct flow **flow, const struct flow_source *source,
	       const struct flow_options *options, struct error *err);

#endif
