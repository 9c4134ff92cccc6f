#include "pmpi/requests.h"

#include <stdlib.h>

_Static_assert(sizeof(MPI_Request) <= 8 && sizeof(MPI_Message) <= 8, "handles must fit a key");

struct request_table requests, messages;

static uint64_t numbers_given;

uint64_t request_number(void)
{
	return numbers_given++;
}

enum { BLOCK_REQUESTS = 128 };

struct block {
	struct block *next;
	struct request requests[BLOCK_REQUESTS];
};
static struct block *blocks;
static struct request *unused;

static int requests_refill(struct error *err)
{
	struct block *block;

	TRY(allocate(&block, 1, sizeof *block, err));
	block->next = blocks;
	blocks = block;
	for (int i = 0; i < BLOCK_REQUESTS; i++) {
		block->requests[i].next = unused;
		unused = &block->requests[i];
	}
	return 0;
}

static size_t slot_home(const struct request_table *table, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);

	return (hash ^ hash >> 32) & (table->slots.count - 1);
}

/* Find the slot of the key, or the empty slot where it belongs. */
static struct request_slot *find_slot(const struct request_table *table, uint64_t key)
{
	size_t at = slot_home(table, key);

	while (table->slots.items[at].first && table->slots.items[at].key != key)
		at = (at + 1) & (table->slots.count - 1);
	return &table->slots.items[at];
}

static int table_grow(struct request_table *table, struct error *err)
{
	struct request_table new = {0};
	size_t count = table->slots.count ? 2 * table->slots.count : 256;

	TRY(allocate(&new.slots.items, count, sizeof *new.slots.items, err));
	new.slots.count = new.slots.capacity = count;
	new.used = table->used;
	for (size_t i = 0; i < table->slots.count; i++)
		if (table->slots.items[i].first)
			*find_slot(&new, table->slots.items[i].key) = table->slots.items[i];
	array_release(&table->slots);
	*table = new;
	return 0;
}

static struct request_slot *slot_for(struct request_table *table, uint64_t key)
{
	struct request_slot *slot = find_slot(table, key);

	if (!slot->first) {
		slot->key = key;
		slot->mixed = false;
		table->used++;
	}
	return slot;
}

struct request *request_new(void)
{
	struct error err;
	struct request *request;

	if (!unused && requests_refill(&err) < 0) {
		process_fail(&err);
		return NULL;
	}
	request = unused;
	unused = request->next;
	request->next = NULL;
	return request;
}

void request_describe(struct request *request, enum request_kind kind, MPI_Comm comm, int peer,
		      int tag, uint64_t bytes)
{
	request->kind = kind;
	request->comm = comm_find(comm);
	request->peer = peer;
	request->tag = tag;
	request->bytes = bytes;
}

struct request *request_add(struct request_table *table, uint64_t key)
{
	struct error err;
	struct request_slot *slot;
	struct request *request;

	/* Requests that are out of the table must find a slot when they are put back. */
	if (4 * (table->used + 1) > table->slots.count && table_grow(table, &err) < 0) {
		process_fail(&err);
		return NULL;
	}
	request = request_new();
	if (!request)
		return NULL;
	slot = slot_for(table, key);
	request->key = key;
	request->thread = own_thread;
	if (slot->first) {
		slot->mixed |= slot->last->thread != own_thread;
		slot->last->next = request;
	} else {
		slot->first = request;
	}
	slot->last = request;
	return request;
}

/* Find the request before the one that this thread means.  NULL if it means the first. */
static struct request *before_own(const struct request_slot *slot)
{
	struct request *before = NULL, *request = slot->first;

	/* Requests of one thread need no search, also when another thread completes them. */
	if (!slot->mixed)
		return NULL;
	for (; request && request->thread != own_thread; request = request->next)
		before = request;
	return request ? before : NULL;
}

struct request *request_find(const struct request_table *table, uint64_t key)
{
	const struct request_slot *slot;
	const struct request *before;

