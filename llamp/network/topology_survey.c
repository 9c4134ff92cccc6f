#include "llamp/network/topology_survey.h"

#include "common/parallel.h"
#include "common/progress.h"

#include <string.h>

/* ---------------------------------------------------------------------- pairs */

/* Hosts whose routes are looked at in one go. */
enum { CHUNK = 64 };

struct groups {
	ARRAY(struct route_group) list;
};

struct work {
	const struct topology *topology;
	struct topology_survey *survey;
};

static int add_group(struct groups *groups, uint32_t links, __int128 as, struct error *err)
{
	struct route_group *group;

	while (groups->list.count <= links)
		TRY(array_push(&groups->list, (struct route_group){0}, err));
	group = &groups->list.items[links];
	if (!group->pairs || as < group->least_as)
		group->least_as = as;
	group->most_as = as > group->most_as ? as : group->most_as;
	group->sum_as += as;
	group->pairs++;
	return 0;
}

static int look_at_chunk(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct topology *topology = ((struct work *)shared)->topology;
	struct groups *groups = state;
	const uint32_t end = (item + 1) * CHUNK < topology->host_count ? (item + 1) * CHUNK
								       : topology->host_count;

	groups->list.count = 0;
	for (uint32_t from = item * CHUNK; from < end; from++) {
		for (uint32_t to = from + 1; to < topology->host_count; to++) {
			struct route route;

			topology_route(topology, from, to, &route);
			TRY(add_group(groups, route_links(topology, &route),
				      topology_latency(topology, &route), err));
		}
	}
	return 0;
}

static int take_chunk(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct work *work = shared;
	struct topology_survey *survey = work->survey;
	const struct groups *groups = state;

	progress_show((uint64_t)item * CHUNK, work->topology->host_count);
	for (size_t links = 0; links < groups->list.count; links++) {
		const struct route_group *found = &groups->list.items[links];
		struct route_group *group;

		while (survey->groups.count <= links)
			TRY(array_push(&survey->groups, (struct route_group){0}, err));
		group = &survey->groups.items[links];
		if (found->pairs && (!group->pairs || found->least_as < group->least_as))
			group->least_as = found->least_as;
		group->most_as = found->most_as > group->most_as ? found->most_as : group->most_as;
		group->sum_as += found->sum_as;
		group->pairs += found->pairs;
		survey->pairs += found->pairs;
	}
	return 0;
}

static void release_groups(void *state)
{
	array_release(&((struct groups *)state)->list);
}

static int look_at_pairs(struct topology_survey *survey, const struct topology *topology,
			 struct error *err)
{
	struct work shared = {topology, survey};
	const struct parallel_work work = {
		.make = look_at_chunk,
		.take = take_chunk,
		.shared = &shared,
		.state_bytes = sizeof(struct groups),
		.release = release_groups,
	};
	const uint64_t hosts = topology->host_count;

	return parallel_run(&work, (uint32_t)((hosts - 1) / CHUNK + 1),
			    parallel_threads(hosts * hosts / 2), err);
}

/* ------------------------------------------------------------------- bisection */

/*
 * Largest flow from the first half of the hosts to the second, where each link carries 1 in
 * either direction (Dinic's algorithm: as many shortest paths as possible at a time).  An arc and
 * the one back follow each other, so the one back of arc i is i ^ 1.
 */
struct flow {
	uint32_t nodes, half, hosts;
	uint32_t *first;	/* [node]: first of its arcs in `arcs` */
	uint32_t *arcs;		/* numbers of arcs, by the node where they begin */
	uint32_t *to;		/* [arc] */
	int8_t *room;		/* [arc]: what it can still carry */
	uint32_t *depth;	/* [node]: + 1; 0: not reached */
	uint32_t *next;		/* [node]: the next of its arcs to try */
	uint32_t *path;		/* arcs from a source; also the queue of nodes */
};

static bool is_sink(const struct flow *flow, uint32_t node)
{
	return node >= flow->half && node < flow->hosts;
}

/* Find the depths of nodes from the first half.  False if no host of the second is reached. */
static bool find_depths(struct flow *flow)
{
	uint32_t taken = 0, count = 0;
	bool reached = false;

	memset(flow->depth, 0, flow->nodes * sizeof *flow->depth);
	for (uint32_t host = 0; host < flow->half; host++) {
		flow->depth[host] = 1;
		flow->path[count++] = host;
	}
	while (taken < count) {
		const uint32_t node = flow->path[taken++];

		reached |= is_sink(flow, node);
		for (uint32_t i = flow->first[node]; i < flow->first[node + 1]; i++) {
			const uint32_t arc = flow->arcs[i], to = flow->to[arc];

			if (!flow->room[arc] || flow->depth[to])
				continue;
			flow->depth[to] = flow->depth[node] + 1;
			flow->path[count++] = to;
		}
	}
	return reached;
}

