/* One-sided communication: from OTF2's records to events. */
#include "trace/otf2/trace_events.h"

/* Make an event on a window and the window's communicator. */
static struct mpi_event on_window(const struct otf2_reader *reader, enum mpi_event_kind kind,
				  OTF2_RmaWinRef window)
{
	const struct trace_world *world = &reader->index.world;
	struct mpi_event event = {.kind = kind, .window = window, .comm = NO_COMM};

	/* The receiver reports undefined windows. */
	if (window < world->window_count && world->windows[window].defined)
		event.comm = world->windows[window].comm;
	return event;
}

/*
 * Check whether the window belongs to another model than MPI (SHMEM, CUDA), which uses the same
 * records within its own regions.
 */
static bool is_of_other_model(const struct otf2_reader *reader, OTF2_RmaWinRef window)
{
	const struct trace_world *world = &reader->index.world;

	return window < world->window_count && world->windows[window].other_model;
}

static OTF2_CallbackCode trace_events_rma_add(struct otf2_reader *reader, OTF2_TimeStamp time,
					      uint64_t number, const struct mpi_event *event)
{
	if (!is_of_other_model(reader, event->window))
		return trace_events_add(reader, time, number, event);
	reader->left_out.other_windows++;
	return trace_events_pass(reader, time, number);
}

/* Records that have nothing but a window. */
#define WINDOW_RECORD(function, event_kind)                                                      \
	static OTF2_CallbackCode function(OTF2_LocationRef location, OTF2_TimeStamp time,        \
					  uint64_t number, void *data, OTF2_AttributeList *list, \
					  OTF2_RmaWinRef window)                                 \
	{                                                                                        \
		struct mpi_event event = on_window(data, event_kind, window);                    \
                                                                                                 \
		(void)location, (void)list;                                                      \
		return trace_events_rma_add(data, time, number, &event);                         \
	}
WINDOW_RECORD(on_create, EVENT_WIN_CREATE)
WINDOW_RECORD(on_destroy, EVENT_WIN_DESTROY)

/* Records of operations that are complete, or not. */
#define MATCHING_RECORD(function, event_kind)                                                    \
	static OTF2_CallbackCode function(OTF2_LocationRef location, OTF2_TimeStamp time,        \
					  uint64_t number, void *data, OTF2_AttributeList *list, \
					  OTF2_RmaWinRef window, uint64_t matching_id)           \
	{                                                                                        \
		struct mpi_event event = on_window(data, event_kind, window);                    \
                                                                                                 \
		(void)location, (void)list;                                                      \
		event.request = matching_id;                                                     \
		return trace_events_rma_add(data, time, number, &event);                         \
	}
MATCHING_RECORD(on_complete, EVENT_RMA_COMPLETE)
MATCHING_RECORD(on_complete_remote, EVENT_RMA_COMPLETE_REMOTE)
MATCHING_RECORD(on_test, EVENT_RMA_TEST)

static OTF2_CallbackCode on_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
				       uint64_t number, void *data, OTF2_AttributeList *list,
				       OTF2_CollectiveOp collective, OTF2_RmaSyncLevel level,
				       OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
				       uint64_t received)
{
	struct mpi_event event = on_window(data, EVENT_RMA_COLLECTIVE, window);

	(void)location, (void)list, (void)root, (void)sent, (void)received;
	event.collective = (enum mpi_collective)collective;
	event.sync = (uint8_t)level;
	return trace_events_rma_add(data, time, number, &event);
}

static OTF2_CallbackCode on_group_sync(OTF2_LocationRef location, OTF2_TimeStamp time,
				       uint64_t number, void *data, OTF2_AttributeList *list,
				       OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
				       OTF2_GroupRef group)
{
	struct otf2_reader *reader = data;
	struct mpi_event event = on_window(reader, EVENT_RMA_GROUP_SYNC, window);

	(void)location, (void)list;
	event.sync = (uint8_t)level;
	event.group = group;
	if (!is_of_other_model(reader, window) &&
	    !trace_index_group(&reader->index, group, &event.group_ranks, &event.group_size)) {
		reader->event_number = number;
		error_set(reader->err, STATUS_DATA, "group %u does not consist of MPI processes", group);
		return trace_events_stop(reader);
	}
	if (!event.group_ranks)
		event.group_ranks = &reader->rank;
	return trace_events_rma_add(reader, time, number, &event);
}

