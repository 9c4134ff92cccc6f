#include "schedgen/pattern/pattern_kinds.h"

#include "common/hash.h"
#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const struct pattern_kind pattern_kinds[] = {
	{"halo-1d", "exchange N bytes with both neighbours in a ring", NULL, pattern_grid_1,
	 pattern_halo},
	{"halo-2d", "exchange N bytes with the 4 neighbours in a periodic grid", NULL,
	 pattern_grid_2, pattern_halo},
	{"halo-3d", "likewise with 6 neighbours", NULL, pattern_grid_3, pattern_halo},
	{"halo-4d", "likewise with 8 neighbours", NULL, pattern_grid_4, pattern_halo},
	{"solver-3d", "halo-3d, then an allreduce of 8 bytes by recursive doubling", NULL,
	 pattern_grid_3, pattern_solver},
	{"pipeline", "each rank receives N bytes from the rank before, computes, sends to the next",
	 NULL, NULL, pattern_pipeline},
	{"bisection", "two random halves, new in each iteration, exchange N bytes in pairs", NULL,
	 NULL, pattern_bisection},
	{"incast", "all send N bytes to rank 0 at once", NULL, NULL, pattern_incast},
	{"outcast", "rank 0 sends N bytes to each of the others at once", NULL, NULL,
	 pattern_outcast},
	{"overlap-sender", "pairs: send N bytes while computing, then wait for an answer", NULL,
	 NULL, pattern_overlap_sender},
	{"overlap-receiver", "pairs: receive N bytes while computing", NULL, NULL,
	 pattern_overlap_receiver},
	{"overlap-both", "pairs: both ranks compute while N bytes go to the other one, and back",
	 NULL, NULL, pattern_overlap_both},
	{"training",
	 "a training step: ring allreduce of N bytes of gradients in buckets beside the "
	 "backward pass, in pipeline and tensor parallel groups",
	 "tensor=RANKS,pipeline=STAGES,buckets=COUNT,micro-batches=COUNT,activation=SIZE",
	 pattern_training_prepare, pattern_training},
	{0},
};

bool pattern_is_random(const char *name)
{
	for (const struct pattern_kind *kind = pattern_kinds; kind->name; kind++)
		if (kind->iterate == pattern_bisection &&
		    strlen(kind->name) == strcspn(name, ":") &&
		    !strncmp(name, kind->name, strlen(kind->name)))
			return true;
	return false;
}

