/*
 * What an MPI library calls below MPI: functions of UCX (trace/call/ucx_functions.def), as data.
 *
 * A polling function that finds nothing is called millions of times.  Such calls in a row are one event, of
 * the function BELOW_EMPTY_POLLS.
 */
#ifndef TRACE_CALL_BELOW_H
#define TRACE_CALL_BELOW_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

enum below_kind {
	BELOW_POST,	  /* posts data: a message, an active message, a put ... */
	BELOW_POLL,	  /* looks for progress */
	BELOW_FLUSH,	  /* waits for what was posted, or orders it */
	BELOW_MEMORY,	  /* registers memory, or makes it known */
	BELOW_CONNECTION, /* opens or closes a connection */
	BELOW_REQUEST,	  /* frees or cancels a request */
	BELOW_QUIET,	  /* is not recorded */
};

/* ucp_tag_send_nbx has the number BELOW_tag_send_nbx, and so on. */
enum {
	BELOW_EMPTY_POLLS,
#define UCX_FUNCTION(kind, result, name, ...) BELOW_##name,
#include "trace/call/ucx_functions.def"
	BELOW_FUNCTION_COUNT
};

/* The source file that all of them have in an archive, by which viewers group functions. */
#define TRACE_BELOW_SOURCE "UCX"

struct below_function {
	const char *name; /* "ucp_tag_send_nbx" */
	enum below_kind kind;
};

extern const struct below_function below_functions[BELOW_FUNCTION_COUNT];

/* Find the number of the function of that name, or BELOW_FUNCTION_COUNT. */
unsigned below_function_find(const char *name);

/* A call with nothing recorded within it is one event, another one two. */
enum below_part { BELOW_CALL, BELOW_ENTER, BELOW_LEAVE };

/* Number of bytes that is not known. */
#define BELOW_UNKNOWN UINT64_MAX

struct below_event {
	enum below_part part;
	uint32_t function;
	bool pending;	   /* BELOW_POST, when it is left: the operation goes on after the call */
	bool inside;	   /* a call of MPI by this thread */
	uint64_t enter_ns; /* BELOW_LEAVE: as leave_ns */
	uint64_t leave_ns; /* BELOW_ENTER: as enter_ns */
	/*
	 * BELOW_POST, where it is entered: bytes, or BELOW_UNKNOWN.  BELOW_POLL, where it is left: what it
	 * has found, at least 1.  BELOW_EMPTY_POLLS: how many.  Else 0.
	 */
	uint64_t number;
};

/* A call below MPI, as read from a trace. */
struct below_call {
	uint32_t function, thread;
	uint32_t depth; /* calls below MPI that it is in */
	bool pending;
	uint64_t enter_ns, leave_ns;
	uint64_t number; /* as that of struct below_event */
};

/* Take a call that has ended: those within it come before it. */
typedef int below_receive(void *data, const struct below_call *call, struct error *err);

#endif
