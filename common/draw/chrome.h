/*
 * The trace event format of Chrome: a JSON object with an array of events, one a line.  Private to
 * common/draw/viewer.c.
 *
 *	M	names and order of processes and threads
 *	X	slice: ts and dur in us, with three decimal places for the ns
 *	s, f	begin and end of an arrow, at the start of its slice, with the arrow's id
 *
 * Process and thread ids are numbers of tracks, from 1: viewers reserve 0.
 */
#ifndef COMMON_DRAW_CHROME_H
#define COMMON_DRAW_CHROME_H

#include "common/draw/viewer.h"

void chrome_open(struct viewer *viewer, const char *title);
void chrome_close(struct viewer *viewer);
void chrome_track(struct viewer *viewer, const char *name, const struct viewer_track *track);
void chrome_begin(struct viewer *viewer, const struct viewer_track *track,
		  const struct viewer_slice *slice, const struct viewer_numbers *numbers);

/* Escape a text without control characters for JSON.  `escaped` has room for twice its bytes. */
void chrome_escape(const char *text, char *escaped);

#endif
