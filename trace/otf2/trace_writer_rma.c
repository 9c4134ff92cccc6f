/* Writing one-sided communication as OTF2 records, as Score-P does. */
#include "trace/otf2/trace_writer_internal.h"

int trace_writer_rma_at_enter(struct trace_writer *writer, const struct mpi_event *event,
			      uint64_t time, struct error *err)
{
	OTF2_EvtWriter *to = writer->events;

	switch (event->kind) {
	case EVENT_RMA_COLLECTIVE:
		return trace_writer_check(writer, OTF2_EvtWriter_RmaCollectiveBegin(
			to, NULL, time), err);
	case EVENT_RMA_LOCK:
		return trace_writer_check(writer, OTF2_EvtWriter_RmaRequestLock(
			to, NULL, time, event->window, event->peer, 0,
			event->exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED), err);
	case EVENT_RMA_PUT:
		return trace_writer_check(writer, OTF2_EvtWriter_RmaPut(
			to, NULL, time, event->window, event->peer, event->bytes_sent,
			event->request), err);
	case EVENT_RMA_GET:
		return trace_writer_check(writer, OTF2_EvtWriter_RmaGet(
			to, NULL, time, event->window, event->peer, event->bytes_received,
			event->request), err);
	case EVENT_RMA_ATOMIC:
		TRY(trace_writer_add_operation(writer, event, err));
		return trace_writer_check(writer, OTF2_EvtWriter_RmaAtomic(
			to, writer->attributes, time, event->window, event->peer,
			(OTF2_RmaAtomicType)event->atomic, event->bytes_sent,
			event->bytes_received, event->request), err);
	default:
		return 0;
	}
}

int trace_writer_rma_at_leave(struct trace_writer *writer, const struct mpi_event *event,
			      uint64_t time, struct error *err)
{
	OTF2_EvtWriter *to = writer->events;
	OTF2_ErrorCode code = OTF2_SUCCESS;

	switch (event->kind) {
	case EVENT_WIN_CREATE:
		code = OTF2_EvtWriter_RmaWinCreate(to, NULL, time, event->window);
		break;
	case EVENT_WIN_DESTROY:
		code = OTF2_EvtWriter_RmaWinDestroy(to, NULL, time, event->window);
		break;
	case EVENT_RMA_COLLECTIVE:
		code = OTF2_EvtWriter_RmaCollectiveEnd(
			to, NULL, time, (OTF2_CollectiveOp)event->collective, event->sync,
			event->window, OTF2_UNDEFINED_UINT32, 0, 0);
		break;
	case EVENT_RMA_GROUP_SYNC:
		code = OTF2_EvtWriter_RmaGroupSync(to, NULL, time, event->sync, event->window,
						   event->group);
		break;
	case EVENT_RMA_UNLOCK:
		code = OTF2_EvtWriter_RmaReleaseLock(to, NULL, time, event->window, event->peer,
						     0);
		break;
	case EVENT_RMA_SYNC:
		code = OTF2_EvtWriter_RmaSync(to, NULL, time, event->window, event->peer,
					      OTF2_RMA_SYNC_TYPE_MEMORY);
		break;
	case EVENT_RMA_COMPLETE:
		code = OTF2_EvtWriter_RmaOpCompleteNonBlocking(to, NULL, time, event->window,
							       event->request);
		break;
	case EVENT_RMA_COMPLETE_REMOTE:
		code = OTF2_EvtWriter_RmaOpCompleteRemote(to, NULL, time, event->window,
							  event->request);
		break;
	case EVENT_RMA_TEST:
		code = OTF2_EvtWriter_RmaOpTest(to, NULL, time, event->window, event->request);
		break;
	default:
		break;
	}
	return trace_writer_check(writer, code, err);
}
