#include "critpath/tables/efficiency.h"

#include <math.h>

/* a / b, or NAN. */
static double ratio(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

static void efficiency_add_ranks(struct efficiency *efficiency, const struct totals *totals)
{
	for (uint32_t r = 0; r < efficiency->ranks; r++) {
		const uint64_t ns = totals->ranks[r].compute_ns;

		efficiency->compute_ns += ns;
		if (ns > efficiency->most_compute_ns) {
			efficiency->most_compute_ns = ns;
			efficiency->busiest = r;
		}
	}
}

static double scaling_of(const struct efficiency *efficiency)
{
	const struct efficiency_reference *reference = &efficiency->reference;
	double scaling;

	if (!reference->path)
		return (double)NAN;
	scaling = ratio((double)reference->compute_ns, (double)efficiency->compute_ns);
	return reference->weak ? scaling * efficiency->ranks / reference->ranks : scaling;
}

void efficiency_find(struct efficiency *efficiency, const struct measured_run *run,
		     const struct totals *totals, uint64_t ideal_ns,
		     const struct efficiency_reference *reference,
		     const struct efficiency_graph *graph)
{
	double *values = efficiency->values;
	double mean, most, run_ns, graph_ns;

	*efficiency = (struct efficiency){.ranks = run->rank_count,
					  .run_ns = run->end_ns - run->begin_ns,
					  .reference = *reference,
					  .graph = *graph};
	efficiency_add_ranks(efficiency, totals);
	/* Ranks without calls are in no path of the graph. */
	efficiency->ideal_ns = ideal_ns > efficiency->most_compute_ns ? ideal_ns
								      : efficiency->most_compute_ns;
	mean = (double)efficiency->compute_ns / efficiency->ranks;
	most = (double)efficiency->most_compute_ns;
	run_ns = (double)efficiency->run_ns;
	graph_ns = graph->path ? (double)graph->ideal_ns : (double)NAN;
	values[EFFICIENCY_PARALLEL] = ratio(mean, run_ns);
	values[EFFICIENCY_LOAD_BALANCE] = ratio(mean, most);
	values[EFFICIENCY_COMMUNICATION] = ratio(most, run_ns);
	values[EFFICIENCY_SERIALISATION] = ratio(most, (double)efficiency->ideal_ns);
	values[EFFICIENCY_TRANSFER] = ratio((double)efficiency->ideal_ns, run_ns);
	values[EFFICIENCY_ALGORITHMS] = ratio((double)efficiency->ideal_ns, graph_ns);
	values[EFFICIENCY_NETWORK] = ratio(graph_ns, run_ns);
	values[EFFICIENCY_SCALING] = scaling_of(efficiency);
	values[EFFICIENCY_GLOBAL] = values[EFFICIENCY_PARALLEL] * values[EFFICIENCY_SCALING];
	efficiency->additive_serialisation = 1 - ratio((double)efficiency->ideal_ns - most, run_ns);
}
