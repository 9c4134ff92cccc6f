#include "critpath/share/exchange.h"

#include "common/hash.h"
#include "common/now.h"

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

int exchange_reduce(struct exchange *exchange, uint64_t *values, size_t count,
		    enum exchange_operation operation, struct error *err)
{
	return exchange->means->reduce(exchange, values, count, operation, err);
}

int exchange_tell(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		  struct error *err)
{
	return exchange->means->tell(exchange, from, bytes, size, err);
}

int exchange_send(struct exchange *exchange, uint32_t to, const void *bytes, size_t size,
		  struct error *err)
{
	return exchange->means->send(exchange, to, bytes, size, err);
}

int exchange_receive(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		     struct error *err)
{
	return exchange->means->receive(exchange, from, bytes, size, err);
}

/* Put the name of the host before an error that not all processes have, if they are on several hosts. */
static int name_host(struct exchange *exchange, bool failed, struct error *err)
{
	char host[256] = "";
	uint64_t hash, least[3];

	gethostname(host, sizeof host - 1);
	hash = hash_bytes(host, strlen(host));
	least[0] = hash;
	least[1] = ~hash;
	least[2] = failed;
	TRY(exchange_reduce(exchange, least, 3, EXCHANGE_LEAST, err));
	if (failed && !least[2] && least[0] != ~least[1])
		error_prefix(err, "%s", host);
	return 0;
}

int exchange_agree(struct exchange *exchange, int result, struct error *err)
{
	uint64_t first = exchange->size;

	if (result == 0 && exchange->deadline_ns && now_ns() > exchange->deadline_ns)
		result = error_set(err, STATUS_LIMIT, "the time for the analysis is used up");
	if (result < 0)
		first = exchange->rank;
	TRY(exchange_reduce(exchange, &first, 1, EXCHANGE_LEAST, err));
	if (first == exchange->size)
		return 0;
	TRY(name_host(exchange, result < 0, err));
	TRY(exchange_tell(exchange, (uint32_t)first, err, sizeof *err, err));
	return -1;
}

/* ------------------------------------------------------------------ all to all */

void exchange_arrived_release(struct exchange_arrived *arrived)
{
	free(arrived->bytes);
	free(arrived->ends);
	*arrived = (struct exchange_arrived){0};
}

/* Let the ends follow from the sizes, and make room. */
static int make_room(const struct exchange *exchange, struct exchange_arrived *arrived,
		     const uint64_t *sizes, struct error *err)
{
	uint64_t sum = 0;

	TRY(allocate(&arrived->ends, exchange->size, sizeof *arrived->ends, err));
	for (uint32_t p = 0; p < exchange->size; p++)
		arrived->ends[p] = sum += sizes[p];
	return allocate(&arrived->bytes, sum, 1, err);
}

static int transfer(struct exchange *exchange, const void *bytes, const uint64_t *sizes,
		    uint64_t *received_sizes, struct exchange_arrived *arrived, struct error *err)
{
	TRY(exchange->means->swap(exchange, sizes, received_sizes, err));
	TRY(exchange_agree(exchange, make_room(exchange, arrived, received_sizes, err), err));
	return exchange->means->transfer(exchange, bytes, sizes, arrived->bytes, received_sizes,
					 err);
}

int exchange_all(struct exchange *exchange, const void *bytes, const uint64_t *sizes,
		 struct exchange_arrived *arrived, struct error *err)
{
	uint64_t *received_sizes = NULL;
	int result;

	*arrived = (struct exchange_arrived){0};
	result = allocate(&received_sizes, exchange->size, sizeof *received_sizes, err);
	result = exchange_agree(exchange, result, err);
	if (result == 0)
		result = transfer(exchange, bytes, sizes, received_sizes, arrived, err);
	free(received_sizes);
	if (result < 0)
		exchange_arrived_release(arrived);
	return result;
}

int exchange_gather(struct exchange *exchange, const void *bytes, uint64_t size,
		    struct exchange_arrived *arrived, struct error *err)
{
	uint64_t *sizes = NULL;
	int result;

	*arrived = (struct exchange_arrived){0};
	result = allocate(&sizes, exchange->size, sizeof *sizes, err);
	result = exchange_agree(exchange, result, err);
	if (result == 0) {
		sizes[0] = size;
		result = exchange_all(exchange, bytes, sizes, arrived, err);
	}
	free(sizes);
	return result;
}

int exchange_join_(struct exchange *exchange, void **items, size_t *count, size_t *capacity,
		   size_t item_bytes, struct error *err)
{
	struct exchange_arrived arrived;

	uint64_t size;

	TRY(exchange_gather(exchange, *items, *count * item_bytes, &arrived, err));
	size = arrived.ends[exchange->size - 1];
	if (size) {
		free(*items);
		*items = arrived.bytes;
		*count = *capacity = size / item_bytes;
		arrived.bytes = NULL;
	}
	exchange_arrived_release(&arrived);
	return 0;
}

int exchange_before(struct exchange *exchange, uint64_t *value, struct error *err)
{
	uint64_t *values, sum = 0;
	int result = allocate(&values, exchange->size, sizeof *values, err);

	TRY(exchange_agree(exchange, result, err));
	values[exchange->rank] = *value;
	result = exchange_reduce(exchange, values, exchange->size, EXCHANGE_SUM, err);
	for (uint32_t p = 0; p < exchange->rank; p++)
		sum += values[p];
	free(values);
	*value = sum;
	return result;
}

/* ----------------------------------------------------------------------- alone */

static int reduce_alone(struct exchange *exchange, uint64_t *values, size_t count,
			enum exchange_operation operation, struct error *err)
{
	(void)exchange;
	(void)values;
	(void)count;
	(void)operation;
	(void)err;
	return 0;
}

static int tell_alone(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		      struct error *err)
{
	(void)exchange;
	(void)from;
	(void)bytes;
	(void)size;
	(void)err;
	return 0;
}

static int swap_alone(struct exchange *exchange, const uint64_t *values, uint64_t *received,
		      struct error *err)
{
	(void)exchange;
	(void)err;
	*received = *values;
	return 0;
}

static int transfer_alone(struct exchange *exchange, const void *bytes, const uint64_t *sizes,
			  void *received, const uint64_t *received_sizes, struct error *err)
{
	(void)exchange;
	(void)received_sizes;
	(void)err;
	if (*sizes)
		memcpy(received, bytes, *sizes);
	return 0;
}

/* There is no other process to send to. */
static const struct exchange_means means_alone = {
	.reduce = reduce_alone,
	.tell = tell_alone,
	.swap = swap_alone,
	.transfer = transfer_alone,
};

struct exchange exchange_alone(void)
{
	return (struct exchange){.size = 1, .means = &means_alone};
}
