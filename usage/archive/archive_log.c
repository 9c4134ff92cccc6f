#include "usage/archive/archive_log.h"

#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "trace/trace_reader.h"
#include "usage/archive/rank_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all threads have in common. */
struct archive {
	struct trace_reader *reader;
	const struct trace_world *world;
	struct job_sums *sums;
	struct job_log *log;
	uint32_t finalized; /* ranks */
	bool was_off;
};

struct archive_worker {
	struct trace_reader *reader;
	struct rank_calls calls;
};

static int count_call_of(void *data, const struct mpi_call *call, struct error *err)
{
	return rank_calls_add(data, call, err);
}

static int read_calls(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct archive *archive = shared;
	struct archive_worker *worker = state;

	if (!worker->reader)
		TRY(trace_reader_again(&worker->reader, archive->reader, err));
	TRY(rank_calls_begin(&worker->calls, archive->world, rank, err));
	TRY(trace_reader_rank(worker->reader, rank, count_call_of, &worker->calls, err));
	rank_calls_end(&worker->calls);
	return 0;
}

static const char *host_of(const struct trace_world *world, uint32_t rank)
{
	return world->nodes ? world->hosts[world->nodes[rank]].name : NULL;
}

static int add_rank_calls(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct archive *archive = shared;
	const struct rank_calls *calls = &((struct archive_worker *)state)->calls;
	struct job_part part = {.rank = rank,
				.host = host_of(archive->world, rank),
				.table = calls->table,
				.threads = calls->threads};

	for (unsigned i = 0; i < JOB_COUNTER_END; i++)
		part.counters[i] = USAGE_UNKNOWN;
	if (rank == 0 && calls->begin_ns <= calls->end_ns)
		archive->log->mpi_ns = calls->end_ns - calls->begin_ns;
	archive->finalized += calls->finalized;
	archive->was_off |= calls->was_off;
	progress_show(rank, archive->world->rank_count);
	return job_sums_add(archive->sums, &part, err);
}

static void release_worker(void *state)
{
	struct archive_worker *worker = state;

	trace_reader_close(worker->reader);
	rank_calls_release(&worker->calls);
}

static int read_ranks_of(struct archive *archive, struct error *err)
{
	const struct parallel_work work = {
		.make = read_calls,
		.take = add_rank_calls,
		.shared = archive,
		.state_bytes = sizeof(struct archive_worker),
		.release = release_worker,
	};
	const uint64_t events = trace_reader_events(archive->reader);

	TRY(job_sums_make(&archive->sums, err));
	return parallel_run(&work, archive->world->rank_count,
			    events ? parallel_threads(events) : processor_count(), err);
}

/* ---------------------------------------------------------------------- the job */

/* Last part of a path, without the name of the anchor file of an archive. */
static char *name_of(const char *path)
{
	char *copy = strdup(path), *slash, *name;

	if (!copy)
		return NULL;
	for (;;) {
		size_t length = strlen(copy);

		while (length > 1 && copy[length - 1] == '/')
			copy[--length] = '\0';
		slash = strrchr(copy, '/');
		if (!slash || slash == copy || strcmp(slash + 1, "traces.otf2") != 0)
			break;
		*slash = '\0';
	}
	name = strdup(slash && slash[1] ? slash + 1 : copy);
	free(copy);
	return name;
}

static int set_text(char **text, const char *value, struct error *err)
{
	*text = strdup(value);
	return *text ? 0 : error_set_memory(err, strlen(value) + 1);
}

/* What a profile of the run would have had and this trace has not. */
static int set_reason(const struct archive *archive, struct error *err)
{
	const struct trace_world *world = archive->world;
	char reason[256];

	snprintf(reason, sizeof reason, "made from a trace%s%s%s%s",
		 world->incomplete ? ", of which some ranks are not complete" : "",
		 archive->was_off ? ", whose recording was off in parts of the run" : "",
		 world->synthetic_times ? ", whose times are means or missing" : "",
		 world->lacks_records ? ", of another tool" : "");
	return set_text(&archive->log->reason, reason, err);
}

static int set_job(struct archive *archive, const char *path, struct error *err)
{
	const struct trace_world *world = archive->world;
	struct job_log *log = archive->log;

	log->ranks = world->rank_count;
	log->nodes = log->nodes_seen;
	log->end = archive->finalized == world->rank_count ? JOB_FINALIZED
		   : archive->finalized > 0		   ? JOB_PARTIAL
							   : JOB_EXITED;
	log->program = name_of(path);
	if (!log->program)
		return error_set_memory(err, strlen(path) + 1);
	TRY(set_text(&log->clock, "trace", err));
	return set_reason(archive, err);
}

static int make_log(struct archive *archive, const char *path, bool all, struct error *err)
{
	int result;

	progress_begin("llamp-usage", "reading the trace");
	result = read_ranks_of(archive, err);
	progress_end();
	if (result == 0)
		result = job_sums_end(archive->sums, archive->log, all, err);
	job_sums_free(archive->sums);
	return result < 0 ? -1 : set_job(archive, path, err);
}

int archive_log(struct job_log *log, const char *path, bool all, struct error *err)
{
	struct archive archive = {.log = log};
	int result;

	*log = (struct job_log){.start_unix_ns = USAGE_UNKNOWN,
				.mpi_ns = USAGE_UNKNOWN,
				.process_ns = USAGE_UNKNOWN,
				.level_asked = JOB_LEVEL_UNKNOWN,
				.level_given = JOB_LEVEL_UNKNOWN};
	TRY(trace_reader_open(&archive.reader, path, err));
	trace_reader_with_transfers(archive.reader);
	archive.world = trace_reader_world(archive.reader);
	result = make_log(&archive, path, all, err);
	trace_reader_close(archive.reader);
	if (result < 0)
		job_log_release(log);
	return result;
}
