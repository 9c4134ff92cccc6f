#include "schedgen/convert/repeats.h"

#include "common/hash.h"

/* So many loops and earlier occurrences are tried for each call. */
enum { MOST_TRIES = 16 };

/* The hash of the last `count` items before `end`. */
static uint64_t hash_of(const struct loops *loops, size_t end, size_t count)
{
	const struct loop_item *items = loops->items.items;
	const uint64_t before = end > count ? items[end - count - 1].hash : 0;

	return items[end - 1].hash - before * loops->powers.items[count];
}

static void forget_place(struct loops *loops, size_t i)
{
	const struct loop_item *item = &loops->items.items[i];

	number_map_remove(&loops->places, item->token, 0);
	if (item->previous != NO_ITEM)
		(void)number_map_add(&loops->places, item->token, 0, item->previous,
				     &(struct error){0});
}

/* Take the last items away. */
static void drop(struct loops *loops, size_t count)
{
	while (count--) {
		forget_place(loops, loops->items.count - 1);
		array_release(&loops->items.items[loops->items.count - 1].starts);
		loops->items.count--;
	}
}

static int push(struct loops *loops, struct loop_item item, struct error *err)
{
	static const uint64_t base = UINT64_C(0x9e3779b97f4a7c15);
	const size_t place = loops->items.count;
	const struct loop_item *before = place ? &loops->items.items[place - 1] : NULL;

	while (loops->powers.count <= place + 1) {
		const size_t count = loops->powers.count;
		const uint64_t power = count ? loops->powers.items[count - 1] * base : 1;

		TRY(array_push(&loops->powers, power, err));
	}
	item.hash = (before ? before->hash * base : 0) + mix64(item.token);
	item.loop = item.body != NO_ITEM ? (uint32_t)place : before ? before->loop : NO_ITEM;
	item.previous = number_map_remove(&loops->places, item.token, 0);
	TRY(number_map_add(&loops->places, item.token, 0, (uint32_t)place, err));
	return array_push(&loops->items, item, err);
}

/* The body that these last items make. */
static int find_body(struct loops *loops, size_t count, uint32_t *place, struct error *err)
{
	const size_t end = loops->items.count;
	const struct loop_body body = {
		.hash = hash_of(loops, end, count), .length = (uint32_t)count,
		.last = loops->items.items[end - 1].body
	};

	*place = number_map_get(&loops->body_places, body.hash, body.length);
	if (*place != NUMBER_MAP_EMPTY)
		return 0;
	*place = (uint32_t)loops->bodies.count;
	TRY(array_push(&loops->bodies, body, err));
	return number_map_add(&loops->body_places, body.hash, body.length, *place, err);
}

/*
 * The last `count` items go round the loop before them once more, or the loop that
 * its body ends with, or that one's, ...
 */
static int go_round(struct loops *loops, size_t count, bool *done, struct error *err)
{
	const size_t end = loops->items.count;
	struct loop_item *loop = &loops->items.items[end - count - 1];
	const uint64_t hash = hash_of(loops, end, count);
	uint32_t place = loop->body;

	for (int tries = 0; place != NO_ITEM && tries < MOST_TRIES; tries++) {
		const struct loop_body *body = &loops->bodies.items[place];

		if (body->length == count && body->hash == hash) {
			const struct loop_item *first = &loops->items.items[end - count];

			if (place == loop->body)
				TRY(array_push(&loop->starts, first->begin_ns, err));
			for (size_t i = end - count; i < end; i++)
				loop->calls += loops->items.items[i].calls;
			loop->end_ns = loops->items.items[end - 1].end_ns;
			drop(loops, count);
			*done = true;
			return 0;
		}
		place = body->last;
	}
	return 0;
}

static int try_loops(struct loops *loops, bool *done, struct error *err)
{
	const size_t end = loops->items.count;
	uint32_t place = loops->items.items[end - 1].loop;

	for (int tries = 0; place != NO_ITEM && tries < MOST_TRIES && !*done; tries++) {
		if (place < end - 1)
			TRY(go_round(loops, end - 1 - place, done, err));
		place = place ? loops->items.items[place - 1].loop : NO_ITEM;
	}
	return 0;
}

/* The last 2 `count` items, which are the same twice, become a loop. */
static int make_loop(struct loops *loops, size_t count, struct error *err)
{
	const size_t first = loops->items.count - 2 * count;
	struct loop_item loop = {.begin_ns = loops->items.items[first].begin_ns};

	TRY(find_body(loops, count, &loop.body, err));
	TRY(array_push(&loop.starts, loop.begin_ns, err));
	TRY(array_push(&loop.starts, loops->items.items[first + count].begin_ns, err));
	for (size_t i = first; i < loops->items.count; i++)
		loop.calls += loops->items.items[i].calls;
	loop.end_ns = loops->items.items[loops->items.count - 1].end_ns;
	loop.token = mix64(loops->bodies.items[loop.body].hash + loop.body);
	drop(loops, 2 * count);
	return push(loops, loop, err);
}

static int try_repetitions(struct loops *loops, bool *done, struct error *err)
{
	const size_t end = loops->items.count;
	uint32_t place = loops->items.items[end - 1].previous;

	for (int tries = 0; place != NO_ITEM && tries < MOST_TRIES; tries++) {
		const size_t count = end - 1 - place;

		if (2 * count > end)
			return 0;
		if (hash_of(loops, end, count) == hash_of(loops, end - count, count)) {
			*done = true;
			return make_loop(loops, count, err);
		}
		place = loops->items.items[place].previous;
	}
	return 0;
}

int loops_add(struct loops *loops, uint64_t token, uint64_t begin_ns, uint64_t end_ns,
	      struct error *err)
{
	const struct loop_item item = {
		.token = mix64(token), .body = NO_ITEM, .calls = 1, .begin_ns = begin_ns,
		.end_ns = end_ns
	};
	bool done = true;

	TRY(push(loops, item, err));
	while (done) {
		done = false;
		TRY(try_loops(loops, &done, err));
		if (!done)
			TRY(try_repetitions(loops, &done, err));
	}
	return 0;
}

const struct loop_item *loops_outermost(const struct loops *loops)
{
	const struct loop_item *most = NULL;

	for (size_t i = 0; i < loops->items.count; i++) {
		const struct loop_item *item = &loops->items.items[i];

		if (item->body != NO_ITEM && (!most || item->calls > most->calls))
			most = item;
	}
	return most;
}

void loops_clear(struct loops *loops)
{
	for (size_t i = 0; i < loops->items.count; i++)
		array_release(&loops->items.items[i].starts);
	loops->items.count = loops->bodies.count = 0;
	number_map_clear(&loops->places);
	number_map_clear(&loops->body_places);
}

void loops_release(struct loops *loops)
{
	loops_clear(loops);
	array_release(&loops->items);
	array_release(&loops->bodies);
	array_release(&loops->powers);
	number_map_release(&loops->places);
	number_map_release(&loops->body_places);
}
