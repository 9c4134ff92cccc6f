#include "trace/assemble/replay.h"

#include <stdlib.h>
#include <string.h>

void facts_release(struct facts *facts)
{
	for (size_t i = 0; i < facts->comms.count; i++) {
		free((void *)facts->comms.items[i].comm.members);
		free((void *)facts->comms.items[i].comm.remote);
		free(facts->comms.items[i].name);
	}
	for (size_t i = 0; i < facts->properties.count; i++) {
		free(facts->properties.items[i].name);
		free(facts->properties.items[i].value);
	}
	for (size_t i = 0; i < facts->windows.count; i++)
		free(facts->windows.items[i].name);
	for (size_t i = 0; i < facts->groups.count; i++)
		free((void *)facts->groups.items[i].members);
	array_release(&facts->comms);
	array_release(&facts->windows);
	array_release(&facts->groups);
	array_release(&facts->properties);
	free(facts->host);
	memset(facts, 0, sizeof *facts);
}

static int copy_text(char **to, const char *text, struct error *err)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : error_set_memory(err, strlen(text) + 1);
}

static int copy_members(const uint64_t **to, const uint64_t *from, uint32_t count,
			const struct facts *facts, struct error *err)
{
	uint64_t *copy;

	*to = NULL;
	if (!from)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (from[i] >= facts->ranks)
			return error_set(err, STATUS_DATA, "rank %u: a communicator with rank %llu",
					 facts->rank, (unsigned long long)from[i]);
	TRY(allocate(&copy, count, sizeof *copy, err));
	memcpy(copy, from, count * sizeof *copy);
	*to = copy;
	return 0;
}

static int take_comm(struct facts *facts, const struct mpi_comm *comm, struct error *err)
{
	struct facts_comm *own;

	if (comm->id != facts->comms.count)
		return error_set(err, STATUS_DATA,
				 "rank %u: communicator %u without the one before", facts->rank,
				 comm->id);
	TRY(array_reserve(&facts->comms, 1, err));
	own = &facts->comms.items[facts->comms.count++];
	own->comm = *comm;
	own->name = NULL;
	own->lost = false;
	own->comm.members = own->comm.remote = NULL;
	TRY(copy_members(&own->comm.members, comm->members, comm->size, facts, err));
	return copy_members(&own->comm.remote, comm->remote, comm->remote_size, facts, err);
}

static int take_property(struct facts *facts, const char *name, const char *value,
			 struct error *err)
{
	struct facts_property *own;

	TRY(array_reserve(&facts->properties, 1, err));
	own = &facts->properties.items[facts->properties.count++];
	own->name = own->value = NULL;
	TRY(copy_text(&own->name, name, err));
	return copy_text(&own->value, value, err);
}

static int take_window(struct facts *facts, const struct mpi_window *window, struct error *err)
{
	struct facts_window own = {.window = *window};

	if (window->id != facts->windows.count || window->comm >= facts->comms.count)
		return error_set(err, STATUS_DATA, "rank %u: window %u cannot stand there",
				 facts->rank, window->id);
	return array_push(&facts->windows, own, err);
}

static int take_group(struct facts *facts, const struct mpi_group *group, struct error *err)
{
	struct mpi_group own = *group;

	if (group->id != facts->groups.count)
		return error_set(err, STATUS_DATA, "rank %u: group %u without the one before",
				 facts->rank, group->id);
	TRY(copy_members(&own.members, group->members, group->size, facts, err));
	if (array_push(&facts->groups, own, err) == 0)
		return 0;
	free((void *)own.members);
	return -1;
}

/* Communicators, windows and groups are known before they are used. */
static int check_event(const struct facts *facts, const struct mpi_event *event, struct error *err)
{
	if (event->comm >= facts->comms.count && event->kind != EVENT_TRANSFER)
		return error_set(err, STATUS_DATA, "rank %u: communicator %u is not known",
				 facts->rank, event->comm);
	if (event_is_rma(event->kind) && event->window >= facts->windows.count)
		return error_set(err, STATUS_DATA, "rank %u: window %u is not known",
				 facts->rank, event->window);
	if (event->kind == EVENT_RMA_GROUP_SYNC && event->group >= facts->groups.count)
		return error_set(err, STATUS_DATA, "rank %u: group %u is not known",
				 facts->rank, event->group);
	return 0;
}

static int check_call(const struct facts *facts, const struct mpi_call *call, struct error *err)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		TRY(check_event(facts, &call->events[i], err));
	return 0;
}

int facts_take(struct facts *facts, const struct journal_record *record, struct error *err)
{
	if ((record->kind == JOURNAL_BEGIN) == (facts->host != NULL))
		return error_set(err, STATUS_DATA, "rank %u: the journal does not begin",
				 facts->rank);
	if (record->time_ns > facts->last_ns)
		facts->last_ns = record->time_ns;
	switch (record->kind) {
	case JOURNAL_BEGIN:
		facts->rank = record->rank;
		facts->ranks = record->ranks;
		facts->begin_ns = record->time_ns;
		facts->complete = true;
		return copy_text(&facts->host, record->name, err);
	case JOURNAL_CALL:
		facts->calls += record->call.polls ? record->call.polls : 1;
		if (record->call.leave_ns > facts->last_ns)
			facts->last_ns = record->call.leave_ns;
		return check_call(facts, &record->call, err);
	case JOURNAL_SWITCH:
		facts->complete &= record->on;
		return 0;
	case JOURNAL_COMM:
		return take_comm(facts, &record->comm, err);
	case JOURNAL_COMM_NAME:
		if (record->number >= facts->comms.count)
			return error_set(err, STATUS_DATA, "rank %u: the name of communicator %u",
					 facts->rank, record->number);
		return copy_text(&facts->comms.items[record->number].name, record->name, err);
	case JOURNAL_WINDOW:
		return take_window(facts, &record->window, err);
	case JOURNAL_WINDOW_NAME:
		if (record->number >= facts->windows.count)
			return error_set(err, STATUS_DATA, "rank %u: the name of window %u",
					 facts->rank, record->number);
		return copy_text(&facts->windows.items[record->number].name, record->name, err);
	case JOURNAL_GROUP:
		return take_group(facts, &record->group, err);
	case JOURNAL_PROPERTY:
		return take_property(facts, record->name, record->value, err);
	case JOURNAL_CLOCK:
		facts->clock = trace_clock_through(&record->clock, 1);
		return 0;
	case JOURNAL_END:
		facts->finished = true;
		return 0;
	default:
		return 0;
	}
}

int replay(struct journal_merge *journals, struct trace_writer *writer, uint64_t records,
	   struct facts *facts, replay_edit *edit, void *data, struct error *err)
{
	struct journal_record record;
	int got;

	while (records-- && (got = journal_merge_next(journals, &record, err)) != 0) {
		TRY(got);
		TRY(facts_take(facts, &record, err));
		if (record.kind == JOURNAL_CALL) {
			if (edit)
				TRY(edit(data, &record.call, (struct mpi_event *)record.call.events,
					 err));
			TRY(trace_writer_call(writer, record.thread, record.number, &record.call,
					      err));
		} else if (record.kind == JOURNAL_SWITCH) {
			TRY(trace_writer_switch(writer, record.thread, record.time_ns, record.on,
						err));
		} else if (record.kind == JOURNAL_FLUSH) {
			trace_writer_flushed(writer, record.thread, record.time_ns);
		}
	}
	return 0;
}
