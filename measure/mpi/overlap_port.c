#include "measure/mpi/overlap_port.h"

#include "common/array.h"
#include "measure/mpi/clock.h"
#include "measure/mpi/overlap_team.h"

#include <math.h>
#include <string.h>

enum { TAG_DATA = 1, TAG_NOTIFY };
enum { PAGE = 4096, STARTS_SEND = 0, STARTS_RECEIVE = 1 };

static struct overlap_port *port_of(struct port *port)
{
	return (struct overlap_port *)port;
}

static bool is_partitioned(const struct overlap_port *port)
{
	return port->spec.bench == BENCH_PARTITIONED_SEND ||
	       port->spec.bench == BENCH_PARTITIONED_RECV;
}

static bool is_one_sided(const struct overlap_port *port)
{
	return bench_descriptions[port->spec.bench].group == BENCH_ONE_SIDED;
}

/* Messages that this rank begins at once: one of several partners has one of them. */
static unsigned message_count(const struct overlap_port *port)
{
	return port->is_one_of_several ? 1 : port->spec.pending;
}

static int partner_of(const struct overlap_port *port, unsigned message)
{
	return port->partner + (int)message % port->partner_count;
}

/* -------------------------------------------------------------------- buffers */

/* Divide the memory into two buffers; its pages exist afterwards. */
static int take_memory(struct overlap_port *port, size_t send_bytes, size_t receive_bytes,
		       struct error *err)
{
	const size_t first = (send_bytes + PAGE) / PAGE * PAGE,
		     bytes = first + receive_bytes + PAGE;

	if (bytes > port->capacity) {
		free(port->memory);
		port->capacity = 0;
		port->memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
		if (!port->memory)
			return error_set_memory(err, bytes);
		memset(port->memory, 1, bytes);
		port->capacity = bytes;
	}
	port->send = port->memory;
	port->receive = port->memory + first;
	return 0;
}

/* Blocks of 32 bytes in every 64; shorter ones in messages that are no multiple of 32 bytes. */
static void make_vector(struct overlap_port *port)
{
	int block = 32;

	while (port->spec.bytes % (uint64_t)block)
		block /= 2;
	MPI_Type_vector((int)(port->spec.bytes / (uint64_t)block), block, 2 * block, MPI_CHAR,
			&port->vector);
	MPI_Type_commit(&port->vector);
}

static int take_messages(struct overlap_port *port, struct error *err)
{
	const size_t extent = (port->spec.bench == BENCH_NONCONTIG ? 2 : 1) * port->spec.bytes;
	const size_t pending = message_count(port);

	port->spacing = pending > 1 ? (extent + PAGE) / PAGE * PAGE : extent;
	TRY(take_memory(port, pending * port->spacing, pending * port->spacing, err));
	TRY(allocate(&port->requests, 2 * pending, sizeof(MPI_Request), err));
	make_vector(port);
	return 0;
}

/* Make a partitioned request (MPI 4) of up to 8 partitions; libraries without it never get here. */
static void make_partitioned(struct overlap_port *port, int starts, unsigned message)
{
#if MPI_VERSION >= 4
	const int partner = partner_of(port, message);
	MPI_Request *request = &port->starts[starts][message];
	int count;

	port->partitions = 8;
	while (port->spec.bytes % (uint64_t)port->partitions)
		port->partitions /= 2;
	count = (int)port->spec.bytes / port->partitions;
	if (starts == STARTS_SEND)
		MPI_Psend_init(port->send + message * port->spacing, port->partitions, count,
			       MPI_CHAR, partner, TAG_DATA, port->pair, MPI_INFO_NULL, request);
	else
		MPI_Precv_init(port->receive + message * port->spacing, port->partitions, count,
			       MPI_CHAR, partner, TAG_DATA, port->pair, MPI_INFO_NULL, request);
#else
	(void)port;
	(void)starts;
	(void)message;
#endif
}

static void make_persistent(struct overlap_port *port, int starts, unsigned message)
{
	const int bytes = (int)port->spec.bytes, partner = partner_of(port, message);
	MPI_Request *request = &port->starts[starts][message];

	if (starts == STARTS_SEND)
		MPI_Send_init(port->send + message * port->spacing, bytes, MPI_CHAR, partner,
			      TAG_DATA, port->pair, request);
	else
		MPI_Recv_init(port->receive + message * port->spacing, bytes, MPI_CHAR, partner,
			      TAG_DATA, port->pair, request);
}

