/*
 * Rows of a table of causes, each with what it cost, on whichever process it was found.
 */
#ifndef CRITPATH_CAUSE_ROWS_H
#define CRITPATH_CAUSE_ROWS_H

#include "common/number_map.h"
#include "dist/dist.h"

/* What a row is about: two numbers, whose meaning the table knows. */
struct cause_key {
	uint64_t second;
	uint32_t first;
};

struct cause_row {
	struct cause_key key;
	__int128 cost_as,
		direct_as; /* waiting that it caused; part of it without other waits between */
	/* Sum over its times of their length in ns, times by how much more waiting 1 ns more of them causes. */
	__int128 weighted_ns;
	uint64_t time_ns; /* all its time */
	uint64_t path_ns; /* part on the critical path */
	uint32_t victims; /* ranks that waited for it */
	/* Of waits by what waited (critpath/causes/cause_waiters.h); victims are the ranks that waited: */
	uint64_t waits, propagating_ns;
	struct cause_key cause; /* what caused most of it */
	__int128 cause_as;	/* ... so much */
	uint32_t last_victim;	/* private: plus 1 */
};

struct cause_rows {
	ARRAY(struct cause_row) list;
	struct number_map places;
};

/* Find or add the row of a key.  It is valid until the next one is added. */
int cause_rows_get(struct cause_rows *rows, struct cause_key key, struct cause_row **row,
		   struct error *err);

/* Count a rank that waited, once.  Each rank's waits come one after the other. */
void cause_row_count_victim(struct cause_row *row, uint32_t rank);

/*
 * Collective.  Let process 0 have the rows of all processes, those of a key added up.  The victims of a process are
 * its own ranks.
 */
int cause_rows_gather(struct cause_rows *rows, struct dist *dist, struct error *err);

/* Sort by cost, the largest first, then by key; or by key. */
void cause_rows_sort(struct cause_rows *rows, bool by_key);

void cause_rows_release(struct cause_rows *rows);

#endif
