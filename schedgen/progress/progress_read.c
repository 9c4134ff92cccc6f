/* A progress table from a file of `llamp-measure overlap`. */
#include "schedgen/progress/progress_table.h"

#include "measure/cells/verdict.h"

/* The share of the first size from `from` on, and where it ends; 1 without shares. */
static double share_at(const struct overlap_shares *shares, uint64_t from, uint64_t *to)
{
	size_t i = 0;

	while (i < shares->count && shares->items[i].to < from)
		i++;
	if (i == shares->count)
		return 1;
	if (shares->items[i].to < *to)
		*to = shares->items[i].to;
	return shares->items[i].share;
}

/* Fill the rows: the shares of both sides, which change at different sizes. */
static int add_rows(struct progress_table *table, const struct overlap_shares *receiver,
		    const struct overlap_shares *sender, struct error *err)
{
	struct progress_row row = {.from_bytes = 0};

	do {
		row.to_bytes = UINT64_MAX;
		row.receiver = share_at(receiver, row.from_bytes, &row.to_bytes);
		row.sender = share_at(sender, row.from_bytes, &row.to_bytes);
		TRY(array_push(&table->rows, row, err));
		row.from_bytes = row.to_bytes + 1;
	} while (row.to_bytes < UINT64_MAX);
	return 0;
}

/* Take the threshold of the file, the lower end of where it is. */
static int take_threshold(struct progress_table *table, const struct cells_file *file,
			  struct error *err)
{
	if (!file->header.S_high)
		return error_set(err, STATUS_USAGE,
				 "%s has no rendezvous threshold: give it with"
				 " --rendezvous-threshold",
				 file->path);
	table->threshold = file->header.S_low;
	return 0;
}

/* Whether the file has cells of the benchmark, certain or not. */
static bool has_benchmark(const struct cells_file *file, enum bench bench)
{
	for (size_t i = 0; i < file->cells.count; i++)
		if (file->cells.items[i].spec.bench == bench)
			return true;
	return false;
}

/* Find the shares of both sides.  A file may lack the sender. */
static int find_shares(const struct cells_file *file, struct overlap_shares *receiver,
		       struct overlap_shares *sender, struct error *err)
{
	TRY(overlap_shares_find(file, BENCH_RECEIVER, receiver, err));
	return has_benchmark(file, BENCH_SENDER)
		       ? overlap_shares_find(file, BENCH_SENDER, sender, err)
		       : 0;
}

static int fill_table(struct progress_table *table, const struct cells_file *file,
		      const uint64_t *threshold, struct error *err)
{
	struct overlap_shares receiver = {0}, sender = {0};
	int result;

	if (threshold)
		table->threshold = *threshold;
	else
		TRY(take_threshold(table, file, err));
	result = find_shares(file, &receiver, &sender, err);
	if (result == 0)
		result = add_rows(table, &receiver, &sender, err);
	array_release(&receiver);
	array_release(&sender);
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
