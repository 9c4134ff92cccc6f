#include "dist/dist_deliver.h"

#include "common/machine/now.h"

#include <string.h>

static const unsigned char *item_at(const struct dist_items *items, size_t number)
{
	return (const unsigned char *)*items->list + number * items->item_bytes;
}

/* Find the bytes to each process, and where they begin. */
static void count_sizes(struct dist_turns *turns, const struct dist_items *items)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < items->count; i++)
		turns->sizes[items->process_of(items->data, item_at(items, i))] +=
			items->item_bytes;
	for (uint32_t p = 0; p < turns->dist->size; p++) {
		turns->places[p] = sum;
		sum += turns->sizes[p];
	}
}

/* There is room for one byte at least, so that no pointer is NULL. */
static int put_in_order(struct dist_turns *turns, const struct dist_items *items, struct error *err)
{
	turns->ordered.list.count = 0;
	TRY(array_reserve(&turns->ordered.list, items->count * items->item_bytes + 1, err));
	turns->ordered.list.count = items->count * items->item_bytes;
	count_sizes(turns, items);
	for (size_t i = 0; i < items->count; i++) {
		const void *item = item_at(items, i);
		uint64_t *place = &turns->places[items->process_of(items->data, item)];

		memcpy(turns->ordered.list.items + *place, item, items->item_bytes);
		*place += items->item_bytes;
	}
	return 0;
}

/* Make room for what arrives. */
static int make_room(struct dist_turns *turns, struct error *err)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < turns->dist->size; p++)
		sum += turns->arrived_sizes[p];
	turns->arrived.list.count = 0;
	TRY(array_reserve(&turns->arrived.list, sum + 1, err));
	turns->arrived.list.count = sum;
	return 0;
}

/*
 * Deliver what is in order.  A process that has failed goes on until all know it: before the messages,
 * which it may have no room for.
 */
static int deliver(struct dist_turns *turns, int result, bool *any, struct error *err)
{
	struct dist *dist = turns->dist;
	uint64_t sums[2];

	TRY(dist->transport->alltoall(dist, turns->sizes, turns->arrived_sizes, err));
	if (result == 0)
		result = make_room(turns, err);
	sums[0] = turns->ordered.list.count;
	sums[1] = result < 0 || (dist->deadline_ns && now_ns() > dist->deadline_ns);
	TRY(dist_allreduce(dist, sums, 2, DIST_SUM, err));
	*any = sums[0] > 0;
	if (sums[1])
		return dist_agree(dist, result, err);
	if (!*any)
		return 0;
	return dist->transport->alltoallv(dist, turns->ordered.list.items, turns->sizes,
					  turns->arrived.list.items, turns->arrived_sizes, err);
}

/* -------------------------------------------------------------------------- turns */

int dist_turns_begin(struct dist_turns *turns, struct dist *dist, struct error *err)
{
	int result;

	*turns = (struct dist_turns){.dist = dist};
	result = allocate(&turns->sizes, dist->size, sizeof *turns->sizes, err);
	if (result == 0)
		result = allocate(&turns->arrived_sizes, dist->size, sizeof *turns->arrived_sizes,
				  err);
	if (result == 0)
		result = allocate(&turns->places, dist->size, sizeof *turns->places, err);
	return dist_agree(dist, result, err);
}

int dist_turn(struct dist_turns *turns, const struct dist_items *items, int result, bool *any,
	      struct error *err)
{
	memset(turns->sizes, 0, turns->dist->size * sizeof *turns->sizes);
	if (result == 0)
		result = put_in_order(turns, items, err);
	return deliver(turns, result, any, err);
}

void dist_turns_end(struct dist_turns *turns)
{
	free(turns->sizes);
	free(turns->arrived_sizes);
	free(turns->places);
	bytes_release(&turns->ordered);
	bytes_release(&turns->arrived);
}

/* ---------------------------------------------------------------------------- once */

static int deliver_once(struct dist_turns *turns, const struct dist_items *items, struct error *err)
{
	const int result = put_in_order(turns, items, err);
	bool any;

	free(*items->list);
	*items->list = NULL;
	return deliver(turns, result, &any, err);
}

int dist_deliver(struct dist *dist, const struct dist_items *items, struct bytes *arrived,
		 struct error *err)
{
	struct dist_turns turns;
	int result = dist_turns_begin(&turns, dist, err);

	*arrived = (struct bytes){0};
	if (result == 0)
		result = deliver_once(&turns, items, err);
	if (result == 0) {
		*arrived = turns.arrived;
		turns.arrived = (struct bytes){0};
	}
	dist_turns_end(&turns);
	return result;
}
