/*
 * Size of calls as OTF2 has them, without times: with what a file of the same calls is compared.
 *
 * A record is its kind, its length and its fields, each of which takes a byte and as many as its
 * value needs.  A call is Enter, Leave and a record for each of its events (doc/trace-format.md).
 * Attributes, which archives of llamp-trace have besides, and times, 9 bytes for each moment, are
 * not counted.
 */
#ifndef EVENTFLOW_OTF2_BYTES_H
#define EVENTFLOW_OTF2_BYTES_H

#include "trace/flow/flow.h"

/* Sum over all calls of a rank.  Takes time as flow_thread_calls. */
int otf2_bytes_add(uint64_t *bytes, const struct flow *flow, uint32_t rank, struct error *err);

#endif
