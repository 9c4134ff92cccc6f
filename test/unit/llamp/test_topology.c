/* Routes of every kind of topology, against a breadth-first search on its links. */
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include "common/units.h"
#include "llamp/network/topology_survey.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int read_text(struct topology *topology, const char *text, struct error *err)
{
	struct yaml_file file;
	int result;

	if (yaml_text_open(&file, "net.yaml", text, err) < 0)
		return -1;
	result = topology_read(topology, &file, file.root->first, err);
	yaml_file_release(&file);
	return result;
}

/* Open the topology of the kind with the parameters and links. */
static void open_kind(struct topology *topology, const char *kind, const char *parameters,
		      const char *links)
{
	char text[512];
	struct error err = {0};

	snprintf(text, sizeof text, "t: {kind: %s, %s, links: {%s}}", kind, parameters, links);
	MUST(read_text(topology, text, &err));
}

static void open_text(struct topology *topology, const char *text)
{
	struct error err = {0};

	MUST(read_text(topology, text, &err));
}

/* ------------------------------------------------------ breadth-first search */

/* The links at each node, and the search from a host. */
struct search {
	const struct topology *topology;
	struct links links;
	uint32_t nodes, *first, *of;
	uint16_t *distance;
	uint32_t *queue;
	/* Of a dragonfly: a route has one link of this class at most; else no class. */
	uint32_t once;
};

static void open_search(struct search *search, const struct topology *topology, bool one_inter)
{
	struct error err = {0};

	*search = (struct search){.topology = topology, .once = one_inter ? 2 : UINT32_MAX};
	search->nodes = topology->host_count + topology->switch_count;
	MUST(topology_links(topology, &search->links, &err));
	MUST(allocate(&search->first, search->nodes + 1, sizeof *search->first, &err));
	MUST(allocate(&search->of, 2 * search->links.count, sizeof *search->of, &err));
	MUST(allocate(&search->distance, 2 * search->nodes, sizeof *search->distance, &err));
	MUST(allocate(&search->queue, 2 * search->nodes, sizeof *search->queue, &err));
	for (size_t i = 0; i < search->links.count; i++) {
		assert_true(search->links.items[i].from < search->nodes);
		assert_true(search->links.items[i].to < search->nodes);
		search->first[search->links.items[i].from]++;
		search->first[search->links.items[i].to]++;
	}
	for (uint32_t node = 1; node <= search->nodes; node++)
		search->first[node] += search->first[node - 1];
	for (uint32_t i = 0; i < search->links.count; i++) {
		search->of[--search->first[search->links.items[i].from]] = i;
		search->of[--search->first[search->links.items[i].to]] = i;
	}
}

static void close_search(struct search *search)
{
	array_release(&search->links);
	free(search->first);
	free(search->of);
	free(search->distance);
	free(search->queue);
}

/* Find distances from a host, of states: node, + nodes after a link of the class `once`. */
static void search_from(struct search *search, uint32_t host)
{
	uint32_t taken = 0, count = 1;

	memset(search->distance, 0xff, 2 * search->nodes * sizeof *search->distance);
	search->distance[host] = 0;
	search->queue[0] = host;
	while (taken < count) {
		const uint32_t state = search->queue[taken++], node = state % search->nodes;

		for (uint32_t i = search->first[node]; i < search->first[node + 1]; i++) {
			const struct link *link = &search->links.items[search->of[i]];
			uint32_t next = (link->from == node ? link->to : link->from) +
					(state >= search->nodes ? search->nodes : 0);

			if (link->class == search->once)
				next += search->nodes;
			if (next >= 2 * search->nodes || search->distance[next] != UINT16_MAX)
				continue;
			search->distance[next] = (uint16_t)(search->distance[state] + 1);
			search->queue[count++] = next;
		}
	}
}

static uint32_t distance_to(const struct search *search, uint32_t host)
{
	const uint32_t before = search->distance[host];
	const uint32_t after = search->distance[search->nodes + host];

	return before < after ? before : after;
}

/* Whether the network has a link between these nodes, of this class. */
static bool has_link(const struct search *search, const struct hop *hop)
{
	for (uint32_t i = search->first[hop->from]; i < search->first[hop->from + 1]; i++) {
		const struct link *link = &search->links.items[search->of[i]];

		if (link->class == hop->class &&
		    (link->from == hop->from ? link->to : link->from) == hop->to)
			return true;
	}
	return false;
}

