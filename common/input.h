/* Input files in memory.  Large files are mapped, small ones and pipes are read. */
#ifndef COMMON_INPUT_H
#define COMMON_INPUT_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct input {
	const uint8_t *bytes;	/* never NULL after input_open */
	size_t count;
	int mapped;
};

/*
 * Name of the mapped file to which an address belongs, or "an input".  Control characters are shown.
 * For handlers of SIGBUS: the memory vanishes if the file is truncated.
 */
const char *input_at(const void *address);

/*
 * Open `path` ("-": stdin).  Errors name the path: STATUS_DATA, STATUS_SYSTEM, and
 * STATUS_LIMIT if a pipe holds more than fits in memory.
 */
int input_open(struct input *input, const char *path, struct error *err);

/* The same, but end after `most` bytes, or somewhat later. */
int input_open_begin(struct input *input, const char *path, size_t most, struct error *err);

void input_release(struct input *input);

#endif
