/* Pieces of stretches that other processes have (critpath/causes/stretch_pieces.h). */
#ifndef CRITPATH_PIECE_ANSWERS_H
#define CRITPATH_PIECE_ANSWERS_H

#include "critpath/causes/stretch_pieces.h"
#include "critpath/match/rank_owners.h"

/* Answers to the visits that the processes have asked for. */
struct piece_answers {
	struct dist_arrived arrived;
};

/*
 * Collective.  Ask for the visits of ranks of other processes, and set the `answer` of each.  End with
 * piece_answers_release.
 */
int piece_answers_ask(struct piece_answers *answers, struct stretch_pieces *pieces,
		      struct stretch_visits *visits, const struct rank_owners *owners,
		      struct dist *dist, struct error *err);

/* Append the portions of a visit that was asked for, as stretch_pieces_of does. */
int piece_answers_take(const struct piece_answers *answers, struct stretch_pieces *pieces,
		       const struct stretch_visit *visit, struct portions *portions, bool *known,
		       struct error *err);
void piece_answers_release(struct piece_answers *answers);

#endif
