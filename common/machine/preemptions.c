#include "common/machine/preemptions.h"

#include "common/machine/now.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

struct preemptions preemptions_own(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return (struct preemptions){0};
	return (struct preemptions){(uint64_t)usage.ru_nivcsw, now_ns()};
}

struct preemptions preemptions_between(const struct preemptions *from, const struct preemptions *to)
{
	if (!from->ns || to->count < from->count)
		return (struct preemptions){0};
	return (struct preemptions){to->count - from->count, passed_ns(from->ns, to->ns)};
}

void preemptions_write(const struct preemptions *preemptions,
		       char text[static PREEMPTIONS_TEXT_BYTES])
{
	*text = '\0';
	if (preemptions->ns)
		snprintf(text, PREEMPTIONS_TEXT_BYTES, "%" PRIu64 "/%" PRIu64, preemptions->count,
			 preemptions->ns);
}

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

bool preemptions_read(struct preemptions *preemptions, const char *text)
{
	if (take_number(&text, &preemptions->count) && *text++ == '/' &&
	    take_number(&text, &preemptions->ns) && !*text)
		return true;
	*preemptions = (struct preemptions){0};
	return false;
}

double preemptions_rate(const struct preemptions *preemptions)
{
	static const double second_ns = 1e9;
	const double ns = (double)preemptions->ns;

	return ns > 0 ? (double)preemptions->count * second_ns / (ns < second_ns ? second_ns : ns) : 0;
}
