/*
 * What the time of parts of stretches was spent on.
 *
 * Of long stretches the sums from their begin are kept at some places, so that a question about a part of them
 * need not look at all of its calls.
 */
#ifndef CRITPATH_STRETCH_PIECES_H
#define CRITPATH_STRETCH_PIECES_H

#include "critpath/causes/cells.h"
#include "critpath/causes/stretch_walk.h"
#include "trace/measured/measured_iterations.h"

/* In place of an iteration: before the slice. */
#define BEFORE_SLICE (NO_ITERATION - 1)

/* Time in a cell. */
struct portion {
	uint64_t ns;
	uint32_t cell;
	uint32_t when; /* iteration, NO_ITERATION, or BEFORE_SLICE */
};

struct portions {
	ARRAY(struct portion) list;
};

/* Portions from the begin of a stretch to the start of the call at a place. */
struct stretch_mark {
	uint32_t stretch, place;
	size_t first, end; /* in `marked` */
	uint64_t unknown;  /* pieces that are not known */
};

/* Where a cell is among the portions of a question. */
struct piece_slot {
	uint64_t stamp; /* of the question */
	size_t portion;
};

struct stretch_pieces {
	const struct stretches *stretches; /* not owned */
	struct cells cells;

	/* Private. */
	bool by_iteration;
	struct measured_iterations iterations;
	const struct iterations *of_rank; /* of the rank at hand */
	uint32_t **cell_of; /* [rank][call]: cell of the computation before it, and flags */
	ARRAY(struct stretch_mark) marks; /* by stretch and place */
	struct portions marked;
	/* Of the question at hand: */
	struct portions *to;
	size_t first; /* of its portions */
	uint32_t when;
	uint64_t stamp;
	ARRAY(struct piece_slot) slots; /* [2 * cell, + 1: before the slice] */
	uint64_t until_ns;
	uint64_t unknown; /* pieces that are not known */
};

/*
 * Prepare the ranks of this process.  by_iteration: tell apart the iterations of the rank.  Memory: 4 bytes for each
 * call, and some for stretches of many calls.  End with stretch_pieces_release, also on failure.
 */
int stretch_pieces_init(struct stretch_pieces *pieces, const struct stretches *stretches,
			enum cell_match match, bool by_iteration, struct error *err);
void stretch_pieces_release(struct stretch_pieces *pieces);

/*
 * Append the time of a visit of a rank of this process: one portion for each cell and iteration, none of 0 ns.  *known
 * becomes false if it was spent on what is not known.
 */
int stretch_pieces_of(struct stretch_pieces *pieces, const struct stretch_visit *visit,
		      struct portions *portions, bool *known, struct error *err);

/* Append all time of a rank of this process without its waits, within the slice. */
int stretch_pieces_of_rank(struct stretch_pieces *pieces, uint32_t rank, struct portions *portions,
			   struct error *err);

/* Find the iteration of a rank of this process at a time, if they are told apart, else NO_ITERATION. */
int stretch_pieces_when(struct stretch_pieces *pieces, uint32_t rank, uint64_t ns, uint32_t *when,
			struct error *err);

#endif
