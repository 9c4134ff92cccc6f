#include "common/machine/preemptions.h"

#include "common/machine/now.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
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
 * Find how long a thread has waited for a core, from Linux's schedstat: ns on a core, ns of waiting, how often it got a core.
 * WAITED_NOT_KNOWN if there is none, as of a thread that has just ended, or if the kernel counts nothing: all are 0.
 */
static uint64_t waited_by(int tasks, const char *thread)
{
	char path[NAME_MAX + sizeof "/schedstat"], text[80];
	const char *at = text;
	uint64_t ran, waited, turns;
	ssize_t length;
	int file;

	snprintf(path, sizeof path, "%s/schedstat", thread);
	file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return WAITED_NOT_KNOWN;
	length = read(file, text, sizeof text - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	if (take_number(&at, &ran) && *at++ == ' ' && take_number(&at, &waited) && *at++ == ' ' &&
	    take_number(&at, &turns) && turns > 0)
		return waited;
	return WAITED_NOT_KNOWN;
}

/* Sum of the waiting of all threads of the process, WAITED_NOT_KNOWN if it is known of none. */
static uint64_t waited_by_all(void)
{
	DIR *const tasks = opendir("/proc/self/task");
	uint64_t sum = WAITED_NOT_KNOWN;

	for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
		const uint64_t waited = *entry->d_name == '.'
						? WAITED_NOT_KNOWN
						: waited_by(dirfd(tasks), entry->d_name);

		if (waited != WAITED_NOT_KNOWN)
			sum = (sum == WAITED_NOT_KNOWN ? 0 : sum) + waited;
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

struct preemptions preemptions_own(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return (struct preemptions){0};
	return (struct preemptions){(uint64_t)usage.ru_nivcsw, now_ns(), waited_by_all()};
}

struct preemptions preemptions_between(const struct preemptions *from, const struct preemptions *to)
{
	const bool known = from->waited_ns != WAITED_NOT_KNOWN &&
			   to->waited_ns != WAITED_NOT_KNOWN && to->waited_ns >= from->waited_ns;

	if (!from->ns || to->count < from->count)
		return (struct preemptions){0};
	return (struct preemptions){to->count - from->count, passed_ns(from->ns, to->ns),
				    known ? to->waited_ns - from->waited_ns : WAITED_NOT_KNOWN};
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
