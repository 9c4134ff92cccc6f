#include "llamp/path/halving.h"

#include "llamp/path/evaluate.h"

int128 slope_steps(const struct search *search, struct line flatter, struct line steeper)
{
	return (steeper.slope - flatter.slope) / key_slope_unit(search->graph, search->direction);
}

int stretches_add(struct stretches *stretches, const struct search *search,
		  const struct stretch *stretch, struct error *err)
{
	struct stretch *added;

	TRY(array_push(&stretches->list, *stretch, err));
	added = &stretches->list.items[stretches->list.count - 1];
	added->at = lines_meet(stretch->begin, stretch->end);
	added->done = stretch->done || slope_steps(search, stretch->begin, stretch->end) == 1;
	stretches->open += !added->done;
	return 0;
}

/* Halve a stretch.  `line` is the line of T where the lines of the stretch meet. */
static int halve(struct stretches *halves, const struct search *search, struct stretch stretch,
		 struct line line, struct error *err)
{
	struct stretch left = stretch, right = stretch;

	if (lines_equal_at(line, stretch.begin, stretch.at)) {
		stretch.done = true;
		return stretches_add(halves, search, &stretch, err);
	}
	left.to = right.from = stretch.at;
	left.end = right.begin = line;
	TRY(stretches_add(halves, search, &left, err));
	return stretches_add(halves, search, &right, err);
}

/* Halve all open stretches.  lines[i] is that of T at the middle of open stretch i. */
static int halve_open(struct stretches *halves, const struct stretches *stretches,
		      const struct search *search, const struct line *lines, struct error *err)
{
	for (size_t i = 0; i < stretches->list.count; i++) {
		const struct stretch *stretch = &stretches->list.items[i];

		if (stretch->done)
			TRY(stretches_add(halves, search, stretch, err));
		else
			TRY(halve(halves, search, *stretch, *lines++, err));
	}
	return 0;
}

/* Find the lines of T where the lines of open stretches meet. */
static int find_lines(const struct stretches *stretches, const struct search *search,
		      struct path_point *points, struct line *lines, struct error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < stretches->list.count; i++)
		if (!stretches->list.items[i].done)
			points[count++] = (struct path_point){search->direction,
							      stretches->list.items[i].at,
							      SIDE_RIGHT};
	return path_evaluate_all(search->graph, points, count, lines, err);
}

static int halve_once(struct stretches *stretches, const struct search *search, struct error *err)
{
	struct stretches halves = {0};
	struct path_point *points = NULL;
	struct line *lines = NULL;
	int result = -1;

	if (allocate(&points, stretches->open, sizeof *points, err) == 0 &&
	    allocate(&lines, stretches->open, sizeof *lines, err) == 0 &&
	    find_lines(stretches, search, points, lines, err) == 0)
		result = halve_open(&halves, stretches, search, lines, err);
	free(points);
	free(lines);
	array_release(&stretches->list);
	*stretches = halves;
	return result;
}

int stretches_halve(struct stretches *stretches, const struct search *search, size_t most_open,
		    uint64_t *steps, struct error *err)
{
	while (stretches->open > 0 && stretches->open <= most_open) {
		*steps += stretches->open * search->graph->edge_count;
		TRY(halve_once(stretches, search, err));
	}
	return 0;
}
