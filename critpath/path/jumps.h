/*
 * The jumps of a rank, for a process that walks (critpath/path/walk.h) without its calls.
 *
 * A walk changes its course only where a call waited: from the end of that call it jumps to the start of
 * the call that it waited for.  So most calls need not be known, on a rank whose calls do not overlap.
 * Of others, as those of several threads, all calls are listed.
 *
 * Jumps are packed by periods of the run: a period of a rank has the calls that end in it, and all
 * before them that no earlier period has.
 */
#ifndef CRITPATH_JUMPS_H
#define CRITPATH_JUMPS_H

#include "dist/varint.h"
#include "critpath/path/walk.h"

enum jump_kind {
	JUMP,	    /* a call that waited */
	JUMP_NOT,   /* a call as if it had not waited */
	JUMP_BEGIN, /* the run of a rank begins with this call */
};

struct jump {
	uint64_t leave_ns; /* the call ended */
	uint64_t until_ns; /* the call that it waited for began; JUMP_NOT: the call itself began */
	uint32_t call;
	uint32_t rank, to; /* JUMP: the call that it waited for */
	uint32_t thread : 30;
	uint32_t kind : 2;
};

/* Calls of a rank of this process that are listed. */
struct jump_calls {
	uint32_t rank;
	bool all; /* a call that waited has two jumps: JUMP_NOT, then JUMP */
	ARRAY(uint32_t) calls;

	/* Of the next period to pack. */
	size_t next;
	uint64_t latest_ns; /* the last end of all calls before */
};

/* List the calls.  End with jump_calls_release. */
int jump_calls_list(struct jump_calls *list, const struct waits *waits, uint32_t rank,
		    struct error *err);
void jump_calls_release(struct jump_calls *list);

/* What is known of a rank in a period. */
struct jump_row {
	uint32_t rank;
	uint32_t from, to; /* the first call listed in it, and in later periods: NO_CALL */
	bool all;	   /* see struct jump_calls */
	size_t first, end; /* its jumps */
	size_t last;	   /* of them, where a walk was last */
};

/*
 * Pack the jumps of the next period, which ends at `end_ns`, behind `bytes`.  Periods are packed in order,
 * the last one with UINT64_MAX.
 */
int jumps_pack(struct jump_calls *list, const struct waits *waits, uint64_t end_ns,
	       struct byte_array *bytes, struct error *err);

struct jumps {
	ARRAY(struct jump) list;
};

/* Append the jumps of a rank in a period.  The bytes must be those of jumps_pack. */
int jumps_unpack(struct jumps *jumps, struct jump_row *row, struct varint_reader *reader,
		 struct error *err);

#endif
