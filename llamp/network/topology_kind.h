/*
 * One kind of topology, and helpers of all kinds (topology_kind.c).  The table of kinds is in
 * topology.c, above them.  Private to llamp/network/topology*.c.
 */
#ifndef LLAMP_TOPOLOGY_KIND_H
#define LLAMP_TOPOLOGY_KIND_H

#include "llamp/network/topology.h"

#include "common/array.h"

enum { TOPOLOGY_MOST_DIMENSIONS = 8 };

/*
 * Hosts whose routes need not be looked at, since they are like those of others.  Each `alike`
 * successive hosts from host 0 on have equal routes to all others, and equal ones among each other: they
 * are a group.  The routes of the groups 0, stride, 2 stride, ... are looked at.  Each of these
 * `sources` stands for equally many groups, in which links and latencies are as often as in its own.
 */
struct topology_symmetry {
	uint32_t alike, sources, stride;
};

struct topology_kind {
	const char *name;
	const char *const *keys;	/* of its mapping, without kind, links and switch */
	/* Names of its kinds of links, for a file that gives them latencies one by one. */
	const char *const *classes;
	/*
	 * Read the keys, and set the numbers of hosts and switches and the shape.  Names of
	 * classes may be added by topology_add_class if `classes` is NULL.
	 */
	int (*read)(struct topology *topology, const struct yaml_file *file,
		    const struct yaml_entry *entry, struct error *err);
	/* Complete the shape when the latencies are known; or NULL. */
	int (*finish)(struct topology *topology, const struct yaml_file *file,
		      const struct yaml_entry *entry, struct error *err);
	/* Count the links of each kind between two different hosts. */
	void (*route)(const struct topology *topology, uint32_t from, uint32_t to,
		      uint16_t links[TOPOLOGY_MOST_CLASSES]);
	/* List the links of this route; `class` counts the kinds of links. */
	int (*hops)(const struct topology *topology, uint32_t from, uint32_t to, struct hops *hops,
		    struct error *err);
	int (*links)(const struct topology *topology, struct links *links, struct error *err);
	/* NULL: there is none that is known. */
	struct topology_symmetry (*symmetry)(const struct topology *topology);
	void (*place)(const struct topology *topology, uint32_t node, double *x, double *y);
	/* Free what the shape owns, if it owns anything. */
	void (*release)(void *shape);
};

extern const struct topology_kind topology_fat_tree, topology_dragonfly, topology_torus,
	topology_mesh, topology_hyperx, topology_slim_fly, topology_edges;

/* Allocate the shape, zeroed. */
int topology_allocate_shape(struct topology *topology, size_t bytes, struct error *err);

/* Find an entry by its key; NULL if it is not given. */
const struct yaml_entry *topology_find(const struct yaml_entry *entry, const char *key);

/* Read a whole number from `least` on; without the key it is `otherwise`, or an error if that is 0. */
int topology_number(const struct yaml_file *file, const struct yaml_entry *entry, const char *key,
		    uint32_t least, uint32_t otherwise, uint32_t *number, struct error *err);

/* Read a list of 1 to TOPOLOGY_MOST_DIMENSIONS whole numbers from `least` on. */
int topology_numbers(const struct yaml_file *file, const struct yaml_entry *entry, const char *key,
		     uint32_t least, uint32_t numbers[TOPOLOGY_MOST_DIMENSIONS], uint32_t *count,
		     struct error *err);

/* Set the numbers of hosts and switches; too many are STATUS_LIMIT. */
int topology_set_size(struct topology *topology, const struct yaml_file *file,
		      const struct yaml_entry *entry, uint64_t hosts, uint64_t switches,
		      struct error *err);

/* Add a class with a name; returns its index, or -1. */
int topology_add_class(struct topology *topology, const struct yaml_file *file,
		       const struct yaml_entry *entry, const char *name, struct error *err);

/* Add a link; `class` counts the kinds of links. */
int topology_add_link(struct links *links, uint32_t from, uint32_t to, uint32_t class,
		      struct error *err);

/* Add the next link of a route. */
int topology_add_hop(struct hops *hops, uint32_t from, uint32_t to, uint32_t class,
		     struct error *err);

/* Place the i-th of `count` points on a circle. */
void topology_place_on_circle(uint32_t i, uint32_t count, double radius, double *x, double *y);

#endif
