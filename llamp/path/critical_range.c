/* Range of the varied variable in which the critical path stays the longest. */
#include "llamp/path/breakpoints.h"

#include "llamp/path/evaluate.h"

/*
 * Search for one end of the critical range: the breakpoint at which T leaves a line towards
 * `other`, a line of T farther away.  If T lies above the point where the two meet, the line of
 * T at this point is nearer and becomes `other`.
 */
struct range_end {
	struct line other;
	struct rational at;
	bool above; /* upper end of the range */
	bool done;
};

static void find_crossing(struct range_end *end, struct line line)
{
	end->at = end->above ? lines_meet(line, end->other) : lines_meet(end->other, line);
}

static int find_ends(struct range_end ends[2], const struct cost_graph *graph,
		     const struct direction *direction, struct line line, struct error *err)
{
	while (!ends[0].done || !ends[1].done) {
		struct path_point points[2];
		struct line nearer[2];
		size_t count = 0;

		for (int i = 0; i < 2; i++)
			if (!ends[i].done) {
				find_crossing(&ends[i], line);
				points[count++] = (struct path_point){direction, ends[i].at,
								      ends[i].above ? SIDE_LEFT
										    : SIDE_RIGHT};
			}
		TRY(path_evaluate_all(graph, points, count, nearer, err));
		count = 0;
		for (int i = 0; i < 2; i++)
			if (!ends[i].done) {
				ends[i].other = nearer[count++];
				ends[i].done = lines_equal_at(ends[i].other, line, ends[i].at);
			}
	}
	return 0;
}

/* Points at one end of the critical range whose lines a first pass finds, in lanes left over. */
enum { PROBES = 6 };

/*
 * Choose points above or below `at`, each nearer than the one before, with keys of 64 bits.
 * Returns their number.
 */
static size_t choose_probes(const struct cost_graph *graph, const struct direction *direction,
			    struct rational at, bool above, struct path_point probes[PROBES])
{
	const int128 grain = key_grain(graph, direction), value = at.numerator / at.denominator;
	struct lexicographic_key key;
	struct error none;
	size_t count = 0;

	for (int128 distance = value / 4; distance > grain && count < PROBES; distance /= 4) {
		const int128 point = (above ? value + distance : value - distance) / grain * grain;
		const struct path_point probe = {direction,
						 {point, 1},
						 above ? SIDE_LEFT : SIDE_RIGHT};

		if (key_init(&key, graph, &probe, &none) < 0 || !key.narrow)
			break;
		probes[count++] = probe;
	}
	return count;
}

int path_critical_range(const struct cost_graph *graph, const struct direction *direction,
			struct rational at, struct critical_range *range, struct error *err)
{
	struct path_point points[3 + 2 * PROBES] = {
		{direction, at, SIDE_RIGHT},
		{direction, rational_from(0), SIDE_RIGHT},
		{direction, RATIONAL_INFINITY, SIDE_RIGHT},
	};
	const size_t above = 3 + choose_probes(graph, direction, at, false, points + 3);
	const size_t count = above + choose_probes(graph, direction, at, true, points + above);
	struct line lines[3 + 2 * PROBES];
	struct range_end ends[2];

	TRY(path_evaluate_all(graph, points, count, lines, err));
	for (int i = 0; i < 2; i++)
		ends[i] = (struct range_end){
			.other = lines[1 + i],
			.at = {0, 1},
			.above = i == 1,
			.done = lines[1 + i].slope == lines[0].slope,
		};
	for (size_t i = 3; i < count; i++)
		if (lines[i].slope != lines[0].slope)
			ends[i >= above].other = lines[i];
	range->unbounded = ends[1].done;
	range->lines[0] = lines[0];
	range->lines[1] = lines[2];
	TRY(find_ends(ends, graph, direction, lines[0], err));
	range->low = ends[0].at;
	range->high = ends[1].at;
	return 0;
}
