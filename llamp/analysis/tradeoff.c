#include "llamp/analysis/tradeoff.h"

#include "common/units.h"
#include "llamp/path/plane.h"

#include <math.h>

/* Length at which a plane reaches the bound: scale (a x + b y) = rest. */
struct border {
	int128 slope[2];
	int128 rest;
};

/* Point of exact coordinates value[i] / (scale denominator). */
struct exact_point {
	int128 value[2], denominator;
};

/* Two borders, between which the tradeoff is not known yet. */
struct stretch {
	struct border left, right;
};

struct search {
	struct planes planes;
	int128 bound, scale;	/* T <= bound / scale */
	struct tradeoff *tradeoff;
	ARRAY(struct stretch) open;
	struct error *err;
};

static int tradeoff_too_large(const struct search *search)
{
	return error_set(search->err, STATUS_LIMIT, "times are too long for an exact tradeoff; give"
			 " the parameters and the tolerance with fewer digits");
}

static int border_of(const struct search *search, const struct plane *plane,
		     struct border *border)
{
	int128 scaled;

	if (__builtin_mul_overflow(plane->constant, search->scale, &scaled))
		return tradeoff_too_large(search);
	*border = (struct border){{plane->slope[0], plane->slope[1]}, search->bound - scaled};
	return 0;
}

/* a b - c d */
static int determinant(const struct search *search, int128 a, int128 b, int128 c, int128 d,
		       int128 *result)
{
	int128 first, second;

	if (__builtin_mul_overflow(a, b, &first) || __builtin_mul_overflow(c, d, &second) ||
	    __builtin_sub_overflow(first, second, result))
		return tradeoff_too_large(search);
	return 0;
}

/* Find where two borders meet; the left one is flatter. */
static int find_corner(const struct search *search, const struct stretch *stretch,
		       struct exact_point *point)
{
	const struct border *left = &stretch->left, *right = &stretch->right;

	TRY(determinant(search, right->slope[0], left->slope[1], left->slope[0], right->slope[1],
			&point->denominator));
	TRY(determinant(search, right->rest, left->slope[1], left->rest, right->slope[1],
			&point->value[0]));
	return determinant(search, right->slope[0], left->rest, left->slope[0], right->rest,
			   &point->value[1]);
}

/* Find the border of a longest path at a point; 1 if the point is beyond it. */
static int find_border(const struct search *search, const struct exact_point *point,
		       struct border *border)
{
	int128 whole[2], reached = 0, allowed, divisor;
	struct plane plane;

	if (__builtin_mul_overflow(point->denominator, search->scale, &divisor))
		return tradeoff_too_large(search);
	for (int i = 0; i < 2; i++)
		whole[i] = (point->value[i] + divisor / 2) / divisor;
	TRY(planes_at(&search->planes, whole[0], whole[1], &plane, search->err));
	TRY(border_of(search, &plane, border));
	TRY(determinant(search, border->slope[0], point->value[0], -border->slope[1],
			point->value[1], &reached));
	if (__builtin_mul_overflow(border->rest, point->denominator, &allowed))
		return tradeoff_too_large(search);
	return reached > allowed;
}

/* -------------------------------------------------------------------- corners */

static double corner_ns(const struct search *search, const struct exact_point *point, int axis)
{
	return (double)point->value[axis] / (double)point->denominator / (double)search->scale /
	       AS_PER_NS;
}

/* Add a corner from which the tradeoff goes on along `next`; NULL: it ends. */
static int add_corner(struct search *search, const struct exact_point *point,
		      const struct border *next)
{
	const struct tradeoff_corner corner = {
		{corner_ns(search, point, 0), corner_ns(search, point, 1)},
		{next ? (double)next->slope[0] : NAN, next ? (double)next->slope[1] : NAN},
	};
	struct tradeoff *tradeoff = search->tradeoff;
	struct tradeoff_corner *last = NULL;

	if (tradeoff->corners.count)
		last = &tradeoff->corners.items[tradeoff->corners.count - 1];
	/* Several borders may meet in one corner. */
	if (last && last->value_ns[0] == corner.value_ns[0] &&
	    last->value_ns[1] == corner.value_ns[1]) {
		*last = corner;
		return 0;
	}
	return array_push(&tradeoff->corners, corner, search->err);
}

/*
 * Find the border that limits an axis, and the point where it does, by Newton's method from the
 * steepest path.  1 if there is no limit.
 */
static int limit_axis(struct search *search, int axis, struct border *border,
		      struct exact_point *point)
{
	struct plane plane;
	struct border next;