/* Find one more path from a host that goes one deeper with each arc, and fill it. */
static bool fill_path(struct flow *flow, uint32_t host)
{
	uint32_t node = host, length = 0;

	while (!is_sink(flow, node)) {
		const uint32_t i = flow->next[node];

		if (i == flow->first[node + 1]) {
			if (!length)
				return false;
			/* A dead end: go back, and past the arc to here. */
			node = flow->to[flow->path[--length] ^ 1];
			flow->next[node]++;
			continue;
		}
		if (flow->room[flow->arcs[i]] &&
		    flow->depth[flow->to[flow->arcs[i]]] == flow->depth[node] + 1) {
			flow->path[length++] = flow->arcs[i];
			node = flow->to[flow->arcs[i]];
		} else {
			flow->next[node]++;
		}
	}
	while (length > 0) {
		flow->room[flow->path[--length]]--;
		flow->room[flow->path[length] ^ 1]++;
	}
	return true;
}

static uint64_t largest_flow(struct flow *flow)
{
	uint64_t sum = 0;

	while (find_depths(flow)) {
		memcpy(flow->next, flow->first, flow->nodes * sizeof *flow->next);
		for (uint32_t host = 0; host < flow->half; host++)
			while (fill_path(flow, host))
				sum++;
	}
	return sum;
}

static int list_arcs(struct flow *flow, const struct links *links, struct error *err)
{
	TRY(allocate(&flow->first, (size_t)flow->nodes + 1, sizeof *flow->first, err));
	TRY(allocate(&flow->arcs, 2 * links->count, sizeof *flow->arcs, err));
	TRY(allocate(&flow->to, 2 * links->count, sizeof *flow->to, err));
	TRY(allocate(&flow->room, 2 * links->count, sizeof *flow->room, err));
	TRY(allocate(&flow->depth, flow->nodes, sizeof *flow->depth, err));
	TRY(allocate(&flow->next, flow->nodes, sizeof *flow->next, err));
	TRY(allocate(&flow->path, flow->nodes, sizeof *flow->path, err));
	memset(flow->room, 1, 2 * links->count);
	for (size_t i = 0; i < links->count; i++) {
		flow->to[2 * i] = links->items[i].to;
		flow->to[2 * i + 1] = links->items[i].from;
		flow->first[links->items[i].from]++;
		flow->first[links->items[i].to]++;
	}
	for (uint32_t node = 1; node <= flow->nodes; node++)
		flow->first[node] += flow->first[node - 1];
	for (size_t arc = 2 * links->count; arc-- > 0;)
		flow->arcs[--flow->first[flow->to[arc ^ 1]]] = (uint32_t)arc;
	return 0;
}

static int find_bisection(struct topology_survey *survey, const struct topology *topology,
			  const struct links *links, struct error *err)
{
	struct flow flow = {.nodes = topology->host_count + topology->switch_count,
			    .half = topology->host_count / 2,
			    .hosts = topology->host_count};
	int result;

	survey->bisection = UINT64_MAX;
	if (links->count > TOPOLOGY_BISECTION_LINKS)
		return 0;
	result = list_arcs(&flow, links, err);
	if (result == 0)
		survey->bisection = largest_flow(&flow);
	free(flow.first);
	free(flow.arcs);
	free(flow.to);
	free(flow.room);
	free(flow.depth);
	free(flow.next);
	free(flow.path);
	return result;
}

/* --------------------------------------------------------------------- survey */

static int look_at_links(struct topology_survey *survey, const struct topology *topology,
			 struct error *err)
{
	struct links links;
	int result;

	TRY(topology_links(topology, &links, err));
	survey->link_count = links.count;
	for (size_t i = 0; i < links.count; i++)
		survey->links[links.items[i].class]++;
	result = find_bisection(survey, topology, &links, err);
	array_release(&links);
	return result;
}

int topology_survey_find(struct topology_survey *survey, const struct topology *topology,
			 struct error *err)
{
	*survey = (struct topology_survey){0};
	if (look_at_links(survey, topology, err) == 0 &&
	    look_at_pairs(survey, topology, err) == 0)
		return 0;
	topology_survey_release(survey);
	return -1;
}

void topology_survey_release(struct topology_survey *survey)
{
	array_release(&survey->groups);
}
