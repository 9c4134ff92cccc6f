/* Input files in memory: regular files are mapped, pipes are read. */
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

/* Open `path`, "-" being stdin; errors (STATUS_DATA or STATUS_SYSTEM) name the path. */
int input_open(struct input *input, const char *path, struct error *err);

void input_release(struct input *input);

#endif
