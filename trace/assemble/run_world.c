#include "trace/assemble/run_world.h"

#include "trace/call/mpi_call.h"
#include "trace/call/string_table.h"
#include "trace/call/trace_hosts.h"

#include <stdlib.h>
#include <string.h>

/*
 * Words: the numbers of ranks, communicators and members of all communicators, then for each
 * communicator its name, the number of its members and the members, and those of the remote group.
 * Then the number of windows, for each its name and communicator; the number of hosts, and for each
 * its name, the number of its ranks, its cores, the rate and rank of its preemptions, and the share and rank of its waiting.
 */

static int pack_members(struct rank_message *message, const uint64_t *members, uint32_t count,
			struct error *err)
{
	TRY(ids_put(message, count, err));
	return ids_put_all(message, members, count, err);
}

/* What trace_hosts_make needs, by rank. */
struct host_lists {
	struct string_table hosts;
	uint32_t *nodes;
	const char **names, **cpus;
	struct preemptions *preemptions;
};

static int list_ranks(struct host_lists *lists, const struct global_ids *all, struct error *err)
{
	const size_t ranks = all->ranks.count;

	TRY(allocate(&lists->nodes, ranks, sizeof *lists->nodes, err));
	TRY(allocate(&lists->names, ranks, sizeof *lists->names, err));
	TRY(allocate(&lists->cpus, ranks, sizeof *lists->cpus, err));
	TRY(allocate(&lists->preemptions, ranks, sizeof *lists->preemptions, err));
	for (size_t i = 0; i < ranks; i++) {
		const char *host = all->ranks.items[i].host;

		TRY(string_table_add(&lists->hosts, host, strlen(host), &lists->nodes[i], err));
		lists->names[i] = host;
		lists->cpus[i] = all->ranks.items[i].cpus;
		lists->preemptions[i] = all->ranks.items[i].preemptions;
	}
	return 0;
}

static int put_hosts(struct rank_message *message, const struct trace_host *hosts, uint32_t count,
		     struct error *err)
{
	TRY(ids_put(message, count, err));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t cores, rate, waited;

		memcpy(&cores, &hosts[i].cores, sizeof cores);
		memcpy(&rate, &hosts[i].preemption_rate, sizeof rate);
		memcpy(&waited, &hosts[i].waited, sizeof waited);
		TRY(ids_put_text(message, hosts[i].name, err));
		TRY(ids_put(message, hosts[i].ranks, err));
		TRY(ids_put(message, cores, err));
		TRY(ids_put(message, rate, err));
		TRY(ids_put(message, hosts[i].preempted_rank, err));
		TRY(ids_put(message, waited, err));
		TRY(ids_put(message, hosts[i].waited_rank, err));
	}
	return 0;
}

int run_world_hosts(const struct global_ids *all, struct trace_host **hosts, uint32_t *count,
		    struct error *err)
{
	struct host_lists lists = {0};
	int result = list_ranks(&lists, all, err);
	const struct trace_world world = {.rank_count = (uint32_t)all->ranks.count,
					  .nodes = lists.nodes};

	if (result == 0)
		result = trace_hosts_make(hosts, count, &world, lists.names, lists.cpus,
					  lists.preemptions, err);
	free(lists.nodes);
	free(lists.names);
	free(lists.cpus);
	free(lists.preemptions);
	string_table_release(&lists.hosts);
	return result;
}

int run_world_nodes(const struct global_ids *all, uint32_t *nodes, struct error *err)
{
	struct string_table hosts = {0};
	int result = 0;

	for (size_t i = 0; result == 0 && i < all->ranks.count; i++)
		result = string_table_add(&hosts, all->ranks.items[i].host,
					  strlen(all->ranks.items[i].host), &nodes[i], err);
	string_table_release(&hosts);
	return result;
}

static int pack_hosts(struct rank_message *message, const struct global_ids *all, struct error *err)
{
	struct trace_host *hosts = NULL;
	uint32_t count;
	int result = run_world_hosts(all, &hosts, &count, err);

	if (result == 0)
		result = put_hosts(message, hosts, count, err);
	free(hosts);
	return result;
}

static int pack_windows(struct rank_message *message, const struct global_ids *all,
			struct error *err)
{
	TRY(ids_put(message, all->windows.count, err));
	for (size_t i = 0; i < all->windows.count; i++) {
		TRY(ids_put_text(message, all->windows.items[i].name, err));
		TRY(ids_put(message, all->windows.items[i].comm, err));
	}
	return 0;
}

int run_world_pack(struct rank_message *message, const struct global_ids *all, struct error *err)
{
	uint64_t members = all->ranks.count;

	for (size_t i = 0; i < all->comms.count; i++)
		members += (uint64_t)all->comms.items[i].member_count +
			   all->comms.items[i].remote_member_count;
	TRY(ids_put(message, all->ranks.count, err));
	TRY(ids_put(message, all->comms.count, err));
	TRY(ids_put(message, members, err));
	for (size_t i = 0; i < all->comms.count; i++) {
		const struct trace_comm_definition *comm = &all->comms.items[i];

		TRY(ids_put_text(message, comm->name, err));
		TRY(pack_members(message, comm->members, comm->member_count, err));
		TRY(pack_members(message, comm->remote_members, comm->remote_member_count, err));
	}
	TRY(pack_windows(message, all, err));
	return pack_hosts(message, all, err);
}