bool pattern_reduces(const char *name)
{
	static const char *const beginnings[] = {"reduce", "allreduce", "scan",
						 "exscan", "solver-3d", "training"};

	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

bool pattern_overlaps(const char *name)
{
	return !strncmp(name, "overlap-", strlen("overlap-"));
}

static const struct pattern_kind collective_kind = {.iterate = pattern_collective};

/* Set the call to one between the two halves of the ranks, with rank 0 as its root. */
static int set_halves(const struct pattern *pattern, struct collective *call, struct error *err)
{
	const uint32_t first = call->size / 2, all = call->size;

	call->first_group = call->rank < first;
	call->size = call->first_group ? first : all - first;
	call->remote_size = all - call->size;
	call->world = pattern->ranks + (call->first_group ? 0 : first);
	call->remote_world = pattern->ranks + (call->first_group ? first : 0);
	call->root_place = !call->rank	       ? COLL_ROOT_SELF
			   : call->first_group ? COLL_ROOT_BESIDE
					       : COLL_ROOT_REMOTE;
	call->rank -= call->first_group ? 0 : first;
	call->remote_bytes = call->block_bytes;
	if (call->kind != COLL_INTER_REDUCE_SCATTER &&
	    call->kind != COLL_INTER_REDUCE_SCATTER_BLOCK)
		return 0;
	if (__builtin_mul_overflow(call->block_bytes, (uint64_t)call->size * call->remote_size,
				   &call->block_bytes))
		return error_set(err, STATUS_LIMIT, "the vector has 2^64 bytes or more");
	return 0;
}

/* Run a collective.  Neighbours are the neighbours in a ring. */
int pattern_collective(struct pattern *pattern, struct error *err)
{
	const struct pattern_options *options = &pattern->options;
	const uint64_t bytes[] = {options->bytes, options->bytes};
	const uint32_t before = (pattern->rank ? pattern->rank : options->ranks) - 1;
	const uint32_t around[] = {before, (pattern->rank + 1) % options->ranks, before};
	struct collective call = {
		.kind = pattern->choice.algorithm->kind,
		.size = options->ranks,
		.rank = pattern->rank,
		.block_bytes = options->bytes,
		.largest_bytes = options->bytes,
		.sizes_told = true,
		.reduce_ns_per_byte = options->reduce_ns_per_byte,
		.parameters = pattern->choice.parameters,
	};

	if (coll_is_inter(call.kind))
		TRY(set_halves(pattern, &call, err));
	if (coll_is_neighbor(call.kind)) {
		call.destinations = around;
		call.sources = around + 1;
		call.destination_count = call.source_count = 2;
		call.send_bytes = call.receive_bytes = bytes;
	}
	TRY(pattern_compute(pattern, options->compute_ns, err));
	if (!call.size || (coll_is_inter(call.kind) && !call.remote_size))
		return 0; /* one rank has no halves */
	return coll_generate(pattern->choice.algorithm, &call, &pattern->builder,
			     &pattern->frontier, err);
}

/* ---------------------------------------------------------------- patterns */

static int pattern_find(struct pattern *pattern, const char *name, size_t length, struct error *err)
{
	const char *equals = memchr(name, '=', length);
	const int collective = equals ? coll_find_kind(name, (size_t)(equals - name)) : -1;

	if (collective >= 0) {
		pattern->kind = &collective_kind;
		return coll_choice_parse(&pattern->choice, collective, equals + 1, err);
	}
	for (const struct pattern_kind *kind = pattern_kinds; kind->name; kind++) {
		if (strlen(kind->name) == length && !strncmp(kind->name, name, length))
			pattern->kind = kind;
	}
	if (!pattern->kind)
		return error_set(err, STATUS_USAGE,
				 "unknown pattern '%.*s'; --pattern help lists all", (int)length,
				 name);
	return 0;
}

static int too_many(const struct pattern *pattern, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "%" PRIu32 " iteration%s on %" PRIu32 " rank%s: 2^32 operations or more",
			 pattern->options.iterations, plural(pattern->options.iterations),
			 pattern->options.ranks, plural(pattern->options.ranks));
}

static void begin_rank(struct pattern *pattern, uint32_t rank)
{
	goal_builder_clear(&pattern->builder);
	pattern->frontier.entries.count = 0;
	pattern->round.entries.count = 0;
	pattern->side.entries.count = 0;
	pattern->rank = rank;
	pattern->iteration = 0;
	pattern->computations = 0;
}

/*
 * Check for far too many operations before anything is written, from an iteration of three ranks.
 * In every pattern at least one of them has at most twice the average number of operations.
 */
static int estimate(struct pattern *pattern, struct error *err)
{
	const uint32_t ranks = pattern->options.ranks;
	const uint32_t some[] = {0, ranks / 2, ranks - 1};
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		begin_rank(pattern, some[i]);
		TRY(pattern->kind->iterate(pattern, err));
		least = fmin(least, (double)goal_builder_op_count(&pattern->builder));
		most = fmax(most, (double)goal_builder_op_count(&pattern->builder));
	}
	pattern->empty = most == 0 && !pattern->options.compute_ns;
	if (least * pattern->options.iterations * ranks >= ldexp(1, 33))
		return too_many(pattern, err);
	return 0;
}

/* World ranks by number, of which groups are parts. */
static int pattern_list_ranks(struct pattern *pattern, struct error *err)
{
	TRY(allocate(&pattern->ranks, pattern->options.ranks, sizeof *pattern->ranks, err));
	for (uint32_t i = 0; i < pattern->options.ranks; i++)
		pattern->ranks[i] = i;
	return 0;
}

