/*
 * The rules of the model: costs of the edges of the execution graph (doc/model.md).
 *
 * A rule has a coefficient of each of L, o, G, g and O, and two per byte of the message.  The
 * class of the message tells which variables L, o and G are.  Only the table of rules and the
 * functions that choose a rule contain the equations.
 */
#ifndef LLAMP_COST_RULES_H
#define LLAMP_COST_RULES_H

#include "goal/goal.h"
#include "llamp/network/loggps.h"
#include "llamp/network/message_class.h"

/* B = (s - 1) G for a message of s > 0 bytes, else 0; each o is o + s O. */
enum cost_rule {
	COST_NONE,		/* nothing but ns */
	COST_OVERHEAD,		/* o */
	COST_EAGER,		/* o + L + B */
	COST_READ_REQUEST,	/* o + L */
	COST_READ_RECV,		/* o + 2L + B */
	COST_READ_SEND,		/* o + 3L + B */
	COST_LATENCY,		/* L: also the request of the paper's protocol */
	COST_PAPER_RECV,	/* 2o + 3L + B */
	COST_PAPER_SEND,	/* 3o + 3L + B */
	/* With resources, where a rendezvous has more events: */
	COST_READ_DATA,		/* 2L + B */
	COST_PAPER_CLEAR,	/* o + 2L */
	COST_PAPER_DATA,	/* o + 3L + B */
	COST_BYTES,		/* B: from the first byte to the last */
	COST_NIC,		/* B: a NIC is busy with another message; g is off */
	COST_NIC_GAP,		/* g + B: the same, g is on */
	COST_GAP,		/* g */
	COST_TRANSFER,		/* s G */
	COST_RULE_COUNT,
};

/* Coefficients of L, o, ...: each + per_byte * cost.bytes + per_size * cost.size. */
struct cost_coefficients {
	uint8_t each[LOGGPS_COUNT], per_byte[LOGGPS_COUNT], per_size[LOGGPS_COUNT];
};

extern const struct cost_coefficients cost_rules[COST_RULE_COUNT];

struct cost {
	uint64_t ns;
	uint64_t bytes;		/* s - 1 where the rule has B, s for COST_TRANSFER, else 0 */
	uint64_t size;		/* s where the rule has o and O is on, else 0 */
	enum cost_rule rule;
	uint32_t class;		/* of the message; 0, the plain one, where the rule has no message */
};

/* How often a cost has the L, o, ... of its message: `symbol` is VARIABLE_L, ... */
static inline uint64_t cost_symbol(const struct cost *cost, uint32_t symbol)
{
	const struct cost_coefficients *rule = &cost_rules[cost->rule];

	return rule->each[symbol] + rule->per_byte[symbol] * cost->bytes +
	       rule->per_size[symbol] * cost->size;
}

/* The coefficient of a variable in a cost of a message of this class. */
static inline uint64_t cost_coefficient(const struct message_class *class, const struct cost *cost,
					uint32_t variable)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < class->term_count; i++)
		if (class->terms[i].variable == variable)
			sum += class->terms[i].count * cost_symbol(cost, class->terms[i].symbol);
	return sum;
}

static inline bool message_is_rendezvous(const struct loggps *loggps, uint64_t bytes)
{
	return bytes > loggps->S;
}

/* Whether a message waits for its receive to be posted before its data moves. */
static inline bool message_is_announced(const struct loggps *loggps, uint64_t bytes)
{
	return message_is_rendezvous(loggps, bytes) && loggps->rendezvous != RENDEZVOUS_SYNC;
}

/* Bytes that B = (s - 1) G charges: s - 1. */
static inline uint64_t message_charged(uint64_t bytes)
{
	return bytes ? bytes - 1 : 0;
}

/* The bytes that O charges: s, or 0 while O is off. */
static inline uint64_t message_handled(const struct loggps *loggps, uint64_t bytes)
{
	return variable_is_on(&loggps->variables.of[VARIABLE_O]) ? bytes : 0;
}

