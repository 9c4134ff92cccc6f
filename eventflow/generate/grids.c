#include "eventflow/generate/grids.h"

#include "trace/flow/recover/flow_recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS_BYTES = 4 * GRID_DIMENSIONS * 12 };

/* ------------------------------------------------------------------------ what ranks tell */

/* A rank whose calls are read. */
struct grid_reader {
	struct grids *grids;
	const struct flow *flow;
	uint32_t rank;
	struct number_map calls; /* calls on each communicator so far */
	struct number_map
		made; /* communicators that are grids: whether their neighbours are known */
};

static uint32_t place_in(const struct trace_comm *comm, uint32_t rank)
{
	uint32_t place = 0;

	while (!comm->self && place < comm->size && comm->ranks[place] != rank)
		place++;
	return place;
}

/* Add the call to that of the other ranks. */
static int add_member(struct grid_reader *reader, uint32_t parent, enum grid_kind kind,
		      const struct grid_member *member, struct error *err)
{
	struct grids *grids = reader->grids;
	uint32_t number = number_map_get(&reader->calls, parent, 0), call, before;

	if (number == NUMBER_MAP_EMPTY)
		number = 0;
	TRY(number_map_set(&reader->calls, parent, 0, number + 1, &before, err));
	call = number_map_get(&grids->by_number, parent, number);
	if (call == NUMBER_MAP_EMPTY) {
		call = (uint32_t)grids->calls.count;
		TRY(array_push(&grids->calls, ((struct grid_call){.parent = parent, .kind = kind}),
			       err));
		TRY(number_map_add(&grids->by_number, parent, number, call, err));
	}
	return array_push(&grids->calls.items[call].members, *member, err);
}

static int note_call(struct grid_reader *reader, const struct mpi_call *call, enum grid_kind kind,
		     struct error *err)
{
	struct grid_member member = {.rank = reader->rank, .made = NO_COMM};
	uint32_t parent = NO_COMM, before;

	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind == EVENT_COMM_CREATE)
			member.made = call->events[i].comm;
		else if (call->events[i].kind == EVENT_COLLECTIVE)
			parent = call->events[i].comm;
	if (parent == NO_COMM)
		return 0;
	member.place = place_in(&reader->flow->world.comms[parent], reader->rank);
	if (member.made != NO_COMM)
		TRY(number_map_set(&reader->made, member.made, 0, false, &before, err));
	return add_member(reader, parent, kind, &member, err);
}

static int note_neighbours(struct grid_reader *reader, const struct mpi_event *event,
			   struct error *err)
{
	struct grid_neighbours new = {.comm = event->comm};
	uint32_t before;

	if (number_map_get(&reader->made, event->comm, 0) != false)
		return 0;
	TRY(number_map_set(&reader->made, event->comm, 0, true, &before, err));
	new.place = place_in(&reader->flow->world.comms[event->comm], reader->rank);
	new.text = strdup(event->neighbours);
	if (!new.text)
		return error_set_memory(err, strlen(event->neighbours) + 1);
	if (array_push(&reader->grids->neighbours, new, err) == 0)
		return 0;
	free((void *)new.text);
	return -1;
}

static int read_grid_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct grid_reader *reader = data;

	if (!strcmp(call->function, "MPI_Cart_create"))
		return note_call(reader, call, GRID_WHOLE, err);
	if (!strcmp(call->function, "MPI_Cart_sub"))
		return note_call(reader, call, GRID_PART, err);
	if (!strcmp(call->function, "MPI_Graph_create"))
		return note_call(reader, call, GRID_GRAPH, err);
	for (uint32_t i = 0; i < call->event_count; i++)
		if (event_is_collective(call->events[i].kind) && call->events[i].neighbours)
			TRY(note_neighbours(reader, &call->events[i], err));
	return 0;
}

static int read_grid_rank(struct grids *grids, const struct flow *flow, uint32_t rank,
			  struct error *err)
{
	struct grid_reader reader = {.grids = grids, .flow = flow, .rank = rank};
	const int result = flow_recover(flow, rank, read_grid_call, &reader, err);

