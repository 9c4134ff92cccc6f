#include "trace/call/trace_hosts.h"

#include "common/array.h"
#include "common/machine/cpus.h"
#include "common/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks in the order of their nodes: those of node n are ranks[first[n]] to ranks[first[n + 1]]. */
struct ranks_by_node {
	uint32_t *first, *ranks;
};

static uint32_t count_nodes(const struct trace_world *world)
{
	uint32_t count = 0;

	for (uint32_t rank = 0; rank < world->rank_count; rank++)
		if (world->nodes[rank] >= count)
			count = world->nodes[rank] + 1;
	return count;
}

static int sort_ranks(struct ranks_by_node *by_node, uint32_t nodes,
		      const struct trace_world *world, struct error *err)
{
	uint32_t *first;

	TRY(allocate(&by_node->first, (size_t)nodes + 2, sizeof *first, err));
	TRY(allocate(&by_node->ranks, world->rank_count, sizeof *by_node->ranks, err));
	/* One place further on, so that filling moves each to its own. */
	first = by_node->first + 1;
	for (uint32_t rank = 0; rank < world->rank_count; rank++)
		first[world->nodes[rank] + 1]++;
	for (uint32_t node = 0; node < nodes; node++)
		first[node + 1] += first[node];
	for (uint32_t rank = 0; rank < world->rank_count; rank++)
		by_node->ranks[first[world->nodes[rank]]++] = rank;
	return 0;
}

/* Cores that all ranks of a host may use; 0 if they are not known of one rank. */
static double cores_of(const uint32_t *ranks, uint32_t count, const char *const *texts,
		       struct cpus *cpus)
{
	*cpus = (struct cpus){0};
	for (uint32_t i = 0; i < count; i++)
		if (!cpus_add(cpus, texts[ranks[i]]))
			return 0;
	return cpus_count(cpus);
}

/* Find the rank of the thread that waited longest for a core, and the one that was preempted most of those that do not tell how long they waited. */
static void find_preempted(struct trace_host *host, const uint32_t *ranks,
			   const struct preemptions *preemptions)
{
	host->waited_rank = host->preempted_rank = ranks[0];
	for (uint32_t i = 0; i < host->ranks; i++) {
		const double waited = preemptions_waited(&preemptions[ranks[i]]);
		const double rate = waited < 0 ? preemptions_rate(&preemptions[ranks[i]]) : 0;

		if (waited > host->waited) {
			host->waited = waited;
			host->waited_rank = ranks[i];
		}
		if (rate > host->preemption_rate) {
			host->preemption_rate = rate;
			host->preempted_rank = ranks[i];
		}
	}
}

static int make(struct trace_host *hosts, uint32_t count, const struct trace_world *world,
		const char *const *names, const char *const *texts,
		const struct preemptions *preemptions, struct error *err)
{
	struct ranks_by_node by_node = {0};
	struct cpus cpus;
	int result = sort_ranks(&by_node, count, world, err);

	for (uint32_t node = 0; result == 0 && node < count; node++) {
		const uint32_t first = by_node.first[node];
		struct trace_host *host = &hosts[node];

		host->ranks = by_node.first[node + 1] - first;
		host->name = host->ranks ? names[by_node.ranks[first]] : "";
		host->cores = cores_of(by_node.ranks + first, host->ranks, texts, &cpus);
		if (host->ranks)
			find_preempted(host, by_node.ranks + first, preemptions);
	}
	free(by_node.first);
	free(by_node.ranks);
	return result;
}

int trace_hosts_make(struct trace_host **hosts, uint32_t *count, const struct trace_world *world,
		     const char *const *names, const char *const *cpus,
		     const struct preemptions *preemptions, struct error *err)
{
	*hosts = NULL;
	*count = 0;
	if (!world->nodes)
		return 0;
	*count = count_nodes(world);
	TRY(allocate(hosts, *count, sizeof **hosts, err));
	if (make(*hosts, *count, world, names, cpus, preemptions, err) == 0)
		return 0;
	free(*hosts);
	*hosts = NULL;
	return -1;
}

/* Ranks for each core, 0 if the cores are not known. */
static double crowding(const struct trace_host *host)
{
	return host->cores > 0 ? host->ranks / host->cores : 0;
}

/* The host with the most ranks for each core, NULL unless it has more ranks than cores. */
static const struct trace_host *trace_hosts_crowded(const struct trace_world *world)
{
	const struct trace_host *found = NULL;
	double most = 1;

	for (uint32_t i = 0; i < world->host_count; i++)
		if (crowding(&world->hosts[i]) > most) {
			found = &world->hosts[i];
			most = crowding(found);
		}
	return found;
}

