/* What patterns are made of: computation, and rounds of messages. */
#include "schedgen/pattern/pattern_kinds.h"

#include "common/hash.h"

#include <math.h>

uint64_t pattern_hash(uint64_t seed, uint64_t a, uint64_t b)
{
	return mix64(mix64_add(seed, a) ^ b);
}

int pattern_compute(struct pattern *pattern, uint64_t ns, struct error *err)
{
	const struct pattern_options *options = &pattern->options;
	const uint64_t hash = pattern_hash(options->seed, pattern->rank, pattern->computations++);
	uint32_t op;

	if (options->jitter > 0) {
		/* Pseudo-random number, evenly distributed in [-1, 1). */
		const double vary = ldexp((double)(hash >> 11), -52) - 1;

		ns = (uint64_t)llround((double)ns * (1 + options->jitter * vary));
	}
	if (!ns)
		return 0;
	TRY(goal_builder_calc(&pattern->builder, ns, &op, err));
	TRY(frontier_before(&pattern->frontier, op, &pattern->builder, err));
	return frontier_set(&pattern->frontier, op, false, err);
}

static int add_to_round(struct pattern *pattern, const struct goal_new_op *message,
			struct error *err)
{
	uint32_t op;

	/* Join: a round of n messages after another would have n^2 dependencies. */
	if (!pattern->round.entries.count && pattern->frontier.entries.count > 2)
		TRY(frontier_join(&pattern->frontier, &pattern->builder, err));
	TRY(goal_builder_add(&pattern->builder, message, &op, err));
	TRY(frontier_before(&pattern->frontier, op, &pattern->builder, err));
	return frontier_add(&pattern->round, op, false, err);
}

int pattern_send(struct pattern *pattern, uint64_t bytes, uint32_t to, uint32_t tag,
		 struct error *err)
{
	return add_to_round(
		pattern,
		&(struct goal_new_op){.kind = GOAL_SEND, .size = bytes, .peer = to, .tag = tag},
		err);
}

int pattern_recv(struct pattern *pattern, uint64_t bytes, uint32_t from, uint32_t tag,
		 struct error *err)
{
	return add_to_round(
		pattern,
		&(struct goal_new_op){.kind = GOAL_RECV, .size = bytes, .peer = from, .tag = tag},
		err);
}

void pattern_round_end(struct pattern *pattern)
{
	struct frontier before = pattern->frontier;

	if (!pattern->round.entries.count)
		return;
	pattern->frontier = pattern->round;
	pattern->round = before;
	pattern->round.entries.count = 0;
}
