/* Reading the events of one location; internal to trace/otf2/. */
#ifndef TRACE_OTF2_LOCATION_H
#define TRACE_OTF2_LOCATION_H

#include "trace/otf2/otf2_reader.h"

/*
 * Check whether a location has events: its definition states so or, in archives of other tools, the
 * file of its events exists.
 */
bool trace_location_has_events(const struct otf2_reader *reader,
			       const struct trace_location *location);

/*
 * Read a location: open it, read until all is read (at_end) or a call is held back (ready), and
 * close it, after errors too.
 */
int trace_location_open(struct otf2_reader *reader, const struct trace_location *location,
			struct error *err);
int trace_location_read(struct otf2_reader *reader, struct error *err);
void trace_location_close(struct otf2_reader *reader);

/* Free the data that belongs to the reader itself. */
void otf2_reader_forget(struct otf2_reader *reader);

#endif
