/*
 * The LogGPS parameters (doc/model.md; LLAMP, section II-A).
 *
 * The rules of the execution graph (llamp/graph/cost_rules.h) refer to the variables L, o, g, G and O
 * by name.  S and the protocol choose among the rules.
 */
#ifndef LLAMP_LOGGPS_H
#define LLAMP_LOGGPS_H

#include "common/units.h"
#include "llamp/network/variables.h"

/*
 * Name, unit, default, category, whether 0 switches it off, what its slope counts.  A new
 * variable is a row here and a coefficient in llamp/graph/cost_rules.c.
 */
#define LOGGPS_VARIABLES(ROW)                                                                 \
	/* latency of a message */                                                            \
	ROW(L, UNIT_TIME, 3000 * AS_PER_NS, CATEGORY_LATENCY, false, "latencies")             \
	/* gap per byte */                                                                    \
	ROW(G, UNIT_TIME_PER_BYTE, 18 * AS_PER_NS / 1000, CATEGORY_BANDWIDTH, false, "bytes") \
	/* CPU overhead of a message, at either side */                                       \
	ROW(o, UNIT_TIME, 5000 * AS_PER_NS, CATEGORY_OVERHEAD, false, "overheads")            \
	/* gap between messages of a rank */                                                  \
	ROW(g, UNIT_TIME, 0, CATEGORY_GAP, true, "gaps")                                      \
	/* CPU overhead per byte of a message, at either side */                              \
	ROW(O, UNIT_TIME_PER_BYTE, 0, CATEGORY_OVERHEAD, true, "bytes")

#define LOGGPS_INDEX(name, unit, value, category, zero_is_off, counted) VARIABLE_##name,

/* Indices in the table of variables: VARIABLE_L, ... */
enum { LOGGPS_VARIABLES(LOGGPS_INDEX) LOGGPS_COUNT };

/*
 * The protocols of messages above the threshold: name, and how many o, L and B the steps
 * announcement, data and report cost.  For a send u and its receive v,
 *
 *	m    = max(s(v), s(u) + announcement)
 *	e(v) = m + data + o
 *	e(u) = e(v) + report
 *
 * B moves the data: a protocol whose announcement has B sends the data at once.
 */
#define RENDEZVOUS_PROTOCOLS(ROW)                             \
	/* ready-to-send, RDMA read, completion: the default */ \
	ROW(READ, "read", (1, 1, 0), (0, 2, 1), (0, 1, 0))    \
	/* the sender ends with the receiver, no handshake */ \
	ROW(SYNC, "sync", (1, 1, 1), (0, 0, 0), (0, 0, 0))    \
	/* LLAMP, appendix B */                               \
	ROW(PAPER, "paper", (0, 1, 0), (1, 3, 1), (1, 0, 0))

#define RENDEZVOUS_INDEX(protocol, ...) RENDEZVOUS_##protocol,
#define RENDEZVOUS_ONE(...) +1

enum rendezvous { RENDEZVOUS_PROTOCOLS(RENDEZVOUS_INDEX) };
enum { RENDEZVOUS_COUNT = RENDEZVOUS_PROTOCOLS(RENDEZVOUS_ONE) };

#define LOGGPS_NO_RENDEZVOUS UINT64_MAX

/* Resources that do one thing at a time (doc/model.md, "Resources"); bits. */
enum {
	RESOURCE_CPU = 1,      /* a rank's CPUs: computation and overheads */
	RESOURCE_NIC = 2,      /* a rank's NICs: injections, and arrivals */
	RESOURCE_NODE_NIC = 4, /* with RESOURCE_NIC: the ranks of a node share NICs */
	RESOURCE_LINK = 8,     /* links of a topology, in each direction */
};

struct network;
struct direction;

struct loggps {
	struct variables variables; /* the first are those of LOGGPS_VARIABLES */
	uint64_t S;		    /* messages of more bytes use the rendezvous protocol */
	enum rendezvous rendezvous;
	unsigned resources; /* RESOURCE_... */
	/*
	 * What messages of different sizes and places are made of (llamp/network/network.h), not
	 * owned.  NULL: one L, o and G for all messages.
	 */
	const struct network *network;
	/*
	 * The direction of the only question that a graph is to answer, not owned, or NULL.  Then what
	 * cannot matter along it may be left out of the graph.
	 */
	const struct direction *asked;
};

static inline int64_t loggps_value(const struct loggps *loggps, uint32_t variable)
{
	return loggps->variables.of[variable].value_as;
}

static inline void loggps_set(struct loggps *loggps, uint32_t variable, int64_t value_as)
{
	loggps->variables.of[variable].value_as = value_as;
}

/* L 3 us, o 5 us, g off, G 0.018 ns/B (LLAMP's first cluster), no rendezvous, read protocol. */
extern const struct loggps loggps_default;

/* Name of a protocol; protocol with a name (STATUS_USAGE). */
extern const char *const rendezvous_names[];	/* ends with NULL */
const char *rendezvous_name(enum rendezvous rendezvous);
int rendezvous_parse(const char *text, enum rendezvous *rendezvous, struct error *err);

/* Name of resources: "none", "cpu", "cpu,node-nic,link" ...; resources with a name (STATUS_USAGE). */
extern const char *const resources_names[];	/* ends with NULL */
const char *resources_name(unsigned resources);
/* Fail with STATUS_USAGE unless the name is that of a variable, "S", "rendezvous" or "resources". */
int loggps_require(const struct loggps *loggps, const char *name, struct error *err);

/* Set a variable, S, rendezvous or resources from text; a wrong name or value is STATUS_USAGE. */
int loggps_parse(struct loggps *loggps, const char *name, const char *value, struct error *err);

/*
 * Find what --vary names: a variable; "links", all links of a topology in proportion; or a sum
 * such as "l_tc+2*l_inter", where p is added to l_tc and 2 p to l_inter.  The last two add a
 * variable with a group to the table, at most once.  *varied becomes the index.  STATUS_USAGE.
 */
int loggps_vary(struct loggps *loggps, const char *text, uint32_t *varied, struct error *err);

/* Whether the latency of a network is that of its links: it has a topology whose links can vary, and L is 0. */
bool loggps_is_of_links(const struct loggps *loggps);

#endif
