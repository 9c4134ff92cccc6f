/* Actions of calls that make and free communicators. */
#include "eventflow/generate/rank_calls.h"

#include <string.h>

/* Find the communicator that the call makes; -1 if this rank is not in it. */
static int64_t made_comm(const struct rank_calls *calls, const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_COMM_CREATE)
			return own_comm(calls, call->events[i].comm);
	return -1;
}

/* Find the communicator over which it is made or, of MPI_Comm_free, that is freed. */
static int64_t old_comm(const struct rank_calls *calls, const struct mpi_call *call, uint32_t *id)
{
	*id = NO_COMM;
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_COMM_DESTROY ||
		    (call->events[i].kind == EVENT_COLLECTIVE && *id == NO_COMM))
			*id = call->events[i].comm;
	return *id == NO_COMM ? -1 : own_comm(calls, *id);
}

/* Where a communicator goes that this rank is not in: behind the others. */
static void say_made(int64_t made, struct action *text)
{
	if (made < 0)
		action_say(text, "&comm[COMMS]");
	else
		action_say(text, "&comm[$]", made);
}

static int say_graph(struct rank_calls *calls, const struct mpi_call *call, int64_t old,
		     int64_t made, struct action *text, struct error *err)
{
	const uint32_t hint = number_map_get(&calls->hints, calls->call, 0);
	const char *neighbours = hint == NUMBER_MAP_EMPTY ? ";"
							  : calls->futures.items[hint].neighbours;
	int64_t lists[2] = {0, 0}, counts[2];

	for (int side = 0; side < 2; side++) {
		ARRAY(int32_t) ranks = {0};
		int result = 0;

		while (result == 0 && *neighbours >= '0' && *neighbours <= '9') {
			char *end;

			result = array_push(&ranks, (int32_t)strtol(neighbours, &end, 10), err);
			neighbours = *end == ',' ? end + 1 : end;
		}
		neighbours += *neighbours == ';';
		counts[side] = (int64_t)ranks.count;
		if (result == 0)
			result = actions_list(&calls->program->actions, ranks.items, ranks.count,
					      &lists[side], err);
		array_release(&ranks);
		TRY(result);
	}
	if (!strcmp(call->function, "MPI_Dist_graph_create_adjacent"))
		action_say(
			text,
			"MPI_Dist_graph_create_adjacent(comm[$], $, lists + $, MPI_UNWEIGHTED, $, "
			"lists + $, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, ",
			old, counts[0], lists[0], counts[1], lists[1]);
	else
		action_say(
			text,
			"{ const int own[] = {places[$]}, degree[] = {$}; "
			"MPI_Dist_graph_create(comm[$], 1, own, degree, lists + $, MPI_UNWEIGHTED, "
			"MPI_INFO_NULL, 0, ",
			old, counts[1], old, lists[1]);
	say_made(made, text);
	action_say(text, strstr(call->function, "adjacent") ? ");" : "); }");
	return 0;
}

/* A grid, or a part of one: its shape was found from all ranks. */
static int say_grid(struct rank_calls *calls, uint32_t parent, int64_t old, int64_t made,
		    struct action *text, struct error *err)
{
	uint32_t number = number_map_get(&calls->grid_calls, parent, 0), before;
	const struct grid_call *call;
	int32_t list[2 * GRID_DIMENSIONS];
	int count = 0;
	int64_t start;

	if (number == NUMBER_MAP_EMPTY)
		number = 0;
	TRY(number_map_set(&calls->grid_calls, parent, 0, number + 1, &before, err));
	call = grids_call(&calls->program->grids, parent, number);
	if (!call)
		return 0;
	if (call->sub)
		for (; count < GRID_DIMENSIONS; count++)
			list[count] = (call->kept >> count) & 1;
	for (int i = 0; !call->sub && i < call->shape.count; i++) {
		list[count] = (int32_t)call->shape.sizes[i];
		list[call->shape.count + count++] = call->shape.periodic[i];
	}
	TRY(actions_list(&calls->program->actions, list, (size_t)(call->sub ? count : 2 * count),
			 &start, err));
	if (call->sub)
		action_say(text, "make_part($, $, lists + $);", old, made, start);
	else
		action_say(text, "make_grid($, $, $, lists + $);", old, made, (int64_t)count,
			   start);
	return 0;
}

static void say_inter(struct rank_calls *calls, const char *function, int64_t old, int64_t made,
		      uint32_t old_id, struct action *text)
{
	(void)old_id;
	(void)calls;
	if (strstr(function, "merge"))
		action_say(
			text,
			"MPI_Intercomm_merge(comm[$], lists[row($)->ranks] != own_leader($), &comm[$]);",
			old, made, old, made);
	else
		action_say(
			text,
			"MPI_Intercomm_create(comm[$], 0, MPI_COMM_WORLD, remote_leader($), 0, &comm[$]); between = $;",
			old, made, made, made);
}

int comm_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		struct error *err)
{
	const char *name = call->function + strlen("MPI_");
	uint32_t old_id;
	int64_t made = made_comm(calls, call), old = old_comm(calls, call, &old_id);

	if (!call->event_count)
		return 0;
	if (!strcmp(name, "Comm_free") || !strcmp(name, "Comm_disconnect")) {
		action_say(text, "MPI_%s(&comm[$]);", name, old);
	} else if (!strcmp(name, "Comm_dup")) {
		action_say(text, "MPI_Comm_dup(comm[$], &comm[$]);", old, made);
	} else if (!strcmp(name, "Comm_dup_with_info")) {
		action_say(text, "MPI_Comm_dup_with_info(comm[$], MPI_INFO_NULL, &comm[$]);", old,
			   made);
	} else if (!strcmp(name, "Comm_split")) {
		action_say(text, "split($, $);", old, made);
	} else if (!strcmp(name, "Comm_split_type")) {
		action_say(text, "MPI_Comm_split_type(comm[$], %s, ", old,
			   made < 0 ? "MPI_UNDEFINED" : "MPI_COMM_TYPE_SHARED");
		if (made < 0)
			action_say(text, "0");
		else
			action_say(text, "places[$]", made);
		action_say(text, ", MPI_INFO_NULL, ");
		say_made(made, text);
		action_say(text, ");");
	} else if (!strcmp(name, "Comm_create")) {
		action_say(text, "MPI_Comm_create(comm[$], group_for($), ", old, made);
		say_made(made, text);
		action_say(text, ");");
	} else if (!strcmp(name, "Comm_create_group")) {
		action_say(text,
			   "MPI_Comm_create_group(MPI_COMM_WORLD, group_for($), 0, &comm[$]);",
			   made, made);
	} else if (!strcmp(name, "Cart_create") || !strcmp(name, "Cart_sub")) {
		return say_grid(calls, old_id, old, made, text, err);
	} else if (!strncmp(name, "Dist_graph", strlen("Dist_graph"))) {
		return say_graph(calls, call, old, made, text, err);
	} else if (!strncmp(name, "Intercomm_create", strlen("Intercomm_create") + 1) ||
		   !strcmp(name, "Intercomm_merge")) {
		say_inter(calls, name, old, made, old_id, text);
	}
	return 0;
}
