/*
 * An index that is asked for figures: the jobs that are asked about, as temporary tables.
 *
 *	log	jobs with a log that the figures of MPI usage are about: all of them, or, if the index has the
 *		scheduler's records, those of the filter.
 *		job, record		ids
 *		application		id of `texts`
 *		core_hours		the record's; rank-hours if neither a record nor the system tells
 *		weight			of the job in distributions: 1, or its core-hours
 *		scale			1, or its ranks: factor of sums of the average rank
 *		time_ns			runtime of the threads that called MPI, together
 *		mpi_ns			time in MPI of the average rank, M
 *		p2p_ns, collective_ns	parts of it; p2p_ns with completion
 *		fraction		mpi_ns / time_ns
 *		seconds			runtime, the scheduler's if there is a record
 *		nodes, ranks, ranks_per_node, level, args_hash, mean_ns, most_ns
 *		runtime_ns, exposure	from MPI_Init to MPI_Finalize; Lambda (usage/model/exposure.h)
 *		rank_hours		1: core_hours are rank-hours
 *	record	the scheduler's records: id, executable, core_hours, seconds, nodes, and 0 or 1: programme,
 *		filtered, normal, logged
 *	sums	of jobs in log, by application and function (without _c): application, function (ids), jobs,
 *		calls, bytes, ns, core_hours.  Functions of class local are there with `local` only.
 *
 *	exposure	of jobs in log: job, counted (Lambda), exposure (lambda_L if the job was traced, else Lambda times the
 *			factor of its application, or of all), runtime_ns
 *	calibration	made with exposure: application (id; NULL: of all), jobs that were traced, factor (the median of
 *			lambda_L / Lambda), least, most
 *
 *	least_times	of jobs in log, by place (usage/log/cell.h), call (usage/model/network.h) and bytes: ns, the least time of a
 *			call, calls of all ranks, jobs
 *	network		made with least_times: place, overhead_ns, latency_ns with least_ns and most_ns, gap_ns_per_byte, threshold
 *			(NULL: none), residual, sizes (rows of least_times)
 *
 * `trace_line(program, ranks)` is a command that traces a job (usage/model/fleet.h), `node_class(n)` the least
 * power of two that is not less than n.
 */
#ifndef USAGE_FIGURES_FIGURE_SOURCE_H
#define USAGE_FIGURES_FIGURE_SOURCE_H

#include "usage/index/database.h"

/* Which jobs are asked about, and how they are counted. */
struct figure_scope {
	const char *where; /* condition in SQL on the columns of FIGURE_WHERE_COLUMNS; NULL: none */
	bool core_hours;   /* weight of a job in distributions and quartiles; else 1 */
	bool ranks;	   /* sums over jobs: of the average rank times the ranks */
	bool local;	   /* functions that concern no other rank are time in MPI */
};

/* Columns that a condition may name; those after `seconds` are unknown for jobs without a log. */
#define FIGURE_WHERE_COLUMNS                                                                    \
	"system, job, step, user, project, programme, domain, application, program, state, "    \
	"exit_status, nodes, core_hours, start_ns, seconds, ranks, ranks_per_node, threads, "   \
	"level_asked, level_given, library, \"end\", build_id, args_hash, mpi_ns, process_ns, " \
	"fraction"

struct figure_source {
	struct usage_db db;
	struct figure_scope scope;
	uint64_t logs;	     /* in the index */
	uint64_t jobs;	     /* in the table log */
	uint64_t records;    /* that are asked about */
	uint64_t no_hours;   /* records whose core-hours are not known */
	uint64_t no_cores;   /* of these those that had nodes, whose cores are not known */
	uint64_t rank_hours; /* jobs whose core-hours are rank-hours */
	uint64_t no_record;  /* logs without a record, if there are records */
	uint64_t damaged;    /* files */
	bool has_records;    /* the index has records of the scheduler */
	bool has_record_table, has_sums, has_exposure, has_network;
};

/* Open an index and make the table log.  A condition that is no SQL is STATUS_USAGE. */
int figure_source_open(struct figure_source *source, const char *path,
		       const struct figure_scope *scope, struct error *err);
void figure_source_close(struct figure_source *source);

/* Make the table record, or sums, or exposure, or network, if it is not there. */
int figure_source_records(struct figure_source *source, struct error *err);
int figure_source_sum(struct figure_source *source, struct error *err);
int figure_source_expose(struct figure_source *source, struct error *err);
int figure_source_network(struct figure_source *source, struct error *err);

#endif