/* The overhead of a message at one side: o + s O. */
static inline struct cost cost_overhead(const struct loggps *loggps, uint64_t bytes,
					uint32_t class)
{
	return (struct cost){.rule = COST_OVERHEAD, .class = class,
			     .size = message_handled(loggps, bytes)};
}

/*
 * Cost from the start of an operation to the operations that `irequire` it, and to the end of
 * a calc or an eager send.
 */
static inline struct cost cost_busy(const struct loggps *loggps, const struct goal_op *op,
				    uint32_t class)
{
	if (op->kind == GOAL_CALC)
		return (struct cost){.ns = op->size};
	return op->kind == GOAL_SEND ? cost_overhead(loggps, op->size, class)
				     : (struct cost){0};
}

/* Cost from the start of a send of `bytes` to the match. */
static inline struct cost cost_message(const struct loggps *loggps, uint64_t bytes,
				       uint32_t class)
{
	if (!message_is_rendezvous(loggps, bytes) || loggps->rendezvous == RENDEZVOUS_SYNC)
		return (struct cost){.rule = COST_EAGER, .class = class,
				     .bytes = message_charged(bytes),
				     .size = message_handled(loggps, bytes)};
	if (loggps->rendezvous == RENDEZVOUS_PAPER)
		return (struct cost){.rule = COST_LATENCY, .class = class};
	return (struct cost){.rule = COST_READ_REQUEST, .class = class,
			     .size = message_handled(loggps, bytes)};
}

/* Cost from the match to the end of the receive, or to that of a rendezvous send. */
static inline struct cost cost_after_match(const struct loggps *loggps, uint64_t bytes,
					   uint32_t class, enum goal_kind kind)
{
	const bool send = kind == GOAL_SEND;

	if (!message_is_rendezvous(loggps, bytes) || loggps->rendezvous == RENDEZVOUS_SYNC)
		return cost_overhead(loggps, bytes, class);
	return (struct cost){
		.class = class,
		.rule = loggps->rendezvous == RENDEZVOUS_READ
				? (send ? COST_READ_SEND : COST_READ_RECV)
				: (send ? COST_PAPER_SEND : COST_PAPER_RECV),
		.bytes = message_charged(bytes),
		.size = message_handled(loggps, bytes),
	};
}

/* From the match of a rendezvous to the injection of its data (read and paper). */
static inline struct cost cost_match_to_injection(const struct loggps *loggps, uint64_t bytes,
						  uint32_t class)
{
	if (loggps->rendezvous == RENDEZVOUS_READ)
		return (struct cost){.rule = COST_LATENCY, .class = class};
	return (struct cost){.rule = COST_PAPER_CLEAR, .class = class,
			     .size = message_handled(loggps, bytes)};
}

/* From the match of a rendezvous to where its data is there: without a NIC (read and paper). */
static inline struct cost cost_match_to_completion(const struct loggps *loggps, uint64_t bytes,
						   uint32_t class)
{
	if (loggps->rendezvous == RENDEZVOUS_READ)
		return (struct cost){.rule = COST_READ_DATA, .class = class,
				     .bytes = message_charged(bytes)};
	return (struct cost){.rule = COST_PAPER_DATA, .class = class,
			     .bytes = message_charged(bytes),
			     .size = message_handled(loggps, bytes)};
}

/* From the end of a receive to the end of its rendezvous send. */
static inline struct cost cost_send_after_recv(const struct loggps *loggps, uint64_t bytes,
					       uint32_t class)
{
	if (loggps->rendezvous == RENDEZVOUS_PAPER)
		return cost_overhead(loggps, bytes, class);
	return (struct cost){
		.rule = loggps->rendezvous == RENDEZVOUS_READ ? COST_LATENCY : COST_NONE,
		.class = class,
	};
}

/* Whether g keeps apart successive sends of a rank that no path connects. */
static inline bool gaps_are_on(const struct loggps *loggps)
{
	return variable_is_on(&loggps->variables.of[VARIABLE_g]) &&
	       !(loggps->resources & RESOURCE_NIC);
}

#endif
