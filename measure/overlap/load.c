#include "measure/overlap/load.h"

#include "common/array.h"
#include "measure/overlap/kernel.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

/* Compute until the load is off.  The lock is held before and after. */
static void compute_while_on(struct load *load)
{
	double value = 0.3;

	load->computing++;
	pthread_cond_broadcast(&load->changed);
	pthread_mutex_unlock(&load->lock);
	while (atomic_load_explicit(&load->on, memory_order_relaxed))
		kernel_work(&value, 10);
	pthread_mutex_lock(&load->lock);
	load->computing--;
	pthread_cond_broadcast(&load->changed);
}

static void *load_thread(void *pointer)
{
	struct load *load = pointer;

	pthread_mutex_lock(&load->lock);
	while (!load->ends) {
		if (atomic_load(&load->on))
			compute_while_on(load);
		else
			pthread_cond_wait(&load->changed, &load->lock);
	}
	pthread_mutex_unlock(&load->lock);
	return NULL;
}

/* The processor with this number among those that the calling thread may use. */
static int own_processor(unsigned number)
{
	cpu_set_t own;

	if (sched_getaffinity(0, sizeof own, &own) < 0 || CPU_COUNT(&own) == 0)
		return -1;
	number %= (unsigned)CPU_COUNT(&own);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &own) && number-- == 0)
			return i;
	return -1;
}

static void load_pin(pthread_t thread, unsigned number)
{
	const int processor = own_processor(number);
	cpu_set_t set;

	if (processor < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	pthread_setaffinity_np(thread, sizeof set, &set);
}

static int load_start_threads(struct load *load, unsigned threads, bool pin, struct error *err)
{
	for (; load->count < threads; load->count++) {
		errno = pthread_create(&load->threads[load->count], NULL, load_thread, load);
		if (errno)
			return error_set_errno(err, "thread %u that computes", load->count);
		if (pin)
			load_pin(load->threads[load->count], load->count);
	}
	return 0;
}

int load_begin(struct load *load, unsigned threads, bool pin, struct error *err)
{
	sigset_t all, before;
	int result;

	memset(load, 0, sizeof *load);
	pthread_mutex_init(&load->lock, NULL);
	pthread_cond_init(&load->changed, NULL);
	TRY(allocate(&load->threads, threads, sizeof *load->threads, err));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = load_start_threads(load, threads, pin, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (result < 0)
		load_end(load);
	return result;
}

void load_set(struct load *load, bool on)
{
	pthread_mutex_lock(&load->lock);
	atomic_store(&load->on, on);
	pthread_cond_broadcast(&load->changed);
	while (load->computing != (on ? load->count : 0))
		pthread_cond_wait(&load->changed, &load->lock);
	pthread_mutex_unlock(&load->lock);
}

void load_end(struct load *load)
{
	if (!load->threads)
		return;
	pthread_mutex_lock(&load->lock);
	load->ends = true;
	atomic_store(&load->on, false);
	pthread_cond_broadcast(&load->changed);
	pthread_mutex_unlock(&load->lock);
	for (unsigned i = 0; i < load->count; i++)
		pthread_join(load->threads[i], NULL);
	free(load->threads);
	memset(load, 0, sizeof *load);
}
