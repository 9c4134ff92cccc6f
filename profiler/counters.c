#include "profiler/counters.h"

#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Events of the processor that have a name in Linux.  Floating-point operations have none. */
static const struct {
	enum job_counter counter;
	uint64_t event;
} events[] = {
	{JOB_INSTRUCTIONS, PERF_COUNT_HW_INSTRUCTIONS},
	{JOB_CYCLES, PERF_COUNT_HW_CPU_CYCLES},
};
enum { EVENTS = sizeof events / sizeof *events };

static int files[EVENTS]; /* file + 1, or 0 */

void counters_open(void)
{
	for (int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attributes = {
			.type = PERF_TYPE_HARDWARE,
			.size = sizeof attributes,
			.config = events[i].event,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.inherit = 1,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		files[i] = 1 + (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
					    PERF_FLAG_FD_CLOEXEC);
	}
}

/* Value of an event, extrapolated if it had to share the processor's counter with others. */
static uint64_t read_event(int file)
{
	struct {
		uint64_t value, enabled, running;
	} count;

	if (file < 0 || read(file, &count, sizeof count) != (ssize_t)sizeof count ||
	    count.running == 0)
		return USAGE_UNKNOWN;
	if (count.running == count.enabled)
		return count.value;
	return (uint64_t)((double)count.value * (double)count.enabled / (double)count.running);
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

void counters_read(uint64_t counters[static JOB_COUNTER_END])
{
	struct rusage usage;

	for (int i = 0; i < JOB_COUNTER_END; i++)
		counters[i] = USAGE_UNKNOWN;
	for (int i = 0; i < EVENTS; i++)
		counters[events[i].counter] = read_event(files[i] - 1);
	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	counters[JOB_RSS_BYTES] = (uint64_t)usage.ru_maxrss * 1024;
	counters[JOB_USER_NS] = ns_of(usage.ru_utime);
	counters[JOB_SYSTEM_NS] = ns_of(usage.ru_stime);
	counters[JOB_VOLUNTARY_SWITCHES] = (uint64_t)usage.ru_nvcsw;
	counters[JOB_INVOLUNTARY_SWITCHES] = (uint64_t)usage.ru_nivcsw;
}

void counters_close(void)
{
	for (int i = 0; i < EVENTS; i++) {
		if (files[i] > 0)
			close(files[i] - 1);
		files[i] = 0;
	}
}
