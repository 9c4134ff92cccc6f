#include "llamp/analysis/tradeoff.h"

#include "common/units.h"
#include "llamp/path/plane.h"

#include <math.h>

/* Half-plane of a path: a x + b y <= rest / scale, where slope is a and b.  Its line is a border. */
struct border {
	int128 slope[2];
	int128 rest;
};

/* Point of exact coordinates value[i] / (scale denominator), both at least 0. */
struct exact_point {
	int128 value[2], denominator;
};

/*
 * The polygon between the axes that all half-planes found allow.  Its borders, from the y axis to
 * the x axis, are those of `settled` and then those of `open`, last one first.  T is within the
 * bound at all vertices between settled borders.  Three borders may meet in one point.
 */
struct search {
	struct planes planes;
	int128 bound, scale; /* T <= bound / scale */
	struct tradeoff *tradeoff;
	ARRAY(struct border) settled, open;
	struct error *err;
};

static const struct border y_axis = {{-1, 0}, 0}, x_axis = {{0, -1}, 0};

static int tradeoff_too_large(const struct search *search)
{
	return error_set(search->err, STATUS_LIMIT,
			 "times are too long for an exact tradeoff; give"
			 " the parameters and the tolerance with fewer digits");
}

static int border_of(const struct search *search, const struct plane *plane, struct border *border)
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

/* Find the point where two borders meet; the left one is flatter. */
static int find_vertex(const struct search *search, const struct border *left,
		       const struct border *right, struct exact_point *point)
{
	TRY(determinant(search, right->slope[0], left->slope[1], left->slope[0], right->slope[1],
			&point->denominator));
	TRY(determinant(search, right->rest, left->slope[1], left->rest, right->slope[1],
			&point->value[0]));
	return determinant(search, right->slope[0], left->rest, left->slope[0], right->rest,
			   &point->value[1]);
}

/*
 * 1 if a point is beyond a border, 0 if not.  Wholes and remainders of the coordinates are
 * multiplied apart, so that products are hardly longer than the length of a path.
 */
static int is_beyond(const struct search *search, const struct border *border,
		     const struct exact_point *point)
{
	int128 whole = -border->rest, part = 0;

	for (int i = 0; i < 2; i++) {
		int128 product;

		if (__builtin_mul_overflow(border->slope[i], point->value[i] / point->denominator,
					   &product) ||
		    __builtin_add_overflow(whole, product, &whole) ||
		    __builtin_mul_overflow(border->slope[i], point->value[i] % point->denominator,
					   &product) ||
		    __builtin_add_overflow(part, product, &part))
			return tradeoff_too_large(search);
	}
	whole += part / point->denominator;
	return whole > 0 || (whole == 0 && part % point->denominator > 0);
}

/* Find the border of a longest path at a point; 1 if the point is beyond it, 0 if not. */
static int find_border(const struct search *search, const struct exact_point *point,
		       struct border *border)
{
	int128 rounded[2], divisor;
	struct plane plane;

	if (__builtin_mul_overflow(point->denominator, search->scale, &divisor))
		return tradeoff_too_large(search);
	for (int i = 0; i < 2; i++)
		rounded[i] = (point->value[i] + divisor / 2) / divisor;
	TRY(planes_at(&search->planes, rounded[0], rounded[1], &plane, search->err));
	TRY(border_of(search, &plane, border));
	return is_beyond(search, border, point);
}

/* -------------------------------------------------------------------- polygon */

/* 1 if the point where two borders meet is beyond a border, 0 if not. */
static int cuts_off(const struct search *search, const struct border *border,
		    const struct border *left, const struct border *right)
{
	struct exact_point point;

	TRY(find_vertex(search, left, right, &point));
	return is_beyond(search, border, &point);
}

/* Item `i` of an array, counted from its end. */
#define FROM_END(array, i) (&(array).items[(array).count - 1 - (i)])

/*
 * Add a border that cuts off the vertex between the settled and the open borders.  The others that
 * it cuts off are next to it; those of settled borders only by less than 1 as.
 */
static int add_border(struct search *search, const struct border *border)
{
	int beyond = 1;

	while (search->open.count > 1) {
		beyond = cuts_off(search, border, FROM_END(search->open, 0),
				  FROM_END(search->open, 1));
		TRY(beyond);
		if (!beyond)
			break;
		search->open.count--;
	}
	while (search->settled.count > 1) {
		beyond = cuts_off(search, border, FROM_END(search->settled, 1),
				  FROM_END(search->settled, 0));
		TRY(beyond);
		if (!beyond)
			break;
		search->settled.count--;
	}
	return array_push(&search->open, *border, search->err);
}

/* Cut off vertices beyond the bound until there is none. */
static int settle_borders(struct search *search)
{
	while (search->open.count) {
		struct exact_point point;
		struct border border;
		int beyond;

		TRY(find_vertex(search, FROM_END(search->settled, 0), FROM_END(search->open, 0),
				&point));
		beyond = find_border(search, &point, &border);
		TRY(beyond);
		if (beyond) {
			TRY(add_border(search, &border));
			continue;
		}
		TRY(array_push(&search->settled, *FROM_END(search->open, 0), search->err));
		search->open.count--;
	}
	return 0;
}

