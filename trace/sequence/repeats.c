#include "trace/sequence/repeats.h"

#include "common/hash.h"

/* Largest number of loops, and of earlier occurrences, that are tried for each call. */
enum { MOST_TRIES = 16 };

/* Hash of the last `count` items before `end`. */
static uint64_t hash_of(const struct repeats *repeats, size_t end, size_t count)
{
	const struct repeat_item *items = repeats->items.items;
	const uint64_t before = end > count ? items[end - count - 1].hash : 0;

	return items[end - 1].hash - before * repeats->powers.items[count];
}

static void forget_place(struct repeats *repeats, size_t i)
{
	const struct repeat_item *item = &repeats->items.items[i];

	number_map_remove(&repeats->places, item->token, 0);
	if (item->previous != NO_ITEM)
		(void)number_map_add(&repeats->places, item->token, 0, item->previous,
				     &(struct error){0});
}

/* Remove the last `count` items. */
static void drop(struct repeats *repeats, size_t count)
{
	while (count--) {
		forget_place(repeats, repeats->items.count - 1);
		array_release(&repeats->items.items[repeats->items.count - 1].starts);
		repeats->items.count--;
	}
}

static int push(struct repeats *repeats, struct repeat_item item, struct error *err)
{
	static const uint64_t base = UINT64_C(0x9e3779b97f4a7c15);
	const size_t place = repeats->items.count;
	const struct repeat_item *before = place ? &repeats->items.items[place - 1] : NULL;

	while (repeats->powers.count <= place + 1) {
		const size_t count = repeats->powers.count;
		const uint64_t power = count ? repeats->powers.items[count - 1] * base : 1;

		TRY(array_push(&repeats->powers, power, err));
	}
	item.hash = (before ? before->hash * base : 0) + mix64(item.token);
	item.loop = item.body != NO_ITEM ? (uint32_t)place : before ? before->loop : NO_ITEM;
	item.previous = number_map_remove(&repeats->places, item.token, 0);
	TRY(number_map_add(&repeats->places, item.token, 0, (uint32_t)place, err));
	return array_push(&repeats->items, item, err);
}

/* Find or add the body that the last `count` items make. */
static int find_body(struct repeats *repeats, size_t count, uint32_t *place, struct error *err)
{
	const size_t end = repeats->items.count;
	const struct repeat_body body = {.hash = hash_of(repeats, end, count),
					 .length = (uint32_t)count,
					 .last = repeats->items.items[end - 1].body};

	*place = number_map_get(&repeats->body_places, body.hash, body.length);
	if (*place != NUMBER_MAP_EMPTY)
		return 0;
	*place = (uint32_t)repeats->bodies.count;
	TRY(array_push(&repeats->bodies, body, err));
	return number_map_add(&repeats->body_places, body.hash, body.length, *place, err);
}

/*
 * Try the last `count` items as one more iteration of the loop before them, or of the loop that
 * its body ends with, and so on.
 */
static int go_round(struct repeats *repeats, size_t count, bool *done, struct error *err)
{
	const size_t end = repeats->items.count;
	struct repeat_item *loop = &repeats->items.items[end - count - 1];
	const uint64_t hash = hash_of(repeats, end, count);
	uint32_t place = loop->body;

	for (int tries = 0; place != NO_ITEM && tries < MOST_TRIES; tries++) {
		const struct repeat_body *body = &repeats->bodies.items[place];

		if (body->length == count && body->hash == hash) {
			const struct repeat_item *first = &repeats->items.items[end - count];

			if (place == loop->body)
				TRY(array_push(&loop->starts, first->begin_ns, err));
			for (size_t i = end - count; i < end; i++)
				loop->calls += repeats->items.items[i].calls;
			loop->end_ns = repeats->items.items[end - 1].end_ns;
			drop(repeats, count);
			*done = true;
			return 0;
		}
		place = body->last;
	}
	return 0;
}

static int try_loops(struct repeats *repeats, bool *done, struct error *err)
{
	const size_t end = repeats->items.count;
	uint32_t place = repeats->items.items[end - 1].loop;

	for (int tries = 0; place != NO_ITEM && tries < MOST_TRIES && !*done; tries++) {
		if (place < end - 1)
			TRY(go_round(repeats, end - 1 - place, done, err));
		place = place ? repeats->items.items[place - 1].loop : NO_ITEM;
	}
	return 0;
}

/* Make a loop of the last 2 `count` items, which are the same twice. */
static int make_loop(struct repeats *repeats, size_t count, struct error *err)
{
	const size_t first = repeats->items.count - 2 * count;
	struct repeat_item loop = {.begin_ns = repeats->items.items[first].begin_ns};

	TRY(find_body(repeats, count, &loop.body, err));
	TRY(array_push(&loop.starts, loop.begin_ns, err));
	TRY(array_push(&loop.starts, repeats->items.items[first + count].begin_ns, err));
	for (size_t i = first; i < repeats->items.count; i++)
		loop.calls += repeats->items.items[i].calls;
	loop.end_ns = repeats->items.items[repeats->items.count - 1].end_ns;
	loop.token = mix64(repeats->bodies.items[loop.body].hash + loop.body);
	drop(repeats, 2 * count);
	return push(repeats, loop, err);
}

static int try_repetitions(struct repeats *repeats, bool *done, struct error *err)
{
	const size_t end = repeats->items.count;
	uint32_t place = repeats->items.items[end - 1].previous;

	for (int tries = 0; place != NO_ITEM && tries < MOST_TRIES; tries++) {
		const size_t count = end - 1 - place;

		if (2 * count > end)
			return 0;
		if (hash_of(repeats, end, count) == hash_of(repeats, end - count, count)) {
			*done = true;
			return make_loop(repeats, count, err);
		}
		place = repeats->items.items[place].previous;
	}
	return 0;
}

int repeats_add(struct repeats *repeats, uint64_t token, uint64_t begin_ns, uint64_t end_ns,
		struct error *err)
{
	const struct repeat_item item = {.token = mix64(token),
					 .body = NO_ITEM,
					 .calls = 1,
					 .begin_ns = begin_ns,
					 .end_ns = end_ns};
	bool done = true;

	TRY(push(repeats, item, err));
	while (done) {
		done = false;
		TRY(try_loops(repeats, &done, err));
		if (!done)
			TRY(try_repetitions(repeats, &done, err));
	}
	return 0;
}

const struct repeat_item *repeats_outermost(const struct repeats *repeats)
{
	const struct repeat_item *most = NULL;

	for (size_t i = 0; i < repeats->items.count; i++) {
		const struct repeat_item *item = &repeats->items.items[i];

		if (item->body != NO_ITEM && (!most || item->calls > most->calls))
			most = item;
	}
	return most;
}

void repeats_clear(struct repeats *repeats)
{
	for (size_t i = 0; i < repeats->items.count; i++)
		array_release(&repeats->items.items[i].starts);
	repeats->items.count = repeats->bodies.count = 0;
	number_map_clear(&repeats->places);
	number_map_clear(&repeats->body_places);
}

void repeats_release(struct repeats *repeats)
{
	repeats_clear(repeats);
	array_release(&repeats->items);
	array_release(&repeats->bodies);
	array_release(&repeats->powers);
	number_map_release(&repeats->places);
	number_map_release(&repeats->body_places);
}
