#include "trace/journal/journal_cut.h"

#include "trace/call/mpi_functions.h"

#include <stdlib.h>

/* A request that is begun in the window and does not complete in it, or the other way round. */
struct crossing {
	struct mpi_event
		event;	  /* that completes it at the end of the window, or posts it at the begin */
	uint64_t ordinal; /* of the event */
	uint32_t thread;
};

/* Next ordinals of the sequences of a thread. */
struct thread_ordinals {
	struct number_map places; /* of sequences in `next` */
	ARRAY(uint64_t) next;
};

enum cut_stage { CUT_DEFINITIONS, CUT_BEGIN, CUT_INSIDE, CUT_END, CUT_DONE };

struct journal_cut {
	struct journal_merge *merge;
	struct cut_window window;
	uint32_t rank, threads;
	enum cut_stage stage;
	size_t step;			  /* in the records that CUT_BEGIN and CUT_END add */
	struct thread_ordinals *ordinals; /* [thread] */
	struct number_map open;		  /* requests: index in `late`, or POSTED_EARLY */
	ARRAY(struct crossing) early;	  /* posted when the window begins */
	ARRAY(struct crossing) late; /* complete when it ends; EVENT_COLLECTIVE_REQUEST: never */
	ARRAY(uint64_t) told;	     /* ordinals of the events of a call */
	struct journal_record held;  /* first record after definitions */
	bool holding, damaged;
};

/* Value of a request in `open` that the scan has found to be posted before the window. */
enum { POSTED_EARLY = UINT32_MAX - 1 };

/* ---------------------------------------------------------------- ordinals */

/* Find the next ordinal of a sequence in a thread. */
static int find_next(struct thread_ordinals *ordinals, const struct sequence *sequence,
		     uint64_t **next, struct error *err)
{
	const uint64_t key = ordinals_key(sequence);
	uint32_t place = number_map_get(&ordinals->places, key, sequence->tag);

	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)ordinals->next.count;
		TRY(array_push(&ordinals->next, 0, err));
		TRY(number_map_add(&ordinals->places, key, sequence->tag, place, err));
	}
	*next = &ordinals->next.items[place];
	return 0;
}

/* Give the events of a call their ordinals. */
static int tell_ordinals(struct journal_cut *cut, struct journal_record *record, struct error *err)
{
	const struct mpi_call *call = &record->call;

	cut->told.count = 0;
	TRY(array_reserve(&cut->told, call->event_count + 1, err));
	for (uint32_t i = 0; i < call->event_count; i++) {
		struct sequence sequence;
		uint64_t *next;

		cut->told.items[i] = UINT64_MAX;
		if (!ordinals_sequence(&call->events[i], &sequence))
			continue;
		TRY(find_next(&cut->ordinals[record->thread], &sequence, &next, err));
		cut->told.items[i] = (*next)++;
	}
	record->ordinals = cut->told.items;
	return 0;
}

/* Read the next record: calls have their ordinals, which are told before them. */
static int next_numbered(struct journal_cut *cut, struct journal_record *record, struct error *err)
{
	int got;

	while ((got = journal_merge_next(cut->merge, record, err)) > 0) {
		uint64_t *next;

		if (record->kind == JOURNAL_CALL)
			TRY(tell_ordinals(cut, record, err));
		if (record->kind != JOURNAL_ORDINAL)
			return 1;
		TRY(find_next(&cut->ordinals[record->thread], &record->sequence, &next, err));
		*next = record->ordinal;
	}
	return got;
}

static void forget_ordinals(struct journal_cut *cut)
{
	for (uint32_t i = 0; cut->ordinals && i < cut->threads; i++) {
		number_map_clear(&cut->ordinals[i].places);
		cut->ordinals[i].next.count = 0;
	}
}

/* --------------------------------------------------------------- the requests */

