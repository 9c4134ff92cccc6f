#include "common/parallel/parallel.h"

#include "common/array.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* Steps of some ten ns each that together take longer than starting a thread. */
enum { FEW_STEPS = 20000 };

struct run {
	const struct parallel_work *work;
	uint32_t count;
	pthread_mutex_t lock;
	pthread_cond_t turn_moved;
	uint32_t next;	    /* the first item that no thread has taken */
	uint32_t line_turn; /* next item to line up */
	uint32_t turn;	    /* next item to take */
	bool failed;
	struct error *err; /* of the run, set by the thread whose turn it is */
};

struct worker {
	struct run *run;
	pthread_t thread;
	void *state;
};

unsigned processor_count(void)
{
	cpu_set_t processors;

	if (sched_getaffinity(0, sizeof processors, &processors) < 0)
		return 1;
	return (unsigned)CPU_COUNT(&processors);
}

unsigned parallel_threads(uint64_t steps)
{
	return steps < FEW_STEPS ? 1 : processor_count();
}

/* Wait until it is the item's turn.  False if an item before it has failed. */
static bool wait_turn(struct run *run, const uint32_t *turn, uint32_t item)
{
	bool running;

	pthread_mutex_lock(&run->lock);
	while (*turn != item && !run->failed)
		pthread_cond_wait(&run->turn_moved, &run->lock);
	running = !run->failed;
	pthread_mutex_unlock(&run->lock);
	return running;
}

static void move_turn(struct run *run, uint32_t *turn)
{
	++*turn;
	pthread_cond_broadcast(&run->turn_moved);
}

/*
 * Run all steps of an item.  False if no more items are to be run.  A failed item still waits for
 * its turn, because an earlier item may fail, too.
 */
static bool run_item(struct run *run, void *state, uint32_t item)
{
	const struct parallel_work *work = run->work;
	struct error err;
	int made = work->make ? work->make(work->shared, state, item, &err) : 0;

	if (work->line_up) {
		if (!wait_turn(run, &run->line_turn, item))
			return false;
		if (made >= 0)
			made = work->line_up(work->shared, state, item, &err);
		pthread_mutex_lock(&run->lock);
		move_turn(run, &run->line_turn);
		pthread_mutex_unlock(&run->lock);
	}
	if (made >= 0 && work->finish)
		made = work->finish(work->shared, state, item, &err);
	if (!wait_turn(run, &run->turn, item))
		return false;
	if (made >= 0 && work->take)
		made = work->take(work->shared, state, item, &err);
	pthread_mutex_lock(&run->lock);
	if (made < 0) {
		run->failed = true;
		*run->err = err;
	}
	move_turn(run, &run->turn);
	pthread_mutex_unlock(&run->lock);
	return made >= 0;
}

static void *work_on(void *argument)
{
	const struct worker *worker = argument;
	struct run *run = worker->run;
	uint32_t item;

	do {
		pthread_mutex_lock(&run->lock);
		item = run->failed ? run->count : run->next;
		if (item < run->count)
			run->next++;
		pthread_mutex_unlock(&run->lock);
	} while (item < run->count && run_item(run, worker->state, item));
	return NULL;
}

int parallel_run(const struct parallel_work *work, uint32_t count, unsigned threads,
		 struct error *err)
{
	struct run run = {.work = work, .count = count, .err = err};
	struct worker workers[PARALLEL_THREADS_MOST];
	unsigned states = 0, started = 0;
	int result = 0;

	if (threads > PARALLEL_THREADS_MOST)
		threads = PARALLEL_THREADS_MOST;
	if (threads > count)
		threads = count;
	if (threads == 0)
		return 0;
	pthread_mutex_init(&run.lock, NULL);
	pthread_cond_init(&run.turn_moved, NULL);
	for (; states < threads && result == 0; states++) {
		workers[states].run = &run;
		result = allocate(&workers[states].state, work->state_bytes, 1, err);
	}
	if (result == 0) {
		/* This thread is the first one, and the only one if no thread can be started. */
		while (started + 1 < threads && pthread_create(&workers[started + 1].thread, NULL,
							       work_on, &workers[started + 1]) == 0)
			started++;
		work_on(&workers[0]);
		for (unsigned i = 1; i <= started; i++)
			pthread_join(workers[i].thread, NULL);
		result = run.failed ? -1 : 0;
	} else {
		states--;
	}
	for (unsigned i = 0; i < states; i++) {
		if (work->release)
			work->release(workers[i].state);
		free(workers[i].state);
	}
	pthread_cond_destroy(&run.turn_moved);
	pthread_mutex_destroy(&run.lock);
	return result;
}
