/* The rounds of the port by MPI: when they begin, and whether they were disturbed. */
#include "measure/mpi/clock.h"
#include "measure/mpi/overlap_port.h"
#include "measure/mpi/overlap_team.h"

#include <math.h>
#include <sys/resource.h>

enum { TAG_GO = 3, TAG_ANSWER, TAG_CLOCK }; /* others than those of the data */

static const double most_margin_ns = 2000000;

/* How often the system took the processor from this thread. */
static long switches_of_thread(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/* The partners are ready a little after they have answered. */
static double begin_with_partners(struct overlap_port *port, double rest_ns)
{
	const int first = port->partner, end = first + port->partner_count;

	overlap_team_meet(port->team);
	if (port->port.size > 2)
		MPI_Barrier(port->all);
	if (port->port.role == 1) {
		MPI_Recv(NULL, 0, MPI_CHAR, first, TAG_GO, port->pair, MPI_STATUS_IGNORE);
		port->switches = switches_of_thread();
		MPI_Send(NULL, 0, MPI_CHAR, first, TAG_ANSWER, port->pair);
		return (double)now_ns();
	}
	for (int i = first; i < end; i++)
		MPI_Send(NULL, 0, MPI_CHAR, i, TAG_GO, port->pair);
	for (int i = first; i < end; i++)
		MPI_Recv(NULL, 0, MPI_CHAR, i, TAG_ANSWER, port->pair, MPI_STATUS_IGNORE);
	if (rest_ns > 0)
		stay_away_until(now_ns() + (uint64_t)rest_ns);
	port->switches = switches_of_thread();
	return (double)now_ns();
}

/* Rank 0 orders a common start by its clock.  Returns it by the own clock. */
static double begin_together(struct overlap_port *port)
{
	const double awake_ns = 5000; /* before the start, without the processor for others */
	double start_ns = 0;

	MPI_Barrier(port->all);
	if (port->port.rank == 0)
		start_ns = (double)now_ns() + port->margin_ns;
	MPI_Bcast(&start_ns, 1, MPI_DOUBLE, 0, port->all);
	start_ns += port->offset_ns;
	if ((double)now_ns() < start_ns - awake_ns)
		stay_away_until((uint64_t)(start_ns - awake_ns));
	port->switches = switches_of_thread();
	port->late = (double)now_ns() > start_ns;
	while ((double)now_ns() < start_ns)
		;
	return start_ns;
}

double overlap_begin_round(struct port *base, double rest_ns)
{
	struct overlap_port *port = (struct overlap_port *)base;

	return overlap_is_collective(port) ? begin_together(port)
					   : begin_with_partners(port, rest_ns);
}

static void adapt_margin(struct overlap_port *port, bool late)
{
	port->margin_ns *= late ? 2 : 0.95;
	port->margin_ns = fmin(most_margin_ns, fmax(OVERLAP_LEAST_MARGIN_NS, port->margin_ns));
}

/* Learn how often the processor was taken from this rank or a partner. */
static long exchange_switches(struct overlap_port *port, long own)
{
	long sum = own, theirs;

	for (int i = port->partner; i < port->partner + port->partner_count; i++) {
		MPI_Sendrecv(&own, 1, MPI_LONG, i, TAG_GO, &theirs, 1, MPI_LONG, i, TAG_GO,
			     port->pair, MPI_STATUS_IGNORE);
		sum += theirs;
	}
	return sum;
}

unsigned overlap_end_round(struct port *base)
{
	struct overlap_port *port = (struct overlap_port *)base;
	long own[2] = {switches_of_thread() - port->switches, port->late}, all[2];

	if (!overlap_is_collective(port))
		return (unsigned)exchange_switches(port, own[0]);
	MPI_Allreduce(own, all, 2, MPI_LONG, MPI_SUM, port->all);
	adapt_margin(port, all[1] > 0);
	return (unsigned)(all[0] + all[1]);
}

/* --------------------------------------------------------------------- clocks */

/* Rank 0 asks a rank for its time; the fastest answer tells the difference of the clocks best. */
static double ask_for_offset(struct overlap_port *port, int rank)
{
	enum { TRIPS = 20 };
	double least_ns = INFINITY, offset_ns = 0;

	for (int i = 0; i < TRIPS; i++) {
		const uint64_t from_ns = now_ns();
		uint64_t theirs_ns, to_ns;

		MPI_Send(NULL, 0, MPI_CHAR, rank, TAG_CLOCK, port->all);
		MPI_Recv(&theirs_ns, 1, MPI_UINT64_T, rank, TAG_CLOCK, port->all,
			 MPI_STATUS_IGNORE);
		to_ns = now_ns();
		if ((double)(to_ns - from_ns) >= least_ns)
			continue;
		least_ns = (double)(to_ns - from_ns);
		offset_ns = (double)(int64_t)(theirs_ns - from_ns) - least_ns / 2;
	}
	MPI_Send(&offset_ns, 1, MPI_DOUBLE, rank, TAG_CLOCK, port->all);
	return offset_ns;
}

static void answer_for_offset(struct overlap_port *port)
{
	MPI_Status status;
	int bytes;

	for (;;) {
		uint64_t own_ns;

		MPI_Recv(&port->offset_ns, 1, MPI_DOUBLE, 0, TAG_CLOCK, port->all, &status);
		own_ns = now_ns();
		MPI_Get_count(&status, MPI_DOUBLE, &bytes);
		if (bytes > 0)
			return;
		MPI_Send(&own_ns, 1, MPI_UINT64_T, 0, TAG_CLOCK, port->all);
	}
}

void overlap_find_offset(struct overlap_port *port)
{
	port->offset_ns = 0;
	if (port->port.rank > 0)
		answer_for_offset(port);
	for (int rank = 1; port->port.rank == 0 && rank < (int)port->port.size; rank++)
		ask_for_offset(port, rank);
}
