#include "pmpi/persistent.h"

#include "common/number_map.h"
#include "pmpi/requests.h"

struct persistent {
	struct mpi_sums sums;
	int partitions, ready; /* of a partitioned send: all, made ready since the start; else 0 */
};

static ARRAY(struct persistent) list;
static ARRAY(uint32_t) unused;	    /* places in the list */
static struct number_map by_handle; /* places */

static int add(uint64_t key, const struct persistent *new, struct error *err)
{
	uint32_t place, before;

	TRY(array_reserve(&unused, list.count + 1, err));
	TRY(array_reserve(&list, 1, err));
	place = unused.count ? unused.items[unused.count - 1] : (uint32_t)list.count;
	TRY(number_map_set(&by_handle, key, 0, place, &before, err));
	list.items[place] = *new;
	if (unused.count)
		unused.count--;
	else
		list.count++;
	if (before != NUMBER_MAP_EMPTY)
		unused.items[unused.count++] = before;
	return 0;
}

static void add_or_fail(MPI_Request handle, struct mpi_sums *sums, const struct persistent *new)
{
	struct error err;
	int result;

	process_lock();
	result = add(HANDLE_KEY(handle), new, &err);
	process_unlock();
	if (result < 0)
		process_fail(&err);
	sums->bytes = sums->moved = 0;
}

void persistent_add(MPI_Request handle, struct mpi_sums *sums)
{
	add_or_fail(handle, sums, &(struct persistent){.sums = *sums});
}

void persistent_add_partitioned(MPI_Request handle, struct mpi_sums *sums, int partitions,
				bool send)
{
	struct persistent new = {.sums = *sums, .partitions = send ? partitions : 0};

	new.sums.bytes *= (uint64_t)partitions;
	new.sums.moved = new.sums.bytes;
	add_or_fail(handle, sums, &new);
}

/* Find a request while the lock is held, or NULL. */
static struct persistent *find(MPI_Request handle)
{
	const uint32_t place = number_map_get(&by_handle, HANDLE_KEY(handle), 0);

	return place == NUMBER_MAP_EMPTY ? NULL : &list.items[place];
}

static void add_bytes(struct mpi_sums *sums, const struct persistent *request)
{
	sums->bytes += request->sums.bytes;
	sums->moved += request->sums.moved;
}

void persistent_start(MPI_Request handle, struct mpi_sums *sums)
{
	struct persistent *request;

	process_lock();
	request = find(handle);
	if (request) {
		sums->ranks = request->sums.ranks;
		sums->world = request->sums.world;
		sums->peer = request->sums.peer;
		request->ready = 0;
		if (!request->partitions)
			add_bytes(sums, request);
	}
	process_unlock();
}

void persistent_ready(MPI_Request handle, struct mpi_sums *sums, int partitions)
{
	struct persistent *request;

	process_lock();
	request = find(handle);
	if (request && request->ready < request->partitions) {
		request->ready += partitions;
		if (request->ready >= request->partitions)
			add_bytes(sums, request);
	}
	process_unlock();
}

void persistent_forget(MPI_Request handle)
{
	uint32_t place;

	process_lock();
	place = number_map_remove(&by_handle, HANDLE_KEY(handle), 0);
	if (place != NUMBER_MAP_EMPTY)
		unused.items[unused.count++] = place;
	process_unlock();
}

void persistent_release(void)
{
	array_release(&list);
	array_release(&unused);
	number_map_release(&by_handle);
}
