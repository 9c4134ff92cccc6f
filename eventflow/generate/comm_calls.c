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

/* Whether the call has put ranks in another order than they have in the communicator before. */
static bool reorders(const struct rank_calls *calls, const struct mpi_call *call, uint32_t old_id)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_COMM_CREATE)
			return !grids_keep_order(calls->flow, old_id, call->events[i].comm);
	return false;
}

/* Keep the ranks of a list in the neighbours of a collective, and go to the next list. */
static int keep_ranks(struct rank_calls *calls, const char **text, int64_t *count, int64_t *list,
		      struct error *err)
{
	struct grid_numbers ranks = {0};
	int result = grids_read_ranks(text, &ranks, err);

	*count = (int64_t)ranks.count;
	if (result == 0)
		result = actions_list(&calls->program->actions, ranks.items, ranks.count, list,
				      err);
	array_release(&ranks);
	return result;
}

/* A graph of which each rank gives its own edges. */
static int say_dist_graph(struct rank_calls *calls, const struct mpi_call *call, uint32_t old_id,
			  int64_t made, struct action *text, struct error *err)
{
	const uint32_t hint = number_map_get(&calls->hints, calls->call, 0);
	const char *neighbours = hint == NUMBER_MAP_EMPTY ? ";"
							  : calls->futures.items[hint].neighbours;
	const int64_t old = own_comm(calls, old_id), reorder = reorders(calls, call, old_id);
	int64_t lists[2] = {0, 0}, counts[2];

	for (int side = 0; side < 2; side++)
		TRY(keep_ranks(calls, &neighbours, &counts[side], &lists[side], err));
	if (!strcmp(call->function, "MPI_Dist_graph_create_adjacent"))
		action_say(
			text,
			"MPI_Dist_graph_create_adjacent(comm[$], $, lists + $, MPI_UNWEIGHTED, $, "
			"lists + $, MPI_UNWEIGHTED, MPI_INFO_NULL, $, ",
			old, counts[0], lists[0], counts[1], lists[1], reorder);
	else
		action_say(
			text,
			"{ const int own[] = {places[$]}, degree[] = {$}; "
			"MPI_Dist_graph_create(comm[$], 1, own, degree, lists + $, MPI_UNWEIGHTED, "
			"MPI_INFO_NULL, $, ",
			old, counts[1], old, lists[1], reorder);
	say_made(made, text);
	action_say(text, strstr(call->function, "adjacent") ? ");" : "); }");
	action_say(text, " is_graph($, DIST_GRAPH, $, $);", made, counts[0], counts[1]);
	if (reorder)
		action_say(text, " was_reordered($);", made);
	return 0;
}

/* A graph of which each rank gives all edges. */
static int say_graph(struct rank_calls *calls, const struct grid_call *call, int64_t old,
		     int64_t made, struct action *text, struct error *err)
{
	struct actions *actions = &calls->program->actions;
	struct grid_numbers index = {0}, edges = {0};
	int64_t starts[2];
	int result = grids_edges(&calls->program->grids, calls->flow, call, &index, &edges, err);

	if (result == 0)
		result = actions_list(actions, index.items, index.count, &starts[0], err);
	if (result == 0)
		result = actions_list(actions, edges.items, edges.count, &starts[1], err);
	if (result == 0) {
		action_say(text, "MPI_Graph_create(comm[$], $, lists + $, lists + $, $, ", old,
			   (int64_t)index.count, starts[0], starts[1], (int64_t)call->reordered);
		say_made(made, text);
		action_say(text, ");");
		if (made >= 0)
			action_say(text, " is_graph($, GRAPH, 0, $);", made,
				   index.count ? (int64_t)index.items[0] : 0);
		if (call->reordered)
			action_say(text, " was_reordered($);", made);
	}
	array_release(&index);
	array_release(&edges);
	return result;
}

/* A grid, a part of one, or a graph: what it looks like was found from all ranks. */
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
	if (call->kind == GRID_GRAPH)
		return say_graph(calls, call, old, made, text, err);
	if (call->kind == GRID_PART)
		for (; count < GRID_DIMENSIONS; count++)
			list[count] = (call->kept >> count) & 1;
	for (int i = 0; call->kind == GRID_WHOLE && i < call->shape.count; i++) {
		list[count] = (int32_t)call->shape.sizes[i];
		list[call->shape.count + count++] = call->shape.periodic[i];
	}
	TRY(actions_list(&calls->program->actions, list,
			 (size_t)(call->kind == GRID_PART ? count : 2 * count), &start, err));
	if (call->kind == GRID_PART)
		action_say(text, "make_part($, $, lists + $);", old, made, start);
	else
		action_say(text, "make_grid($, $, $, lists + $, $);", old, made, (int64_t)count,
			   start, (int64_t)call->reordered);
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
			"MPI_Intercomm_create(comm[$], 0, MPI_COMM_WORLD, remote_leader($), tag_of($), &comm[$]); between = $;",
			old, made, made, made, made);
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
		action_say(
			text,
			"MPI_Comm_create_group(MPI_COMM_WORLD, group_for($), tag_of($), &comm[$]);",
			made, made, made);
	} else if (!strcmp(name, "Cart_create") || !strcmp(name, "Cart_sub") ||
		   !strcmp(name, "Graph_create")) {
		return say_grid(calls, old_id, old, made, text, err);
	} else if (!strncmp(name, "Dist_graph", strlen("Dist_graph"))) {
		return say_dist_graph(calls, call, old_id, made, text, err);
	} else if (!strcmp(name, "Comm_create_from_group") ||
		   !strcmp(name, "Intercomm_create_from_groups")) {
		action_say(text, "create_from_groups($);", made);
	} else if (!strncmp(name, "Intercomm_create", strlen("Intercomm_create") + 1) ||
		   !strcmp(name, "Intercomm_merge")) {
		say_inter(calls, name, old, made, old_id, text);
	}
	return 0;
}
