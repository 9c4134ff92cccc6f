/*
 * Find the messages that an MPI library sends in its collectives: call them one by
 * one and count, below the library, the messages that go to UCX.
 *
 *	mpiexec -n P ./observe BYTES... >>table
 *
 * For MPICH with ch4:ucx and for Open MPI with its pml ucx; all ranks must reach
 * each other by UCX (test/observe/observe.sh says how).  Doubles, MPI_SUM, the root
 * is rank P / 3.  A line of output for each collective ("i" before its name:
 * non-blocking), with an entry for each size in bytes of a block (as struct
 * collective has it):
 *
 *	NAME P BYTES:MESSAGES:SENT:PAIRS:SHAPE ...
 *
 * MESSAGES and SENT (bytes) are of all ranks together.  PAIRS is a hash of who sends
 * what to whom how often; SHAPE is one that does not change if ranks change
 * their places (test/unit/lib/oracle/observed.h).
 */
#define _GNU_SOURCE
#include "test/unit/lib/oracle/observed.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

/* --------------------------------------------------------- below the library */

static void *endpoints[OBSERVED_RANKS];
static struct observed_message *sent;
static size_t sent_count, sent_room;
static int known_peer = -1;	/* destination of the next message */
static bool inside;		/* one of the functions below calls another one */

/*
 * Generic datatypes, which MPI libraries use for data with gaps.  States are not
 * finished, because MPICH counts that as an end of its own use.
 */
static struct {
	ucp_datatype_t datatype;
	ucp_generic_dt_ops_t ops;
	void *context;
} generic[4096];
static size_t generic_count;

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t *ops, void *context,
				   ucp_datatype_t *datatype)
{
	static ucs_status_t (*next)(const ucp_generic_dt_ops_t *, void *, ucp_datatype_t *);
	ucs_status_t status;

	*(void **)&next = dlsym(RTLD_NEXT, "ucp_dt_create_generic");
	status = next(ops, context, datatype);
	generic[generic_count % 4096].datatype = *datatype;
	generic[generic_count % 4096].ops = *ops;
	generic[generic_count++ % 4096].context = context;
	return status;
}

