#include "eventflow/write_archive.h"

#include "trace/call/mpi_functions.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/otf2/trace_writer.h"

#include <stdio.h>
#include <string.h>

enum { MOST_GROUP_IDS = 1 << 24 };

/* Definitions of the archive, and ids in it by those of the flow. */
struct archive {
	const struct flow *flow;
	const char *directory;
	struct trace_writer **writers;
	struct trace_rank *ranks;
	struct string_table strings;
	ARRAY(struct trace_comm_definition) comms;
	ARRAY(struct trace_window_definition) windows;
	ARRAY(struct trace_group_definition) groups;
	uint32_t *comm_ids, *window_ids, *group_ids;
	size_t group_id_count;
	ARRAY(uint64_t *) lists; /* of members */
	bool complete;
	/* The rank at hand. */
	uint32_t rank;
	struct trace_writer *writer;
	uint32_t *sites; /* string of the writer by string of the flow; UINT32_MAX: none yet */
	uint64_t end_ns;
	const struct cut_iterations *only; /* or NULL */
	uint64_t call;			   /* number of the call at hand */
	size_t window;			   /* that it is in or before */
	ARRAY(struct archive_thread {
		uint64_t last_ns; /* end of the last call */
		bool on;
		bool was_on; /* before */
	}) threads;
	ARRAY(uint64_t)
	on_ns; /* [thread]: when its recording goes on again, if it does; 0: it is on */
};

static int add_list(struct archive *archive, const uint32_t *ranks, uint32_t count,
		    const uint64_t **list, struct error *err)
{
	uint64_t *copy;

	TRY(allocate(&copy, count, sizeof *copy, err));
	for (uint32_t i = 0; i < count; i++)
		copy[i] = ranks[i];
	*list = copy;
	if (array_push(&archive->lists, copy, err) < 0) {
		free(copy);
		return -1;
	}
	return 0;
}

/* Find the id in the archive of a communicator of the flow, and define it. */
static int add_comm(struct archive *archive, uint32_t number, struct error *err)
{
	const struct trace_world *world = &archive->flow->world;
	const struct trace_comm *comm = &world->comms[number];
	struct trace_comm_definition made = {.name = comm->name, .parent = COMM_ID_WORLD};

	archive->comm_ids[number] = COMM_ID_WORLD;
	if (!comm->defined || number == world->world_comm)
		return 0;
	archive->comm_ids[number] = COMM_ID_SELF;
	if (comm->self)
		return 0;
	archive->comm_ids[number] = FIRST_OWN_COMM_ID + (uint32_t)archive->comms.count;
	made.member_count = comm->size;
	TRY(add_list(archive, comm->ranks, comm->size, &made.members, err));
	if (comm->inter) {
		made.remote_member_count = comm->remote_size;
		TRY(add_list(archive, comm->remote_ranks, comm->remote_size, &made.remote_members,
			     err));
	}
	return array_push(&archive->comms, made, err);
}

static int add_groups(struct archive *archive, struct error *err)
{
	const struct flow *flow = archive->flow;

	for (size_t i = 0; i < flow->groups.count; i++)
		if (flow->groups.items[i].id >= archive->group_id_count)
			archive->group_id_count = (size_t)flow->groups.items[i].id + 1;
	if (archive->group_id_count > MOST_GROUP_IDS)
		return error_set(err, STATUS_LIMIT, "ids of groups above %d", MOST_GROUP_IDS);
	TRY(allocate(&archive->group_ids, archive->group_id_count, sizeof(uint32_t), err));
	memset(archive->group_ids, 0xff, archive->group_id_count * sizeof(uint32_t));
	for (size_t i = 0; i < flow->groups.count; i++)
		archive->group_ids[flow->groups.items[i].id] = (uint32_t)i;
	/* In the order of their ids in the trace. */
	for (size_t id = 0; id < archive->group_id_count; id++) {
		const struct flow_group *group;
		struct trace_group_definition made = {0};

		if (archive->group_ids[id] == UINT32_MAX)
			continue;
		group = &flow->groups.items[archive->group_ids[id]];
		archive->group_ids[id] = FIRST_OWN_GROUP_ID + (uint32_t)archive->groups.count;
		made.member_count = (uint32_t)group->members.count;
		TRY(add_list(archive, group->members.items, made.member_count, &made.members, err));
		TRY(array_push(&archive->groups, made, err));
	}
	return 0;
}

