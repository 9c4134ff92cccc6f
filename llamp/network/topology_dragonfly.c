/*
 * Dragonflies (Kim et al., "Technology-driven, highly-scalable dragonfly topology", 2008).
 *
 * There are `groups` groups of `routers` routers with `hosts` hosts each.  The routers of a group
 * are all linked with each other (intra), and each has `global-links` links to other groups
 * (inter); links of hosts are terminal channels (tc).  Ports of a group are numbered router by
 * router.  Of n groups, port c (n - 1) + d of group i leads to group (i + d + 1) mod n, at whose
 * port c (n - 1) + (n - 2 - d) it ends.  Ports beyond the last full c are not used.
 *
 * Routing is minimal: one link between the two groups, and at most one within each of them.  Of
 * several links between the groups a route takes the first one with fewest links in all.
 */
#include "llamp/network/topology_kind.h"

#include <math.h>

enum { TERMINAL, INTRA, INTER };

struct dragonfly {
	uint32_t groups, routers, hosts, global_links;
	uint32_t copies;	/* links between each two groups */
};

static int read_dragonfly(struct topology *topology, const struct yaml_file *file,
			  const struct yaml_entry *entry, struct error *err)
{
	struct dragonfly *fly;
	uint64_t routers;

	TRY(topology_allocate_shape(topology, sizeof *fly, err));
	fly = topology->shape;
	TRY(topology_number(file, entry, "groups", 1, 0, &fly->groups, err));
	TRY(topology_number(file, entry, "routers", 1, 0, &fly->routers, err));
	TRY(topology_number(file, entry, "hosts", 1, 0, &fly->hosts, err));
	/* By default each group is linked with each other one. */
	TRY(topology_number(file, entry, "global-links", 1,
			    fly->groups > 1 ? (fly->groups - 2) / fly->routers + 1 : 1,
			    &fly->global_links, err));
	routers = (uint64_t)fly->groups * fly->routers;
	if (routers > TOPOLOGY_MOST_HOSTS)
		return topology_set_size(topology, file, entry, UINT64_MAX, routers, err);
	if (fly->groups > 1) {
		const uint64_t ports = (uint64_t)fly->routers * fly->global_links;

		fly->copies = (uint32_t)(ports / (fly->groups - 1));
		if (!fly->copies)
			return yaml_error(file, entry, err, "a group has %llu global links, too few"
					  " for %u other groups", (unsigned long long)ports,
					  fly->groups - 1);
	}
	return topology_set_size(topology, file, entry, routers * fly->hosts, routers, err);
}

/* The port of a group that leads to another one, its c-th. */
static uint64_t port_to(const struct dragonfly *fly, uint32_t group, uint32_t other, uint32_t c)
{
	const uint32_t distance = (other + fly->groups - group - 1) % fly->groups;

	return (uint64_t)c * (fly->groups - 1) + distance;
}

/* The router, in its group, of a port. */
static uint32_t router_of(const struct dragonfly *fly, uint64_t port)
{
	return (uint32_t)(port / fly->global_links);
}

/* A link between two groups on the way from router a to router b. */
struct crossing {
	uint32_t out, in;	/* the routers at its ends; in different groups if there is a link */
	uint32_t copy;
	uint16_t intra;		/* links within the groups */
};

/* Find the link between the groups of two routers that a route takes. */
static struct crossing cross(const struct dragonfly *fly, uint32_t a, uint32_t b)
{
	const uint32_t group_a = a / fly->routers, group_b = b / fly->routers;
	struct crossing best = {.intra = UINT16_MAX};

	for (uint32_t c = 0; c < fly->copies && best.intra; c++) {
		struct crossing found = {
			group_a * fly->routers + router_of(fly, port_to(fly, group_a, group_b, c)),
			group_b * fly->routers + router_of(fly, port_to(fly, group_b, group_a, c)),
			c, 0};

		found.intra = (uint16_t)((found.out != a) + (found.in != b));
		if (found.intra < best.intra)
			best = found;
	}
	return best;
}

static void route_dragonfly(const struct topology *topology, uint32_t from, uint32_t to,
			    uint16_t links[TOPOLOGY_MOST_CLASSES])
{
	const struct dragonfly *fly = topology->shape;
	const uint32_t a = from / fly->hosts, b = to / fly->hosts;

	links[TERMINAL] = 2;
	if (a / fly->routers == b / fly->routers) {
		links[INTRA] = a != b;
		return;
	}
	links[INTRA] = cross(fly, a, b).intra;
	links[INTER] = 1;
}

