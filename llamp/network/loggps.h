/*
 * The LogGPS parameters (doc/model.md; LLAMP, section II-A).
 *
 * The one place where the letters of the literature are used as names.  Times
 * are integers of attoseconds (common/units.h), so that the length of a path is
 * exact: all terms are products of an integer of the graph and one of these.
 */
#ifndef LLAMP_LOGGPS_H
#define LLAMP_LOGGPS_H

#include "common/error.h"

#include <stdint.h>

/* How a message above the threshold is sent; the equations are in doc/model.md. */
enum rendezvous {
	RENDEZVOUS_READ,	/* ready-to-send, RDMA read, completion: the default */
	RENDEZVOUS_SYNC,	/* the sender ends with the receiver, no handshake cost */
	RENDEZVOUS_PAPER,	/* LLAMP, appendix B */
};

#define LOGGPS_NO_RENDEZVOUS UINT64_MAX

struct loggps {
	int64_t L;		/* latency, as */
	int64_t o;		/* CPU overhead per message, as */
	int64_t g;		/* gap between messages of a rank, as; 0: off */
	int64_t G;		/* gap per byte, as per byte */
	uint64_t S;		/* messages of more bytes use the rendezvous protocol */
	enum rendezvous rendezvous;
};

/* The parameter that is varied, or of which a slope is taken. */
enum parameter { PARAMETER_L, PARAMETER_G, PARAMETER_O, PARAMETER_COUNT };

/* "L", "G", "o"; and back (STATUS_USAGE). */
const char *parameter_name(enum parameter parameter);
int parameter_parse(const char *text, enum parameter *parameter, struct error *err);

/* A value of the parameter: a time, for G also a bandwidth; in as (STATUS_USAGE). */
int parameter_parse_value(enum parameter parameter, const char *text, int64_t *as,
			  struct error *err);

/* The value that the parameter has, in as. */
int64_t loggps_value(const struct loggps *loggps, enum parameter parameter);

/* L 3 us, o 5 us, g off, G 0.018 ns/B (LLAMP's first cluster), no rendezvous, read protocol. */
extern const struct loggps loggps_default;

/* "read", "sync", "paper"; and back (STATUS_USAGE). */
const char *rendezvous_name(enum rendezvous rendezvous);
int rendezvous_parse(const char *text, enum rendezvous *rendezvous, struct error *err);

/* A size with a unit, or "none": LOGGPS_NO_RENDEZVOUS (STATUS_USAGE). */
int loggps_parse_threshold(const char *text, uint64_t *bytes, struct error *err);

/*
 * Read a YAML mapping with any of the keys L, o, g, G, S, rendezvous over the
 * values in *loggps; "S: none" switches the rendezvous off.  Unknown keys,
 * duplicate keys and wrong values are errors (STATUS_DATA) with file and line.
 */
int loggps_read(struct loggps *loggps, const char *path, struct error *err);

#endif
