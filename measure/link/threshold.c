#include "measure/link/threshold.h"

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

struct threshold threshold_find(struct link *link, double trip_ns, uint64_t deadline_ns)
{
	const uint64_t least_ns = (uint64_t)(2 * trip_ns);
	struct threshold S = {0, MOST_BYTES};

	if (link_completes_early(link, MOST_BYTES, least_ns))
		return (struct threshold){NO_THRESHOLD, NO_THRESHOLD};
	while (S.waiting - S.eager > 1 && link_now_ns(link) < deadline_ns) {
		const uint64_t middle = middle_of(S.eager, S.waiting);

		if (link_completes_early(link, middle, least_ns))
			S.eager = middle;
		else
			S.waiting = middle;
	}
	return S;
}