/* Add the link between two routers of a group, or none from a router to itself. */
static int add_intra(struct hops *hops, uint32_t hosts, uint32_t a, uint32_t b, struct error *err)
{
	return a == b ? 0 : topology_add_hop(hops, hosts + a, hosts + b, INTRA, err);
}

static int hops_in_dragonfly(const struct topology *topology, uint32_t from, uint32_t to,
			     struct hops *hops, struct error *err)
{
	const struct dragonfly *fly = topology->shape;
	const uint32_t a = from / fly->hosts, b = to / fly->hosts, hosts = topology->host_count;

	TRY(topology_add_hop(hops, from, hosts + a, TERMINAL, err));
	if (a / fly->routers == b / fly->routers) {
		TRY(add_intra(hops, hosts, a, b, err));
	} else {
		const struct crossing crossing = cross(fly, a, b);

		TRY(add_intra(hops, hosts, a, crossing.out, err));
		TRY(topology_add_hop(hops, hosts + crossing.out, hosts + crossing.in, INTER, err));
		hops->items[hops->count - 1].parallel = crossing.copy;
		TRY(add_intra(hops, hosts, crossing.in, b, err));
	}
	return topology_add_hop(hops, hosts + b, to, TERMINAL, err);
}

static int links_of_group(const struct topology *topology, uint32_t group, struct links *links,
			  struct error *err)
{
	const struct dragonfly *fly = topology->shape;
	const uint32_t first = topology->host_count + group * fly->routers;

	for (uint32_t i = 0; i < fly->routers; i++)
		for (uint32_t k = i + 1; k < fly->routers; k++)
			TRY(topology_add_link(links, first + i, first + k, INTRA, err));
	for (uint32_t other = group + 1; other < fly->groups; other++) {
		const uint32_t first_other = topology->host_count + other * fly->routers;

		for (uint32_t c = 0; c < fly->copies; c++)
			TRY(topology_add_link(
				links, first + router_of(fly, port_to(fly, group, other, c)),
				first_other + router_of(fly, port_to(fly, other, group, c)), INTER,
				err));
	}
	return 0;
}

static int links_of_dragonfly(const struct topology *topology, struct links *links,
			      struct error *err)
{
	const struct dragonfly *fly = topology->shape;

	for (uint32_t host = 0; host < topology->host_count; host++)
		TRY(topology_add_link(links, host, topology->host_count + host / fly->hosts,
				      TERMINAL, err));
	for (uint32_t group = 0; group < fly->groups; group++)
		TRY(links_of_group(topology, group, links, err));
	return 0;
}

/* Its links are the same when all groups take the number of the next one. */
static struct topology_symmetry symmetry_of_dragonfly(const struct topology *topology)
{
	const struct dragonfly *fly = topology->shape;

	return (struct topology_symmetry){.alike = fly->hosts, .sources = fly->routers, .stride = 1};
}

/* Groups are circles on a circle, with the hosts outside their routers. */
static void place_in_dragonfly(const struct topology *topology, uint32_t node, double *x,
			       double *y)
{
	const struct dragonfly *fly = topology->shape;
	const bool is_host = node < topology->host_count;
	const uint32_t per_group = fly->routers * (is_host ? fly->hosts : 1);
	const uint32_t i = is_host ? node : node - topology->host_count;
	const double room = fly->groups > 1 ? fmin(0.2, 0.9 / fly->groups) : 0.5;
	const double offset = is_host ? (fly->hosts - 1) / 2.0 : 0;
	const double angle = 2 * M_PI * (i % per_group - offset) / per_group;
	double center_x = 0.5, center_y = 0.5;

	if (fly->groups > 1)
		topology_place_on_circle(i / per_group, fly->groups, 0.5 - room, &center_x,
					 &center_y);
	*x = center_x + (is_host ? 1 : 0.6) * room * sin(angle);
	*y = center_y - (is_host ? 1 : 0.6) * room * cos(angle);
}

static const char *const dragonfly_keys[] = {"groups", "routers", "hosts", "global-links", NULL};
static const char *const classes[] = {"tc", "intra", "inter", NULL};

const struct topology_kind topology_dragonfly = {
	.name = "dragonfly",
	.keys = dragonfly_keys,
	.classes = classes,
	.read = read_dragonfly,
	.route = route_dragonfly,
	.hops = hops_in_dragonfly,
	.links = links_of_dragonfly,
	.symmetry = symmetry_of_dragonfly,
	.place = place_in_dragonfly,
};