/* The links of a route follow each other from one host to the other, as many as it counts. */
static void check_hops(const struct search *search, uint32_t from, uint32_t to,
		       const struct route *route, struct hops *hops)
{
	struct route counted = {.switches = route->switches};
	struct error err = {0};
	uint32_t at = from;

	MUST(topology_hops(search->topology, from, to, hops, &err));
	for (size_t i = 0; i < hops->count; i++) {
		assert_int_equal(hops->items[i].from, at);
		assert_true(has_link(search, &hops->items[i]));
		counted.links[hops->items[i].class]++;
		at = hops->items[i].to;
	}
	assert_int_equal(at, to);
	assert_memory_equal(&counted, route, sizeof counted);
}

static void check_routes(const struct topology *topology, bool one_inter)
{
	struct hops hops = {0};
	struct search search;

	open_search(&search, topology, one_inter);
	for (uint32_t from = 0; from < topology->host_count; from++) {
		search_from(&search, from);
		for (uint32_t to = 0; to < topology->host_count; to++) {
			struct route route;

			topology_route(topology, from, to, &route);
			if (route_links(topology, &route) != distance_to(&search, to))
				fail_msg("%s: %u links from host %u to %u, searched %u",
					 topology_name(topology), route_links(topology, &route),
					 from, to, distance_to(&search, to));
			assert_int_equal(route.switches,
					 from == to ? 0 : route_links(topology, &route) - 1);
			check_hops(&search, from, to, &route, &hops);
		}
	}
	array_release(&hops);
	close_search(&search);
}

static void check_each(const char *kind, const char *const *parameters, const char *links,
		       bool one_inter)
{
	for (; *parameters; parameters++) {
		struct topology topology;

		open_kind(&topology, kind, *parameters, links);
		check_routes(&topology, one_inter);
		topology_release(&topology);
	}
}

static void routes_of_fat_trees_are_shortest(void **state)
{
	static const char *const parameters[] = {
		"radix: 4, levels: 1", "radix: 4, levels: 2", "radix: 4, levels: 3",
		"radix: 8, levels: 3", "radix: 4, levels: 5", "radix: 12, levels: 2, oversubscription: 3",
		"radix: 6, levels: 3, oversubscription: 2", "down: [3], up: [2]",
		"down: [4, 2, 3], up: [1, 2, 2]", "down: [2, 5, 2, 2], up: [2, 1, 3, 1]",
		"down: [1, 1], up: [1, 1]", NULL};

	(void)state;
	check_each("fat-tree", parameters, "wire: 1us", false);
}

static void routes_of_dragonflies_are_minimal(void **state)
{
	static const char *const parameters[] = {
		"groups: 8, routers: 4, hosts: 8", "groups: 1, routers: 5, hosts: 2",
		"groups: 9, routers: 4, hosts: 2, global-links: 2",
		"groups: 3, routers: 4, hosts: 1, global-links: 3",
		"groups: 2, routers: 1, hosts: 3", "groups: 4, routers: 5, hosts: 2, global-links: 1",
		"groups: 5, routers: 2, hosts: 1, global-links: 7", NULL};

	(void)state;
	check_each("dragonfly", parameters, "tc: 1, intra: 1, inter: 1", true);
}

static void routes_of_grids_are_shortest(void **state)
{
	static const char *const parameters[] = {
		"size: [1]", "size: [2], hosts: 3", "size: [7]", "size: [8]", "size: [4, 5, 6]",
		"size: [2, 2, 2, 2, 3]", "size: [1, 9, 1], hosts: 2", "size: [3, 3, 4], hosts: 2",
		"size: [2, 1, 2, 1, 2, 1, 2, 3]", NULL};

	(void)state;
	check_each("torus", parameters, "wire: 1us", false);
	check_each("mesh", parameters, "wire: 1us", false);
	check_each("hyperx", parameters, "wire: 1us", false);
}

