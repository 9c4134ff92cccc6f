/*
 * Cells of a usage profile: sums of the calls of one function that have about the same number of
 * bytes, on communicators of about the same size.
 *
 *	const struct usage_key key = {.function = CALL_Allreduce, .size_class = usage_size_class(8),
 *				      .comm_class = usage_comm_class(64)};
 *
 *	usage_add(usage_cell(&table, key), 8, 16, ticks, usage_time_bin(ns));
 *
 * A table has room for a fixed number of cells and never allocates: it may lie in a mapped file, and a
 * signal handler or another process may read it.  One thread writes it, without locks.
 */
#ifndef USAGE_LOG_CELL_H
#define USAGE_LOG_CELL_H

#include <stdbool.h>
#include <stdint.h>

enum {
	USAGE_CELLS = 2048,    /* of a table, a power of two */
	USAGE_TIME_BINS = 8,   /* of a cell */
	USAGE_FIRST_EDGE = 11, /* bin 0 has the calls below 2^11 ns */
	USAGE_SIZE_CLASSES = 128,
	USAGE_COMM_CLASSES = 32,
};

/* Where the other ranks are, as far as it is known without asking. */
enum usage_place { USAGE_ANYWHERE, USAGE_SAME_NODE, USAGE_OTHER_NODE, USAGE_PLACES };

struct usage_key {
	uint16_t function; /* CALL_... (trace/call/mpi_functions.h); USAGE_REST of the catch-all */
	uint8_t size_class; /* of the bytes of a call; of the number of requests if it completes some */
	uint8_t comm_class; /* of the size of the communicator; 0: no communicator, or not known */
	uint8_t place;	    /* enum usage_place */
	uint8_t failed;	    /* 1: the calls returned an error */
	uint8_t used;	    /* 1: in a table */
	uint8_t unused;
};

/* Function of the cell that takes what has no room in a full table. */
enum { USAGE_REST = 0xffff };

/* 128 bytes: two cache lines. */
struct usage_cell {
	struct usage_key key;
	uint64_t calls;
	uint64_t
		bytes; /* that the caller passes as its own data or receives: doc/usage.md, Bytes */
	uint64_t moved;	      /* sent and received as in doc/trace-format.md, both added */
	uint64_t ticks;	      /* in these calls, all together */
	uint64_t least, most; /* ticks of a call */
	uint64_t bins[USAGE_TIME_BINS]; /* calls by their time */
	uint64_t spare;
};

/*
 * The catch-all, then cells in the order in which they were made, behind an index by hash, open addressing by
 * linear search.  So a table touches memory for the cells it has, and may lie where only the first ones exist.
 * Where a table begins with a line of the cache, a short call changes one line of its cell.
 */
enum { USAGE_CATCH_ALL = 0 };
struct usage_table {
	uint32_t count;	   /* used cells, without the catch-all: cells 1 to count */
	uint32_t room;	   /* greatest count, less than USAGE_CELLS */
	uint32_t overflow; /* 1: calls went to the catch-all */
	uint32_t unused[13];
	uint16_t index[USAGE_CELLS]; /* number of the cell; 0: none */
	struct usage_cell cells[USAGE_CELLS];
};

/*
 * Class of a number of bytes: 0 for 0, else 1 + 2 floor(log2 s) + [s is no power of two], at most
 * USAGE_SIZE_CLASSES - 1.  So "at most 256 bytes" and "at least 512 KiB" are whole classes.
 */
static inline uint8_t usage_size_class(uint64_t bytes)
{
	unsigned class;

	if (bytes == 0)
		return 0;
	class = 1 + 2 * (63 - (unsigned)__builtin_clzll(bytes)) + ((bytes & (bytes - 1)) != 0);
	return (uint8_t)(class < USAGE_SIZE_CLASSES ? class : USAGE_SIZE_CLASSES - 1);
}

/* Least and greatest number of bytes of a class. */
uint64_t usage_class_least(uint8_t size_class);
uint64_t usage_class_most(uint8_t size_class);

/* Class of the size of a communicator: 0 if it is not known, else 1 + ceil(log2 ranks). */
static inline uint8_t usage_comm_class(uint32_t ranks)
{
	if (ranks == 0)
		return 0;
	return (uint8_t)(ranks == 1 ? 1 : 33 - __builtin_clz(ranks - 1));
}

/* Greatest number of ranks of a class, 0 of class 0. */
uint64_t usage_comm_most(uint8_t comm_class);

/* Bin of a time: bin b > 0 has the calls from 2^(9 + 2b) ns to below 2^(11 + 2b) ns, the last one all above. */
static inline unsigned usage_time_bin(uint64_t ns)
{
	unsigned bin;

	if (ns >> USAGE_FIRST_EDGE == 0)
		return 0;
	bin = (63 - (unsigned)__builtin_clzll(ns) - USAGE_FIRST_EDGE) / 2 + 1;
	return bin < USAGE_TIME_BINS ? bin : USAGE_TIME_BINS - 1;
}

/* Make a zeroed table usable that exists as a whole. */
void usage_table_init(struct usage_table *table);

static inline bool usage_same_key(const struct usage_key *a, const struct usage_key *b)
{
	return a->function == b->function && a->size_class == b->size_class &&
	       a->comm_class == b->comm_class && a->place == b->place && a->failed == b->failed;
}

/* Find or make the cell of a key.  Never NULL: a full table has the catch-all cell.  It never moves. */
struct usage_cell *usage_cell(struct usage_table *table, struct usage_key key);

/* Count a call in a cell. */
static inline void usage_add(struct usage_cell *cell, uint64_t bytes, uint64_t moved,
			     uint64_t ticks, unsigned bin)
{
	cell->calls++;
	cell->bytes += bytes;
	cell->moved += moved;
	cell->ticks += ticks;
	cell->least = ticks < cell->least ? ticks : cell->least;
	cell->most = ticks > cell->most ? ticks : cell->most;
	cell->bins[bin]++;
}

/* Add a cell to one of the same key. */
void usage_cell_merge(struct usage_cell *into, const struct usage_cell *from);

/* Add all cells of a table to another one. */
void usage_table_merge(struct usage_table *into, const struct usage_table *from);

/*
 * Put pointers to the used cells into `cells`, which has room for USAGE_CELLS, in the order of
 * their keys, the catch-all last.  Returns their number.
 */
unsigned usage_table_sorted(const struct usage_table *table, const struct usage_cell **cells);

/* Order of keys: function, size, communicator, place, failed. */
int usage_compare_keys(const struct usage_key *a, const struct usage_key *b);

#endif
