/*
 * Classes of messages: what "one L", "one G" and "one o" of a message are made of.
 *
 * The rules of the model (llamp/graph/cost_rules.h) say how many L, o and bytes a message costs.
 * In the plain model these are the variables L, o and G.  In a network with links of several
 * kinds, with nodes, or with parameters by size, its class says which variables take their place:
 *
 *	one L		the sum of count * variable over the links of the class
 *	one o		its variable o
 *	a byte's G	its variable G
 *
 * g and O are the same for all classes.
 */
#ifndef LLAMP_MESSAGE_CLASS_H
#define LLAMP_MESSAGE_CLASS_H

#include <stdbool.h>
#include <stdint.h>

/* Links of a topology and its switches. */
enum { CLASS_MOST_LINKS = 17 };

struct class_link {
	uint32_t variable, count; /* count is above 0 */
};

struct message_class {
	uint32_t o, G; /* variables */
	uint32_t link_count;
	struct class_link links[CLASS_MOST_LINKS]; /* the rest is 0 */
};

/* The class of all messages of the plain model, and of operations that are no messages. */
extern const struct message_class message_class_plain;

#endif