static bool begins_request(enum mpi_event_kind kind)
{
	return kind == EVENT_ISEND || kind == EVENT_IRECV_REQUEST ||
	       kind == EVENT_COLLECTIVE_REQUEST;
}

static bool ends_request(enum mpi_event_kind kind)
{
	return kind == EVENT_ISEND_COMPLETE || kind == EVENT_IRECV ||
	       kind == EVENT_COLLECTIVE_COMPLETE || kind == EVENT_REQUEST_CANCELLED;
}

/* How a request ends of which nothing more is known. */
static struct mpi_event end_of(const struct mpi_event *begin)
{
	struct mpi_event end = {.kind = EVENT_COLLECTIVE_REQUEST, .request = begin->request};

	if (begin->kind == EVENT_ISEND)
		end.kind = EVENT_ISEND_COMPLETE;
	else if (begin->kind == EVENT_IRECV_REQUEST)
		end.kind = EVENT_REQUEST_CANCELLED;
	return end;
}

static int scan_begin(struct journal_cut *cut, const struct mpi_event *event, uint32_t thread,
		      struct error *err)
{
	const struct crossing late = {end_of(event), UINT64_MAX, thread};
	uint32_t before;

	TRY(number_map_set(&cut->open, event->request, 0, (uint32_t)cut->late.count, &before, err));
	return array_push(&cut->late, late, err);
}

/* Take the end of a request, inside the window or after it. */
static int scan_end(struct journal_cut *cut, const struct mpi_event *event, uint64_t ordinal,
		    uint32_t thread, bool inside, struct error *err)
{
	const struct crossing early = {{.kind = EVENT_IRECV_REQUEST, .request = event->request},
				       UINT64_MAX,
				       thread};
	const uint32_t place = number_map_remove(&cut->open, event->request, 0);

	if (place == NUMBER_MAP_EMPTY)
		return inside && event->kind == EVENT_IRECV ? array_push(&cut->early, early, err)
							    : 0;
	if (inside)
		cut->late.items[place].event.kind = EVENT_KINDS;
	else if (event->kind == EVENT_IRECV) {
		cut->late.items[place].event = *event;
		cut->late.items[place].ordinal = ordinal;
	}
	return 0;
}

static int scan_call(struct journal_cut *cut, const struct journal_record *record,
		     struct error *err)
{
	const struct mpi_call *call = &record->call;
	const bool inside = call->enter_ns < cut->window.end_ns;

	if (call->enter_ns < cut->window.begin_ns)
		return 0;
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];

		if (inside && begins_request(event->kind))
			TRY(scan_begin(cut, event, record->thread, err));
		else if (ends_request(event->kind))
			TRY(scan_end(cut, event, record->ordinals[i], record->thread, inside, err));
	}
	return 0;
}

/* Keep the requests that do not complete in the window. */
static void scan_finish(struct journal_cut *cut)
{
	size_t kept = 0;

	for (size_t i = 0; i < cut->late.count; i++)
		if (cut->late.items[i].event.kind != EVENT_KINDS &&
		    cut->late.items[i].event.kind != EVENT_COLLECTIVE_REQUEST)
			cut->late.items[kept++] = cut->late.items[i];
	cut->late.count = kept;
	number_map_clear(&cut->open);
	forget_ordinals(cut);
}

/* Find the requests that cross the edges of the window. */
static int scan(struct journal_cut *cut, struct error *err)
{
	struct journal_record record;
	int got;

	while ((got = next_numbered(cut, &record, err)) > 0)
		if (record.kind == JOURNAL_CALL)
			TRY(scan_call(cut, &record, err));
	TRY(got);
	scan_finish(cut);
	for (size_t i = 0; i < cut->early.count; i++)
		TRY(number_map_add(&cut->open, cut->early.items[i].event.request, 0, POSTED_EARLY,
				   err));
	return 0;
}

/* ------------------------------------------------------------------ open, close */

