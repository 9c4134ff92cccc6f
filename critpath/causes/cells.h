/*
 * Cells: what the time of a rank is spent on, as causes of waits are named.
 *
 * A cell is the computation before calls of a function at a call site, the time in these calls, the time before a
 * rank begins, or the computation at the end of a rank that does not end in MPI_Finalize.  A process numbers the
 * cells that it meets.  Their codes are the same for all processes.
 */
#ifndef CRITPATH_CELLS_H
#define CRITPATH_CELLS_H

#include "common/array.h"
#include "common/number_map.h"

#include <stdint.h>

/* Which times of two walks cancel each other (critpath/causes/wait_causes.h). */
enum cell_match {
	MATCH_SITE,	/* of the same cell */
	MATCH_FUNCTION, /* of cells with the same function */
	MATCH_NONE,	/* none */
	CELL_MATCHES,
};

enum cell_kind { CELL_COMPUTE, CELL_CALL };

/* In place of a function: with CELL_CALL before the rank begins, with CELL_COMPUTE at its end. */
#define NO_FUNCTION UINT32_C(0xffffff)

/* Numbers of these two. */
enum { CELL_OF_END, CELL_OF_START };

struct cells {
	enum cell_match match;
	ARRAY(struct cell)
	list; /* computation has even numbers, the calls behind it the next one */
	struct number_map by_call, by_function;
};

struct cell {
	uint64_t code;
	uint32_t
		match; /* cells whose times cancel have the same one, which is the number of a cell */
};

/* The code of a cell. */
static inline uint64_t cell_code(uint32_t function, uint32_t site, enum cell_kind kind)
{
	return (uint64_t)site << 32 | (uint64_t)function << 1 | kind;
}

static inline uint32_t cell_site(uint64_t code)
{
	return (uint32_t)(code >> 32);
}

static inline uint32_t cell_function(uint64_t code)
{
	return (uint32_t)code >> 1 & NO_FUNCTION;
}

static inline enum cell_kind cell_kind(uint64_t code)
{
	return (enum cell_kind)(code & 1);
}

/* Begin with the cells of start and end.  On failure end with cells_release, too. */
int cells_init(struct cells *cells, enum cell_match match, struct error *err);
void cells_release(struct cells *cells);

/* Find the number of a cell, which becomes that of a new one if need be. */
int cells_number(struct cells *cells, uint64_t code, uint32_t *number, struct error *err);

#endif
