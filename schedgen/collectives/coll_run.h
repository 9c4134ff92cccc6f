/*
 * The words that collective algorithms are written in.
 *
 * An algorithm is a function that is run once for each rank and says, round by
 * round, what this rank sends and receives:
 *
 *	coll_vector(run, 1);
 *	for (mask = 1; mask < run->size; mask <<= 1) {
 *		TRY(coll_send(run, run->rank ^ mask, coll_all(run, 0)));
 *		TRY(coll_recv(run, run->rank ^ mask, coll_all(run, 0), COLL_COMBINE));
 *		TRY(coll_round_end(run));
 *	}
 *
 * Data lives in areas of slots.  Area 0 is what the call is about: one vector
 * (cut into pieces or not), or one block for each rank.  alltoall has its send
 * blocks by destination there and its receive blocks by source in area 1.  In
 * the beginning area 0 holds what the rank contributes; in the end it (area 1
 * for alltoall and collectives of neighbours) holds what MPI specifies.  Further areas are scratch.
 *
 * A round's messages run beside each other.  They carry what their slots held
 * when the round began; what is received is in its slots when the round ends,
 * and after that the round's copies are done, in order.  All of a round waits
 * for all of the round before.  Combining costs time: when a round ends in
 * which data was combined, a calc of bytes * reduce_ns_per_byte follows.
 *
 * No message goes from a rank to itself.
 */
#ifndef SCHEDGEN_COLL_RUN_H
#define SCHEDGEN_COLL_RUN_H

#include "schedgen/collectives/collective.h"

enum { COLL_AREAS = 4 };

struct coll_area {
	uint32_t slot_count;
	/*
	 * Bytes of each slot; or NULL: total_bytes split as evenly as possible,
	 * the first total_bytes % slot_count slots being one byte larger.
	 */
	const uint64_t *bytes;
	uint64_t total_bytes;
	/*
	 * If not 0, this holds for blocks instead, of which each is cut into `pieces`
	 * slots: segments of so many bytes, the last ones of them shorter or empty.
	 */
	uint64_t segment_bytes;
	uint32_t pieces;
};

/* Some slots of an area, in an order. */
struct coll_slots {
	uint8_t area;
	/* `count` slots from `first` on, the first slot coming after the last; */
	uint32_t first, count;
	/*
	 * or if not 0, a power of two: the slots whose number has this bit
	 * (`first` is 0); slots of an area whose sizes are listed or all equal.
	 */
	uint32_t bit;
	/* Count down instead of up from `first`; only where slots are copied. */
	bool backward;
};

/* What happens to the slots of the destination. */
enum coll_mode {
	COLL_STORE,	/* they are overwritten */
	COLL_COMBINE,	/* the reduction operation is applied */
};

/*
 * Some ranks, among which an algorithm runs as if there were no others:
 * members[i], or first + i * stride if there is no list.
 */
struct coll_group {
	uint32_t size;
	const uint32_t *members;
	uint32_t first, stride;
};

/* What an observer is told, in the order in which the algorithm says it. */
struct coll_event {
	enum { COLL_AREA, COLL_SEND, COLL_RECV, COLL_COPY, COLL_ROUND_END } kind;
	uint32_t op;			/* of a send or receive: its index in the builder */
	uint32_t area;			/* COLL_AREA: this area is as follows from now on */
	const struct coll_area *layout;
	struct coll_slots slots;	/* what is sent, received or copied to */
	struct coll_slots source;	/* COLL_COPY: what is copied */
	enum coll_mode mode;		/* COLL_RECV, COLL_COPY */
};

struct coll_observer {
	void (*observe)(void *context, const struct coll_event *event);
	void *context;
};

/* An algorithm being run for a rank. */
struct coll_run {
	const struct collective *call;
	uint32_t size, rank, root;	/* those of the call, or in the group */
	struct coll_area areas[COLL_AREAS];
	uint32_t tree_area;	/* what trees (coll_algorithms.h) pass on; 0 at first */

