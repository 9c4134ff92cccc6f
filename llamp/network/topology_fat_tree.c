/*
 * Fat trees of any number of levels.
 *
 * Hosts are level 0.  A switch of level l has down[l - 1] children, and a node of level l - 1 has
 * up[l - 1] parents: an extended generalized fat tree (Oehring et al., "On generalized fat
 * trees", 1995).  A route goes up to the lowest level at which both hosts are in one subtree, and
 * down again.  Of u parents it takes number (to / w) mod u, where `to` is its last host and w the
 * product of all u below: it depends on the last host only, and successive hosts have different
 * ways (Zahavi, "D-mod-k routing providing non-blocking traffic for shift permutations on real
 * life fat trees", 2010).  Hosts of a switch have successive numbers.
 *
 * With `radix` and `levels` all switches have `radix` ports: half of them up and half down, at the
 * top all down, and at the bottom `oversubscription` times as many down as up.
 */
#include "llamp/network/topology_kind.h"

#include <stdio.h>

struct fat_tree {
	uint32_t levels;
	uint32_t down[TOPOLOGY_MOST_DIMENSIONS], up[TOPOLOGY_MOST_DIMENSIONS];
	uint64_t subtree[TOPOLOGY_MOST_DIMENSIONS + 1];	/* [level]: hosts below a switch */
	uint64_t copies[TOPOLOGY_MOST_DIMENSIONS + 1];	/* [level]: switches with these hosts */
	uint32_t first[TOPOLOGY_MOST_DIMENSIONS + 2];	/* [level]: number of the first node */
};

static int read_ports(struct fat_tree *tree, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err)
{
	const struct yaml_entry *up = topology_find(entry, "up");
	uint32_t ups;

	TRY(topology_numbers(file, entry, "down", 1, tree->down, &tree->levels, err));
	TRY(topology_numbers(file, entry, "up", 1, tree->up, &ups, err));
	if (ups != tree->levels)
		return yaml_error(file, up, err, "up: %u numbers, but down has %u", ups,
				  tree->levels);
	if (topology_find(entry, "radix") || topology_find(entry, "levels") ||
	    topology_find(entry, "oversubscription"))
		return yaml_error(file, entry, err, "a fat tree has either 'down' and 'up', or"
				  " 'radix' and 'levels'");
	return 0;
}

static int read_radix(struct fat_tree *tree, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err)
{
	uint32_t radix, ratio;

	TRY(topology_number(file, entry, "radix", 2, 0, &radix, err));
	TRY(topology_number(file, entry, "levels", 1, 0, &tree->levels, err));
	TRY(topology_number(file, entry, "oversubscription", 1, 1, &ratio, err));
	if (tree->levels > TOPOLOGY_MOST_DIMENSIONS)
		return yaml_error(file, topology_find(entry, "levels"), err,
				  "levels: at most %d", TOPOLOGY_MOST_DIMENSIONS);
	if (tree->levels > 1 && (radix % 2 || radix % (ratio + 1)))
		return yaml_error(file, entry, err, "%u ports cannot be divided into %u parts down"
				  " and 1 part up, or into halves", radix, ratio);
	for (uint32_t i = 0; i < tree->levels; i++) {
		tree->down[i] = i + 1 == tree->levels ? radix : radix / 2;
		tree->up[i] = i ? radix / 2 : 1;
	}
	if (tree->levels > 1) {
		tree->up[1] = radix / (ratio + 1);
		tree->down[0] = radix - tree->up[1];
	}
	return 0;
}

/* Multiply sizes; what exceeds a limit stays above it. */
static uint64_t times(uint64_t a, uint64_t b)
{
	return a > TOPOLOGY_MOST_HOSTS ? a : a * b;
}

static int set_levels(struct topology *topology, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err)
{
	struct fat_tree *tree = topology->shape;
	uint64_t hosts = 1, switches = 0, nodes;

	tree->subtree[0] = tree->copies[0] = 1;
	for (uint32_t i = 0; i < tree->levels; i++)
		hosts = times(hosts, tree->down[i]);
	for (uint32_t level = 0; level < tree->levels; level++) {
		tree->subtree[level + 1] = times(tree->subtree[level], tree->down[level]);
		tree->copies[level + 1] = times(tree->copies[level], tree->up[level]);
		tree->first[level + 1] = (uint32_t)(hosts + switches);
		nodes = times(hosts / tree->subtree[level + 1], tree->copies[level + 1]);
		switches += nodes;
		TRY(topology_set_size(topology, file, entry, hosts, switches, err));
	}
	tree->first[tree->levels + 1] = (uint32_t)(hosts + switches);
	return 0;
}

