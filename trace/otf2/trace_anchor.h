/*
 * Check of an archive before the OTF2 library opens it.
 *
 * The library allocates and touches room for as many properties as the anchor file claims: one
 * wrong byte costs gigabytes and minutes.
 */
#ifndef TRACE_TRACE_ANCHOR_H
#define TRACE_TRACE_ANCHOR_H

#include "common/error.h"

/*
 * Check that the file at `path` begins as an anchor file and can hold the properties that it
 * claims.  STATUS_DATA with the path otherwise.
 */
int trace_anchor_check(const char *path, struct error *err);

#endif
