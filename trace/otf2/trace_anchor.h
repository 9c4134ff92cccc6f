/*
 * A check of an archive before the OTF2 library opens it.
 *
 * The library makes room for as many properties as the anchor file says it has,
 * and touches it all: with one wrong byte, gigabytes and minutes.
 */
#ifndef TRACE_TRACE_ANCHOR_H
#define TRACE_TRACE_ANCHOR_H

#include "common/error.h"

/*
 * Check the anchor file at `path`: it must begin as one, and have room for its
 * properties.  STATUS_DATA with the path otherwise.
 */
int trace_anchor_check(const char *path, struct error *err);

#endif
