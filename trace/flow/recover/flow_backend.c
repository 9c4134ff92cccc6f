#include "trace/flow/recover/flow_backend.h"

#include "trace/call/trace_names.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/recover/flow_recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct flow_trace {
	struct flow *flow;
	char *path;
	bool shares; /* the flow and the path of another one */
	uint64_t calls_read;
	const struct trace_receiver *to;
};

static void backend_close(void *trace)
{
	struct flow_trace *opened = trace;

	if (!opened->shares) {
		flow_release(opened->flow);
		free(opened->path);
	}
	free(opened);
}

bool flow_find(const char *path, char file[static 4096])
{
	if (snprintf(file, 4096, "%s", path) >= 4096)
		return false;
	return flow_is_file(file) ||
	       (snprintf(file, 4096, "%s/" FLOW_FILE_NAME, path) < 4096 && flow_is_file(file));
}

/*
 * Graphs beside an archive are of the whole run, of which the archive may have a part: it is what
 * was asked for.
 */
static bool backend_probe(const char *path)
{
	char file[4096], archive[4096];

	return flow_is_file(path) || (flow_find(path, file) &&
				      snprintf(archive, sizeof archive, "%s/" ARCHIVE_FILE_NAME,
					       path) < (int)sizeof archive &&
				      access(archive, F_OK) < 0);
}

static int backend_open(void **trace, const char *path, struct error *err)
{
	struct flow_trace *opened;
	char file[4096];

	TRY(allocate(&opened, 1, sizeof *opened, err));
	opened->path = strdup(flow_find(path, file) ? file : path);
	if (!opened->path) {
		free(opened);
		return error_set_memory(err, strlen(path));
	}
	if (flow_read(&opened->flow, opened->path, err) < 0) {
		backend_close(opened);
		return -1;
	}
	*trace = opened;
	return 0;
}

static int backend_again(void **trace, const void *first, struct error *err)
{
	struct flow_trace *opened;

	TRY(allocate(&opened, 1, sizeof *opened, err));
	*opened = *(const struct flow_trace *)first;
	opened->shares = true;
	opened->calls_read = 0;
	*trace = opened;
	return 0;
}

static const struct trace_world *backend_world(const void *trace)
{
	return &((const struct flow_trace *)trace)->flow->world;
}

static int backend_receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct flow_trace *opened = data;

	opened->calls_read++;
	if (opened->to->receive(opened->to->data, call, err) == 0)
		return 0;
	return err->status == STATUS_SYSTEM ? -1 : error_prefix(err, "%s", call->function);
}

static int backend_rank(void *trace, uint32_t rank, const struct trace_receiver *to,
			struct error *err)
{
	struct flow_trace *opened = trace;

	opened->to = to;
	if (flow_recover(opened->flow, rank, backend_receive, opened, err) == 0)
		return 0;
	return err->status == STATUS_SYSTEM ? -1
					    : error_prefix(err, "%s: rank %u", opened->path, rank);
}

static uint32_t backend_threads(const void *trace, uint32_t rank)
{
	const size_t threads = ((const struct flow_trace *)trace)->flow->ranks[rank].threads.count;

	return threads ? (uint32_t)threads : 1;
}

static struct trace_left_out backend_left_out(const void *trace)
{
	static const struct trace_left_out none;
	const struct flow_trace *opened = trace;

	return opened->shares ? none : opened->flow->left_out;
}

static uint64_t backend_calls(const void *trace)
{
	return ((const struct flow_trace *)trace)->flow->calls;
}

static uint64_t backend_calls_read(const void *trace)
{
	return ((const struct flow_trace *)trace)->calls_read;
}

static const char *backend_site(const void *trace, uint32_t number)
{
	const struct string_table *strings = &((const struct flow_trace *)trace)->flow->strings;

	return number < strings->starts.count ? string_table_get(strings, number) : NULL;
}

const struct trace_backend flow_backend = {
	.probe = backend_probe,
	.open = backend_open,
	.again = backend_again,
	.world = backend_world,
	.rank = backend_rank,
	.threads = backend_threads,
	.left_out = backend_left_out,
	.events = backend_calls,
	.events_read = backend_calls_read,
	.site = backend_site,
	.close = backend_close,
};
