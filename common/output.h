/*
 * Output files that are complete or do not exist.
 *
 * An output is written to a temporary file in its final directory and renamed by
 * output_commit, so that no reader ever sees half of it.  A run that fails, or is ended by a
 * signal (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU), leaves no file.  "-" is
 * stdout.  An existing file that is not regular (/dev/null, a pipe) is written to directly.
 * SIGXFSZ is ignored after output_open, so exceeding a limit on the size of files is an error.
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include "common/error.h"

#include <stdio.h>

struct output {
	FILE *stream;		/* write here */
	char *path;		/* final path, NULL for stdout */
	char *temporary;	/* temporary path, NULL if `path` is written to directly */
};

/*
 * Refuse to write to `path` if that would destroy `input`: STATUS_USAGE if both names
 * mean the same file, or if `input` is a directory and `path` is inside it.
 * Accepts "-", devices and pipes on either side, an input that does not exist, and NULL.
 */
int output_refuse_input(const char *path, const char *input, struct error *err);

/* Open `path` for writing.  On success end with output_commit or output_discard. */
int output_open(struct output *output, const char *path, struct error *err);

/*
 * Open a file without a name for temporary data, which vanishes when it is closed: in the
 * directory of the output, or in TMPDIR (/tmp by default) if the output is written to
 * directly.
 */
int output_scratch(const struct output *output, int *file, struct error *err);

/* Open a file without a name in a directory.  Returns it, or -1 with errno set. */
int scratch_file(const char *directory);

/* Name of the output in errors: its path, or "stdout". */
const char *output_name(const struct output *output);

/* Close the file and put it in its place; on failure no file is left. */
int output_commit(struct output *output, struct error *err);

/* Close the file and remove it. */
void output_discard(struct output *output);

#endif
