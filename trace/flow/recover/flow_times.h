/* Values and times of a thread, as a flow has them; internal to trace/flow/ and for statistics. */
#ifndef TRACE_FLOW_TIMES_H
#define TRACE_FLOW_TIMES_H

#include "trace/flow/call/flow_call.h"
#include "trace/flow/flow_stat.h"

/* Times of a node or an edge. */
struct flow_time_reader {
	struct flow_cursor bytes; /* FLOW_TIMES_ALL */
	uint64_t gap, duration, poll_gaps, least_gap;
	uint64_t mean; /* FLOW_TIMES_STATS */
};

/* Values of a node: rows, each for a number of visits. */
struct flow_value_reader {
	struct flow_cursor bytes, row; /* behind the row at hand: only after its last visit */
	uint64_t repeats;
	bool variable;			/* once it was visited: its calls differ, ... */
	struct flow_template *template; /* ... or the one that all have */
};

struct flow_thread_reader {
	const struct flow_graph *graph;
	const struct flow_thread *thread;
	struct flow_time_reader *nodes, *edges;
	struct flow_value_reader *values; /* of nodes */
	void *unpacked[2];
};

/* Open values and times of a thread; release also after an error. */
int flow_thread_open(struct flow_thread_reader *reader, const struct flow *flow,
		     const struct flow_thread *thread, struct error *err);
void flow_thread_close(struct flow_thread_reader *reader);

/* A visit of a node: its calls, one after the other. */
struct flow_event {
	uint32_t node;
	uint64_t calls_left, calls;
};

/* The functions below for visits that are the first one of a node, or have values. */
int flow_event_begin_other(struct flow_thread_reader *reader, struct flow_calls *calls,
			   struct flow_event *event, struct error *err);
int flow_event_call_other(struct flow_thread_reader *reader, struct flow_calls *calls,
			  struct flow_event *event, struct flow_template **template,
			  struct error *err);
void flow_event_end_row(struct flow_value_reader *values);

/* Begin a visit. */
static inline int flow_event_begin(struct flow_thread_reader *reader, struct flow_calls *calls,
				   uint32_t node, struct flow_event *event, struct error *err)
{
	*event = (struct flow_event){.node = node, .calls = 1, .calls_left = 1};
	return reader->values[node].template ? 0
					     : flow_event_begin_other(reader, calls, event, err);
}

/*
 * Template of the next call of the visit.  Then its values have to be read from
 * reader->values[node].row.
 */
static inline int flow_event_call(struct flow_thread_reader *reader, struct flow_calls *calls,
				  struct flow_event *event, struct flow_template **template,
				  struct error *err)
{
	*template = reader->values[event->node].template;
	return *template && !(*template)->has_values
		       ? 0
		       : flow_event_call_other(reader, calls, event, template, err);
}

/* End a call, after its values; the last one ends the visit. */
static inline void flow_event_end_call(struct flow_thread_reader *reader, struct flow_event *event)
{
	struct flow_value_reader *values = &reader->values[event->node];

	if (!--event->calls_left && values->repeats)
		flow_event_end_row(values);
}

static inline uint64_t flow_time_next(struct flow_cursor *bytes, uint64_t *before)
{
	*before += (uint64_t)flow_unfold_sign(flow_get_varied(bytes));
	return *before;
}

/* Read the time since the call before, and that of the call, which has polls or has not. */
static inline void flow_time_gap(struct flow_time_reader *times, uint64_t *gap_ns)
{
	*gap_ns = flow_time_next(&times->bytes, &times->gap);
}

static inline void flow_time_call(struct flow_time_reader *times, struct mpi_call *call,
				  uint64_t *duration_ns)
{
	*duration_ns = flow_time_next(&times->bytes, &times->duration);
	if (!call->polls)
		return;
	call->poll_gaps_ns = flow_time_next(&times->bytes, &times->poll_gaps);
	call->least_poll_gap_ns = flow_time_next(&times->bytes, &times->least_gap);
}

/*
 * Fill statistics of all nodes and edges of a thread, which have room for graph->nodes and
 * graph->edges: zeroed without times.
 */
int flow_thread_stats(const struct flow *flow, const struct flow_thread *thread,
		      struct flow_stat *nodes, struct flow_stat *edges, struct error *err);

/* Take a call of a thread that occurs `count` times, with its peers of the rank that was asked for. */
typedef int flow_take_calls(void *data, const struct mpi_call *call, uint64_t count,
			    struct error *err);

/*
 * Deliver the different calls of a thread, node by node, without their times, requests and order:
 * in time near the size of the graph, but for nodes whose visits differ.
 */
int flow_thread_calls(const struct flow *flow, uint32_t rank, const struct flow_thread *thread,
		      flow_take_calls *take, void *data, struct error *err);

#endif