	number_map_release(&reader.calls);
	number_map_release(&reader.made);
	return result;
}

/* --------------------------------------------------------------------------------- shapes */

/* Coordinates of a place: the last dimension counts fastest. */
static void find_coordinates(const struct grid_shape *shape, uint32_t place, uint32_t *at)
{
	for (int i = shape->count - 1; i >= 0; i--) {
		at[i] = place % shape->sizes[i];
		place /= shape->sizes[i];
	}
}

static uint32_t place_at(const struct grid_shape *shape, const uint32_t *at)
{
	uint32_t place = 0;

	for (int i = 0; i < shape->count; i++)
		place = place * shape->sizes[i] + at[i];
	return place;
}

bool grid_has_neighbour(const struct grid_shape *shape, uint32_t place, int dimension, bool above)
{
	uint32_t at[GRID_DIMENSIONS];

	find_coordinates(shape, place, at);
	return shape->periodic[dimension] ||
	       at[dimension] != (above ? shape->sizes[dimension] - 1 : 0);
}

/* Append the neighbour of a place in a dimension, below or above it, if there is one. */
static int say_neighbour(char *to, size_t room, const struct grid_shape *shape, uint32_t place,
			 int dimension, bool above)
{
	const uint32_t size = shape->sizes[dimension];
	uint32_t at[GRID_DIMENSIONS];

	if (!grid_has_neighbour(shape, place, dimension, above))
		return 0;
	find_coordinates(shape, place, at);
	at[dimension] = (at[dimension] + (above ? 1 : size - 1)) % size;
	return snprintf(to, room, ",%u", place_at(shape, at));
}

/* Write the neighbours of a place: sources, of which those above come first, and destinations. */
static void say_neighbours(const struct grid_shape *shape, uint32_t place, char *text)
{
	char *to = text;

	for (int side = 0; side < 2; side++) {
		char list[NEIGHBOURS_BYTES] = "";
		size_t used = 0;

		for (int i = 0; i < 2 * shape->count; i++)
			used += (size_t)say_neighbour(list + used, sizeof list - used, shape, place,
						      i / 2, (i % 2 == 1) == (side == 1));
		to += sprintf(to, "%s%s", side ? ";" : "", used ? list + 1 : "");
	}
}

static bool fits_neighbours(const struct grids *grids, uint32_t comm,
			    const struct grid_shape *shape)
{
	char expected[2 * NEIGHBOURS_BYTES];

	for (size_t i = 0; i < grids->neighbours.count; i++) {
		const struct grid_neighbours *neighbours = &grids->neighbours.items[i];

		if (neighbours->comm != comm)
			continue;
		say_neighbours(shape, neighbours->place, expected);
		if (strcmp(expected, neighbours->text) != 0)
			return false;
	}
	return true;
}

static struct grid_shape shape_of_part(const struct grid_shape *shape, unsigned kept)
{
	struct grid_shape part = {0};

	for (int i = 0; i < shape->count; i++)
		if (kept & 1u << i) {
			part.sizes[part.count] = shape->sizes[i];
			part.periodic[part.count++] = shape->periodic[i];
		}
	return part;
}

/* Whether the part of a grid that a place is in has the members of the communicator that was made. */
static bool fits_members(const struct flow *flow, uint32_t comm, const struct grid_shape *shape,
			 unsigned kept, const struct grid_member *member)
{
	const struct trace_comm *all = &flow->world.comms[comm];
	const struct trace_comm *made = &flow->world.comms[member->made];
	const struct grid_shape part = shape_of_part(shape, kept);
	uint32_t at[GRID_DIMENSIONS], own[GRID_DIMENSIONS], size = 1;

	for (int i = 0; i < part.count; i++)
		size *= part.sizes[i];
	if (made->self || made->size != size)
		return made->self && size == 1;
	find_coordinates(shape, member->place, at);
	for (uint32_t i = 0; i < size; i++) {
		find_coordinates(&part, i, own);
		for (int d = 0, k = 0; d < shape->count; d++)
			if (kept & 1u << d)
				at[d] = own[k++];
		if (made->ranks[i] != all->ranks[place_at(shape, at)])
			return false;
	}
	return true;
}

