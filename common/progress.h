/*
 * A sign of life on a terminal: "llamp: matching messages, 40 %, 5 s", from two
 * seconds on.
 *
 * A command starts and stops the clock.  Libraries name their phase, which costs a store
 * and shows nothing unless the clock is running.
 *
 * A timer (SIGALRM) shows it on stderr, only if that is a terminal.  It must not run while
 * another program is started or results are printed.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdint.h>

/* Start the clock; the texts must live until it is stopped. */
void progress_begin(const char *tool, const char *what);

/* Name the phase that begins; the text must live for ever.  Its share is unknown. */
void progress_phase(const char *what);

/* State the share of the phase that is done; from any thread. */
void progress_show(uint64_t done, uint64_t whole);

/* Stop the clock and remove the line; does nothing if the clock is not running. */
void progress_end(void);

#endif
