#include "trace/assemble/journal_to_otf2.h"

#include "common/number_map.h"

#include <stdlib.h>
#include <string.h>

void rank_summary_release(struct rank_summary *summary)
{
	for (size_t i = 0; i < summary->comms.count; i++) {
		free((void *)summary->comms.items[i].comm.members);
		free((void *)summary->comms.items[i].comm.remote);
		free(summary->comms.items[i].name);
	}
	for (size_t i = 0; i < summary->properties.count; i++) {
		free(summary->properties.items[i].name);
		free(summary->properties.items[i].value);
	}
	for (size_t i = 0; i < summary->windows.count; i++)
		free(summary->windows.items[i].name);
	for (size_t i = 0; i < summary->groups.count; i++)
		free((void *)summary->groups.items[i].members);
	array_release(&summary->comms);
	array_release(&summary->windows);
	array_release(&summary->groups);
	array_release(&summary->properties);
	array_release(&summary->iterations);
	free(summary->host);
	free(summary->cpus);
	memset(summary, 0, sizeof *summary);
}

static int copy_text(char **to, const char *text, struct error *err)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : error_set_memory(err, strlen(text) + 1);
}

static int copy_members(const uint64_t **to, const uint64_t *from, uint32_t count,
			const struct rank_summary *summary, struct error *err)
{
	uint64_t *copy;

	*to = NULL;
	if (!from)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (from[i] >= summary->ranks)
			return error_set(err, STATUS_DATA, "rank %u: a communicator with rank %llu",
					 summary->rank, (unsigned long long)from[i]);
	TRY(allocate(&copy, count, sizeof *copy, err));
	memcpy(copy, from, count * sizeof *copy);
	*to = copy;
	return 0;
}

static int take_comm(struct rank_summary *summary, const struct mpi_comm *comm, struct error *err)
{
	struct summary_comm *own;

	if (comm->id != summary->comms.count)
		return error_set(err, STATUS_DATA,
				 "rank %u: communicator %u before the previous one", summary->rank,
				 comm->id);
	TRY(array_reserve(&summary->comms, 1, err));
	own = &summary->comms.items[summary->comms.count++];
	own->comm = *comm;
	own->name = NULL;
	own->lost = false;
	own->comm.members = own->comm.remote = NULL;
	TRY(copy_members(&own->comm.members, comm->members, comm->size, summary, err));
	return copy_members(&own->comm.remote, comm->remote, comm->remote_size, summary, err);
}

static int take_property(struct rank_summary *summary, const char *name, const char *value,
			 struct error *err)
{
	struct summary_property *own;

	TRY(array_reserve(&summary->properties, 1, err));
	own = &summary->properties.items[summary->properties.count++];
	own->name = own->value = NULL;
	TRY(copy_text(&own->name, name, err));
	return copy_text(&own->value, value, err);
}

static int take_window(struct rank_summary *summary, const struct mpi_window *window,
		       struct error *err)
{
	struct summary_window own = {.window = *window};

	if (window->id != summary->windows.count || window->comm >= summary->comms.count)
		return error_set(err, STATUS_DATA, "rank %u: window %u is out of order",
				 summary->rank, window->id);
	return array_push(&summary->windows, own, err);
}

static int take_group(struct rank_summary *summary, const struct mpi_group *group,
		      struct error *err)
{
	struct mpi_group own = *group;

	if (group->id != summary->groups.count)
		return error_set(err, STATUS_DATA, "rank %u: group %u before the previous one",
				 summary->rank, group->id);
	TRY(copy_members(&own.members, group->members, group->size, summary, err));
	if (array_push(&summary->groups, own, err) == 0)
		return 0;
	free((void *)own.members);
	return -1;
}

/* Check that the event uses known communicators, windows and groups only. */
static int check_event(const struct rank_summary *summary, const struct mpi_event *event,
		       struct error *err)
{
	if (event->comm >= summary->comms.count && event->kind != EVENT_TRANSFER)
		return error_set(err, STATUS_DATA, "rank %u: communicator %u is not known",
				 summary->rank, event->comm);
	if (event_is_rma(event->kind) && event->window >= summary->windows.count)
		return error_set(err, STATUS_DATA, "rank %u: window %u is not known", summary->rank,
				 event->window);
	if (event->kind == EVENT_RMA_GROUP_SYNC && event->group >= summary->groups.count)
		return error_set(err, STATUS_DATA, "rank %u: group %u is not known", summary->rank,
				 event->group);
	return 0;
}

static int check_call(const struct rank_summary *summary, const struct mpi_call *call,
		      struct error *err)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		TRY(check_event(summary, &call->events[i], err));
	return 0;
}

/* Take the clock at the start, or at the end. */
static void take_clock(struct rank_summary *summary, const struct clock_point *point)
{
	const struct clock_point points[2] = {summary->clock_start, *point};

	summary->clock = summary->clock_start.time_ns ? trace_clock_through(points, 2)
						      : trace_clock_through(point, 1);
	if (!summary->clock_start.time_ns)
		summary->clock_start = *point;
}

/* Note if chunks before this one have been removed. */
static void take_chunk(struct rank_summary *summary, const struct journal_record *record)
{
	if (record->on)
		return;
	summary->lacks_calls = true;
	if (record->time_ns > summary->first_ns)
		summary->first_ns = record->time_ns;
}

/* Add a window, or what is known of one now. */
static int take_iterations(struct rank_summary *summary, const struct journal_iterations *window,
			   struct error *err)
{
	size_t i = 0;