/* Copy members to *ranks, which moves on.  NULL if there are none. */
static const uint32_t *unpack_members(const uint64_t **at, uint32_t *count, uint32_t **ranks)
{
	uint32_t *members = *ranks;

	*count = (uint32_t)ids_get_word(at);
	for (uint32_t i = 0; i < *count; i++)
		*(*ranks)++ = (uint32_t)ids_get_word(at);
	return *count ? members : NULL;
}

static bool is_identity(const struct trace_comm *comm, uint32_t rank_count)
{
	if (comm->inter || comm->size != rank_count)
		return false;
	for (uint32_t i = 0; i < rank_count; i++)
		if (comm->ranks[i] != i)
			return false;
	return true;
}

static void unpack_comm(struct run_world *world, uint32_t id, const uint64_t **at, uint32_t **ranks)
{
	struct trace_comm *comm = &world->comms[id];

	comm->defined = true;
	comm->name = ids_get_text(at);
	comm->ranks = unpack_members(at, &comm->size, ranks);
	comm->remote_ranks = unpack_members(at, &comm->remote_size, ranks);
	comm->inter = comm->remote_ranks != NULL;
	comm->identity = is_identity(comm, world->world.rank_count);
	/* As readers of the archive choose it. */
	if (comm->identity && !strcmp(comm->name, "MPI_COMM_WORLD"))
		world->world.world_comm = id;
}

static int unpack_windows(struct run_world *world, const uint64_t **at, struct error *err)
{
	const uint32_t count = (uint32_t)ids_get_word(at);

	TRY(allocate(&world->windows, count, sizeof *world->windows, err));
	for (uint32_t i = 0; i < count; i++) {
		world->windows[i] = (struct trace_window){.defined = true,
							  .name = ids_get_text(at)};
		world->windows[i].comm = (uint32_t)ids_get_word(at);
	}
	world->world.windows = world->windows;
	world->world.window_count = count;
	return 0;
}

static int unpack_hosts(struct run_world *world, const uint64_t **at, struct error *err)
{
	const uint32_t count = (uint32_t)ids_get_word(at);

	TRY(allocate(&world->hosts, count, sizeof *world->hosts, err));
	for (uint32_t i = 0; i < count; i++) {
		struct trace_host *host = &world->hosts[i];

		host->name = ids_get_text(at);
		host->ranks = (uint32_t)ids_get_word(at);
		memcpy(&host->cores, ids_get(at, 1), sizeof host->cores);
		memcpy(&host->preemption_rate, ids_get(at, 1), sizeof host->preemption_rate);
		host->preempted_rank = (uint32_t)ids_get_word(at);
		memcpy(&host->waited, ids_get(at, 1), sizeof host->waited);
		host->waited_rank = (uint32_t)ids_get_word(at);
	}
	world->world.hosts = world->hosts;
	world->world.host_count = count;
	return 0;
}

int run_world_unpack(struct run_world *world, const uint64_t *words, struct error *err)
{
	const uint32_t rank_count = (uint32_t)ids_get_word(&words);
	const uint32_t comm_count = (uint32_t)ids_get_word(&words) + FIRST_OWN_COMM_ID;
	uint32_t *ranks;

	*world = (struct run_world){.world = {.rank_count = rank_count,
					      .comm_count = comm_count,
					      .world_comm = COMM_ID_WORLD,
					      .has_counts = true,
					      .has_probes = true}};
	TRY(allocate(&world->ranks, ids_get_word(&words), sizeof *world->ranks, err));
	if (allocate(&world->comms, comm_count, sizeof *world->comms, err) < 0) {
		run_world_release(world);
		return -1;
	}
	ranks = world->ranks;
	for (uint32_t i = 0; i < rank_count; i++)
		*ranks++ = i;
	world->world.comms = world->comms;
	world->comms[COMM_ID_WORLD] = (struct trace_comm){.defined = true,
							  .identity = true,
							  .name = "MPI_COMM_WORLD",
							  .size = rank_count,
							  .ranks = world->ranks};
	world->comms[COMM_ID_SELF] = (struct trace_comm){.defined = true,
							 .self = true,
							 .name = "MPI_COMM_SELF",
							 .size = 1};
	for (uint32_t id = FIRST_OWN_COMM_ID; id < comm_count; id++)
		unpack_comm(world, id, &words, &ranks);
	if (unpack_windows(world, &words, err) == 0 && unpack_hosts(world, &words, err) == 0)
		return 0;
	run_world_release(world);
	return -1;
}

void run_world_release(struct run_world *world)
{
	free(world->comms);
	free(world->windows);
	free(world->hosts);
	free(world->ranks);
	*world = (struct run_world){0};
}
