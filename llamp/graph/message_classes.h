/*
 * The classes of the messages of a graph (llamp/network/message_class.h).
 *
 * There are few: one for each combination of a row of sizes, and of links on a route between
 * hosts.  Only those that a message has are made.  Class 0 is the plain one.
 */
#ifndef LLAMP_MESSAGE_CLASSES_H
#define LLAMP_MESSAGE_CLASSES_H

#include "goal/goal.h"
#include "goal/match.h"
#include "llamp/network/loggps.h"
#include "llamp/network/network.h"

struct message_classes {
	const struct message_class *list;
	uint32_t count;
	struct message_class *owned; /* the list, unless it is that of the plain model */
	uint16_t *of_op;	     /* [operation]: number of its class; NULL: all are plain */
	/*
	 * With limited links: class of the latency of a link of class 0 that a switch follows, and
	 * after it of one at which a route ends; then those of class 1 and so on.
	 */
	uint32_t first_link;
};

/*
 * Classify all messages, in linear time.  Without a network all are plain.  Without a matching only
 * sends have classes.  A rank without a
 * host is STATUS_DATA, and more than 65535 classes are STATUS_LIMIT.  On failure there is nothing
 * to release.
 */
int message_classes_find(struct message_classes *classes, const struct goal *goal,
			 const struct goal_matching *matching, const struct loggps *loggps,
			 struct error *err);
void message_classes_release(struct message_classes *classes);

#endif
