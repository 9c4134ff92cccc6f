/*
 * The rules of the model: costs of the edges of the execution graph (doc/model.md).
 *
 * A rule has a coefficient of every variable, and one per byte of the message.  Only the
 * table of rules and the functions that choose a rule contain the equations.
 */
#ifndef LLAMP_COST_RULES_H
#define LLAMP_COST_RULES_H

#include "goal/goal.h"
#include "llamp/network/loggps.h"

/* B = (s - 1) G for a message of s > 0 bytes, else 0. */
enum cost_rule {
	COST_NONE,		/* nothing but ns */
	COST_OVERHEAD,		/* o */
	COST_EAGER,		/* o + L + B */
	COST_READ_REQUEST,	/* o + L */
	COST_READ_RECV,		/* o + 2L + B */
	COST_READ_SEND,		/* o + 3L + B */
	COST_PAPER_REQUEST,	/* L */
	COST_PAPER_RECV,	/* 2o + 3L + B */
	COST_PAPER_SEND,	/* 3o + 3L + B */
	COST_GAP,		/* g */
	COST_TRANSFER,		/* s G */
	COST_RULE_COUNT,
};

struct cost_coefficients {
	uint8_t each[LOGGPS_COUNT], per_byte[LOGGPS_COUNT];
};

extern const struct cost_coefficients cost_rules[COST_RULE_COUNT];

struct cost {
	uint64_t ns;
	uint64_t bytes;		/* s - 1 where the rule has B, s for COST_TRANSFER, else 0 */
	enum cost_rule rule;
};

/* The coefficient of a variable in a cost. */
static inline uint64_t cost_coefficient(const struct cost *cost, uint32_t variable)
{
	const struct cost_coefficients *rule = &cost_rules[cost->rule];

	return variable < LOGGPS_COUNT
		       ? rule->each[variable] + rule->per_byte[variable] * cost->bytes
		       : 0;
}

static inline bool message_is_rendezvous(const struct loggps *loggps, uint64_t bytes)
{
	return bytes > loggps->S;
}

/* Bytes that B = (s - 1) G charges: s - 1. */
static inline uint64_t message_charged(uint64_t bytes)
{
	return bytes ? bytes - 1 : 0;
}

/*
 * Cost from the start of an operation to the operations that `irequire` it, and to the end of
 * a calc or an eager send.
 */
static inline struct cost cost_busy(const struct goal_op *op)
{
	if (op->kind == GOAL_CALC)
		return (struct cost){.ns = op->size};
	return (struct cost){.rule = op->kind == GOAL_SEND ? COST_OVERHEAD : COST_NONE};
}

/* Cost from the start of a send of `bytes` to the match. */
static inline struct cost cost_message(const struct loggps *loggps, uint64_t bytes)
{
	if (!message_is_rendezvous(loggps, bytes) || loggps->rendezvous == RENDEZVOUS_SYNC)
		return (struct cost){.rule = COST_EAGER, .bytes = message_charged(bytes)};
	return (struct cost){.rule = loggps->rendezvous == RENDEZVOUS_READ ? COST_READ_REQUEST
									   : COST_PAPER_REQUEST};
}

/* Cost from the match to the end of the receive, or to that of a rendezvous send. */
static inline struct cost cost_after_match(const struct loggps *loggps, uint64_t bytes,
					   enum goal_kind kind)
{
	const bool send = kind == GOAL_SEND;

	if (!message_is_rendezvous(loggps, bytes) || loggps->rendezvous == RENDEZVOUS_SYNC)
		return (struct cost){.rule = COST_OVERHEAD};
	if (loggps->rendezvous == RENDEZVOUS_READ)
		return (struct cost){.rule = send ? COST_READ_SEND : COST_READ_RECV,
				     .bytes = message_charged(bytes)};
	return (struct cost){.rule = send ? COST_PAPER_SEND : COST_PAPER_RECV,
			     .bytes = message_charged(bytes)};
}

/* Whether g keeps apart successive sends of a rank that no path connects. */
static inline bool gaps_are_on(const struct loggps *loggps)
{
	return variable_is_on(&loggps->variables.of[VARIABLE_g]);
}

#endif
