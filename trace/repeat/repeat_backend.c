#include "trace/repeat/repeat_backend.h"

#include "common/output.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/otf2/otf2_backend.h"
#include "trace/repeat/repeat_rank.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What all readers of a trace share. */
struct repeat_shared {
	struct flow *flow;
	char *path; /* of the flow */
	struct trace_world world;
	pthread_mutex_t lock; /* protects figures: several threads may read copies of one rank */
	struct repeat_figures *figures; /* by rank */
};

struct repeat_trace {
	struct repeat_shared *shared;
	bool owns;
	void *archive; /* of otf2_backend */
	uint64_t calls_read;
	const struct trace_receiver *to;
};

/* -------------------------------------------------------------------------- open */

static void close_shared(struct repeat_shared *shared)
{
	if (!shared)
		return;
	for (uint32_t r = 0; shared->figures && r < shared->world.rank_count; r++)
		repeat_figures_release(&shared->figures[r]);
	free(shared->figures);
	pthread_mutex_destroy(&shared->lock);
	flow_release(shared->flow);
	free(shared->path);
	free(shared);
}

static void repeat_close(void *trace)
{
	struct repeat_trace *opened = trace;

	if (opened->archive)
		otf2_backend.close(opened->archive);
	if (opened->owns)
		close_shared(opened->shared);
	free(opened);
}

/* Name the flow beside an archive, which is a folder or a file in it. */
static int name_flow(char **path, const char *archive, struct error *err)
{
	const char *slash = strrchr(archive, '/');
	struct stat status;
	int length = (int)strlen(archive);

	if (stat(archive, &status) == 0 && !S_ISDIR(status.st_mode))
		length = slash ? (int)(slash - archive) : 0;
	if (asprintf(path, "%.*s%sflow.efg", length, archive, length ? "/" : "") < 0) {
		*path = NULL;
		return error_set_memory(err, strlen(archive));
	}
	return 0;
}

/* Refuse flows from which the run cannot be repeated. */
static int check_flow(const struct repeat_shared *shared, const struct trace_world *archive,
		      struct error *err)
{
	const struct flow *flow = shared->flow;
	size_t recorded = 0;

	for (uint32_t r = 0; r < flow->world.rank_count; r++) {
		recorded += flow->ranks[r].recorded.count;
		if (flow->ranks[r].lossy)
			return error_set(
				err, STATUS_DATA,
				"%s: rank %u: calls that differ became one when graphs reached their limit of "
				"memory, so the run cannot be repeated",
				shared->path, r);
	}
	if (flow->world.rank_count != archive->rank_count)
		return error_set(err, STATUS_DATA, "%s has %u ranks, and the archive beside it %u",
				 shared->path, flow->world.rank_count, archive->rank_count);
	if (!recorded)
		return error_set(err, STATUS_DATA,
				 "%s does not tell which iterations the archive beside it has: "
				 "--repeat needs a trace of llamp-trace --iterations",
				 shared->path);
	if (flow->times == FLOW_TIMES_NONE)
		return error_set(err, STATUS_DATA, "%s lacks the times of calls", shared->path);
	return 0;
}

static int open_shared(struct repeat_trace *opened, const char *path, struct error *err)
{
	struct repeat_shared *shared;

	TRY(allocate(&shared, 1, sizeof *shared, err));
	pthread_mutex_init(&shared->lock, NULL);
	opened->shared = shared;
	opened->owns = true;
	TRY(name_flow(&shared->path, path, err));
	if (!flow_is_file(shared->path))
		return error_set(
			err, STATUS_DATA,
			"%s is not there: --repeat needs the flow graph of the whole run beside the archive, "
			"as llamp-trace --iterations writes it",
			shared->path);
	TRY(output_note_input(shared->path, err));
	TRY(flow_read(&shared->flow, shared->path, err));
	shared->world = shared->flow->world;
	shared->world.synthetic_times = false;
	shared->world.repeated = true;
	TRY(check_flow(shared, otf2_backend.world(opened->archive), err));
	return allocate(&shared->figures, shared->world.rank_count, sizeof *shared->figures, err);
}

static int repeat_open(void **trace, const char *path, struct error *err)
{
	struct repeat_trace *opened;

	TRY(allocate(&opened, 1, sizeof *opened, err));
	if (otf2_backend.open(&opened->archive, path, err) < 0 ||
	    open_shared(opened, path, err) < 0) {
		repeat_close(opened);
		return -1;
	}
	*trace = opened;
	return 0;
}

