/*
 * Global definitions of an OTF2 archive that MPI traces need.
 *
 * Arrays are indexed by the ids of the archive, which are dense.  Definitions may come in any
 * order.
 */
#ifndef TRACE_TRACE_INDEX_H
#define TRACE_TRACE_INDEX_H

#include "common/array.h"
#include "trace/call/trace_backend.h"
#include "trace/call/trace_world.h"

#include <otf2/otf2.h>

/* Ids from here on are refused: no known writer uses them, and they index arrays. */
enum { TRACE_INDEX_IDS = 1 << 24 };

struct trace_region {
	uint32_t name;	      /* string id */
	const char *function; /* "MPI_Send"; NULL if not an MPI function */
	uint32_t below;	      /* 1 + number of a function below MPI (trace/call/below.h); 0: none */
	bool defined, mpi;
	uint8_t openmp; /* enum openmp_region */
};

struct trace_group {
	uint64_t first; /* members: a slice of trace_index.members */
	uint32_t count;
	OTF2_GroupType type;
	bool defined, mpi;
	bool of_locations; /* members are locations, not places in the COMM_LOCATIONS group */
};

struct trace_index_comm {
	uint32_t name, group, remote_group;
	bool defined, inter;
};

struct trace_index_window {
	uint32_t name, comm;
	bool defined;
};

struct trace_location {
	uint64_t id, events;
	uint32_t group; /* location group: its process */
	uint32_t rank;	/* of a thread */
	bool thread;	/* false: a device, a metric, ... */
};

/* A part of the machine: the whole, a node, a socket, ... */
struct trace_tree_node {
	uint32_t name, class; /* string ids */
	uint32_t parent;      /* another part */
	bool defined;
};

/* A property of a location group: string ids of its name and its value. */
struct trace_index_property {
	uint32_t group, name, value;
};

struct trace_index {
	ARRAY(char) text;	 /* all strings one after the other */
	ARRAY(uint64_t) strings; /* 1 + place in text; 0: not defined */
	ARRAY(struct trace_region) regions;
	ARRAY(struct trace_group) groups;
	ARRAY(uint64_t) members;
	ARRAY(struct trace_index_comm) comm_definitions;
	ARRAY(struct trace_index_window) window_definitions;
	ARRAY(struct trace_location) locations;
	ARRAY(struct trace_tree_node) tree_nodes;
	ARRAY(uint32_t) location_groups; /* 1 + part of the machine; 0: not defined */
	ARRAY(struct trace_index_property) properties;
	ARRAY(uint32_t) attributes; /* 1 + string id of the name; 0: not defined */
	uint64_t ticks_per_second;  /* 0: no clock properties */

	/* Derived from the above. */
	ARRAY(struct trace_location) ranks;   /* the location of each world rank */
	ARRAY(struct trace_location) threads; /* other threads of ranks, by rank and id */
	ARRAY(struct trace_comm) comms;
	ARRAY(struct trace_window) windows;
	uint32_t *comm_ranks;  /* storage of the comms' ranks and remote_ranks */
	ARRAY(uint32_t) nodes; /* storage of world.nodes */
	struct trace_world world;
};

/*
 * Read the definitions and resolve them.  Errors have no path yet.  The caller has set
 * world.has_counts: only then are threads without events left out.
 */
int trace_index_read(struct trace_index *index, OTF2_Reader *reader, struct error *err);

/* Collect the definitions, as the first half of trace_index_read (trace_definitions.c). */
int trace_index_collect(struct trace_index *index, OTF2_Reader *reader, struct error *err);

/* Find the nodes of the ranks and the hosts, as a part of trace_index_read (trace_index_hosts.c). */
int trace_index_hosts(struct trace_index *index, struct error *err);

/* The threads of a rank other than its own location, by id. */
const struct trace_location *trace_index_threads(const struct trace_index *index, uint32_t rank,
						 uint32_t *count);

/* World ranks of a group; NULL for MPI_COMM_SELF's.  False if it is not a group of MPI. */
bool trace_index_group(const struct trace_index *index, uint32_t id, const uint32_t **ranks,
		       uint32_t *size);

/* A string by id, or NULL if there is none. */
const char *trace_index_string(const struct trace_index *index, uint32_t id);

void trace_index_release(struct trace_index *index);

#endif
