#include "usage/log/cell.h"

#include <stdlib.h>
#include <string.h>

uint64_t usage_class_least(uint8_t size_class)
{
	if (size_class == 0)
		return 0;
	return ((uint64_t)1 << ((size_class - 1) / 2)) + (size_class - 1) % 2;
}

uint64_t usage_class_most(uint8_t size_class)
{
	if (size_class == 0)
		return 0;
	if (size_class == USAGE_SIZE_CLASSES - 1)
		return UINT64_MAX;
	if (size_class % 2 == 1)
		return (uint64_t)1 << (size_class - 1) / 2;
	return ((uint64_t)2 << (size_class - 1) / 2) - 1;
}

uint64_t usage_comm_most(uint8_t comm_class)
{
	return comm_class == 0 ? 0 : (uint64_t)1 << (comm_class - 1);
}

void usage_table_init(struct usage_table *table)
{
	table->room = USAGE_CELLS - 1;
	table->cells[USAGE_CATCH_ALL].key.function = USAGE_REST;
	table->cells[USAGE_CATCH_ALL].least = UINT64_MAX;
}

static uint32_t hash_key(const struct usage_key *key)
{
	const uint64_t bits = key->function | (uint64_t)key->size_class << 16 |
			      (uint64_t)key->comm_class << 24 | (uint64_t)key->place << 32 |
			      (uint64_t)key->failed << 40;

	return (uint32_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 32) % USAGE_CELLS;
}

struct usage_cell *usage_cell(struct usage_table *table, struct usage_key key)
{
	struct usage_cell *cell;
	uint32_t slot = hash_key(&key);

	if (key.function == USAGE_REST) {
		table->overflow = 1;
		return &table->cells[USAGE_CATCH_ALL];
	}
	for (; table->index[slot]; slot = (slot + 1) % USAGE_CELLS) {
		cell = &table->cells[table->index[slot]];
		if (usage_same_key(&cell->key, &key))
			return cell;
	}
	/* A slot stays free, where each search ends. */
	if (table->count == table->room) {
		table->overflow = 1;
		return &table->cells[USAGE_CATCH_ALL];
	}
	cell = &table->cells[table->count + 1];
	key.used = 1;
	cell->least = UINT64_MAX;
	cell->key = key;
	/* Who reads the table from outside looks at its count first. */
	__atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
	table->index[slot] = (uint16_t)table->count;
	return cell;
}

void usage_cell_merge(struct usage_cell *into, const struct usage_cell *from)
{
	into->calls += from->calls;
	into->bytes += from->bytes;
	into->moved += from->moved;
	into->ticks += from->ticks;
	into->least = from->least < into->least ? from->least : into->least;
	into->most = from->most > into->most ? from->most : into->most;
	for (unsigned i = 0; i < USAGE_TIME_BINS; i++)
		into->bins[i] += from->bins[i];
}

void usage_table_merge(struct usage_table *into, const struct usage_table *from)
{
	const struct usage_cell *rest = &from->cells[USAGE_CATCH_ALL];

	for (uint32_t i = 1; i <= from->count; i++)
		usage_cell_merge(usage_cell(into, from->cells[i].key), &from->cells[i]);
	if (rest->calls > 0)
		usage_cell_merge(usage_cell(into, rest->key), rest);
}

int usage_compare_keys(const struct usage_key *a, const struct usage_key *b)
{
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->size_class != b->size_class)
		return a->size_class < b->size_class ? -1 : 1;
	if (a->comm_class != b->comm_class)
		return a->comm_class < b->comm_class ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (int)a->failed - (int)b->failed;
}

static int compare_cells(const void *a, const void *b)
{
	return usage_compare_keys(&(*(const struct usage_cell *const *)a)->key,
				  &(*(const struct usage_cell *const *)b)->key);
}

unsigned usage_table_sorted(const struct usage_table *table, const struct usage_cell **cells)
{
	unsigned count = 0;

	for (; count < table->count; count++)
		cells[count] = &table->cells[count + 1];
	qsort(cells, count, sizeof(struct usage_cell *), compare_cells);
	if (table->cells[USAGE_CATCH_ALL].calls > 0)
		cells[count++] = &table->cells[USAGE_CATCH_ALL];
	return count;
}
