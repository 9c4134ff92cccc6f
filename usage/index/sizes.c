#include "usage/index/sizes.h"

#include "trace/call/mpi_functions.h"

#include <string.h>

/* The first column of each kind, or SIZES_END. */
struct kinds {
	enum message_size reduction, allreduce, bcast;
};

static struct kinds kinds_of(uint16_t function)
{
	struct kinds kinds = {SIZES_END, SIZES_END, SIZES_END};

	switch (function) {
	case CALL_Allreduce:
	case CALL_Allreduce_c:
		kinds.allreduce = SIZES_ALLREDUCE_CALLS;
		kinds.reduction = SIZES_REDUCTION_CALLS;
		break;
	case CALL_Reduce:
	case CALL_Reduce_c:
	case CALL_Iallreduce:
	case CALL_Iallreduce_c:
	case CALL_Ireduce:
	case CALL_Ireduce_c:
		kinds.reduction = SIZES_REDUCTION_CALLS;
		break;
	case CALL_Bcast:
	case CALL_Bcast_c:
		kinds.bcast = SIZES_BCAST_CALLS;
		break;
	default:
		break;
	}
	return kinds;
}

static void count_calls(uint64_t *sizes, const struct job_calls *calls)
{
	const struct kinds kinds = kinds_of(calls->function);
	const enum message_size columns[] = {kinds.reduction, kinds.allreduce, kinds.bcast};

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		if (columns[i] == SIZES_END)
			continue;
		sizes[columns[i]] += calls->calls;
		sizes[columns[i] + 1] += calls->bytes;
	}
}

static void count_cell(uint64_t *sizes, const struct usage_cell *cell)
{
	const struct kinds kinds = kinds_of(cell->key.function);
	const uint8_t class = cell->key.size_class;

	if (cell->key.failed)
		return;
	if (kinds.reduction != SIZES_END) {
		sizes[SIZES_REDUCTION_ALL] += cell->calls;
		sizes[SIZES_REDUCTION_256] += class <= usage_size_class(256) ? cell->calls : 0;
		sizes[SIZES_REDUCTION_16K] += class <= usage_size_class(16384) ? cell->calls : 0;
	}
	if (kinds.allreduce != SIZES_END) {
		sizes[SIZES_ALLREDUCE_ALL] += cell->calls;
		sizes[SIZES_ALLREDUCE_512K] += class >= usage_size_class(524288) ? cell->calls : 0;
	}
	if (kinds.bcast != SIZES_END) {
		sizes[SIZES_BCAST_ALL] += cell->calls;
		sizes[SIZES_BCAST_16M] += class >= usage_size_class(16777216) ? cell->calls : 0;
	}
}

bool message_sizes(const struct job_log *log, uint64_t sizes[static SIZES_END])
{
	bool any = false;

	memset(sizes, 0, SIZES_END * sizeof *sizes);
	for (size_t i = 0; i < log->rank_list.count; i++) {
		const struct job_rank *const rank = &log->rank_list.items[i];

		for (size_t j = 0; rank->roles & JOB_AVERAGE && j < rank->calls.count; j++)
			count_calls(sizes, &rank->calls.items[j]);
	}
	for (size_t i = 0; i < log->cells.count; i++)
		count_cell(sizes, &log->cells.items[i].cell);
	for (size_t i = 0; i < SIZES_END; i++)
		any |= sizes[i] > 0;
	return any;
}
