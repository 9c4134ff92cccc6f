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

/* Steps of a message by rendezvous, each a rule for each protocol (RENDEZVOUS_PROTOCOLS). */
enum rendezvous_step {
	STEP_ANNOUNCEMENT, /* from the start of the send to the match */
	STEP_RECV,	   /* from the match to the end of the receive */
	STEP_SEND,	   /* from the match to the end of the send */
	STEP_INJECTION,	   /* from the match to the injection of the data; L and B follow */
	STEP_DATA,	   /* from the match to where the data is there */
	STEP_REPORT,	   /* from the end of the receive to that of the send */
	STEP_COUNT,
};

#define COST_OF_PROTOCOL(protocol, ...)                                                 \
	COST_##protocol##_ANNOUNCEMENT, COST_##protocol##_RECV, COST_##protocol##_SEND, \
		COST_##protocol##_INJECTION, COST_##protocol##_DATA, COST_##protocol##_REPORT,

/* B = (s - 1) G for a message of s > 0 bytes, else 0; each o is o + s O. */
enum cost_rule {
	COST_NONE,     /* nothing but ns */
	COST_OVERHEAD, /* o */
	COST_EAGER,    /* o + L + B */
	COST_LATENCY,  /* L */
	COST_BYTES,    /* B: from the first byte to the last */
	COST_NIC,      /* B: a NIC is busy with another message; g is off */
	COST_NIC_GAP,  /* g + B: the same, g is on */
	COST_GAP,      /* g */
	COST_TRANSFER, /* s G */
	COST_RENDEZVOUS,
	COST_BEFORE_RENDEZVOUS_ = COST_RENDEZVOUS - 1,
	RENDEZVOUS_PROTOCOLS(COST_OF_PROTOCOL)
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

static inline enum cost_rule rendezvous_rule(const struct loggps *loggps, enum rendezvous_step step)
{
	return (enum cost_rule)(COST_RENDEZVOUS + (int)loggps->rendezvous * STEP_COUNT + step);
}

/* Whether a message waits for its receive to be posted before its data moves. */
static inline bool message_is_announced(const struct loggps *loggps, uint64_t bytes)
{
	return message_is_rendezvous(loggps, bytes) &&
	       !cost_rules[rendezvous_rule(loggps, STEP_ANNOUNCEMENT)].per_byte[VARIABLE_G];
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

/* Cost of a step of a message by rendezvous. */
static inline struct cost cost_rendezvous(const struct loggps *loggps, enum rendezvous_step step,
					  uint64_t bytes, uint32_t class)
{
	const enum cost_rule rule = rendezvous_rule(loggps, step);

	return (struct cost){
		.rule = rule,
		.class = class,
		.bytes = cost_rules[rule].per_byte[VARIABLE_G] ? message_charged(bytes) : 0,
		.size = cost_rules[rule].per_size[VARIABLE_O] ? message_handled(loggps, bytes) : 0,
	};
}

/* Cost from the start of a send of `bytes` to the match. */
static inline struct cost cost_message(const struct loggps *loggps, uint64_t bytes, uint32_t class)
{
	if (message_is_rendezvous(loggps, bytes))
		return cost_rendezvous(loggps, STEP_ANNOUNCEMENT, bytes, class);
	return (struct cost){.rule = COST_EAGER,
			     .class = class,
			     .bytes = message_charged(bytes),
			     .size = message_handled(loggps, bytes)};
}

/* Cost from the match to the end of the receive, or to that of a rendezvous send. */
static inline struct cost cost_after_match(const struct loggps *loggps, uint64_t bytes,
					   uint32_t class, enum goal_kind kind)
{
	if (message_is_rendezvous(loggps, bytes))
		return cost_rendezvous(loggps, kind == GOAL_SEND ? STEP_SEND : STEP_RECV, bytes,
				       class);
	return cost_overhead(loggps, bytes, class);
}

/* Whether g keeps apart successive sends of a rank that no path connects. */
static inline bool gaps_are_on(const struct loggps *loggps)
{
	return variable_is_on(&loggps->variables.of[VARIABLE_g]) &&
	       !(loggps->resources & RESOURCE_NIC);
}

#endif
