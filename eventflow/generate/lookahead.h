/*
 * What later calls of a rank tell of earlier ones: the message that a posted receive was for, what
 * a collective that was begun is, what a persistent request does, what a probe looks for, whom a
 * group is for.
 */
#ifndef EVENTFLOW_LOOKAHEAD_H
#define EVENTFLOW_LOOKAHEAD_H

#include "eventflow/generate/rank_calls.h"

/* Fill what later calls tell; program, flow and rank are set.  Release also after an error. */
int look_ahead(struct rank_calls *calls, struct error *err);
void look_ahead_release(struct rank_calls *calls);

#endif
