/*
 * How often a rank of a job has waited for a latency: an estimate from the counts of its calls.
 *
 *	Lambda_r = sum over functions f of calls_r(f) depth(f)  +  min(completions_r, receives_r)
 *
 * depth(f) is the number of messages that follow each other in a call, over the calls of all ranks
 * (doc/usage.md, "Latency exposure"):
 *
 *	ceil(log2 P)	barrier, bcast, reduce, allreduce, gather, scatter, allgather(v), scan, exscan,
 *			reduce_scatter(_block), making communicators and windows, fences, by the default algorithms of
 *			schedgen; P is the size of the communicator
 *	1		gatherv, scatterv, alltoall(v, w), collectives of neighbours; receives that wait;
 *			unlocking and flushing windows, waiting for their epochs
 *	2		MPI_Ssend: a message and its answer
 *	0		all other calls: sends do not wait for the network
 *
 * completions are calls that complete requests, receives those that start a receive: only the latter wait for a message,
 * and a call that completes several waits once.
 *
 * Along the critical path of a run a rank's part has at most its latencies, but ranks that wait for each other add
 * theirs: Lambda is no bound of lambda_L.  Then a rise of the latency by
 *
 *	Delta L = x / 100 * T / max_r Lambda_r
 *
 * makes the runtime T x % longer, as an estimate of first order.
 */
#ifndef USAGE_MODEL_EXPOSURE_H
#define USAGE_MODEL_EXPOSURE_H

#include "usage/log/job_log.h"

/* Depths of the functions of a job.  Set to zero bytes but for the number of its ranks. */
struct exposure {
	uint32_t ranks;
	/* Private: of all ranks, by function. */
	double calls[MPI_FUNCTION_COUNT], messages[MPI_FUNCTION_COUNT];
};

/* Add calls of all ranks, from a cell of the log or a row of an index. */
void exposure_add_cell(struct exposure *exposure, uint16_t function, uint8_t comm_class,
		       uint64_t calls);

/* Find Lambda of a rank from its calls by function. */
double exposure_of_calls(const struct exposure *exposure, const struct job_calls *calls,
			 size_t count);

/* Latencies that follow each other in a call on a communicator of `ranks` ranks. */
double exposure_depth(uint16_t function, uint32_t ranks);

/* Lambda of the ranks of a log: of the average rank, and the greatest one. */
struct job_exposure {
	double average, most;
};
struct job_exposure exposure_of_log(const struct job_log *log);

/*
 * Rise of the latency, in ns, that makes the runtime `percent` % longer.  INFINITY if the job waits for no
 * latency, NAN if its runtime is not known.
 */
double exposure_tolerance_ns(uint64_t runtime_ns, double exposure, double percent);

#endif
