#include "trace/liballprof/liballprof_requests.h"

#include <string.h>

struct liballprof_request *liballprof_requests_find(struct liballprof_requests *requests,
						    uint64_t address)
{
	uint32_t place = number_map_get(&requests->places, address, 0);

	return place == NUMBER_MAP_EMPTY ? NULL : &requests->list.items[place];
}

static int new_place(struct liballprof_requests *requests, uint64_t address, uint32_t *place,
		     struct error *err)
{
	struct liballprof_request none = {0};

	if (requests->free_places.count) {
		*place = requests->free_places.items[--requests->free_places.count];
		free(requests->list.items[*place].counts);
		requests->list.items[*place] = none;
	} else {
		*place = (uint32_t)requests->list.count;
		TRY(array_push(&requests->list, none, err));
	}
	return number_map_add(&requests->places, address, 0, *place, err);
}

static bool is_waiting(const struct liballprof_requests *requests, struct liballprof_moved moved)
{
	const struct liballprof_request *request = &requests->list.items[moved.place];

	return request->active && request->event.request == moved.number;
}

/* Add a request that may have moved, and remove complete ones at the begin. */
static int note_moved(struct liballprof_requests *requests, uint32_t place, struct error *err)
{
	struct liballprof_moved moved = {requests->list.items[place].event.request, place};
	size_t *first = &requests->first_moved;

	while (*first < requests->moved.count &&
	       !is_waiting(requests, requests->moved.items[*first]))
		++*first;
	if (*first > requests->moved.count / 2) {
		requests->moved.count -= *first;
		memmove(requests->moved.items, requests->moved.items + *first,
			requests->moved.count * sizeof moved);
		*first = 0;
	}
	return array_push(&requests->moved, moved, err);
}

/* Give an address a new place: its active request has moved to another address. */
static int move_away(struct liballprof_requests *requests, uint64_t address, uint32_t *place,
		     struct error *err)
{
	uint32_t old = number_map_remove(&requests->places, address, 0);

	if (!requests->list.items[old].moves)
		TRY(note_moved(requests, old, err));
	requests->list.items[old].moved = true;
	TRY(new_place(requests, address, place, err));
	requests->list.items[*place].moves = true;
	return 0;
}

int liballprof_requests_put(struct liballprof_requests *requests, uint64_t address,
			    const struct liballprof_request *request, struct error *err)
{
	uint32_t place = number_map_get(&requests->places, address, 0);
	int result = 0;
	bool moves;

	if (place == NUMBER_MAP_EMPTY)
		result = new_place(requests, address, &place, err);
	else if (requests->list.items[place].active)
		result = move_away(requests, address, &place, err);
	if (result < 0) {
		free(request->counts);
		return -1;
	}
	moves = requests->list.items[place].moves;
	free(requests->list.items[place].counts);
	requests->list.items[place] = *request;
	requests->list.items[place].moves = moves;
	requests->list.items[place].address = address;
	return 0;
}

int liballprof_requests_range(const struct liballprof_requests *requests, uint64_t address,
			      uint32_t count,
			      uint32_t bytes, struct liballprof_places *places, struct error *err)
{
	places->list.count = 0;
	TRY(array_reserve(&places->list, requests->list.count, err));
	for (uint32_t i = 0; count <= requests->list.count && i < count; i++) {
		uint32_t place =
			number_map_get(&requests->places, address + (uint64_t)i * bytes, 0);

		if (place != NUMBER_MAP_EMPTY)
			places->list.items[places->list.count++] = place;
	}
	for (uint32_t i = 0; count > requests->list.count && i < requests->list.count; i++) {
		uint64_t distance = requests->list.items[i].address - address;

		if (!requests->list.items[i].moved && distance % bytes == 0 &&
		    distance / bytes < count)
			places->list.items[places->list.count++] = i;
	}
	return 0;
}

int liballprof_requests_start(struct liballprof_requests *requests, uint64_t address,
			      struct error *err)
{
	struct liballprof_request *request = liballprof_requests_find(requests, address);

	if (request->active)
		return error_set(err, STATUS_DATA, "starts a request that is active already");
	request->active = true;
	request->event.request = ++requests->started;
	if (!request->moves)
		return 0;
	return note_moved(requests, (uint32_t)(request - requests->list.items), err);
}

struct liballprof_request *liballprof_requests_moved(struct liballprof_requests *requests)
{
	while (requests->first_moved < requests->moved.count) {
		struct liballprof_moved moved = requests->moved.items[requests->first_moved++];

		if (is_waiting(requests, moved))
			return &requests->list.items[moved.place];
	}
	return NULL;
}

int liballprof_requests_end(struct liballprof_requests *requests,
			    struct liballprof_request *request, struct error *err)
{
	request->active = false;
	if (!request->moved)
		return 0;
	request->moved = false;
	return array_push(&requests->free_places, (uint32_t)(request - requests->list.items), err);
}

void liballprof_requests_release(struct liballprof_requests *requests)
{
	for (size_t i = 0; i < requests->list.count; i++)
		free(requests->list.items[i].counts);
	array_release(&requests->list);
	array_release(&requests->free_places);
	array_release(&requests->moved);
	number_map_release(&requests->places);
	*requests = (struct liballprof_requests){0};
}
