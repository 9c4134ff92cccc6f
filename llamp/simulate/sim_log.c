/*
 * Log of the bounds and events of a simulation, and the slack that follows from it.
 *
 * Bounds of a pending event are logged before the event happens, and bounds that begin at it after
 * that.  So the log is in a topological order, and is read backward.  Let event x bound events y by
 * y >= x + c.  Then slack(x) is the minimum of slack(y) + y - (x + c) over these y.
 */
#include "llamp/simulate/sim.h"

enum log_kind {
	LOG_BOUND,  /* `event` bounds the event that the entry becomes: not before `time` */
	LOG_HAPPEN, /* the entry becomes `event` at `time` */
	LOG_JOIN,   /* the bounds of the entry become bounds of entry `event` */
};

/* Entries of the end of the program, and of ends of rendezvous sends. */
enum { END_ENTRY = 0, SEND_ENTRY = (1 << 30) - 1 };

/* End of a rendezvous send, bounded by the completion of its receive. */
#define EVENT_SEND_END ((enum event_kind)7)

static int log_append(struct sim *sim, enum log_kind kind, uint32_t entry, uint32_t event,
		      int64_t time)
{
	const struct log_record record = {time, event, entry, (uint32_t)kind};

	if (entry > SEND_ENTRY)
		return error_set(sim->err, STATUS_LIMIT, "2^30 events or more wait at once");
	return array_push(&sim->log, record, sim->err);
}

int sim_log_bound(struct sim *sim, uint32_t pending, const struct cause *cause, int64_t time)
{
	if (cause->op == NO_EVENT)
		return 0;
	return log_append(sim, LOG_BOUND, pending, cost_event(cause->op, cause->kind), time);
}

int sim_log_event(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind)
{
	return log_append(sim, LOG_HAPPEN, pending, cost_event(op, kind),
			  sim->pool.items[pending].at.time);
}

int sim_log_join(struct sim *sim, uint32_t pending, uint32_t into)
{
	return log_append(sim, LOG_JOIN, pending, into, 0);
}

int sim_log_send_end(struct sim *sim, uint32_t send, int64_t time, struct cause *cause)
{
	TRY(log_append(sim, LOG_BOUND, SEND_ENTRY, cost_event(cause->op, cause->kind), time));
	*cause = (struct cause){.op = send, .kind = EVENT_SEND_END, .cost_op = NO_OP};
	return log_append(sim, LOG_HAPPEN, SEND_ENTRY, cost_event(send, EVENT_SEND_END), time);
}

/* ---------------------------------------------------------------- backward */

/* Slack that is not known yet. */
#define NO_SLACK INT64_MAX

/* Slack and time of the event that an entry becomes. */
struct becomes {
	int64_t slack, time;
};

struct backward {
	struct becomes *entries; /* [entry]; the last one is SEND_ENTRY */
	size_t entry_count;
	uint32_t op_count;
	int64_t *events; /* [event]: slack */
};

/* Events of an operation that have slack.  An operation has one of each pair in slack_of. */
enum { EVENTS_PER_OP = 5 };

/* Return the slack of an event.  Entries into links follow the operations. */
static int64_t *slack_of(const struct backward *back, uint32_t event)
{
	static const uint8_t place[] = {
		[EVENT_START] = 0,     [EVENT_COMPLETION] = 0, [EVENT_POST] = 1,
		[EVENT_INJECTION] = 1, [EVENT_ARRIVAL] = 2,    [EVENT_MATCH] = 2,
		[EVENT_WAIT] = 3,      [EVENT_SEND_END] = 4,
	};

	const uint32_t op = cost_event_op(event);

	if (op >= back->op_count)
		return &back->events[(size_t)back->op_count * (EVENTS_PER_OP - 1) + op];
	return &back->events[(size_t)op * EVENTS_PER_OP + place[cost_event_kind(event)]];
}

static void read_record(const struct backward *back, const struct log_record *record)
{
	struct becomes *entry =
		&back->entries[record->entry == SEND_ENTRY ? back->entry_count - 1 : record->entry];
	int64_t *source;

	switch ((enum log_kind)record->kind) {
	case LOG_BOUND:
		source = slack_of(back, record->event);
		if (entry->slack != NO_SLACK &&
		    entry->slack + (entry->time - record->time) < *source)
			*source = entry->slack + (entry->time - record->time);
		break;
	case LOG_HAPPEN:
		*entry = (struct becomes){*slack_of(back, record->event), record->time};
		break;
	case LOG_JOIN:
		*entry = back->entries[record->event];
		break;
	}
}

/* Return the smallest slack of the entries of a message into links. */
static int64_t smallest_of_links(const struct sim *sim, const struct backward *back, uint32_t send)
{
	const uint32_t *first = sim->execution->routes.first;
	int64_t least = NO_SLACK;

	for (uint32_t entry = first[send]; entry < first[send + 1]; entry++) {
		const int64_t slack = *slack_of(back, cost_event(sim->goal->op_count + entry,
								 EVENT_START));

		least = slack < least ? slack : least;
	}
	return least;
}

/* Return the slack of an operation, the smallest of its events. */
static int64_t smallest(const struct sim *sim, const struct backward *back,
			const struct located *at)
{
	static const enum event_kind of_recv[] = {EVENT_POST, EVENT_ARRIVAL, EVENT_COMPLETION};
	static const enum event_kind of_send[] = {EVENT_START, EVENT_INJECTION, EVENT_SEND_END};
	const bool receives = at->op.kind == GOAL_RECV;
	int64_t least = NO_SLACK;

	for (int i = 0; i < (at->op.kind == GOAL_CALC ? 1 : 3); i++) {
		const int64_t slack = *slack_of(back,
						cost_event(at->number,
							   (receives ? of_recv : of_send)[i]));

		least = slack < least ? slack : least;
	}
	if (at->op.kind == GOAL_SEND && sim->has_links) {
		const int64_t links = smallest_of_links(sim, back, at->number);

		least = links < least ? links : least;
	}
	if (receives) {
		const int64_t match =
			*slack_of(back, cost_event(sim->execution->matching.partner[at->number],
						   EVENT_MATCH));

		least = match < least ? match : least;
	}
	return least;
}

static int read_backward(struct sim *sim, struct backward *back)
{
	const struct goal *goal = sim->goal;
	const size_t events = (size_t)goal->op_count * EVENTS_PER_OP + sim_entries(sim);

	back->op_count = goal->op_count;
	back->entry_count = sim->pool.count + 1;
	TRY(allocate(&back->entries, back->entry_count, sizeof *back->entries, sim->err));
	TRY(allocate(&back->events, events, sizeof *back->events, sim->err));
	for (size_t i = 0; i < back->entry_count; i++)
		back->entries[i].slack = NO_SLACK;
	for (size_t i = 0; i < events; i++)
		back->events[i] = NO_SLACK;
	back->entries[END_ENTRY] = (struct becomes){0, sim->pool.items[END_ENTRY].at.time};
	for (size_t i = sim->log.count; i-- > 0;)
		read_record(back, &sim->log.items[i]);
	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++) {
			const struct located at = execution_locate(sim->execution, rank,
								   goal->ranks[rank].first_op + i);

			sim->slack[at.number] = smallest(sim, back, &at);
		}
	return 0;
}

int sim_find_slack_from_log(struct sim *sim)
{
	struct backward back = {.entries = NULL};
	const int result = read_backward(sim, &back);

	free(back.entries);
	free(back.events);
	return result;
}
