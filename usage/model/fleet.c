#include "usage/model/fleet.h"

#include "common/text.h"
#include "usage/model/exposure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_points(const void *a, const void *b)
{
	const double x = ((const struct fleet_point *)a)->delta_ns,
		     y = ((const struct fleet_point *)b)->delta_ns;

	return x < y ? -1 : x > y;
}

size_t fleet_curve(const struct fleet_job *jobs, size_t count, double percent,
		   struct fleet_point *points)
{
	double all = 0, sum = 0;
	size_t used = 0, kept = 0;

	for (size_t i = 0; i < count; i++) {
		const double delta_ns = exposure_tolerance_ns(jobs[i].runtime_ns, jobs[i].exposure,
							      percent);

		if (isnan(delta_ns) || !(jobs[i].core_hours > 0))
			continue;
		points[used++] = (struct fleet_point){delta_ns, jobs[i].core_hours};
		all += jobs[i].core_hours;
	}
	qsort(points, used, sizeof *points, compare_points);
	for (size_t i = 0; i < used; i++) {
		sum += points[i].share;
		if (i + 1 < used && points[i + 1].delta_ns == points[i].delta_ns)
			continue;
		points[kept++] = (struct fleet_point){points[i].delta_ns, sum / all};
	}
	return kept;
}

double fleet_share(const struct fleet_point *points, size_t count, double delta_ns)
{
	double share = 0;

	for (size_t i = 0; i < count && points[i].delta_ns <= delta_ns; i++)
		share = points[i].share;
	return share;
}

/* Core-hours lost for each ns of latency, but for a constant. */
static double cost_of(const struct fleet_job *job)
{
	if (job->runtime_ns == USAGE_UNKNOWN || job->runtime_ns == 0)
		return 0;
	return job->core_hours * job->exposure / (double)job->runtime_ns;
}

size_t fleet_choose(const struct fleet_job *jobs, size_t count, size_t most, size_t *chosen)
{
	size_t used = 0;

	for (size_t i = 0; i < count && most > 0; i++) {
		const double cost = cost_of(&jobs[i]);
		size_t at = used;

		if (!(cost > 0) || (used == most && cost <= cost_of(&jobs[chosen[used - 1]])))
			continue;
		while (at > 0 && cost > cost_of(&jobs[chosen[at - 1]]))
			at--;
		used += used < most;
		memmove(&chosen[at + 1], &chosen[at], (used - at - 1) * sizeof *chosen);
		chosen[at] = i;
	}
	return used;
}

void fleet_trace_line(const char *program, uint32_t ranks, char *line, size_t size)
{
	const char *slash = strrchr(program, '/');
	FILE *stream = fmemopen(line, size, "w");
	char folder[256];

	*line = '\0';
	if (!stream)
		return;
	snprintf(folder, sizeof folder, "%.200s.trace", slash ? slash + 1 : program);
	fprintf(stream, "mpiexec -n %" PRIu32 " llamp-trace -o ", ranks);
	text_print_word(stream, folder);
	putc(' ', stream);
	text_print_word(stream, program);
	fclose(stream);
	line[size - 1] = '\0';
}

static int compare_numbers(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double fleet_calibration(const double *lambda, const double *exposure, size_t count)
{
	double *ratios = malloc(count * sizeof *ratios + 1), median = 1;
	size_t used = 0;

	if (!ratios)
		return 1;
	for (size_t i = 0; i < count; i++)
		if (exposure[i] > 0 && lambda[i] >= 0)
			ratios[used++] = lambda[i] / exposure[i];
	qsort(ratios, used, sizeof *ratios, compare_numbers);
	if (used > 0)
		median = (ratios[(used - 1) / 2] + ratios[used / 2]) / 2;
	free(ratios);
	return median;
}