/*
 * Find the limit that the steepest path along an axis sets where the other value is 0, a border that
 * bounds the polygon.  Without such a path there is no limit: *matters is false, and the border is
 * anywhere.
 */
static int limit_axis(const struct search *search, int axis, struct border *border, bool *matters)
{
	struct plane plane;

	TRY(planes_towards_infinity(&search->planes, axis, &plane, search->err));
	TRY(border_of(search, &plane, border));
	*matters = border->slope[axis] > 0;
	if (!*matters) {
		border->slope[axis] = 1;
		border->rest = search->scale;
	}
	border->slope[!axis] = 0;
	return 0;
}

/* ------------------------------------------------------------------- vertices */

static int vertex_ns(const struct search *search, const struct exact_point *point, int axis,
		     double *ns)
{
	int128 divisor;

	if (__builtin_mul_overflow(point->denominator, search->scale, &divisor))
		return tradeoff_too_large(search);
	*ns = rational_in_ns(rational_reduced(point->value[axis], divisor));
	return 0;
}

/* Add the vertex between settled borders `i` and `i` + 1, or replace the last one at its place. */
static int add_vertex(struct search *search, size_t i)
{
	const struct border *borders = search->settled.items;
	const bool ends = i + 2 == search->settled.count;
	struct tradeoff *tradeoff = search->tradeoff;
	struct tradeoff_vertex vertex;
	struct exact_point point;

	TRY(find_vertex(search, &borders[i], &borders[i + 1], &point));
	for (int axis = 0; axis < 2; axis++) {
		TRY(vertex_ns(search, &point, axis, &vertex.value_ns[axis]));
		vertex.lambda[axis] = ends ? NAN : (double)borders[i + 1].slope[axis];
	}
	if (tradeoff->vertices.count) {
		struct tradeoff_vertex *last = FROM_END(tradeoff->vertices, 0);

		if (last->value_ns[0] == vertex.value_ns[0] &&
		    last->value_ns[1] == vertex.value_ns[1]) {
			*last = vertex;
			return 0;
		}
	}
	return array_push(&tradeoff->vertices, vertex, search->err);
}

/* Keep one vertex: the value of the variable that matters, and no limit of the other one. */
static void keep_limit(struct tradeoff *tradeoff)
{
	const int axis = tradeoff->shape == TRADEOFF_ONLY_X ? 0 : 1;
	const struct tradeoff_vertex *end =
		&tradeoff->vertices.items[axis == 0 ? tradeoff->vertices.count - 1 : 0];
	struct tradeoff_vertex only = {.lambda = {NAN, NAN}};

	only.value_ns[axis] = end->value_ns[axis];
	only.value_ns[!axis] = INFINITY;
	tradeoff->vertices.items[0] = only;
	tradeoff->vertices.count = 1;
}

static int find_frontier(struct search *search)
{
	struct border top, right;
	bool x_matters, y_matters;

	TRY(limit_axis(search, 1, &top, &y_matters));
	TRY(limit_axis(search, 0, &right, &x_matters));
	search->tradeoff->shape = x_matters && y_matters ? TRADEOFF_LINE
				  : x_matters		 ? TRADEOFF_ONLY_X
				  : y_matters		 ? TRADEOFF_ONLY_Y
							 : TRADEOFF_ALL;
	if (search->tradeoff->shape == TRADEOFF_ALL)
		return 0;
	TRY(array_push(&search->settled, y_axis, search->err));
	TRY(array_push(&search->open, x_axis, search->err));
	TRY(array_push(&search->open, right, search->err));
	TRY(array_push(&search->open, top, search->err));
	TRY(settle_borders(search));
	for (size_t i = 0; i + 1 < search->settled.count; i++)
		TRY(add_vertex(search, i));
	if (search->tradeoff->shape != TRADEOFF_LINE)
		keep_limit(search->tradeoff);
	return 0;
}

/* -------------------------------------------------------------------- tradeoff */

/* Set the bound from T at the start of both directions. */
static int set_bound(struct search *search, double percent)
{
	const int128 unit = 100000000000; /* 100 % */
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
	search->tradeoff->bound_ns = (double)search->bound / (double)search->scale / AS_PER_NS;
	return 0;
}

int tradeoff_find(struct tradeoff *tradeoff, const struct model *model, const uint32_t variables[2],
		  double percent, struct error *err)
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
		result = find_frontier(&search);
	planes_release(&search.planes);
	array_release(&search.settled);
	array_release(&search.open);
	if (result < 0)
		tradeoff_release(tradeoff);
	return result;
}

void tradeoff_release(struct tradeoff *tradeoff)
{
	array_release(&tradeoff->vertices);
}
