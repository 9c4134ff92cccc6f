/* What receives have in common. */
#ifndef INJECT_RECEIVE_H
#define INJECT_RECEIVE_H

#include "inject/operation.h"

/* Bytes of the message behind its stamp; a message without a stamp ends the program. */
size_t stamped_bytes(const struct stamp *stamp, size_t bytes_with_stamp);

/* First moment at which a message may be seen; messages of a process to itself are not delayed. */
int64_t stamped_due_ns(const struct stamp *stamp, size_t bytes);

#endif