	while (i < summary->iterations.count &&
	       summary->iterations.items[i].begin_ns != window->begin_ns)
		i++;
	if (i == summary->iterations.count)
		TRY(array_push(&summary->iterations, *window, err));
	summary->iterations.items[i] = *window;
	if (window->count)
		return 0;
	summary->iterations.count--;
	memmove(&summary->iterations.items[i], &summary->iterations.items[i + 1],
		(summary->iterations.count - i) * sizeof *window);
	return 0;
}

int rank_summary_take(struct rank_summary *summary, const struct journal_record *record,
		      struct error *err)
{
	if ((record->kind == JOURNAL_BEGIN) == (summary->host != NULL))
		return error_set(err, STATUS_DATA,
				 "rank %u: the journal has no first record, or two", summary->rank);
	if (record->time_ns > summary->last_ns)
		summary->last_ns = record->time_ns;
	switch (record->kind) {
	case JOURNAL_BEGIN:
		summary->rank = record->rank;
		summary->ranks = record->ranks;
		summary->begin_ns = record->time_ns;
		summary->complete = true;
		TRY(copy_text(&summary->cpus, record->cpus, err));
		return copy_text(&summary->host, record->name, err);
	case JOURNAL_CALL:
		summary->calls += record->call.polls ? record->call.polls : 1;
		summary->has_sites |= record->site != NULL;
		summary->has_below |= record->call.empty_polls > 0;
		if (record->call.leave_ns > summary->last_ns)
			summary->last_ns = record->call.leave_ns;
		return check_call(summary, &record->call, err);
	case JOURNAL_BELOW:
		summary->has_below = true;
		return 0;
	case JOURNAL_SWITCH:
		summary->complete &= record->on;
		return 0;
	case JOURNAL_COMM:
		return take_comm(summary, &record->comm, err);
	case JOURNAL_COMM_NAME:
		if (record->number >= summary->comms.count)
			return error_set(err, STATUS_DATA,
					 "rank %u: a name for the unknown communicator %u",
					 summary->rank, record->number);
		return copy_text(&summary->comms.items[record->number].name, record->name, err);
	case JOURNAL_WINDOW:
		return take_window(summary, &record->window, err);
	case JOURNAL_WINDOW_NAME:
		if (record->number >= summary->windows.count)
			return error_set(err, STATUS_DATA,
					 "rank %u: a name for the unknown window %u", summary->rank,
					 record->number);
		return copy_text(&summary->windows.items[record->number].name, record->name, err);
	case JOURNAL_GROUP:
		return take_group(summary, &record->group, err);
	case JOURNAL_PROPERTY:
		return take_property(summary, record->name, record->value, err);
	case JOURNAL_CLOCK:
		take_clock(summary, &record->clock);
		return 0;
	case JOURNAL_CHUNK:
		take_chunk(summary, record);
		return 0;
	case JOURNAL_ITERATIONS:
		return take_iterations(summary, &record->iterations, err);
	case JOURNAL_PREEMPTIONS:
		summary->preemptions = record->preemptions;
		return 0;
	case JOURNAL_END:
		summary->finished = true;
		return 0;
	default:
		return 0;
	}
}

/* Find the number of a call site among the strings of the writer, by the address of its text. */
static int number_site(struct number_map *numbers, struct trace_writer *writer, const char *text,
		       uint32_t *number, struct error *err)
{
	const uint64_t key = (uintptr_t)text;

	*number = number_map_get(numbers, key, 0);
	if (*number != NUMBER_MAP_EMPTY)
		return 0;
	TRY(trace_writer_site(writer, text, number, err));
	return number_map_add(numbers, key, 0, *number, err);
}

static int journal_to_otf2_write_call(struct trace_writer *writer, struct number_map *sites,
				      struct journal_record *record, journal_edit *edit, void *data,
				      struct error *err)
{
	if (edit)
		TRY(edit(data, &record->call, (struct mpi_event *)record->call.events,
			 record->ordinals, err));
	if (record->site)
		TRY(number_site(sites, writer, record->site, &record->call.site, err));
	return trace_writer_call(writer, record->thread, record->number, &record->call, err);
}

/* Whether a record is one of a window, and not of the rank. */
static bool is_of_window(enum journal_kind kind)
{
	return kind == JOURNAL_CALL || kind == JOURNAL_BELOW || kind == JOURNAL_SWITCH ||
	       kind == JOURNAL_FLUSH || kind == JOURNAL_END;
}

static int write_records(struct journal_cut *journals, struct trace_writer *writer,
			 uint64_t records, struct rank_summary *summary, struct number_map *sites,
			 journal_edit *edit, void *data, struct error *err)
{
	const bool again = summary->host != NULL;
	struct journal_record record;
	int got;

	while (records-- && (got = journal_cut_next(journals, &record, err)) != 0) {
		TRY(got);
		if (again && !is_of_window(record.kind))
			continue;
		TRY(rank_summary_take(summary, &record, err));
		if (!writer)
			continue;
		if (record.kind == JOURNAL_CALL)
			TRY(journal_to_otf2_write_call(writer, sites, &record, edit, data, err));
		else if (record.kind == JOURNAL_BELOW)
			TRY(trace_writer_below(writer, record.thread, &record.below, err));
		else if (record.kind == JOURNAL_SWITCH)
			TRY(trace_writer_switch(writer, record.thread, record.time_ns, record.on,
						err));
		else if (record.kind == JOURNAL_FLUSH)
			trace_writer_flushed(writer, record.thread, record.time_ns);
	}
	return writer ? trace_writer_below_end(writer, err) : 0;
}

int journal_to_otf2(struct journal_cut *journals, struct trace_writer *writer, uint64_t records,
		    struct rank_summary *summary, journal_edit *edit, void *data, struct error *err)
{
	struct number_map sites = {0};
	const int result = write_records(journals, writer, records, summary, &sites, edit, data,
					 err);

	number_map_release(&sites);
	return result;
}