static int repeat_again(void **trace, const void *first, struct error *err)
{
	const struct repeat_trace *other = first;
	struct repeat_trace *opened;

	TRY(allocate(&opened, 1, sizeof *opened, err));
	opened->shared = other->shared;
	if (otf2_backend.again(&opened->archive, other->archive, err) < 0) {
		opened->archive = NULL;
		repeat_close(opened);
		return -1;
	}
	*trace = opened;
	return 0;
}

/* --------------------------------------------------------------------------- read */

static int repeat_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct repeat_trace *opened = data;

	opened->calls_read++;
	if (opened->to->receive(opened->to->data, call, err) == 0)
		return 0;
	return err->status == STATUS_SYSTEM ? -1 : error_prefix(err, "%s", call->function);
}

static int deliver_rank(struct repeat_trace *opened, uint32_t rank, struct error *err)
{
	struct repeat_shared *shared = opened->shared;
	const struct flow *flow = shared->flow;
	struct repeat_calls recorded = {0};
	struct repeat_figures figures = {0}, before;
	int result;

	if (flow->times == FLOW_TIMES_ALL || opened->to->only_first)
		return flow_recover(flow, rank, repeat_call, opened, err);
	result = repeat_calls_read(&recorded, opened->archive, rank, &flow->ranks[rank], err);
	if (result == 0)
		result = repeat_rank_deliver(flow, rank, &recorded, repeat_call, opened, &figures,
					     err);
	array_release(&recorded.items);
	pthread_mutex_lock(&shared->lock);
	before = shared->figures[rank];
	shared->figures[rank] = figures;
	pthread_mutex_unlock(&shared->lock);
	repeat_figures_release(&before);
	return result;
}

static int repeat_rank(void *trace, uint32_t rank, const struct trace_receiver *to,
		       struct error *err)
{
	struct repeat_trace *opened = trace;

	opened->to = to;
	if (deliver_rank(opened, rank, err) == 0)
		return 0;
	return err->status == STATUS_SYSTEM
		       ? -1
		       : error_prefix(err, "%s: rank %u", opened->shared->path, rank);
}

struct trace_repeat repeat_backend_figures(const void *trace)
{
	const struct repeat_shared *shared = ((const struct repeat_trace *)trace)->shared;
	struct trace_repeat sum = {
		.error = repeat_error_find(shared->figures, shared->world.rank_count)};

	for (uint32_t r = 0; r < shared->world.rank_count; r++) {
		const struct repeat_figures *figures = &shared->figures[r];

		sum.unlike += figures->unlike;
		if (figures->computation_ns > sum.computation_ns)
			sum.computation_ns = figures->computation_ns;
		if (figures->iterations > sum.iterations) {
			sum.iterations = figures->iterations;
			sum.recorded = figures->recorded;
		}
	}
	return sum;
}

/* --------------------------------------------------------------------- definitions */

static const struct flow *flow_of(const void *trace)
{
	return ((const struct repeat_trace *)trace)->shared->flow;
}

static const struct trace_world *repeat_world(const void *trace)
{
	return &((const struct repeat_trace *)trace)->shared->world;
}

static uint32_t repeat_threads(const void *trace, uint32_t rank)
{
	const size_t threads = flow_of(trace)->ranks[rank].threads.count;

	return threads ? (uint32_t)threads : 1;
}

static struct trace_left_out repeat_left_out(const void *trace)
{
	return flow_of(trace)->left_out;
}

static uint64_t repeat_calls(const void *trace)
{
	return flow_of(trace)->calls;
}

static uint64_t repeat_calls_read_so_far(const void *trace)
{
	return ((const struct repeat_trace *)trace)->calls_read;
}

static const char *repeat_site(const void *trace, uint32_t number)
{
	const struct string_table *strings = &flow_of(trace)->strings;

	return number < strings->starts.count ? string_table_get(strings, number) : NULL;
}

const struct trace_backend repeat_backend = {
	.open = repeat_open,
	.again = repeat_again,
	.world = repeat_world,
	.rank = repeat_rank,
	.threads = repeat_threads,
	.left_out = repeat_left_out,
	.events = repeat_calls,
	.events_read = repeat_calls_read_so_far,
	.site = repeat_site,
	.close = repeat_close,
};
