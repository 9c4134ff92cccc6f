/*
 * Primitives of collective algorithms.
 *
 * An algorithm is a function that is run once for each rank.  It names, round by round, the
 * slots that this rank sends and receives:
 *
 *	coll_vector(run, 1);
 *	for (mask = 1; mask < run->size; mask <<= 1) {
 *		TRY(coll_send(run, run->rank ^ mask, coll_all(run, 0)));
 *		TRY(coll_recv(run, run->rank ^ mask, coll_all(run, 0), COLL_COMBINE));
 *		TRY(coll_round_end(run));
 *	}
 *
 * Data is in areas of slots.  Area 0 has the data of the call: one vector (cut into pieces or
 * not), or one block for each rank.  alltoall has its send blocks by destination in area 0 and
 * its receive blocks by source in area 1.  At first area 0 has the contribution of the rank.  At
 * last it (area 1 for alltoall and collectives of neighbours) has the result that MPI specifies.
 * Further areas are scratch.
 *
 * Messages of a round are concurrent.  They carry the contents of their slots from before the
 * round.  Received data is in its slots at the end of the round.  Copies of the round follow, in
 * order.  All operations of a round wait for all operations of the round before.  A calc of
 * bytes * reduce_ns_per_byte follows a round that has combined data.
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
	 * Bytes of each slot; NULL: total_bytes split as evenly as possible, with one more
	 * byte in the first total_bytes % slot_count slots.
	 */
	const uint64_t *bytes;
	uint64_t total_bytes;
	/*
	 * If not 0, the sizes above are sizes of blocks.  Each block is cut into `pieces` slots of
	 * segment_bytes, the last ones shorter or empty.
	 */
	uint64_t segment_bytes;
	uint32_t pieces;
};

/* Ordered slots of an area. */
struct coll_slots {
	uint8_t area;
	/* `count` slots from `first` on, in a circle; */
	uint32_t first, count;
	/*
	 * or, if `bit` is a power of two: the slots whose number has this bit (`first` is 0).
	 * Sizes of the area must be listed or all equal.
	 */
	uint32_t bit;
	/* Count down from `first` (copies only). */
	bool backward;
};

/* Effect on the slots of the destination. */
enum coll_mode {
	COLL_STORE,	/* they are overwritten */
	COLL_COMBINE,	/* the reduction operation is applied */
};

/*
 * Ranks among which an algorithm runs as if they were all: members[i], or first + i * stride if
 * `members` is NULL.
 */
struct coll_group {
	uint32_t size;
	const uint32_t *members;
	uint32_t first, stride;
};

/* Step of an algorithm, reported to an observer in the order of the algorithm's calls. */
struct coll_event {
	enum { COLL_AREA, COLL_SEND, COLL_RECV, COLL_COPY, COLL_ROUND_END } kind;
	uint32_t op;			/* COLL_SEND, COLL_RECV: index in the builder */
	uint32_t area;			/* COLL_AREA: this area has a new layout */
	const struct coll_area *layout;
	struct coll_slots slots;	/* sent, received, or copied to */
	struct coll_slots source;	/* COLL_COPY: copied from */
	enum coll_mode mode;		/* COLL_RECV, COLL_COPY */
};

struct coll_observer {
	void (*observe)(void *context, const struct coll_event *event);
	void *context;
};

/* Run of an algorithm for a rank. */
struct coll_run {
	const struct collective *call;
	uint32_t size, rank, root;	/* of the call, or in the group */
	struct coll_area areas[COLL_AREAS];
	const struct coll_algorithm *leaders; /* of two-level algorithms: among the leaders */
	uint32_t tree_area;	/* area that trees (coll_algorithms.h) pass on; 0 at first */

	/* Private to the functions below. */
	struct goal_builder *builder;
	struct frontier *frontier;
	/* Number of frontier entries that the round waits for.  Further entries are its own. */
	size_t waited_for;
	uint64_t combined_bytes;	/* in this round */
	const struct coll_observer *observer;
	const struct coll_group *group;	/* NULL: all ranks */
	struct error *err;
};