	/* Private to the functions below. */
	struct goal_builder *builder;
	struct frontier *frontier;
	/* So many entries of the frontier are what the round waits for; the rest is the round. */
	size_t waited_for;
	uint64_t combined_bytes;	/* in this round */
	const struct coll_observer *observer;
	const struct coll_group *group;	/* NULL: all ranks */
	struct error *err;
};

/* Make area 0 (another one) the vector of block_bytes in so many pieces. */
void coll_vector(struct coll_run *run, uint32_t pieces);
void coll_vector_area(struct coll_run *run, uint32_t area, uint32_t pieces);

/*
 * Likewise, each of so many blocks cut into the segments that the parameters ask
 * for: areas[0].pieces of them.  STATUS_LIMIT if there are more than 2^20
 * of a block.
 */
int coll_segmented_vector(struct coll_run *run, uint32_t blocks);

/* As coll_blocks below for area 0, with segments. */
int coll_segmented_blocks(struct coll_run *run, const uint64_t *bytes);

/* Make an area one block for each rank, with these sizes or (NULL) block_bytes each. */
int coll_blocks(struct coll_run *run, uint32_t area, const uint64_t *bytes);

/* Make an area so many blocks, with these sizes or (NULL) the other each. */
int coll_block_list(struct coll_run *run, uint32_t area, uint32_t count, const uint64_t *bytes,
		    uint64_t each);

/* Make an area like another one. */
void coll_area_like(struct coll_run *run, uint32_t area, uint32_t model);

/*
 * One slot, several from `first` on or before (with it), all of an area, those
 * whose number has a bit.
 */
struct coll_slots coll_slot(uint32_t area, uint32_t slot);
struct coll_slots coll_range(uint32_t area, uint32_t first, uint32_t count);
struct coll_slots coll_backward(uint32_t area, uint32_t first, uint32_t count);
struct coll_slots coll_all(const struct coll_run *run, uint32_t area);
struct coll_slots coll_with_bit(const struct coll_run *run, uint32_t area, uint32_t bit);

/* The slot that comes i-th among these. */
uint32_t coll_slot_at(const struct coll_area *area, struct coll_slots slots, uint32_t i);

/* Send slots to, receive slots from a rank of the communicator. */
int coll_send(struct coll_run *run, uint32_t to, struct coll_slots slots);
int coll_recv(struct coll_run *run, uint32_t from, struct coll_slots slots, enum coll_mode mode);

/* Likewise of the remote group, on an inter-communicator. */
int coll_send_remote(struct coll_run *run, uint32_t to, struct coll_slots slots);
int coll_recv_remote(struct coll_run *run, uint32_t from, struct coll_slots slots,
		     enum coll_mode mode);

/* Copy (or combine) slots into others of this rank when the round ends. */
int coll_copy(struct coll_run *run, struct coll_slots to, struct coll_slots from,
	      enum coll_mode mode);

int coll_round_end(struct coll_run *run);

/* How many bytes these slots have. */
uint64_t coll_bytes(const struct coll_run *run, struct coll_slots slots);

/*
 * Between a root and another rank: is there a message for a block?  MPI libraries leave out
 * the empty ones where both sides can tell.
 */
bool coll_has_message(const struct coll_run *run, struct coll_slots block);

/*
 * Run an algorithm for this rank, number `rank` in a group, with a root in it.  What
 * it finds in area 0 and leaves there are whole vectors.
 */
int coll_run_group(struct coll_run *run, const struct coll_group *group, uint32_t rank,
		   uint32_t root, int (*generate)(struct coll_run *run));

/* The rank `distance` after this one and before this one, in a circle; distance <= size. */
static inline uint32_t coll_after(const struct coll_run *run, uint32_t distance)
{
	return (uint32_t)(((uint64_t)run->rank + distance) % run->size);
}

static inline uint32_t coll_before(const struct coll_run *run, uint32_t distance)
{
	return (uint32_t)(((uint64_t)run->rank + run->size - distance) % run->size);
}

#endif
