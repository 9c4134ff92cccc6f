/*
 * Output files that are complete or do not exist.
 *
 * An output is written to a temporary file in its final directory and renamed by
 * output_commit, so that no reader ever sees half of it.  A run that fails, or is ended by a
 * signal (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU), leaves no file.  "-" is
 * stdout.  An existing file that is not regular (/dev/null, a pipe) is written to directly.
 * SIGXFSZ is ignored after output_open, so exceeding a limit on the size of files is an error.
 *
 * No output may be a file that the command reads, lie in a directory that it reads, or be another
 * output.  Functions that open an input note it here, and output_open notes an output; a command
 * declares its outputs before it begins to work, so that it fails early.  Files are the same if
 * device and inode are: links and other spellings of a name do not matter.
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include "common/error.h"

#include <stddef.h>
#include <stdio.h>

struct output {
	FILE *stream;	   /* write here */
	char *path;	   /* final path, NULL for stdout */
	char *temporary;   /* temporary path, NULL if `path` is written to directly */
	const char *noted; /* name under which it is noted as opened, or NULL */
};

/*
 * Forget all files, and note them from now on.  A command calls this once; in other programs the
 * functions below do nothing, and output_open takes any file.
 */
void output_watch(void);

/*
 * Note an input: a file, or a directory whose files are all inputs.  STATUS_USAGE if it is, or
 * holds, an output.  Pipes, devices and files that do not exist are never refused.  The second
 * function is for a file that is open; `path` names it in errors.  Threads may call both.
 */
int output_note_input(const char *path, struct error *err);
int output_note_open_input(const char *path, int file, struct error *err);

/*
 * Declare an output ("-": stdout, which may be a file, too) that a later output_open with the same
 * text opens.  STATUS_USAGE if it is or will be an input or another output.
 */
int output_declare(const char *path, struct error *err);

/*
 * Path of the file that output_open replaces or makes, behind all links, to be freed.  NULL if it
 * makes none: stdout, a device, a pipe; or without memory.
 */
char *output_final_path(const char *path);

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

/*
 * Make a folder for temporary files in TMPDIR (/tmp by default), "NAME-XXXXXX", whose path is to be freed by
 * output_folder_remove.  If a signal ends the process, the folder is removed with all files in it, but not with folders
 * in it, after children that may write to it (common/child.h) have ended.
 */
int output_folder(char **path, const char *name, struct error *err);

/* Remove the folder with all files in it, and free its path, which may be NULL. */
void output_folder_remove(char *path);

/* Name of the output in errors: its path, or "stdout". */
const char *output_name(const struct output *output);

/* Write what is buffered and close the file, which output_commit or output_discard still ends. */
int output_finish(struct output *output, struct error *err);

/* Close the file and put it in its place; on failure no file is left. */
int output_commit(struct output *output, struct error *err);

/*
 * Commit several outputs: all of them or none.  On failure all are discarded.  Outputs that were
 * not opened are left out.
 */
int output_commit_all(struct output *outputs, size_t count, struct error *err);

/* Close the file and remove it.  Does nothing to an output that was not opened. */
void output_discard(struct output *output);

/* Remove the temporary files of all outputs that are open.  For handlers of signals. */
void output_remove_temporary(void);

#endif
