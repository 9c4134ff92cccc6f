/*
 * Numbers with units, as on command lines and in parameter files.
 *
 * Times are integers of attoseconds (1 as = 1e-18 s = 1e-9 ns): sums along a path are
 * exact, and ties between paths are recognized.
 */
#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

#define AS_PER_NS INT64_C(1000000000)

/*
 * A time: a decimal number (exponents allowed) with one of the units ns us ms
 * s, bare numbers being ns: "3us", "0.5", "1.4e3ns".  Digits below one
 * attosecond are rounded; negative times and times of 2^63 as (9.2 s) or more
 * are errors (STATUS_USAGE).
 */
int parse_time_as(const char *text, int64_t *as, struct error *err);

/* Read a time in ns, rounded; up to 292 years. */
int parse_time_ns(const char *text, uint64_t *ns, struct error *err);

/* A size in bytes with one of B KB MB GB (powers of 1000) KiB MiB GiB (of 1024). */
int parse_bytes(const char *text, uint64_t *bytes, struct error *err);

/*
 * The gap per byte G, as a time per byte ("0.018", "0.018ns") or a bandwidth
 * with one of bit/s kbit/s Mbit/s Gbit/s Tbit/s B/s KB/s MB/s GB/s TB/s KiB/s
 * MiB/s GiB/s ("56Gbit/s", "7GB/s"); in attoseconds per byte.
 */
int parse_gap_per_byte_as(const char *text, int64_t *as, struct error *err);

/* A whole number in [least, most]. */
int parse_count(const char *text, uint64_t least, uint64_t most, uint64_t *count,
		struct error *err);

/* A finite decimal number. */
int parse_number(const char *text, double *number, struct error *err);

/* Room for any text that the functions below write. */
enum { UNIT_TEXT_BYTES = 64 };

/*
 * Round to ten significant digits.  All numbers for people are, so that a number half
 * way between two texts is printed the same however it was computed.
 */
double round_digits(double value);

/*
 * Write a number, and a time with a fitting unit ("3 us", "12.38 ms"), for people:
 * `digits` significant digits, "unbounded" for INFINITY; both return `text`.
 */
const char *format_number(double value, int digits, char text[static UNIT_TEXT_BYTES]);
const char *format_time(double ns, int digits, char text[static UNIT_TEXT_BYTES]);

/* Write a size for people ("81 B", "1.5 MiB"); returns `text`. */
const char *format_bytes(double bytes, char text[static UNIT_TEXT_BYTES]);

/* The ending of the name of `count` things: "%u message%s". */
static inline const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif
