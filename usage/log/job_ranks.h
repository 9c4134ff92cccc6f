/*
 * What a log says of all ranks, made step by step: by one process that has the tables of all ranks, or by
 * the ranks of a job, who pass their sums on to each other.
 */
#ifndef USAGE_LOG_JOB_RANKS_H
#define USAGE_LOG_JOB_RANKS_H

#include "usage/log/job_log.h"

/* Time in MPI of a rank. */
struct job_time {
	uint32_t rank;
	uint64_t ns;
};

/* Indices of the times of the ranks with a role; the rank 0 may be missing: `count`. */
struct job_roles {
	uint32_t count, first, most, least, average;
};

/* Find the roles of ranks.  At least one time, in the order of ranks: ties go to the lowest. */
struct job_roles job_roles_find(const struct job_time *times, uint32_t count);

/* Roles of time i: bits of enum job_role. */
unsigned job_roles_of(const struct job_roles *roles, uint32_t i);

/* Set mean, deviation, least, most and quantiles of a log. */
int job_log_set_times(struct job_log *log, const struct job_time *times, uint32_t count,
		      struct error *err);

/* Count a node with this number of ranks in ranks_per_node. */
int job_log_count_node(struct job_log *log, uint32_t ranks, struct error *err);

/* Cells of several ranks by their slot in `table`. */
struct job_cells {
	struct usage_table table;
	uint64_t rank_most_ns[USAGE_CELLS];
	uint64_t this_rank_ns[USAGE_CELLS]; /* 0 between calls */
	uint32_t ranks[USAGE_CELLS];
};

/* Make empty cells, to be freed. */
int job_cells_make(struct job_cells **cells, struct error *err);

/* Add the table of a rank, whose ticks are ns. */
void job_cells_add_table(struct job_cells *cells, const struct usage_table *table);

/* Add the sums of other ranks, with each key once. */
void job_cells_add(struct job_cells *cells, const struct job_cell *others, size_t count);

/* Append the cells to those of a log, by key, and set its overflow if something went to the catch-all. */
int job_cells_put(const struct job_cells *cells, struct job_log *log, struct error *err);

#endif
