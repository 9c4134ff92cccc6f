/*
 * How often a process was preempted: the scheduler took a core from one of its threads that could go on (an
 * involuntary context switch of Linux), as where processes share cores.  And how long its threads waited for a core while they
 * could go on, whether they had been preempted or had just woken up: the sum of their waiting times.
 *
 * As text they are the count, the ns in which it was made, and the ns of waiting, "412/7351000000/250000000"; without
 * the last where the kernel does not tell it.
 */
#ifndef COMMON_PREEMPTIONS_H
#define COMMON_PREEMPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct preemptions {
	uint64_t count, ns; /* ns 0: nothing is known */
	uint64_t waited_ns; /* or WAITED_NOT_KNOWN */
};

#define WAITED_NOT_KNOWN UINT64_MAX

/* Bytes of the text with its final zero. */
enum { PREEMPTIONS_TEXT_BYTES = 64 };

/* Those of this process until now, of the waiting times those of the threads that it has now: subtract two of them. */
struct preemptions preemptions_own(void);

/*
 * Those from one reading to a later one.  Waiting of threads that ended between them is lost; it is not known if that makes
 * the later sum the lesser one.
 */
struct preemptions preemptions_between(const struct preemptions *from,
				       const struct preemptions *to);

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

/* Waiting for a core as a share of the time, above 1 if several threads waited; negative if it is not known. */
double preemptions_waited(const struct preemptions *preemptions);

#endif
