#include "trace/journal_merge.h"

#include "common/array.h"

#include <stdlib.h>

/* The journal of a thread. */
struct source {
	struct journal_reader *reader;	/* NULL: it cannot be read */
	struct journal_record record;	/* the next */
	uint64_t key;			/* its place among those of other journals */
};

/* Kinds of records that come before all others, by their numbers. */
static const enum journal_kind definitions[] = {JOURNAL_COMM, JOURNAL_WINDOW, JOURNAL_GROUP};
enum { DEFINITION_KINDS = sizeof definitions / sizeof *definitions };

struct journal_merge {
	const char *directory;
	uint32_t rank, threads;
	struct source *sources;
	uint32_t *heap;		/* sources that have a record, the least key first */
	uint32_t heap_count;
	uint32_t given;		/* the source of the record given last, or NONE */
	unsigned pass;		/* over the journals: one for each kind of definition, then the rest */
	bool begun;		/* JOURNAL_BEGIN has been given */
	bool merging;		/* of several: the first pass has begun */
	bool damaged;
};

enum { NONE = UINT32_MAX };

static bool is_definition(enum journal_kind kind)
{
	for (unsigned i = 0; i < DEFINITION_KINDS; i++)
		if (kind == definitions[i])
			return true;
	return false;
}

/* -------------------------------------------------------------------- the heap */

static bool before(const struct journal_merge *merge, uint32_t a, uint32_t b)
{
	uint64_t x = merge->sources[a].key, y = merge->sources[b].key;

	return x != y ? x < y : a < b;
}

static void push(struct journal_merge *merge, uint32_t source)
{
	uint32_t at = merge->heap_count++;

	for (; at && before(merge, source, merge->heap[(at - 1) / 2]); at = (at - 1) / 2)
		merge->heap[at] = merge->heap[(at - 1) / 2];
	merge->heap[at] = source;
}

static uint32_t pop(struct journal_merge *merge)
{
	uint32_t first = merge->heap[0], moved = merge->heap[--merge->heap_count], at = 0, child;

	for (; (child = 2 * at + 1) < merge->heap_count; at = child) {
		if (child + 1 < merge->heap_count &&
		    before(merge, merge->heap[child + 1], merge->heap[child]))
			child++;
		if (!before(merge, merge->heap[child], moved))
			break;
		merge->heap[at] = merge->heap[child];
	}
	merge->heap[at] = moved;
	return first;
}

/* ----------------------------------------------------------------- the sources */

/* Whether the record is of this pass; its key then is set. */
static bool take_key(const struct journal_merge *merge, struct source *source)
{
	const struct journal_record *record = &source->record;
	uint64_t time_ns = 0;

	if (merge->pass < DEFINITION_KINDS) {
		source->key = record->kind == JOURNAL_WINDOW ? record->window.id
			      : record->kind == JOURNAL_GROUP ? record->group.id
							      : record->comm.id;
		return record->kind == definitions[merge->pass];
	}
	if (record->kind == JOURNAL_CALL)
		time_ns = record->call.enter_ns;
	else if (record->kind == JOURNAL_SWITCH || record->kind == JOURNAL_END)
		time_ns = record->time_ns;
	/* All others, JOURNAL_FLUSH too, belong to what comes behind them. */
	if (time_ns > source->key)
		source->key = time_ns;
	return !is_definition(record->kind) && record->kind != JOURNAL_BEGIN;
}

/* Have the next record of a journal in the heap, if there is one. */
static int advance(struct journal_merge *merge, uint32_t thread, struct error *err)
{
	struct source *source = &merge->sources[thread];
	int got;

	while (source->reader && (got = journal_next(source->reader, &source->record, err)) != 0) {
		TRY(got);
		source->record.thread = thread;
		if (take_key(merge, source)) {
			push(merge, thread);
			return 0;
		}
	}
	merge->damaged |= !source->reader || journal_is_damaged(source->reader);
	return 0;
}

