/* The OTF2 callbacks that turn the events of a rank into calls; internal to trace/otf2/. */
#ifndef TRACE_TRACE_EVENTS_H
#define TRACE_TRACE_EVENTS_H

#include "trace/otf2/otf2_reader.h"

/* Set the callbacks.  Their user data is the reader.  On errors they set `failed` and *err. */
void trace_events_set_callbacks(OTF2_EvtReaderCallbacks *callbacks);

/* Deliver the call that was held back; 0 or -1. */
int trace_events_give(struct otf2_reader *reader);

/* Callbacks of one-sided communication (trace_events_rma.c), and their helpers. */
void trace_events_set_rma_callbacks(OTF2_EvtReaderCallbacks *callbacks);
OTF2_CallbackCode trace_events_add(struct otf2_reader *reader, OTF2_TimeStamp time,
				   uint64_t number, const struct mpi_event *event);
OTF2_CallbackCode trace_events_stop(struct otf2_reader *reader);

/* Skip a record. */
OTF2_CallbackCode trace_events_pass(struct otf2_reader *reader, OTF2_TimeStamp time,
				    uint64_t number);

/* The name of a record's reduction operation, or NULL. */
const char *trace_events_operation(const struct otf2_reader *reader,
				   const OTF2_AttributeList *list);

/* Deliver the call that is still open after the last event; 0 or -1. */
int trace_events_end(struct otf2_reader *reader);

#endif
