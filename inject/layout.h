/*
 * How UCX sends and receives the stamp of a message in front of its data.
 *
 * Contiguous data are described as two parts of memory, the stamp and the data.  For all other
 * data MPI gives UCX functions that pack and unpack; UCX gets functions of ours that do the same
 * with the stamp in front.
 */
#ifndef INJECT_LAYOUT_H
#define INJECT_LAYOUT_H

#include "inject/operation.h"

/* What to pass to UCX. */
struct wire {
	const void *buffer;
	size_t count;
	ucp_datatype_t type;
};

/* The type of an operation's data: contiguous bytes unless the parameters name another one. */
ucp_datatype_t layout_type(const ucp_request_param_t *param);

/* Describe stamp and data of an operation; sets operation->bytes of a send. */
struct wire layout_wire(struct operation *operation, const void *buffer, size_t count);

/*
 * Copy the data of a message that has arrived to where a receive wants them; the status is
 * UCS_ERR_MESSAGE_TRUNCATED if there is too little room.
 */
ucs_status_t layout_copy(ucp_datatype_t type, void *buffer, size_t count, const void *data,
			 size_t bytes);

#endif
