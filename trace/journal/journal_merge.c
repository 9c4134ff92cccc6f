#include "trace/journal/journal_merge.h"

#include "common/min_heap.h"

#include <stdlib.h>

/* The journal of a thread. */
struct source {
	struct journal_reader *reader;	/* NULL: it cannot be read */
	struct journal_record record;	/* next to deliver */
	uint64_t key;			/* order among the records of all journals */
};

/* Kinds of records that are delivered before all others, ordered by id. */
static const enum journal_kind definitions[] = {JOURNAL_COMM, JOURNAL_WINDOW, JOURNAL_GROUP};
enum { DEFINITION_KINDS = sizeof definitions / sizeof *definitions };

struct journal_merge {
	const char *directory;
	struct journal *const *unnamed;	/* instead of a directory, or NULL */
	uint32_t rank, threads;
	struct source *sources;
	struct min_heap heap;	/* of the sources that have a record */
	uint32_t given;		/* source of the record delivered last, or NONE */
	unsigned pass;		/* one for each kind of definition, then one for the rest */
	bool begun;		/* JOURNAL_BEGIN is delivered */
	bool merging;		/* several journals: the first pass has begun */
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

/* ----------------------------------------------------------------- one journal */

/* Set the key of the source's record.  True if the record belongs to this pass. */
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
	else if (record->kind == JOURNAL_SWITCH)
		time_ns = record->time_ns;
	/*
	 * Other records have no time, or come with a call, whose key is an earlier time: they keep
	 * the key of the record before.
	 */
	if (time_ns > source->key)
		source->key = time_ns;
	return !is_definition(record->kind) && record->kind != JOURNAL_BEGIN;
}

/* Push the next record of a journal into the heap, unless the journal ends. */
static int advance(struct journal_merge *merge, uint32_t thread, struct error *err)
{
	struct source *source = &merge->sources[thread];
	int got;

	while (source->reader && (got = journal_next(source->reader, &source->record, err)) != 0) {
		TRY(got);
		source->record.thread = thread;
		if (take_key(merge, source))
			return min_heap_push(&merge->heap, source->key, thread, err);
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

static int open_reader(struct journal_merge *merge, uint32_t thread, struct error *err)
{
	const struct journal_place place = {merge->directory, merge->rank, thread};
	struct journal_reader **reader = &merge->sources[thread].reader;

	return merge->unnamed ? journal_open_unnamed(reader, merge->unnamed[thread], err)
			      : journal_open(reader, &place, err);
}

/* Open a journal and check its first record. */
static int open_source(struct journal_merge *merge, uint32_t thread, struct error *err)
{
	struct source *source = &merge->sources[thread];
	int got;

	source->key = 0;
	if (open_reader(merge, thread, err) < 0) {
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

/* ---------------------------------------------------------------- all journals */

static int merge_open(struct journal_merge **pointer, const struct journal_merge *begun,
		      struct error *err)
{
	struct journal_merge *merge;

	TRY(allocate(&merge, 1, sizeof *merge, err));
	*merge = *begun;
	merge->given = NONE;
	if (allocate(&merge->sources, merge->threads, sizeof *merge->sources, err) < 0 ||
	    open_all(merge, err) < 0) {
		journal_merge_close(merge);
		return -1;
	}
	*pointer = merge;
	return 0;
}

int journal_merge_open(struct journal_merge **pointer, const char *directory, uint32_t rank,
		       uint32_t threads, struct error *err)
{
	const struct journal_merge begun = {
		.directory = directory, .rank = rank, .threads = threads};

	return merge_open(pointer, &begun, err);
}

int journal_merge_open_unnamed(struct journal_merge **pointer, struct journal *const *journals,
			       uint32_t rank, uint32_t threads, struct error *err)
{
	const struct journal_merge begun = {
		.unnamed = journals, .rank = rank, .threads = threads};

	return merge_open(pointer, &begun, err);
}

static int next_pass(struct journal_merge *merge, struct error *err)
{
	merge->pass++;
	merge->given = NONE;
	TRY(open_all(merge, err));
	return begin_pass(merge, err);
}

/* Read the next record of the only journal, in a single pass. */
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
	while (!merge->heap.entries.count && merge->pass < DEFINITION_KINDS)
		TRY(next_pass(merge, err));
	if (!merge->heap.entries.count)
		return 0;
	merge->given = min_heap_pop(&merge->heap);
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
	min_heap_release(&merge->heap);
	free(merge);
}
