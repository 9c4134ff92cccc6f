/* Ends of messages, and parts in collectives, in the order of the calls of a rank. */
#ifndef CRITPATH_VIEW_ENDS_H
#define CRITPATH_VIEW_ENDS_H

#include "trace/measured/measured_run.h"

struct view_end {
	uint64_t message;	/* number of the message, the same at both ends */
	uint64_t bytes;
	uint32_t peer, comm, tag;
	uint32_t peer_call;	/* of the other end, if it is matched */
	bool is_matched;
};

/* Item of a list of a rank, and the call that it belongs to. */
struct view_place {
	uint32_t call, item;
};

struct view_order {
	ARRAY(struct view_place) places;	/* by call, then item */
	size_t next;
};

struct view_ends {
	const struct measured_run *run;	/* not owned */
	uint64_t *first_recv;		/* [rank]: receives of the ranks before it */
	uint32_t rank;			/* the current one */
	struct view_order sends, recvs, parts;
};

/* End with view_ends_release also on failure. */
int view_ends_init(struct view_ends *ends, const struct measured_run *run, struct error *err);
void view_ends_release(struct view_ends *ends);

/* Begin with a rank, whose calls are then asked for in their order. */
int view_ends_begin(struct view_ends *ends, uint32_t rank, struct error *err);

/* Take the next message that the call begins to send, or that it completes receiving. */
bool view_ends_next(struct view_ends *ends, uint32_t call, bool receives, struct view_end *end);

/* The part in a collective that the call begins, the first of several; or NULL. */
const struct participation *view_ends_part(struct view_ends *ends, uint32_t call);

#endif
