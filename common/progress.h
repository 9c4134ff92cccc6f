/*
 * Progress on a terminal: "llamp: matching messages, 40 %, 5 s", from the third second on.
 *
 * A command starts and stops the clock.  Libraries name their phase, which only stores a pointer
 * and shows nothing unless the clock is running.
 *
 * A timer (SIGALRM) shows it on stderr, only if that is a terminal.  It must not run while
 * another program is started or results are printed.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdint.h>

/* Start the clock.  The texts must live until it is stopped. */
void progress_begin(const char *tool, const char *what);

/* Name the phase that begins.  The text must live for ever.  The share is unknown. */
void progress_phase(const char *what);

/* State the share of the phase that is done.  Any thread may call this. */
void progress_show(uint64_t done, uint64_t whole);

/* Stop the clock and remove the line.  Does nothing if the clock is not running. */
void progress_end(void);

#endif
