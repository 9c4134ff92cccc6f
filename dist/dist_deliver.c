#include "dist/dist_deliver.h"

#include <string.h>

struct delivery {
	const struct dist_items *items;
	unsigned char *ordered; /* items, those for process 0 first */
	uint64_t *sizes;	/* [process]: bytes */
	uint64_t *places;	/* [process]: bytes before the next one */
};

static const unsigned char *item_at(const struct dist_items *items, size_t number)
{
	return (const unsigned char *)items->list + number * items->item_bytes;
}

static void put_in_order(struct delivery *delivery, uint32_t processes)
{
	const struct dist_items *items = delivery->items;
	uint64_t sum = 0;

	for (size_t i = 0; i < items->count; i++)
		delivery->sizes[items->process_of(items->data, item_at(items, i))] +=
			items->item_bytes;
	for (uint32_t p = 0; p < processes; p++) {
		delivery->places[p] = sum;
		sum += delivery->sizes[p];
	}
	for (size_t i = 0; i < items->count; i++) {
		const void *item = item_at(items, i);
		uint64_t *place = &delivery->places[items->process_of(items->data, item)];

		memcpy(delivery->ordered + *place, item, items->item_bytes);
		*place += items->item_bytes;
	}
}

static int order_items(struct delivery *delivery, uint32_t processes, struct error *err)
{
	TRY(allocate(&delivery->sizes, processes, sizeof *delivery->sizes, err));
	TRY(allocate(&delivery->places, processes, sizeof *delivery->places, err));
	TRY(allocate(&delivery->ordered, delivery->items->count, delivery->items->item_bytes, err));
	put_in_order(delivery, processes);
	return 0;
}

int dist_deliver(struct dist *dist, const struct dist_items *items, struct dist_arrived *arrived,
		 struct error *err)
{
	struct delivery delivery = {.items = items};
	int result = order_items(&delivery, dist->size, err);

	*arrived = (struct dist_arrived){0};
	result = dist_agree(dist, result, err);
	if (result == 0)
		result = dist_alltoallv(dist, delivery.ordered, delivery.sizes, arrived, err);
	free(delivery.ordered);
	free(delivery.sizes);
	free(delivery.places);
	return result;
}
