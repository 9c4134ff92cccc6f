#include "trace/assemble/journal_calls.h"

#include "common/array.h"
#include "common/min_heap.h"
#include "common/number_map.h"
#include "trace/call/mpi_functions.h"

#include <stdlib.h>
#include <string.h>

/* World ranks of the groups of a rank. */
struct group_ranks {
	uint32_t *ranks; /* of all groups */
	size_t *starts;	 /* [group] in ranks */
};

/* The journal of a thread, and the call that is next to deliver. */
struct call_source {
	const struct rank_journals *of;
	const struct group_ranks *groups;
	struct number_map *sites; /* numbers of call sites, by the addresses of their texts */
	struct journal_reader *reader;
	struct journal_record record;
	struct mpi_call call;
	ARRAY(struct mpi_event) events; /* of the call, if they change places */
	uint32_t thread;
	uint64_t last_ns; /* of the previous record, uncorrected */
	uint64_t off_ns;  /* when recording was switched off */
	bool off;
};

/* --------------------------------------------------------------------- events */

/* The archive has sends at the begin of their call, all other events at its end. */
static bool is_at_enter(const struct mpi_event *event)
{
	return event->kind == EVENT_SEND || event->kind == EVENT_ISEND;
}

static bool sends_are_first(const struct mpi_call *call)
{
	for (uint32_t i = 1; i < call->event_count; i++)
		if (is_at_enter(&call->events[i]) && !is_at_enter(&call->events[i - 1]))
			return false;
	return true;
}

static int put_sends_first(struct call_source *source, struct error *err)
{
	struct mpi_call *call = &source->call;

	if (sends_are_first(call))
		return 0;
	source->events.count = 0;
	TRY(array_reserve(&source->events, call->event_count, err));
	for (int sends = 1; sends >= 0; sends--)
		for (uint32_t i = 0; i < call->event_count; i++)
			if (is_at_enter(&call->events[i]) == sends)
				source->events.items[source->events.count++] = call->events[i];
	call->events = source->events.items;
	return 0;
}

static int convert_rma(const struct call_source *source, struct mpi_event *event, struct error *err)
{
	const struct rank_journals *of = source->of;

	if (event->window >= of->window_count)
		return error_set(err, STATUS_DATA, "window %u is not known", event->window);
	event->window = of->windows[event->window];
	if (event->kind == EVENT_RMA_COLLECTIVE)
		event->bytes_sent = event->bytes_received = 0;
	if (event->kind != EVENT_RMA_GROUP_SYNC)
		return 0;
	if (event->group >= of->group_count)
		return error_set(err, STATUS_DATA, "group %u is not known", event->group);
	event->group_ranks = source->groups->ranks + source->groups->starts[event->group];
	event->group_size = of->groups[event->group].size;
	return 0;
}

static int convert_event(const struct call_source *source, struct mpi_event *event,
			 struct error *err)
{
	/* It has no communicator. */
	if (event->kind == EVENT_TRANSFER)
		return 0;
	if (event->comm >= source->of->comm_count)
		return error_set(err, STATUS_DATA, "communicator %u is not known", event->comm);
	event->comm = source->of->comms[event->comm];
	return event_is_rma(event->kind) ? convert_rma(source, event, err) : 0;
}

/* ---------------------------------------------------------------------- calls */

static void set_times(struct call_source *source, uint64_t enter_ns, uint64_t leave_ns)
{
	source->call.enter_ns = trace_clock_apply(&source->of->clock, enter_ns);
	source->call.leave_ns = trace_clock_apply(&source->of->clock, leave_ns);
}

/* Number the call site of the record, by the address of its text, which stays until the end. */
static int number_site(const struct call_source *source, uint32_t *site, struct error *err)
{
	const char *text = source->record.site;
	uint32_t number;

	*site = NO_SITE;
	if (!text || !source->of->sites)
		return 0;
	number = number_map_get(source->sites, (uintptr_t)text, 0);
	if (number == NUMBER_MAP_EMPTY) {
		TRY(string_table_add(source->of->sites, text, strlen(text), &number, err));
		TRY(number_map_add(source->sites, (uintptr_t)text, 0, number, err));
	}
	*site = number + 1;
	return 0;
}

