#include "llamp/network/topology_survey.h"

#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "llamp/network/topology_kind.h"

#include <string.h>

/* ---------------------------------------------------------------------- pairs */

struct groups {
	ARRAY(struct route_group) list;
};

struct work {
	const struct topology *topology;
	struct groups found;	/* of all sources */
	struct topology_symmetry symmetry;
	uint32_t looked_at;	/* sources */
};

/* Add pairs to those with the same number of links. */
static int add_pairs(struct groups *groups, size_t links, const struct route_group *pairs,
		     struct error *err)
{
	struct route_group *group;

	while (groups->list.count <= links)
		TRY(array_push(&groups->list, (struct route_group){0}, err));
	group = &groups->list.items[links];
	if (!group->pairs || pairs->least_as < group->least_as)
		group->least_as = pairs->least_as;
	group->most_as = pairs->most_as > group->most_as ? pairs->most_as : group->most_as;
	group->sum_as += pairs->sum_as;
	group->pairs += pairs->pairs;
	return 0;
}

/* Add `count` pairs of hosts whose routes are like that between two hosts. */
static int add_route(struct groups *groups, const struct topology *topology, uint32_t from,
		     uint32_t to, uint64_t count, struct error *err)
{
	struct route route;
	__int128 as;

	topology_route(topology, from, to, &route);
	as = topology_latency(topology, &route);
	return add_pairs(groups, route_links(topology, &route),
			 &(struct route_group){count, as, as, as * (__int128)count}, err);
}

/* Source `item` of those that are looked at.  A sample is spread evenly by the golden ratio. */
static uint32_t nth_source(const struct work *work, uint32_t item)
{
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

	if (work->looked_at == work->symmetry.sources)
		return item;
	return (uint32_t)(((item * golden) >> 32) * work->symmetry.sources >> 32);
}

/* Look at the routes of the hosts of a source to all others. */
static int look_at_source(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct work *work = shared;
	const struct topology *topology = work->topology;
	const uint64_t alike = work->symmetry.alike;
	const uint32_t from = (uint32_t)(nth_source(work, item) * work->symmetry.stride * alike);
	struct groups *groups = state;

	groups->list.count = 0;
	if (alike > 1)
		TRY(add_route(groups, topology, from, from + 1, alike * (alike - 1), err));
	for (uint64_t to = 0; to < topology->host_count; to += alike)
		if (to != from)
			TRY(add_route(groups, topology, from, (uint32_t)to, alike * alike, err));
	return 0;
}

static int take_source(void *shared, void *state, uint32_t item, struct error *err)
{
	struct work *work = shared;
	const struct groups *groups = state;

	progress_show(item, work->looked_at);
	for (size_t links = 0; links < groups->list.count; links++)
		if (groups->list.items[links].pairs)
			TRY(add_pairs(&work->found, links, &groups->list.items[links], err));
	return 0;
}

static void release_groups(void *state)
{
	array_release(&((struct groups *)state)->list);
}

/* Scale what was found, each pair from both ends, to all pairs. */
static int scale_pairs(struct topology_survey *survey, const struct work *work, struct error *err)
{
	const __int128 whole = work->topology->host_count / work->symmetry.alike;
	const __int128 part = 2 * (__int128)work->looked_at;

	for (size_t links = 0; links < work->found.list.count; links++) {
		struct route_group group = work->found.list.items[links];

		group.pairs = (uint64_t)((group.pairs * whole + part / 2) / part);
		group.sum_as = group.sum_as * whole / part;
		survey->pairs += group.pairs;
		TRY(array_push(&survey->groups, group, err));
		if (!group.pairs)
			continue;
		survey->distances++;
		survey->diameter_links = (uint32_t)links;
		if (group.most_as > survey->diameter_as)
			survey->diameter_as = group.most_as;
		survey->sum_as += group.sum_as;
		survey->sum_links += (double)links * (double)group.pairs;
	}
	return 0;
}

static int look_at_pairs(struct topology_survey *survey, const struct topology *topology,
			 struct error *err)
{
	struct work shared = {.topology = topology, .symmetry = topology_symmetry_of(topology)};
	const struct parallel_work work = {
		.make = look_at_source,
		.take = take_source,
		.shared = &shared,
		.state_bytes = sizeof(struct groups),
		.release = release_groups,
	};
	const uint64_t routes = topology->host_count / shared.symmetry.alike;
	const uint64_t most = TOPOLOGY_SURVEY_ROUTES / routes + 1;
	int result;

	shared.looked_at = shared.symmetry.sources;
	if (shared.looked_at > most) {
		shared.looked_at = (uint32_t)most;
		survey->sampled_hosts = shared.looked_at * shared.symmetry.alike;
	}
	progress_phase("looking at the routes");
	result = parallel_run(&work, shared.looked_at, parallel_threads(shared.looked_at * routes),
			      err);
	if (result == 0)
		result = scale_pairs(survey, &shared, err);
	array_release(&shared.found.list);
	return result;
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

	progress_phase("computing the bisection");
	while (find_depths(flow)) {
		memcpy(flow->next, flow->first, flow->nodes * sizeof *flow->next);
		for (uint32_t host = 0; host < flow->half; host++) {
			while (fill_path(flow, host))
				sum++;
			progress_show(sum, flow->half);
		}
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
