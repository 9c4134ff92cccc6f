#include "profiler/finish.h"

#include "pmpi/process.h"
#include "pmpi/together.h"
#include "profiler/attendance.h"
#include "profiler/counters.h"
#include "profiler/job.h"
#include "profiler/profiler.h"
#include "profiler/recorder.h"
#include "profiler/reduce.h"
#include "profiler/survive.h"
#include "usage/log/log_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Time that ranks wait for others to come, and then to send what they have. */
enum { LIMIT_S = 10 };
#define BUDGET_NS UINT64_C(30000000000)

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

/* Complete a log of this node's ranks. */
static int end_node_log(struct job_log *log, struct error *err)
{
	const struct ticks_point now = ticks_point();

	log->end = JOB_FINALIZED;
	log->clock_hz = ticks_hz(ticks_rate(&profiler.load, &now));
	if (!attendance.one_node) {
		log->reason = strdup(
			"ranks lack this library, or were late: they are in other logs");
		return 0;
	}
	/* Also those that count nothing. */
	log->nodes = log->nodes_seen = 1;
	log->ranks_per_node.count = 0;
	return job_log_count_node(log, log->ranks, err);
}

/* Write the log of this node's ranks, unless all are excluded. */
static int write_node_log(struct error *err)
{
	struct job_log log = {0};
	struct node_view view;
	int result;

	TRY(survive_read(&view, err));
	result = node_view_log(&view, profiler.settings.all_ranks, &log, err);
	if (result == 0 && log.ranks_seen > 0) {
		result = end_node_log(&log, err);
		if (result == 0)
			result = put_log(&log, err);
	}
	if (result == 0)
		job_log_release(&log);
	node_view_release(&view);
	return result;
}

/* End without communication: the last rank of the node writes the log of all.  It is not known who comes last. */
static int finish_on_node(struct job_log *log, const struct reduce_own *own, struct error *err)
{
	int result = 0;

	if (!own->excluded && !survive_has_all()) {
		result = finish_alone(log, own, err);
		if (result == 0)
			survive_apart();
	}
	if (!survive_is_last())
		return result;
	TRY(write_node_log(err));
	survive_end(true);
	return result;
}

/* Whether nothing can be gained by communication. */
static bool is_nobody_elsewhere(void)
{
	return attendance.known && (!attendance.whole || attendance.one_node);
}

static int finish_apart(struct job_log *log, const struct reduce_own *own, struct error *err)
{
	return survive_joined() ? finish_on_node(log, own, err) : finish_alone(log, own, err);
}

static int finish_job(struct job_log *log, const struct reduce_own *own, struct error *err)
{
	int result;

	if (process.size > 1 && is_nobody_elsewhere() && (survive_joined() || !attendance.whole))
		return finish_apart(log, own, err);
	if (process.size > 1) {
		together_limit(LIMIT_S);
		if (!together_open())
			return finish_apart(log, own, err);
	}
	result = finish_together(log, own, err);
	survive_end(reduce_tell(result == 0, BUDGET_NS));
	return result;
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
	survive_finalize(own.counters, ticks_rate(&profiler.load, &end));
	if (together) {
		result = finish_job(&log, &own, err);
	} else {
		result = finish_alone(&log, &own, err);
		survive_end(result == 0);
	}
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
