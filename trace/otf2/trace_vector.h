/*
 * Vectors of byte counts as text: "8,0*6,16" means 8, six times 0, and 16 (doc/trace-format.md).
 */
#ifndef TRACE_TRACE_VECTOR_H
#define TRACE_TRACE_VECTOR_H

#include "common/error.h"

#include <stdint.h>

/* Read exactly `size` counts into items[].  The empty text has no count. */
int trace_vector_parse(const char *text, uint32_t size, uint64_t *items, struct error *err);

#endif
