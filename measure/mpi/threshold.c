#include "measure/mpi/threshold.h"

#include "measure/mpi/clock.h"

/* The exponents first, so that a bisection that is cut short knows the magnitude. */
static uint64_t middle_of(uint64_t eager, uint64_t waiting)
{
	uint64_t middle = 1;

	if (eager > 0 && waiting <= 2 * eager)
		return eager + (waiting - eager) / 2;
	while (middle * middle < (eager ? eager : 1) * waiting)
		middle *= 2;
	return middle < waiting ? middle : waiting - 1;
}

uint64_t threshold_find(struct link *link, double trip_ns, uint64_t deadline_ns)
{
	const uint64_t least_ns = (uint64_t)(2 * trip_ns);
	uint64_t eager = 0, waiting = MOST_BYTES;

	if (link_completes_early(link, MOST_BYTES, least_ns))
		return UINT64_MAX;
	while (waiting - eager > 1 && now_ns() < deadline_ns) {
		const uint64_t middle = middle_of(eager, waiting);

		if (link_completes_early(link, middle, least_ns))
			eager = middle;
		else
			waiting = middle;
	}
	return eager;
}
