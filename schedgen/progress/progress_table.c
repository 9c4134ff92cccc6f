#include "schedgen/progress/progress_table.h"

#include <inttypes.h>
#include <math.h>

int progress_table_calls(struct progress_table *table, uint64_t threshold, bool both,
			 struct error *err)
{
	const struct progress_row all = {.to_bytes = UINT64_MAX, .sender = both ? 0 : 1};

	*table = (struct progress_table){.name = both ? "calls:both" : "calls",
					 .threshold = threshold};
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

uint64_t progress_table_early(const struct progress_table *table, bool sender, uint64_t bytes)
{
	const struct progress_row *row = table->rows.items;
	const struct progress_row *end = row + table->rows.count;
	double fraction;
	uint64_t early;

	while (row < end && bytes > row->to_bytes)
		row++;
	if (bytes <= table->threshold || row == end || bytes < row->from_bytes)
		return bytes;
	fraction = sender ? row->sender : row->receiver;
	if (fraction >= 1)
		return bytes;
	early = (uint64_t)llround(fraction * (double)bytes);
	if (early >= bytes || early <= table->threshold || bytes - early <= table->threshold)
		return 0;
	return early;
}
