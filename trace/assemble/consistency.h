/*
 * What of the calls of several journals is kept, so that they agree
 * (trace/assemble/recover.h).
 *
 *	agree_comm		for each communicator whose members are known
 *	agree_rank, agree_count		for each rank, then for its calls in order
 *	agree_rank_end
 *	agree_end
 *	agree_rank, agree_edit		once more
 */
#ifndef TRACE_AGREE_H
#define TRACE_AGREE_H

#include "common/number_map.h"
#include "trace/assemble/replay.h"

/* A communicator by its key; members are not owned. */
struct agree_comm {
	uint32_t size, remote_size;
	const uint64_t *members, *remote;	/* members NULL: MPI_COMM_WORLD */
	uint32_t reports;			/* of ranks that have used it */
	uint64_t kept;				/* collectives */
};

/* Messages of one sender, receiver, communicator and tag. */
struct agree_channel {
	uint64_t sends, receives;
	uint64_t seen_sends, seen_receives;
};

/* A communicator of the rank at hand. */
struct agree_own {
	uint32_t index;		/* of the agree_comm; NUMBER_MAP_EMPTY: not known, and not used */
	bool first_group;	/* the rank is in its members */
	uint64_t seen;		/* collectives */
	uint64_t least_open;
};

/* A window by its key. */
struct agree_window {
	uint32_t comm;		/* index of its agree_comm */
	uint32_t reports;	/* of ranks that have it */
	uint64_t kept;		/* collectives */
};

/* A window of the rank at hand. */
struct agree_own_window {
	uint32_t index;		/* of the agree_window */
	uint64_t seen;		/* collectives */
};

/* Zero bytes are valid. */
struct agree {
	ARRAY(struct agree_comm) comms;
	struct number_map comm_by_key;
	ARRAY(struct agree_window) windows;
	struct number_map window_by_key;
	ARRAY(struct agree_channel) channels;
	struct number_map channel_by_key;
	struct number_map cancelled;		/* sends: request, rank */

	/* The rank at hand. */
	const struct facts *facts;
	ARRAY(struct agree_own) own;		/* by id */
	ARRAY(struct agree_own_window) own_windows;	/* by id */
	struct number_map open;			/* request: channel, or place in open_collectives */
	ARRAY(struct agree_open { uint32_t comm; uint64_t number; }) open_collectives;
	struct number_map dropped;		/* requests */

	uint64_t sends, receives, collectives;	/* not kept */
};

/* Add a communicator; if it is known already, nothing happens. */
int agree_comm(struct agree *agree, const struct mpi_comm *comm, struct error *err);

/* Whether the communicator of that rank is known, with the same sizes and the rank in it. */
bool agree_knows(const struct agree *agree, uint32_t rank, const struct mpi_comm *comm);

/* All communicators that its calls use must be known. */
int agree_rank(struct agree *agree, const struct facts *facts, struct error *err);

int agree_count(struct agree *agree, const struct mpi_call *call, struct error *err);
int agree_rank_end(struct agree *agree, struct error *err);

/* All ranks have been counted. */
void agree_end(struct agree *agree);

/* Take out of the call what is not kept; `data` is the struct agree. */
int agree_edit(void *data, struct mpi_call *call, struct mpi_event *events, struct error *err);

void agree_release(struct agree *agree);

#endif