static int open_window(struct journal_cut *cut, const char *directory, struct error *err)
{
	TRY(allocate(&cut->ordinals, cut->threads, sizeof *cut->ordinals, err));
	TRY(journal_merge_open(&cut->merge, directory, cut->rank, cut->threads, err));
	TRY(scan(cut, err));
	journal_merge_close(cut->merge);
	cut->merge = NULL;
	return journal_merge_open(&cut->merge, directory, cut->rank, cut->threads, err);
}

int journal_cut_open(struct journal_cut **pointer, const char *directory, uint32_t rank,
		     uint32_t threads, const struct cut_window *window, struct error *err)
{
	struct journal_cut *cut;
	int result;

	TRY(allocate(&cut, 1, sizeof *cut, err));
	cut->window = *window;
	cut->rank = rank;
	cut->threads = threads;
	result = window->end_ns ? open_window(cut, directory, err)
				: journal_merge_open(&cut->merge, directory, rank, threads, err);
	if (result < 0) {
		journal_cut_close(cut);
		return -1;
	}
	*pointer = cut;
	return 0;
}

int journal_cut_open_unnamed(struct journal_cut **pointer, struct journal *const *journals,
			     uint32_t rank, uint32_t threads, struct error *err)
{
	struct journal_cut *cut;

	TRY(allocate(&cut, 1, sizeof *cut, err));
	if (journal_merge_open_unnamed(&cut->merge, journals, rank, threads, err) < 0) {
		journal_cut_close(cut);
		return -1;
	}
	*pointer = cut;
	return 0;
}

bool journal_cut_is_damaged(const struct journal_cut *cut)
{
	return journal_merge_is_damaged(cut->merge);
}

void journal_cut_close(struct journal_cut *cut)
{
	if (!cut)
		return;
	journal_merge_close(cut->merge);
	for (uint32_t i = 0; cut->ordinals && i < cut->threads; i++) {
		number_map_release(&cut->ordinals[i].places);
		array_release(&cut->ordinals[i].next);
	}
	free(cut->ordinals);
	number_map_release(&cut->open);
	array_release(&cut->early);
	array_release(&cut->late);
	array_release(&cut->told);
	free(cut);
}

/* --------------------------------------------------------------------- records */

/* Whether the event of a call in the window belongs to it. */
static int keep_event(struct journal_cut *cut, const struct mpi_event *event, struct error *err)
{
	uint32_t before;

	if (begins_request(event->kind))
		TRY(number_map_set(&cut->open, event->request, 0, 0, &before, err));
	if (event->kind == EVENT_REQUEST_TEST)
		return number_map_get(&cut->open, event->request, 0) != NUMBER_MAP_EMPTY;
	if (ends_request(event->kind))
		return number_map_remove(&cut->open, event->request, 0) != NUMBER_MAP_EMPTY;
	return 1;
}

static int keep_events(struct journal_cut *cut, struct mpi_call *call, struct error *err)
{
	/* They are in the buffer of the reader, and ours until the next record. */
	struct mpi_event *events = (struct mpi_event *)call->events;
	uint32_t count = 0;

	for (uint32_t i = 0; i < call->event_count; i++) {
		const int kept = keep_event(cut, &events[i], err);

		TRY(kept);
		if (!kept)
			continue;
		cut->told.items[count] = cut->told.items[i];
		events[count++] = events[i];
	}
	call->event_count = count;
	return 0;
}

/* Time of a record that is left out if it is not in the window; 0: it is kept. */
static uint64_t cut_time(const struct journal_record *record)
{
	switch (record->kind) {
	case JOURNAL_CALL:
		return record->call.enter_ns;
	case JOURNAL_BELOW:
		return record->below.enter_ns;
	case JOURNAL_SWITCH:
	case JOURNAL_FLUSH:
		return record->time_ns;
	default:
		return 0;
	}
}

