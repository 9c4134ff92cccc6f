#include "dist/dist_rows.h"

/* Rows sent at once. */
enum { BATCH = 4096 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int rows_make_room(struct dist_rows *rows, uint32_t processes, struct error *err)
{
	TRY(allocate(&rows->batch, BATCH, rows->row_bytes, err));
	return allocate(&rows->counts, processes, sizeof *rows->counts, err);
}

int dist_rows_open(struct dist_rows *rows, struct error *err)
{
	struct dist *dist = rows->dist;
	int result = dist_agree(dist, rows_make_room(rows, dist->size, err), err);

	if (result == 0) {
		rows->counts[dist->rank] = rows->count;
		result = dist_allreduce(dist, rows->counts, dist->size, DIST_SUM, err);
	}
	if (result < 0) {
		dist_rows_close(rows);
		return -1;
	}
	for (uint32_t p = 0; p < dist->size; p++)
		rows->total += rows->counts[p];
	return 0;
}

static void make_batch(struct dist_rows *rows, size_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rows->make(rows->data, first + i, rows->batch + i * rows->row_bytes);
}

/* Make the next batch, or receive it from its process. */
static void next_batch(struct dist_rows *rows)
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

const void *dist_rows_next(struct dist_rows *rows)
{
	if (rows->next == rows->received)
		next_batch(rows);
	rows->next++;
	return rows->batch + rows->in_batch++ * rows->row_bytes;
}

int dist_rows_serve(struct dist_rows *rows, struct error *err)
{
	if (rows->failed)
		return error_set(err, STATUS_SYSTEM, "rows of process %u have not arrived",
				 rows->process);
	if (rows->dist->rank == 0)
		return 0;
	for (size_t first = 0; first < rows->count; first += BATCH) {
		const size_t count = least(rows->count - first, BATCH);

		make_batch(rows, first, count);
		TRY(dist_send(rows->dist, 0, rows->batch, count * rows->row_bytes, err));
	}
	return 0;
}

void dist_rows_close(struct dist_rows *rows)
{
	free(rows->batch);
	free(rows->counts);
	rows->batch = NULL;
	rows->counts = NULL;
}
