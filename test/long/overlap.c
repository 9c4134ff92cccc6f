/*
 * The core of the overlap benchmark (measure/overlap) on SMPI, whose messages and computations take simulated time.
 *
 *	overlap		measure a few cells of several benchmarks; lines "BENCH BYTES COMPUTE RATIO RATIO_SEQ"
 */
#include "common/array.h"
#include "measure/cells/ratio.h"
#include "measure/overlap/cell_measure.h"

#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <string.h>

enum { TAG_DATA, TAG_NOTICE, TAG_ROUND, MOST_BYTES = 1 << 20, REPEAT = 3 };

struct smpi_port {
	struct port port; /* first */
	struct cell_spec spec;
	MPI_Request requests[2];
	int open;
	char *send, *receive;
};

static struct smpi_port *port_of(struct port *port)
{
	return (struct smpi_port *)port;
}

static double now_ns(struct port *port)
{
	(void)port;
	return MPI_Wtime() * 1e9;
}

/* ----------------------------------------------------------------- operations */

/* Hosts make one operation in a nanosecond. */
static void compute(double ns)
{
	smpi_execute_flops(ns);
}

static void collective(struct smpi_port *port, bool blocking)
{
	const int bytes = (int)port->spec.bytes, share = bytes / (int)port->port.size;

	if (port->spec.bench == BENCH_IBCAST)
		MPI_Ibcast(port->send, bytes, MPI_CHAR, 0, MPI_COMM_WORLD, port->requests);
	else
		MPI_Ialltoall(port->send, share, MPI_CHAR, port->receive, share, MPI_CHAR,
			      MPI_COMM_WORLD, port->requests);
	port->open = 1;
	if (blocking)
		MPI_Wait(port->requests, MPI_STATUS_IGNORE);
	port->open -= blocking;
}

static void blocking_operation(struct smpi_port *port, enum operation operation)
{
	const bool data = operation == OP_SEND || operation == OP_RECV;
	const int bytes = data ? (int)port->spec.bytes : 0, tag = data ? TAG_DATA : TAG_NOTICE;
	const int partner = (int)port->port.rank ^ 1;

	if (operation == OP_SEND || operation == OP_NOTIFY)
		MPI_Send(port->send, bytes, MPI_CHAR, partner, tag, MPI_COMM_WORLD);
	else
		MPI_Recv(port->receive, bytes, MPI_CHAR, partner, tag, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
}

static void perform(struct port *base, enum operation operation, enum layout layout)
{
	struct smpi_port *port = port_of(base);
	const int partner = (int)base->rank ^ 1, bytes = (int)port->spec.bytes;

	(void)layout;
	switch (operation) {
	case OP_ISEND:
		MPI_Isend(port->send, bytes, MPI_CHAR, partner, TAG_DATA, MPI_COMM_WORLD,
			  &port->requests[port->open++]);
		break;
	case OP_IRECV:
		MPI_Irecv(port->receive, bytes, MPI_CHAR, partner, TAG_DATA, MPI_COMM_WORLD,
			  &port->requests[port->open++]);
		break;
	case OP_WAIT:
		MPI_Waitall(port->open, port->requests, MPI_STATUSES_IGNORE);
		port->open = 0;
		break;
	case OP_COMPUTE:
		compute(port->spec.compute_ns);
		break;
	case OP_COLLECTIVE:
	case OP_BLOCKING:
		collective(port, operation == OP_BLOCKING);
		break;
	default:
		blocking_operation(port, operation);
	}
}

/* --------------------------------------------------------------------- rounds */

/* Let all ranks start at the same time. */
static double begin_together(void)
{
	double start = MPI_Wtime() + 1, latest;

	MPI_Allreduce(&start, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	compute((latest - MPI_Wtime()) * 1e9);
	return MPI_Wtime() * 1e9;
}

static double begin_round(struct port *base, double rest_ns)
{
	struct smpi_port *port = port_of(base);
	const int partner = (int)base->rank ^ 1;

	if (bench_descriptions[port->spec.bench].group == BENCH_COLLECTIVE)
		return begin_together();
	if (base->rank == 0) {
		MPI_Send(NULL, 0, MPI_CHAR, partner, TAG_ROUND, MPI_COMM_WORLD);
		MPI_Recv(NULL, 0, MPI_CHAR, partner, TAG_ROUND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		compute(rest_ns);
	} else {
		MPI_Recv(NULL, 0, MPI_CHAR, partner, TAG_ROUND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_CHAR, partner, TAG_ROUND, MPI_COMM_WORLD);
	}
	return now_ns(base);
}

static unsigned end_round(struct port *port)
{
	(void)port;
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}

static int prepare(struct port *port, const struct cell_spec *spec, bool both_types,
		   struct error *err)
{
	(void)both_types;
	(void)err;
	port_of(port)->spec = *spec;
	return 0;
}

static void finish(struct port *port)
{
	(void)port;
}

static void largest(struct port *port, double *values, size_t count)
{
	MPI_Reduce(port->rank ? values : MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_MAX, 0,
		   MPI_COMM_WORLD);
}

static void gather(struct port *port, double value, double *values)
{
	(void)port;
	MPI_Gather(&value, 1, MPI_DOUBLE, values, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void broadcast(struct port *port, void *bytes, size_t count)
{
	(void)port;
	MPI_Bcast(bytes, (int)count, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static const struct port_methods methods = {
	.now_ns = now_ns,
	.prepare = prepare,
	.finish = finish,
	.perform = perform,
	.begin_round = begin_round,
	.end_round = end_round,
	.cpu_ns = now_ns,
	.largest = largest,
	.gather = gather,
	.broadcast = broadcast,
};

/* --------------------------------------------------------------------- cells */

static void measure(struct smpi_port *port, enum bench bench, uint64_t bytes, double compute_ns)
{
	const struct cell_order order = {
		.spec = {.bench = bench, .bytes = bytes, .compute_ns = compute_ns, .pending = 1},
		.repeat = REPEAT,
	};
	struct cell cell;
	struct error err;

	if (cell_measure(&port->port, &order, &cell, &err) < 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (port->port.rank)
		return;
	printf("%s %llu %g %.9f %.9f\n", bench_descriptions[bench].name, (unsigned long long)bytes,
	       compute_ns, cell_ratio(&cell), cell_ratio_seq(&cell));
	cell_release(&cell);
}

int main(int argc, char **argv)
{
	static const enum bench pairs[] = {BENCH_SENDER, BENCH_RECEIVER, BENCH_BOTH,
					   BENCH_NONCONTIG, BENCH_CPU};
	static const enum bench collectives[] = {BENCH_IBCAST, BENCH_IALLTOALL};
	struct smpi_port port = {.port = {.methods = &methods}};
	const enum bench *benches = pairs;
	size_t count = sizeof pairs / sizeof *pairs;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	port.port.rank = (unsigned)rank;
	port.port.size = (unsigned)size;
	port.port.role = (unsigned)rank % 2;
	port.send = calloc(2, MOST_BYTES);
	port.receive = port.send + MOST_BYTES;
	if (size > 2) {
		benches = collectives;
		count = sizeof collectives / sizeof *collectives;
	}
	for (size_t b = 0; b < count; b++)
		for (uint64_t bytes = 64; bytes <= MOST_BYTES; bytes *= 16)
			for (double compute_ns = 500; compute_ns < 1e7; compute_ns *= 7)
				measure(&port, benches[b], bytes, compute_ns);
	free(port.send);
	MPI_Finalize();
	return 0;
}
