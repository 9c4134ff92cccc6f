/*
 * A step of the training of a neural network (doc/patterns.md).
 *
 * Its three kinds of groups: the ranks of a tensor group hold parts of the same
 * layers, the stages of a pipeline follow each other, and the ranks of a data
 * group hold the same parameters.  Rank = tensor place + tensor * (data place +
 * data * stage), as in Megatron-LM (D. Narayanan et al., "Efficient large-scale
 * language model training on GPU clusters using Megatron-LM", SC 2021).
 */
#include "common/units.h"
#include "schedgen/pattern/pattern_kinds.h"

#include <string.h>

enum { TAG_TENSOR, TAG_FORWARD, TAG_BACKWARD, TAG_DATA };
enum { MOST_PARTS = 1000000 };	/* buckets, micro-batches: keeps products within 64 bits */

static int set(struct pattern *pattern, char *name, struct error *err)
{
	const struct {
		const char *name;
		uint64_t *target;
	} counts[] = {
		{"tensor", &pattern->training.tensor},
		{"pipeline", &pattern->training.pipeline},
		{"buckets", &pattern->training.buckets},
		{"micro-batches", &pattern->training.micro_batches},
	};
	char *value = strchr(name, '=');

	if (!value)
		return error_set(err, STATUS_USAGE, "'%s' is not of the form NAME=VALUE", name);
	*value++ = '\0';
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (!strcmp(name, counts[i].name))
			return parse_count(value, 1, MOST_PARTS, counts[i].target, err);
	if (!strcmp(name, "activation"))
		return parse_bytes(value, &pattern->training.activation_bytes, err);
	return error_set(err, STATUS_USAGE, "unknown setting '%s' (expected %s)", name,
			 pattern->kind->settings);
}

static int read_settings(struct pattern *pattern, const char *settings, struct error *err)
{
	char copy[256], *next = copy, *name;

	if (!settings)
		return 0;
	if (strlen(settings) >= sizeof copy)
		return error_set(err, STATUS_USAGE, "the settings are too long");
	strcpy(copy, settings);
	while ((name = strsep(&next, ",")))
		TRY(set(pattern, name, err));
	return 0;
}

/* Closed form of doc/patterns.md.  The number of operations is twice as large. */
static double messages(const struct pattern *pattern)
{
	const double tensor = (double)pattern->training.tensor;
	const double data = (double)pattern->training.data;
	const double stages = (double)pattern->training.pipeline;
	const double passes = 2 * (double)pattern->training.micro_batches;

	return tensor * data * stages * passes * 2 * (tensor - 1) +
	       tensor * data * stages * (double)pattern->training.buckets * 2 * (data - 1) +
	       tensor * data * (stages - 1) * passes;
}

int pattern_training_prepare(struct pattern *pattern, const char *settings, struct error *err)
{
	const uint32_t ranks = pattern->options.ranks;
	uint64_t members;

	pattern->training.tensor = pattern->training.pipeline = 1;
	pattern->training.buckets = 4;
	pattern->training.activation_bytes = pattern->options.bytes;
	TRY(read_settings(pattern, settings, err));
	if (!pattern->training.micro_batches)
		pattern->training.micro_batches = pattern->training.pipeline;
	members = pattern->training.tensor * pattern->training.pipeline;
	if (ranks % members)
		return error_set(err, STATUS_USAGE,
				 "ranks: %u is no multiple of tensor * pipeline = %llu",
				 (unsigned)ranks, (unsigned long long)members);
	pattern->training.data = ranks / members;
	if (2 * messages(pattern) >= (double)UINT32_MAX)
		return error_set(err, STATUS_LIMIT, "an iteration has 2^32 operations or more");
	members = pattern->training.data > pattern->training.tensor ? pattern->training.data
								    : pattern->training.tensor;
	return allocate(&pattern->training.group, members, sizeof *pattern->training.group, err);
}

