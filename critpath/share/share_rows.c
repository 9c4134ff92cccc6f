#include "critpath/share/share_rows.h"

/* Rows sent at once. */
enum { BATCH = 4096 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int rows_make_room(struct share_rows *rows, uint32_t processes, struct error *err)
{
	TRY(allocate(&rows->batch, BATCH, rows->row_bytes, err));
	return allocate(&rows->counts, processes, sizeof *rows->counts, err);
}

int share_rows_open(struct share_rows *rows, struct error *err)
{
	struct dist *dist = rows->dist;
	const uint32_t processes = dist ? dist->size : 1;
	int result = rows_make_room(rows, processes, err);

	if (dist)
		result = dist_agree(dist, result, err);
	if (result == 0)
		rows->counts[dist ? dist->rank : 0] = rows->count;
	if (result == 0 && dist)
		result = dist_allreduce(dist, rows->counts, processes, DIST_SUM, err);
	if (result < 0) {
		share_rows_close(rows);
		return -1;
	}
	for (uint32_t p = 0; p < processes; p++)
		rows->total += rows->counts[p];
	return 0;
}

static void make_batch(struct share_rows *rows, size_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rows->make(rows->data, first + i, rows->batch + i * rows->row_bytes);
}

/* Make the next batch, or receive it from its process. */
static void next_batch(struct share_rows *rows)
{
	struct error err;
	size_t count;

	while (rows->next == rows->counts[rows->process]) {
		rows->process++;
		rows->next = 0;
	}
	count = least(rows->counts[rows->process] - rows->next, BATCH);
	if (rows->process == 0)
		make_batch(rows, rows->next, count);
	else if (dist_receive(rows->dist, rows->process, rows->batch, count * rows->row_bytes,
			      &err) < 0)
		rows->failed = true;
	rows->received = rows->next + count;
	rows->in_batch = 0;
}

const void *share_rows_next(struct share_rows *rows)
{
	if (rows->next == rows->received)
		next_batch(rows);
	rows->next++;
	return rows->batch + rows->in_batch++ * rows->row_bytes;
}

int share_rows_serve(struct share_rows *rows, struct error *err)
{
	if (!rows->dist || rows->dist->rank == 0)
		return 0;
	for (size_t first = 0; first < rows->count; first += BATCH) {
		const size_t count = least(rows->count - first, BATCH);

		make_batch(rows, first, count);
		TRY(dist_send(rows->dist, 0, rows->batch, count * rows->row_bytes, err));
	}
	return 0;
}

void share_rows_close(struct share_rows *rows)
{
	free(rows->batch);
	free(rows->counts);
	rows->batch = NULL;
	rows->counts = NULL;
}
