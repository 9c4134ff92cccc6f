/*
 * The event flow graphs of this rank, made as its calls return (`llamp-trace --flow`).
 *
 * The calls are those that a reader of the archive would deliver, with ids of this rank:
 * communicators, windows and groups become global at the end (trace/assemble/rank_flow.h).  Their
 * definitions are in the journals.
 *
 * From time to time the graphs are saved in the folder of the journals, so that a run that is
 * killed leaves them.
 */
#ifndef TRACER_FLOW_H
#define TRACER_FLOW_H

#include "common/error.h"
#include "trace/call/mpi_call.h"
#include "trace/call/mpi_objects.h"

struct flow_recorder;

/* Begin the graph of a thread; number 0 begins all.  The recorder is owned by this file. */
int flow_recorder_begin(struct flow_recorder **recorder, uint32_t number, struct error *err);

/* Take a new communicator, or group, of any thread. */
int flow_recorder_comm(const struct mpi_comm *comm, struct error *err);
int flow_recorder_group(const struct mpi_group *group, struct error *err);

/* Take a call, or a switch of recording, as the sink does (pmpi/sink.h). */
int flow_recorder_call(struct flow_recorder *recorder, unsigned function,
		       const struct mpi_call *call, struct error *err);
int flow_recorder_switch(struct flow_recorder *recorder, uint64_t time_ns, bool on,
			 struct error *err);

/* Number of calls so far, polls counted singly. */
uint64_t flow_recorder_calls(void);

/* Name of the function of a node of the first thread, or NULL. */
const char *flow_recorder_function(uint32_t node);

/* Save the graphs for --recover, if there are any; an error is ignored. */
void flow_recorder_save(void);

/* End the graphs and save them; called once, or flow_recorder_cancel, which forgets them. */
int flow_recorder_end(struct error *err);
void flow_recorder_cancel(void);

#endif
