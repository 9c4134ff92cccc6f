/*
 * Which calls of truncated journals to keep so that the archive is consistent
 * (trace/assemble/recover.h).  Messages and collectives are known by their ordinals, which count
 * from the start of the run.
 *
 *	consistency_comm		for each communicator whose members are known
 *	consistency_rank, consistency_count		for each rank, then for its calls in order
 *	consistency_rank_end
 *	consistency_end
 *	consistency_rank, consistency_edit		once more
 */
#ifndef TRACE_CONSISTENCY_H
#define TRACE_CONSISTENCY_H

#include "trace/assemble/journal_to_otf2.h"
#include "trace/call/call_tracker.h"

/* Ordinals [first, end) of a sequence; zero bytes: none. */
struct consistency_span {
	uint64_t first, end;
};

/* A communicator by its key; members are not owned. */
struct consistency_comm {
	uint32_t size, remote_size;
	const uint64_t *members, *remote;	/* members NULL: MPI_COMM_WORLD */
	uint32_t reports;			/* ranks that have used it */
	struct consistency_span kept;		/* collectives */
};

/* Messages of one sender, receiver, communicator and tag. */
struct consistency_channel {
	struct consistency_span sends, receives;
	uint64_t seen_sends, seen_receives;	/* if ordinals are not told */
};

/* A communicator of the current rank. */
struct consistency_own {
	uint32_t index;		/* of its consistency_comm; NUMBER_MAP_EMPTY: not used */
	bool first_group;	/* the rank is in its members */
	struct consistency_span span;	/* collectives */
	uint64_t seen;		/* of them, if ordinals are not told */
	uint64_t least_open;
};

/* A send or collective that has begun. */
struct consistency_open {
	uint32_t of;	 /* channel of the send, communicator of the collective */
	uint64_t number; /* of the collective */
};

/* A window by its key. */
struct consistency_window {
	uint32_t comm;		/* index of its consistency_comm */
	uint32_t reports;	/* of ranks that have it */
	struct consistency_span kept;	/* collectives */
};

/* A window of the current rank. */
struct consistency_own_window {
	uint32_t index;		/* of the consistency_window */
	struct consistency_span span;	/* collectives */
	uint64_t seen;		/* of them, if ordinals are not told */
};

/* Zero bytes are valid. */
struct consistency {
	ARRAY(struct consistency_comm) comms;
	struct number_map comm_by_key;
	ARRAY(struct consistency_window) windows;
	struct number_map window_by_key;
	ARRAY(struct consistency_channel) channels;
	struct number_map channel_by_key;
	struct number_map cancelled;		/* sends: request, rank */

	/* The current rank. */
	const struct rank_summary *summary;
	ARRAY(struct consistency_own) own;		/* by id */
	ARRAY(struct consistency_own_window) own_windows;	/* by id */
	struct call_tracker tracker;
	ARRAY(struct consistency_open) open;	/* by place of the request */
	struct number_map dropped;		/* requests */

	uint64_t sends, receives, collectives;	/* not kept */
};

/* Add a communicator, if it is not known yet. */
int consistency_comm(struct consistency *consistency, const struct mpi_comm *comm,
		     struct error *err);

/* Check whether the rank's communicator is known, with the same sizes and the rank as a member. */
bool consistency_knows(const struct consistency *consistency, uint32_t rank,
		       const struct mpi_comm *comm);

/* Begin a rank.  All communicators that its calls use must be known. */
int consistency_rank(struct consistency *consistency, const struct rank_summary *summary,
		     struct error *err);

/* Count the events of a call.  ordinals[i]: of event i; NULL: events are counted from the first one. */
int consistency_count(struct consistency *consistency, const struct mpi_call *call,
		      const uint64_t *ordinals, struct error *err);
int consistency_rank_end(struct consistency *consistency, struct error *err);

/* All ranks have been counted. */
void consistency_end(struct consistency *consistency);

/* Remove the events of the call that are not kept; `data` is the struct consistency. */
int consistency_edit(void *data, struct mpi_call *call, struct mpi_event *events,
		     const uint64_t *ordinals, struct error *err);

void consistency_release(struct consistency *consistency);

#endif
