/*
 * Networks of switches and links, for the latency between two hosts.
 *
 * A topology has hosts, switches, and links of a few classes, each with a latency.  A message
 * between two hosts takes a shortest route: a number of links of each class, and one switch
 * fewer than it has links.  Its latency is
 *
 *	sum over classes c of links[c] l_c, + switches d_switch
 *
 * (LLAMP, section IV-2 and appendix H; (h + 1) l_wire + h d_switch with one class).  A route is
 * computed from the numbers of the hosts: no table of pairs is kept.  It is always the same for
 * these two hosts.
 */
#ifndef LLAMP_TOPOLOGY_H
#define LLAMP_TOPOLOGY_H

#include "common/yaml.h"

#include <stdbool.h>

enum {
	TOPOLOGY_MOST_CLASSES = 16,
	TOPOLOGY_CLASS_BYTES = 32,	/* of a name, with its end */
	TOPOLOGY_MOST_HOSTS = 1 << 24,
	TOPOLOGY_MOST_LINKS = 1 << 28,
};

/* Links of each class and switches between two hosts. */
struct route {
	uint16_t links[TOPOLOGY_MOST_CLASSES];
	uint16_t switches;
};

struct topology {
	const struct topology_kind *kind;
	uint32_t host_count, switch_count;
	uint32_t class_count;
	char classes[TOPOLOGY_MOST_CLASSES][TOPOLOGY_CLASS_BYTES];	/* names */
	int64_t latency_as[TOPOLOGY_MOST_CLASSES];			/* l_c */
	int64_t switch_as;						/* d_switch */
	bool one_class;		/* links of all kinds are of class 0 */
	void *shape;		/* of the kind; owned */
};

/*
 * Read the mapping `topology:` of a parameter file (doc/parameters.md).  Errors have file and
 * line; STATUS_DATA, or STATUS_LIMIT if the network is too large.
 */
int topology_read(struct topology *topology, const struct yaml_file *file,
		  const struct yaml_entry *entry, struct error *err);
void topology_release(struct topology *topology);

const char *topology_name(const struct topology *topology);	/* "fat-tree" */

enum { TOPOLOGY_TEXT_BYTES = 64 };

/* Write "fat-tree of 16 hosts"; returns `text`, as the next two do. */
const char *topology_description(const struct topology *topology,
				 char text[static TOPOLOGY_TEXT_BYTES]);

/* Write "host 3" or "switch 12", each counted from 0; switches follow the hosts as nodes. */
const char *topology_node_name(const struct topology *topology, uint32_t node,
			       char text[static TOPOLOGY_TEXT_BYTES]);

/* Write the variable of a class of links, "l_wire"; class_count: that of switches, "d_switch". */
const char *topology_latency_name(const struct topology *topology, uint32_t class,
				  char text[static TOPOLOGY_TEXT_BYTES]);

/* Find the route between two hosts; from a host to itself it is all 0.  Safe in threads. */
void topology_route(const struct topology *topology, uint32_t from, uint32_t to,
		    struct route *route);

/* A link of a route, in the direction from one node to the next one. */
struct hop {
	uint32_t from, to;	/* nodes, as in struct link */
	uint32_t class;
	uint32_t parallel;	/* tells apart links between the same nodes */
};

struct hops {
	struct hop *items;	/* owned */
	size_t count, capacity;
};

/*
 * List the links of a route in its order, in place of what *hops had; none from a host to itself.
 * Safe in threads.  Fails only without memory.
 */
int topology_hops(const struct topology *topology, uint32_t from, uint32_t to, struct hops *hops,
		  struct error *err);

/* Number of links of a route. */
uint32_t route_links(const struct topology *topology, const struct route *route);

/* Latency of a route in as. */
__int128 topology_latency(const struct topology *topology, const struct route *route);

/* ----------------------------------------------------------- the graph itself */

/* A link.  Hosts are the nodes 0 to host_count - 1, the switches follow. */
struct link {
	uint32_t from, to;
	uint32_t class;
};

struct links {
	struct link *items;	/* owned */
	size_t count, capacity;
};

struct topology_symmetry;

/* Symmetry of the routes (llamp/network/topology_kind.h). */
struct topology_symmetry topology_symmetry_of(const struct topology *topology);

/* List all links, each once. */
int topology_links(const struct topology *topology, struct links *links, struct error *err);

/* Place a node in a picture, in the square from 0 to 1. */
void topology_place(const struct topology *topology, uint32_t node, double *x, double *y);

#endif
