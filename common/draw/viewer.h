/*
 * Runs for trace viewers: slices of time on tracks, and arrows between slices.
 *
 *	VIEWER_PERFETTO	TracePackets with track events, the native format of Perfetto
 *			(ui.perfetto.dev); file.pftrace
 *	VIEWER_CHROME	trace events as JSON, for chrome://tracing, Perfetto and others; file.json
 *
 * Tracks are a tree.  Perfetto shows siblings in the order in which they were added.  In JSON a
 * track without parent is a process, and every track is a thread of the process above it.
 *
 * Slices of a track are written in the order of their starts.  A slice that begins while another
 * one of the track is open lies within it: the caller ends the inner one first.
 *
 * Everything is written as it comes: memory is that of the texts.  The owner of the stream
 * checks it for errors.
 */
#ifndef COMMON_DRAW_VIEWER_H
#define COMMON_DRAW_VIEWER_H

#include "common/array.h"
#include "common/string_map.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum viewer_format { VIEWER_PERFETTO, VIEWER_CHROME };

/* Use of a text: the format has a table for each. */
enum viewer_use { VIEWER_NAME, VIEWER_CATEGORY, VIEWER_ARGUMENT, VIEWER_VALUE, VIEWER_USES };

/* Texts longer than this many bytes are cut. */
enum { VIEWER_TEXT_BYTES = 256, VIEWER_MOST_ARGUMENTS = 4 };

/* A text that has a number. */
struct viewer_text {
	char *shown;	     /* cut, without control characters; owned */
	const char *written; /* that text, in JSON escaped; in the same memory */
};

/* A text that was looked up, by its address. */
struct viewer_recent {
	const char *text;
	uint32_t number;
	bool constant; /* the address has no other text */
};

enum { VIEWER_RECENT = 256 };

struct viewer {
	FILE *stream;
	enum viewer_format format;
	struct string_map texts[VIEWER_USES];
	ARRAY(struct viewer_text) shown; /* [text] */
	struct viewer_recent recent[VIEWER_USES][VIEWER_RECENT];
	uint32_t track_count;
	bool any; /* JSON: an event has been written */
};

/* A track, which the caller keeps. */
struct viewer_track {
	uint32_t number;  /* from 1 */
	uint32_t process; /* number of the track without parent above it */
};

struct viewer_argument {
	const char *name, *text; /* text NULL: a number */
	uint64_t number;
};

enum viewer_arrow { VIEWER_NO_ARROW, VIEWER_ARROW_FROM, VIEWER_ARROW_TO };

struct viewer_slice {
	uint64_t start_ns, end_ns;
	const char *name, *category; /* category NULL: none */
	struct viewer_argument arguments[VIEWER_MOST_ARGUMENTS]; /* up to the first without a name */
	enum viewer_arrow arrow; /* an arrow begins or ends at the slice */
	uint64_t arrow_id;	 /* of the arrow; both of its ends have it, no other slice */
};

/* Numbers of the texts of a slice.  Private to common/draw. */
struct viewer_numbers {
	uint32_t name, category;
	uint32_t argument_count, names[VIEWER_MOST_ARGUMENTS], texts[VIEWER_MOST_ARGUMENTS];
};

/* A constant that a file has before its first slice. */
struct viewer_known {
	enum viewer_use use;
	const char *text;
};

/*
 * Begin a file.  `title` is the name of the whole run, and `known` ends with {0}.  End with viewer_close, also
 * on failure.
 */
int viewer_open(struct viewer *viewer, FILE *stream, enum viewer_format format, const char *title,
		const struct viewer_known *known, struct error *err);

/* End the file if `result` is 0, and release everything.  Returns `result`. */
int viewer_close(struct viewer *viewer, int result);

/* Write a constant unless the file has it, as slices do with their texts. */
int viewer_name(struct viewer *viewer, enum viewer_use use, const char *text, struct error *err);

/* Add a track to the end of the children of `parent`, or of the tree's root if that is NULL. */
void viewer_add_track(struct viewer *viewer, const struct viewer_track *parent, const char *name,
		      struct viewer_track *track);

/* Begin a slice; end the slice that was begun last on the track. */
int viewer_begin(struct viewer *viewer, const struct viewer_track *track,
		 const struct viewer_slice *slice, struct error *err);
void viewer_end(struct viewer *viewer, const struct viewer_track *track, uint64_t end_ns);

/* Write a slice that nothing lies within. */
int viewer_write(struct viewer *viewer, const struct viewer_track *track,
		 const struct viewer_slice *slice, struct error *err);

#endif
