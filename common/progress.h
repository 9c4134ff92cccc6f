/*
 * A sign of life on a terminal: "llamp: matching messages, 40 %, 5 s", from two
 * seconds on.
 *
 * A command starts and stops the clock.  What works for it says what it is at;
 * that costs a store and shows nothing unless the clock is running.
 *
 * Shown on stderr, by a timer (SIGALRM), and only if stderr is a terminal, so that
 * it costs the work nothing.  Must not be running when another program is started
 * or results are printed.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdint.h>

/* Start the clock; the texts must live until it is stopped. */
void progress_begin(const char *tool, const char *what);

/* From now on it is about this, a text that lives for ever; its share is not known. */
void progress_phase(const char *what);

/* So much of it is done; from any thread. */
void progress_show(uint64_t done, uint64_t whole);

/* Stop the clock and remove what is shown; does nothing if the clock is not running. */
void progress_end(void);

#endif