	TRY(planes_towards_infinity(&search->planes, axis, &plane, search->err));
	TRY(border_of(search, &plane, border));
	if (border->slope[axis] == 0)
		return 1;
	for (;;) {
		int beyond;

		*point = (struct exact_point){.denominator = border->slope[axis]};
		point->value[axis] = border->rest;
		beyond = find_border(search, point, &next);
		TRY(beyond);
		if (!beyond)
			return 0;
		*border = next;
	}
}

static bool borders_same_slope(const struct border *a, const struct border *b)
{
	/* Slopes are numbers of messages or bytes of a path, so this does not overflow. */
	return a->slope[0] * b->slope[1] == a->slope[1] * b->slope[0];
}

/* Find the corners between two borders, from left to right. */
static int find_corners(struct search *search)
{
	while (search->open.count) {
		const struct stretch stretch = search->open.items[--search->open.count];
		struct exact_point point;
		struct border between;
		int beyond;

		if (borders_same_slope(&stretch.left, &stretch.right))
			continue;
		TRY(find_corner(search, &stretch, &point));
		beyond = find_border(search, &point, &between);
		TRY(beyond);
		if (!beyond) {
			TRY(add_corner(search, &point, &stretch.right));
			continue;
		}
		TRY(array_push(&search->open, ((struct stretch){between, stretch.right}),
			       search->err));
		TRY(array_push(&search->open, ((struct stretch){stretch.left, between}),
			       search->err));
	}
	return 0;
}

/* -------------------------------------------------------------------- tradeoff */

static int find_line(struct search *search)
{
	struct exact_point top, right;
	struct stretch whole;
	const int no_y = limit_axis(search, 1, &whole.left, &top);
	const int no_x = no_y < 0 ? -1 : limit_axis(search, 0, &whole.right, &right);

	TRY(no_x);
	search->tradeoff->shape = no_x && no_y ? TRADEOFF_ALL
				  : no_y       ? TRADEOFF_ONLY_X
				  : no_x       ? TRADEOFF_ONLY_Y
					       : TRADEOFF_LINE;
	if (search->tradeoff->shape == TRADEOFF_ALL)
		return 0;
	if (search->tradeoff->shape != TRADEOFF_LINE) {
		TRY(add_corner(search, no_y ? &right : &top, NULL));
		search->tradeoff->corners.items[0].value_ns[no_y ? 1 : 0] = INFINITY;
		return 0;
	}
	TRY(add_corner(search, &top, &whole.left));
	TRY(array_push(&search->open, whole, search->err));
	TRY(find_corners(search));
	return add_corner(search, &right, NULL);
}

/* Set the bound from T at the start of both directions. */
static int set_bound(struct search *search, double percent)
{
	const int128 unit = 100000000000;	/* 100 % */
	const struct rational factor = rational_reduced(unit + llround(percent * 1e9), unit);
	const struct direction *x = search->planes.axes[0], *y = search->planes.axes[1];
	struct plane plane;
	int128 runtime;

	TRY(planes_at(&search->planes, x->start_as, y->start_as, &plane, search->err));
	runtime = plane.constant + plane.slope[0] * x->start_as + plane.slope[1] * y->start_as;
	if (__builtin_mul_overflow(runtime, factor.numerator, &search->bound))
		return tradeoff_too_large(search);
	search->scale = factor.denominator;
	search->tradeoff->percent = percent;
	search->tradeoff->bound_ns =
		(double)search->bound / (double)search->scale / AS_PER_NS;
	return 0;
}

int tradeoff_find(struct tradeoff *tradeoff, const struct model *model,
		  const uint32_t variables[2], double percent, struct error *err)
{
	const struct direction axes[2] = {
		direction_of(&model->loggps.variables, variables[0]),
		direction_of(&model->loggps.variables, variables[1]),
	};
	struct search search = {.tradeoff = tradeoff, .err = err};
	int result;

	*tradeoff = (struct tradeoff){0};
	if (variables[0] == variables[1])
		return error_set(err, STATUS_USAGE, "a tradeoff needs two different variables");
	TRY(planes_init(&search.planes, &model->graph, &axes[0], &axes[1], err));
	result = set_bound(&search, percent);
	if (result == 0)
		result = find_line(&search);
	planes_release(&search.planes);
	array_release(&search.open);
	if (result < 0)
		tradeoff_release(tradeoff);
	return result;
}

void tradeoff_release(struct tradeoff *tradeoff)
{
	array_release(&tradeoff->corners);
}
