#include "profiler/survive.h"

#include "pmpi/process.h"
#include "profiler/attendance.h"
#include "profiler/job.h"
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
		.excluded = profiler.excluded,
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

/* Make logs of what killed jobs of this user have left on this node, if this rank came first. */
static void collect_left_over(void)
{
	const struct collect_options how = {.logs = profiler.settings.directory,
					    .own = true,
					    .same = true};
	struct collection collection = {0};
	struct error err;

	if (!*profiler.settings.directory || !attendance.first)
		return;
	/* What cannot be collected stays for another collector. */
	collect_list(&collection, node_file_directories(), &how, &err);
	collection_release(&collection);
}

void survive_begin(const char *step)
{
	struct job_log log = {0};
	struct error err;

	if (node || strcmp(profiler.settings.partial, "off") == 0)
		return;
	if (join_node_file(&log, step, &err) < 0)
		node = NULL;
	recorders_use(node);
	job_log_release(&log);
	if (!profiler.excluded)
		collect_left_over();
}

bool survive_joined(void)
{
	return node != NULL;
}

void survive_finalize(const uint64_t *counters, struct ticks_rate rate)
{
	struct node_slot *slot = node ? node_file_slot(node) : NULL;

	if (!slot)
		return;
	slot->ticks_per_s = ticks_of_ns(rate, 1000000000);
	slot->finalize_ticks = process.finalize;
	memcpy(slot->counters, counters, sizeof slot->counters);
	node_file_state(node, NODE_FINALIZING);
}

void survive_exit(void)
{
	node_file_state(node, NODE_EXITED);
}

void survive_apart(void)
{
	node_file_state(node, NODE_APART);
}

bool survive_has_all(void)
{
	return node_file_slot(node) && recorders_survive();
}

bool survive_is_last(void)
{
	const size_t ranks = attendance.known ? attendance.ranks.count : 1;

	return node_file_finish(node) == ranks;
}

int survive_read(struct node_view *view, struct error *err)
{
	const int file = node_file_open(node, err);
	int result;

	if (file < 0)
		return -1;
	result = node_view_read_file(view, file, node_file_path(node), err);
	close(file);
	return result;
}

void survive_end(bool have_log)
{
	node_file_leave(node, have_log);
}
