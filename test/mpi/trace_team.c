/*
 * Threads that call MPI at the same time.  Each has its own messages, requests, collectives and
 * communicators.  Requests and messages also go from thread to thread.
 */
#include "trace_threads.h"

enum { THREADS = 4, ROUNDS = 12, WAVES = 5, WAVE = 3 };

static struct place teams[THREADS];		/* one communicator for each thread */
static struct batch batches[THREADS];
static MPI_Message messages[THREADS];
static pthread_barrier_t gate;
static int left, right;

static void send_receive(const struct place *place, int to, int bytes, struct expected e)
{
	char *in = malloc(MOST_BYTES);

	MPI_Sendrecv(out, bytes, MPI_BYTE, to, e.tag, in, MOST_BYTES, MPI_BYTE, e.from,
		     e.posted_tag, place->comm, no_status);
	did("MPI_Sendrecv: send %d %d %d %s | recv %d %d %d %s%s", to, e.tag, bytes, place->name,
	    e.source, e.tag, e.bytes, place->name, posted_as(e.from, e.posted_tag));
	free(in);
}

/* Send to the right and receive from the left. */
static void exchange(int tag)
{
	send_receive(&world, right, tag % 50, (struct expected){left, tag, left, tag, tag % 50});
	send_receive(&world, right, 8, (struct expected){MPI_ANY_SOURCE, tag, left, tag, 8});
}

static void post_mixed(struct batch *batch, const struct place *team, int tag)
{
	struct expected last = {left, tag + 2, left, tag + 2, 4};

	batch->count = 0;
	post_receive(batch, &world, (struct expected){MPI_ANY_SOURCE, tag, left, tag, 100});
	post_send(batch, &world, right, tag, 100);
	post_allreduce(batch, team);
	post_ssend(batch, &world, right, tag + 1, MOST_BYTES);
	post_receive(batch, &world, (struct expected){left, tag + 1, left, tag + 1, MOST_BYTES});
	if (tag % 2) {
		post_receive(batch, &world, last);
		MPI_Send(out, 4, MPI_BYTE, right, tag + 2, world.comm);
		did("MPI_Send: send %d %d 4 %s", right, tag + 2, world.name);
	}
}

static void mixed(int self)
{
	for (int way = 0; way < WAYS; way++) {
		int tag = 1000 * (self + 1) + 10 * way + way / 2 % 2;

		post_mixed(&batches[self], &teams[self], tag);
		complete(&batches[self], way);
	}
}

/* Start many small sends; some libraries give those of all threads one handle. */
static void small(int self)
{
	struct batch *batch = &batches[self];
	int tag = 100 + self;

	for (int i = 0; i < 20 * ROUNDS; i++) {
		batch->count = 0;
		for (int j = 0; j < MOST_REQUESTS / 2; j++) {
			struct expected e = {left, tag, left, tag, j};

			post_receive(batch, &world, e);
			post_send(batch, &world, right, tag, j);
		}
		complete_all(batch, 0);
	}
}

static void collectives(int self)
{
	const struct place *team = &teams[self];
	char name[64];

	for (int i = 0; i < ROUNDS; i++) {
		struct place own;

		sprintf(name, "copy %d of team %d", i, self);
		own = duplicate(team, name);
		reduce_all(&own, self + 1);
		exchange(10 + self);
		broadcast(team, i % size, 16 * i);
		drop(&own);
		synchronise(team);
	}
}

/*
 * Make communicators of the same members by several threads at a time, with different tags.
 */
static void groups(int self)
{
	char name[64];
	MPI_Group all;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	for (int i = 0; i < ROUNDS; i++) {
		struct place own = {MPI_COMM_NULL, name};

		sprintf(name, "group %d of thread %d", i, self);
		MPI_Comm_create_group(MPI_COMM_WORLD, all, self, &own.comm);
		did("MPI_Comm_create_group: create %s | coll CREATE_HANDLE none 0 0 %s", name,
		    name);
		MPI_Comm_set_name(own.comm, name);
		broadcast(&own, i % size, self);
		drop(&own);
	}
	MPI_Group_free(&all);
}

/* Complete requests that another thread has started. */
static void hand_over(int self)
{
	int tag = 2000 * (self + 1), other = (self + 1) % THREADS;

	for (int way = 0; way < WAYS; way++) {
		struct batch *batch = &batches[self];

		batch->count = 0;
		post_receive(batch, &world, (struct expected){MPI_ANY_SOURCE, tag, left, tag, 40});
		post_allreduce(batch, &teams[self]);
		post_ssend(batch, &world, right, tag, 40);
		pthread_barrier_wait(&gate);
		complete(&batches[other], way);
		pthread_barrier_wait(&gate);
	}
}

