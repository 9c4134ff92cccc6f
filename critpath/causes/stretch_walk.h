/*
 * The two walks back that tell what caused a wait.
 *
 * The first walk goes back from the call that was waited for, the second from the call that waited, from stretch
 * to stretch, until both are in the same one.  Of the two, the one whose stretch begins later moves: to the
 * cause of the wait that its stretch begins with.  At the begin of a thread a walk stops.
 */
#ifndef CRITPATH_STRETCH_WALK_H
#define CRITPATH_STRETCH_WALK_H

#include "critpath/causes/stretches.h"

/* Moves of both walks of a wait at most; what longer ones lead to is unknown. */
enum { STRETCH_WALK_MOST = 1000000 };

/* A part of a stretch that one of the walks goes through, and the other one does not. */
struct stretch_visit {
	uint32_t stretch;
	uint32_t from,
		to; /* places of calls at whose start it begins and ends; from: or NO_CALL, the whole */
	bool minus;	 /* of the second walk */
	bool direct;	 /* of the first one, before it has moved */
	uint64_t answer; /* for stretch_pieces.h */
};

struct stretch_visits {
	ARRAY(struct stretch_visit) list;
};

/*
 * Append what the walks from both places visit, the latest first.  *known becomes false if it cannot be known:
 * where clocks contradict each other, or after too many moves.  Then visits are incomplete.  passes: NULL, or
 * one byte for each stretch, to be set for those at whose wait the first walk moves.
 */
int stretch_walk(struct stretch_visits *visits, const struct stretches *stretches,
		 struct stretch_entry first, struct stretch_entry second, bool *known,
		 unsigned char *passes, struct error *err);

#endif
