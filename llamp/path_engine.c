#include "llamp/path_line.h"

#include "common/units.h"

/* What one unit of every coefficient of a cost weighs. */
struct weights {
	int128 ns, latencies, overheads, bytes, gaps;
};

static inline int128 weigh(const struct weights *weights, const struct cost *cost)
{
	return weights->ns * cost->ns + weights->bytes * cost->bytes +
	       weights->latencies * cost->latencies + weights->overheads * cost->overheads +
	       weights->gaps * cost->gaps;
}

/* The length of a path by two measures; the first decides, the second breaks ties. */
struct length {
	int128 first, second;
};

/* The longest path to the last vertex. */
static struct length longest_path(const struct cost_graph *graph, const struct weights *first,
				  const struct weights *second, uint64_t *tight)
{
	struct length *lengths = (struct length *)graph->scratch;

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		struct length best = {-1, 0};
		uint64_t decides = UINT64_MAX;

		for (uint64_t i = graph->first_edge[v]; i < graph->first_edge[v + 1]; i++) {
			const struct cost_edge *edge = &graph->edges[i];
			struct length length = lengths[edge->from];

			length.first += weigh(first, &edge->cost);
			length.second += weigh(second, &edge->cost);
			if (length.first > best.first ||
			    (length.first == best.first && length.second > best.second)) {
				best = length;
				decides = i;
			}
		}
		if (decides == UINT64_MAX)
			best = (struct length){0, 0};
		lengths[v] = best;
		if (tight)
			tight[v] = decides;
	}
	return lengths[graph->vertex_count - 1];
}

/* The weights that measure T without the varied parameter, times `scale`. */
static struct weights constant_weights(const struct loggps *loggps, enum parameter parameter,
				       int128 scale)
{
	return (struct weights){
		.ns = scale * AS_PER_NS,
		.latencies = parameter == PARAMETER_L ? 0 : scale * loggps->L,
		.overheads = parameter == PARAMETER_O ? 0 : scale * loggps->o,
		.bytes = parameter == PARAMETER_G ? 0 : scale * loggps->G,
		.gaps = scale * loggps->g,
	};
}

/* The weights that count the varied parameter, times `scale`. */
static struct weights slope_weights(enum parameter parameter, int128 scale)
{
	return (struct weights){
		.latencies = parameter == PARAMETER_L ? scale : 0,
		.overheads = parameter == PARAMETER_O ? scale : 0,
		.bytes = parameter == PARAMETER_G ? scale : 0,
	};
}

/*
 * Refuse what 128 bits might not hold: no path is longer than `most`.  The
 * margin of 4 covers the rounding of the bound and the sums and differences of
 * two lengths that are formed later.
 */
static int check_length(const struct cost_graph *graph, const struct loggps *loggps,
			enum parameter parameter, struct rational at, struct error *err)
{
	const struct cost_bound *most = &graph->most;
	double constant = most->ns * 1e9 + most->gaps * (double)loggps->g;
	double slope = 0;
	const double terms[PARAMETER_COUNT][2] = {
		[PARAMETER_L] = {most->latencies, (double)loggps->L},
		[PARAMETER_O] = {most->overheads, (double)loggps->o},
		[PARAMETER_G] = {most->bytes, (double)loggps->G},
	};

	for (int i = 0; i < PARAMETER_COUNT; i++) {
		if (i == (int)parameter)
			slope = terms[i][0];
		else
			constant += terms[i][0] * terms[i][1];
	}
	if (constant * (double)at.denominator + slope * (double)at.numerator < 0x1p125)
		return 0;
	return error_set(err, STATUS_LIMIT,
			 "times are too long for exact arithmetic: a path may take %.3g ns",
			 (constant + slope * rational_value(at)) / 1e9);
}

int path_evaluate(const struct cost_graph *graph, const struct loggps *loggps,
		  enum parameter parameter, struct rational at, enum side side,
		  struct line *line, uint64_t *tight, struct error *err)
{
	/* The smallest slope is the largest of the negative slopes. */
	const int sign = side == SIDE_LEFT ? -1 : 1;
	struct weights value, slope = slope_weights(parameter, sign);
	const struct weights varied = slope_weights(parameter, at.numerator);
	struct length longest;

	TRY(check_length(graph, loggps, parameter, at, err));
	value = constant_weights(loggps, parameter, at.denominator);
	value.latencies += varied.latencies;
	value.overheads += varied.overheads;
	value.bytes += varied.bytes;
	longest = longest_path(graph, &value, &slope, tight);
	line->slope = sign * longest.second;
	/* Exact: the length is denominator * constant + numerator * slope. */
	line->constant = (longest.first - line->slope * at.numerator) / at.denominator;
	return 0;
}

int path_steepest(const struct cost_graph *graph, const struct loggps *loggps,
		  enum parameter parameter, struct line *line, struct error *err)
{
	const struct weights slope = slope_weights(parameter, 1);
	const struct weights constant = constant_weights(loggps, parameter, 1);
	struct length longest;

	TRY(check_length(graph, loggps, parameter, rational_from(0), err));
	longest = longest_path(graph, &slope, &constant, NULL);
	*line = (struct line){.constant = longest.second, .slope = longest.first};
	return 0;
}
