#include "common/draw/axis.h"

#include "common/draw/extent.h"
#include "common/draw/palette.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MICRO "\xc2\xb5s"

struct axis_unit axis_unit(enum quantity quantity, double most)
{
	static const struct axis_unit times[] = {{"ns", 1}, {MICRO, 1e3}, {"ms", 1e6}, {"s", 1e9}};
	static const struct axis_unit sizes[] = {
		{"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
	const struct axis_unit *units = quantity == QUANTITY_TIME ? times : sizes;
	const int count = quantity == QUANTITY_TIME ? 4 : 5;
	int found = 0;

	if (quantity == QUANTITY_PERCENT)
		return (struct axis_unit){"%", 1};
	if (quantity != QUANTITY_TIME && quantity != QUANTITY_BYTES)
		return (struct axis_unit){"", 1};
	/* 2000 ns read better than 2 us only if there are smaller ones. */
	while (found + 1 < count && most >= units[found + 1].size)
		found++;
	return units[found];
}

const char *axis_title(const char *name, struct axis_unit unit, double width,
		       char title[static AXIS_TITLE_BYTES])
{
	char end[16] = "";

	if (*unit.name)
		snprintf(end, sizeof end, " (%s)", unit.name);
	text_fit(name, PALETTE_FONT_PX, width - text_extent(end, PALETTE_FONT_PX), title,
		 AXIS_TITLE_BYTES - sizeof end);
	return strcat(title, end);
}

const char *axis_value(enum quantity quantity, double value, int digits,
		       char text[static UNIT_TEXT_BYTES])
{
	size_t length;

	if (quantity == QUANTITY_BYTES) {
		const struct axis_unit unit = axis_unit(quantity, value);

		/* Below the next unit there are up to 1023 of this one. */
		format_number(value / unit.size, digits, text);
		strcat(text, " ");
		return strcat(text, unit.name);
	}
	if (quantity == QUANTITY_COUNT) {
		const double unit = pow(10, fmax(floor(log10(fmax(value, 1))) + 1 - digits, 0));

		snprintf(text, UNIT_TEXT_BYTES, "%.0f", round(value / unit) * unit);
		return text;
	}
	if (quantity != QUANTITY_TIME) {
		format_number(value, digits, text);
		length = strlen(text);
		if (quantity == QUANTITY_PERCENT)
			snprintf(text + length, UNIT_TEXT_BYTES - length, " %%");
		return text;
	}
	format_time(value, digits, text);
	length = strlen(text);
	if (length > 3 && !strcmp(text + length - 3, " us"))
		snprintf(text + length - 2, UNIT_TEXT_BYTES - length + 2, MICRO);
	return text;
}

double axis_px(const struct axis *axis, double value)
{
	const double share = axis->logarithmic ? log(fmax(value, axis->low) / axis->low) /
							 log(axis->high / axis->low)
					       : (value - axis->low) / (axis->high - axis->low);

	return axis->low_px + share * (axis->high_px - axis->low_px);
}

/* Smallest round step of at least `least`. */
static double round_step(double least, bool whole, bool binary)
{
	static const double steps[] = {1, 2, 2.5, 5, 10};
	const double power = pow(10, floor(log10(least)));

	if (binary && least >= 1)
		return exp2(ceil(log2(least) - 1e-9));
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const double step = steps[i] * power;

		if (step < least * (1 - 1e-9) || (whole && step != floor(step)))
			continue;
		return step;
	}
	return whole ? 1 : 10 * power;
}

/* Decimals that all multiples of a step need. */
static int step_decimals(double step)
{
	int decimals = 0;

	for (; decimals < 15; decimals++) {
		const double scaled = step * pow(10, decimals);

		if (fabs(scaled - round(scaled)) < 1e-6 * scaled)
			break;
	}
	return decimals;
}

void ticks_find(struct ticks *ticks, enum quantity quantity, struct axis_unit unit, double low,
		double high, int most)
{
	const double from = low / unit.size, to = high / unit.size;
	const bool whole = quantity == QUANTITY_COUNT ||
			   (quantity == QUANTITY_BYTES && unit.size == 1);
	const int bounded = most < 2 ? 2 : most > TICKS_MOST ? TICKS_MOST : most;
	double step = round_step((to - from) / bounded, whole, quantity == QUANTITY_BYTES);
	/* All texts of an axis have an exponent, or none. */
	const bool fixed = fmax(fabs(from), fabs(to)) < 1e8;
	double first;
	int decimals;

	ticks->count = 0;
	if (!(to > from) || !isfinite(to - from))
		return;
	while (floor(to / step + 1e-9) - ceil(from / step - 1e-9) >= bounded)
		step = round_step(step * 1.01, whole, quantity == QUANTITY_BYTES);
	first = ceil(from / step - 1e-9);
	decimals = step_decimals(step);
	for (; ticks->count < bounded && first * step <= to + 1e-9 * step; first++) {
		char *text = ticks->texts[ticks->count];

		ticks->values[ticks->count] = first * step * unit.size;
		/* Adding 0 turns -0 into 0. */
		snprintf(text, TICK_TEXT_BYTES, fixed ? "%.*f" : "%.*g", fixed ? decimals : 7,
			 first * step + 0.0);
		ticks->count++;
	}
}

static double log_base(enum quantity quantity)
{
	return quantity == QUANTITY_BYTES ? 2 : 10;
}

/* Write a power of the base: large numbers as 10⁹. */
static void power_text(enum quantity quantity, int power, char text[static TICK_TEXT_BYTES])
{
	static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
	char value[UNIT_TEXT_BYTES];

	if ((quantity == QUANTITY_COUNT || quantity == QUANTITY_NUMBER) && power >= 6)
		snprintf(text, TICK_TEXT_BYTES, "10%s%s%s", power >= 100 ? digits[power / 100] : "",
			 power >= 10 ? digits[power / 10 % 10] : "", digits[power % 10]);
	else
		snprintf(text, TICK_TEXT_BYTES, "%.31s",
			 axis_value(quantity, pow(log_base(quantity), power), 3, value));
}

void axis_range_log(enum quantity quantity, double *low, double *high)
{
	const double base = log_base(quantity);
	double first, last;

	if (!(*low > 0 && *low <= *high))
		*low = *high = 1;
	first = floor(log(*low) / log(base) + 1e-9);
	last = ceil(log(*high) / log(base) - 1e-9);
	*low = pow(base, first);
	*high = pow(base, fmax(last, first + 1));
}

void ticks_find_log(struct ticks *ticks, enum quantity quantity, double low, double high, int most)
{
	static const int steps[] = {1, 2, 3, 5, 10, 20, 40};
	const double base = log_base(quantity);
	const int first = (int)ceil(log(low) / log(base) - 1e-9);
	const int last = (int)floor(log(high) / log(base) + 1e-9);
	const int bounded = most < 1 ? 1 : most > TICKS_MOST ? TICKS_MOST : most;
	size_t i = 0;

	while (i + 1 < sizeof steps / sizeof *steps && (last - first) / steps[i] >= bounded)
		i++;
	ticks->count = 0;
	for (int power = first; power <= last && ticks->count < bounded; power++) {
		/* 1 KiB, 32 KiB, 1 MiB: those that are powers of the step, too. */
		if (power % steps[i] != 0)
			continue;
		ticks->values[ticks->count] = pow(base, power);
		power_text(quantity, power, ticks->texts[ticks->count++]);
	}
}

void axis_range(double *low, double *high, double margin)
{
	double size;

	if (!(*low <= *high)) {
		*low = 0;
		*high = 1;
	}
	size = *high - *low;
	/* Rounding alone is no range to draw. */
	if (size <= 1e-9 * fmax(fabs(*low), fabs(*high)))
		size = *high == 0 ? 1 : 0.1 * fabs(*high);
	*low -= margin * size;
	*high += margin * size;
}