/* A partitioned request exists on both sides: rank 0 has one direction, and its partner the other. */
static bool starts_exist(const struct overlap_port *port, int starts)
{
	const enum bench sends = port->port.role == 0 ? BENCH_PARTITIONED_SEND
						      : BENCH_PARTITIONED_RECV;

	return !is_partitioned(port) || (starts == STARTS_SEND) == (port->spec.bench == sends);
}

static int take_persistent(struct overlap_port *port, struct error *err)
{
	for (int i = 0; i < 2; i++) {
		if (!starts_exist(port, i))
			continue;
		TRY(allocate(&port->starts[i], message_count(port), sizeof(MPI_Request), err));
		for (unsigned j = 0; j < message_count(port); j++) {
			if (is_partitioned(port))
				make_partitioned(port, i, j);
			else
				make_persistent(port, i, j);
		}
	}
	return 0;
}

/*
 * Allocate the windows of the pairs one after the other: Open MPI 4 names their files in shared memory after the
 * number of the communicator, which all pairs of a node have in common.
 */
static void allocate_window(struct overlap_port *port, MPI_Aint bytes, void *memory)
{
	for (int pair = 0; pair < port->ranks / 2; pair++) {
		if (pair == port->rank / 2)
			MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, port->pair, memory,
					 &port->window);
		if (port->ranks > 2)
			MPI_Barrier(port->all);
	}
}

/* Open a window, and an epoch of access to the partner's until finish. */
static void take_window(struct overlap_port *port)
{
	const MPI_Aint bytes = (MPI_Aint)(port->spec.pending * port->spacing);
	void *memory;

	allocate_window(port, bytes, &memory);
	memset(memory, 1, (size_t)bytes);
	MPI_Barrier(port->pair);
	MPI_Win_lock(MPI_LOCK_SHARED, port->partner, 0, port->window);
}

static int take_collective(struct overlap_port *port, struct error *err)
{
	const enum bench bench = port->spec.bench;
	const int ranks = port->ranks;

	TRY(take_memory(port, collective_send_blocks(bench, ranks) * port->spec.bytes,
			collective_receive_blocks(bench, ranks) * port->spec.bytes, err));
	TRY(allocate(&port->requests, 1, sizeof(MPI_Request), err));
	port->collective = (struct collective){
		.bench = bench,
		.comm = port->all,
		.ring = port->ring,
		.send = port->send,
		.receive = port->receive,
	};
	return collective_prepare(&port->collective, port->spec.bytes, err);
}

static int port_prepare(struct port *base, const struct cell_spec *spec, bool both_types,
			struct error *err)
{
	struct overlap_port *port = port_of(base);

	port->spec = *spec;
	port->both_types = both_types && spec->bench == BENCH_NONCONTIG;
	port->request_count = 0;
	if (overlap_is_collective(port)) {
		overlap_find_offset(port);
		return take_collective(port, err);
	}
	TRY(take_messages(port, err));
	if (is_partitioned(port) || spec->bench == BENCH_PERSISTENT_SEND ||
	    spec->bench == BENCH_PERSISTENT_RECV)
		TRY(take_persistent(port, err));
	if (is_one_sided(port))
		take_window(port);
	if (spec->bench == BENCH_NLOAD)
		TRY(load_begin(&port->load, spec->threads, port->pin, err));
	return 0;
}

static void port_finish(struct port *base)
{
	struct overlap_port *port = port_of(base);

	load_end(&port->load);
	if (port->window != MPI_WIN_NULL) {
		MPI_Win_unlock(port->partner, port->window);
		MPI_Win_free(&port->window);
	}
	for (int i = 0; i < 2; i++) {
		for (unsigned j = 0; port->starts[i] && j < message_count(port); j++)
			MPI_Request_free(&port->starts[i][j]);
		free(port->starts[i]);
		port->starts[i] = NULL;
	}
	if (port->vector != MPI_DATATYPE_NULL)
		MPI_Type_free(&port->vector);
	collective_release(&port->collective);
	free(port->requests);
	port->requests = NULL;
}

/* ----------------------------------------------------------------- operations */

static void perform_message(struct overlap_port *port, enum operation operation, unsigned number,
			    enum layout layout)
{
	const bool sends = operation == OP_SEND || operation == OP_ISEND;
	const bool vector = layout == LAYOUT_VECTOR && (sends || port->both_types);
	const MPI_Datatype type = vector ? port->vector : MPI_CHAR;
	const int count = vector ? 1 : (int)port->spec.bytes;
	const int to = partner_of(port, number);
	char *buffer = (sends ? port->send : port->receive) + number * port->spacing;
	MPI_Request *request = &port->requests[port->request_count];

