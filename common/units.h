/*
 * Numbers with units, as on command lines and in parameter files.
 *
 * Times are integers of attoseconds (1 as = 1e-18 s = 1e-9 ns), so sums along a path are exact
 * and ties between paths are recognized.
 */
#ifndef COMMON_UNITS_H
#define COMMON_UNITS_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

#define AS_PER_NS INT64_C(1000000000)

/*
 * Read a time: a decimal number, also with an exponent, and one of the units ns us ms s, or no
 * unit for ns: "3us", "0.5", "1.4e3ns".  Digits below one attosecond are rounded.  Negative times
 * and times of 2^63 as (9.2 s) or more are STATUS_USAGE.
 */
int parse_time_as(const char *text, int64_t *as, struct error *err);

/* Read a time of up to 292 years, rounded to ns. */
int parse_time_ns(const char *text, uint64_t *ns, struct error *err);

/* Read a size in bytes, with one of B KB MB GB (powers of 1000) KiB MiB GiB (of 1024). */
int parse_bytes(const char *text, uint64_t *bytes, struct error *err);

/*
 * Read the gap per byte G in attoseconds per byte, from a time per byte ("0.018", "0.018ns",
 * "0.018 ns/B") or a bandwidth with one of bit/s kbit/s Mbit/s Gbit/s Tbit/s B/s KB/s MB/s GB/s TB/s
 * KiB/s MiB/s GiB/s, or Gbps and the like ("56Gbit/s", "56Gbps", "7GB/s").
 */
int parse_gap_per_byte_as(const char *text, int64_t *as, struct error *err);

/* Read a whole number in [least, most]. */
int parse_count(const char *text, uint64_t least, uint64_t most, uint64_t *count,
		struct error *err);

/* Read a percentage: a number, which may end in %. */
int parse_percent(const char *text, double *percent, struct error *err);

/* Read a finite decimal number. */
int parse_number(const char *text, double *number, struct error *err);

/* Size of any text that the functions below write. */
enum { UNIT_TEXT_BYTES = 64 };

/*
 * Round to ten significant digits.  All numbers for people are rounded so before they are printed.
 * Then a number half way between two texts does not depend on the order of its computation.
 */
double round_digits(double value);

/*
 * Write a number, or a time with a fitting unit ("3 us", "12.38 ms"), for people, with `digits`
 * significant digits and "unbounded" for INFINITY.  A number with more digits before its point is
 * written in full: 87377505, not 8.7e+07.  Both return `text`.
 */
const char *format_number(double value, int digits, char text[static UNIT_TEXT_BYTES]);
const char *format_time(double ns, int digits, char text[static UNIT_TEXT_BYTES]);

/* Write a size for people ("81 B", "1.5 MiB").  Returns `text`. */
const char *format_bytes(double bytes, char text[static UNIT_TEXT_BYTES]);

/* Ending of the name of `count` things: "%u message%s". */
static inline const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif
