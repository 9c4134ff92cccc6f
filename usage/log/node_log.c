/* Logs of jobs that have not written one, from their node files. */
#include "usage/log/node_view.h"

#include <stdlib.h>
#include <string.h>

static int copy_member(char **copy, const char *text, struct error *err)
{
	*copy = text ? strdup(text) : NULL;
	return text && !*copy ? error_set_memory(err, strlen(text) + 1) : 0;
}

static int copy_identity(const struct job_log *from, struct job_log *log, struct error *err)
{
	*log = *from;
	log->system = log->job = log->step = log->parent = log->user = NULL;
	log->program = log->build_id = log->library = log->clock = NULL;
	TRY(copy_member(&log->system, from->system, err));
	TRY(copy_member(&log->job, from->job, err));
	TRY(copy_member(&log->step, from->step, err));
	TRY(copy_member(&log->parent, from->parent, err));
	TRY(copy_member(&log->user, from->user, err));
	TRY(copy_member(&log->program, from->program, err));
	TRY(copy_member(&log->build_id, from->build_id, err));
	TRY(copy_member(&log->library, from->library, err));
	return copy_member(&log->clock, from->clock, err);
}

/* How the job ended, by what is seen of it. */
static enum job_end node_job_end(const struct node_view *view)
{
	if (view->alive)
		return JOB_RUNNING;
	/* When a rank exits without MPI_Finalize, launchers kill the others. */
	for (size_t i = 0; i < view->ranks.count; i++)
		if (view->ranks.items[i].state == NODE_EXITED)
			return JOB_EXITED;
	return JOB_KILLED;
}

/* Runtime: of rank 0 if it reached MPI_Finalize, else the longest, as all ranks ran until the end. */
static void set_runtime(struct job_log *log, const struct node_view *view)
{
	for (size_t i = 0; i < view->ranks.count; i++) {
		const struct node_rank *rank = &view->ranks.items[i];

		if (i > 0 && rank->runtime_ns <= log->mpi_ns)
			continue;
		log->mpi_ns = rank->runtime_ns;
		log->process_ns = rank->before_ns + rank->runtime_ns;
		if (rank->rank == 0 && rank->state == NODE_FINALIZING)
			return;
	}
}

static int add_ranks(struct job_sums *sums, const struct node_view *view, struct error *err)
{
	for (size_t i = 0; i < view->ranks.count; i++) {
		const struct node_rank *rank = &view->ranks.items[i];
		struct job_part part = {.rank = rank->rank,
					.host = view->host ? view->host : "unknown",
					.table = rank->table,
					.threads = (uint32_t)rank->threads.count};

		memcpy(part.counters, rank->counters, sizeof part.counters);
		TRY(job_sums_add(sums, &part, err));
	}
	return 0;
}

int node_view_log(const struct node_view *view, struct job_log *log, struct error *err)
{
	struct job_sums *sums = NULL;
	int result;

	result = copy_identity(&view->log, log, err);
	log->end = node_job_end(view);
	set_runtime(log, view);
	log->nodes_seen = 1;
	if (log->nodes == 0 && view->ranks.count == log->ranks)
		log->nodes = 1;
	if (result == 0)
		result = job_sums_make(&sums, err);
	if (result == 0)
		result = add_ranks(sums, view, err);
	if (result == 0)
		result = job_sums_end(sums, log, false, err);
	job_sums_free(sums);
	if (result < 0)
		job_log_release(log);
	return result;
}
