#include "trace/call/trace_backend.h"

#include <stddef.h>

void trace_left_out_add(struct trace_left_out *left_out, const struct trace_left_out *more)
{
	uint64_t *sums = (uint64_t *)left_out;
	const uint64_t *others = (const uint64_t *)more;

	_Static_assert(sizeof *left_out % sizeof *sums == 0, "sums of 64 bits");
	for (size_t i = 0; i < sizeof *left_out / sizeof *sums; i++)
		sums[i] += others[i];
}
