#include "measure/mpi/overlap_port.h"

#include "common/array.h"
#include "measure/mpi/clock.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { TAG_DATA = 1, TAG_NOTIFY, TAG_GO, TAG_ANSWER, TAG_CLOCK };
enum { PAGE = 4096, STARTS_SEND = 0, STARTS_RECEIVE = 1 };

static const double least_margin_ns = 20000, most_margin_ns = 2000000;

static struct overlap_port *port_of(struct port *port)
{
	return (struct overlap_port *)port;
}

static bool is_collective(const struct overlap_port *port)
{
	return bench_descriptions[port->spec.bench].group == BENCH_COLLECTIVE;
}

static bool is_one_sided(const struct overlap_port *port)
{
	return bench_descriptions[port->spec.bench].group == BENCH_ONE_SIDED;
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
	const size_t pending = port->spec.pending;

	port->spacing = pending > 1 ? (extent + PAGE) / PAGE * PAGE : extent;
	TRY(take_memory(port, pending * port->spacing, pending * port->spacing, err));
	TRY(allocate(&port->requests, 2 * pending, sizeof(MPI_Request), err));
	make_vector(port);
	return 0;
}

static int take_persistent(struct overlap_port *port, struct error *err)
{
	const int bytes = (int)port->spec.bytes;

	for (int i = 0; i < 2; i++)
		TRY(allocate(&port->starts[i], port->spec.pending, sizeof(MPI_Request), err));
	for (unsigned i = 0; i < port->spec.pending; i++) {
		MPI_Send_init(port->send + i * port->spacing, bytes, MPI_CHAR, port->partner,
			      TAG_DATA, port->pair, &port->starts[STARTS_SEND][i]);
		MPI_Recv_init(port->receive + i * port->spacing, bytes, MPI_CHAR, port->partner,
			      TAG_DATA, port->pair, &port->starts[STARTS_RECEIVE][i]);
	}
	return 0;
}

/* Open a window, and an epoch of access to the partner's until finish. */
static void take_window(struct overlap_port *port)
{
	const MPI_Aint bytes = (MPI_Aint)(port->spec.pending * port->spacing);
	void *memory;

	MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, port->pair, &memory, &port->window);
	memset(memory, 1, (size_t)bytes);
	MPI_Barrier(port->pair);
	MPI_Win_lock(MPI_LOCK_SHARED, port->partner, 0, port->window);
}