static bool fits(struct grids *grids, const struct flow *flow, uint32_t comm,
		 const struct grid_shape *shape);

/* Whether MPI_Cart_sub makes the communicators of all ranks of a grid if some dimensions remain. */
static bool fits_part(struct grids *grids, const struct flow *flow, const struct grid_call *call,
		      const struct grid_shape *shape, unsigned kept)
{
	const struct grid_shape part = shape_of_part(shape, kept);
	uint32_t last = NO_COMM;

	for (size_t i = 0; i < call->members.count; i++)
		if (!fits_members(flow, call->parent, shape, kept, &call->members.items[i]))
			return false;
	for (size_t i = 0; i < call->members.count; i++) {
		if (call->members.items[i].made != last &&
		    !fits(grids, flow, call->members.items[i].made, &part))
			return false;
		last = call->members.items[i].made;
	}
	return true;
}

/* Find the dimensions that remain. */
static bool find_kept(struct grids *grids, const struct flow *flow, struct grid_call *call,
		      const struct grid_shape *shape)
{
	for (unsigned kept = 0; kept < 1u << shape->count; kept++)
		if (fits_part(grids, flow, call, shape, kept)) {
			call->kept = kept;
			call->shape = shape_of_part(shape, kept);
			return true;
		}
	return false;
}

/* Whether a shape fits a communicator, and what is made of it. */
static bool fits(struct grids *grids, const struct flow *flow, uint32_t comm,
		 const struct grid_shape *shape)
{
	if (!fits_neighbours(grids, comm, shape))
		return false;
	for (size_t i = 0; i < grids->calls.count; i++)
		if (grids->calls.items[i].kind == GRID_PART &&
		    grids->calls.items[i].parent == comm &&
		    !find_kept(grids, flow, &grids->calls.items[i], shape))
			return false;
	return true;
}

/* -------------------------------------------------------------------------------- search */

/* The search for the shape of a grid. */
struct grid_search {
	struct grids *grids;
	const struct flow *flow;
	uint32_t comm;
	struct grid_shape shape;
};

/* Try which dimensions are periodic: all at first. */
static bool try_periods(struct grid_search *search)
{
	for (unsigned open = 0; open < 1u << search->shape.count; open++) {
		for (int i = 0; i < search->shape.count; i++)
			search->shape.periodic[i] = !(open & 1u << i);
		if (fits(search->grids, search->flow, search->comm, &search->shape))
			return true;
	}
	return false;
}

/* Try the sizes of the dimensions from `dimension` on, whose product is `left`. */
static bool try_sizes(struct grid_search *search, int dimension, uint32_t left)
{
	if (dimension == search->shape.count - 1) {
		search->shape.sizes[dimension] = left;
		return try_periods(search);
	}
	for (uint32_t size = left; size >= 1; size--)
		if (left % size == 0) {
			search->shape.sizes[dimension] = size;
			if (try_sizes(search, dimension + 1, left / size))
				return true;
		}
	return false;
}

static bool find_shape(struct grid_search *search, uint32_t size)
{
	for (search->shape.count = 1; search->shape.count <= GRID_DIMENSIONS; search->shape.count++)
		if (try_sizes(search, 0, size))
			return true;
	return false;
}

static int find_grid(struct grids *grids, const struct flow *flow, struct grid_call *call,
		     struct error *err)
{
	struct grid_search search = {.grids = grids, .flow = flow, .comm = grids_made(call)};
	const struct trace_comm *comm;

	if (search.comm == NO_COMM)
		return 0;
	comm = &flow->world.comms[search.comm];
	call->reordered = !grids_keep_order(flow, call->parent, search.comm);
	if (call->kind == GRID_GRAPH)
		return 0;
	if (!find_shape(&search, comm->self ? 1 : comm->size))
		return error_set(err, STATUS_LIMIT,
				 "rank %u: no grid of %d dimensions or fewer has the neighbours "
				 "and parts of communicator %u: no program can be generated",
				 call->members.items[0].rank, GRID_DIMENSIONS, search.comm);
	call->shape = search.shape;
	return 0;
}

