/* Operations that UCX has completed and that wait for their time. */
#ifndef INJECT_DUE_H
#define INJECT_DUE_H

#include "inject/delay.h"
#include "inject/operation.h"

/* The delay in force.  It changes only while no message is under way. */
extern struct delay delay;

/* Deliver an operation from the first call of ucp_worker_progress at or after the moment. */
void due_at(struct operation *operation, int64_t moment_ns);

#endif
