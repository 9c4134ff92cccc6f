/*
 * What receives with wildcards got in a text trace, which does not tell.
 *
 * All messages and receives of all ranks are noted first.  Messages that receives with
 * source and tag ask for are theirs, and so on for receives of one source or one tag; the
 * rest is for those of any.  Where that is of one source, it is known what a receive got,
 * for messages of one source come in order; where several sources are left, messages are
 * taken in the order in which they were sent, which is a guess.
 */
#ifndef TRACE_LIBALLPROF_MATCH_H
#define TRACE_LIBALLPROF_MATCH_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

enum { LIBALLPROF_ANY = -1 };

/* A message to the world rank `receiver`; source and tag are those of the communicator. */
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

/* Begins with zero bytes. */
struct liballprof_match {
	ARRAY(struct liballprof_sent) sent;
	ARRAY(struct liballprof_posted) posted;	/* after liballprof_match_solve: what was got */
	ARRAY(uint64_t) wild;			/* those with wildcards: in posted */
	ARRAY(uint64_t) first_wild;		/* of each rank, in wild */
};

/* The messages and receives of the next rank follow, which are noted in its order. */
int liballprof_match_begin_rank(struct liballprof_match *match, struct error *err);
int liballprof_match_send(struct liballprof_match *match, const struct liballprof_sent *sent,
			  struct error *err);
int liballprof_match_post(struct liballprof_match *match, const struct liballprof_posted *posted,
			  struct error *err);

/* Find what all receives got; those for which nothing is left keep their wildcards. */
int liballprof_match_solve(struct liballprof_match *match, struct error *err);

/* The n-th receive with wildcards of a rank, from 0; NULL if there is none. */
const struct liballprof_posted *liballprof_match_wild(const struct liballprof_match *match,
						      uint32_t rank,
						      uint64_t n);

void liballprof_match_release(struct liballprof_match *match);

#endif
