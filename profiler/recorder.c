#include "profiler/recorder.h"

#include "common/array.h"
#include "profiler/places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct recorder *all;
static struct node_file *node;

/* ns of a tick, times 2^20. */
enum { RATE_BITS = 20 };
static uint64_t ns_rate = (uint64_t)1 << RATE_BITS;
static uint64_t first_edge; /* ticks that are for sure in the first bin are below */

void recorders_set_rate(struct ticks_rate rate)
{
	ns_rate = (uint64_t)(rate.ns_per_tick * (1 << RATE_BITS) + 0.5);
	first_edge = ns_rate ? ((uint64_t)1 << (USAGE_FIRST_EDGE + RATE_BITS)) / ns_rate : 0;
}

void recorders_use(struct node_file *file)
{
	node = file;
}

static int make_table(struct recorder *recorder, struct error *err)
{
	void *memory;

	recorder->thread = node ? node_file_thread(node, err) : NULL;
	if (recorder->thread) {
		recorder->table = &recorder->thread->table;
		return 0;
	}
	/* Memory of pages that are not touched is not used. */
	memory = mmap(NULL, sizeof *recorder->table, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return error_set_memory(err, sizeof *recorder->table);
	recorder->table = memory;
	usage_table_init(recorder->table);
	return 0;
}

struct recorder *recorder_make(struct error *err)
{
	struct recorder *recorder;

	if (allocate(&recorder, 1, sizeof *recorder, err) < 0)
		return NULL;
	if (make_table(recorder, err) < 0) {
		free(recorder);
		return NULL;
	}
	recorder->next = all;
	return all = recorder;
}

uint32_t *recorder_inside(void *data)
{
	struct recorder *recorder = data;

	return recorder->thread ? &recorder->thread->inside : NULL;
}

/* Place of a call's other rank, if that is known. */
static inline uint8_t place_of_call(const struct mpi_sums *sums)
{
	return sums->world && !sums->failed ? place_of(sums->peer) : USAGE_ANYWHERE;
}

/* Find the cell of a call by its class. */
static struct usage_cell *find_cell(struct recorder *recorder, unsigned function,
				    const struct mpi_sums *sums)
{
	const struct usage_key key = {
		.function = (uint16_t)function,
		.size_class = usage_size_class(sums->bytes + sums->requests),
		.comm_class = usage_comm_class(sums->ranks),
		.place = place_of_call(sums),
		.failed = sums->failed,
		.used = 1,
	};

	return recorder->thread ? node_file_cell(node, recorder->thread, key)
				: usage_cell(recorder->table, key);
}

/* Bin of a time.  Most calls are in the first one. */
static inline unsigned bin_of(uint64_t ticks)
{
	if (__builtin_expect(ticks < first_edge, 1))
		return 0;
	return usage_time_bin((uint64_t)((unsigned __int128)ticks * ns_rate >> RATE_BITS));
}

static inline void count_in_cell(struct usage_cell *cell, const struct mpi_sums *sums)
{
	const uint64_t ticks = passed_ns(sums->enter, sums->leave);

	usage_add(cell, sums->bytes, sums->moved, ticks, bin_of(ticks));
}

/* Count the first call of a class after one of another.  Apart, so that other calls save no registers for it. */
static __attribute__((noinline)) void count_in_other_cell(struct recorder *recorder,
							  unsigned function,
							  const struct mpi_sums *sums,
							  uint64_t where)
{
	struct last_cell *last = &recorder->last[function];

	*last = (struct last_cell){sums->bytes + sums->requests, where,
				   find_cell(recorder, function, sums)};
	count_in_cell(last->cell, sums);
}

/* Mostly a call is of the size of the last one of its function: then its cell is known. */
void recorder_count(void *data, unsigned function, const struct mpi_sums *sums)
{
	struct recorder *recorder = data;
	const struct last_cell *last = &recorder->last[function];
	const uint64_t where = UINT64_C(1) << 48 | (uint64_t)sums->failed << 40 |
			       (uint64_t)place_of_call(sums) << 32 | sums->ranks;

	if (recorder->thread) {
		recorder->thread->inside = 0;
		recorder->thread->stamp_ticks = sums->leave;
	}
	if (__builtin_expect(last->size == sums->bytes + sums->requests && last->where == where, 1))
		count_in_cell(last->cell, sums);
	else
		count_in_other_cell(recorder, function, sums, where);
}

static void add_in_ns(struct usage_table *into, const struct usage_cell *cell,
		      struct ticks_rate rate)
{
	struct usage_cell in_ns = *cell;

	in_ns.ticks = ticks_to_ns(rate, cell->ticks);
	in_ns.least = ticks_to_ns(rate, cell->least);
	in_ns.most = ticks_to_ns(rate, cell->most);
	usage_cell_merge(usage_cell(into, cell->key), &in_ns);
}

uint32_t recorders_merge(struct usage_table *into, struct ticks_rate rate)
{
	uint32_t count = 0;

	for (const struct recorder *recorder = all; recorder; recorder = recorder->next) {
		count++;
		for (unsigned i = 0; i <= recorder->table->count; i++)
			if (recorder->table->cells[i].calls > 0)
				add_in_ns(into, &recorder->table->cells[i], rate);
	}
	return count;
}
