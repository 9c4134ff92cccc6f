/*
 * Writes beyond the limit of the size of files (RLIMIT_FSIZE), or to a pipe that nobody reads any more: they are to
 * fail as on a full disk, not to end the program by SIGXFSZ or SIGPIPE.
 */
#ifndef COMMON_FILE_LIMIT_H
#define COMMON_FILE_LIMIT_H

#include <signal.h>

/* State between hold and release, which the same thread calls. */
struct file_limit {
	sigset_t before, held;
};

/* Block the signals in this thread, but for those that the program has pending, which would be lost. */
void file_limit_hold(struct file_limit *limit);

/* Discard signals that writes have raised, and let later ones through. */
void file_limit_release(const struct file_limit *limit);

#endif
