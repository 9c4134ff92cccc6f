/*
 * Actions of threads in test programs, which log their records: messages, collectives, and
 * batches of requests that any thread completes in any way.
 */
#ifndef TRACE_THREADS_H
#define TRACE_THREADS_H

#include "trace_log.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { MOST_BYTES = 70000, MOST_REQUESTS = 6, WAYS = 8 };

/* Communicator with a name; its ranks are those of the world. */
struct place {
	MPI_Comm comm;
	const char *name;
};
static const struct place world = {MPI_COMM_WORLD, "MPI_COMM_WORLD"};

/* Requests, and the record of each one's completion. */
struct batch {
	MPI_Request requests[MOST_REQUESTS];
	int count, active[MOST_REQUESTS];
	char begin[MOST_REQUESTS][160], end[MOST_REQUESTS][160];
	char in[MOST_REQUESTS][MOST_BYTES];
};

static char out[MOST_BYTES];
static _Thread_local int thread_number;	/* 0: the first */
static _Thread_local int started;	/* number of this thread's requests so far */

/* Initialise MPI; end with status 77, "nothing to test", without MPI_THREAD_MULTIPLE. */
static void begin_threads(int *argc, char ***argv)
{
	int provided, level;

	MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Query_thread(&level);
	if (provided < MPI_THREAD_MULTIPLE || level != provided) {
		MPI_Finalize();
		exit(77);
	}
	begin_log("MPI_Init_thread:");
}

static void begin_thread(int number)
{
	thread_number = number;
	started = 0;
	open_log(number);
}

/* ---------------------------------------------------------------- requests */

static const char *posted_as(int source, int tag)
{
	static const char *const texts[] = {"", " posted=1", " posted=2", " posted=3"};

	return texts[(source == MPI_ANY_SOURCE) + 2 * (tag == MPI_ANY_TAG)];
}

/* Message expected by a receive: arguments of the call, then source, tag and size. */
struct expected {
	int from, posted_tag, source, tag, bytes;
};

/* Add a receive to a batch, with the texts of its start and its completion. */
static void expect(struct batch *batch, const struct place *place, struct expected e)
{
	int i = batch->count++;

	snprintf(batch->begin[i], sizeof batch->begin[i], "irecv #%d.%d%s", thread_number, started,
		 posted_as(e.from, e.posted_tag));
	snprintf(batch->end[i], sizeof batch->end[i], "received %d %d %d %s #%d.%d", e.source,
		 e.tag, e.bytes, place->name, thread_number, started++);
	batch->active[i] = 1;
}

static void post_receive(struct batch *batch, const struct place *place, struct expected e)
{
	int i = batch->count;

	MPI_Irecv(batch->in[i], MOST_BYTES, MPI_BYTE, e.from, e.posted_tag, place->comm,
		  &batch->requests[i]);
	expect(batch, place, e);
	did("MPI_Irecv: %s", batch->begin[i]);
}

/* Add a send to a batch, with the texts of its start and its completion. */
static void expect_send(struct batch *batch, const struct place *place, int to, int tag, int bytes)
{
	int i = batch->count++;

	snprintf(batch->begin[i], sizeof batch->begin[i], "isend %d %d %d %s #%d.%d", to, tag,
		 bytes, place->name, thread_number, started);
	snprintf(batch->end[i], sizeof batch->end[i], "sent #%d.%d", thread_number, started++);
	batch->active[i] = 1;
}

static void post_send(struct batch *batch, const struct place *place, int to, int tag, int bytes)
{
	int i = batch->count;

	MPI_Isend(out, bytes, MPI_BYTE, to, tag, place->comm, &batch->requests[i]);
	expect_send(batch, place, to, tag, bytes);
	did("MPI_Isend: %s", batch->begin[i]);
}

/* Post a synchronous send: it does not complete at once, so no other request has its handle. */
static void post_ssend(struct batch *batch, const struct place *place, int to, int tag, int bytes)
{
	int i = batch->count;

	MPI_Issend(out, bytes, MPI_BYTE, to, tag, place->comm, &batch->requests[i]);
	expect_send(batch, place, to, tag, bytes);
	did("MPI_Issend: %s", batch->begin[i]);
}

static void post_allreduce(struct batch *batch, const struct place *place)
{
	int i = batch->count++;

	MPI_Iallreduce(out, batch->in[i], 3, MPI_INT, MPI_SUM, place->comm, &batch->requests[i]);
	did("MPI_Iallreduce: icoll #%d.%d", thread_number, started);
	snprintf(batch->end[i], sizeof batch->end[i],
		 "completed ALLREDUCE none %d %d %s op=MPI_SUM #%d.%d", 12 * size, 12 * size,
		 place->name, thread_number, started++);
	batch->active[i] = 1;
}

/* -------------------------------------------------------------- completion */

static void did_complete(const char *function, struct batch *batch, int count, const int *indices)
{
	char line[MOST_REQUESTS * 170] = "";

	for (int i = 0; i < count; i++) {
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s %s", i ? " |" : "",
			 batch->end[indices[i]]);
		batch->active[indices[i]] = 0;
	}
	did("%s:%s", function, line);
}