	switch (operation) {
	case OP_SEND:
		MPI_Send(buffer, count, type, to, TAG_DATA, port->pair);
		break;
	case OP_RECV:
		MPI_Recv(buffer, count, type, to, TAG_DATA, port->pair, MPI_STATUS_IGNORE);
		break;
	case OP_ISEND:
		MPI_Isend(buffer, count, type, to, TAG_DATA, port->pair, request);
		port->request_count++;
		break;
	default:
		MPI_Irecv(buffer, count, type, to, TAG_DATA, port->pair, request);
		port->request_count++;
	}
}

/* Let the data of partitioned sends go. */
static void make_ready(struct overlap_port *port, MPI_Request *requests, int count)
{
#if MPI_VERSION >= 4
	for (int i = 0; i < count; i++)
		MPI_Pready_range(0, port->partitions - 1, requests[i]);
#else
	(void)port;
	(void)requests;
	(void)count;
#endif
}

static void perform_start(struct overlap_port *port, int starts)
{
	const int count = (int)message_count(port);
	MPI_Request *requests = port->requests + port->request_count;

	memcpy(requests, port->starts[starts], (size_t)count * sizeof *requests);
	if (count == 1)
		MPI_Start(requests);
	else
		MPI_Startall(count, requests);
	if (is_partitioned(port) && starts == STARTS_SEND)
		make_ready(port, requests, count);
	port->request_count += count;
}

static void perform_access(struct overlap_port *port, enum operation operation)
{
	const int bytes = (int)port->spec.bytes, target = port->partner;

	for (unsigned i = 0; i < port->spec.pending; i++) {
		const size_t offset = i * port->spacing;

		if (operation == OP_PUT)
			MPI_Put(port->send + offset, bytes, MPI_CHAR, target, (MPI_Aint)offset,
				bytes, MPI_CHAR, port->window);
		else
			MPI_Get(port->receive + offset, bytes, MPI_CHAR, target, (MPI_Aint)offset,
				bytes, MPI_CHAR, port->window);
	}
}

static void perform_wait(struct overlap_port *port)
{
	if (port->request_count == 1)
		MPI_Wait(port->requests, MPI_STATUS_IGNORE);
	else if (port->request_count > 1)
		MPI_Waitall(port->request_count, port->requests, port->no_statuses);
	port->request_count = 0;
}

/* MPI_Testall of MPICH 4.0 fails with several partitioned requests. */
static int test_each(struct overlap_port *port)
{
	int all = 1, complete;

	for (int i = 0; i < port->request_count; i++) {
		MPI_Test(&port->requests[i], &complete, MPI_STATUS_IGNORE);
		all = all && complete;
	}
	return all;
}

/* Test what was begun, or, when that is complete, nothing, which takes time, too. */
static void test_requests(void *pointer)
{
	struct overlap_port *port = pointer;
	MPI_Request none = MPI_REQUEST_NULL;
	int complete;

	if (port->request_count > 1 && is_partitioned(port))
		complete = test_each(port);
	else if (port->request_count > 1)
		MPI_Testall(port->request_count, port->requests, &complete, port->no_statuses);
	else
		MPI_Test(port->request_count ? port->requests : &none, &complete,
			 MPI_STATUS_IGNORE);
	if (complete)
		port->request_count = 0;
}

static void port_perform(struct port *base, enum operation operation, enum layout layout)
{
	struct overlap_port *port = port_of(base);
	const struct cell_spec *spec = &port->spec;

	switch (operation) {
	case OP_END:
		break;
	case OP_SEND:
	case OP_RECV:
	case OP_ISEND:
	case OP_IRECV:
		for (unsigned i = 0; i < message_count(port); i++)
			perform_message(port, operation, i, layout);
		break;
	case OP_START_SEND:
	case OP_START_RECV:
		perform_start(port, operation == OP_START_SEND ? STARTS_SEND : STARTS_RECEIVE);
		break;
	case OP_NOTIFY:
		for (int i = 0; i < port->partner_count; i++)
			MPI_Send(NULL, 0, MPI_CHAR, port->partner + i, TAG_NOTIFY, port->pair);
		break;
	case OP_AWAIT:
		for (int i = 0; i < port->partner_count; i++)
			MPI_Recv(NULL, 0, MPI_CHAR, port->partner + i, TAG_NOTIFY, port->pair,
				 MPI_STATUS_IGNORE);
		break;
	case OP_PUT:
	case OP_GET:
		perform_access(port, operation);
		break;
	case OP_FLUSH:
		MPI_Win_flush(port->partner, port->window);
		break;
	case OP_COLLECTIVE:
		collective_call(&port->collective, &port->requests[port->request_count++]);
		break;
	case OP_BLOCKING:
		collective_call(&port->collective, NULL);
		break;
	case OP_WAIT:
		perform_wait(port);
		break;
	case OP_COMPUTE:
		kernel_run(&port->kernels, spec->kernel, spec->compute_ns, spec->tests_ns,
			   test_requests, port);
		break;
	}
}