static bool begins(const struct journal_merge *merge, uint32_t thread)
{
	const struct journal_record *record = &merge->sources[thread].record;
	const struct journal_record *first = &merge->sources[0].record;

	return record->kind == JOURNAL_BEGIN && record->rank == merge->rank &&
	       record->thread == thread && record->ranks == first->ranks;
}

/* Open a journal and read how it begins. */
static int open_source(struct journal_merge *merge, uint32_t thread, struct error *err)
{
	struct source *source = &merge->sources[thread];
	struct journal_place place = {merge->directory, merge->rank, thread};
	int got;

	source->key = 0;
	if (journal_open(&source->reader, &place, err) < 0) {
		source->reader = NULL;
		return thread && err->status == STATUS_DATA ? 0 : -1;
	}
	got = journal_next(source->reader, &source->record, err);
	TRY(got);
	if (got && begins(merge, thread))
		return 0;
	journal_reader_close(source->reader);
	source->reader = NULL;
	merge->damaged = true;
	return 0;
}

/* Open all journals, for the next pass over them. */
static int open_all(struct journal_merge *merge, struct error *err)
{
	for (uint32_t i = 0; i < merge->threads; i++) {
		journal_reader_close(merge->sources[i].reader);
		TRY(open_source(merge, i, err));
	}
	return 0;
}

static int begin_pass(struct journal_merge *merge, struct error *err)
{
	for (uint32_t i = 0; i < merge->threads; i++)
		TRY(advance(merge, i, err));
	return 0;
}

/* ------------------------------------------------------------------- the whole */

int journal_merge_open(struct journal_merge **pointer, const char *directory, uint32_t rank,
		       uint32_t threads, struct error *err)
{
	struct journal_merge *merge;

	TRY(allocate(&merge, 1, sizeof *merge, err));
	merge->directory = directory;
	merge->rank = rank;
	merge->threads = threads;
	merge->given = NONE;
	if (allocate(&merge->sources, threads, sizeof *merge->sources, err) < 0 ||
	    allocate(&merge->heap, threads, sizeof *merge->heap, err) < 0 ||
	    open_all(merge, err) < 0) {
		journal_merge_close(merge);
		return -1;
	}
	*pointer = merge;
	return 0;
}

static int next_pass(struct journal_merge *merge, struct error *err)
{
	merge->pass++;
	merge->given = NONE;
	TRY(open_all(merge, err));
	return begin_pass(merge, err);
}

/* A single journal is read once, as it is. */
static int next_of_one(struct journal_merge *merge, struct journal_record *record,
		       struct error *err)
{
	int got = 0;

	if (merge->sources[0].reader)
		got = journal_next(merge->sources[0].reader, record, err);
	if (got > 0)
		record->thread = 0;
	else if (got == 0 && merge->sources[0].reader)
		merge->damaged |= journal_is_damaged(merge->sources[0].reader);
	return got;
}

static int next_of_several(struct journal_merge *merge, struct journal_record *record,
			   struct error *err)
{
	if (!merge->merging)
		TRY(begin_pass(merge, err));
	else if (merge->given != NONE)
		TRY(advance(merge, merge->given, err));
	merge->merging = true;
	while (!merge->heap_count && merge->pass < DEFINITION_KINDS)
		TRY(next_pass(merge, err));
	if (!merge->heap_count)
		return 0;
	merge->given = pop(merge);
	*record = merge->sources[merge->given].record;
	return 1;
}

int journal_merge_next(struct journal_merge *merge, struct journal_record *record,
		       struct error *err)
{
	if (!merge->begun) {
		merge->begun = true;
		if (!merge->sources[0].reader)
			return 0;
		*record = merge->sources[0].record;
		return 1;
	}
	return merge->threads == 1 ? next_of_one(merge, record, err)
				   : next_of_several(merge, record, err);
}

bool journal_merge_is_damaged(const struct journal_merge *merge)
{
	return merge->damaged;
}

void journal_merge_close(struct journal_merge *merge)
{
	if (!merge)
		return;
	for (uint32_t i = 0; merge->sources && i < merge->threads; i++)
		journal_reader_close(merge->sources[i].reader);
	free(merge->sources);
	free(merge->heap);
	free(merge);
}
