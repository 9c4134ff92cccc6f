/* The processes of a run as bytes. */
#include "trace/flow/file/flow_sections.h"
#include "trace/flow/flow_parts.h"

#include <string.h>

enum { MOST_RANKS = 1 << 28 };
enum { COMM_DEFINED = 1, COMM_SELF = 2, COMM_INTER = 4, COMM_IDENTITY = 8 };
enum { WINDOW_DEFINED = 1, WINDOW_OTHER_MODEL = 2 };
enum {
	WORLD_LACKS_RECORDS = 1,
	WORLD_INCOMPLETE = 2,
	WORLD_SITES = 4,
	WORLD_COUNTS = 8,
	WORLD_NODES = 16
};

static int put_text(struct flow *flow, const char *text, struct flow_bytes *bytes,
		    struct error *err)
{
	uint32_t number;

	text = text ? text : "";
	TRY(string_table_add(&flow->strings, text, strlen(text), &number, err));
	return flow_put(bytes, number, err);
}

static const char *get_text(const struct flow *flow, struct flow_cursor *cursor)
{
	return string_table_get(&flow->strings,
				(uint32_t)flow_get_most(cursor, flow->strings.starts.count - 1));
}

/* Ranks mostly ascend: put distances. */
static int put_ranks(const uint32_t *ranks, uint32_t count, struct flow_bytes *bytes,
		     struct error *err)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < count; i++) {
		TRY(flow_put(bytes, flow_fold_sign((int64_t)ranks[i] - before), err));
		before = ranks[i];
	}
	return 0;
}

static int get_ranks(struct flow *flow, struct flow_cursor *cursor, uint32_t count, uint32_t limit,
		     const uint32_t **found, struct error *err)
{
	uint32_t *ranks;
	int64_t before = 0;

	*found = NULL;
	if (count > flow_left(cursor)) {
		cursor->damaged = true;
		return 0;
	}
	TRY(flow_allocate(flow, &ranks, (size_t)count + 1, sizeof *ranks, err));
	for (uint32_t i = 0; i < count; i++) {
		before += flow_unfold_sign(flow_get_most(cursor, (uint64_t)UINT32_MAX * 2));
		if (before < 0 || before >= limit)
			cursor->damaged = true;
		ranks[i] = (uint32_t)before;
	}
	*found = ranks;
	return 0;
}

/* ------------------------------------------------------------------------- put */

static int put_comm(struct flow *flow, const struct trace_comm *comm, struct flow_bytes *bytes,
		    struct error *err)
{
	TRY(flow_put(bytes,
		     (comm->defined ? COMM_DEFINED : 0) | (comm->self ? COMM_SELF : 0) |
			     (comm->inter ? COMM_INTER : 0) | (comm->identity ? COMM_IDENTITY : 0),
		     err));
	if (!comm->defined)
		return 0;
	TRY(put_text(flow, comm->name, bytes, err));
	TRY(flow_put(bytes, comm->size, err));
	if (!comm->self && !comm->identity)
		TRY(put_ranks(comm->ranks, comm->size, bytes, err));
	if (!comm->inter)
		return 0;
	TRY(flow_put(bytes, comm->remote_size, err));
	return put_ranks(comm->remote_ranks, comm->remote_size, bytes, err);
}

static int put_hosts(struct flow *flow, const struct trace_world *world, struct flow_bytes *bytes,
		     struct error *err)
{
	if (!world->nodes)
		return 0;
	TRY(put_ranks(world->nodes, world->rank_count, bytes, err));
	TRY(flow_put(bytes, world->host_count, err));
	for (uint32_t i = 0; i < world->host_count; i++) {
		TRY(put_text(flow, world->hosts[i].name, bytes, err));
		TRY(flow_put(bytes, world->hosts[i].ranks, err));
		TRY(flow_put_bytes(bytes, &world->hosts[i].cores, sizeof(double), err));
	}
	return 0;
}

int flow_world_put(struct flow *flow, const struct trace_world *world, struct flow_bytes *bytes,
		   struct error *err)
{
	TRY(flow_put(bytes,
		     (world->lacks_records ? WORLD_LACKS_RECORDS : 0) |
			     (world->incomplete ? WORLD_INCOMPLETE : 0) |
			     (world->has_sites ? WORLD_SITES : 0) |
			     (world->has_counts ? WORLD_COUNTS : 0) |
			     (world->nodes ? WORLD_NODES : 0),
		     err));
	TRY(flow_put(bytes, world->rank_count, err));
	TRY(flow_put(bytes, world->begin_ns, err));
	TRY(flow_put(bytes, (uint32_t)(world->world_comm + 1), err));
	TRY(flow_put(bytes, world->comm_count, err));
	for (uint32_t i = 0; i < world->comm_count; i++)
		TRY(put_comm(flow, &world->comms[i], bytes, err));
	TRY(flow_put(bytes, world->window_count, err));
	for (uint32_t i = 0; i < world->window_count; i++) {
		const struct trace_window *window = &world->windows[i];

		TRY(flow_put(bytes,
			     (window->defined ? WINDOW_DEFINED : 0) |
				     (window->other_model ? WINDOW_OTHER_MODEL : 0),
			     err));
		TRY(put_text(flow, window->name, bytes, err));
		TRY(flow_put(bytes, window->comm, err));
	}
	return put_hosts(flow, world, bytes, err);
}

