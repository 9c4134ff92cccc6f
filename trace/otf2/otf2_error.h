/* Errors of OTF2 as ours; internal to trace/. */
#ifndef TRACE_OTF2_ERROR_H
#define TRACE_OTF2_ERROR_H

#include "common/error.h"

#include <otf2/otf2.h>

/* 0 for success, else fill `err` (STATUS_SYSTEM) and return -1. */
int otf2_check(OTF2_ErrorCode code, const char *what, struct error *err);

/*
 * For readers: let OTF2 report errors to the thread in which they occur.  The first one since
 * otf2_error_clear is kept: its text (or else the text of `code`) and its code, or OTF2_SUCCESS.
 */
void otf2_error_listen(void);
void otf2_error_clear(void);
const char *otf2_error_text(OTF2_ErrorCode code);
OTF2_ErrorCode otf2_error_code(void);

#endif