/* Use persistent requests that one thread makes and others start, complete and free. */
static void hand_round(int self)
{
	struct batch *batch = &batches[self];
	int tag = 3000 + self;

	batch->count = 0;
	MPI_Recv_init(batch->in[0], MOST_BYTES, MPI_BYTE, left, MPI_ANY_TAG, teams[self].comm,
		      &batch->requests[0]);
	did("MPI_Recv_init:");
	MPI_Ssend_init(out, 30, MPI_BYTE, right, tag, teams[self].comm, &batch->requests[1]);
	did("MPI_Ssend_init:");
	for (int way = 0; way < WAYS; way++) {
		pthread_barrier_wait(&gate);
		self = (self + 1) % THREADS;
		batch = &batches[self];
		batch->count = 0;
		tag = 3000 + self;
		expect(batch, &teams[self], (struct expected){left, MPI_ANY_TAG, left, tag, 30});
		expect_send(batch, &teams[self], right, tag, 30);
		MPI_Startall(2, batch->requests);
		did("MPI_Startall: %s | %s", batch->begin[1], batch->begin[0]);
		pthread_barrier_wait(&gate);
		self = (self + 1) % THREADS;
		complete(&batches[self], way);
	}
	for (int i = 0; i < 2; i++) {
		MPI_Request_free(&batches[self].requests[i]);
		did("MPI_Request_free:");
	}
	pthread_barrier_wait(&gate);
}

/* Receive a message that another thread has found by a probe. */
static void hand_message(int self)
{
	int other = (self + 1) % THREADS;
	MPI_Request request;

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Isend(out, 5 * self, MPI_BYTE, right, 40 + i, teams[self].comm, &request);
		did("MPI_Isend: isend %d %d %d %s #%d.%d", right, 40 + i, 5 * self,
		    teams[self].name, thread_number, started);
		messages[self] = probe(&teams[self], left, 40 + i, 5 * self);
		pthread_barrier_wait(&gate);
		receive_probed(&teams[other], messages[other], left, 40 + i, 5 * other);
		MPI_Wait(&request, no_status);
		did("MPI_Wait: sent #%d.%d", thread_number, started++);
		pthread_barrier_wait(&gate);
	}
}

/* Switch recording off and on by one thread; each thread logs it before its next call. */
static void control(int self)
{
	pthread_barrier_wait(&gate);
	if (self == 0)
		MPI_Pcontrol(0);
	pthread_barrier_wait(&gate);
	MPI_Barrier(teams[self].comm);
	pthread_barrier_wait(&gate);
	if (self == 0)
		MPI_Pcontrol(1);
	pthread_barrier_wait(&gate);
	did("off");
	did("on");
	synchronise(&teams[self]);
}

static void *work(void *argument)
{
	int self = (int)((struct place *)argument - teams);

	begin_thread(self + 1);
	exchange(10 + self);
	mixed(self);
	small(self);
	collectives(self);
	groups(self);
	hand_over(self);
	hand_round(self);
	hand_message(self);
	control(self);
	if (close_log() != 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return NULL;
}

/* Run a thread that ends soon. */
static void *visit(void *argument)
{
	int number = *(int *)argument;

	begin_thread(number);
	exchange(5000 + number);
	if (close_log() != 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return NULL;
}

static void come_and_go(void)
{
	pthread_t ids[WAVE];
	int numbers[WAVE];

	for (int wave = 0; wave < WAVES; wave++) {
		for (int i = 0; i < WAVE; i++) {
			numbers[i] = THREADS + 1 + wave * WAVE + i;
			pthread_create(&ids[i], NULL, visit, &numbers[i]);
		}
		for (int i = 0; i < WAVE; i++)
			pthread_join(ids[i], NULL);
	}
}

int main(int argc, char **argv)
{
	static char names[THREADS][16];
	pthread_t ids[THREADS];

	begin_threads(&argc, &argv);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	pthread_barrier_init(&gate, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		sprintf(names[i], "team %d", i);
		teams[i] = duplicate(&world, names[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, work, &teams[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	did("off");
	did("on");
	synchronise(&world);
	come_and_go();
	for (int i = 0; i < THREADS; i++)
		drop(&teams[i]);
	pthread_barrier_destroy(&gate);
	return end();
}
