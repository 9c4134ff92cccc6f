/* Calls as text, a line each. */
#ifndef EVENTFLOW_PRINT_CALLS_H
#define EVENTFLOW_PRINT_CALLS_H

#include "trace/flow/flow.h"

#include <stdio.h>

/*
 * Write all calls of the ranks first ... end - 1: rank and thread, times since `begin_ns`, the function, and its
 * events with the fields that are not 0.
 */
int print_calls(const struct flow *flow, uint32_t first, uint32_t end, FILE *stream,
		struct error *err);

/* Write an event's kind and fields: " send to 1 tag 5 8 B".  peers_from_own: they are counted from the rank. */
void print_event(const struct mpi_event *event, bool peers_from_own, FILE *stream);

/*
 * Text of a node's signature: the function, its events as far as all visits have them in common, its call site.  To be
 * freed; NULL on an error.
 */
char *flow_label_text(const struct flow *flow, uint32_t signature, struct error *err);

#endif
