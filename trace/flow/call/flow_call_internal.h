/* The fields of an event in a signature; internal to trace/flow/call/. */
#ifndef TRACE_FLOW_CALL_INTERNAL_H
#define TRACE_FLOW_CALL_INTERNAL_H

/* Flags of a call. */
enum { CALL_HAS_SITE = 1, CALL_HAS_POLLS = 2 };

/* Which fields follow the mask of an event, in this order. */
enum {
	FIELD_COMM = 1,
	FIELD_PEER = 2,
	FIELD_FROM_OWN = 4, /* the peer is counted from the rank's own place */
	FIELD_COLLECTIVE = 8,
	FIELD_SENT = 16,
	FIELD_RECEIVED = 32,
	FIELD_OPERATION = 64,
	FIELD_REQUEST = 128,
	/* event_is_message */
	FIELD_BYTES = 256,
	FIELD_TAG = 512,
	FIELD_PARTITIONS = 1024,
	FIELD_POSTED = 2048,
	FIELD_PEER_VALUE = 4096,
	FIELD_TAG_VALUE = 8192,
	FIELD_BYTES_VALUE = 16384,
	/* event_is_collective */
	FIELD_TO_ALL = 256,
	FIELD_FROM_ALL = 512,
	FIELD_TO_COUNT = 1024,
	FIELD_FROM_COUNT = 2048,
	FIELD_NEIGHBOURS = 4096,
	FIELD_PERSISTENT = 8192,
	FIELD_IN_PLACE = 16384,
	FIELD_ROOT = 32768,
	/* event_is_rma */
	FIELD_GROUP = 256,
	FIELD_WINDOW = 512,
	FIELD_ATOMIC = 1024,
	FIELD_SYNC = 2048,
	FIELD_EXCLUSIVE = 4096,
};

/* NO_ROOT and its like become small numbers. */
enum { ROOT_SHIFT = 3 };

#endif