static int take_collective(struct overlap_port *port, struct error *err)
{
	const enum bench bench = port->spec.bench;
	const int ranks = (int)port->port.size;

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

static void find_offset(struct overlap_port *port);

static int port_prepare(struct port *base, const struct cell_spec *spec, bool both_types,
			struct error *err)
{
	struct overlap_port *port = port_of(base);

	port->spec = *spec;
	port->both_types = both_types && spec->bench == BENCH_NONCONTIG;
	port->request_count = 0;
	if (is_collective(port)) {
		find_offset(port);
		return take_collective(port, err);
	}
	TRY(take_messages(port, err));
	if (spec->bench == BENCH_PERSISTENT_SEND || spec->bench == BENCH_PERSISTENT_RECV)
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
		for (unsigned j = 0; port->starts[i] && j < port->spec.pending; j++)
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
	const int count = vector ? 1 : (int)port->spec.bytes, to = port->partner;
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

static void perform_start(struct overlap_port *port, int starts)
{
	const int count = (int)port->spec.pending;
	MPI_Request *requests = port->requests + port->request_count;

	memcpy(requests, port->starts[starts], (size_t)count * sizeof *requests);
	if (count == 1)
		MPI_Start(requests);
	else
		MPI_Startall(count, requests);
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
	else
		MPI_Waitall(port->request_count, port->requests, port->no_statuses);
	port->request_count = 0;
}

/* Test what was begun, or nothing, which takes time, too. */
static void test_requests(void *pointer)
{
	struct overlap_port *port = pointer;
	MPI_Request none = MPI_REQUEST_NULL;
	int flag;

	if (port->request_count > 1)
		MPI_Testall(port->request_count, port->requests, &flag, port->no_statuses);
	else
		MPI_Test(port->request_count ? port->requests : &none, &flag, MPI_STATUS_IGNORE);
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
		for (unsigned i = 0; i < spec->pending; i++)
			perform_message(port, operation, i, layout);
		break;
	case OP_START_SEND:
	case OP_START_RECV:
		perform_start(port, operation == OP_START_SEND ? STARTS_SEND : STARTS_RECEIVE);
		break;
	case OP_NOTIFY:
		MPI_Send(NULL, 0, MPI_CHAR, port->partner, TAG_NOTIFY, port->pair);
		break;
	case OP_AWAIT:
		MPI_Recv(NULL, 0, MPI_CHAR, port->partner, TAG_NOTIFY, port->pair,
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

/* --------------------------------------------------------------------- rounds */

/*
 * CLOCK_MONOTONIC: unlike CLOCK_MONOTONIC_RAW it runs equally fast on all hosts that NTP keeps together, whose clocks
 * collectives compare.  NTP changes its rate by 0.05 % at most, for all quantities of a cell alike.
 */
static double port_now_ns(struct port *base)
{
	(void)base;
	return (double)now_ns();
}

/* How often the system took the processor from this thread. */
static long switches_of_thread(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/* The partner is ready a little after it has answered. */
static double begin_with_partner(struct overlap_port *port, double rest_ns)
{
	if (port->port.size > 2)
		MPI_Barrier(port->all);
	if (port->port.rank % 2) {
		MPI_Recv(NULL, 0, MPI_CHAR, port->partner, TAG_GO, port->pair, MPI_STATUS_IGNORE);
		port->switches = switches_of_thread();
		MPI_Send(NULL, 0, MPI_CHAR, port->partner, TAG_ANSWER, port->pair);
	} else {
		MPI_Send(NULL, 0, MPI_CHAR, port->partner, TAG_GO, port->pair);
		MPI_Recv(NULL, 0, MPI_CHAR, port->partner, TAG_ANSWER, port->pair,
			 MPI_STATUS_IGNORE);
		if (rest_ns > 0)
			stay_away_until(now_ns() + (uint64_t)rest_ns);
		port->switches = switches_of_thread();
	}
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

static double port_begin_round(struct port *base, double rest_ns)
{
	struct overlap_port *port = port_of(base);

	return is_collective(port) ? begin_together(port) : begin_with_partner(port, rest_ns);
}

static void adapt_margin(struct overlap_port *port, bool late)
{
	port->margin_ns *= late ? 2 : 0.95;
	port->margin_ns = fmin(most_margin_ns, fmax(least_margin_ns, port->margin_ns));
}

static unsigned port_end_round(struct port *base)
{
	struct overlap_port *port = port_of(base);
	long own[2] = {switches_of_thread() - port->switches, port->late}, all[2];

	if (is_collective(port)) {
		MPI_Allreduce(own, all, 2, MPI_LONG, MPI_SUM, port->all);
		adapt_margin(port, all[1] > 0);
		return (unsigned)(all[0] + all[1]);
	}
	MPI_Sendrecv(own, 1, MPI_LONG, port->partner, TAG_GO, all, 1, MPI_LONG, port->partner,
		     TAG_GO, port->pair, MPI_STATUS_IGNORE);
	return (unsigned)(own[0] + all[0]);
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

/* Measure the clocks anew; all ranks call it. */
static void find_offset(struct overlap_port *port)
{
	port->offset_ns = 0;
	if (port->port.rank > 0)
		answer_for_offset(port);
	for (int rank = 1; port->port.rank == 0 && rank < (int)port->port.size; rank++)
		ask_for_offset(port, rank);
}

/* --------------------------------------------------------------------- others */

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

	MPI_Reduce(base->rank == 0 ? MPI_IN_PLACE : values, values, (int)count, MPI_DOUBLE, MPI_MAX,
		   0, port->all);
}

static void port_gather(struct port *base, double value, double *values)
{
	MPI_Gather(&value, 1, MPI_DOUBLE, values, 1, MPI_DOUBLE, 0, port_of(base)->all);
}

static void port_broadcast(struct port *base, void *bytes, size_t count)
{
	MPI_Bcast(bytes, (int)count, MPI_BYTE, 0, port_of(base)->all);
}

static const struct port_methods mpi_methods = {
	.now_ns = port_now_ns,
	.prepare = port_prepare,
	.finish = port_finish,
	.load = port_load,
	.perform = port_perform,
	.begin_round = port_begin_round,
	.end_round = port_end_round,
	.cpu_ns = port_cpu_ns,
	.drift = port_drift,
	.largest = port_largest,
	.gather = port_gather,
	.broadcast = port_broadcast,
};

int overlap_port_init(struct overlap_port *port, bool memory, bool pin, struct error *err)
{
	const int around = 1;
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	memset(port, 0, sizeof *port);
	port->port = (struct port){&mpi_methods, (unsigned)rank, (unsigned)size};
	port->partner = 1 - rank % 2;
	port->pin = pin;
	port->no_statuses = MPI_STATUSES_IGNORE;
	port->vector = MPI_DATATYPE_NULL;
	port->window = MPI_WIN_NULL;
	port->margin_ns = least_margin_ns;
	MPI_Comm_dup(MPI_COMM_WORLD, &port->all);
	MPI_Comm_split(port->all, rank / 2, rank, &port->pair);
	MPI_Cart_create(port->all, 1, &size, &around, 0, &port->ring);
	return kernels_init(&port->kernels, memory, err);
}

void overlap_port_release(struct overlap_port *port)
{
	kernels_release(&port->kernels);
	free(port->memory);
	MPI_Comm_free(&port->ring);
	MPI_Comm_free(&port->pair);
	MPI_Comm_free(&port->all);
}
