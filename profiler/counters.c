#include "profiler/counters.h"

#include "profiler/floating_point.h"

#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Event of the processor, of which each counts `weight` times. */
struct event {
	enum job_counter counter;
	uint32_t type;
	uint64_t config;
	unsigned weight;
	int file;
};

enum { NAMED_EVENTS = 2 };
static struct event events[NAMED_EVENTS + FLOATING_POINT_MOST] = {
	{JOB_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1, -1},
	{JOB_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, -1},
};
static unsigned event_count; /* of events that are open, or that the system has refused */

static void open_event(struct event *event)
{
	struct perf_event_attr attributes = {
		.type = event->type,
		.size = sizeof attributes,
		.config = event->config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	event->file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
				   PERF_FLAG_FD_CLOEXEC);
}

void counters_open(void)
{
	struct floating_point_event raw[FLOATING_POINT_MOST];
	unsigned raw_count;

	if (event_count)
		return;
	raw_count = floating_point_events(raw);
	for (unsigned i = 0; i < raw_count; i++)
		events[NAMED_EVENTS + i] = (struct event){JOB_FLOATING_POINT, PERF_TYPE_RAW,
							  raw[i].config, raw[i].operations, -1};
	event_count = NAMED_EVENTS + raw_count;
	for (unsigned i = 0; i < event_count; i++)
		open_event(&events[i]);
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

/* Add an event to its counter, which is unknown if one of its events is. */
static void add_counter(uint64_t *counter, const struct event *event, bool first)
{
	const uint64_t value = read_event(event->file);

	if (value == USAGE_UNKNOWN || (!first && *counter == USAGE_UNKNOWN))
		*counter = USAGE_UNKNOWN;
	else
		*counter = (first ? 0 : *counter) + value * event->weight;
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
	for (unsigned i = 0; i < event_count; i++)
		add_counter(&counters[events[i].counter], &events[i], i <= NAMED_EVENTS);
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
	for (unsigned i = 0; i < event_count; i++)
		if (events[i].file >= 0)
			close(events[i].file);
	event_count = 0;
}
