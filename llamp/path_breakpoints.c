#include "llamp/path_line.h"

/* A stretch of T that begins with one line and ends with another. */
struct stretch {
	struct line begin, end;
};

/*
 * T between two of its lines lies on or above both.  Where it passes through
 * the point at which they meet there is nothing in between: the point is a
 * breakpoint.  Otherwise the line that T follows there, whose slope lies
 * strictly between, halves the stretch.
 */
static int search(const struct cost_graph *graph, const struct loggps *loggps,
		  enum parameter parameter, struct line first, struct line last,
		  struct breakpoints *breakpoints, struct error *err)
{
	ARRAY(struct stretch) stretches = {0};	/* a stack; the leftmost is on top */
	int status = array_push(&stretches, ((struct stretch){first, last}), err);

	while (status == 0 && stretches.count) {
		struct stretch stretch = stretches.items[--stretches.count];
		struct rational at;
		struct line line;

		if (stretch.begin.slope == stretch.end.slope)
			continue;
		at = lines_meet(stretch.begin, stretch.end);
		status = path_evaluate(graph, loggps, parameter, at, SIDE_RIGHT, &line, NULL, err);
		if (status < 0)
			break;
		if (lines_equal_at(line, stretch.begin, at)) {
			status = array_push(&breakpoints->list,
					    ((struct breakpoint){at, stretch.begin, stretch.end}),
					    err);
			continue;
		}
		status = array_push(&stretches, ((struct stretch){line, stretch.end}), err);
		if (status == 0)
			status = array_push(&stretches, ((struct stretch){stretch.begin, line}),
					    err);
	}
	array_release(&stretches);
	return status;
}

int path_breakpoints(const struct cost_graph *graph, const struct loggps *loggps,
		     enum parameter parameter, struct rational from, struct rational to,
		     struct breakpoints *breakpoints, struct error *err)
{
	enum side side = from.numerator > 0 ? SIDE_LEFT : SIDE_RIGHT;

	*breakpoints = (struct breakpoints){0};
	TRY(path_evaluate(graph, loggps, parameter, from, side, &breakpoints->first, NULL, err));
	TRY(path_evaluate(graph, loggps, parameter, to, SIDE_RIGHT, &breakpoints->last, NULL,
			  err));
	if (search(graph, loggps, parameter, breakpoints->first, breakpoints->last, breakpoints,
		   err) < 0) {
		breakpoints_release(breakpoints);
		return -1;
	}
	return 0;
}

void breakpoints_release(struct breakpoints *breakpoints)
{
	array_release(&breakpoints->list);
}

/*
 * The breakpoint at which T leaves `line` on the way to `other`, a line of T
 * farther away: wherever T lies above the point at which they meet, the line it
 * follows there is nearer.
 */
static int next_breakpoint(const struct cost_graph *graph, const struct loggps *loggps,
			   enum parameter parameter, struct line line, struct line other,
			   struct rational *at, struct error *err)
{
	const int above = other.slope > line.slope;

	for (;;) {
		struct line nearer;

		*at = above ? lines_meet(line, other) : lines_meet(other, line);
		TRY(path_evaluate(graph, loggps, parameter, *at, above ? SIDE_LEFT : SIDE_RIGHT,
				  &nearer, NULL, err));
		if (lines_equal_at(nearer, line, *at))
			return 0;
		other = nearer;
	}
}

int path_critical_range(const struct cost_graph *graph, const struct loggps *loggps,
			enum parameter parameter, struct rational at,
			struct critical_range *range, struct error *err)
{
	struct line line, first, last;

	*range = (struct critical_range){.low = {0, 1}, .high = {0, 1}};
	TRY(path_evaluate(graph, loggps, parameter, at, SIDE_RIGHT, &line, NULL, err));
	TRY(path_evaluate(graph, loggps, parameter, rational_from(0), SIDE_RIGHT, &first, NULL,
			  err));
	TRY(path_steepest(graph, loggps, parameter, &last, err));
	if (first.slope != line.slope)
		TRY(next_breakpoint(graph, loggps, parameter, line, first, &range->low, err));
	range->unbounded = last.slope == line.slope;
	if (!range->unbounded)
		TRY(next_breakpoint(graph, loggps, parameter, line, last, &range->high, err));
	return 0;
}