/* Make area 0 (or `area`) a vector of block_bytes in `pieces` pieces. */
void coll_vector(struct coll_run *run, uint32_t pieces);
void coll_vector_area(struct coll_run *run, uint32_t area, uint32_t pieces);

/*
 * Make area 0 a vector of block_bytes in `blocks` blocks, each cut into the segments of the
 * parameters: areas[0].pieces of them.  STATUS_LIMIT if a block has more than 2^20 segments.
 */
int coll_segmented_vector(struct coll_run *run, uint32_t blocks);

/* Make area 0 one block for each rank, as coll_blocks does, each cut into segments. */
int coll_segmented_blocks(struct coll_run *run, const uint64_t *bytes);

/* Make an area one block for each rank, with sizes `bytes`, or block_bytes each for NULL. */
int coll_blocks(struct coll_run *run, uint32_t area, const uint64_t *bytes);

/* Make an area `count` blocks, with sizes `bytes`, or `each` for NULL. */
int coll_block_list(struct coll_run *run, uint32_t area, uint32_t count, const uint64_t *bytes,
		    uint64_t each);

/* Give an area the layout of the area `model`. */
void coll_area_like(struct coll_run *run, uint32_t area, uint32_t model);

/*
 * Slots of an area: one; `count` from `first` on, up or backward; all; the slots whose number has
 * the bit.
 */
struct coll_slots coll_slot(uint32_t area, uint32_t slot);
struct coll_slots coll_range(uint32_t area, uint32_t first, uint32_t count);
struct coll_slots coll_backward(uint32_t area, uint32_t first, uint32_t count);
struct coll_slots coll_all(const struct coll_run *run, uint32_t area);
struct coll_slots coll_with_bit(const struct coll_run *run, uint32_t area, uint32_t bit);

/* Number of the i-th of the slots. */
uint32_t coll_slot_at(const struct coll_area *area, struct coll_slots slots, uint32_t i);

/* Send slots to a rank of the communicator, or receive them from it. */
int coll_send(struct coll_run *run, uint32_t to, struct coll_slots slots);
int coll_recv(struct coll_run *run, uint32_t from, struct coll_slots slots, enum coll_mode mode);

/* Send slots to a rank of the remote group, or receive them from it. */
int coll_send_remote(struct coll_run *run, uint32_t to, struct coll_slots slots);
int coll_recv_remote(struct coll_run *run, uint32_t from, struct coll_slots slots,
		     enum coll_mode mode);

/* Copy the slots `from` to the slots `to`, or combine them, when the round ends. */
int coll_copy(struct coll_run *run, struct coll_slots to, struct coll_slots from,
	      enum coll_mode mode);

int coll_round_end(struct coll_run *run);

/* Sum of the bytes of slots. */
uint64_t coll_bytes(const struct coll_run *run, struct coll_slots slots);

/*
 * Is a block between a root and another rank a message?  MPI libraries leave out empty messages
 * if both ranks know the size.
 */
bool coll_has_message(const struct coll_run *run, struct coll_slots block);

/*
 * Run an algorithm in a group, where this rank is number `rank`, with a root of the group.  Input
 * and result are whole vectors in area 0.
 */
int coll_run_group(struct coll_run *run, const struct coll_group *group, uint32_t rank,
		   uint32_t root, int (*generate)(struct coll_run *run));

/* Rank at `distance` after this one, or before it, in a circle, with distance <= size. */
static inline uint32_t coll_after(const struct coll_run *run, uint32_t distance)
{
	return (uint32_t)(((uint64_t)run->rank + distance) % run->size);
}

static inline uint32_t coll_before(const struct coll_run *run, uint32_t distance)
{
	return (uint32_t)(((uint64_t)run->rank + run->size - distance) % run->size);
}

#endif
