/* Reading regions other than functions of MPI; internal to trace/otf2/. */
#ifndef TRACE_TRACE_EVENTS_BELOW_H
#define TRACE_TRACE_EVENTS_BELOW_H

#include "trace/otf2/otf2_reader.h"

/* Take the begin or the end of a region, whose time is that of the last event; 0 or -1. */
int trace_events_enter_below(struct otf2_reader *reader, OTF2_RegionRef region,
			     const OTF2_AttributeList *list);
int trace_events_leave_below(struct otf2_reader *reader, OTF2_RegionRef region,
			     const OTF2_AttributeList *list);

#endif
