/* A progress table from a file of `llamp-measure overlap`. */
#include "schedgen/progress/progress_table.h"

#include "measure/cells/verdict.h"

/* Fill the rows: shares of the receiver by size. */
static int add_rows(struct progress_table *table, const struct overlap_shares *receiver,
		    struct error *err)
{
	for (size_t i = 0; i < receiver->count; i++) {
		const struct overlap_share *share = &receiver->items[i];

		TRY(array_push(&table->rows, ((struct progress_row){
			.from_bytes = share->from, .to_bytes = share->to, .receiver = share->share}), err));
	}
	return 0;
}

/* Take the threshold of the file, the lower end of where it is. */
static int take_threshold(struct progress_table *table, const struct cells_file *file, struct error *err)
{
	if (!file->header.S_high)
		return error_set(err, STATUS_USAGE, "%s has no rendezvous threshold: give it with"
				 " --rendezvous-threshold", file->path);
	table->threshold = file->header.S_low;
	return 0;
}

static int fill_table(struct progress_table *table, const struct cells_file *file,
		      const uint64_t *threshold, struct error *err)
{
	struct overlap_shares receiver = {0};
	int result;

	if (threshold)
		table->threshold = *threshold;
	else
		TRY(take_threshold(table, file, err));
	result = overlap_shares_find(file, BENCH_RECEIVER, &receiver, err);
	if (result == 0)
		result = add_rows(table, &receiver, err);
	array_release(&receiver);
	return result;
}

int progress_table_read(struct progress_table *table, const char *path, const uint64_t *threshold,
			struct error *err)
{
	struct cells_file file;
	int result;

	*table = (struct progress_table){.name = path};
	TRY(cells_file_read(path, &file, err));
	result = fill_table(table, &file, threshold, err);
	cells_file_release(&file);
	if (result < 0)
		progress_table_release(table);
	return result;
}
