/*
 * The functions of UCX, below ours.
 *
 * This library is loaded before MPI, and exports functions of libucp's names: MPI calls ours, which
 * call those of libucp through the pointers of `ucx`.
 */
#ifndef INJECT_UCX_H
#define INJECT_UCX_H

#include <ucp/api/ucp.h>
#include <ucp/api/ucp_compat.h>

struct ucx {
#define UCX_FUNCTION(kind, result, name, ...) __typeof__(ucp_##name) *name;
#include "trace/call/ucx_functions.def"
	/* The context of MPI's tagged messages, NULL before there is one. */
	ucp_context_h context;
	unsigned workers;			/* of that context */
	size_t request_size;			/* MPI's own part of each request */
	void (*request_init)(void *request);	/* or NULL */
};

extern struct ucx ucx;

#endif