static void routes_of_slim_flies_are_shortest_and_never_longer_than_four_links(void **state)
{
	static const struct {
		uint32_t q, ports;
	} cases[] = {{3, 5}, {4, 6}, {5, 7}, {7, 11}, {8, 12}, {9, 13}, {11, 17}, {13, 19}, {16, 24}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint32_t q = cases[i].q;
		struct topology topology;
		struct topology_survey survey;
		struct error err = {0};
		char parameters[32];

		snprintf(parameters, sizeof parameters, "q: %u, hosts: 1", q);
		open_kind(&topology, "slim-fly", parameters, "host: 1, router: 2");
		assert_int_equal(topology.switch_count, 2 * q * q);
		check_routes(&topology, false);
		MUST(topology_survey_find(&survey, &topology, &err));
		assert_int_equal(survey.groups.count, 5);
		assert_int_equal(survey.links[1], q * q * cases[i].ports);
		topology_survey_release(&survey);
		topology_release(&topology);
	}
}

/* ----------------------------------------------------------------- edge lists */

/* Write the links of a topology as an edge list, and read it. */
static void reread(struct topology *copy, const struct topology *topology)
{
	struct error err = {0};
	struct links links;
	char path[256], text[768];
	FILE *file;

	snprintf(path, sizeof path, "%s/links", scratch);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("# a comment\n\n", file);
	for (uint32_t host = 0; host < topology->host_count; host++)
		fprintf(file, host % 3 ? " n%u" : "\nhost n%u", host);
	fputs("\n", file);
	MUST(topology_links(topology, &links, &err));
	for (size_t i = 0; i < links.count; i++)
		fprintf(file, "link n%u\tn%u %s\r\n", links.items[i].to, links.items[i].from,
			topology->classes[links.items[i].class]);
	array_release(&links);
	assert_int_equal(fclose(file), 0);
	snprintf(text, sizeof text, "t: {kind: edges, file: %s, links: {%s: 3, %s: 5, %s: 9}}", path,
		 topology->classes[0], topology->classes[1], topology->classes[2]);
	MUST(read_text(copy, text, &err));
}

static void an_edge_list_has_the_routes_of_the_network_that_it_lists(void **state)
{
	static const char *const networks[] = {
		"t: {kind: fat-tree, radix: 6, levels: 3, links: {host: 3, level2: 5, level3: 9}}",
		"t: {kind: torus, size: [4, 5], hosts: 2, links: {host: 3, dim1: 5, dim2: 9}}",
		"t: {kind: hyperx, size: [4, 5], hosts: 2, links: {host: 3, dim1: 5, dim2: 9}}",
		NULL};
	(void)state;
	for (const char *const *network = networks; *network; network++) {
		struct topology topology, copy;

		open_text(&topology, *network);
		reread(&copy, &topology);
		assert_int_equal(copy.host_count, topology.host_count);
		assert_int_equal(copy.switch_count, topology.switch_count);
		check_routes(&copy, false);
		for (uint32_t from = 0; from < topology.host_count; from++) {
			for (uint32_t to = 0; to < topology.host_count; to++) {
				struct route route, expected;

				topology_route(&topology, from, to, &expected);
				topology_route(&copy, from, to, &route);
				assert_true(topology_latency(&copy, &route) ==
					    topology_latency(&topology, &expected));
			}
		}
		topology_release(&copy);
		topology_release(&topology);
	}
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Two ways of two links: the faster one is taken, by the values of the classes. */
static void of_equally_short_routes_the_one_with_least_latency_is_taken(void **state)
{
	char path[128], text[512];

	(void)state;
	snprintf(path, sizeof path, "%s/links", scratch);
	write_file(path, "host a b\nlink a s slow\nlink s b slow\nlink a t fast\nlink t b fast\n");
	for (int swapped = 0; swapped < 2; swapped++) {
		struct topology topology;
		struct error err = {0};
		struct route route;

		snprintf(text, sizeof text,
			 "t: {kind: edges, file: %s, links: {slow: %d, fast: %d}, switch: 2}", path,
			 swapped ? 1 : 10, swapped ? 10 : 1);
		MUST(read_text(&topology, text, &err));
		topology_route(&topology, 0, 1, &route);
		assert_int_equal(route.links[swapped ? 0 : 1], 2);
		assert_int_equal(route.links[swapped ? 1 : 0], 0);
		assert_true(topology_latency(&topology, &route) == 4 * AS_PER_NS);
		topology_release(&topology);
	}
}

static void a_wrong_edge_list_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"link a b wire\n", "links: no host: name them in lines 'host NAME'"},
		{"host a\nhost a\n", "links:2: a host is named twice"},
		{"link a b wire\nhost a\n", "links:2: a host is named twice, or after"},
		{"host a b\nlink a b\n", "links:2: the class of the link is missing"},
		{"host a b\nlink a\n", "links:2: a name is missing"},
		{"host\n", "links:1: a name is missing"},
		{"host a b\nlink a b wire c\n", "links:2: more words than"},
		{"host a b\nlink a a wire\n", "links:2: a link leads to the node where it begins"},
		{"host a b\nlink a b wi_re\n", "links:2: net.yaml:1:1: a class of links needs a name"},
		{"host a b\nwire a b\n", "links:2: expected 'host NAME' or"},
		{"host a b\n", "do not connect all of its nodes"},
		{"host a b\nlink a s wire\nlink b t wire\n", "do not connect all of its nodes"},
	};
	char path[128], text[512];

	(void)state;
	snprintf(path, sizeof path, "%s/links", scratch);
	snprintf(text, sizeof text, "t: {kind: edges, file: %s, links: {wire: 1}}", path);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct topology topology;
		struct error err = {0};

		write_file(path, cases[i].text);
		assert_int_equal(read_text(&topology, text, &err), -1);
		assert_int_equal(err.status, STATUS_DATA);
		if (!strstr(err.text, cases[i].error))
			fail_msg("'%s' does not contain '%s'", err.text, cases[i].error);
	}
}

