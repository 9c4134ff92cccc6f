/* Errors of OTF2 as ours; internal to trace/. */
#ifndef TRACE_OTF2_ERROR_H
#define TRACE_OTF2_ERROR_H

#include "common/error.h"

#include <otf2/otf2.h>

/* 0 for success, else fill `err` (STATUS_SYSTEM) and return -1. */
int otf2_check(OTF2_ErrorCode code, const char *what, struct error *err);

#endif