/* Write the ranks and cores of a host.  Returns the length. */
static int write_ranks(const struct trace_host *host, char text[static TRACE_HOSTS_TEXT_BYTES])
{
	int length = snprintf(text, TRACE_HOSTS_TEXT_BYTES, "%u rank%s", host->ranks,
			      plural(host->ranks));

	if (host->cores > 0)
		length += snprintf(text + length, TRACE_HOSTS_TEXT_BYTES - (size_t)length,
				   " on %.4g core%s", host->cores, host->cores == 1 ? "" : "s");
	return length;
}

const char *trace_hosts_say_ranks(const struct trace_world *world,
				  char text[static TRACE_HOSTS_TEXT_BYTES])
{
	const struct trace_host *host = trace_hosts_crowded(world);
	uint32_t crowded = 0;
	int length;

	if (!host)
		return NULL;
	for (uint32_t i = 0; i < world->host_count; i++)
		crowded += crowding(&world->hosts[i]) > 1;
	length = write_ranks(host, text);
	if (world->host_count > 1)
		snprintf(text + length, TRACE_HOSTS_TEXT_BYTES - (size_t)length,
			 " of host %.64s (more ranks than cores on %u of %u hosts)", host->name,
			 crowded, world->host_count);
	return text;
}

/* The host with the rank that waited longest for a core, NULL unless that was more than `most` of the run. */
static const struct trace_host *trace_hosts_waited(const struct trace_world *world, double most)
{
	const struct trace_host *found = NULL;

	for (uint32_t i = 0; i < world->host_count; i++)
		if (world->hosts[i].waited > most) {
			found = &world->hosts[i];
			most = found->waited;
		}
	return found;
}

/* The host with the rank that was preempted most, NULL unless that was too often. */
static const struct trace_host *trace_hosts_preempted(const struct trace_world *world)
{
	const struct trace_host *found = NULL;
	double most = TRACE_MOST_PREEMPTIONS;

	for (uint32_t i = 0; i < world->host_count; i++)
		if (world->hosts[i].preemption_rate > most) {
			found = &world->hosts[i];
			most = found->preemption_rate;
		}
	return found;
}

/* Write the ranks and cores of a host, and that other processes or threads ran there.  Returns the length. */
static size_t write_others(const struct trace_world *world, const struct trace_host *host,
			   char text[static TRACE_HOSTS_TEXT_BYTES])
{
	size_t length = (size_t)write_ranks(host, text);

	if (world->host_count > 1)
		length += (size_t)snprintf(text + length, TRACE_HOSTS_TEXT_BYTES - length,
					   " of host %.64s", host->name);
	length += (size_t)snprintf(text + length, TRACE_HOSTS_TEXT_BYTES - length,
				   " with other processes or threads");
	return length;
}

/* Say that a rank waited for a core for more than `most` of the run, or NULL. */
static const char *say_waited(const struct trace_world *world, double most,
			      char text[static TRACE_HOSTS_TEXT_BYTES])
{
	const struct trace_host *host = trace_hosts_waited(world, most);
	size_t length;

	if (!host)
		return NULL;
	length = write_others(world, host, text);
	snprintf(text + length, TRACE_HOSTS_TEXT_BYTES - length,
		 " (a thread of rank %u waited for a core for %.3g %% of the run)",
		 host->waited_rank, 100 * host->waited);
	return text;
}

/* Say that a rank was preempted too often, or NULL. */
static const char *say_preempted(const struct trace_world *world,
				 char text[static TRACE_HOSTS_TEXT_BYTES])
{
	const struct trace_host *host = trace_hosts_preempted(world);
	size_t length;

	if (!host)
		return NULL;
	length = write_others(world, host, text);
	snprintf(text + length, TRACE_HOSTS_TEXT_BYTES - length,
		 " (rank %u was preempted %.3g times a second)", host->preempted_rank,
		 host->preemption_rate);
	return text;
}

const char *trace_hosts_say_shared(const struct trace_world *world,
				   char text[static TRACE_HOSTS_TEXT_BYTES])
{
	return trace_hosts_say_ranks(world, text) ? text
						  : say_waited(world, TRACE_WAITED_SHARED, text);
}

/* Say that ranks had to wait for cores, whatever it was for, or NULL. */
static const char *say_waiting(const struct trace_world *world,
			       char text[static TRACE_HOSTS_TEXT_BYTES])
{
	return trace_hosts_say_ranks(world, text) ? text
						  : say_waited(world, TRACE_MOST_WAITED, text);
}

const char *trace_hosts_say(const struct trace_world *world,
			    char text[static TRACE_HOSTS_TEXT_BYTES])
{
	return say_waiting(world, text) ? text : say_preempted(world, text);
}

const char *trace_hosts_say_times(const struct trace_world *world,
				  char text[static TRACE_HOSTS_TEXT_BYTES])
{
	const bool waited = say_waiting(world, text) != NULL;
	size_t length;

	if (!waited && !say_preempted(world, text))
		return NULL;
	length = strlen(text);
	snprintf(text + length, TRACE_HOSTS_TEXT_BYTES - length,
		 ", whose times %s waiting for a core", waited ? "include" : "may include");
	return text;
}
