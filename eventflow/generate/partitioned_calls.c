/*
 * Partitioned messages.  A trace has the call with which a send was ready as a whole, and calls
 * that make partitions ready, but neither which call started the send nor which partitions of
 * which message a call is for: any that make each message ready in time will do.
 */
#include "eventflow/generate/partitioned_calls.h"

#include <string.h>

static bool has_name(const struct mpi_call *call, const char *name)
{
	return !strcmp(call->function, name);
}

static bool is_ready(const struct mpi_call *call)
{
	return !strncmp(call->function, "MPI_Pready", strlen("MPI_Pready"));
}

/* ---------------------------------------------------------------------------- look ahead */

static int refuse(const struct rank_calls *calls, const char *function, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "rank %u calls %s, and a trace does not tell for which message: no "
			 "program can be generated",
			 calls->rank, function);
}

/*
 * Find the call that started a message: the last one that may have, MPI_Start without a record
 * before MPI_Startall, which has none for partitioned sends.  NULL if there is none.
 */
static struct partitioned_call *find_start(struct rank_calls *calls, uint64_t since)
{
	struct partitioned_call *last = NULL;

	for (size_t i = 0; i < calls->starts.count; i++) {
		struct partitioned_call *start = &calls->starts.items[i];

		if (start->call > since && !(start->several ? last && !last->several : start->used))
			last = start;
	}
	return last;
}

static int note_started(struct rank_calls *calls, struct partitioned_call *start, uint32_t number,
			struct error *err)
{
	uint32_t before;

	start->used++;
	return number_map_set(&calls->hints, start->call, start->used, number, &before, err);
}

/*
 * Give the partitions of a message to the calls that make them ready, of which the one at hand is
 * the last: one to each, but the rest to the first one that takes several.
 */
static int give_partitions(struct rank_calls *calls, uint64_t since, uint32_t number,
			   uint32_t partitions, const char *function, struct error *err)
{
	uint32_t taken = 0, first = 0, extra, before;
	bool several = false;

	for (size_t i = 0; i < calls->readies.count; i++) {
		struct partitioned_call *ready = &calls->readies.items[i];
		const bool is_last = i + 1 == calls->readies.count;

		if (ready->used || ready->call < since || (!is_last && taken + 1 >= partitions))
			continue;
		ready->used = 2;
		taken++;
		several |= ready->several;
	}
	extra = partitions - taken;
	if (taken > partitions || (extra && !several))
		return refuse(calls, function, err);
	for (size_t i = 0; i < calls->readies.count; i++) {
		struct partitioned_call *ready = &calls->readies.items[i];
		struct replay_part part = {number, first, 1};

		if (ready->used != 2)
			continue;
		ready->used = 1;
		if (ready->several) {
			part.count += extra;
			extra = 0;
		}
		first += part.count;
		TRY(number_map_set(&calls->hints, ready->call, 0, (uint32_t)calls->parts.count,
				   &before, err));
		TRY(array_push(&calls->parts, part, err));
	}
	return 0;
}

static int note_message(struct rank_calls *calls, const struct mpi_event *event,
			const char *function, struct error *err)
{
	const uint32_t number = number_map_get(&calls->started, event->request, 0);
	struct partitioned_call *start =
		number == NUMBER_MAP_EMPTY
			? NULL
			: find_start(calls, calls->persistent.items[number].idle_since);

	if (!start)
		return refuse(calls, function, err);
	TRY(note_started(calls, start, number, err));
	return give_partitions(calls, start->call, number, event->partitions, function, err);
}

int note_partitions(void *data, const struct mpi_call *call, struct error *err)
{
	struct rank_calls *calls = data;
	const struct partitioned_call this = {++calls->call, 0,
					      !has_name(call, "MPI_Start") &&
						      !has_name(call, "MPI_Pready")};

	if (is_ready(call))
		TRY(array_push(&calls->readies, this, err));
	if (has_name(call, "MPI_Startall") || (has_name(call, "MPI_Start") && !call->event_count))
		TRY(array_push(&calls->starts, this, err));
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];
		uint32_t number;

		if (event->kind == EVENT_ISEND && is_ready(call))
			TRY(note_message(calls, event, call->function, err));
		if (event->kind != EVENT_ISEND_COMPLETE)
			continue;
		number = number_map_get(&calls->started, event->request, 0);
		if (number != NUMBER_MAP_EMPTY)
			calls->persistent.items[number].idle_since = calls->call;
	}
	return 0;
}

int check_partitions(const struct rank_calls *calls, struct error *err)
{
	for (size_t i = 0; i < calls->readies.count; i++)
		if (!calls->readies.items[i].used)
			return refuse(calls,
				      calls->readies.items[i].several ? "MPI_Pready_range"
								      : "MPI_Pready",
				      err);
	return 0;
}

/* ------------------------------------------------------------------------------- actions */

/* A request of MPI_Precv_init; any will do, as it may be inactive. */
static int64_t receive_request(const struct rank_calls *calls)
{
	for (uint32_t p = 0; p < calls->persistent.count; p++)
		if (!strcmp(calls->persistent.items[p].function, "MPI_Precv_init"))
			return p;
	return 0;
}

/* The same partitions as a list: their numbers are one after the other. */
static int say_list(struct rank_calls *calls, const struct replay_part *part, struct action *text,
		    struct error *err)
{
	ARRAY(int32_t) numbers = {0};
	int64_t start = 0;
	int result = 0;

	for (uint32_t i = 0; i < part->count && result == 0; i++)
		result = array_push(&numbers, (int32_t)(part->first + i), err);
	if (result == 0)
		result = actions_list(&calls->program->actions, numbers.items, numbers.count,
				      &start, err);
	if (result == 0)
		action_say(text, "MPI_Pready_list($, (int *)(lists + $), persistent[$]);",
			   (int64_t)part->count, start, (int64_t)part->persistent);
	array_release(&numbers);
	return result;
}

int partitioned_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		       struct error *err)
{
	const uint32_t hint = number_map_get(&calls->hints, calls->call, 0);
	const struct replay_part *part;

	if (has_name(call, "MPI_Parrived"))
		action_say(text, "MPI_Parrived(persistent[$], 0, &flag);", receive_request(calls));
	if (!is_ready(call) || hint == NUMBER_MAP_EMPTY)
		return 0;
	part = &calls->parts.items[hint];
	if (has_name(call, "MPI_Pready_list"))
		TRY(say_list(calls, part, text, err));
	else if (has_name(call, "MPI_Pready_range"))
		action_say(text, "MPI_Pready_range($, $, persistent[$]);", (int64_t)part->first,
			   (int64_t)part->first + part->count - 1, (int64_t)part->persistent);
	else
		action_say(text, "MPI_Pready($, persistent[$]);", (int64_t)part->first,
			   (int64_t)part->persistent);
	if (!call->event_count)
		return 0;
	action_say(text, " *begin() = persistent[$];", (int64_t)part->persistent);
	return note_open(calls, call->events[0].request, NO_REQUEST, err);
}
