#include "common/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

/*
 * Split `text` into a non-negative decimal number and the unit after it.  long double has 64 bits
 * of mantissa on x86, enough for attoseconds in 63 bits.  On other processors the last digits of
 * very long times may be rounded.
 */
static int split_number(const char *text, const char *what, long double *number,
			const char **unit, struct error *err)
{
	char *end;
	const char *p = text;

	while (isspace((unsigned char)*p))
		p++;
	if (!isdigit((unsigned char)*p) && *p != '.')
		return error_set(err, STATUS_USAGE, "'%s' is not %s", text, what);
	/* strtold would read "0xB" as a hexadecimal number. */
	if (p[0] == '0' && tolower((unsigned char)p[1]) == 'x')
		return error_set(err, STATUS_USAGE, "'%s' is not %s", text, what);
	*number = strtold(p, &end);
	if (end == p || !isfinite((double)*number))
		return error_set(err, STATUS_USAGE, "'%s' is not %s", text, what);
	while (isspace((unsigned char)*end))
		end++;
	*unit = end;
	return 0;
}

static bool same_unit(const char *text, const char *unit)
{
	size_t length = strlen(unit);

	if (strncmp(text, unit, length) != 0)
		return false;
	for (text += length; *text; text++)
		if (!isspace((unsigned char)*text))
			return false;
	return true;
}

static const struct unit *find_unit(const char *text, const struct unit *units, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (same_unit(text, units[i].name))
			return &units[i];
	return NULL;
}

#define FIND_UNIT(text, units) find_unit((text), (units), sizeof(units) / sizeof *(units))

static const struct unit time_units[] = {
	{"", 1e9}, {"ns", 1e9}, {"us", 1e12}, {"\xc2\xb5s", 1e12}, {"ms", 1e15}, {"s", 1e18},
};

static int parse_time(const char *text, long double *as, struct error *err)
{
	const struct unit *unit;
	const char *rest;

	TRY(split_number(text, "a time such as 3us", as, &rest, err));
	unit = FIND_UNIT(rest, time_units);
	if (!unit)
		return error_set(err, STATUS_USAGE,
				 "'%s' is not a time: the unit must be ns, us, ms or s", text);
	*as *= (long double)unit->factor;
	return 0;
}

int parse_time_ns(const char *text, uint64_t *ns, struct error *err)
{
	long double as;

	TRY(parse_time(text, &as, err));
	as = roundl(as / AS_PER_NS);
	if (as >= 0x1p63L)
		return error_set(err, STATUS_USAGE, "'%s' is too long", text);
	*ns = (uint64_t)as;
	return 0;
}

/* Round attoseconds of a time that `text` says. */
static int round_as(long double number, const char *text, int64_t *as, struct error *err)
{
	number = roundl(number);
	if (number >= 0x1p63L)
		return error_set(err, STATUS_USAGE, "'%s' is too long: at most 9.2 s", text);
	*as = (int64_t)number;
	return 0;
}

int parse_time_as(const char *text, int64_t *as, struct error *err)
{
	long double number;

	TRY(parse_time(text, &number, err));
	return round_as(number, text, as, err);
}

static const struct unit size_units[] = {
	{"", 1}, {"B", 1}, {"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
};

int parse_bytes(const char *text, uint64_t *bytes, struct error *err)
{
	long double number;
	const struct unit *unit;
	const char *rest;

	TRY(split_number(text, "a size such as 256KiB", &number, &rest, err));
	unit = FIND_UNIT(rest, size_units);
	if (!unit)
		return error_set(err, STATUS_USAGE,
				 "'%s' is not a size: the unit must be B, KB, KiB, MB, MiB, GB or"
				 " GiB",
				 text);
	number *= (long double)unit->factor;
	if (number >= 0x1p64L || number != floorl(number))
		return error_set(err, STATUS_USAGE,
				 "'%s' is not a whole number of bytes below 2^64", text);
	*bytes = (uint64_t)number;
	return 0;
}

static const struct unit bandwidth_units[] = {
	{"bit/s", 0.125}, {"kbit/s", 125}, {"Mbit/s", 125e3}, {"Gbit/s", 125e6}, {"Tbit/s", 125e9},
	{"B/s", 1}, {"KB/s", 1e3}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12},
	{"KiB/s", 0x1p10}, {"MiB/s", 0x1p20}, {"GiB/s", 0x1p30},
	{"bps", 0.125}, {"kbps", 125}, {"Mbps", 125e3}, {"Gbps", 125e6}, {"Tbps", 125e9},
};