static OTF2_CallbackCode on_lock(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				 void *data, OTF2_AttributeList *list, OTF2_RmaWinRef window,
				 uint32_t remote, uint64_t lock, OTF2_LockType type)
{
	struct mpi_event event = on_window(data, EVENT_RMA_LOCK, window);

	(void)location, (void)list, (void)lock;
	event.peer = remote;
	event.exclusive = type == OTF2_LOCK_EXCLUSIVE;
	return trace_events_rma_add(data, time, number, &event);
}

static OTF2_CallbackCode on_unlock(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				   void *data, OTF2_AttributeList *list, OTF2_RmaWinRef window,
				   uint32_t remote, uint64_t lock)
{
	struct mpi_event event = on_window(data, EVENT_RMA_UNLOCK, window);

	(void)location, (void)list, (void)lock;
	event.peer = remote;
	return trace_events_rma_add(data, time, number, &event);
}

static OTF2_CallbackCode on_sync(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				 void *data, OTF2_AttributeList *list, OTF2_RmaWinRef window,
				 uint32_t remote, OTF2_RmaSyncType type)
{
	struct mpi_event event = on_window(data, EVENT_RMA_SYNC, window);

	(void)location, (void)list, (void)type;
	event.peer = remote;
	return trace_events_rma_add(data, time, number, &event);
}

/* Records of transfers: bytes_sent or bytes_received are the bytes. */
#define TRANSFER_RECORD(function, event_kind, event_bytes)                                        \
	static OTF2_CallbackCode function(OTF2_LocationRef location, OTF2_TimeStamp time,         \
					  uint64_t number, void *data, OTF2_AttributeList *list,  \
					  OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, \
					  uint64_t matching_id)                                   \
	{                                                                                         \
		struct mpi_event event = on_window(data, event_kind, window);                     \
                                                                                                  \
		(void)location, (void)list;                                                       \
		event.peer = remote;                                                              \
		event.event_bytes = bytes;                                                        \
		event.request = matching_id;                                                      \
		return trace_events_rma_add(data, time, number, &event);                          \
	}
TRANSFER_RECORD(on_put, EVENT_RMA_PUT, bytes_sent)
TRANSFER_RECORD(on_get, EVENT_RMA_GET, bytes_received)

static OTF2_CallbackCode on_atomic(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				   void *data, OTF2_AttributeList *list, OTF2_RmaWinRef window,
				   uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent,
				   uint64_t received, uint64_t matching_id)
{
	struct mpi_event event = on_window(data, EVENT_RMA_ATOMIC, window);

	(void)location;
	event.peer = remote;
	event.atomic = (enum rma_atomic)type;
	event.bytes_sent = sent;
	event.bytes_received = received;
	event.request = matching_id;
	event.operation = trace_events_operation(data, list);
	return trace_events_rma_add(data, time, number, &event);
}

void trace_events_set_rma_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
	OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(callbacks, on_create);
	OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(callbacks, on_destroy);
	OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(callbacks, on_collective);
	OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(callbacks, on_group_sync);
	OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(callbacks, on_lock);
	OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(callbacks, on_unlock);
	OTF2_EvtReaderCallbacks_SetRmaSyncCallback(callbacks, on_sync);
	OTF2_EvtReaderCallbacks_SetRmaPutCallback(callbacks, on_put);
	OTF2_EvtReaderCallbacks_SetRmaGetCallback(callbacks, on_get);
	OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(callbacks, on_atomic);
	OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, on_complete);
	OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(callbacks, on_complete);
	OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(callbacks, on_complete_remote);
	OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(callbacks, on_test);
}
