#include "profiler/finish.h"

#include "pmpi/process.h"
#include "profiler/counters.h"
#include "profiler/job.h"
#include "profiler/places.h"
#include "profiler/profiler.h"
#include "profiler/recorder.h"
#include "profiler/reduce.h"
#include "profiler/survive.h"
#include "usage/log/log_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Time that ranks wait for others at the end, in all. */
#define BUDGET_NS UINT64_C(30000000000)

/* Set the nodes of the ranks, as far as they are known. */
static int set_nodes(struct job_log *log, struct error *err)
{
	const uint64_t *hosts = places.hosts;

	if (!places.known)
		return 0;
	for (uint32_t i = 0, end; i < log->ranks; i = end) {
		for (end = i + 1; end < log->ranks && hosts[end] == hosts[i]; end++)
			;
		TRY(job_log_count_node(log, end - i, err));
	}
	log->nodes = places.nodes;
	if (log->ranks_seen == log->ranks)
		log->nodes_seen = log->nodes;
	return 0;
}

/* Set what this process knows of the job. */
static int describe(struct job_log *log, struct error *err)
{
	const uint64_t now = now_ns();

	TRY(job_describe(log, profiler.settings.user_info, err));
	TRY(job_describe_run(log, profiler.step, err));
	log->mpi_ns = passed_ns(profiler.begin.ns, process.finalize_ns ? process.finalize_ns : now);
	log->process_ns = passed_ns(process.load_ns, now);
	return 0;
}

/* Number that no other log has in its name. */
static uint64_t random_number(void)
{
	uint64_t random;

	if (getrandom(&random, sizeof random, GRND_NONBLOCK) == (ssize_t)sizeof random)
		return random;
	return now_ns() ^ (uint64_t)getpid() << 40;
}

static int put_log(const struct job_log *log, struct error *err)
{
	char name[JOB_LOG_NAME_BYTES];

	if (*profiler.settings.file)
		return log_file_write_to(log, profiler.settings.file, err);
	return log_file_write(log, profiler.settings.directory, random_number(), geteuid(), name,
			      err);
}

static int write_log(struct job_log *log, struct error *err)
{
	TRY(describe(log, err));
	TRY(set_nodes(log, err));
	return put_log(log, err);
}

static int finish_together(struct job_log *log, const struct reduce_own *own, struct error *err)
{
	bool whole;

	TRY(reduce_to_log(log, own, profiler.settings.all_ranks, BUDGET_NS, &whole, err));
	if (process.rank != 0 || log->ranks_seen == 0)
		return 0;
	log->end = whole ? JOB_FINALIZED : JOB_PARTIAL;
	if (!whole)
		log->reason = strdup("not all ranks came to MPI_Finalize in time");
	return write_log(log, err);
}

static int finish_alone(struct job_log *log, const struct reduce_own *own, struct error *err)
{
	struct job_part part = {.rank = (uint32_t)process.rank,
				.table = own->table,
				.threads = own->threads};
	char host[256] = "";

	if (own->excluded)
		return 0;
	gethostname(host, sizeof host - 1);
	part.host = host;
	memcpy(part.counters, own->counters, sizeof part.counters);
	TRY(job_log_add_parts(log, &part, 1, profiler.settings.all_ranks, err));
	log->end = JOB_FINALIZED;
	if (process.size > 1)
		log->reason = strdup("the ranks do not end together: each has a log of its own");
	return write_log(log, err);
}

int finish(bool together, struct error *err)
{
	const struct ticks_point end = ticks_point();
	struct reduce_own own = {.excluded = profiler.excluded};
	struct usage_table *table;
	struct job_log log = {0};
	int result;

	TRY(allocate(&table, 1, sizeof *table, err));
	usage_table_init(table);
	own.table = table;
	own.threads = recorders_merge(table, ticks_rate(&profiler.load, &end));
	counters_read(own.counters);
	counters_close();
	survive_finalize(own.counters);
	result = together ? finish_together(&log, &own, err) : finish_alone(&log, &own, err);
	survive_end(together ? reduce_tell(result == 0, BUDGET_NS) : result == 0);
	job_log_release(&log);
	free(table);
	return result;
}

/* Fill the log of a run that was not recorded: what it is, not how long it took. */
static int describe_stub(struct job_log *log, const char *reason, struct error *err)
{
	TRY(describe(log, err));
	log->mpi_ns = log->process_ns = USAGE_UNKNOWN;
	log->reason = strdup(reason);
	return log->reason ? 0 : error_set_memory(err, strlen(reason) + 1);
}

int finish_stub(const char *reason, struct error *err)
{
	struct job_log log = {.end = JOB_OTHER_TOOL};
	int result = describe_stub(&log, reason, err);

	if (result == 0)
		result = put_log(&log, err);
	job_log_release(&log);
	return result;
}
