/* Names of functions in logs, and of their classes. */
#ifndef USAGE_LOG_FUNCTION_NAMES_H
#define USAGE_LOG_FUNCTION_NAMES_H

#include "common/error.h"

#include <stdint.h>

/* Name of the catch-all cell's calls. */
#define USAGE_REST_NAME "(rest)"

/* Name of a function (CALL_... or USAGE_REST). */
const char *usage_function_name(uint16_t function);

/*
 * Find the function of a name of `bytes` bytes: 1 if there is one, 0 if not, -1 if memory lacks for
 * the names.  May be called by several threads.
 */
int usage_function_find(const char *name, uint32_t bytes, uint16_t *function, struct error *err);

/* Name of its class: "p2p", "collective", ... */
const char *usage_class_name(uint16_t function);

#endif
