/*
 * How often a process was preempted: the scheduler took a core from one of its threads that could go on (an
 * involuntary context switch of Linux), as where processes share cores.  And how long it waited for a core: as long as that of its
 * threads that waited longest while it could go on, whether it had been preempted or had just woken up.
 *
 * As text they are the count, the ns in which it was made, and the ns of waiting, "412/7351000000/250000000"; without
 * the last where it is not known.
 */
#ifndef COMMON_PREEMPTIONS_H
#define COMMON_PREEMPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct preemptions {
	uint64_t count, ns; /* ns 0: nothing is known */
	uint64_t waited_ns; /* of one thread, or WAITED_NOT_KNOWN */
};

#define WAITED_NOT_KNOWN UINT64_MAX

/* Bytes of the text with its final zero. */
enum { PREEMPTIONS_TEXT_BYTES = 64 };

/* How long a thread has run and waited for a core since it began. */
struct preempted_thread {
	uint64_t id, ran_ns, waited_ns;
};

/* What Linux counts for a process at one time; ns 0: nothing. */
struct preemptions_reading {
	uint64_t count, ns;
	uint64_t cpu_ns; /* of all threads, also of those that have ended */
	/* Those that the process has, and of which Linux tells. */
	struct preempted_thread *threads;
	size_t thread_count;
};

/* Read for this process.  The caller releases *now. */
void preemptions_own(struct preemptions_reading *now);
void preemptions_release(struct preemptions_reading *reading);

/*
 * Find those from one reading to a later one.  Waiting is not known if the threads of the later reading have run for less than nine tenths of
 * the processor time between them: then threads that have ended did the rest.
 */
struct preemptions preemptions_between(const struct preemptions_reading *from,
				       const struct preemptions_reading *to);

/* Write the text; "" if they are not known. */
void preemptions_write(const struct preemptions *preemptions,
		       char text[static PREEMPTIONS_TEXT_BYTES]);

/* Read the text.  False, and not known, if it is not as above. */
bool preemptions_read(struct preemptions *preemptions, const char *text);

/*
 * Preemptions a second, 0 if they are not known.  A time below a second counts as a second: a few
 * preemptions of a short run tell nothing.
 */
double preemptions_rate(const struct preemptions *preemptions);

/* Waiting for a core as a share of the time, of the thread that waited longest; negative if it is not known. */
double preemptions_waited(const struct preemptions *preemptions);

#endif
