#include "schedgen/progress/progress_table.h"

#include <inttypes.h>
#include <math.h>

int progress_table_calls(struct progress_table *table, uint64_t threshold, struct error *err)
{
	const struct progress_row all = {.to_bytes = UINT64_MAX, .receiver = 0};

	*table = (struct progress_table){.name = "calls", .threshold = threshold};
	return array_push(&table->rows, all, err);
}

void progress_table_release(struct progress_table *table)
{
	array_release(&table->rows);
}

void progress_table_print(const struct progress_table *table, FILE *stream)
{
	fprintf(stream, " --progress %s --rendezvous-threshold %" PRIu64, table->name,
		table->threshold);
}

uint64_t progress_table_early(const struct progress_table *table, uint64_t bytes)
{
	const struct progress_row *row = table->rows.items;
	const struct progress_row *end = row + table->rows.count;
	uint64_t early;

	while (row < end && bytes > row->to_bytes)
		row++;
	if (bytes <= table->threshold || row == end || bytes < row->from_bytes || row->receiver >= 1)
		return bytes;
	early = (uint64_t)llround(row->receiver * (double)bytes);
	if (early >= bytes || early <= table->threshold || bytes - early <= table->threshold)
		return 0;
	return early;
}
