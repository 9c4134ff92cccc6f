/*
 * Axes: quantities, their units, values to pixels, and ticks at round numbers.
 */
#ifndef COMMON_DRAW_AXIS_H
#define COMMON_DRAW_AXIS_H

#include "common/units.h"

#include <stdbool.h>

enum quantity {
	QUANTITY_NUMBER,  /* numbers without a unit */
	QUANTITY_COUNT,	  /* whole numbers */
	QUANTITY_TIME,	  /* in ns; shown in ns, us, ms or s */
	QUANTITY_PERCENT, /* in per cent */
	QUANTITY_BYTES,	  /* in bytes; shown in B, KiB, MiB, GiB or TiB */
};

/* Unit of a whole axis. */
struct axis_unit {
	const char *name; /* "" if there is none */
	double size;	  /* of the unit, in the unit of the values */
};

/* Unit in which an axis up to `most` (the largest size of a value) is read best. */
struct axis_unit axis_unit(enum quantity quantity, double most);

/*
 * Write "T (ms)" or, without a unit, "T", with the name shortened to fit `width` px in the size of
 * a picture's text.  Returns `title`.
 */
enum { AXIS_TITLE_BYTES = 256 };
const char *axis_title(const char *name, struct axis_unit unit, double width,
		       char title[static AXIS_TITLE_BYTES]);

/*
 * Write one value for people, with its own unit and `digits` significant digits: "12.4 µs".
 * Pictures write µs where commands write us.  Returns `text`.
 */
const char *axis_value(enum quantity quantity, double value, int digits,
		       char text[static UNIT_TEXT_BYTES]);

/* Map of [low, high] to pixels.  low < high; 0 < low if it is logarithmic, and values below low are at low. */
struct axis {
	double low, high;
	double low_px, high_px;
	bool logarithmic;
};

double axis_px(const struct axis *axis, double value);

enum { TICKS_MOST = 12, TICK_TEXT_BYTES = 32 };

struct ticks {
	int count;
	double values[TICKS_MOST];
	char texts[TICKS_MOST][TICK_TEXT_BYTES]; /* in the unit, all with as many decimals */
};

/*
 * Find at most `most` (2 ... TICKS_MOST) ticks in [low, high]: multiples of 1, 2, 2.5 or 5 times a
 * power of ten of the unit (of two for bytes), whole ones if the quantity is.
 */
void ticks_find(struct ticks *ticks, enum quantity quantity, struct axis_unit unit, double low,
		double high, int most);

/*
 * Find at most `most` ticks on a logarithmic axis, 0 < low < high: equal powers of ten (of two for
 * bytes), each with a unit of its own.  Large numbers are written as 10⁹.
 */
void ticks_find_log(struct ticks *ticks, enum quantity quantity, double low, double high, int most);

/*
 * Widen [*low, *high] to whole powers of ten (of two for bytes), at least one apart; without positive values to
 * the first power.
 */
void axis_range_log(enum quantity quantity, double *low, double *high);

/* Widen [*low, *high] to a margin around the values, or to [0, 1] if there are none. */
void axis_range(double *low, double *high, double margin);

#endif
