/*
 * What the parts of a traversal tell each other.  Private to llamp/traversal/traversal.h.
 *
 * Each part writes a batch to each other part in a round, which reads it in the next round.  A
 * batch names cost expressions by an index in a list of its own, since each part numbers them
 * itself.
 */
#ifndef LLAMP_TRAVERSAL_EXCHANGE_H
#define LLAMP_TRAVERSAL_EXCHANGE_H

#include "llamp/traversal/traversal_edges.h"

enum crossing_kind {
	CROSSING_READ,	/* a send was read, it will start later */
	CROSSING_START, /* a send starts that was read */
	CROSSING_WHOLE, /* a send was read and starts at once */
	CROSSING_END,	/* the match of a message by rendezvous leads to the end of its send */
};

struct crossing {
	struct way way; /* into the match, or into the end of the send; not with CROSSING_READ */
	uint64_t bytes; /* these two with CROSSING_START and CROSSING_WHOLE */
	uint32_t class;
	uint32_t from, to, tag; /* ranks */
	uint32_t send;		/* index in its rank */
	uint32_t handle; /* with CROSSING_READ and CROSSING_START: of a message of the sender */
	enum crossing_kind kind;
};

/* The terms from `first` on of the writer's expression `number`. */
struct exported_expression {
	uint32_t number, first, count;
};

enum { EXPORTS_KNOWN = 64 };

struct traversal_batch {
	ARRAY(struct crossing) list; /* the expression of a way is an index in `exported` */
	ARRAY(struct exported_expression) exported;
	ARRAY(struct cost_term) terms;
	uint32_t known[EXPORTS_KNOWN]; /* indices in `exported`, by number */
};

void traversal_batch_clear(struct traversal_batch *batch);
void traversal_batch_release(struct traversal_batch *batch);

/* Add a crossing, whose way has an expression of these. */
int traversal_batch_add(struct traversal_batch *batch, const struct crossing *crossing,
			const struct cost_expressions *expressions, struct error *err);

/* Numbers of the expressions of a batch: of.items[i] is that of exported.items[i]. */
struct imported_numbers {
	ARRAY(uint32_t) of;
};

/* Find the expressions of a batch among others, or add them there. */
int traversal_batch_import(struct imported_numbers *numbers, const struct traversal_batch *batch,
			   struct cost_expressions *expressions, struct error *err);

#endif