	if (!table->slots.count)
		return NULL;
	slot = find_slot(table, key);
	before = before_own(slot);
	return before ? before->next : slot->first;
}

/* Empty a slot, and move up the later slots that would not be found any more. */
static void empty_slot(struct request_table *table, struct request_slot *slot)
{
	struct request_slot *items = table->slots.items;
	size_t mask = table->slots.count - 1, hole = (size_t)(slot - items);

	for (size_t at = (hole + 1) & mask; items[at].first; at = (at + 1) & mask) {
		if (((at - slot_home(table, items[at].key)) & mask) < ((at - hole) & mask))
			continue;
		items[hole] = items[at];
		hole = at;
	}
	items[hole].first = NULL;
	table->used--;
}

struct request *request_take(struct request_table *table, uint64_t key)
{
	struct request_slot *slot;
	struct request *before, *request;

	if (!table->slots.count)
		return NULL;
	slot = find_slot(table, key);
	before = before_own(slot);
	request = before ? before->next : slot->first;
	if (!request)
		return NULL;
	if (!before)
		slot->first = request->next;
	else
		before->next = request->next;
	if (slot->last == request)
		slot->last = before;
	if (!slot->first)
		empty_slot(table, slot);
	return request;
}

void request_put_back(struct request_table *table, struct request *request)
{
	struct error err;
	struct request_slot *slot;

	if (4 * (table->used + 1) > table->slots.count && table_grow(table, &err) < 0) {
		process_fail(&err);
		return;
	}
	slot = slot_for(table, request->key);
	request->next = slot->first;
	if (slot->first)
		slot->mixed |= slot->first->thread != request->thread;
	else
		slot->last = request;
	slot->first = request;
}

/* Zeros to copy, which is faster than memset (pmpi/call.c). */
static const struct request no_request;

void request_free(struct request *request)
{
	uint64_t *items = request->vectors.items;
	size_t capacity = request->vectors.capacity;

	if (request->partner)
		request_free(request->partner);
	*request = no_request;
	request->vectors.items = items;
	request->vectors.capacity = capacity;
	request->next = unused;
	unused = request;
}

void requests_release(void)
{
	while (blocks) {
		struct block *block = blocks;

		blocks = block->next;
		for (int i = 0; i < BLOCK_REQUESTS; i++)
			array_release(&block->requests[i].vectors);
		free(block);
	}
	unused = NULL;
	array_release(&requests.slots);
	array_release(&messages.slots);
	requests.used = messages.used = 0;
}

static void record_start(const struct call *call, struct request *request)
{
	static const enum mpi_event_kind kinds[] = {
		[REQUEST_SEND] = EVENT_ISEND,
		[REQUEST_RECV] = EVENT_IRECV_REQUEST,
		[REQUEST_COLLECTIVE] = EVENT_COLLECTIVE_REQUEST,
	};
	struct mpi_event *event;

	request->recorded = call->recording && request->peer != MPI_PROC_NULL && request->comm &&
			    request->comm->id != NO_COMM;
	if (!request->recorded)
		return;
	request->id = request_number();
	event = call_event(call, kinds[request->kind]);
	event->request = request->id;
	if (request->kind != REQUEST_RECV)
		event->comm = request->comm->id;
	if (request->kind == REQUEST_COLLECTIVE)
		return;
	event->posted = request->posted;
	event->partitions = (uint32_t)request->partitions;
	if (request->kind == REQUEST_SEND) {
		event->peer = (uint32_t)request->peer;
		event->tag = (uint32_t)request->tag;
		event->bytes = request->bytes;
	}
}

void request_start(const struct call *call, struct request *request)
{
	request->active = true;
	request->cancelled = request->recorded = false;
	request->ready = 0;
	if (request->kind != REQUEST_SEND || request->partitions <= 0)
		record_start(call, request);
}

void request_ready(const struct call *call, struct request *request, int partitions)
{
	if (!request->active || request->ready >= request->partitions)
		return;
	request->ready += partitions;
	if (request->ready >= request->partitions)
		record_start(call, request);
}
