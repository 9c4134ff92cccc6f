#include "common/machine/preemptions.h"

#include "common/machine/now.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Read a number at *at, and go past it.  False if there is none, or it is too large. */
static bool take_number(const char **at, uint64_t *number)
{
	const char *first = *at;

	for (*number = 0; **at >= '0' && **at <= '9'; (*at)++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(**at - '0'), number))
			return false;
	return *at > first;
}

/*
 * Read how long a thread has run and waited for a core, from Linux's schedstat: ns on a core, ns of waiting, how often it got a core.
 * False if there is none, as of a thread that has just ended, or if the kernel counts nothing: all are 0.
 */
static bool read_thread(int tasks, const char *name, struct preempted_thread *thread)
{
	char path[NAME_MAX + sizeof "/schedstat"], text[80];
	const char *at = text;
	uint64_t turns;
	ssize_t length;
	int file;

	snprintf(path, sizeof path, "%s/schedstat", name);
	file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	length = read(file, text, sizeof text - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	return take_number(&name, &thread->id) && take_number(&at, &thread->ran_ns) &&
	       *at++ == ' ' && take_number(&at, &thread->waited_ns) && *at++ == ' ' &&
	       take_number(&at, &turns) && turns > 0;
}

/* Keep a thread.  False if memory is short. */
static bool keep_thread(struct preemptions_reading *now, const struct preempted_thread *thread)
{
	const size_t count = now->thread_count;

	/* Room is doubled whenever the count is a power of two. */
	if ((count & (count - 1)) == 0) {
		struct preempted_thread *const threads = realloc(now->threads,
								 (count ? 2 * count : 1) *
									 sizeof *threads);

		if (!threads)
			return false;
		now->threads = threads;
	}
	now->threads[now->thread_count++] = *thread;
	return true;
}

/* Read for all threads that the process has.  Where memory is short some are left out, as if they had ended. */
static void read_threads(struct preemptions_reading *now)
{
	DIR *const tasks = opendir("/proc/self/task");
	struct preempted_thread thread;

	for (struct dirent *entry; tasks && (entry = readdir(tasks));)
		if (*entry->d_name != '.' && read_thread(dirfd(tasks), entry->d_name, &thread) &&
		    !keep_thread(now, &thread))
			break;
	if (tasks)
		closedir(tasks);
}

/* Processor time of the process, also of the threads that have ended. */
static uint64_t processor_ns(void)
{
	struct timespec used;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) < 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

void preemptions_own(struct preemptions_reading *now)
{
	struct rusage usage;

	*now = (struct preemptions_reading){0};
	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	now->count = (uint64_t)usage.ru_nivcsw;
	now->ns = now_ns();
	now->cpu_ns = processor_ns();
	read_threads(now);
}

void preemptions_release(struct preemptions_reading *reading)
{
	free(reading->threads);
	*reading = (struct preemptions_reading){0};
}

/* What a thread had done at an earlier reading: nothing if it began later. */
static struct preempted_thread done_before(const struct preemptions_reading *from,
					   const struct preempted_thread *thread)
{
	for (size_t i = 0; i < from->thread_count; i++) {
		const struct preempted_thread *before = &from->threads[i];

		/* Another thread may have got the number since. */
		if (before->id == thread->id && before->ran_ns <= thread->ran_ns &&
		    before->waited_ns <= thread->waited_ns)
			return *before;
	}
	return (struct preempted_thread){0};
}

/* Waiting of the thread that waited longest. */
static uint64_t longest_wait(const struct preemptions_reading *from,
			     const struct preemptions_reading *to)
{
	const uint64_t cpu_ns = passed_ns(from->cpu_ns, to->cpu_ns);
	uint64_t ran_ns = 0, longest_ns = 0;

	for (size_t i = 0; i < to->thread_count; i++) {
		const struct preempted_thread *thread = &to->threads[i];
		const struct preempted_thread before = done_before(from, thread);

		ran_ns += thread->ran_ns - before.ran_ns;
		if (thread->waited_ns - before.waited_ns > longest_ns)
			longest_ns = thread->waited_ns - before.waited_ns;
	}
	return to->thread_count && ran_ns >= cpu_ns / 10 * 9 ? longest_ns : WAITED_NOT_KNOWN;
}

struct preemptions preemptions_between(const struct preemptions_reading *from,
				       const struct preemptions_reading *to)
{
	if (!from->ns || to->count < from->count)
		return (struct preemptions){0};
	return (struct preemptions){to->count - from->count, passed_ns(from->ns, to->ns),
				    longest_wait(from, to)};
}

void preemptions_write(const struct preemptions *preemptions,
		       char text[static PREEMPTIONS_TEXT_BYTES])
{
	int length;

	*text = '\0';
	if (!preemptions->ns)
		return;
	length = snprintf(text, PREEMPTIONS_TEXT_BYTES, "%" PRIu64 "/%" PRIu64, preemptions->count,
			  preemptions->ns);
	if (preemptions->waited_ns != WAITED_NOT_KNOWN)
		snprintf(text + length, PREEMPTIONS_TEXT_BYTES - (size_t)length, "/%" PRIu64,
			 preemptions->waited_ns);
}

bool preemptions_read(struct preemptions *preemptions, const char *text)
{
	if (take_number(&text, &preemptions->count) && *text++ == '/' &&
	    take_number(&text, &preemptions->ns)) {
		preemptions->waited_ns = WAITED_NOT_KNOWN;
		if (!*text || (*text++ == '/' && take_number(&text, &preemptions->waited_ns) &&
			       !*text && preemptions->waited_ns != WAITED_NOT_KNOWN))
			return true;
	}
	*preemptions = (struct preemptions){0};
	return false;
}

double preemptions_rate(const struct preemptions *preemptions)
{
	static const double second_ns = 1e9;
	const double ns = (double)preemptions->ns;

	return ns > 0 ? (double)preemptions->count * second_ns / (ns < second_ns ? second_ns : ns)
		      : 0;
}

double preemptions_waited(const struct preemptions *preemptions)
{
	if (!preemptions->ns || preemptions->waited_ns == WAITED_NOT_KNOWN)
		return -1;
	return (double)preemptions->waited_ns / (double)preemptions->ns;
}