/* ------------------------------------------------------------------------- get */

static int get_comm(struct flow *flow, struct trace_comm *comm, struct flow_cursor *cursor,
		    struct error *err)
{
	const uint64_t flags = flow_get(cursor);
	const uint32_t ranks = flow->world.rank_count;

	if (!(flags & COMM_DEFINED))
		return 0;
	*comm = (struct trace_comm){.defined = true,
				    .self = flags & COMM_SELF,
				    .inter = flags & COMM_INTER,
				    .identity = flags & COMM_IDENTITY};
	comm->name = get_text(flow, cursor);
	comm->size = (uint32_t)flow_get_most(cursor, ranks);
	if (comm->identity && comm->size != ranks)
		cursor->damaged = true;
	if (comm->identity)
		comm->ranks = flow->identity;
	else if (!comm->self)
		TRY(get_ranks(flow, cursor, comm->size, ranks, &comm->ranks, err));
	if (!comm->inter)
		return 0;
	comm->remote_size = (uint32_t)flow_get_most(cursor, ranks);
	return get_ranks(flow, cursor, comm->remote_size, ranks, &comm->remote_ranks, err);
}

static int get_comms(struct flow *flow, struct flow_cursor *cursor, struct error *err)
{
	struct trace_comm *comms;

	flow->world.comm_count = (uint32_t)flow_get_most(cursor, flow_left(cursor));
	TRY(flow_allocate(flow, &comms, flow->world.comm_count, sizeof *comms, err));
	flow->world.comms = comms;
	for (uint32_t i = 0; i < flow->world.comm_count && !cursor->damaged; i++)
		TRY(get_comm(flow, &comms[i], cursor, err));
	if (flow->world.world_comm != NO_COMM && flow->world.world_comm >= flow->world.comm_count)
		cursor->damaged = true;
	return 0;
}

static int get_windows(struct flow *flow, struct flow_cursor *cursor, struct error *err)
{
	struct trace_window *windows;

	flow->world.window_count = (uint32_t)flow_get_most(cursor, flow_left(cursor));
	TRY(flow_allocate(flow, &windows, flow->world.window_count, sizeof *windows, err));
	flow->world.windows = windows;
	for (uint32_t i = 0; i < flow->world.window_count && !cursor->damaged; i++) {
		const uint64_t flags = flow_get(cursor);

		windows[i] = (struct trace_window){.defined = flags & WINDOW_DEFINED,
						   .other_model = flags & WINDOW_OTHER_MODEL};
		windows[i].name = get_text(flow, cursor);
		windows[i].comm = (uint32_t)flow_get_most(cursor, UINT32_MAX);
		if (windows[i].defined && windows[i].comm >= flow->world.comm_count)
			cursor->damaged = true;
	}
	return 0;
}

static int get_hosts(struct flow *flow, struct flow_cursor *cursor, struct error *err)
{
	struct trace_host *hosts;

	TRY(get_ranks(flow, cursor, flow->world.rank_count, UINT32_MAX, &flow->world.nodes, err));
	flow->world.host_count = (uint32_t)flow_get_most(cursor, flow_left(cursor));
	TRY(flow_allocate(flow, &hosts, flow->world.host_count, sizeof *hosts, err));
	flow->world.hosts = hosts;
	for (uint32_t i = 0; i < flow->world.host_count && !cursor->damaged; i++) {
		const uint8_t *cores;

		hosts[i].name = get_text(flow, cursor);
		hosts[i].ranks = (uint32_t)flow_get_most(cursor, UINT32_MAX);
		cores = flow_get_bytes(cursor, sizeof hosts[i].cores);
		if (cores)
			memcpy(&hosts[i].cores, cores, sizeof hosts[i].cores);
	}
	for (uint32_t i = 0;
	     flow->world.nodes && flow->world.host_count && i < flow->world.rank_count; i++)
		if (flow->world.nodes[i] >= flow->world.host_count)
			cursor->damaged = true;
	return 0;
}

int flow_world_get(struct flow *flow, struct flow_cursor *cursor, struct error *err)
{
	const uint64_t flags = flow_get(cursor);

	flow->world = (struct trace_world){
		.lacks_records = flags & WORLD_LACKS_RECORDS,
		.incomplete = flags & WORLD_INCOMPLETE,
		.has_sites = flags & WORLD_SITES,
		.has_counts = flags & WORLD_COUNTS,
	};
	/* Ranks have a byte or more each in another section: no file has more than this. */
	flow->world.rank_count = (uint32_t)flow_get_most(cursor, MOST_RANKS);
	flow->world.begin_ns = flow_get(cursor);
	flow->world.world_comm = (uint32_t)flow_get_most(cursor, UINT32_MAX) - 1;
	TRY(flow_allocate(flow, &flow->identity, flow->world.rank_count, sizeof(uint32_t), err));
	for (uint32_t i = 0; i < flow->world.rank_count; i++)
		flow->identity[i] = i;
	TRY(get_comms(flow, cursor, err));
	TRY(get_windows(flow, cursor, err));
	if (flags & WORLD_NODES)
		TRY(get_hosts(flow, cursor, err));
	return cursor->damaged ? error_set(err, STATUS_DATA, "damaged: the processes") : 0;
}
