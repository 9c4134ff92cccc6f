#include "goal/goal.h"

#include "common/units.h"
#include "goal/calls_format.h"
#include "goal/image.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define MAKE_GRAPH ": make a graph of it with schedgen"
#define DECOMPRESS ": decompress it first"

/*
 * Whether the file is binary, cut or consumed ones included: text begins with a letter,
 * a blank or a comment.
 */
static int is_binary(const struct input *input)
{
	return input->count > 0 && (input->bytes[0] == (GOAL_COOKIE & 0xff) ||
				    input->bytes[0] == (GOAL_COOKIE_CONSUMED & 0xff));
}

/* Files that are not GOAL but are given for it, by their first bytes. */
static const struct {
	const char *bytes;
	size_t count;
	const char *what;
} other_kinds[] = {
	{"\3BOTF2", 6, "is an OTF2 archive" MAKE_GRAPH},
	{"\3B", 2, "is part of an OTF2 archive" MAKE_GRAPH},
	{"# htor's PMPI Tracer", 20, "is a text trace of liballprof" MAKE_GRAPH},
	{"\x1f\x8b", 2, "is compressed by gzip" DECOMPRESS},
	{"BZh", 3, "is compressed by bzip2" DECOMPRESS},
	{"\xfd" "7zXZ", 5, "is compressed by xz" DECOMPRESS},
	{"\x28\xb5\x2f\xfd", 4, "is compressed by zstd" DECOMPRESS},
};

static int refuse_other_kind(const struct input *input, const char *path, struct error *err)
{
	if (input->count >= 8 && !memcmp(input->bytes, GOAL_CALLS_MAGIC, 8))
		return error_set(err, STATUS_DATA, "%s: these are the calls of a graph: the graph"
				 " is the file without .calls", path);
	for (size_t i = 0; i < sizeof other_kinds / sizeof *other_kinds; i++)
		if (input->count >= other_kinds[i].count &&
		    !memcmp(input->bytes, other_kinds[i].bytes, other_kinds[i].count))
			return error_set(err, STATUS_DATA, "%s: this %s", path,
					 other_kinds[i].what);
	return 0;
}

/* Name the trace that a directory holds. */
static int refuse_trace(const char *path, struct error *err)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	int result = 0;

	while (directory && result == 0 && (entry = readdir(directory))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot && !strcmp(dot, ".otf2"))
			result = error_set(err, STATUS_DATA, "%s: this is an OTF2 archive"
					   MAKE_GRAPH, path);
		else if (!strncmp(entry->d_name, "pmpi-trace-rank-", 16))
			result = error_set(err, STATUS_DATA, "%s: this is a text trace of"
					   " liballprof" MAKE_GRAPH, path);
	}
	if (directory)
		closedir(directory);
	return result;
}

int goal_open(struct goal *goal, const char *path, struct error *err)
{
	struct input input, image;
	int result;

	TRY(refuse_trace(path, err));
	TRY(input_open(&input, path, err));
	if (refuse_other_kind(&input, path, err) < 0) {
		input_release(&input);
		return -1;
	}
	if (is_binary(&input))
		return goal_from_image(goal, &input, path, err);
	result = goal_compile(&input, path, &image, err);
	input_release(&input);
	TRY(result);
	return goal_from_image(goal, &image, path, err);
}

void goal_release(struct goal *goal)
{
	input_release(&goal->image);
	free(goal->ranks);
	memset(goal, 0, sizeof *goal);
}

uint32_t goal_rank_of(const struct goal *goal, uint32_t number)
{
	uint32_t low = 0, high = goal->rank_count;

	/* The last rank that begins at `number` or before; empty ranks come before it. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (goal->ranks[middle].first_op <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void describe_peer(const struct goal_op *op, char *text, size_t room)
{
	int used = snprintf(text, room, op->kind == GOAL_SEND ? "send %llu byte%s to "
			    : "recv %llu byte%s from ", (unsigned long long)op->size,
			    plural(op->size));

	if (op->peer == GOAL_ANY)
		used += snprintf(text + used, room - (size_t)used, "any rank");
	else
		used += snprintf(text + used, room - (size_t)used, "%u", op->peer);
	if (op->tag == GOAL_ANY)
		snprintf(text + used, room - (size_t)used, ", any tag");
	else
		snprintf(text + used, room - (size_t)used, ", tag %u", op->tag);
}

const char *goal_describe(const struct goal *goal, uint32_t number,
			  char text[static GOAL_TEXT_BYTES])
{
	uint32_t rank = goal_rank_of(goal, number);
	uint32_t index = number - goal->ranks[rank].first_op;
	struct goal_op op = goal_op(&goal->ranks[rank], index);
	char what[GOAL_TEXT_BYTES / 2];

	if (op.kind == GOAL_CALC)
		snprintf(what, sizeof what, "calc %llu ns", (unsigned long long)op.size);
	else
		describe_peer(&op, what, sizeof what);
	snprintf(text, GOAL_TEXT_BYTES, "rank %u, operation %u (%s)", rank, index, what);
	return text;
}
