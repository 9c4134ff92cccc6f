/*
 * Networks whose switches have coordinates: torus, mesh and HyperX.
 *
 * `size` gives the switches in each dimension; the last one counts fastest.  Each switch has
 * `hosts` hosts (default 1).  In a mesh a switch is linked with the next one of each dimension, in
 * a torus also the last with the first, and in a HyperX with all others that differ in one
 * coordinate (Ahn et al., "HyperX: topology, routing, and packaging of efficient large-scale
 * networks", 2009).  The links of each dimension are a class: dim1, dim2, ...; those of hosts are
 * class host.  A route goes along the first dimension first; in a torus to the larger coordinates
 * if both ways are as long.
 */
#include "llamp/network/topology_kind.h"

#include <stdio.h>

struct grid {
	uint32_t dimensions, hosts;
	uint32_t size[TOPOLOGY_MOST_DIMENSIONS];
};

enum { MOST_SUM = 60000 };

static int read_grid(struct topology *topology, const struct yaml_file *file,
		     const struct yaml_entry *entry, struct error *err)
{
	char name[TOPOLOGY_CLASS_BYTES] = "host";
	uint64_t switches = 1, sum = 0;
	struct grid *grid;

	TRY(topology_allocate_shape(topology, sizeof *grid, err));
	grid = topology->shape;
	TRY(topology_numbers(file, entry, "size", 1, grid->size, &grid->dimensions, err));
	TRY(topology_number(file, entry, "hosts", 1, 1, &grid->hosts, err));
	for (uint32_t d = 0; d <= grid->dimensions; d++) {
		TRY(topology_add_class(topology, file, entry, name, err));
		snprintf(name, sizeof name, "dim%u", d + 1);
	}
	for (uint32_t d = 0; d < grid->dimensions; d++) {
		switches *= grid->size[d];
		TRY(topology_set_size(topology, file, entry, switches * grid->hosts, switches,
				      err));
		sum += grid->size[d];
	}
	/* A route counts its links in 16 bits. */
	if (sum > MOST_SUM)
		return yaml_error(file, topology_find(entry, "size"), err,
				  "size: the sum of all dimensions is above %d", MOST_SUM);
	return 0;
}

/* Count the links between two coordinates of a dimension. */
typedef uint32_t distance(uint32_t a, uint32_t b, uint32_t size);

static uint32_t mesh_distance(uint32_t a, uint32_t b, uint32_t size)
{
	(void)size;
	return a < b ? b - a : a - b;
}

static uint32_t torus_distance(uint32_t a, uint32_t b, uint32_t size)
{
	const uint32_t straight = mesh_distance(a, b, size);

	return straight <= size - straight ? straight : size - straight;
}

static uint32_t hyperx_distance(uint32_t a, uint32_t b, uint32_t size)
{
	(void)size;
	return a != b;
}

static void route_grid(const struct topology *topology, uint32_t from, uint32_t to,
		       uint16_t links[TOPOLOGY_MOST_CLASSES], distance *between)
{
	const struct grid *grid = topology->shape;
	uint32_t a = from / grid->hosts, b = to / grid->hosts;

	links[0] = 2;
	for (uint32_t d = grid->dimensions; d-- > 0;) {
		const uint32_t size = grid->size[d];

		links[1 + d] = (uint16_t)between(a % size, b % size, size);
		a /= size;
		b /= size;
	}
}

static void route_torus(const struct topology *topology, uint32_t from, uint32_t to,
			uint16_t links[TOPOLOGY_MOST_CLASSES])
{
	route_grid(topology, from, to, links, torus_distance);
}

static void route_mesh(const struct topology *topology, uint32_t from, uint32_t to,
		       uint16_t links[TOPOLOGY_MOST_CLASSES])
{
	route_grid(topology, from, to, links, mesh_distance);
}

static void route_hyperx(const struct topology *topology, uint32_t from, uint32_t to,
			 uint16_t links[TOPOLOGY_MOST_CLASSES])
{
	route_grid(topology, from, to, links, hyperx_distance);
}

/* The next coordinate on the way from a to b, at distance 1. */
static uint32_t next_coordinate(uint32_t a, uint32_t b, uint32_t size, distance *between)
{
	const uint32_t up = (a + 1) % size;

	if (between(a, b, size) == 1)
		return b;
	if (between(a, up, size) == 1 && between(up, b, size) < between(a, b, size))
		return up;
	return (a + size - 1) % size;
}

static int hops_in_grid(const struct topology *topology, uint32_t from, uint32_t to,
			struct hops *hops, distance *between, struct error *err)
{
	const struct grid *grid = topology->shape;
	const uint32_t hosts = topology->host_count;
	uint32_t at = from / grid->hosts, stride = topology->switch_count;
	const uint32_t end = to / grid->hosts;

	TRY(topology_add_hop(hops, from, hosts + at, 0, err));
	for (uint32_t d = 0; d < grid->dimensions; d++) {
		const uint32_t size = grid->size[d];

		stride /= size;
		while (at / stride % size != end / stride % size) {
			const uint32_t now = at / stride % size;
			const uint32_t next = at - now * stride +
					      next_coordinate(now, end / stride % size, size,
							      between) * stride;

			TRY(topology_add_hop(hops, hosts + at, hosts + next, 1 + d, err));
			at = next;
		}
	}
	return topology_add_hop(hops, hosts + at, to, 0, err);
}

