/* The layout of journals; internal to trace/journal*.c. */
#ifndef TRACE_JOURNAL_INTERNAL_H
#define TRACE_JOURNAL_INTERNAL_H

#include "trace/journal/journal.h"

#include <stdio.h>
#include <string.h>

/* First bytes of the file, with the number of the layout. */
#define JOURNAL_MAGIC "LLAMPJ12"
enum { JOURNAL_MAGIC_BYTES = 8 };

struct journal_header {
	uint32_t bytes, checksum;
};

static inline size_t journal_padded(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

/* Write the path of a chunk of the journal at `journal`; false if it is too long. */
static inline bool journal_chunk_path(char path[static 4096], const char *journal, uint32_t chunk)
{
	/* Names of first threads have no dot. */
	const char *thread = strchr(strrchr(journal, '/'), '.') ? "" : ".0";

	return snprintf(path, 4096, "%s%s.%u", journal, thread, chunk) < 4096;
}

/* Size of an unnamed journal, and a copy of some of its bytes. */
uint64_t journal_size(const struct journal *journal);
void journal_copy(const struct journal *journal, uint64_t from, unsigned char *to, size_t bytes);

/* Checksum of a padded payload. */
static inline uint32_t journal_checksum(const unsigned char *payload, uint32_t bytes)
{
	uint64_t hash = bytes + UINT64_C(0x9e3779b97f4a7c15), word;

	for (size_t i = 0; i < bytes; i += 8) {
		memcpy(&word, payload + i, 8);
		hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

/* Presence of the fields of an event.  Absent ones are zero. */
enum {
	FIELD_REQUEST = 1,
	FIELD_OPERATION = 2,
	/* Messages. */
	FIELD_MESSAGE = 4,	/* peer, tag, bytes */
	FIELD_POSTED = 8,
	FIELD_PARTITIONS = 16,
	/* Collectives. */
	FIELD_IN_PLACE = 4,
	FIELD_PERSISTENT = 8,
	FIELD_SEND_VECTOR = 16,
	FIELD_RECEIVE_VECTOR = 32,
	FIELD_NEIGHBOURS = 64,
};

/* Properties of an event below MPI; the rest is its part. */
enum { BELOW_IS_INSIDE = 4, BELOW_IS_PENDING = 8 };

#endif
