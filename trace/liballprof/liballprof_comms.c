#include "trace/liballprof/liballprof_comms.h"

#include "common/hash.h"
#include "trace/call/mpi_call.h"

#include <stdlib.h>
#include <string.h>

#define SEVERAL (NO_COMM - 1)		/* in by_place: several communicators fit */
#define COLOR_UNDEFINED (-32766)	/* MPI_UNDEFINED of MPICH and of Open MPI */

int liballprof_comms_begin_rank(struct liballprof_comms *comms, struct error *err)
{
	comms->rank_count++;
	TRY(array_push(&comms->first_use, comms->uses.count, err));
	return array_push(&comms->first_split, comms->splits.count, err);
}

int liballprof_comms_use(struct liballprof_comms *comms, const struct liballprof_use *use,
			 struct error *err)
{
	return array_push(&comms->uses, *use, err);
}

int liballprof_comms_note(struct liballprof_comms *comms, const struct liballprof_split *split,
			  struct error *err)
{
	TRY(array_push(&comms->splits, *split, err));
	comms->splits.items[comms->splits.count - 1].made = NO_COMM;
	comms->splits.items[comms->splits.count - 1].uses = comms->uses.count;
	return 0;
}

void liballprof_comms_release(struct liballprof_comms *comms)
{
	array_release(&comms->splits);
	array_release(&comms->uses);
	array_release(&comms->first_split);
	array_release(&comms->first_use);
	array_release(&comms->list);
	array_release(&comms->places);
	number_map_release(&comms->by_members);
	number_map_release(&comms->by_place);
	*comms = (struct liballprof_comms){0};
}

static size_t end_of_splits(const struct liballprof_comms *comms, uint32_t rank)
{
	return rank + 1 < comms->first_split.count ? comms->first_split.items[rank + 1]
						   : comms->splits.count;
}

/* -------------------------------------------------------------------- finding */

static uint64_t place_key(uint32_t rank, uint32_t own)
{
	return (uint64_t)rank << 32 | own;
}

/* Find the only communicator that fits; SEVERAL or NO_COMM if several or none do. */
static uint32_t find_known(const struct liballprof_comms *comms, uint32_t rank,
			   const struct liballprof_use *use)
{
	return use->size == 1 ? COMM_ID_SELF
			      : number_map_get(&comms->by_place, place_key(rank, use->own),
					       use->size);
}

int liballprof_handles_split(struct liballprof_handles *handles, struct error *err)
{
	return array_push(&handles->taken, false, err);
}

static bool is_member(const struct liballprof_comms *comms, uint32_t id, uint32_t rank,
		      const struct liballprof_use *use)
{
	const struct liballprof_members *members;

	if (id < FIRST_OWN_COMM_ID || id == NO_COMM)
		return id == COMM_ID_WORLD && use->own == rank && use->size == comms->rank_count;
	members = &comms->list.items[id - FIRST_OWN_COMM_ID];
	return members->size == use->size &&
	       comms->places.items[members->first + use->own] == rank;
}

/* Take the rank's first communicator that fits and has no handle yet. */
static uint32_t take_free(const struct liballprof_comms *comms, struct liballprof_handles *handles,
			  uint32_t rank, const struct liballprof_use *use)
{
	const struct liballprof_split *splits =
		comms->splits.items + comms->first_split.items[rank];

	for (size_t i = 0; i < handles->taken.count; i++)
		if (!handles->taken.items[i] && is_member(comms, splits[i].made, rank, use)) {
			handles->taken.items[i] = true;
			return splits[i].made;
		}
	return NO_COMM;
}

int liballprof_comms_find(const struct liballprof_comms *comms, struct liballprof_handles *handles,
			  uint32_t rank,
			  const struct liballprof_use *use, uint32_t *id, struct error *err)
{
	uint64_t key = use->handle ^ (uint64_t)use->own << 32;
	uint32_t known, next;

	*id = find_known(comms, rank, use);
	if (*id <= COMM_ID_SELF || *id == NO_COMM)
		return 0;
	known = number_map_get(&handles->ids, key, use->size);
	if (known != NUMBER_MAP_EMPTY) {
		*id = known;
		return 0;
	}
	next = take_free(comms, handles, rank, use);
	if (*id == SEVERAL) {
		/* MPI_COMM_WORLD fits too, and exists before all others. */
		*id = next == NO_COMM && use->own == rank && use->size == comms->rank_count
			      ? COMM_ID_WORLD : next;
		handles->guessed += next != NO_COMM;
	}
	return *id == NO_COMM ? 0 : number_map_add(&handles->ids, key, use->size, *id, err);
}