static int hops_in_torus(const struct topology *topology, uint32_t from, uint32_t to,
			 struct hops *hops, struct error *err)
{
	return hops_in_grid(topology, from, to, hops, torus_distance, err);
}

static int hops_in_mesh(const struct topology *topology, uint32_t from, uint32_t to,
			struct hops *hops, struct error *err)
{
	return hops_in_grid(topology, from, to, hops, mesh_distance, err);
}

static int hops_in_hyperx(const struct topology *topology, uint32_t from, uint32_t to,
			  struct hops *hops, struct error *err)
{
	return hops_in_grid(topology, from, to, hops, hyperx_distance, err);
}

/* The next coordinate after `to` that may be at distance 1 from a smaller one. */
static uint32_t next_candidate(uint32_t to, uint32_t size, distance *between)
{
	if (between == hyperx_distance || to + 1 >= size)
		return to + 1;
	return size - 1;
}

/* List the links to switches with a larger coordinate that are at distance 1. */
static int links_of_grid(const struct topology *topology, struct links *links, distance *between,
			 struct error *err)
{
	const struct grid *grid = topology->shape;
	uint32_t stride = 1;

	for (uint32_t host = 0; host < topology->host_count; host++)
		TRY(topology_add_link(links, host, topology->host_count + host / grid->hosts, 0,
				      err));
	for (uint32_t d = grid->dimensions; d-- > 0;) {
		const uint32_t size = grid->size[d];

		for (uint32_t i = 0; i < topology->switch_count; i++) {
			const uint32_t at = i / stride % size;

			for (uint32_t to = at + 1; to < size;
			     to = next_candidate(to, size, between))
				if (between(at, to, size) == 1)
					TRY(topology_add_link(links, topology->host_count + i,
							      topology->host_count + i +
								      (to - at) * stride,
							      1 + d, err));
		}
		stride *= size;
	}
	return 0;
}

static int links_of_torus(const struct topology *topology, struct links *links, struct error *err)
{
	return links_of_grid(topology, links, torus_distance, err);
}

static int links_of_mesh(const struct topology *topology, struct links *links, struct error *err)
{
	return links_of_grid(topology, links, mesh_distance, err);
}

static int links_of_hyperx(const struct topology *topology, struct links *links,
			   struct error *err)
{
	return links_of_grid(topology, links, hyperx_distance, err);
}

/* In a torus and a HyperX all switches are alike, in a mesh those at its rim are not. */
static struct topology_symmetry symmetry_of_ring(const struct topology *topology)
{
	const struct grid *grid = topology->shape;

	return (struct topology_symmetry){.alike = grid->hosts, .sources = 1};
}

static struct topology_symmetry symmetry_of_mesh(const struct topology *topology)
{
	const struct grid *grid = topology->shape;

	return (struct topology_symmetry){.alike = grid->hosts, .sources = topology->switch_count,
					  .stride = 1};
}

/* Odd dimensions go right, even ones down; a host is beside its switch. */
static void place_in_grid(const struct topology *topology, uint32_t node, double *x, double *y)
{
	const struct grid *grid = topology->shape;
	const bool is_host = node < topology->host_count;
	uint32_t i = is_host ? node / grid->hosts : node - topology->host_count;
	double extent[2] = {1, 1}, at[2] = {0, 0};

	for (uint32_t d = grid->dimensions; d-- > 0;) {
		const uint32_t axis = (grid->dimensions - 1 - d) % 2;

		at[axis] += i % grid->size[d] * extent[axis];
		extent[axis] *= grid->size[d];
		i /= grid->size[d];
	}
	*x = (at[0] + 0.3 + (is_host ? 0.3 * (node % grid->hosts + 1) / grid->hosts : 0)) / extent[0];
	*y = (at[1] + 0.3 + (is_host ? 0.3 : 0)) / extent[1];
}

static const char *const grid_keys[] = {"size", "hosts", NULL};

const struct topology_kind topology_torus = {
	.name = "torus",
	.keys = grid_keys,
	.read = read_grid,
	.route = route_torus,
	.hops = hops_in_torus,
	.links = links_of_torus,
	.symmetry = symmetry_of_ring,
	.place = place_in_grid,
};

const struct topology_kind topology_mesh = {
	.name = "mesh",
	.keys = grid_keys,
	.read = read_grid,
	.route = route_mesh,
	.hops = hops_in_mesh,
	.links = links_of_mesh,
	.symmetry = symmetry_of_mesh,
	.place = place_in_grid,
};

const struct topology_kind topology_hyperx = {
	.name = "hyperx",
	.keys = grid_keys,
	.read = read_grid,
	.route = route_hyperx,
	.hops = hops_in_hyperx,
	.links = links_of_hyperx,
	.symmetry = symmetry_of_ring,
	.place = place_in_grid,
};