/* Times of a thread do not run backwards in the archive. */
static int convert_call(struct call_source *source, struct error *err)
{
	const struct mpi_call *recorded = &source->record.call;
	const uint64_t enter_ns = recorded->enter_ns > source->last_ns ? recorded->enter_ns
								       : source->last_ns;
	/* They are in the buffer of the reader, and ours until the next record. */
	struct mpi_event *events = (struct mpi_event *)recorded->events;

	source->last_ns = recorded->leave_ns > enter_ns ? recorded->leave_ns : enter_ns;
	source->call = *recorded;
	source->call.function = mpi_functions[source->record.number].name;
	source->call.thread = source->thread;
	set_times(source, enter_ns, source->last_ns);
	TRY(number_site(source, &source->call.site, err));
	/* A single poll is a call like others. */
	if (recorded->polls == 1)
		source->call.polls = 0;
	for (uint32_t i = 0; i < recorded->event_count; i++)
		TRY(convert_event(source, &events[i], err));
	TRY(put_sends_first(source, err));
	return 1;
}

/* The time in which recording was off is a call. */
static int end_gap(struct call_source *source)
{
	source->off = false;
	source->call = (struct mpi_call){.function = RECORDING_OFF, .thread = source->thread};
	set_times(source, source->off_ns, source->last_ns);
	return 1;
}

/* Take a switch of recording: 1 if a call is ready. */
static int take_switch(struct call_source *source)
{
	const struct journal_record *record = &source->record;

	if (record->time_ns > source->last_ns)
		source->last_ns = record->time_ns;
	if (record->on && source->off)
		return end_gap(source);
	if (!record->on && !source->off)
		source->off_ns = source->last_ns;
	source->off = !record->on;
	return 0;
}

/* Read up to the next call: 1 if there is one. */
static int next_call(struct call_source *source, struct error *err)
{
	int got, ready = 0;

	while (!ready && (got = journal_next(source->reader, &source->record, err)) != 0) {
		TRY(got);
		if (source->record.kind == JOURNAL_CALL)
			ready = convert_call(source, err);
		else if (source->record.kind == JOURNAL_SWITCH)
			ready = take_switch(source);
	}
	return !ready && source->off ? end_gap(source) : ready;
}

/* ---------------------------------------------------------------- all threads */

static int list_groups(struct group_ranks *list, const struct rank_journals *of, struct error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < of->group_count; i++)
		count += of->groups[i].size;
	TRY(allocate(&list->ranks, count, sizeof *list->ranks, err));
	TRY(allocate(&list->starts, of->group_count, sizeof *list->starts, err));
	count = 0;
	for (size_t i = 0; i < of->group_count; i++) {
		list->starts[i] = count;
		for (uint32_t k = 0; k < of->groups[i].size; k++)
			list->ranks[count++] = (uint32_t)of->groups[i].members[k];
	}
	return 0;
}

static int open_source(struct call_source *source, const struct rank_journals *of, uint32_t thread,
		       struct error *err)
{
	const struct journal_place place = {of->directory, of->rank, thread};

	source->of = of;
	source->thread = thread;
	source->last_ns = of->begin_ns;
	return of->unnamed ? journal_open_unnamed(&source->reader, of->unnamed[thread], err)
			   : journal_open(&source->reader, &place, err);
}

static int push_next(struct call_source *source, struct min_heap *heap, struct error *err)
{
	const int ready = next_call(source, err);

	return ready <= 0 ? ready : min_heap_push(heap, source->call.enter_ns, source->thread, err);
}

/* Sources, and the order of their calls. */
struct call_merge {
	struct call_source *sources; /* [thread] */
	struct group_ranks groups;
	struct number_map sites;
	struct min_heap heap;
};

static int open_all(struct call_merge *merge, const struct rank_journals *of, struct error *err)
{
	TRY(allocate(&merge->sources, of->threads, sizeof *merge->sources, err));
	TRY(list_groups(&merge->groups, of, err));
	for (uint32_t i = 0; i < of->threads; i++) {
		merge->sources[i].groups = &merge->groups;
		merge->sources[i].sites = &merge->sites;
		TRY(open_source(&merge->sources[i], of, i, err));
		TRY(push_next(&merge->sources[i], &merge->heap, err));
	}
	return 0;
}

static int deliver(struct call_merge *merge, trace_receive *receive, void *data, struct error *err)
{
	while (merge->heap.entries.count) {
		struct call_source *source = &merge->sources[min_heap_pop(&merge->heap)];

		TRY(receive(data, &source->call, err));
		TRY(push_next(source, &merge->heap, err));
	}
	return 0;
}

int journal_calls(const struct rank_journals *journals, trace_receive *receive, void *data,
		  struct error *err)
{
	struct call_merge merge = {0};
	int result = open_all(&merge, journals, err);

	if (result == 0)
		result = deliver(&merge, receive, data, err);
	for (uint32_t i = 0; merge.sources && i < journals->threads; i++) {
		journal_reader_close(merge.sources[i].reader);
		array_release(&merge.sources[i].events);
	}
	min_heap_release(&merge.heap);
	number_map_release(&merge.sites);
	free(merge.groups.ranks);
	free(merge.groups.starts);
	free(merge.sources);
	return result;
}
