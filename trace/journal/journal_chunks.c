#include "trace/journal/journal_chunks.h"

#include "common/machine/now.h"
#include "trace/journal/journal_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A chunk that is not removed. */
struct chunk {
	uint32_t number;
	uint64_t first_ns; /* when its first call was entered */
	bool held;
};

struct journal_chunks {
	struct ordinals *ordinals;
	struct journal *current; /* written, or NULL */
	uint32_t stamp;		 /* of the current chunk, for ordinals */
	uint32_t count;		 /* of all chunks so far */
	uint64_t chunk_bytes;
	size_t segment_bytes;
	bool unwanted; /* calls are not recorded */
	bool holding;  /* new chunks are held */
	bool dropped;
	ARRAY(struct chunk) chunks; /* the last one is the current one, if there is one */
};

int journal_divide(struct journal *journal, uint64_t ring_bytes, struct ordinals *ordinals,
		   struct error *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (journal->unnamed)
		return error_set(err, STATUS_USAGE, "iterations need an archive");
	TRY(allocate(&journal->chunks, 1, sizeof *journal->chunks, err));
	journal->chunks->ordinals = ordinals;
	journal->chunks->chunk_bytes = ring_bytes / JOURNAL_CHUNKS;
	/* A chunk has one segment at least, and the segments are reserved. */
	journal->chunks->segment_bytes = journal->segment_bytes;
	if (journal->chunks->chunk_bytes < journal->segment_bytes)
		journal->chunks->segment_bytes =
			(journal->chunks->chunk_bytes + page - 1) / page * page;
	return 0;
}

/* -------------------------------------------------------------------- files */

static void remove_chunk(const struct journal *journal, const struct chunk *chunk)
{
	char path[4096];

	if (journal_chunk_path(path, journal->path, chunk->number))
		unlink(path);
}

/* Remove the first `count` chunks that are not held. */
static void remove_oldest(struct journal *journal, size_t count)
{
	struct journal_chunks *chunks = journal->chunks;
	size_t kept = 0;

	for (size_t i = 0; i < chunks->chunks.count; i++) {
		const struct chunk *chunk = &chunks->chunks.items[i];

		if (chunk->held || !count) {
			chunks->chunks.items[kept++] = *chunk;
			continue;
		}
		count--;
		chunks->dropped = true;
		remove_chunk(journal, chunk);
	}
	chunks->chunks.count = kept;
}

static size_t unheld(const struct journal_chunks *chunks)
{
	size_t count = 0;

	for (size_t i = 0; i < chunks->chunks.count; i++)
		count += !chunks->chunks.items[i].held;
	return count;
}

static void close_current(struct journal_chunks *chunks)
{
	if (!chunks->current)
		return;
	chunks->current->sites = NULL;
	journal_close(chunks->current);
	chunks->current = NULL;
}

/* Begin the file of a chunk: its magic, and its number and time. */
static int begin_file(struct journal *journal, struct journal *chunk, uint32_t number,
		      uint64_t time_ns, struct error *err)
{
	chunk->segment_bytes = journal->chunks->segment_bytes;
	chunk->last_ns = time_ns;
	chunk->sites = journal->sites;
	chunk->home = journal;
	if (!journal_chunk_path(chunk->path, journal->path, number))
		return error_set(err, STATUS_DATA, "%s: the name is too long", journal->path);
	TRY(journal_map_first(chunk, O_CREAT | O_EXCL, err));
	memcpy(chunk->segment, JOURNAL_MAGIC, JOURNAL_MAGIC_BYTES);
	chunk->used = JOURNAL_MAGIC_BYTES;
	return journal_chunk(chunk, number, time_ns, err);
}

static int begin_chunk(struct journal *journal, uint64_t time_ns, struct error *err)
{
	struct journal_chunks *chunks = journal->chunks;
	const struct chunk new = {.number = chunks->count,
				  .first_ns = time_ns,
				  .held = chunks->holding};
	struct journal *chunk;

	close_current(chunks);
	TRY(array_reserve(&chunks->chunks, 1, err));
	if (!chunks->holding && unheld(chunks) >= JOURNAL_CHUNKS)
		remove_oldest(journal, unheld(chunks) - JOURNAL_CHUNKS + 1);
	TRY(journal_chunk(journal, new.number, time_ns, err));
	TRY(allocate(&chunk, 1, sizeof *chunk, err));
	if (begin_file(journal, chunk, new.number, time_ns, err) < 0) {
		chunk->sites = NULL;
		journal_close(chunk);
		return -1;
	}
	chunks->current = chunk;
	chunks->chunks.items[chunks->chunks.count++] = new;
	chunks->count++;
	chunks->stamp = ordinals_stamp(chunks->ordinals);
	/* Making the file took time. */
	if (new.number)
		journal_put_flush(chunk);
	return 0;
}

/* -------------------------------------------------------------------- calls */

