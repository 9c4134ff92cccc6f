/*
 * Log of a job step: what its ranks spent in MPI, of all ranks together and of four of them.
 *
 * A log is one small file, compressed JSON, whose size does not grow with the number of ranks.
 * doc/usage-format.md has the schema, doc/usage.md what its numbers mean.  Times are ns.
 *
 *	struct job_log log;
 *
 *	if (job_log_read(&log, path, err) < 0)
 *		...
 *	job_log_release(&log);
 */
#ifndef USAGE_LOG_JOB_LOG_H
#define USAGE_LOG_JOB_LOG_H

#include "common/array.h"
#include "common/error.h"
#include "trace/call/mpi_functions.h"
#include "usage/log/cell.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Value of a number that could not be found out. */
#define USAGE_UNKNOWN UINT64_MAX

/* How a job step ended. */
enum job_end {
	JOB_FINALIZED,	/* all ranks in MPI_Finalize */
	JOB_PARTIAL,	/* MPI_Finalize, but some ranks were not there in time */
	JOB_EXITED,	/* without MPI_Finalize */
	JOB_KILLED,	/* what was left of it was collected */
	JOB_RUNNING,	/* looked at while it runs */
	JOB_OTHER_TOOL, /* not recorded: another tool has wrapped MPI in the program */
	JOB_ENDS
};
extern const char *const job_end_names[JOB_ENDS]; /* "finalize", "partial", "exit", "killed", ... */

/* Which rank an entry of job_log.ranks is; any combination.  Ties: the lowest rank. */
enum job_role {
	JOB_FIRST = 1,	 /* rank 0 */
	JOB_MOST = 2,	 /* most time in MPI */
	JOB_LEAST = 4,	 /* least */
	JOB_AVERAGE = 8, /* nearest to the mean */
};

enum { JOB_QUANTILES = 17, JOB_LEVELS = 5 };

/* Counters of a rank, USAGE_UNKNOWN if they could not be read. */
enum job_counter {
	JOB_INSTRUCTIONS, /* in user mode, from MPI_Init to MPI_Finalize */
	JOB_CYCLES,
	JOB_FLOATING_POINT, /* operations */
	JOB_RSS_BYTES,	    /* greatest resident set */
	JOB_USER_NS,
	JOB_SYSTEM_NS,
	JOB_VOLUNTARY_SWITCHES,
	JOB_INVOLUNTARY_SWITCHES,
	JOB_COUNTER_END
};
extern const char *const job_counter_names[JOB_COUNTER_END];

/* MPI_THREAD_SINGLE, ..., MPI_THREAD_MULTIPLE, or not known, independent of the values of an MPI. */
enum job_level { JOB_SINGLE, JOB_FUNNELED, JOB_SERIALIZED, JOB_MULTIPLE, JOB_LEVEL_UNKNOWN };
extern const char *const job_level_names[JOB_LEVELS]; /* "single", ..., "unknown" */

/* Calls of a function, of one rank.  Calls that failed count, too. */
struct job_calls {
	uint16_t function; /* CALL_..., or USAGE_REST */
	uint64_t calls, bytes, moved, ns;
};

/*
 * Calls of all ranks together.  A log that is made from a trace does not know the time of each poll: then the
 * bins have fewer calls than the cell, and `least` and `most` are of those in bins.  Without any of these
 * `least` is USAGE_UNKNOWN and `most` 0.
 */
struct job_cell {
	struct usage_cell cell; /* ticks are ns */
	uint64_t rank_most_ns;	/* time of the rank that spent most in this cell */
	uint32_t ranks;		/* that have the cell */
};

struct job_rank {
	uint32_t rank;
	unsigned roles;	   /* enum job_role */
	char *host;	   /* or NULL */
	uint64_t mpi_ns;   /* in MPI, of all threads (usage_counts_as_mpi) */
	uint64_t local_ns; /* in functions of class LOCAL */
	uint64_t counters[JOB_COUNTER_END];
	ARRAY(struct job_calls) calls; /* by function */
};

/* Nodes with this number of ranks. */
struct job_nodes {
	uint32_t ranks, nodes;
};

struct job_log {
	/* Which job.  Strings may be NULL: not known. */
	char *system;	  /* name of the cluster */
	char *job, *step; /* ids of the scheduler; without one "" and the process id of rank 0 */
	char *parent;	  /* of spawned processes: job_log_identity of the job that spawned them, or its id */
	char *user;
	char *program;	    /* path of the executable */
	char *build_id;	    /* in hexadecimal */
	uint64_t args_hash; /* of the arguments; they themselves are not kept */
	char *library;	    /* version of MPI, first line */
	char *clock;	    /* "tsc", "monotonic"; "trace" of a log that is made from a trace */
	uint64_t clock_hz;  /* of the time-stamp counter, nominal; 0 or USAGE_UNKNOWN: not known */
	char *reason;	    /* why nothing was recorded, or the log is not whole */
	uint64_t start_unix_ns; /* MPI_Init returned */
	enum job_end end;
	uint64_t mpi_ns;     /* runtime: MPI_Init left to MPI_Finalize entered, of rank 0 */
	uint64_t process_ns; /* since the process of rank 0 was loaded */