static uint64_t bytes_of(const void *buffer, size_t elements, ucp_datatype_t datatype)
{
	uint64_t bytes;
	void *state;

	/* Contiguous data: the size of an element is above the bits of the class. */
	if ((datatype & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG)
		return elements * (datatype >> UCP_DATATYPE_SHIFT);
	for (size_t i = generic_count; i-- > 0 && i + 4096 > generic_count;) {
		if (generic[i % 4096].datatype != datatype)
			continue;
		state = generic[i % 4096].ops.start_pack(generic[i % 4096].context, buffer,
							  elements);
		bytes = generic[i % 4096].ops.packed_size(state);
		return bytes;
	}
	fprintf(stderr, "observe: data of an unknown type\n");
	abort();
}

static void count(void *endpoint, uint64_t bytes)
{
	int peer = 0, rank;

	if (inside)
		return;
	if (known_peer >= 0)
		endpoints[known_peer] = endpoint;
	while (peer < OBSERVED_RANKS && endpoints[peer] != endpoint)
		peer++;
	if (sent_count == sent_room) {
		sent_room = 2 * sent_room + 64;
		sent = realloc(sent, sent_room * sizeof *sent);
		if (!sent)
			abort();
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	/* Messages of a rank to itself have no endpoint of their own in either library. */
	sent[sent_count++] = (struct observed_message){(uint32_t)rank, (uint32_t)peer, bytes};
}

static ucp_datatype_t type_of(const ucp_request_param_t *param)
{
	return param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE ? param->datatype :
								  ucp_dt_make_contig(1);
}

#define SEND_NBX(name)                                                                         \
	ucs_status_ptr_t name(ucp_ep_h endpoint, const void *buffer, size_t elements,          \
			      ucp_tag_t tag, const ucp_request_param_t *param)                 \
	{                                                                                      \
		static ucs_status_ptr_t (*next)(ucp_ep_h, const void *, size_t, ucp_tag_t,     \
						const ucp_request_param_t *);                  \
		ucs_status_ptr_t result;                                                       \
                                                                                               \
		if (!next)                                                                     \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                             \
		count(endpoint, bytes_of(buffer, elements, type_of(param)));                   \
		inside = true;                                                                 \
		result = next(endpoint, buffer, elements, tag, param);                         \
		inside = false;                                                                \
		return result;                                                                 \
	}

#define SEND_NB(name)                                                                          \
	ucs_status_ptr_t name(ucp_ep_h endpoint, const void *buffer, size_t elements,          \
			      ucp_datatype_t type, ucp_tag_t tag, ucp_send_callback_t done)    \
	{                                                                                      \
		static ucs_status_ptr_t (*next)(ucp_ep_h, const void *, size_t,                \
						ucp_datatype_t, ucp_tag_t,                     \
						ucp_send_callback_t);                          \
		ucs_status_ptr_t result;                                                       \
                                                                                               \
		if (!next)                                                                     \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                             \
		count(endpoint, bytes_of(buffer, elements, type));                             \
		inside = true;                                                                 \
		result = next(endpoint, buffer, elements, type, tag, done);                    \
		inside = false;                                                                \
		return result;                                                                 \
	}

SEND_NBX(ucp_tag_send_nbx)
SEND_NBX(ucp_tag_send_sync_nbx)
SEND_NB(ucp_tag_send_nb)
SEND_NB(ucp_tag_send_sync_nb)

/* Many ranks share few cores. */
unsigned ucp_worker_progress(ucp_worker_h worker)
{
	static unsigned (*next)(ucp_worker_h);
	unsigned done;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
	done = next(worker);
	if (!done)
		sched_yield();
	return done;
}

/* One message to each other rank says which endpoint leads there. */
static void learn_endpoints(int rank, int size)
{
	for (int distance = 1; distance < size; distance++) {
		const int to = (rank + distance) % size, from = (rank + size - distance) % size;
		MPI_Request request;
		int got, given = rank;

		MPI_Irecv(&got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request);
		known_peer = to;
		MPI_Send(&given, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
		known_peer = -1;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

/* ------------------------------------------------------------------ the calls */

static int size, rank, root;
static double *from, *to;
static int *counts, *places, *byte_places;
static MPI_Datatype *types;

#define WORLD MPI_COMM_WORLD
#define D MPI_DOUBLE

#define CALLS(DO, n)                                                                          \
	DO(barrier, (0), MPI_Barrier(WORLD), MPI_Ibarrier(WORLD, R))                          \
	DO(bcast, n, MPI_Bcast(to, n, D, root, WORLD), MPI_Ibcast(to, n, D, root, WORLD, R))  \
	DO(reduce, n, MPI_Reduce(from, to, n, D, MPI_SUM, root, WORLD),                       \
	   MPI_Ireduce(from, to, n, D, MPI_SUM, root, WORLD, R))                              \
	DO(allreduce, n, MPI_Allreduce(from, to, n, D, MPI_SUM, WORLD),                       \
	   MPI_Iallreduce(from, to, n, D, MPI_SUM, WORLD, R))                                 \
	DO(gather, n, MPI_Gather(from, n, D, to, n, D, root, WORLD),                          \
	   MPI_Igather(from, n, D, to, n, D, root, WORLD, R))                                 \
	DO(gatherv, n, MPI_Gatherv(from, n, D, to, counts, places, D, root, WORLD),           \
	   MPI_Igatherv(from, n, D, to, counts, places, D, root, WORLD, R))                   \
	DO(scatter, n, MPI_Scatter(from, n, D, to, n, D, root, WORLD),                        \
	   MPI_Iscatter(from, n, D, to, n, D, root, WORLD, R))                                \
	DO(scatterv, n, MPI_Scatterv(from, counts, places, D, to, n, D, root, WORLD),         \
	   MPI_Iscatterv(from, counts, places, D, to, n, D, root, WORLD, R))                  \
	DO(allgather, n, MPI_Allgather(from, n, D, to, n, D, WORLD),                          \
	   MPI_Iallgather(from, n, D, to, n, D, WORLD, R))                                    \
	DO(allgatherv, n, MPI_Allgatherv(from, n, D, to, counts, places, D, WORLD),           \
	   MPI_Iallgatherv(from, n, D, to, counts, places, D, WORLD, R))                      \
	DO(alltoall, n, MPI_Alltoall(from, n, D, to, n, D, WORLD),                            \
	   MPI_Ialltoall(from, n, D, to, n, D, WORLD, R))                                     \
	DO(alltoallv, n,                                                                      \
	   MPI_Alltoallv(from, counts, places, D, to, counts, places, D, WORLD),              \
	   MPI_Ialltoallv(from, counts, places, D, to, counts, places, D, WORLD, R))          \
	DO(alltoallw, n,                                                                      \
	   MPI_Alltoallw(from, counts, byte_places, types, to, counts, byte_places, types,    \
			 WORLD),                                                              \
	   MPI_Ialltoallw(from, counts, byte_places, types, to, counts, byte_places, types,   \
			  WORLD, R))                                                          \
	DO(reduce_scatter, n, MPI_Reduce_scatter(from, to, counts, D, MPI_SUM, WORLD),        \
	   MPI_Ireduce_scatter(from, to, counts, D, MPI_SUM, WORLD, R))                       \
	DO(reduce_scatter_block, n, MPI_Reduce_scatter_block(from, to, n, D, MPI_SUM, WORLD), \
	   MPI_Ireduce_scatter_block(from, to, n, D, MPI_SUM, WORLD, R))                      \
	DO(scan, n, MPI_Scan(from, to, n, D, MPI_SUM, WORLD),                                 \
	   MPI_Iscan(from, to, n, D, MPI_SUM, WORLD, R))                                      \
	DO(exscan, n, MPI_Exscan(from, to, n, D, MPI_SUM, WORLD),                             \
	   MPI_Iexscan(from, to, n, D, MPI_SUM, WORLD, R))

#define R (&request)
#define FUNCTIONS(name, n, blocking, nonblocking)                                             \
	static void call_##name(int n_)                                                       \
	{                                                                                     \
		(void)n_;                                                                     \
		blocking;                                                                     \
	}                                                                                     \
	static void call_i##name(int n_)                                                      \
	{                                                                                     \
		MPI_Request request;                                                          \
		(void)n_;                                                                     \
		nonblocking;                                                                  \
		MPI_Wait(&request, MPI_STATUS_IGNORE);                                        \
	}
CALLS(FUNCTIONS, n_)

#define ENTRIES(name, n, blocking, nonblocking) {#name, call_##name}, {"i" #name, call_i##name},

static const struct {
	const char *name;
	void (*call)(int count);
} calls[] = {CALLS(ENTRIES, n_){NULL, NULL}};

/* ------------------------------------------------------------------- results */

/* All messages of all ranks at rank 0, which prints what they come to. */
static void report(uint64_t bytes)
{
	const int mine = (int)(sent_count * sizeof *sent);
	int *each = calloc((size_t)size, sizeof *each),
	    *start = calloc((size_t)size, sizeof *start);
	struct observed_message *all = NULL;
	struct observed sum;
	size_t total = 0;

	MPI_Gather(&mine, 1, MPI_INT, each, 1, MPI_INT, 0, WORLD);
	for (int i = 0; i < size; i++) {
		start[i] = (int)total;
		total += (size_t)each[i];
	}
	all = malloc(total + 1);
	if (!each || !start || !all)
		abort();
	MPI_Gatherv(sent, mine, MPI_BYTE, all, each, start, MPI_BYTE, 0, WORLD);
	if (rank == 0) {
		sum = observed_sum(all, total / sizeof *all, (uint32_t)size);
		printf(" %llu:%llu:%llu:%08x:%08x", (unsigned long long)bytes,
		       (unsigned long long)sum.messages, (unsigned long long)sum.bytes, sum.pairs,
		       sum.shape);
	}
	free(all);
	free(start);
	free(each);
}

static void observe(int call, uint64_t bytes)
{
	const int n = (int)(bytes / sizeof(double));
	struct observed_message *kept = NULL;
	size_t kept_count;

	for (int i = 0; i < size; i++) {
		counts[i] = n;
		places[i] = n * i;
		byte_places[i] = (int)bytes * i;
		types[i] = D;
	}
	/* Twice: the first call may set something up. */
	calls[call].call(n);
	MPI_Barrier(WORLD);
	sent_count = 0;
	calls[call].call(n);
	kept_count = sent_count;
	kept = malloc(kept_count * sizeof *kept + 1);
	if (!kept)
		abort();
	memcpy(kept, sent, kept_count * sizeof *kept);
	MPI_Barrier(WORLD);
	memcpy(sent, kept, kept_count * sizeof *kept);
	sent_count = kept_count;
	report(bytes);
	free(kept);
}

int main(int argc, char **argv)
{
	const char *only = getenv("ONLY");
	uint64_t most = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	root = size / 3;
	for (int i = 1; i < argc; i++)
		most = strtoull(argv[i], NULL, 10) > most ? strtoull(argv[i], NULL, 10) : most;
	from = calloc((size_t)size, most + 8);
	to = calloc((size_t)size, most + 8);
	counts = calloc((size_t)size, sizeof *counts);
	places = calloc((size_t)size, sizeof *places);
	byte_places = calloc((size_t)size, sizeof *byte_places);
	types = calloc((size_t)size, sizeof *types);
	if (!from || !to || !counts || !places || !byte_places || !types || size > OBSERVED_RANKS)
		abort();
	learn_endpoints(rank, size);
	for (int call = 0; calls[call].name; call++) {
		const char *name = calls[call].name;
		const bool barrier = strstr(name, "barrier") != NULL;

		if (only && strcmp(only, name) != 0)
			continue;
		if (rank == 0)
			printf("%s %d", name, size);
		for (int i = 1; i < argc && !(barrier && i > 1); i++)
			observe(call, barrier ? 0 : strtoull(argv[i], NULL, 10));
		if (rank == 0) {
			printf("\n");
			fflush(stdout);
		}
	}
	MPI_Finalize();
	return 0;
}