/* ----------------------------------------------------------------- the mapping */

static void a_wrong_topology_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"t: fat", "topology: expected 'kind: fat-tree'"},
		{"t: {radix: 4}", "unknown kind of topology ''"},
		{"t: {kind: ring}", "unknown kind of topology 'ring' (expected fat-tree, dragonfly"},
		{"t: {kind: torus, size: [3], radix: 3, links: {wire: 1}}",
		 "a topology of kind torus has no 'radix'"},
		{"t: {kind: torus, links: {wire: 1}}", "needs 'size: [NUMBER, ...]'"},
		{"t: {kind: torus, size: [], links: {wire: 1}}", "needs 'size: [NUMBER, ...]'"},
		{"t: {kind: torus, size: [0], links: {wire: 1}}", "size: "},
		{"t: {kind: torus, size: [70000], links: {wire: 1}}", "the sum of all dimensions"},
		{"t: {kind: torus, size: [3]}", "needs the latency of its links"},
		{"t: {kind: torus, size: [3], links: {host: 1}}", "no latency for class 'dim1'"},
		{"t: {kind: torus, size: [3], links: {host: 1, dim1: 1, dim2: 1}}",
		 "unknown class 'dim2' (expected host, dim1)"},
		{"t: {kind: torus, size: [3], links: {wire: -1}}", "wire: "},
		{"t: {kind: torus, size: [3], links: {wire: 1}, switch: fast}", "switch: "},
		{"t: {kind: fat-tree, radix: 5, levels: 2, links: {wire: 1}}", "5 ports cannot be divided"},
		{"t: {kind: fat-tree, radix: 4, links: {wire: 1}}", "needs 'levels: NUMBER'"},
		{"t: {kind: fat-tree, down: [2, 2], up: [1], links: {wire: 1}}", "up: 1 numbers, but down has 2"},
		{"t: {kind: fat-tree, down: [2], up: [1], radix: 4, links: {wire: 1}}", "has either"},
		{"t: {kind: dragonfly, groups: 9, routers: 2, hosts: 1, global-links: 2, links: {wire: 1}}",
		 "a group has 4 global links, too few for 8 other groups"},
		{"t: {kind: slim-fly, q: 6, links: {wire: 1}}", "q: expected a power of a prime"},
		{"t: {kind: slim-fly, q: 15, links: {wire: 1}}", "q: expected a power of a prime"},
		{"t: {kind: edges, links: {wire: 1}}", "needs 'file: FILE'"},
		{"t: {kind: edges, file: no/such/file, links: {wire: 1}}", "no/such/file"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct topology topology;
		struct error err = {0};

		assert_int_equal(read_text(&topology, cases[i].text, &err), -1);
		assert_int_equal(err.status, STATUS_DATA);
		if (!strstr(err.text, cases[i].error))
			fail_msg("'%s' does not contain '%s'", err.text, cases[i].error);
	}
}

