/* Operations that UCX has completed and that wait for their time. */
#ifndef INJECT_DUE_H
#define INJECT_DUE_H

#include "inject/operation.h"

/* Deliver an operation from the first call of ucp_worker_progress at or after the moment. */
void due_at(struct operation *operation, int64_t moment_ns);

#endif
