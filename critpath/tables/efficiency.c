#include "critpath/tables/efficiency.h"

#include <math.h>

/* a / b, or NAN. */
static double ratio(double a, double b)
{
	return b > 0 ? a / b : (double)NAN;
}

static void efficiency_add_ranks(struct efficiency_times *times, const struct totals *totals)
{
	for (uint32_t r = 0; r < times->ranks; r++) {
		const uint64_t ns = totals->ranks[r].compute_ns;

		times->compute_ns += ns;
		if (ns > times->most_compute_ns) {
			times->most_compute_ns = ns;
			times->busiest = r;
		}
	}
}

static double scaling_of(const struct efficiency *efficiency)
{
	const struct efficiency_reference *reference = &efficiency->reference;
	double scaling;

	if (!reference->path)
		return (double)NAN;
	scaling = ratio((double)reference->compute_ns, (double)efficiency->times.compute_ns);
	return reference->weak ? scaling * efficiency->times.ranks / reference->ranks : scaling;
}

void efficiency_values(double values[static EFFICIENCIES], const struct efficiency_times *times)
{
	const double mean = ratio((double)times->compute_ns, times->ranks);
	const double most = (double)times->most_compute_ns, run_ns = (double)times->run_ns;
	const double ideal_ns = (double)times->ideal_ns;

	for (enum efficiency_kind kind = 0; kind < EFFICIENCIES; kind++)
		values[kind] = (double)NAN;
	values[EFFICIENCY_PARALLEL] = ratio(mean, run_ns);
	values[EFFICIENCY_LOAD_BALANCE] = ratio(mean, most);
	values[EFFICIENCY_COMMUNICATION] = ratio(most, run_ns);
	values[EFFICIENCY_SERIALISATION] = ratio(most, ideal_ns);
	values[EFFICIENCY_TRANSFER] = ratio(ideal_ns, run_ns);
}

static void find_hybrid(struct efficiency *efficiency)
{
	const struct efficiency_threads *threads = &efficiency->threads;
	const double useful = (double)threads->useful_ns;
	double *values = efficiency->values;

	if (!threads->threads)
		return;
	values[EFFICIENCY_HYBRID] = ratio(useful, (double)efficiency->times.run_ns *
							  (double)threads->threads);
	values[EFFICIENCY_OPENMP] = values[EFFICIENCY_HYBRID] / values[EFFICIENCY_PARALLEL];
	values[EFFICIENCY_OPENMP_SERIALISATION] = 1 - ratio((double)threads->lost_ns,
							    (double)threads->thread_compute_ns);
	values[EFFICIENCY_OPENMP_LOAD_BALANCE] = ratio(useful, (double)threads->balanced_ns);
	values[EFFICIENCY_OPENMP_SCHEDULING] =
		ratio(values[EFFICIENCY_OPENMP], values[EFFICIENCY_OPENMP_SERIALISATION] *
							 values[EFFICIENCY_OPENMP_LOAD_BALANCE]);
}

void efficiency_find(struct efficiency *efficiency, const struct measured_run *run,
		     const struct totals *totals, uint64_t ideal_ns,
		     const struct efficiency_reference *reference,
		     const struct efficiency_graph *graph, const struct efficiency_threads *threads)
{
	struct efficiency_times *times = &efficiency->times;
	const double graph_ns = graph->path ? (double)graph->ideal_ns : (double)NAN;
	double *values = efficiency->values;

	*efficiency = (struct efficiency){.times = {.ranks = run->rank_count,
						    .run_ns = run->end_ns - run->begin_ns},
					  .reference = *reference,
					  .graph = *graph,
					  .threads = *threads};
	efficiency_add_ranks(times, totals);
	/* Ranks without calls are in no path of the graph. */
	times->ideal_ns = ideal_ns > times->most_compute_ns ? ideal_ns : times->most_compute_ns;
	efficiency_values(values, times);
	values[EFFICIENCY_ALGORITHMS] = ratio((double)times->ideal_ns, graph_ns);
	values[EFFICIENCY_NETWORK] = ratio(graph_ns, (double)times->run_ns);
	values[EFFICIENCY_SCALING] = scaling_of(efficiency);
	values[EFFICIENCY_GLOBAL] = values[EFFICIENCY_PARALLEL] * values[EFFICIENCY_SCALING];
	find_hybrid(efficiency);
	efficiency->additive_serialisation = 1 - ratio((double)(times->ideal_ns -
								times->most_compute_ns),
						       (double)times->run_ns);
}
