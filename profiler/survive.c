#include "profiler/survive.h"

#include "pmpi/process.h"
#include "profiler/job.h"
#include "profiler/places.h"
#include "profiler/profiler.h"
#include "profiler/recorder.h"
#include "usage/log/collect.h"

#include <string.h>
#include <unistd.h>

static struct node_file *node;

static int join_node_file(struct job_log *log, const char *step, struct error *err)
{
	const struct ticks_rate rate = ticks_rate(&profiler.load, &profiler.begin);
	char host[256] = "";
	struct node_job job = {
		.log = log,
		.host = host,
		.log_directory = *profiler.settings.directory ? profiler.settings.directory : NULL,
		.rank = (uint32_t)process.rank,
		.begin_ticks = profiler.begin.ticks,
		.begin_ns = profiler.begin.ns,
		.ticks_per_s = ticks_of_ns(rate, 1000000000),
		.before_ns = passed_ns(process.load_ns, profiler.begin.ns),
	};

	TRY(job_describe(log, profiler.settings.user_info, err));
	TRY(job_describe_run(log, step, err));
	gethostname(host, sizeof host - 1);
	return node_file_join(&node, node_file_directories(), &job, err);
}

/* Make logs of what killed jobs of this user have left on this node, if this is its first rank. */
static void collect_left_over(void)
{
	const struct collect_options how = {.logs = profiler.settings.directory,
					    .own = true,
					    .same = true};
	struct collection collection = {0};
	struct error err;

	if (!*profiler.settings.directory || !places_first())
		return;
	/* What cannot be collected stays for another collector. */
	collect_list(&collection, node_file_directories(), &how, &err);
	collection_release(&collection);
}

void survive_begin(const char *step)
{
	struct job_log log = {0};
	struct error err;

	if (node || profiler.excluded || strcmp(profiler.settings.partial, "off") == 0)
		return;
	if (join_node_file(&log, step, &err) < 0)
		node = NULL;
	recorders_use(node);
	job_log_release(&log);
	collect_left_over();
}

void survive_finalize(const uint64_t *counters)
{
	struct node_slot *slot;

	if (!node)
		return;
	slot = node_file_slot(node);
	slot->finalize_ticks = process.finalize;
	memcpy(slot->counters, counters, sizeof slot->counters);
	node_file_state(node, NODE_FINALIZING);
}

void survive_exit(void)
{
	node_file_state(node, NODE_EXITED);
}

void survive_end(bool have_log)
{
	node_file_leave(node, have_log);
}
