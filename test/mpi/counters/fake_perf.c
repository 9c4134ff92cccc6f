/*
 * Preloaded in place of perf_event_open: each event has the value FAKE_PERF of the environment plus its config,
 * and has run for half of its time.  REFUSE_PERF is the config of an event that is refused.  Each event that is
 * opened adds a line to the file OPENED_PERF.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note_event(void)
{
	FILE *opened = getenv("OPENED_PERF") ? fopen(getenv("OPENED_PERF"), "a") : NULL;

	if (!opened)
		return;
	fprintf(opened, "opened\n");
	fclose(opened);
}

static int open_event(const struct perf_event_attr *attributes)
{
	const char *refused = getenv("REFUSE_PERF");
	const uint64_t count[] = {strtoull(getenv("FAKE_PERF"), NULL, 0) + attributes->config, 2000,
				  1000};
	int file;

	if (refused && attributes->config == strtoull(refused, NULL, 0)) {
		errno = EACCES;
		return -1;
	}
	note_event();
	file = memfd_create("event", MFD_CLOEXEC);
	if (pwrite(file, count, sizeof count, 0) != (ssize_t)sizeof count)
		return -1;
	return file;
}

long syscall(long number, ...)
{
	long (*next)(long, ...) = NULL;
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open)
		return open_event((const void *)arguments[0]);
	*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		    arguments[5]);
}
