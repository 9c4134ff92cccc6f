/*
 * Limit of the size of files (RLIMIT_FSIZE): a write beyond it is to fail as on a full disk, not to end the
 * program by SIGXFSZ.
 */
#ifndef COMMON_FILE_LIMIT_H
#define COMMON_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

/* State between hold and release, which the same thread calls. */
struct file_limit {
	sigset_t before;
	bool held;
};

/* Block SIGXFSZ in this thread, unless the program has one pending, which would be lost. */
void file_limit_hold(struct file_limit *limit);

/* Discard the signal if a write has raised it, and let later ones through. */
void file_limit_release(const struct file_limit *limit);

#endif