/* --------------------------------------------------------------------------------- graphs */

int grids_read_ranks(const char **text, struct grid_numbers *ranks, struct error *err)
{
	while (**text >= '0' && **text <= '9') {
		char *end;

		TRY(array_push(ranks, (int32_t)strtol(*text, &end, 10), err));
		*text = *end == ',' ? end + 1 : end;
	}
	*text += **text == ';';
	return 0;
}

int grids_edges(const struct grids *grids, const struct flow *flow, const struct grid_call *call,
		struct grid_numbers *index, struct grid_numbers *edges, struct error *err)
{
	const uint32_t made = grids_made(call);
	const struct trace_comm *comm = made == NO_COMM ? NULL : &flow->world.comms[made];
	const uint32_t size = !comm ? 0 : comm->self ? 1 : comm->size;
	const char **texts;
	int result = 0;

	TRY(allocate(&texts, size + 1, sizeof *texts, err));
	for (size_t i = 0; i < grids->neighbours.count; i++)
		if (grids->neighbours.items[i].comm == made &&
		    grids->neighbours.items[i].place < size)
			texts[grids->neighbours.items[i].place] = grids->neighbours.items[i].text;
	for (uint32_t place = 0; place < size && result == 0; place++) {
		if (texts[place])
			result = grids_read_ranks(&texts[place], edges, err);
		if (result == 0)
			result = array_push(index, (int32_t)edges->count, err);
	}
	free((void *)texts);
	return result;
}

/* ------------------------------------------------------------------------------------ all */

static int note_makers(struct grids *grids, uint32_t number, struct error *err)
{
	const struct grid_call *call = &grids->calls.items[number];
	uint32_t before;

	for (size_t i = 0; call->kind != GRID_GRAPH && i < call->members.count; i++)
		if (call->members.items[i].made != NO_COMM)
			TRY(number_map_set(&grids->makers, call->members.items[i].made, 0, number,
					   &before, err));
	return 0;
}

int grids_find(struct grids *grids, const struct flow *flow, struct error *err)
{
	for (uint32_t rank = 0; rank < flow->world.rank_count; rank++)
		TRY(read_grid_rank(grids, flow, rank, err));
	for (size_t i = 0; i < grids->calls.count; i++)
		if (grids->calls.items[i].kind != GRID_PART)
			TRY(find_grid(grids, flow, &grids->calls.items[i], err));
	for (size_t i = 0; i < grids->calls.count; i++)
		TRY(note_makers(grids, (uint32_t)i, err));
	return 0;
}

const struct grid_call *grids_call(const struct grids *grids, uint32_t parent, uint32_t number)
{
	const uint32_t call = number_map_get(&grids->by_number, parent, number);

	return call == NUMBER_MAP_EMPTY ? NULL : &grids->calls.items[call];
}

const struct grid_shape *grids_shape(const struct grids *grids, uint32_t comm)
{
	const uint32_t call = number_map_get(&grids->makers, comm, 0);

	return call == NUMBER_MAP_EMPTY ? NULL : &grids->calls.items[call].shape;
}

uint32_t grids_made(const struct grid_call *call)
{
	for (size_t i = 0; i < call->members.count; i++)
		if (call->members.items[i].made != NO_COMM)
			return call->members.items[i].made;
	return NO_COMM;
}

bool grids_keep_order(const struct flow *flow, uint32_t parent_id, uint32_t made_id)
{
	const struct trace_comm *parent = &flow->world.comms[parent_id],
				*made = &flow->world.comms[made_id];

	return parent->self || made->self ||
	       (made->size <= parent->size &&
		memcmp(made->ranks, parent->ranks, made->size * sizeof *made->ranks) == 0);
}

void grids_release(struct grids *grids)
{
	for (size_t i = 0; i < grids->calls.count; i++)
		array_release(&grids->calls.items[i].members);
	for (size_t i = 0; i < grids->neighbours.count; i++)
		free((void *)grids->neighbours.items[i].text);
	array_release(&grids->calls);
	array_release(&grids->neighbours);
	number_map_release(&grids->by_number);
	number_map_release(&grids->makers);
}