static int make_definitions(struct archive *archive, struct error *err)
{
	const struct trace_world *world = &archive->flow->world;
	uint32_t empty;

	TRY(string_table_add(&archive->strings, "", 0, &empty, err));
	TRY(allocate(&archive->comm_ids, world->comm_count, sizeof(uint32_t), err));
	TRY(allocate(&archive->window_ids, world->window_count, sizeof(uint32_t), err));
	TRY(allocate(&archive->sites, archive->flow->strings.starts.count, sizeof(uint32_t), err));
	TRY(allocate(&archive->writers, world->rank_count, sizeof(struct trace_writer *), err));
	TRY(allocate(&archive->ranks, world->rank_count, sizeof *archive->ranks, err));
	for (uint32_t i = 0; i < world->comm_count; i++)
		TRY(add_comm(archive, i, err));
	for (uint32_t i = 0; i < world->window_count; i++) {
		const struct trace_window *window = &world->windows[i];
		const struct trace_window_definition made = {
			.name = window->name ? window->name : "",
			.comm = window->defined ? archive->comm_ids[window->comm] : COMM_ID_WORLD};

		archive->window_ids[i] = i;
		TRY(array_push(&archive->windows, made, err));
	}
	return add_groups(archive, err);
}

/* ------------------------------------------------------------------------- calls */

static int archive_site(struct archive *archive, uint32_t string, uint32_t *number,
			struct error *err)
{
	if (archive->sites[string] == UINT32_MAX)
		TRY(trace_writer_site(archive->writer,
				      string_table_get(&archive->flow->strings, string),
				      &archive->sites[string], err));
	*number = archive->sites[string];
	return 0;
}

/* Write that recording is off.  It goes on only before another call: else the run ended without it. */
static int switch_off(struct archive *archive, const struct mpi_call *call, struct error *err)
{
	archive->complete = false;
	archive->on_ns.items[call->thread] = call->leave_ns;
	return trace_writer_switch(archive->writer, call->thread, call->enter_ns, false, err);
}

static int switch_on(struct archive *archive, uint32_t thread, struct error *err)
{
	uint64_t on_ns;

	while (archive->on_ns.count <= thread)
		TRY(array_push(&archive->on_ns, 0, err));
	on_ns = archive->on_ns.items[thread];
	archive->on_ns.items[thread] = 0;
	return on_ns ? trace_writer_switch(archive->writer, thread, on_ns, true, err) : 0;
}

static int archive_call(struct archive *archive, const struct mpi_call *call, struct error *err)
{
	const struct mpi_function *function;
	struct mpi_call copy = *call;

	if (call->leave_ns > archive->end_ns)
		archive->end_ns = call->leave_ns;
	TRY(switch_on(archive, call->thread, err));
	if (!strcmp(call->function, RECORDING_OFF))
		return switch_off(archive, call, err);
	function = mpi_function_find(call->function);
	if (!function)
		return error_set(err, STATUS_LIMIT,
				 "%s is a function that archives of llamp-trace do not have",
				 call->function);
	if (call->site != NO_SITE)
		TRY(archive_site(archive, call->site, &copy.site, err));
	return trace_writer_call(archive->writer, call->thread,
				 (unsigned)(function - mpi_functions), &copy, err);
}

/* Check whether the next call is in a recorded window. */
static bool is_recorded(struct archive *archive)
{
	const struct flow_rank *rank = &archive->flow->ranks[archive->rank];
	const uint64_t call = archive->call++;
	const struct flow_window *window;

	for (; archive->window < rank->recorded.count; archive->window++) {
		window = &rank->recorded.items[archive->window];
		if (call < window->first_call)
			return false;
		if (call - window->first_call < window->calls)
			return true;
	}
	return false;
}

/* Switch the recording of a thread on where the call before ended, or off. */
static int switch_to(struct archive *archive, uint32_t number, bool on, struct error *err)
{
	const uint64_t begin_ns = archive->flow->world.begin_ns;
	struct archive_thread *thread = &archive->threads.items[number];

	if (thread->on == on)
		return 0;
	if (on && !thread->was_on)
		TRY(trace_writer_switch(archive->writer, number, begin_ns, false, err));
	thread->on = on;
	thread->was_on = true;
	archive->complete = false;
	return trace_writer_switch(archive->writer, number, thread->last_ns, on, err);
}

/* Take a call: write it if it is in a window, or if there are none. */
static int archive_receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct archive *archive = data;
	bool recorded;

	if (!archive->only)
		return archive_call(archive, call, err);
	while (archive->threads.count <= call->thread) {
		const struct archive_thread begin = {.last_ns = archive->flow->world.begin_ns};

		TRY(array_push(&archive->threads, begin, err));
	}
	recorded = is_recorded(archive);
	TRY(switch_to(archive, call->thread, recorded, err));
	archive->threads.items[call->thread].last_ns = call->leave_ns;
	return recorded ? archive_call(archive, call, err) : 0;
}

static uint32_t threads_of(const struct archive *archive, uint32_t rank)
{
	const size_t threads = archive->flow->ranks[rank].threads.count;

	return threads ? (uint32_t)threads : 1;
}

