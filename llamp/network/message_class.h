/*
 * Classes of messages: what "one L", "one o" and "one G" of a message are made of.
 *
 * The rules of the model (llamp/graph/cost_rules.h) say how often a message costs L, o, G, g and
 * O: the symbols of the rules.  In the plain model each symbol is the variable of this name.  In a
 * network with links of several kinds, with nodes, or with parameters by size, the class of the
 * message has sums of variables in their place:
 *
 *	one symbol = sum of count * variable over the terms of the symbol
 */
#ifndef LLAMP_MESSAGE_CLASS_H
#define LLAMP_MESSAGE_CLASS_H

#include "llamp/network/loggps.h"

/* The plain terms, those of sizes, links of a topology and its switches. */
enum { CLASS_MOST_TERMS = LOGGPS_COUNT + 3 + 16 + 1 };

struct class_term {
	uint32_t symbol;	/* VARIABLE_L, ... */
	uint32_t variable, count;	/* count is above 0 */
};

struct message_class {
	uint32_t within_node;	/* 1: within a node that has variables of its own; it needs no NIC */
	uint32_t term_count;
	struct class_term terms[CLASS_MOST_TERMS];	/* the rest is 0 */
};

/* The class of all messages of the plain model, and of operations that are no messages. */
extern const struct message_class message_class_plain;

#endif
