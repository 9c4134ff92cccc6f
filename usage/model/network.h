/*
 * L, o and G of a network in production, from the least times of calls of many jobs.
 *
 * Other processes and late partners only ever add time.  So the least time of a call, over enough of them, is what the
 * model (doc/model.md, rendezvous `read`) says of one whose partner is ready, with B = (s - 1) G:
 *
 *	MPI_Send	s <= S	o			s > S	2 o + 4 L + B
 *	MPI_Recv	s <= S	o			s > S	o + 2 L + B
 *	MPI_Ssend	s <= S	o + 2 L + B		s > S	2 o + 4 L + B
 *
 * What takes longer at one size than at a larger one is lowered to that.
 *
 * Collectives say nothing of L: their least time is that of the rank that comes last, for which all messages have
 * arrived.
 *
 *	S	the last size before the greatest step of MPI_Send, or else of MPI_Recv, if its time grows more than 1.5 times as
 *		much as the size there
 *	o	the mean of the intercepts of MPI_Send and MPI_Recv up to S
 *	L	from the intercept of each of the lines that have it; the mean of those that are positive
 *	G	the mean of the slopes of these lines; overheads per byte are in it
 */
#ifndef USAGE_MODEL_NETWORK_H
#define USAGE_MODEL_NETWORK_H

#include <stddef.h>
#include <stdint.h>

enum network_call { NETWORK_SEND, NETWORK_RECV, NETWORK_SSEND, NETWORK_CALLS };

/* Fewest sizes of a line. */
enum { NETWORK_FEWEST = 3 };

struct least_time {
	enum network_call call;
	uint64_t bytes; /* 1 or more */
	double ns;
};

struct network_estimate {
	double o_ns, L_ns, G_ns_per_byte; /* NAN: the calls do not tell */
	double least_L_ns, most_L_ns;	  /* of the lines that have it */
	uint64_t S;	 /* largest size that did not wait; UINT64_MAX: there is no such step */
	double residual; /* relative, of all lines: root of the mean square */
};

/* Estimate from times in order of call and size, each pair once. */
struct network_estimate network_estimate(const struct least_time *times, size_t count);

#endif