static int write_rank(struct archive *archive, uint32_t rank, struct error *err)
{
	const struct trace_world *world = &archive->flow->world;
	const struct trace_place place = {rank, world->rank_count, threads_of(archive, rank)};

	memset(archive->sites, 0xff, archive->flow->strings.starts.count * sizeof(uint32_t));
	archive->end_ns = world->begin_ns;
	archive->on_ns.count = archive->threads.count = archive->window = 0;
	archive->call = 0;
	archive->rank = rank;
	TRY(trace_writer_open(&archive->writers[rank], archive->directory, &place, world->begin_ns,
			      err));
	archive->writer = archive->writers[rank];
	TRY(flow_recover(archive->flow, rank, archive_receive, archive, err));
	TRY(trace_writer_end(archive->writer, archive->end_ns, &archive->ranks[rank], err));
	archive->ranks[rank].host = "";
	archive->ranks[rank].cpus = "";
	if (world->nodes && world->host_count)
		archive->ranks[rank].host = world->hosts[world->nodes[rank]].name;
	return 0;
}

/* Number the strings of a rank among those of all. */
static int map_rank(struct archive *archive, uint32_t rank, uint32_t *strings, struct error *err)
{
	const struct string_table *own = trace_writer_strings(archive->writers[rank]);
	const struct trace_maps maps = {.strings = strings,
					.comms = archive->comm_ids,
					.windows = archive->window_ids,
					.groups = archive->group_ids,
					.comm_count = archive->flow->world.comm_count,
					.window_count = archive->flow->world.window_count,
					.group_count = archive->group_id_count};

	for (uint32_t i = 0; i < own->starts.count; i++) {
		const char *text = string_table_get(own, i);

		TRY(string_table_add(&archive->strings, text, strlen(text), &strings[i], err));
	}
	return trace_writer_map(archive->writers[rank], &maps, err);
}

static int number_property(struct archive *archive, const char *name, uint64_t number,
			   struct error *err)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	return trace_writer_property(archive->writers[0], name, text, err);
}

static int define(struct archive *archive, struct error *err)
{
	const struct trace_world *world = &archive->flow->world;
	const struct trace_definitions all = {.rank_count = world->rank_count,
					      .ranks = archive->ranks,
					      .strings = &archive->strings,
					      .comms = archive->comms.items,
					      .comm_count = (uint32_t)archive->comms.count,
					      .windows = archive->windows.items,
					      .window_count = (uint32_t)archive->windows.count,
					      .groups = archive->groups.items,
					      .group_count = (uint32_t)archive->groups.count,
					      .complete = archive->complete,
					      .has_sites = world->has_sites};

	TRY(trace_writer_define(archive->writers[0], &all, err));
	if (world->incomplete)
		TRY(trace_writer_property(archive->writers[0], "INCOMPLETE", "1", err));
	if (archive->only) {
		TRY(number_property(archive, "FIRST_ITERATION", archive->only->first, err));
		TRY(number_property(archive, "ITERATIONS", archive->only->count, err));
	}
	if (world->synthetic_times)
		TRY(trace_writer_property(archive->writers[0], "SYNTHETIC_TIMES", "1", err));
	return 0;
}

static int write_all(struct archive *archive, struct error *err)
{
	const uint32_t ranks = archive->flow->world.rank_count;

	TRY(make_definitions(archive, err));
	for (uint32_t r = 0; r < ranks; r++)
		TRY(write_rank(archive, r, err));
	for (uint32_t r = 0; r < ranks; r++) {
		uint32_t *strings;
		int result;

		TRY(allocate(&strings, trace_writer_strings(archive->writers[r])->starts.count,
			     sizeof *strings, err));
		result = map_rank(archive, r, strings, err);
		free(strings);
		TRY(result);
	}
	TRY(define(archive, err));
	for (uint32_t r = ranks; r-- > 0;) {
		struct trace_writer *writer = archive->writers[r];

		archive->writers[r] = NULL;
		TRY(trace_writer_close(writer, err));
	}
	return 0;
}

static void release_archive(struct archive *archive)
{
	for (size_t i = 0; i < archive->lists.count; i++)
		free(archive->lists.items[i]);
	array_release(&archive->lists);
	array_release(&archive->on_ns);
	array_release(&archive->threads);
	array_release(&archive->comms);
	array_release(&archive->windows);
	array_release(&archive->groups);
	string_table_release(&archive->strings);
	free(archive->comm_ids);
	free(archive->window_ids);
	free(archive->group_ids);
	free(archive->sites);
	free(archive->writers);
	free(archive->ranks);
}

int flow_write_archive(const struct flow *flow, const char *directory,
		       const struct cut_iterations *only, struct error *err)
{
	struct archive archive = {
		.flow = flow, .directory = directory, .only = only, .complete = true};
	struct error first;
	int result = write_all(&archive, &first);

	if (result < 0) {
		*err = first;
		/* A folder that holds an archive already stays as it is. */
		if (archive.writers && archive.writers[0])
			for (uint32_t r = flow->world.rank_count; r-- > 0;)
				trace_writer_remove(directory, r, threads_of(&archive, r));
	}
	release_archive(&archive);
	return result;
}
