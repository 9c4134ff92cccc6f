/*
 * What receives with wildcards got in a text trace, which does not tell.
 *
 * All messages and receives of all ranks are noted first.  Messages that receives with
 * source and tag ask for are theirs, and so on for receives of one source or one tag; the
 * rest is for those of any.  Where that is of one source, it is known what a receive got,
 * for messages of one source come in order; where several sources are left, messages are
 * taken in the order in which they were sent, which is a guess.
 */
#ifndef TRACE_TEXT_MATCH_H
#define TRACE_TEXT_MATCH_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

enum { TEXT_ANY = -1 };

/* A message to the world rank `receiver`; source and tag are those of the communicator. */
struct text_sent {
	uint32_t comm, receiver;
	int32_t source, tag;
	uint64_t time_ns;
	uint64_t number;	/* set by text_match_send: order among all */
};

/* A receive that the rank posts: source and tag may be TEXT_ANY. */
struct text_posted {
	uint32_t comm, receiver;
	int32_t source, tag;
	bool cancelled, guessed;
};

/* Begins with zero bytes. */
struct text_match {
	ARRAY(struct text_sent) sent;
	ARRAY(struct text_posted) posted;	/* after text_match_solve: what was got */
	ARRAY(uint64_t) wild;			/* those with wildcards: in posted */
	ARRAY(uint64_t) first_wild;		/* of each rank, in wild */
};

/* The messages and receives of the next rank follow, which are noted in its order. */
int text_match_begin_rank(struct text_match *match, struct error *err);
int text_match_send(struct text_match *match, const struct text_sent *sent, struct error *err);
int text_match_post(struct text_match *match, const struct text_posted *posted, struct error *err);

/* Find what all receives got; those for which nothing is left keep their wildcards. */
int text_match_solve(struct text_match *match, struct error *err);

/* The n-th receive with wildcards of a rank, from 0; NULL if there is none. */
const struct text_posted *text_match_wild(const struct text_match *match, uint32_t rank,
					  uint64_t n);

void text_match_release(struct text_match *match);

#endif
