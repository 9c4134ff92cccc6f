#include "usage/show/show.h"

#include <math.h>
#include <string.h>

const char *const show_rank_names[SHOW_RANKS + 1] = {
	[SHOW_AVERAGE] = "average", [SHOW_MOST] = "most", [SHOW_LEAST] = "least",
	[SHOW_FIRST] = "first",	    [SHOW_ALL] = "all",	  NULL,
};

static const enum job_role show_roles[] = {
	[SHOW_AVERAGE] = JOB_AVERAGE,
	[SHOW_MOST] = JOB_MOST,
	[SHOW_LEAST] = JOB_LEAST,
	[SHOW_FIRST] = JOB_FIRST,
};

const struct job_rank *show_rank_of(const struct job_log *log, enum job_role role)
{
	for (size_t i = 0; i < log->rank_list.count; i++)
		if (log->rank_list.items[i].roles & role)
			return &log->rank_list.items[i];
	return NULL;
}

double show_fraction(const struct job_log *log)
{
	const struct job_rank *rank = show_rank_of(log, JOB_AVERAGE);

	if (!rank || log->mpi_ns == USAGE_UNKNOWN || log->mpi_ns == 0)
		return NAN;
	return (double)rank->mpi_ns / ((double)log->mpi_ns * (log->threads > 1 ? log->threads : 1));
}

/* Sum the cells of all ranks by function. */
static int sum_cells(struct show *show, struct error *err)
{
	const struct job_log *log = show->log;

	for (size_t i = 0; i < log->cells.count; i++) {
		const struct usage_cell *cell = &log->cells.items[i].cell;
		struct job_calls *calls;

		if (show->all.calls.count == 0 ||
		    show->all.calls.items[show->all.calls.count - 1].function != cell->key.function)
			TRY(array_push(&show->all.calls,
				       (struct job_calls){.function = cell->key.function}, err));
		calls = &show->all.calls.items[show->all.calls.count - 1];
		calls->calls += cell->calls;
		calls->bytes += cell->bytes;
		calls->moved += cell->moved;
		calls->ns += cell->ticks;
		if (usage_counts_as_mpi(cell->key.function))
			show->all.mpi_ns += cell->ticks;
	}
	return 0;
}

int show_init(struct show *show, const struct job_log *log, enum show_ranks ranks,
	      struct error *err)
{
	memset(show, 0, sizeof *show);
	show->log = log;
	show->ranks = ranks;
	if (ranks != SHOW_ALL) {
		show->rank = show_rank_of(log, show_roles[ranks]);
		return 0;
	}
	show->rank = &show->all;
	if (sum_cells(show, err) == 0)
		return 0;
	show_release(show);
	return -1;
}

void show_release(struct show *show)
{
	array_release(&show->all.calls);
}
