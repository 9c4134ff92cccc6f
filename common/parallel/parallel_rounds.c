#include "common/parallel/parallel_rounds.h"

#include "common/parallel/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Looks for the end of a round before a thread sleeps: some us, as waking up takes. */
enum { MOST_LOOKS = 200 };

struct rounds {
	const struct parallel_rounds_work *work;
	uint32_t count;
	unsigned threads;
	pthread_mutex_t lock;
	pthread_cond_t round_over;
	atomic_uint arrived; /* threads whose parts of the round are done */
	atomic_uint round;   /* number of rounds that are over */
	bool started;	     /* all threads there are known; with the lock */
	bool goes_on;	     /* set between two rounds */
	uint32_t failed;     /* the first part that failed, or `count`; with the lock */
	struct error error;  /* of that part */
	struct error *err;
	int result;
};

struct worker {
	struct rounds *rounds;
	pthread_t thread;
	unsigned number;
};

static void note_failure(struct rounds *rounds, uint32_t part, const struct error *err)
{
	pthread_mutex_lock(&rounds->lock);
	if (part < rounds->failed) {
		rounds->failed = part;
		rounds->error = *err;
	}
	pthread_mutex_unlock(&rounds->lock);
}

/* Decide between two rounds whether there is another one. */
static void end_round(struct rounds *rounds)
{
	int more = -1;

	if (rounds->failed < rounds->count)
		*rounds->err = rounds->error;
	else
		more = rounds->work->between(rounds->work->shared, rounds->err);
	rounds->goes_on = more > 0;
	rounds->result = more < 0 ? -1 : 0;
}

static inline void pause_a_moment(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* Wait until all threads have come here.  The last one ends the round. */
static void wait_for_others(struct rounds *rounds)
{
	const unsigned round = atomic_load(&rounds->round);

	if (atomic_fetch_add(&rounds->arrived, 1) + 1 == rounds->threads) {
		end_round(rounds);
		atomic_store(&rounds->arrived, 0);
		pthread_mutex_lock(&rounds->lock);
		atomic_store(&rounds->round, round + 1);
		pthread_cond_broadcast(&rounds->round_over);
		pthread_mutex_unlock(&rounds->lock);
		return;
	}
	for (int i = 0; i < MOST_LOOKS; i++) {
		if (atomic_load(&rounds->round) != round)
			return;
		pause_a_moment();
	}
	pthread_mutex_lock(&rounds->lock);
	while (atomic_load(&rounds->round) == round)
		pthread_cond_wait(&rounds->round_over, &rounds->lock);
	pthread_mutex_unlock(&rounds->lock);
}

static void *work_on(void *argument)
{
	const struct worker *worker = argument;
	struct rounds *rounds = worker->rounds;

	pthread_mutex_lock(&rounds->lock);
	while (!rounds->started)
		pthread_cond_wait(&rounds->round_over, &rounds->lock);
	pthread_mutex_unlock(&rounds->lock);
	do {
		for (uint32_t part = worker->number; part < rounds->count;
		     part += rounds->threads) {
			struct error err;

			if (rounds->work->work(rounds->work->shared, part, &err) < 0)
				note_failure(rounds, part, &err);
		}
		wait_for_others(rounds);
	} while (rounds->goes_on);
	return NULL;
}

/* Start the threads, as many as the system gives, and be the first of them. */
static void run_threads(struct rounds *rounds)
{
	struct worker workers[PARALLEL_THREADS_MOST];
	unsigned started = 1;

	while (started < rounds->threads) {
		struct worker *worker = &workers[started];

		*worker = (struct worker){.rounds = rounds, .number = started};
		if (pthread_create(&worker->thread, NULL, work_on, worker) != 0)
			break;
		started++;
	}
	pthread_mutex_lock(&rounds->lock);
	rounds->threads = started;
	rounds->started = true;
	pthread_cond_broadcast(&rounds->round_over);
	pthread_mutex_unlock(&rounds->lock);
	workers[0] = (struct worker){.rounds = rounds};
	work_on(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

int parallel_rounds(const struct parallel_rounds_work *work, uint32_t count, unsigned threads,
		    struct error *err)
{
	struct rounds rounds = {.work = work,
				.count = count,
				.threads = threads < count ? threads : count,
				.failed = count,
				.err = err};

	if (rounds.threads > PARALLEL_THREADS_MOST)
		rounds.threads = PARALLEL_THREADS_MOST;
	pthread_mutex_init(&rounds.lock, NULL);
	pthread_cond_init(&rounds.round_over, NULL);
	run_threads(&rounds);
	pthread_cond_destroy(&rounds.round_over);
	pthread_mutex_destroy(&rounds.lock);
	return rounds.result;
}
