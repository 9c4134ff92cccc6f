#include "pmpi/windows.h"

#include "pmpi/sink.h"

#include <stdlib.h>

_Static_assert(sizeof(MPI_Win) <= 8, "handles must fit a key");

struct group {
	uint64_t *members;	/* world ranks */
	uint32_t size;
};

static ARRAY(struct window *) windows;		/* by id, also freed ones */
static struct number_map window_by_handle;
static ARRAY(struct group) groups;		/* by id */
static struct number_map group_by_hash;		/* of members; second: of equal hashes */

static void *windows_fail(struct error *err)
{
	process_fail(err);
	return NULL;
}

/* ----------------------------------------------------------------- windows */

struct window *window_find(MPI_Win handle)
{
	uint32_t id = number_map_get(&window_by_handle, HANDLE_KEY(handle), 0);

	return id == NUMBER_MAP_EMPTY ? NULL : windows.items[id];
}

static int hand_over_window(const struct mpi_window *window, struct error *err)
{
	void *recorder;

	if (!sink.window)
		return 0;
	recorder = thread_recorder(err);
	return recorder ? sink.window(recorder, window, err) : -1;
}

struct window *window_add(MPI_Win handle, MPI_Comm comm_handle, bool allocated)
{
	struct comm *comm = comm_find(comm_handle);
	struct mpi_window record = {.id = (uint32_t)windows.count};
	struct window *window;
	struct error err;

	if (!comm || comm->id == NO_COMM || process.state != PROCESS_ACTIVE)
		return NULL;
	record.comm = comm->id;
	record.key = comm_window_key(comm);
	if (allocate(&window, 1, sizeof *window, &err) < 0)
		return windows_fail(&err);
	*window = (struct window){.id = record.id, .comm = comm, .handle = handle, .alive = true,
				  .allocated = allocated, .access = NOWHERE, .exposure = NOWHERE,
				  .own_free = NOWHERE};
	if (array_push(&windows, window, &err) < 0) {
		free(window);
		return windows_fail(&err);
	}
	if (number_map_add(&window_by_handle, HANDLE_KEY(handle), 0, record.id, &err) < 0 ||
	    hand_over_window(&record, &err) < 0)
		return windows_fail(&err);
	return window;
}

/* Rank 0 of the window reports the name. */
void window_hand_over_name(const struct window *window)
{
	char name[MPI_MAX_OBJECT_NAME];
	struct error err;
	int length = 0;

	if (sink.window_name && window->comm->rank == 0 && process.state == PROCESS_ACTIVE &&
	    PMPI_Win_get_name(window->handle, name, &length) == MPI_SUCCESS && length > 0) {
		void *recorder = thread_recorder(&err);

		if (!recorder || sink.window_name(recorder, window->id, name, &err) < 0)
			process_fail(&err);
	}
}

void windows_hand_over_names(void)
{
	for (size_t i = 0; i < windows.count; i++)
		if (windows.items[i]->alive)
			window_hand_over_name(windows.items[i]);
}

static void release_operations(struct window *window)
{
	array_release(&window->shared);
	array_release(&window->own);
	number_map_release(&window->places);
}

void window_remove(struct window *window)
{
	number_map_remove(&window_by_handle, HANDLE_KEY(window->handle), 0);
	window->alive = false;
	release_operations(window);
}

void windows_forget(void)
{
	for (size_t i = 0; i < windows.count; i++)
		if (windows.items[i]->alive)
			window_remove(windows.items[i]);
}

void windows_release(void)
{
	for (size_t i = 0; i < windows.count; i++) {
		release_operations(windows.items[i]);
		free(windows.items[i]);
	}
	for (size_t i = 0; i < groups.count; i++)
		free(groups.items[i].members);
	array_release(&windows);
	array_release(&groups);
	number_map_release(&window_by_handle);
	number_map_release(&group_by_hash);
}

/* ------------------------------------------------------------------ groups */

static int find_members(MPI_Group handle, struct group *group, struct error *err)
{
	int size = 0, *ranks, *world;

	PMPI_Group_size(handle, &size);
	group->size = (uint32_t)size;
	TRY(allocate(&group->members, (size_t)size + 1, sizeof *group->members, err));
	if (allocate(&ranks, 2 * (size_t)size + 1, sizeof *ranks, err) < 0) {
		free(group->members);
		return -1;
	}
	world = ranks + size;
	for (int i = 0; i < size; i++)
		ranks[i] = world[i] = i;
	PMPI_Group_translate_ranks(handle, size, ranks, process.world_group, world);
	for (int i = 0; i < size; i++)
		group->members[i] = (uint64_t)world[i];
	free(ranks);
	return 0;
}

