/*
 * Random program with threads: random_threads SEED STEPS THREADS [DEATH]
 *
 * All threads of all ranks draw the same plan from the seed.  In this plan each message is started
 * before a thread waits for it, so that the program cannot deadlock.  Each thread logs its calls
 * (trace_log.h).  DEATH: the step in which the last rank is killed.
 */
#include "trace_threads.h"

#include <signal.h>
#include <stdint.h>
#include <unistd.h>

enum { MOST_THREADS = 8 };

static int threads, steps, death = -1;
static uint64_t seed;
static struct place teams[MOST_THREADS];	/* one communicator for each thread */
static struct batch batches[MOST_THREADS];
static pthread_barrier_t gate;

/* Step, the same for all threads; `number` makes its tags unique. */
struct step {
	uint32_t number, kind, shift, size, way, wildcard;
};

/* Thread of a rank, one of size * threads. */
struct actor {
	int self;
	uint64_t state;
	struct step step;
};

static uint32_t draw(struct actor *actor, uint32_t below)
{
	actor->state = actor->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(actor->state >> 33) % below;
}

/* Size of the message of the actor `from` in the step. */
static int bytes_of(const struct step *step, int from)
{
	static const int sizes[] = {0, 1, 8, 100, 4096, MOST_BYTES};

	return sizes[(step->size + (uint32_t)from) % (sizeof sizes / sizeof *sizes)];
}

/* Post messages from each actor to another one, or to itself.  The tag names the receiver. */
static void post_shift(struct batch *batch, const struct actor *actor, int shift, int synchronous)
{
	const struct step *step = &actor->step;
	int all = size * threads, own = rank * threads + actor->self;
	int to = (own + shift) % all, from = (own + all - shift) % all;
	int tag = (int)step->number * threads, source = from / threads;
	struct expected e = {step->wildcard ? MPI_ANY_SOURCE : source, tag + actor->self, source,
			     tag + actor->self, bytes_of(step, from)};

	batch->count = 0;
	post_receive(batch, &world, e);
	(synchronous ? post_ssend : post_send)(batch, &world, to / threads, tag + to % threads,
					       bytes_of(step, own));
}

static void shift(const struct actor *actor)
{
	struct batch *batch = &batches[actor->self];

	post_shift(batch, actor, (int)actor->step.shift, (int)actor->step.way % 2);
	if (actor->step.size % 2)
		post_allreduce(batch, &teams[actor->self]);
	complete(batch, (int)(actor->step.way + (uint32_t)actor->self) % WAYS);
}

/*
 * Complete requests started by another thread.  They are synchronous sends to other ranks, which
 * never share a handle.
 */
static void hand_over(const struct actor *actor)
{
	int ranks = 1 + (int)actor->step.shift % (size - 1);

	post_shift(&batches[actor->self], actor, ranks * threads, 1);
	pthread_barrier_wait(&gate);
	complete(&batches[(actor->self + 1) % threads], (int)actor->step.way);
	pthread_barrier_wait(&gate);
}

/* Send from all threads of a rank to all threads of the next rank on one channel. */
static void pour(const struct actor *actor)
{
	int tag = (int)actor->step.number * threads, right = (rank + 1) % size, got;
	struct batch *batch = &batches[actor->self];
	MPI_Status status;

	batch->count = 0;
	post_send(batch, &world, right, tag, bytes_of(&actor->step, actor->self));
	MPI_Recv(batch->in[1], MOST_BYTES, MPI_BYTE, MPI_ANY_SOURCE, tag, world.comm, &status);
	MPI_Get_count(&status, MPI_BYTE, &got);
	did("MPI_Recv: recv %d %d %d %s posted=1", (rank + size - 1) % size, tag, got, world.name);
	complete_all(batch, 0);
}

static void collective(const struct actor *actor)
{
	const struct place *team = &teams[actor->self];
	const struct step *step = &actor->step;

	switch ((step->way + (uint32_t)actor->self) % 4) {
	case 0:
		synchronise(team);
		break;
	case 1:
		broadcast(team, (int)step->shift % size, bytes_of(step, actor->self));
		break;
	case 2:
		reduce_all(team, bytes_of(step, actor->self));
		break;
	case 3:
		batches[actor->self].count = 0;
		post_allreduce(&batches[actor->self], team);
		complete(&batches[actor->self], (int)step->way);
		break;
	}
}

static void find(const struct actor *actor)
{
	const struct place *team = &teams[actor->self];
	int left = (rank + size - 1) % size, tag = (int)actor->step.number;
	int bytes = bytes_of(&actor->step, actor->self);
	struct batch *batch = &batches[actor->self];

	batch->count = 0;
	post_send(batch, team, (rank + 1) % size, tag, bytes);
	receive_probed(team, probe(team, left, tag, bytes), left, tag, bytes);
	complete_all(batch, (int)actor->step.way % 2);
}

/*
 * Take part in one step only.  The thread stays until all others of the step have begun, so that
 * none of them continues its location: in the graph it would wait for this thread.
 */
static void *visit(void *argument)
{
	const struct actor *actor = argument;
	int number = 1 + threads + (int)actor->step.number * threads + actor->self;

	begin_thread(number);
	shift(actor);
	pthread_barrier_wait(&gate);
	if (close_log() != 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return NULL;
}

static void send_out(const struct actor *actor)
{
	struct actor visitor = *actor;
	pthread_t id;

	pthread_create(&id, NULL, visit, &visitor);
	pthread_join(id, NULL);
}

static void *work(void *argument)
{
	static void (*const kinds[])(const struct actor *) = {
		shift, shift, hand_over, pour, collective, find, send_out};
	struct actor actor = {.self = *(int *)argument, .state = seed * 2654435761u + 12345};

	begin_thread(actor.self + 1);
	for (int i = 0; i < steps; i++) {
		actor.step = (struct step){(uint32_t)i, draw(&actor, sizeof kinds / sizeof *kinds),
					   draw(&actor, (uint32_t)(size * threads)),
					   draw(&actor, 6),
					   draw(&actor, WAYS), draw(&actor, 2)};
		if (i == death && rank == size - 1 && actor.self == 0)
			kill(getpid(), SIGKILL);
		kinds[actor.step.kind](&actor);
	}
	if (close_log() != 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[MOST_THREADS][16];
	pthread_t ids[MOST_THREADS];
	int numbers[MOST_THREADS];

	begin_threads(&argc, &argv);
	if (argc < 4 || size < 2 || (threads = atoi(argv[3])) < 1 || threads > MOST_THREADS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	seed = strtoull(argv[1], NULL, 10);
	steps = atoi(argv[2]);
	if (argc > 4)
		death = atoi(argv[4]);
	pthread_barrier_init(&gate, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++) {
		sprintf(names[i], "team %d", i);
		teams[i] = duplicate(&world, names[i]);
	}
	for (int i = 0; i < threads; i++) {
		numbers[i] = i;
		pthread_create(&ids[i], NULL, work, &numbers[i]);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < threads; i++)
		drop(&teams[i]);
	pthread_barrier_destroy(&gate);
	return end();
}