static int read_fat_tree(struct topology *topology, const struct yaml_file *file,
			 const struct yaml_entry *entry, struct error *err)
{
	struct fat_tree *tree;
	char name[TOPOLOGY_CLASS_BYTES] = "host";

	TRY(topology_allocate_shape(topology, sizeof *tree, err));
	tree = topology->shape;
	if (topology_find(entry, "down") || topology_find(entry, "up"))
		TRY(read_ports(tree, file, entry, err));
	else
		TRY(read_radix(tree, file, entry, err));
	for (uint32_t level = 1; level <= tree->levels; level++) {
		TRY(topology_add_class(topology, file, entry, name, err));
		snprintf(name, sizeof name, "level%u", level + 1);
	}
	return set_levels(topology, file, entry, err);
}

static void route_fat_tree(const struct topology *topology, uint32_t from, uint32_t to,
			   uint16_t links[TOPOLOGY_MOST_CLASSES])
{
	const struct fat_tree *tree = topology->shape;

	for (uint32_t level = 0; from != to; level++) {
		links[level] = 2;
		from /= tree->down[level];
		to /= tree->down[level];
	}
}

/* The node of a level above a host: one of its copies. */
static uint32_t node_above(const struct fat_tree *tree, uint32_t host, uint32_t level,
			   uint64_t copy)
{
	return (uint32_t)(tree->first[level] +
			  host / tree->subtree[level] * tree->copies[level] +
			  copy % tree->copies[level]);
}

static int hops_in_fat_tree(const struct topology *topology, uint32_t from, uint32_t to,
			    struct hops *hops, struct error *err)
{
	const struct fat_tree *tree = topology->shape;
	uint32_t level = 0;
	uint64_t copy = 0;

	for (; from / tree->subtree[level] != to / tree->subtree[level]; level++) {
		const uint64_t parent = to / tree->copies[level] % tree->up[level];
		const uint64_t next = copy + parent * tree->copies[level];

		TRY(topology_add_hop(hops, node_above(tree, from, level, copy),
				     node_above(tree, from, level + 1, next), level, err));
		copy = next;
	}
	for (; level > 0; level--)
		TRY(topology_add_hop(hops, node_above(tree, to, level, copy),
				     node_above(tree, to, level - 1, copy), level - 1, err));
	return 0;
}

static int links_of_fat_tree(const struct topology *topology, struct links *links,
			     struct error *err)
{
	const struct fat_tree *tree = topology->shape;

	for (uint32_t level = 0; level < tree->levels; level++) {
		const uint64_t copies = tree->copies[level], above = tree->copies[level + 1];
		const uint32_t count = tree->first[level + 1] - tree->first[level];

		for (uint32_t i = 0; i < count; i++) {
			const uint64_t parent = i / copies / tree->down[level] * above + i % copies;

			for (uint32_t k = 0; k < tree->up[level]; k++)
				TRY(topology_add_link(links, tree->first[level] + i,
						      (uint32_t)(tree->first[level + 1] + parent +
								 k * copies),
						      level, err));
		}
	}
	return 0;
}

/* A host sees as many others at each level as every other host does. */
static struct topology_symmetry symmetry_of_fat_tree(const struct topology *topology)
{
	const struct fat_tree *tree = topology->shape;

	return (struct topology_symmetry){.alike = tree->down[0], .sources = 1};
}

static void place_in_fat_tree(const struct topology *topology, uint32_t node, double *x,
			      double *y)
{
	const struct fat_tree *tree = topology->shape;
	uint32_t level = 0;

	while (node >= tree->first[level + 1])
		level++;
	*x = (node - tree->first[level] + 0.5) / (tree->first[level + 1] - tree->first[level]);
	*y = 1 - (double)level / tree->levels;
}

static const char *const fat_tree_keys[] = {"radix", "levels", "oversubscription",
					    "down",  "up",     NULL};

const struct topology_kind topology_fat_tree = {
	.name = "fat-tree",
	.keys = fat_tree_keys,
	.read = read_fat_tree,
	.route = route_fat_tree,
	.hops = hops_in_fat_tree,
	.links = links_of_fat_tree,
	.symmetry = symmetry_of_fat_tree,
	.place = place_in_fat_tree,
};