static void port_load(struct port *base, bool on)
{
	load_set(&port_of(base)->load, on);
}

/* --------------------------------------------------------------------- others */

/*
 * CLOCK_MONOTONIC: unlike CLOCK_MONOTONIC_RAW it runs equally fast on all hosts that NTP keeps together, whose clocks
 * collectives compare.  NTP changes its rate by 0.05 % at most, for all quantities of a cell alike.
 */
static double port_now_ns(struct port *base)
{
	(void)base;
	return (double)now_ns();
}

static double port_cpu_ns(struct port *base)
{
	struct timespec time;

	(void)base;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double port_drift(struct port *base)
{
	struct kernels *kernels = &port_of(base)->kernels;

	return kernels_measure_work(kernels) / kernels->operation_ns[KERNEL_WORK] - 1;
}

static void port_largest(struct port *base, double *values, size_t count)
{
	struct overlap_port *port = port_of(base);

	overlap_team_largest(port->team, port->member, values, count);
	if (port->member == 0)
		MPI_Reduce(port->rank == 0 ? MPI_IN_PLACE : values, values, (int)count, MPI_DOUBLE,
			   MPI_MAX, 0, port->all);
}

static void port_gather(struct port *base, double value, double *values)
{
	MPI_Gather(&value, 1, MPI_DOUBLE, values, 1, MPI_DOUBLE, 0, port_of(base)->all);
}

static void port_broadcast(struct port *base, void *bytes, size_t count)
{
	struct overlap_port *port = port_of(base);

	if (port->member == 0)
		MPI_Bcast(bytes, (int)count, MPI_BYTE, 0, port->all);
	overlap_team_share(port->team, port->member, bytes, count);
}

static const struct port_methods mpi_methods = {
	.now_ns = port_now_ns,
	.prepare = port_prepare,
	.finish = port_finish,
	.load = port_load,
	.perform = port_perform,
	.begin_round = overlap_begin_round,
	.end_round = overlap_end_round,
	.cpu_ns = port_cpu_ns,
	.drift = port_drift,
	.largest = port_largest,
	.gather = port_gather,
	.broadcast = port_broadcast,
};

/* Ranks of `pair`, and those with which this rank exchanges messages. */
static void find_partners(struct overlap_port *port, enum partners partners)
{
	const bool pairs = partners == PARTNERS_PAIRS;

	MPI_Comm_split(port->all, pairs ? port->rank / 2 : 0, port->rank, &port->pair);
	port->port.role = pairs ? (unsigned)port->rank % 2 : port->rank != 0;
	port->partner = port->port.role == 0;
	port->partner_count = pairs || port->rank != 0 ? 1 : port->ranks - 1;
	port->is_one_of_several = !pairs && port->rank != 0;
}

void overlap_port_init(struct overlap_port *port, struct overlap_team *team, unsigned member,
		       enum partners partners)
{
	const int around = 1;

	memset(port, 0, sizeof *port);
	MPI_Comm_rank(MPI_COMM_WORLD, &port->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &port->ranks);
	port->team = team;
	port->member = member;
	port->port.methods = &mpi_methods;
	port->port.size = (unsigned)port->ranks * team->count;
	port->port.rank = (unsigned)port->rank + (unsigned)port->ranks * member;
	port->no_statuses = MPI_STATUSES_IGNORE;
	port->vector = MPI_DATATYPE_NULL;
	port->window = MPI_WIN_NULL;
	port->margin_ns = OVERLAP_LEAST_MARGIN_NS;
	MPI_Comm_dup(MPI_COMM_WORLD, &port->all);
	find_partners(port, partners);
	MPI_Cart_create(port->all, 1, &port->ranks, &around, 0, &port->ring);
}

void overlap_port_release(struct overlap_port *port)
{
	free(port->memory);
	MPI_Comm_free(&port->ring);
	MPI_Comm_free(&port->pair);
	MPI_Comm_free(&port->all);
}
