#include "dist/dist.h"

#include "common/hash.h"
#include "common/machine/now.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

int bytes_add(struct bytes *bytes, const void *data, size_t size, struct error *err)
{
	TRY(array_reserve(&bytes->list, size, err));
	if (size)
		memcpy(bytes->list.items + bytes->list.count, data, size);
	bytes->list.count += size;
	return 0;
}

void bytes_release(struct bytes *bytes)
{
	array_release(&bytes->list);
}

int dist_allreduce(struct dist *dist, uint64_t *values, size_t count, enum dist_operation operation,
		   struct error *err)
{
	return dist->transport->allreduce(dist, values, count, operation, err);
}

int dist_bcast(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err)
{
	return dist->transport->bcast(dist, from, bytes, size, err);
}

int dist_send(struct dist *dist, uint32_t to, const void *bytes, size_t size, struct error *err)
{
	return dist->transport->send(dist, to, bytes, size, err);
}

int dist_receive(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err)
{
	return dist->transport->receive(dist, from, bytes, size, err);
}

/* Put the name of the host before an error that not all processes have, if they are on several hosts. */
static int name_host(struct dist *dist, bool failed, struct error *err)
{
	char host[256] = "";
	uint64_t hash, least[3];

	gethostname(host, sizeof host - 1);
	hash = hash_bytes(host, strlen(host));
	least[0] = hash;
	least[1] = ~hash;
	least[2] = failed;
	TRY(dist_allreduce(dist, least, 3, DIST_MIN, err));
	if (failed && !least[2] && least[0] != ~least[1])
		error_prefix(err, "%s", host);
	return 0;
}

int dist_agree(struct dist *dist, int result, struct error *err)
{
	uint64_t first = dist->size;

	if (result == 0 && dist->deadline_ns && now_ns() > dist->deadline_ns)
		result = error_set(err, STATUS_LIMIT, "the time for the analysis is used up");
	if (result < 0)
		first = dist->rank;
	TRY(dist_allreduce(dist, &first, 1, DIST_MIN, err));
	if (first == dist->size)
		return 0;
	TRY(name_host(dist, result < 0, err));
	TRY(dist_bcast(dist, (uint32_t)first, err, sizeof *err, err));
	return -1;
}

/* ------------------------------------------------------------------ all to all */

void dist_arrived_release(struct dist_arrived *arrived)
{
	free(arrived->bytes);
	free(arrived->ends);
	*arrived = (struct dist_arrived){0};
}

/* Let the ends follow from the sizes, and make room. */
static int dist_make_room(const struct dist *dist, struct dist_arrived *arrived,
			  const uint64_t *sizes, struct error *err)
{
	uint64_t sum = 0;

	TRY(allocate(&arrived->ends, dist->size, sizeof *arrived->ends, err));
	for (uint32_t p = 0; p < dist->size; p++)
		arrived->ends[p] = sum += sizes[p];
	return allocate(&arrived->bytes, sum, 1, err);
}

static int transfer(struct dist *dist, const void *bytes, const uint64_t *sizes,
		    uint64_t *received_sizes, struct dist_arrived *arrived, struct error *err)
{
	TRY(dist->transport->alltoall(dist, sizes, received_sizes, err));
	TRY(dist_agree(dist, dist_make_room(dist, arrived, received_sizes, err), err));
	return dist->transport->alltoallv(dist, bytes, sizes, arrived->bytes, received_sizes, err);
}

int dist_alltoallv(struct dist *dist, const void *bytes, const uint64_t *sizes,
		   struct dist_arrived *arrived, struct error *err)
{
	uint64_t *received_sizes = NULL;
	int result;

	*arrived = (struct dist_arrived){0};
	result = allocate(&received_sizes, dist->size, sizeof *received_sizes, err);
	result = dist_agree(dist, result, err);
	if (result == 0)
		result = transfer(dist, bytes, sizes, received_sizes, arrived, err);
	free(received_sizes);
	if (result < 0)
		dist_arrived_release(arrived);
	return result;
}

int dist_gatherv(struct dist *dist, const void *bytes, uint64_t size, struct dist_arrived *arrived,
		 struct error *err)
{
	uint64_t *sizes = NULL;
	int result;

	*arrived = (struct dist_arrived){0};
	result = allocate(&sizes, dist->size, sizeof *sizes, err);
	result = dist_agree(dist, result, err);
	if (result == 0) {
		sizes[0] = size;
		result = dist_alltoallv(dist, bytes, sizes, arrived, err);
	}
	free(sizes);
	return result;
}

int dist_gather_array_(struct dist *dist, void **items, size_t *count, size_t *capacity,
		       size_t item_bytes, struct error *err)
{
	struct dist_arrived arrived;
	uint64_t size;

	if (dist->size == 1)
		return 0;
	TRY(dist_gatherv(dist, *items, *count * item_bytes, &arrived, err));
	size = arrived.ends[dist->size - 1];
	if (size) {
		free(*items);
		*items = arrived.bytes;
		*count = *capacity = size / item_bytes;
		arrived.bytes = NULL;
	}
	dist_arrived_release(&arrived);
	return 0;
}

int dist_exscan(struct dist *dist, uint64_t *value, struct error *err)
{
	uint64_t *values, sum = 0;
	int result = allocate(&values, dist->size, sizeof *values, err);

	TRY(dist_agree(dist, result, err));
	values[dist->rank] = *value;
	result = dist_allreduce(dist, values, dist->size, DIST_SUM, err);
	for (uint32_t p = 0; p < dist->rank; p++)
		sum += values[p];
	free(values);
	*value = sum;
	return result;
}

/* ----------------------------------------------------------------------- alone */

static int allreduce_alone(struct dist *dist, uint64_t *values, size_t count,
			   enum dist_operation operation, struct error *err)
{
	(void)dist;
	(void)values;
	(void)count;
	(void)operation;
	(void)err;
	return 0;
}

static int bcast_alone(struct dist *dist, uint32_t from, void *bytes, size_t size,
		       struct error *err)
{
	(void)dist;
	(void)from;
	(void)bytes;
	(void)size;
	(void)err;
	return 0;
}

static int alltoall_alone(struct dist *dist, const uint64_t *values, uint64_t *received,
			  struct error *err)
{
	(void)dist;
	(void)err;
	*received = *values;
	return 0;
}

static int alltoallv_alone(struct dist *dist, const void *bytes, const uint64_t *sizes,
			   void *received, const uint64_t *received_sizes, struct error *err)
{
	(void)dist;
	(void)received_sizes;
	(void)err;
	if (*sizes)
		memcpy(received, bytes, *sizes);
	return 0;
}

/* There is no other process to send to. */
static const struct dist_transport transport_alone = {
	.allreduce = allreduce_alone,
	.bcast = bcast_alone,
	.alltoall = alltoall_alone,
	.alltoallv = alltoallv_alone,
};

struct dist *dist_alone(void)
{
	static struct dist alone = {.size = 1, .transport = &transport_alone};

	return &alone;
}