void liballprof_handles_release(struct liballprof_handles *handles)
{
	number_map_release(&handles->ids);
	array_release(&handles->taken);
}

/* -------------------------------------------------------------------- solving */

struct member {
	int32_t color, key;
	uint32_t own, rank;
};

struct solving {
	struct liballprof_comms *comms;
	struct liballprof_handles *handles;	/* by rank */
	size_t *at, *used;		/* by rank: its next split; its next use */
	ARRAY(uint32_t) waiting;	/* by communicator: number of ranks waiting in its split */
	ARRAY(uint32_t) last;		/* by communicator: the last of these ranks, or NO_COMM */
	uint32_t *before;		/* by rank: the rank that arrived before it, or NO_COMM */
	ARRAY(uint32_t) ready;		/* ranks that can go on to their next split */
	ARRAY(struct member) members;
};

static int add_place(struct liballprof_comms *comms, uint32_t rank, uint32_t own, uint32_t size,
		     uint32_t id, struct error *err)
{
	uint64_t key = place_key(rank, own);
	uint32_t old = number_map_remove(&comms->by_place, key, size);

	return number_map_add(&comms->by_place, key, size,
			      old == NUMBER_MAP_EMPTY || old == id ? id : SEVERAL, err);
}

static bool same_members(const struct liballprof_comms *comms, uint32_t place, size_t first,
			 uint32_t size)
{
	const struct liballprof_members *members = &comms->list.items[place];

	return members->size == size &&
	       !memcmp(comms->places.items + members->first, comms->places.items + first,
		       size * sizeof *comms->places.items);
}

static bool is_world(const struct liballprof_comms *comms, size_t first, uint32_t size)
{
	if (size != comms->rank_count)
		return false;
	for (uint32_t i = 0; i < size; i++)
		if (comms->places.items[first + i] != i)
			return false;
	return true;
}

/* Find or add the communicator of the last `size` places.  Remove the places if it exists. */
static int intern(struct liballprof_comms *comms, uint32_t size, uint32_t *id, struct error *err)
{
	size_t first = comms->places.count - size;
	struct liballprof_members members = {size, first};
	uint64_t hash = 0;
	uint32_t place;

	*id = size == 1 ? COMM_ID_SELF : COMM_ID_WORLD;
	if (size == 1 || is_world(comms, first, size)) {
		comms->places.count = first;
		return 0;
	}
	for (uint32_t i = 0; i < size; i++)
		hash = mix64_add(hash, comms->places.items[first + i]);
	while ((place = number_map_get(&comms->by_members, hash, size)) != NUMBER_MAP_EMPTY) {
		*id = FIRST_OWN_COMM_ID + place;
		if (same_members(comms, place, first, size)) {
			comms->places.count = first;
			return 0;
		}
		hash++;
	}
	place = (uint32_t)comms->list.count;
	*id = FIRST_OWN_COMM_ID + place;
	TRY(array_push(&comms->list, members, err));
	TRY(number_map_add(&comms->by_members, hash, size, place, err));
	for (uint32_t i = 0; i < size; i++)
		TRY(add_place(comms, comms->places.items[first + i], i, size, *id, err));
	return 0;
}

static int by_color(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->color != y->color)
		return x->color < y->color ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->own > y->own) - (x->own < y->own);
}

