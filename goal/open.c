/* Opening of a graph in either format, with an error that names what else the file is. */
#include "common/output.h"
#include "goal/calls.h"
#include "goal/calls_format.h"
#include "goal/image.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define MAKE_GRAPH ": make a graph of it with schedgen"
#define DECOMPRESS ": decompress it first"

/*
 * Whether the file is binary, also if it is cut or consumed.  Text begins with a letter, a blank
 * or a comment.
 */
static int is_binary(const struct input *input)
{
	return input->count > 0 && (input->bytes[0] == (GOAL_COOKIE & 0xff) ||
				    input->bytes[0] == (GOAL_COOKIE_CONSUMED & 0xff));
}

/* Other kinds of files that users may give, by their first bytes. */
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

/* An output must not replace the calls either, whether they are read or not. */
static int note_calls(const char *path, struct error *err)
{
	char *calls = goal_calls_path(path);
	int result;

	if (!calls)
		return error_set_memory(err, strlen(path));
	result = output_note_input(calls, err);
	free(calls);
	return result;
}

int goal_open(struct goal *goal, const char *path, struct error *err)
{
	struct input input, image;
	int result;

	TRY(refuse_trace(path, err));
	TRY(note_calls(path, err));
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
