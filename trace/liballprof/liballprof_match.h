/*
 * Matching of receives with wildcards, whose source and tag a trace of liballprof lacks.
 *
 * First all messages and receives of all ranks are noted.  Receives with source and tag take their
 * messages first, then receives of one source or one tag, then receives of any.  If the messages
 * left are of one source, their order is known.  If they are of several, they are taken in the
 * order of sending, which is a guess.
 */
#ifndef TRACE_LIBALLPROF_MATCH_H
#define TRACE_LIBALLPROF_MATCH_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

enum { LIBALLPROF_ANY = -1 };

/* A message to the world rank `receiver`.  Source and tag refer to the communicator. */
struct liballprof_sent {
	uint32_t comm, receiver;
	int32_t source, tag;
	uint64_t time_ns;
	uint64_t number;	/* set by liballprof_match_send: order among all */
};

/* A receive that the rank posts: source and tag may be LIBALLPROF_ANY. */
struct liballprof_posted {
	uint32_t comm, receiver;
	int32_t source, tag;
	bool cancelled, guessed;
};

/* All messages and receives.  Zero bytes are valid. */
struct liballprof_match {
	ARRAY(struct liballprof_sent) sent;
	ARRAY(struct liballprof_posted) posted;	/* liballprof_match_solve replaces wildcards */
	ARRAY(uint64_t) wild;			/* receives with wildcards: places in posted */
	ARRAY(uint64_t) first_wild;		/* of each rank, in wild */
};

/* Begin the next rank, whose messages and receives follow in the order of its program. */
int liballprof_match_begin_rank(struct liballprof_match *match, struct error *err);
int liballprof_match_send(struct liballprof_match *match, const struct liballprof_sent *sent,
			  struct error *err);
int liballprof_match_post(struct liballprof_match *match, const struct liballprof_posted *posted,
			  struct error *err);

/* Find the messages of all receives.  A receive without a message keeps its wildcards. */
int liballprof_match_solve(struct liballprof_match *match, struct error *err);

/* The n-th receive with wildcards of a rank, from 0, or NULL. */
const struct liballprof_posted *liballprof_match_wild(const struct liballprof_match *match,
						      uint32_t rank,
						      uint64_t n);

void liballprof_match_release(struct liballprof_match *match);

#endif