/* Split a communicator, in whose split all ranks have arrived, and make these ranks ready. */
static int split(struct solving *solving, uint32_t parent, struct error *err)
{
	struct liballprof_comms *comms = solving->comms;
	size_t count = 0, end;

	solving->members.count = 0;
	for (uint32_t rank = solving->last.items[parent]; rank != NO_COMM;
	     rank = solving->before[rank]) {
		const struct liballprof_split *each = &comms->splits.items[solving->at[rank]];
		struct member member = {each->color, each->key, each->parent.own, rank};

		TRY(array_push(&solving->members, member, err));
		TRY(array_push(&solving->ready, rank, err));
	}
	solving->last.items[parent] = NO_COMM;
	solving->waiting.items[parent] = 0;
	count = solving->members.count;
	qsort(solving->members.items, count, sizeof *solving->members.items, by_color);
	for (size_t first = 0; first < count; first = end) {
		const struct member *members = solving->members.items;
		uint32_t id;

		for (end = first; end < count && members[end].color == members[first].color; end++)
			if (members[end].color != COLOR_UNDEFINED)
				TRY(array_push(&comms->places, members[end].rank, err));
		if (members[first].color == COLOR_UNDEFINED)
			continue;
		TRY(intern(comms, (uint32_t)(end - first), &id, err));
		for (size_t i = first; i < end; i++)
			comms->splits.items[solving->at[members[i].rank]].made = id;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t rank = solving->members.items[i].rank;

		solving->at[rank]++;
		TRY(liballprof_handles_split(&solving->handles[rank], err));
	}
	return 0;
}

static uint32_t size_of(const struct liballprof_comms *comms, uint32_t id)
{
	return id == COMM_ID_SELF ? 1 : id == COMM_ID_WORLD ? comms->rank_count
				  : comms->list.items[id - FIRST_OWN_COMM_ID].size;
}

/* Let a rank arrive at its next split.  It stays there if the parent is unknown. */
static int arrive_at_split(struct solving *solving, uint32_t rank, struct error *err)
{
	struct liballprof_comms *comms = solving->comms;
	const struct liballprof_split *next;
	uint32_t id;

	if (solving->at[rank] == end_of_splits(comms, rank))
		return 0;
	next = &comms->splits.items[solving->at[rank]];
	for (; solving->used[rank] < next->uses; solving->used[rank]++)
		TRY(liballprof_comms_find(comms, &solving->handles[rank], rank,
					  &comms->uses.items[solving->used[rank]], &id, err));
	TRY(liballprof_comms_find(comms, &solving->handles[rank], rank, &next->parent, &id, err));
	if (id == NO_COMM)
		return 0;
	while (solving->waiting.count <= id) {
		TRY(array_push(&solving->waiting, 0, err));
		TRY(array_push(&solving->last, NO_COMM, err));
	}
	if (id == COMM_ID_SELF) {
		comms->splits.items[solving->at[rank]++].made =
			next->color == COLOR_UNDEFINED ? NO_COMM : COMM_ID_SELF;
		TRY(liballprof_handles_split(&solving->handles[rank], err));
		return array_push(&solving->ready, rank, err);
	}
	solving->before[rank] = solving->last.items[id];
	solving->last.items[id] = rank;
	if (++solving->waiting.items[id] < size_of(comms, id))
		return 0;
	return split(solving, id, err);
}

static int solve_ranks(struct solving *solving, struct error *err)
{
	struct liballprof_comms *comms = solving->comms;

	for (uint32_t rank = 0; rank < comms->rank_count; rank++) {
		TRY(add_place(comms, rank, rank, comms->rank_count, COMM_ID_WORLD, err));
		TRY(array_push(&solving->ready, rank, err));
		solving->at[rank] = comms->first_split.items[rank];
		solving->used[rank] = comms->first_use.items[rank];
	}
	while (solving->ready.count)
		TRY(arrive_at_split(solving, solving->ready.items[--solving->ready.count], err));
	return 0;
}

int liballprof_comms_solve(struct liballprof_comms *comms, struct error *err)
{
	struct solving solving = {.comms = comms};
	int result = -1;

	if (allocate(&solving.handles, comms->rank_count, sizeof *solving.handles, err) == 0 &&
	    allocate(&solving.at, comms->rank_count, sizeof *solving.at, err) == 0 &&
	    allocate(&solving.used, comms->rank_count, sizeof *solving.used, err) == 0 &&
	    allocate(&solving.before, comms->rank_count, sizeof *solving.before, err) == 0)
		result = solve_ranks(&solving, err);
	for (uint32_t rank = 0; solving.handles && rank < comms->rank_count; rank++)
		liballprof_handles_release(&solving.handles[rank]);
	free(solving.handles);
	free(solving.at);
	free(solving.used);
	free(solving.before);
	array_release(&solving.waiting);
	array_release(&solving.last);
	array_release(&solving.ready);
	array_release(&solving.members);
	return result;
}