static const struct unit time_per_byte_units[] = {
	{"ns/B", 1e9}, {"us/B", 1e12}, {"\xc2\xb5s/B", 1e12}, {"ms/B", 1e15}, {"s/B", 1e18},
};

int parse_gap_per_byte_as(const char *text, int64_t *as, struct error *err)
{
	long double number;
	const struct unit *unit;
	const char *rest;

	TRY(split_number(text, "a gap per byte such as 0.018ns or a bandwidth such as 56Gbit/s",
			 &number, &rest, err));
	unit = FIND_UNIT(rest, time_units);
	unit = unit ? unit : FIND_UNIT(rest, time_per_byte_units);
	if (unit)
		return round_as(number * (long double)unit->factor, text, as, err);
	unit = FIND_UNIT(rest, bandwidth_units);
	if (!unit)
		return error_set(err, STATUS_USAGE,
				 "'%s' is neither a time per byte (0.018ns) nor a bandwidth"
				 " (56Gbit/s, 7GB/s)", text);
	number *= (long double)unit->factor;
	if (number <= 0.11L)
		return error_set(err, STATUS_USAGE, "'%s' is too small a bandwidth", text);
	*as = (int64_t)roundl(1e18L / number);
	return 0;
}

int parse_count(const char *text, uint64_t least, uint64_t most, uint64_t *count,
		struct error *err)
{
	char *end;

	errno = 0;
	*count = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || *count < least || *count > most)
		return error_set(err, STATUS_USAGE,
				 "'%s' is not a whole number from %llu to %llu", text,
				 (unsigned long long)least, (unsigned long long)most);
	return 0;
}

int parse_percent(const char *text, double *percent, struct error *err)
{
	const size_t length = strlen(text);
	char number[64];

	if (!length || text[length - 1] != '%' || length >= sizeof number)
		return parse_number(text, percent, err);
	memcpy(number, text, length - 1);
	number[length - 1] = '\0';
	/* As llamp prints it: "12.5 %". */
	if (length > 2 && number[length - 2] == ' ')
		number[length - 2] = '\0';
	return parse_number(number, percent, err);
}

int parse_number(const char *text, double *number, struct error *err)
{
	char *end;

	*number = strtod(text, &end);
	if (end == text || *end || !isfinite(*number) || strpbrk(text, "xX"))
		return error_set(err, STATUS_USAGE, "'%s' is not a number", text);
	return 0;
}

/* Round to ten digits, so that the order of additions does not matter and ties look equal. */
double round_digits(double value)
{
	char text[UNIT_TEXT_BYTES];

	snprintf(text, sizeof text, "%.10g", value);
	return strtod(text, NULL);
}

const char *format_number(double value, int digits, char text[static UNIT_TEXT_BYTES])
{
	/* Beyond it not all whole numbers are doubles, and names of units have their place. */
	const double most_whole = 1e15;
	const bool whole = value == floor(value);

	if (isinf(value))
		return strcpy(text, "unbounded");
	if (fabs(value) < most_whole && fabs(value) >= pow(10, digits) - 0.5)
		snprintf(text, UNIT_TEXT_BYTES, "%.0f", whole ? value : round_digits(value));
	else
		snprintf(text, UNIT_TEXT_BYTES, "%.*g", digits, round_digits(value));
	return text;
}

const char *format_time(double ns, int digits, char text[static UNIT_TEXT_BYTES])
{
	static const struct unit scale[] = {{" s", 1e9}, {" ms", 1e6}, {" us", 1e3}, {" ns", 1}};
	size_t i = 0;

	if (isinf(ns))
		return strcpy(text, "unbounded");
	ns = round_digits(ns);
	while (i < 3 && fabs(ns) < scale[i].factor)
		i++;
	format_number(ns / scale[i].factor, digits, text);
	return strcat(text, scale[i].name);
}

const char *format_bytes(double bytes, char text[static UNIT_TEXT_BYTES])
{
	static const struct unit scale[] = {
		{"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"B", 1},
	};
	size_t i = 0;

	while (i < 4 && bytes < scale[i].factor)
		i++;
	format_number(bytes / scale[i].factor, 4, text);
	strcat(text, " ");
	return strcat(text, scale[i].name);
}
