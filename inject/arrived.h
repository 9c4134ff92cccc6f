/*
 * Messages that a probe has taken out of UCX.
 *
 * A probe must not see a message before its time, which is in its stamp, and UCX gives the stamp
 * only with the whole message.  So a probe takes all messages that it fits, and keeps them here in
 * the order of their arrival.  Later receives look here first.
 *
 * Callers hold matching_lock().
 */
#ifndef INJECT_ARRIVED_H
#define INJECT_ARRIVED_H

#include "inject/operation.h"

#include <stdbool.h>

struct arrived;

/* Take the messages that fit tag and mask out of UCX. */
void arrived_collect(ucp_worker_h worker, ucp_tag_t tag, ucp_tag_t mask);

/* Find the message that a probe sees now, or NULL; one seen before is preferred. */
struct arrived *arrived_probe(ucp_tag_t tag, ucp_tag_t mask);

/* What MPI is told of it. */
void arrived_info(const struct arrived *message, ucp_tag_recv_info_t *info);

/* Find the message that a receive gets, whether its time has come or not; NULL if none fits. */
struct arrived *arrived_find(ucp_tag_t tag, ucp_tag_t mask);

/* Take a message out of the list: it belongs to the receive that will name it. */
void arrived_take(struct arrived *message);

/* Complete the receive, whose type is that of its parameters, when the message is due; frees it. */
void arrived_receive(struct arrived *message, struct operation *operation, void *buffer,
		     size_t count);

#endif
