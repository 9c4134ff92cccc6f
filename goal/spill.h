/*
 * Temporary data of a builder that does not fit its memory.
 *
 * A spill is a file without a name in the directory of the output, or in TMPDIR if the output
 * is no regular file (output_scratch).  No file is left, however the process ends.  The file
 * is made when the first bytes are appended.  Zero bytes are a valid empty spill.  Errors are
 * STATUS_SYSTEM and name the output.
 */
#ifndef GOAL_SPILL_H
#define GOAL_SPILL_H

#include "common/output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct goal_spill {
	const struct output *beside;	/* not owned, set by the first append */
	bool open;
	int file;
	uint64_t bytes;
};

int goal_spill_append(struct goal_spill *spill, const struct output *beside, const void *bytes,
		      size_t count, struct error *err);

/* Read or overwrite bytes that have been appended. */
int goal_spill_read(const struct goal_spill *spill, uint64_t at, void *bytes, size_t count,
		    struct error *err);
int goal_spill_write(const struct goal_spill *spill, uint64_t at, const void *bytes, size_t count,
		     struct error *err);

/* Make an empty spill `bytes` long, to be filled by goal_spill_write. */
int goal_spill_resize(struct goal_spill *spill, const struct output *beside, uint64_t bytes,
		      struct error *err);

/* Forget all bytes; the file stays open. */
void goal_spill_clear(struct goal_spill *spill);
void goal_spill_release(struct goal_spill *spill);

/* Write all bytes at a position of a file, or read them; `name` is the output's in errors. */
int goal_write_at(int file, uint64_t at, const void *bytes, size_t count, const char *name,
		  struct error *err);
int goal_read_at(int file, uint64_t at, void *bytes, size_t count, const char *name,
		 struct error *err);

#endif
