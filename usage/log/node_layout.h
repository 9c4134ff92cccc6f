/*
 * Layout of node files, internal.
 *
 * A file is a sequence of units.  Unit 0 is the header.  A process claims one unit for its slot, a thread
 * NODE_TABLE_UNITS for its table, by atomic addition to header.units.  A unit is a multiple of all sizes of
 * pages.  Parts of units that nobody has reserved are holes.
 *
 * Numbers are of the machine's byte order; the magic number shows another one.
 */
#ifndef USAGE_LOG_NODE_LAYOUT_H
#define USAGE_LOG_NODE_LAYOUT_H

#include "usage/log/node_file.h"

#include <stddef.h>

enum {
	NODE_VERSION = 2,
	NODE_UNIT = 1 << 16,
	NODE_TABLE_UNITS = (sizeof(struct node_thread) + NODE_UNIT - 1) / NODE_UNIT,
	NODE_TEXT_BYTES = 10000,
	NODE_MOST_UNITS = 1 << 18, /* 16 GiB */
};

#define NODE_MAGIC UINT64_C(0x4c4c41655341474e)
#define NODE_PREFIX "llamp-usage-"
#define NODE_SUFFIX ".node"

/* Byte of the file that slot 0 locks, behind all data. */
#define NODE_LOCKS ((off_t)1 << 40)

/* Strings in header.text, each ended by a zero byte, "" if NULL, in this order. */
#define NODE_STRINGS(STRING)                                                                  \
	STRING(system)                                                                        \
	STRING(job) STRING(step) STRING(parent) STRING(user) STRING(program) STRING(build_id) \
		STRING(library) STRING(clock)

struct node_header {
	uint64_t magic;
	uint32_t version;
	uint32_t functions; /* MPI_FUNCTION_COUNT: numbers of functions are those of this version */
	uint64_t args_hash, start_unix_ns;
	uint32_t ranks, nodes;
	uint32_t level_asked, level_given;
	uint32_t units;			 /* claimed */
	uint32_t slots;			 /* claimed */
	uint32_t slot_units[NODE_SLOTS]; /* where they lie, 0: not there yet */
	char text[NODE_TEXT_BYTES];	 /* NODE_STRINGS, host, log directory */
};

_Static_assert(sizeof(struct node_header) <= NODE_UNIT, "the header is one unit");
_Static_assert(sizeof(struct node_slot) + NODE_THREADS * sizeof(uint32_t) <= NODE_UNIT,
	       "a slot is one unit");
_Static_assert(offsetof(struct node_thread, table.cells) % 64 == 0 &&
		       sizeof(struct usage_cell) % 64 == 0 &&
		       offsetof(struct usage_cell, bins[1]) == 64,
	       "a short call changes one line of its cell");

/*
 * Lock the processes' bytes of an open file, `count` from slot `first`.  Returns false if somebody else has
 * locked one of them.  The lock ends with the last descriptor or mapping of this opening of the file.
 */
bool node_lock(int file, uint32_t first, uint32_t count);

/* Whether somebody else holds the lock of one of `count` slots from `first`. */
bool node_is_locked(int file, uint32_t first, uint32_t count);

#endif
