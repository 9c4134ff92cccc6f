#include "pmpi/threads.h"

#include "pmpi/requests.h"
#include "pmpi/totals.h"

#include <stdlib.h>

_Thread_local struct thread *own_thread __attribute__((tls_model("initial-exec")));

/* Recording was switched. */
struct change {
	uint64_t time_ns;
	bool on;
};

static struct {
	pthread_mutex_t lock;
	ARRAY(struct change) switches;
	ARRAY(struct thread *) journals;	/* by number */
	struct thread *free;			/* of threads that have ended */
	pthread_key_t key;			/* tells when a thread ends */
	bool have_key;
	bool recorded;				/* there are journals of this rank */
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What it has recorded stays; that of the first thread is for nobody else. */
static void end_thread(void *value)
{
	struct thread *thread = value;

	requests_release_scratch();
	totals_release();
	own_thread = NULL;
	thread->ended = thread->journal && thread->number == 0;
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

bool thread_begin(void)
{
	struct thread *thread = NULL;
	struct error err;
	int found;

	pthread_mutex_lock(&threads.lock);
	found = find_thread(&thread, &err);
	pthread_mutex_unlock(&threads.lock);
	if (found < 0) {
		tracer_fail(&err);
		return false;
	}
	/* If this fails it is given to nobody else. */
	pthread_setspecific(threads.key, thread);
	own_thread = thread;
	return true;
}

/* ---------------------------------------------------------------- journals */

static int number_journal(struct thread *thread, struct error *err)
{
	int result;

	pthread_mutex_lock(&threads.lock);
	thread->number = (uint32_t)threads.journals.count;
	result = array_push(&threads.journals, thread, err);
	pthread_mutex_unlock(&threads.lock);
	return result;
}

struct journal *thread_journal(struct error *err)
{
	struct thread *thread = own_thread;
	struct journal_place place = {tracer.directory, (uint32_t)tracer.rank, 0};
	struct journal *journal;

	if (!thread) {
		if (!thread_begin()) {
			*err = tracer.error;
			return NULL;
		}
		thread = own_thread;
	}
	if (thread->journal)
		return thread->journal;
	if (number_journal(thread, err) < 0)
		return NULL;
	place.thread = thread->number;
	if (journal_create(&journal, &place, (uint32_t)tracer.size,
			   thread->number ? now_ns() : tracer.load_ns, tracer.buffer_bytes,
			   err) < 0)
		return NULL;
	threads.recorded = true;
	return thread->journal = journal;
}

struct journal *threads_last_journal(struct error *err)
{
	struct thread *first = threads.journals.items[0];

	return first->ended && !own_thread ? first->journal : thread_journal(err);
}

uint32_t threads_count(void)
{
	return (uint32_t)threads.journals.count;
}

bool threads_have_recorded(void)
{
	return threads.recorded;
}

void threads_close(void)
{
	pthread_mutex_lock(&threads.lock);
	for (struct thread *thread = threads.free; thread; thread = thread->next_free) {
		journal_close(thread->journal);
		thread->journal = NULL;
		array_release(&thread->events);
	}
	pthread_mutex_unlock(&threads.lock);
	if (!own_thread)
		return;
	journal_close(own_thread->journal);
	own_thread->journal = NULL;
	array_release(&own_thread->events);
}

void threads_drop(void)
{
	if (threads_have_recorded())
		journal_remove(tracer.directory, (uint32_t)tracer.rank, 1);
	threads.recorded = false;
	threads_close();
}

/* ---------------------------------------------------------------- switches */

int threads_switch(uint64_t time_ns, bool on, struct error *err)
{
	int result;

	if (!thread_journal(err))
		return -1;
	pthread_mutex_lock(&threads.lock);
	result = array_push(&threads.switches, ((struct change){time_ns, on}), err);
	tracer.switch_count = threads.switches.count;
	pthread_mutex_unlock(&threads.lock);
	TRY(result);
	tracer.on = on;
	thread_switch(own_thread);
	return 0;
}

static int note_switches(struct thread *thread, struct error *err)
{
	for (; thread->switches < threads.switches.count; thread->switches++) {
		struct change change = threads.switches.items[thread->switches];

		/* What was before the first record of a thread does not concern it. */
		if (thread->journal)
			TRY(journal_switch(thread->journal, change.time_ns, change.on, err));
	}
	return 0;
}

void thread_switch(struct thread *thread)
{
	struct error err;
	int noted;

	pthread_mutex_lock(&threads.lock);
	noted = note_switches(thread, &err);
	pthread_mutex_unlock(&threads.lock);
	if (noted < 0)
		tracer_fail(&err);
}