/* Let the rank begin and end with the window. */
static void move_times(const struct journal_cut *cut, struct journal_record *record)
{
	if (record->kind == JOURNAL_BEGIN)
		record->time_ns = cut->window.begin_ns;
	else if (record->kind == JOURNAL_END && cut->window.end_ns != UINT64_MAX)
		record->time_ns = cut->window.end_ns;
	else if (record->kind == JOURNAL_CHUNK)
		record->time_ns = 0;
}

/* Read the next record of the window: 1; 0 at the end. */
static int next_inside(struct journal_cut *cut, struct journal_record *record, struct error *err)
{
	int got;

	while ((got = next_numbered(cut, record, err)) > 0) {
		const uint64_t time_ns = cut_time(record);

		if (time_ns && (time_ns < cut->window.begin_ns || time_ns >= cut->window.end_ns))
			continue;
		move_times(cut, record);
		if (record->kind == JOURNAL_CALL)
			TRY(keep_events(cut, &record->call, err));
		return 1;
	}
	return got;
}

/*
 * Make the next record of an edge of the window: switches, and calls of its crossings.  False after
 * the last.
 */
static bool next_of_edge(struct journal_cut *cut, struct journal_record *record)
{
	const bool begins = cut->stage == CUT_BEGIN;
	const uint64_t time_ns = begins ? cut->window.begin_ns : cut->window.end_ns;
	const size_t calls = begins ? cut->early.count : cut->late.count;
	const size_t first_switch = begins ? 0 : calls, first_call = begins ? cut->threads : 0;
	struct crossing *crossing;

	if (cut->step == calls + cut->threads)
		return false;
	*record = (struct journal_record){.rank = cut->rank};
	if (cut->step >= first_switch && cut->step < first_switch + cut->threads) {
		record->kind = JOURNAL_SWITCH;
		record->thread = (uint32_t)(cut->step++ - first_switch);
		record->time_ns = time_ns;
		record->on = begins;
		return true;
	}
	crossing = (begins ? cut->early.items : cut->late.items) + (cut->step++ - first_call);
	record->kind = JOURNAL_CALL;
	record->thread = crossing->thread;
	record->number = begins ? CALL_Irecv : CALL_Wait;
	record->call = (struct mpi_call){.enter_ns = time_ns,
					 .leave_ns = time_ns,
					 .events = &crossing->event,
					 .event_count = 1};
	record->ordinals = &crossing->ordinal;
	return true;
}

/* Go on with the records of an edge. */
static void begin_edge(struct journal_cut *cut, enum cut_stage edge)
{
	cut->stage = edge;
	cut->step = 0;
}

/* Read definitions; hold the first record that comes after them. */
static int next_definition(struct journal_cut *cut, struct journal_record *record,
			   struct error *err)
{
	const int got = next_inside(cut, record, err);

	TRY(got);
	if (got && !cut_time(record))
		return 1;
	cut->holding = got;
	cut->held = *record;
	begin_edge(cut, CUT_BEGIN);
	return 0;
}

static int next_of_window(struct journal_cut *cut, struct journal_record *record, struct error *err)
{
	int got;

	if (cut->holding) {
		cut->holding = false;
		*record = cut->held;
		return 1;
	}
	got = next_inside(cut, record, err);
	TRY(got);
	if (!got)
		begin_edge(cut, cut->window.end_ns == UINT64_MAX ? CUT_DONE : CUT_END);
	return got;
}

int journal_cut_next(struct journal_cut *cut, struct journal_record *record, struct error *err)
{
	int got = 0;

	if (!cut->window.end_ns)
		return journal_merge_next(cut->merge, record, err);
	while (!got && cut->stage != CUT_DONE) {
		if (cut->stage == CUT_DEFINITIONS) {
			got = next_definition(cut, record, err);
		} else if (cut->stage == CUT_INSIDE) {
			got = next_of_window(cut, record, err);
		} else {
			got = next_of_edge(cut, record);
			if (!got)
				cut->stage = cut->stage == CUT_BEGIN ? CUT_INSIDE : CUT_DONE;
		}
	}
	return got;
}
