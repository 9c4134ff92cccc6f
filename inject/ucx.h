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

#define UCX_FUNCTIONS(X)         \
	X(init_version)          \
	X(context_query)         \
	X(worker_create)         \
	X(worker_progress)       \
	X(worker_set_am_recv_handler) \
	X(am_send_nbx)           \
	X(tag_send_nbx)          \
	X(tag_send_sync_nbx)     \
	X(tag_recv_nbx)          \
	X(tag_msg_recv_nbx)      \
	X(tag_probe_nb)          \
	X(dt_create_generic)     \
	X(dt_destroy)            \
	X(request_cancel)        \
	X(request_free)          \
	X(request_release)       \
	X(request_test)          \
	X(request_check_status)  \
	X(request_is_completed)

struct ucx {
#define MEMBER(name) __typeof__(ucp_##name) *name;
	UCX_FUNCTIONS(MEMBER)
#undef MEMBER
	/* The context of MPI's tagged messages, NULL before there is one. */
	ucp_context_h context;
	unsigned workers;			/* of that context */
	size_t request_size;			/* MPI's own part of each request */
	void (*request_init)(void *request);	/* or NULL */
};

extern struct ucx ucx;

#endif
