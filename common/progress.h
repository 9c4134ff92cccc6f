/*
 * A sign of life on a terminal: "llamp: reading big.bin, 5 s" or
 * "schedgen: big.trace, 42 %, 5 s", from two seconds on.
 *
 * Shown on stderr, by a timer (SIGALRM), and only if stderr is a terminal, so that
 * it costs the work nothing.  Must not be running when another program is started
 * or results are printed.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdint.h>

/* Start the clock; the texts are copied. */
void progress_begin(const char *tool, const char *what);

/* So much of the work is done; may be called by any thread, with or without the clock. */
void progress_show(uint64_t done, uint64_t total);

/* Stop the clock and remove what is shown; does nothing if the clock is not running. */
void progress_end(void);

#endif