static int open(struct pattern *pattern, const char *name, struct error *err)
{
	const size_t length = strcspn(name, ":");
	const char *settings = name[length] ? name + length + 1 : NULL;

	TRY(pattern_find(pattern, name, length, err));
	pattern->name = strndup(name, length);
	if (!pattern->name)
		return error_set_memory(err, length);
	if (!pattern->options.ranks || !pattern->options.iterations)
		return error_set(err, STATUS_USAGE,
				 "a pattern needs at least one rank and one iteration");
	if (pattern->options.ranks > PATTERN_MOST_RANKS)
		return error_set(err, STATUS_LIMIT, "more than %d ranks", PATTERN_MOST_RANKS);
	if (settings && !pattern->kind->settings && !pattern->choice.algorithm)
		return error_set(err, STATUS_USAGE, "'%.*s' has no settings, but '%s' follows",
				 (int)length, name, settings);
	if (pattern->choice.algorithm && coll_is_inter(pattern->choice.algorithm->kind))
		TRY(pattern_list_ranks(pattern, err));
	if (pattern->kind->prepare)
		TRY(pattern->kind->prepare(pattern, settings, err));
	return estimate(pattern, err);
}

int pattern_open(struct pattern *pattern, const char *name, const struct pattern_options *options,
		 struct error *err)
{
	*pattern = (struct pattern){.options = *options};
	if (open(pattern, name, err) < 0) {
		const bool known = pattern->kind;

		pattern_release(pattern);
		return known ? error_prefix(err, "%s", name) : -1;
	}
	return 0;
}

void pattern_release(struct pattern *pattern)
{
	goal_builder_release(&pattern->builder);
	frontier_release(&pattern->frontier);
	frontier_release(&pattern->round);
	frontier_release(&pattern->side);
	free(pattern->training.group);
	free(pattern->ranks);
	free(pattern->name);
	*pattern = (struct pattern){0};
}

/* Note an iteration as a call.  A computation at its beginning is not part of the call. */
static int note_call(struct pattern *pattern, struct error *err)
{
	const uint32_t first = pattern->builder.calls.op_count;
	struct goal_new_op op = {0};
	struct goal_call call = {
		.function = pattern->name,
		.number = (uint64_t)pattern->iteration + 1,
	};

	if (first < goal_builder_op_count(&pattern->builder))
		TRY(goal_builder_get(&pattern->builder, first, &op, err));
	call.before = pattern->options.compute_ns && op.kind == GOAL_CALC && op.size;
	return goal_builder_call(&pattern->builder, &call, err);
}

/* Predict the operations of the whole rank from its first iteration, before memory runs out. */
int pattern_rank(struct pattern *pattern, uint32_t rank, struct error *err)
{
	const uint32_t iterations = pattern->options.iterations;

	begin_rank(pattern, rank);
	if (pattern->empty)
		return 0;
	for (; pattern->iteration < iterations; pattern->iteration++) {
		TRY(pattern->kind->iterate(pattern, err));
		TRY(note_call(pattern, err));
		if (pattern->iteration == 0 &&
		    (double)pattern->ops +
				    (double)goal_builder_op_count(&pattern->builder) * iterations >=
			    (double)UINT32_MAX)
			return too_many(pattern, err);
	}
	pattern->ops += goal_builder_op_count(&pattern->builder);
	return pattern->ops >= UINT32_MAX ? too_many(pattern, err) : 0;
}

static int count_message(void *data, struct goal_new_op *op, struct error *err)
{
	struct pattern *pattern = data;

	if (op->kind != GOAL_SEND)
		return 0;
	pattern->messages++;
	if (__builtin_add_overflow(pattern->bytes, op->size, &pattern->bytes))
		return error_set(err, STATUS_LIMIT,
				 "the sizes of the messages add up to 2^64 bytes or more");
	return 0;
}

int pattern_write_rank(struct pattern *pattern, struct goal_writer *writer, struct error *err)
{
	TRY(goal_builder_each(&pattern->builder, count_message, pattern, err));
	return goal_writer_rank(writer, &pattern->builder, err);
}
