/*
 * How often a process was preempted: the scheduler took a core from one of its threads that could go on (an
 * involuntary context switch of Linux), as where processes share cores.
 *
 * As text they are the count and the ns in which it was made, "412/7351000000".
 */
#ifndef COMMON_PREEMPTIONS_H
#define COMMON_PREEMPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct preemptions {
	uint64_t count, ns; /* ns 0: not known */
};

/* Bytes of the text with its final zero. */
enum { PREEMPTIONS_TEXT_BYTES = 48 };

/* Those of this process until now: subtract two of them. */
struct preemptions preemptions_own(void);

/* Those from one reading to a later one. */
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

#endif