static bool is_full(const struct journal_chunks *chunks)
{
	const struct journal *chunk = chunks->current;

	return chunk->file_bytes - chunk->size + chunk->used >= chunks->chunk_bytes;
}

/* The chunk for a call or switch at time_ns; NULL in *chunk if calls are not wanted. */
static int current_chunk(struct journal *journal, uint64_t time_ns, struct journal **chunk,
			 struct error *err)
{
	struct journal_chunks *chunks = journal->chunks;

	*chunk = NULL;
	if (chunks->unwanted)
		return 0;
	if (!chunks->current || is_full(chunks))
		TRY(begin_chunk(journal, time_ns, err));
	*chunk = chunks->current;
	return 0;
}

int journal_chunks_call(struct journal *journal, unsigned number, const struct mpi_call *call,
			struct error *err)
{
	struct journal_chunks *chunks = journal->chunks;
	struct journal *chunk;
	struct sequence sequence;

	if (!chunks)
		return journal_call(journal, number, call, err);
	TRY(current_chunk(journal, call->enter_ns, &chunk, err));
	for (uint32_t i = 0; i < call->event_count; i++) {
		uint64_t ordinal;
		bool known;

		if (!ordinals_sequence(&call->events[i], &sequence))
			continue;
		TRY(ordinals_take(chunks->ordinals, &sequence, chunk ? chunks->stamp : 0, &ordinal,
				  &known, err));
		if (chunk && !known)
			TRY(journal_ordinal(chunk, &sequence, ordinal, err));
	}
	return chunk ? journal_call(chunk, number, call, err) : 0;
}

int journal_chunks_below(struct journal *journal, const struct below_event *event,
			 struct error *err)
{
	struct journal *chunk;

	if (!journal->chunks)
		return journal_below(journal, event, err);
	TRY(current_chunk(journal, event->enter_ns, &chunk, err));
	return chunk ? journal_below(chunk, event, err) : 0;
}

int journal_chunks_switch(struct journal *journal, uint64_t time_ns, bool on, struct error *err)
{
	struct journal *chunk;

	if (!journal->chunks)
		return journal_switch(journal, time_ns, on, err);
	TRY(current_chunk(journal, time_ns, &chunk, err));
	return chunk ? journal_switch(chunk, time_ns, on, err) : 0;
}

/* ------------------------------------------------------------------ holding */

void journal_want_calls(struct journal *journal, bool wanted)
{
	journal->chunks->unwanted = !wanted;
	if (!wanted)
		close_current(journal->chunks);
}

void journal_hold(struct journal *journal, uint64_t time_ns)
{
	struct journal_chunks *chunks = journal->chunks;
	size_t before = 0;

	chunks->holding = true;
	for (size_t i = 0; i < chunks->chunks.count; i++) {
		struct chunk *chunk = &chunks->chunks.items[i];

		if (chunk->held)
			continue;
		if (i + 1 < chunks->chunks.count && chunk[1].first_ns <= time_ns)
			before++;
		else
			chunk->held = true;
	}
	remove_oldest(journal, before);
}

void journal_release(struct journal *journal)
{
	journal->chunks->holding = false;
	/* What comes is in another chunk. */
	close_current(journal->chunks);
}

void journal_drop(struct journal *journal)
{
	struct journal_chunks *chunks = journal->chunks;

	if (chunks->chunks.count && !chunks->chunks.items[chunks->chunks.count - 1].held)
		close_current(chunks);
	remove_oldest(journal, unheld(chunks));
}

bool journal_lacks(const struct journal *journal, uint64_t time_ns)
{
	const struct journal_chunks *chunks = journal->chunks;

	for (size_t i = 0; i < chunks->chunks.count; i++)
		if (!chunks->chunks.items[i].held)
			return chunks->dropped && chunks->chunks.items[i].first_ns > time_ns;
	return false;
}

bool journal_has_dropped(const struct journal *journal)
{
	return journal->chunks->dropped;
}

void journal_chunks_close(struct journal *journal)
{
	struct journal_chunks *chunks = journal ? journal->chunks : NULL;

	if (chunks) {
		close_current(chunks);
		array_release(&chunks->chunks);
		free(chunks);
	}
	journal_close(journal);
}

/* Remove the chunks that a journal names. */
static void remove_named(const struct journal_place *place)
{
	struct journal_reader *reader;
	char path[4096], chunk[4096];
	uint32_t count;
	struct error err;

	if (!journal_path(path, place) || journal_open(&reader, place, &err) < 0)
		return;
	count = journal_chunk_count(reader);
	journal_reader_close(reader);
	for (uint32_t i = 0; i < count; i++)
		if (journal_chunk_path(chunk, path, i))
			unlink(chunk);
}

void journal_chunks_remove(const char *directory, uint32_t rank, uint32_t threads)
{
	for (uint32_t thread = 0; thread < threads; thread++)
		remove_named(&(struct journal_place){directory, rank, thread});
}
