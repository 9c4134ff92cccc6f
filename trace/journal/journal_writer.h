/* A journal that is being written, and how records get into it; internal to trace/journal/journal*.c. */
#ifndef TRACE_JOURNAL_WRITER_H
#define TRACE_JOURNAL_WRITER_H

#include "common/array.h"
#include "trace/call/poll_fold.h"
#include "trace/journal/journal_internal.h"
#include "trace/journal/journal_sites.h"
#include "trace/journal/ordinals.h"

#include <stdatomic.h>

/* A full segment of an unnamed journal. */
struct segment {
	unsigned char *at;
	size_t bytes;
};

struct journal {
	unsigned char *segment;		/* mapped */
	void *lock;			/* mapping that keeps the lock of the file, or NULL */
	size_t size, used;		/* bytes of the segment */
	size_t segment_bytes;		/* usual size of a segment */
	uint64_t file_bytes;		/* all segments */
	uint64_t last_ns;
	bool failed;
	struct journal_sites *sites; /* NULL: not recorded */
	struct journal_chunks *chunks; /* of its calls; NULL: they are in the journal itself */
	struct journal *home;	     /* of a chunk: the journal, which has its call sites; else NULL */
	bool unnamed;
	ARRAY(struct segment) full;	/* if unnamed */
	char path[4096];		/* if unnamed: the folder of the segments */
	struct {			/* last record, if it is a run of polls */
		struct poll_fold fold;
		size_t at, end;		/* in the segment */
		uint64_t before_ns;	/* last_ns before the run */
	} run;
};

/* --------------------------------------------- segments (journal_segments.c) */

/* Map the first segment; `flags` are those of open for the file. */
int journal_map_first(struct journal *journal, int flags, struct error *err);

/* Go on in a new segment with room for a payload of this size.  Records the time that this takes. */
int journal_next_segment(struct journal *journal, size_t payload, struct error *err);

/* Record that what comes next begins now: writing the journal took the time before. */
void journal_put_flush(struct journal *journal);

/* Unmap all segments, and give the lock of the file back. */
void journal_unmap(struct journal *journal);

/* ------------------------------------------------ folders (journal_folder.c) */

/* Make the folders of the journal's file, which must not exist, nor an archive in the directory. */
int journal_make_folders(const struct journal *journal, const char *directory, struct error *err);

/* Remove the folder of a file, and the directory of the trace, if they are empty.  Cuts `path`. */
void journal_remove_folder(char *path);

/* ----------------------------------------------- records (journal_records.c) */

/* Note that a chunk begins: in the journal, and as the first record of the chunk. */
int journal_chunk(struct journal *journal, uint32_t number, uint64_t time_ns, struct error *err);

/* Note the ordinal of the next item of a sequence. */
int journal_ordinal(struct journal *journal, const struct sequence *sequence, uint64_t ordinal,
		    struct error *err);

/* Write the first record. */
int journal_put_begin(struct journal *journal, const struct journal_place *place, uint32_t ranks,
		      struct error *err);

/* Store the header of the payload after it, which makes the record visible to readers. */
static inline void journal_commit(struct journal *journal, size_t bytes)
{
	unsigned char *at = journal->segment + journal->used;
	struct journal_header header = {.bytes = (uint32_t)bytes};
	uint64_t word;

	memset(at + sizeof header + bytes, 0, journal_padded(bytes) - bytes);
	header.checksum = journal_checksum(at + sizeof header, header.bytes);
	memcpy(&word, &header, sizeof word);
	atomic_store_explicit((_Atomic uint64_t *)at, word, memory_order_release);
	journal->used += sizeof header + journal_padded(bytes);
}

static inline unsigned char *journal_put(unsigned char *to, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*to++ = (unsigned char)(value | 128);
	*to++ = (unsigned char)value;
	return to;
}

/* Encode small differences of both signs shortly: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static inline unsigned char *journal_put_signed(unsigned char *to, uint64_t difference)
{
	return journal_put(to, difference << 1 ^ -(difference >> 63));
}

static inline unsigned char *journal_put_time(struct journal *journal, unsigned char *to, uint64_t time_ns)
{
	to = journal_put_signed(to, time_ns - journal->last_ns);
	journal->last_ns = time_ns;
	return to;
}

/* Begin a record: return the place of its payload of at most `payload` bytes, or NULL. */
static inline unsigned char *journal_begin(struct journal *journal, enum journal_kind kind,
					   size_t payload, struct error *err)
{
	unsigned char *at;

	journal->run.fold.call.polls = 0;
	if (journal->failed ||
	    journal->size - journal->used < payload + 2 * sizeof(struct journal_header)) {
		if (journal->failed) {
			error_set(err, STATUS_SYSTEM, "%s: not written after an earlier failure", journal->path);
			return NULL;
		}
		if (journal_next_segment(journal, payload, err) < 0) {
			journal->failed = true;
			return NULL;
		}
	}
	at = journal->segment + journal->used + sizeof(struct journal_header);
	*at = (unsigned char)kind;
	return at + 1;
}

/* End the record before `to`.  Returns 0. */
static inline int journal_end_record(struct journal *journal, const unsigned char *to)
{
	journal_commit(journal, (size_t)(to - (journal->segment + journal->used +
				       sizeof(struct journal_header))));
	return 0;
}

#endif