	/* Its ranks. */
	uint32_t ranks, nodes;
	uint32_t ranks_seen, nodes_seen; /* that the log has data of; less if the job was killed */
	uint32_t threads;		 /* that called MPI, of the rank that has most */
	enum job_level level_asked, level_given;
	ARRAY(struct job_nodes) ranks_per_node; /* by `ranks` */
	bool overflow;				/* a rank had more cells than a table has */

	/* Time in MPI by rank, as job_rank.mpi_ns. */
	double mean_ns, deviation_ns; /* deviation: of the population */
	uint64_t least_ns, most_ns;
	uint64_t quantiles_ns[JOB_QUANTILES]; /* quantile i: rank floor(i (P-1) / 16) by time */

	ARRAY(struct job_cell) cells; /* of all ranks, by key */
	ARRAY(struct job_rank)
	rank_list; /* those with a role, by rank; with RANKS=all all of them */
};

/*
 * Write a log to a stream: compressed, or as plain JSON.  A compressed log of at most four ranks has at most
 * 16 KB: if it would be larger, the cells and functions of the least time are added to the catch-all, and
 * `overflow` is set in the file.  Numbers above INT64_MAX are written as INT64_MAX, USAGE_UNKNOWN as null.
 */
int job_log_write(const struct job_log *log, FILE *stream, bool compressed, struct error *err);

/*
 * Read a log from a file, compressed or not.  Damaged, foreign and future logs are STATUS_DATA, those that are
 * too large STATUS_LIMIT.  The error begins with the path and tells the place.  On failure nothing is to be
 * released.  Read logs have: cells and calls in order and each key once, size and communicator classes in
 * their ranges, ranks in order and below `ranks`, each role at most once, numbers at most INT64_MAX.
 */
int job_log_read(struct job_log *log, const char *path, struct error *err);

/* Read a log from memory.  `name` is for messages. */
int job_log_parse(struct job_log *log, const char *name, const void *data, size_t size,
		  struct error *err);

/* Free what the log owns, and set it to zero bytes. */
void job_log_release(struct job_log *log);

/* Data of a rank, from which a log is made. */
struct job_part {
	uint32_t rank;
	const char *host;
	const struct usage_table *table; /* of all threads together; ticks are ns */
	uint64_t counters[JOB_COUNTER_END];
	uint32_t threads;
};

/*
 * Sums of ranks, from which a log is made: for what has the tables of all ranks, one after the other or at
 * once.  A job that runs reduces them instead.
 *
 *	job_sums_make(&sums, err);
 *	job_sums_add(sums, &part, err);		for each rank, in ascending order
 *	job_sums_end(sums, &log, false, err);
 *	job_sums_free(sums);
 *
 * End fills what the log says of ranks: times, quantiles, roles, cells, overflow, threads, ranks_seen,
 * nodes_seen and ranks_per_node (if all hosts are known), and rank_list (the ranks with roles, or `all` ranks).
 * Without ranks it changes nothing but ranks_seen and threads.  After an error the log is to be released.
 */
struct job_sums;
int job_sums_make(struct job_sums **sums, struct error *err);
int job_sums_add(struct job_sums *sums, const struct job_part *part, struct error *err);
int job_sums_end(struct job_sums *sums, struct job_log *log, bool all, struct error *err);
void job_sums_free(struct job_sums *sums); /* takes NULL too */

/* The same at once. */
int job_log_add_parts(struct job_log *log, const struct job_part *parts, uint32_t count, bool all,
		      struct error *err);

/*
 * Whether time in a function is time in MPI.  Functions of class LOCAL concern no other rank, and those that
 * begin or end MPI are not within the runtime, from MPI_Init to MPI_Finalize.  The catch-all counts.
 */
static inline bool usage_counts_as_mpi(uint16_t function)
{
	return function >= MPI_FUNCTION_COUNT ||
	       (mpi_functions[function].class != MPI_CLASS_LOCAL &&
		mpi_functions[function].class != MPI_CLASS_INIT &&
		mpi_functions[function].class != MPI_CLASS_FINALIZE);
}

/* Time of a table in MPI, and in functions of class LOCAL: ns. */
void usage_table_time(const struct usage_table *table, uint64_t *mpi_ns, uint64_t *local_ns);

/* Sums of a table by function, in the order of functions. */
int usage_table_calls(const struct usage_table *table, struct job_rank *rank, struct error *err);

/* What tells the job step from others of its system: JOB.STEP-START, as in the name of its log. */
void job_log_identity(const struct job_log *log, char *text, size_t size);

/*
 * Name of a log in its directory: YYYY/MM/DD/JOB.STEP-START-RANDOM.usage, by the start in UTC
 * (YYYYMMDDTHHMMSS).  `random` makes it unique.  What is neither a letter nor a digit in an id becomes "_".
 * Without a job JOB is "nojob".  A name has at most JOB_LOG_NAME_BYTES with the final zero.
 */
enum { JOB_LOG_NAME_BYTES = 160 };
void job_log_name(const struct job_log *log, uint64_t random, char *name, size_t size);

#endif