static uint64_t group_hash(const struct group *group)
{
	uint64_t hash = group->size;

	for (uint32_t i = 0; i < group->size; i++) {
		hash = (hash ^ group->members[i]) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return hash;
}

static int add_group(const struct group *group, uint64_t hash, uint32_t second, struct error *err)
{
	struct mpi_group record = {.id = (uint32_t)groups.count, .size = group->size,
				       .members = group->members};
	void *recorder;

	TRY(array_push(&groups, *group, err));
	TRY(number_map_add(&group_by_hash, hash, second, record.id, err));
	if (!sink.group)
		return 0;
	recorder = thread_recorder(err);
	return recorder ? sink.group(recorder, &record, err) : -1;
}

/* Find or add a group, and take over its members. */
static int number_group(const struct group *group, uint32_t *id, struct error *err)
{
	uint64_t hash = group_hash(group);

	for (uint32_t second = 0;; second++) {
		*id = number_map_get(&group_by_hash, hash, second);
		if (*id == NUMBER_MAP_EMPTY) {
			*id = (uint32_t)groups.count;
			return add_group(group, hash, second, err);
		}
		if (groups.items[*id].size == group->size &&
		    memcmp(groups.items[*id].members, group->members,
			   group->size * sizeof *group->members) == 0) {
			free(group->members);
			return 0;
		}
	}
}

uint32_t window_group(MPI_Group handle)
{
	struct group group;
	struct error err;
	uint32_t id;

	if (process.state == PROCESS_ACTIVE && find_members(handle, &group, &err) == 0 &&
	    number_group(&group, &id, &err) == 0)
		return id;
	if (process.state == PROCESS_ACTIVE)
		process_fail(&err);
	return NOWHERE;
}

/* -------------------------------------------------------------- operations */

struct mpi_event *window_event(const struct call *call, enum mpi_event_kind kind,
			       const struct window *window)
{
	struct mpi_event *event = call_event(call, kind);

	event->window = window->id;
	event->comm = window->comm->id;
	return event;
}

static uint64_t operation_begin(struct operation *operation, uint32_t target, bool get)
{
	*operation = (struct operation){.id = request_number(), .target = target,
					.state = OPERATION_PENDING, .get = get, .next = NOWHERE};
	return operation->id;
}

uint64_t window_operation(struct window *window, uint32_t target, bool get)
{
	uint32_t place = number_map_get(&window->places, target, get);
	struct operation *operation;
	struct error err;

	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)window->shared.count;
		if (array_reserve(&window->shared, 1, &err) < 0 ||
		    number_map_add(&window->places, target, get, place, &err) < 0) {
			process_fail(&err);
			return 0;
		}
		window->shared.items[window->shared.count++].state = OPERATION_NONE;
	}
	operation = &window->shared.items[place];
	if (operation->state == OPERATION_NONE) {
		window->shared_open++;
		return operation_begin(operation, target, get);
	}
	operation->state = OPERATION_PENDING;
	return operation->id;
}

void window_request(struct window *window, uint32_t target, bool get, struct request *request)
{
	struct error err;

	request->place = window->own_free;
	if (request->place != NOWHERE) {
		window->own_free = window->own.items[request->place].next;
	} else {
		request->place = (uint32_t)window->own.count;
		if (array_reserve(&window->own, 1, &err) < 0) {
			process_fail(&err);
			return;
		}
		window->own.count++;
	}
	request->window = window;
	request->id = operation_begin(&window->own.items[request->place], target, get);
}

/* Complete an operation as far as `how` says.  Return whether its place has become free. */
static bool operation_complete(const struct call *call, const struct window *window,
			       struct operation *operation, enum completion how)
{
	if (operation->state == OPERATION_NONE)
		return false;
	if (operation->state == OPERATION_PENDING)
		window_event(call, EVENT_RMA_COMPLETE, window)->request = operation->id;
	operation->state = OPERATION_HERE;
	if (how == COMPLETE_THERE || operation->get)
		window_event(call, EVENT_RMA_COMPLETE_REMOTE, window)->request = operation->id;
	else if (how == COMPLETE_HERE)
		return false;
	operation->state = OPERATION_NONE;
	return true;
}

static void complete_own(const struct call *call, struct window *window, uint32_t place,
			 enum completion how)
{
	if (!operation_complete(call, window, &window->own.items[place], how))
		return;
	window->own.items[place].next = window->own_free;
	window->own_free = place;
}

static void complete_shared(const struct call *call, struct window *window, uint32_t target,
			    enum completion how)
{
	if (target == ALL_TARGETS) {
		for (size_t i = 0; i < window->shared.count; i++)
			window->shared_open -=
				operation_complete(call, window, &window->shared.items[i], how);
	} else {
		for (uint32_t get = 0; get < 2; get++) {
			uint32_t place = number_map_get(&window->places, target, get);

			if (place != NUMBER_MAP_EMPTY)
				window->shared_open -= operation_complete(
					call, window, &window->shared.items[place], how);
		}
	}
	/* Epochs with few targets should not search the operations of earlier epochs. */
	if (!window->shared_open && window->shared.count) {
		window->shared.count = 0;
		number_map_clear(&window->places);
	}
}

void window_complete(const struct call *call, struct window *window, uint32_t target,
		     enum completion how)
{
	complete_shared(call, window, target, how);
	for (uint32_t i = 0; i < window->own.count; i++)
		if (target == ALL_TARGETS || window->own.items[i].target == target)
			complete_own(call, window, i, how);
}

/* The operation may have been completed before, and its place may have been given away. */
void window_complete_request(const struct call *call, const struct request *request)
{
	struct window *window = request->window;

	if (request->place < window->own.count &&
	    window->own.items[request->place].id == request->id &&
	    window->own.items[request->place].state == OPERATION_PENDING)
		complete_own(call, window, request->place, COMPLETE_HERE);
}