static int first_active(const struct batch *batch)
{
	for (int i = 0; i < batch->count; i++)
		if (batch->active[i])
			return i;
	return -1;
}

/* Log a call that completed no request. */
static void did_test(const char *function, const struct batch *batch, int i)
{
	did("%s: test %s", function, strrchr(batch->end[i], '#'));
	sched_yield();
}

static void complete_any(struct batch *batch, int test)
{
	int index, flag = 1;

	while (first_active(batch) >= 0) {
		if (test)
			MPI_Testany(batch->count, batch->requests, &index, &flag, no_status);
		else
			MPI_Waitany(batch->count, batch->requests, &index, no_status);
		if (flag)
			did_complete(test ? "MPI_Testany" : "MPI_Waitany", batch, 1, &index);
		else
			did_test("MPI_Testany", batch, first_active(batch));
	}
}

static void complete_some(struct batch *batch, int test)
{
	MPI_Status statuses[MOST_REQUESTS];
	int count, indices[MOST_REQUESTS];

	while (first_active(batch) >= 0) {
		if (test)
			MPI_Testsome(batch->count, batch->requests, &count, indices, statuses);
		else
			MPI_Waitsome(batch->count, batch->requests, &count, indices, no_statuses);
		if (count)
			did_complete(test ? "MPI_Testsome" : "MPI_Waitsome", batch, count, indices);
		else
			did_test("MPI_Testsome", batch, first_active(batch));
	}
}

static void complete_each(struct batch *batch, int test)
{
	int flag = 1;

	for (int i = batch->count - 1; i >= 0; i--)
		do {
			if (test)
				MPI_Test(&batch->requests[i], &flag, no_status);
			else
				MPI_Wait(&batch->requests[i], no_status);
			if (flag)
				did_complete(test ? "MPI_Test" : "MPI_Wait", batch, 1, &i);
			else
				did_test("MPI_Test", batch, i);
		} while (!flag);
}

static void complete_all(struct batch *batch, int test)
{
	static const int all[MOST_REQUESTS] = {0, 1, 2, 3, 4, 5};
	int flag = 1;

	do {
		if (test)
			MPI_Testall(batch->count, batch->requests, &flag, no_statuses);
		else
			MPI_Waitall(batch->count, batch->requests, no_statuses);
		if (!flag)
			did_test("MPI_Testall", batch, first_active(batch));
	} while (!flag);
	did_complete(test ? "MPI_Testall" : "MPI_Waitall", batch, batch->count, all);
}

/* Complete a batch of active requests in one of WAYS ways. */
static void complete(struct batch *batch, int way)
{
	static void (*const forms[])(struct batch *, int) = {
		complete_any, complete_some, complete_each, complete_all};

	forms[way / 2](batch, way % 2);
}

/* ----------------------------------------------------------- blocking calls */

/* Probe for a message by wildcards, and log its expected source, tag and size. */
static MPI_Message probe(const struct place *place, int source, int tag, int bytes)
{
	MPI_Message message;

	MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, place->comm, &message, no_status);
	did("MPI_Mprobe: comm=%s source=%d tag=%d bytes=%d", place->name, source, tag, bytes);
	return message;
}

/* Receive a message found by probe() in any thread. */
static void receive_probed(const struct place *place, MPI_Message message, int source, int tag,
			   int bytes)
{
	char *in = malloc(MOST_BYTES);

	MPI_Mrecv(in, MOST_BYTES, MPI_BYTE, &message, no_status);
	did("MPI_Mrecv: recv %d %d %d %s posted=3", source, tag, bytes, place->name);
	free(in);
}

static void synchronise(const struct place *place)
{
	MPI_Barrier(place->comm);
	did("MPI_Barrier: coll BARRIER none 0 0 %s", place->name);
}

static void broadcast(const struct place *place, int root, int bytes)
{
	char *data = malloc(MOST_BYTES);

	MPI_Bcast(data, bytes, MPI_BYTE, root, place->comm);
	did("MPI_Bcast: coll BCAST %d %d %d %s", root, rank == root ? size * bytes : 0, bytes,
	    place->name);
	free(data);
}

static void reduce_all(const struct place *place, int count)
{
	char *in = malloc(MOST_BYTES);

	MPI_Allreduce(out, in, count, MPI_SIGNED_CHAR, MPI_MAX, place->comm);
	did("MPI_Allreduce: coll ALLREDUCE none %d %d %s op=MPI_MAX", size * count, size * count,
	    place->name);
	free(in);
}

static struct place duplicate(const struct place *parent, const char *name)
{
	struct place made = {MPI_COMM_NULL, name};

	MPI_Comm_dup(parent->comm, &made.comm);
	did("MPI_Comm_dup: create %s | coll CREATE_HANDLE none 0 0 %s", name, parent->name);
	MPI_Comm_set_name(made.comm, name);
	return made;
}

static void drop(struct place *place)
{
	MPI_Comm_free(&place->comm);
	did("MPI_Comm_free: destroy %s | coll DESTROY_HANDLE none 0 0 %s", place->name,
	    place->name);
}

#endif
