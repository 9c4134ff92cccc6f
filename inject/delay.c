#include "inject/delay.h"

#include "common/units.h"

#include <stdlib.h>

enum { LARGEST_DIVISOR = 4 };	/* sums of three times stay below INT64_MAX */

int64_t delay_gap_ns(const struct delay *delay, size_t bytes)
{
	const uint64_t as_per_byte = (uint64_t)delay->gap_as_per_byte;
	const unsigned __int128 gap_as = (unsigned __int128)bytes * as_per_byte,
				gap_ns = (gap_as + AS_PER_NS - 1) / AS_PER_NS;

	return gap_ns < INT64_MAX / LARGEST_DIVISOR ? (int64_t)gap_ns : INT64_MAX / LARGEST_DIVISOR;
}

int64_t delay_due_ns(const struct delay *delay, int64_t sent_ns, size_t bytes)
{
	return sent_ns + delay->latency_ns + delay_gap_ns(delay, bytes);
}

void delay_add_native(struct delay *delay, size_t small, int64_t small_ns, size_t large,
		      int64_t large_ns)
{
	int64_t gap_as = 0;

	if (large_ns > small_ns)
		gap_as = (int64_t)((__int128)(large_ns - small_ns) * AS_PER_NS /
				   (int64_t)(large - small));
	delay->gap_as_per_byte += gap_as;
	delay->latency_ns += small_ns - (int64_t)((__int128)small * gap_as / AS_PER_NS);
}

static int delay_read_number(const char *variable, int64_t *number, struct error *err)
{
	const char *text = getenv(variable);
	uint64_t value;

	if (!text)
		return error_set(err, STATUS_USAGE, "%s is not set: start the program with"
				 " llamp-inject", variable);
	if (parse_count(text, 0, INT64_MAX / LARGEST_DIVISOR, &value, err) < 0)
		return error_prefix(err, "%s: ", variable);
	*number = (int64_t)value;
	return 0;
}

int delay_read(struct delay *delay, struct error *err)
{
	int64_t add;

	TRY(delay_read_number(DELAY_LATENCY, &delay->latency_ns, err));
	TRY(delay_read_number(DELAY_GAP, &delay->gap_as_per_byte, err));
	TRY(delay_read_number(DELAY_ADD, &add, err));
	delay->add = add;
	return 0;
}