/* Add up a vector by a ring among `size` ranks, `stride` apart, this one being at `place`. */
static int training_add_up(struct pattern *pattern, struct frontier *frontier, uint32_t size,
			   uint32_t stride, uint32_t place, uint64_t bytes, uint32_t tag,
			   struct error *err)
{
	uint32_t *group = pattern->training.group;
	const struct collective call = {
		.kind = COLL_ALLREDUCE, .size = size, .rank = place, .world = group, .tag = tag,
		.block_bytes = bytes, .reduce_ns_per_byte = pattern->options.reduce_ns_per_byte,
	};

	if (size == 1)
		return 0;
	for (uint32_t i = 0; i < size; i++)
		group[i] = pattern->rank - place * stride + i * stride;
	return coll_generate(coll_find(COLL_ALLREDUCE, "ring"), &call, &pattern->builder, frontier,
			     err);
}

static int add_up_activation(struct pattern *pattern, struct error *err)
{
	const uint32_t tensor = (uint32_t)pattern->training.tensor;

	return training_add_up(pattern, &pattern->frontier, tensor, 1, pattern->rank % tensor,
			       pattern->training.activation_bytes, TAG_TENSOR, err);
}

/* Reduce the buckets one after the other, concurrent with the backward pass. */
static int add_up_bucket(struct pattern *pattern, uint64_t bucket, struct error *err)
{
	const uint32_t tensor = (uint32_t)pattern->training.tensor;
	const uint32_t data = (uint32_t)pattern->training.data;
	const uint64_t count = pattern->training.buckets, bytes = pattern->options.bytes;

	const uint64_t part = bytes / count + (bucket < bytes % count);

	if (data == 1 || !part)
		return 0;
	TRY(frontier_add_all(&pattern->side, &pattern->frontier, err));
	return training_add_up(pattern, &pattern->side, data, tensor, pattern->rank / tensor % data,
			       part, TAG_DATA, err);
}

/* Pass a micro-batch through this stage.  The last backward pass completes the gradients. */
static int pass(struct pattern *pattern, bool back, bool last, struct error *err)
{
	const uint32_t stride = (uint32_t)(pattern->training.tensor * pattern->training.data);
	const uint64_t stage = pattern->rank / stride;
	const bool first_stage = stage == 0, last_stage = stage + 1 == pattern->training.pipeline;
	const uint64_t bytes = pattern->training.activation_bytes;
	const uint32_t before = pattern->rank - stride, after = pattern->rank + stride;
	const uint32_t tag = back ? TAG_BACKWARD : TAG_FORWARD;
	const uint64_t parts = back && last ? pattern->training.buckets : 1;
	/* A pass back computes twice as much: gradients of the inputs and of the parameters. */
	const uint64_t ns = pattern->options.compute_ns * (back ? 2 : 1);

	if (back ? !last_stage : !first_stage)
		TRY(pattern_recv(pattern, bytes, back ? after : before, tag, err));
	pattern_round_end(pattern);
	for (uint64_t i = 0; i < parts; i++) {
		TRY(pattern_compute(pattern, ns / parts + (i < ns % parts), err));
		if (back && last)
			TRY(add_up_bucket(pattern, i, err));
	}
	TRY(add_up_activation(pattern, err));
	if (back ? !first_stage : !last_stage)
		TRY(pattern_send(pattern, bytes, back ? before : after, tag, err));
	pattern_round_end(pattern);
	return 0;
}

/* All micro-batches forward, then all back (Y. Huang et al., "GPipe", NeurIPS 2019). */
int pattern_training(struct pattern *pattern, struct error *err)
{
	const uint64_t batches = pattern->training.micro_batches;

	pattern->side.entries.count = 0;
	for (uint64_t i = 0; i < batches; i++)
		TRY(pass(pattern, false, i + 1 == batches, err));
	for (uint64_t i = 0; i < batches; i++)
		TRY(pass(pattern, true, i + 1 == batches, err));
	return frontier_add_all(&pattern->frontier, &pattern->side, err);
}
