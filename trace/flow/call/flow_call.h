/*
 * Signatures: a call as bytes, without its times and the numbers of its requests, and back.
 *
 * What differs between ranks that do alike is left out: peers are counted from the rank's own place
 * in the communicator, communicators, windows and groups are numbered by the rank as its calls name
 * them.  What may differ from run to run (which message a wildcard matched, how many polls a call
 * stands for) is a value beside the signature.  Layout: doc/efg-format.md.
 */
#ifndef TRACE_FLOW_CALL_H
#define TRACE_FLOW_CALL_H

#include "common/number_map.h"
#include "trace/flow/call/flow_requests.h"
#include "trace/flow/flow.h"

/* Codes of the events of a call; a growable array (common/array.h). */
struct flow_codes {
	struct flow_code *items;
	size_t count, capacity;
};

/*
 * Place of the rank in a communicator and the size of that; NO_RANK: peers are not counted from the
 * rank.
 */
struct flow_place {
	uint32_t place, size;
};

/* Calls of a rank on their way to signatures, or back. */
struct flow_calls {
	struct flow *flow;
	uint32_t rank;
	struct flow_requests requests;
	ARRAY(struct flow_place) places; /* by id of the communicator */
	/* Writing. */
	struct number_map comms, windows, groups; /* id in the archive: number of the rank */
	struct number_map functions;		  /* address of the name: string */
	struct number_map *all_groups;		  /* id in the archive: place in flow->groups */
	/* Reading. */
	ARRAY(struct flow_template *) templates; /* by signature */
};

/* Begin to read the calls of a rank, or of any (NO_RANK); flow->world is known. */
int flow_calls_begin(struct flow_calls *calls, struct flow *flow, uint32_t rank, struct error *err);
/* Begin to write them; communicators are defined one by one. */
void flow_calls_write(struct flow_calls *calls, struct flow *flow, uint32_t rank,
		      struct number_map *all_groups);
int flow_calls_comm(struct flow_calls *calls, uint32_t id, struct flow_place place,
		    struct error *err);
/* Place of a rank in a communicator of the world. */
struct flow_place flow_place_in(const struct trace_comm *comm, uint32_t rank);
void flow_calls_release(struct flow_calls *calls);

/* Keep the members of a group of which none are known. */
int flow_group_add(struct flow_calls *calls, uint32_t id, const uint32_t *members, uint32_t count,
		   struct error *err);

/*
 * Note the request of the next event of a call of the thread: *code becomes the event's, for the
 * functions below.
 */
static inline int flow_event_note(struct flow_calls *calls, struct flow_request_thread *thread,
				  const struct mpi_event *event, struct flow_code *code,
				  struct error *err)
{
	TRY(flow_request_write(&calls->requests, thread, event, flow_request_use(event), code,
			       err));
	if (event->kind == EVENT_RECV)
		code->posted = event->posted;
	else if (event->kind != EVENT_IRECV)
		code->posted = 0;
	return event->kind == EVENT_RMA_GROUP_SYNC && event->group_ranks
		       ? flow_group_add(calls, event->group, event->group_ranks, event->group_size,
					err)
		       : 0;
}

/*
 * Append the signature of the call without the fields in `folds` (FLOW_FOLD_...).  site: string of
 * its place in flow->strings, or 0.
 */
int flow_call_put(struct flow_calls *calls, const struct mpi_call *call,
		  const struct flow_codes *codes, uint32_t site, unsigned folds,
		  struct flow_bytes *bytes, struct error *err);

/* Append its values. */
int flow_call_put_values(const struct mpi_call *call, const struct flow_codes *codes,
			 struct flow_bytes *values, struct error *err);

/* Find the string of a function's name, which lives as long as the calls. */
int flow_function(struct flow_calls *calls, const char *function, uint32_t *string,
		  struct error *err);

/* Find the text itself in flow->strings, or add it. */
int flow_string(struct flow_calls *calls, const char *text, const char **kept, struct error *err);

/* Add a signature, or find it.  In place of a header all begin with an enum flow_signature_kind. */
int flow_signature_add(struct flow *flow, const struct flow_bytes *bytes, uint32_t *number,
		       struct error *err);

/* Numbers that strings and signatures of a flow have in another one. */
struct flow_copy {
	const struct flow *from;
	const uint32_t *strings, *signatures; /* by number in `from` */
	struct flow_bytes *to;		      /* of the signature at hand */
};

/*
 * Write a signature of copy->from to `to`, with the numbers of the other flow: STATUS_DATA if it is
 * damaged.
 */
int flow_signature_copy(struct flow_copy *copy, uint32_t number, struct flow_bytes *to,
			struct error *err);

/* Position after the kind. */
struct flow_cursor flow_signature(const struct flow *flow, uint32_t number,
				  enum flow_signature_kind *kind);

/*
 * Function, site and, or UINT32_MAX, what all events of a node have in common, of a signature of
 * any kind.
 */
struct flow_label {
	const char *function;
	uint32_t site;	 /* string, 0: none */
	uint32_t common; /* signature of a call */
};
struct flow_label flow_signature_label(const struct flow *flow, uint32_t number);

/* A call with what its signature leaves open. */
struct flow_template {
	struct mpi_call call; /* all but times and what is open */
	struct mpi_event *events;
	struct flow_open_field {
		enum flow_request_use use;
		struct flow_code code;
		bool foreign, peer, tag, bytes; /* are values */
	} * open;
	bool polls; /* is a value */
	bool has_values;
	bool any_open;
	bool ends_oldest; /* all events end the oldest request */
	void *memory;	  /* vectors, as a list whose first words are links */
};

/*
 * Find the template of a signature; STATUS_DATA if it is damaged.  Without a rank (calls->rank is
 * NO_RANK) peers stay counted from the rank.
 */
int flow_template_get(struct flow_calls *calls, uint32_t signature, struct flow_template **found,
		      struct error *err);

/* Set the requests of a call that has no values: a thread starts those that it ends. */
int flow_template_fill_requests(struct flow_calls *calls, struct flow_request_thread *thread,
				struct flow_template *template, struct error *err);

/*
 * Set what is open in the template's events from the values and the requests of the rank, from
 * event *from on.  Returns 1 if another thread has to make its calls first, which start the request
 * of event *from: it is to be called again.
 */
int flow_template_fill(struct flow_calls *calls, struct flow_request_thread *thread,
		       struct flow_template *template, struct flow_cursor *values, uint32_t *from,
		       struct error *err);

/* Set peers and sizes that are open from the values of a call, but no requests. */
void flow_template_skip(struct flow_template *template, struct flow_cursor *values);

#endif
