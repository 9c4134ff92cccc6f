#include "pmpi/threads.h"

#include "pmpi/sink.h"
#include "pmpi/sizes.h"

#include <stdlib.h>

_Thread_local struct thread *own_thread __attribute__((tls_model("initial-exec")));
_Thread_local unsigned call_depth __attribute__((tls_model("initial-exec")));

/* Recording was switched. */
struct change {
	uint64_t time_ns;
	bool on;
};

static struct {
	pthread_mutex_t lock;
	ARRAY(struct change) switches;
	struct thread *first;			/* the thread with number 0 */
	uint32_t count;				/* of recorders */
	struct thread *free;			/* of threads that have ended */
	pthread_key_t key;			/* its destructor runs when a thread ends */
	bool have_key;
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Leave the recorder to the next new thread, except for the first thread's recorder. */
static void end_thread(void *value)
{
	struct thread *thread = value;

	own_thread = NULL;
	thread->ended = thread->recorder && thread->number == 0;
	if (thread->ended)
		return;
	pthread_mutex_lock(&threads.lock);
	thread->next_free = threads.free;
	threads.free = thread;
	pthread_mutex_unlock(&threads.lock);
}

static int find_thread(struct thread **found, struct error *err)
{
	if (!threads.have_key && pthread_key_create(&threads.key, end_thread) != 0)
		return error_set(err, STATUS_SYSTEM, "no key for threads");
	threads.have_key = true;
	if (threads.free) {
		*found = threads.free;
		threads.free = (*found)->next_free;
		return 0;
	}
	return allocate(found, 1, sizeof **found, err);
}

bool thread_register(void)
{
	struct thread *thread = NULL;
	struct error err;
	int found;

	pthread_mutex_lock(&threads.lock);
	found = find_thread(&thread, &err);
	pthread_mutex_unlock(&threads.lock);
	if (found < 0) {
		process_fail(&err);
		return false;
	}
	/* If this fails, no other thread gets the recorder. */
	pthread_setspecific(threads.key, thread);
	own_thread = thread;
	return true;
}

/* --------------------------------------------------------------- recorders */

int thread_begin(struct thread *thread, struct error *err)
{
	pthread_mutex_lock(&threads.lock);
	thread->number = threads.count++;
	if (thread->number == 0)
		threads.first = thread;
	thread->recorder = sink.thread_begin(thread->number, err);
	if (thread->recorder && sink.inside)
		thread->inside = sink.inside(thread->recorder);
	pthread_mutex_unlock(&threads.lock);
	return thread->recorder ? 0 : -1;
}

void *thread_recorder(struct error *err)
{
	if (!own_thread && !thread_register()) {
		*err = process.error;
		return NULL;
	}
	if (!own_thread->recorder && thread_begin(own_thread, err) < 0)
		return NULL;
	return own_thread->recorder;
}

static void thread_end(struct thread *thread, bool last)
{
	void *recorder = thread->recorder;
	struct error err;

	thread->recorder = NULL;
	thread->inside = NULL;
	array_release(&thread->events);
	for (int i = 0; i < SCRATCH_COUNT; i++) {
		array_release(&thread->scratches[i].taken);
		array_release(&thread->scratches[i].statuses);
	}
	array_release(&thread->send_vector);
	array_release(&thread->receive_vector);
	sizes_free(thread->sizes);
	thread->sizes = NULL;
	if (recorder && sink.thread_end && sink.thread_end(recorder, last, &err) < 0)
		process_fail(&err);
}

/* Find the thread in which recording ends, or NULL. */
static struct thread *last_thread(void)
{
	struct error err;

	if (!own_thread && threads.first->ended)
		return threads.first;
	if (!thread_recorder(&err))
		process_fail(&err);
	return own_thread;
}

void threads_end(bool complete)
{
	bool recording = complete && process.state == PROCESS_ACTIVE;
	struct thread *last = recording ? last_thread() : own_thread;

	pthread_mutex_lock(&threads.lock);
	for (struct thread *thread = threads.free; thread; thread = thread->next_free)
		thread_end(thread, false);
	pthread_mutex_unlock(&threads.lock);
	if (last)
		thread_end(last, recording && process.state == PROCESS_ACTIVE);
}

/* ---------------------------------------------------------------- switches */

int threads_switch(uint64_t time_ns, bool on, struct error *err)
{
	int result;

	if (!thread_recorder(err))
		return -1;
	pthread_mutex_lock(&threads.lock);
	result = array_push(&threads.switches, ((struct change){time_ns, on}), err);
	process.switch_count = threads.switches.count;
	pthread_mutex_unlock(&threads.lock);
	TRY(result);
	process.on = on;
	thread_switch(own_thread);
	return 0;
}

static int hand_over_switches(struct thread *thread, struct error *err)
{
	for (; thread->switches < threads.switches.count; thread->switches++) {
		struct change change = threads.switches.items[thread->switches];

		/* Switches before the first record of a thread do not concern it. */
		if (thread->recorder && sink.recording)
			TRY(sink.recording(thread->recorder, change.time_ns, change.on, err));
	}
	return 0;
}

void thread_switch(struct thread *thread)
{
	struct error err;
	int result;

	pthread_mutex_lock(&threads.lock);
	result = hand_over_switches(thread, &err);
	pthread_mutex_unlock(&threads.lock);
	if (result < 0)
		process_fail(&err);
}