static void refuse_large_list(const char *path, const char *error)
{
	struct topology topology;
	struct error err = {0};
	char text[256];

	snprintf(text, sizeof text, "t: {kind: edges, file: %s, links: {wire: 1}}", path);
	assert_int_equal(read_text(&topology, text, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	if (!strstr(err.text, error))
		fail_msg("'%s' instead of '%s'", err.text, error);
}

static void an_edge_list_with_too_many_switches_or_ports_is_a_limit(void **state)
{
	enum { SWITCHES = 8193, PORTS = 65537 };
	char path[128];
	FILE *file;

	(void)state;
	snprintf(path, sizeof path, "%s/links", scratch);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("host a\nlink a s0 wire\n", file);
	for (int i = 1; i < SWITCHES; i++)
		fprintf(file, "link s%d s%d wire\n", i - 1, i);
	assert_int_equal(fclose(file), 0);
	refuse_large_list(path, "the network has more than 8192 switches and hosts with several links");
	file = fopen(path, "w");
	assert_non_null(file);
	for (int i = 0; i < PORTS; i++)
		fprintf(file, "host h%d\nlink h%d s wire\n", i, i);
	assert_int_equal(fclose(file), 0);
	refuse_large_list(path, "a node has more than 65536 links");
}

static void a_network_that_is_too_large_is_a_limit(void **state)
{
	static const char *const texts[] = {
		"t: {kind: torus, size: [5000, 5000], links: {wire: 1}}",
		"t: {kind: fat-tree, radix: 1000, levels: 8, links: {wire: 1}}",
		"t: {kind: dragonfly, groups: 10000, routers: 10000, hosts: 1, links: {wire: 1}}",
		"t: {kind: dragonfly, groups: 1000, routers: 1000, hosts: 1000, links: {wire: 1}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct topology topology;
		struct error err = {0};

		assert_int_equal(read_text(&topology, texts[i], &err), -1);
		assert_int_equal(err.status, STATUS_LIMIT);
	}
}

/* -------------------------------------------------------------------- figures */

static void latencies_are_those_of_the_links_and_of_one_switch_fewer(void **state)
{
	struct topology topology;
	struct route route;

	(void)state;
	open_text(&topology, "t: {kind: dragonfly, groups: 8, routers: 4, hosts: 8,"
		  " links: {tc: 100, intra: 10ns, inter: 1us}, switch: 7}");
	topology_route(&topology, 0, 255, &route);
	assert_int_equal(route.links[0], 2);
	assert_int_equal(route.links[2], 1);
	assert_true(topology_latency(&topology, &route) ==
		    (2 * 100 + route.links[1] * 10 + 1000 + route.switches * 7) * AS_PER_NS);
	topology_route(&topology, 5, 5, &route);
	assert_true(topology_latency(&topology, &route) == 0);
	topology_release(&topology);
}

/* Figures that are known: full bisection of a fat tree, 2 k^(n-1) links of a torus, ... */
static void the_survey_has_the_known_figures(void **state)
{
	static const struct {
		const char *text;
		uint64_t links, bisection;
		uint32_t diameter;
	} cases[] = {
		{"t: {kind: fat-tree, radix: 8, levels: 3, links: {wire: 1}}", 384, 64, 6},
		{"t: {kind: fat-tree, radix: 8, levels: 2, oversubscription: 3, links: {wire: 1}}",
		 48 + 16, 8, 4},
		{"t: {kind: torus, size: [8, 4], hosts: 4, links: {wire: 1}}", 128 + 64, 8, 8},
		{"t: {kind: mesh, size: [8, 4], hosts: 4, links: {wire: 1}}", 128 + 28 + 24, 4, 12},
		{"t: {kind: hyperx, size: [6], hosts: 9, links: {wire: 1}}", 54 + 15, 9, 3},
		{"t: {kind: dragonfly, groups: 8, routers: 4, hosts: 8, links: {wire: 1}}",
		 256 + 48 + 28, 16, 5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct topology topology;
		struct topology_survey survey;
		struct error err = {0};
		uint64_t pairs = 0;

		open_text(&topology, cases[i].text);
		MUST(topology_survey_find(&survey, &topology, &err));
		assert_int_equal(survey.link_count, cases[i].links);
		assert_int_equal(survey.bisection, cases[i].bisection);
		assert_int_equal(survey.groups.count - 1, cases[i].diameter);
		assert_int_equal(survey.diameter_links, cases[i].diameter);
		for (size_t k = 0; k < survey.groups.count; k++)
			pairs += survey.groups.items[k].pairs;
		assert_int_equal(pairs, survey.pairs);
		assert_int_equal(pairs,
				 (uint64_t)topology.host_count * (topology.host_count - 1) / 2);
		topology_survey_release(&survey);
		topology_release(&topology);
	}
}

/* Count the routes of all pairs one by one. */
static void check_pairs(const struct topology *topology, const struct topology_survey *survey)
{
	struct route_group groups[64] = {{0}};
	__int128 sum_as = 0, most_as = 0;
	double sum_links = 0;
	size_t distances = 0;

	for (uint32_t from = 0; from < topology->host_count; from++) {
		for (uint32_t to = from + 1; to < topology->host_count; to++) {
			struct route_group *group;
			struct route route;
			__int128 as;

			topology_route(topology, from, to, &route);
			as = topology_latency(topology, &route);
			group = &groups[route_links(topology, &route)];
			group->least_as = !group->pairs || as < group->least_as ? as : group->least_as;
			group->most_as = as > group->most_as ? as : group->most_as;
			group->sum_as += as;
			group->pairs++;
		}
	}
	for (size_t links = 0; links < survey->groups.count; links++) {
		const struct route_group *group = &survey->groups.items[links];

		assert_int_equal(group->pairs, groups[links].pairs);
		assert_true(group->least_as == groups[links].least_as);
		assert_true(group->most_as == groups[links].most_as);
		assert_true(group->sum_as == groups[links].sum_as);
		sum_as += group->sum_as;
		sum_links += (double)links * (double)group->pairs;
		most_as = group->most_as > most_as ? group->most_as : most_as;
		distances += group->pairs > 0;
	}
	assert_true(survey->sum_as == sum_as && survey->sum_links == sum_links);
	assert_true(survey->diameter_as == most_as);
	assert_int_equal(survey->distances, distances);
}

static void the_survey_counts_each_pair_of_hosts(void **state)
{
	static const char *const texts[] = {
		"t: {kind: fat-tree, down: [3, 2, 4], up: [1, 2, 3], links: {host: 1, level2: 10, level3: 100}, switch: 7}",
		"t: {kind: fat-tree, down: [1, 5], up: [2, 3], links: {wire: 3}}",
		"t: {kind: torus, size: [4, 5, 3], hosts: 2, links: {host: 1, dim1: 10, dim2: 30, dim3: 70}, switch: 2}",
		"t: {kind: mesh, size: [4, 1, 5], links: {host: 1, dim1: 10, dim2: 30, dim3: 70}}",
		"t: {kind: hyperx, size: [4, 5], hosts: 3, links: {host: 1, dim1: 10, dim2: 30}}",
		"t: {kind: slim-fly, q: 3, links: {host: 1, router: 10}}",
		"t: {kind: slim-fly, q: 4, hosts: 1, links: {host: 1, router: 10}}",
		"t: {kind: slim-fly, q: 5, links: {host: 1, router: 10}, switch: 3}",
		"t: {kind: slim-fly, q: 9, hosts: 2, links: {host: 1, router: 10}}",
		"t: {kind: dragonfly, groups: 1, routers: 3, hosts: 2, links: {tc: 1, intra: 10, inter: 100}}",
		"t: {kind: dragonfly, groups: 7, routers: 3, hosts: 2, links: {tc: 1, intra: 10, inter: 100}}",
		"t: {kind: dragonfly, groups: 5, routers: 4, hosts: 3, global-links: 5, links: {tc: 1, intra: 10, inter: 100}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct topology topology;
		struct topology_survey survey;
		struct error err = {0};

		open_text(&topology, texts[i]);
		MUST(topology_survey_find(&survey, &topology, &err));
		assert_int_equal(survey.sampled_hosts, 0);
		check_pairs(&topology, &survey);
		topology_survey_release(&survey);
		topology_release(&topology);
	}
}

static void a_topology_names_itself_its_nodes_and_its_latencies(void **state)
{
	struct topology topology;
	char text[TOPOLOGY_TEXT_BYTES];

	(void)state;
	open_text(&topology, "t: {kind: torus, size: [3], hosts: 2, links: {host: 1, dim1: 10}}");
	assert_string_equal(topology_description(&topology, text), "torus of 6 hosts");
	assert_string_equal(topology_node_name(&topology, 5, text), "host 5");
	assert_string_equal(topology_node_name(&topology, 6, text), "switch 0");
	assert_string_equal(topology_latency_name(&topology, 1, text), "l_dim1");
	assert_string_equal(topology_latency_name(&topology, 2, text), "d_switch");
	topology_release(&topology);
}

/* A mesh of n switches in a row: its mean distance is (n + 1) / 3. */
static void a_sample_of_hosts_gives_the_shares_of_a_large_network(void **state)
{
	const double hosts = 20000;
	struct topology topology;
	struct topology_survey survey;
	struct error err = {0};
	double links = 0;

	(void)state;
	open_text(&topology, "t: {kind: mesh, size: [20000], links: {wire: 1}}");
	MUST(topology_survey_find(&survey, &topology, &err));
	assert_in_range(survey.sampled_hosts, 100, 10000);
	for (size_t i = 0; i < survey.groups.count; i++)
		links += (double)i * (double)survey.groups.items[i].pairs;
	assert_true(fabs(links / (double)survey.pairs - 2 - (hosts + 1) / 3) < 0.01 * hosts / 3);
	assert_true(fabs((double)survey.pairs - hosts * (hosts - 1) / 2) < hosts);
	assert_int_equal(survey.groups.count - 1, hosts + 1);
	topology_survey_release(&survey);
	topology_release(&topology);
}

static void every_node_has_a_place_in_the_picture(void **state)
{
	static const char *const texts[] = {
		"t: {kind: fat-tree, radix: 8, levels: 3, links: {wire: 1}}",
		"t: {kind: torus, size: [3, 4, 5], hosts: 4, links: {wire: 1}}",
		"t: {kind: slim-fly, q: 5, links: {wire: 1}}",
		"t: {kind: dragonfly, groups: 8, routers: 4, hosts: 8, links: {wire: 1}}",
		"t: {kind: dragonfly, groups: 1, routers: 1, hosts: 8, links: {wire: 1}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct topology topology;

		open_text(&topology, texts[i]);
		for (uint32_t node = 0; node < topology.host_count + topology.switch_count; node++) {
			double x, y;

			topology_place(&topology, node, &x, &y);
			assert_true(x >= -1e-9 && x <= 1 + 1e-9 && y >= -1e-9 && y <= 1 + 1e-9);
		}
		topology_release(&topology);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(routes_of_fat_trees_are_shortest),
		cmocka_unit_test(routes_of_dragonflies_are_minimal),
		cmocka_unit_test(routes_of_grids_are_shortest),
		cmocka_unit_test(
			routes_of_slim_flies_are_shortest_and_never_longer_than_four_links),
		cmocka_unit_test(an_edge_list_has_the_routes_of_the_network_that_it_lists),
		cmocka_unit_test(of_equally_short_routes_the_one_with_least_latency_is_taken),
		cmocka_unit_test(a_wrong_edge_list_is_refused_with_its_line),
		cmocka_unit_test(a_wrong_topology_is_refused_with_its_line),
		cmocka_unit_test(an_edge_list_with_too_many_switches_or_ports_is_a_limit),
		cmocka_unit_test(a_network_that_is_too_large_is_a_limit),
		cmocka_unit_test(latencies_are_those_of_the_links_and_of_one_switch_fewer),
		cmocka_unit_test(the_survey_has_the_known_figures),
		cmocka_unit_test(the_survey_counts_each_pair_of_hosts),
		cmocka_unit_test(a_topology_names_itself_its_nodes_and_its_latencies),
		cmocka_unit_test(a_sample_of_hosts_gives_the_shares_of_a_large_network),
		cmocka_unit_test(every_node_has_a_place_in_the_picture),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
