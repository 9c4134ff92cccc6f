/*
 * Perfetto's native trace format, written directly.  Private to common/draw/viewer.c.
 *
 * A file is a sequence of TracePackets (field 1 of Trace) in the encoding of Protocol Buffers.
 * These messages and fields are used, all documented at
 * https://perfetto.dev/docs/reference/synthetic-track-event and .../trace-packet-proto:
 *
 *	TracePacket	timestamp 8, trusted_packet_sequence_id 10, track_event 11,
 *			interned_data 12, sequence_flags 13, track_descriptor 60
 *	TrackDescriptor	uuid 1, name 2, parent_uuid 5, child_ordering 11 (3: explicit),
 *			sibling_order_rank 12
 *	TrackEvent	category_iids 3, debug_annotations 4, type 9 (1: begin, 2: end), name_iid 10,
 *			track_uuid 11, flow_ids 47, terminating_flow_ids 48
 *	DebugAnnotation	name_iid 1, uint_value 3, string_value 6
 *	InternedData	event_categories 1, event_names 2, debug_annotation_names 3, each a
 *			message of iid 1 and name 2
 *
 * Timestamps are absolute, in ns.  All packets are one sequence, so a text is written once.
 * Perfetto sorts packets by time and keeps the order of equal times.
 */
#ifndef COMMON_DRAW_PERFETTO_H
#define COMMON_DRAW_PERFETTO_H

#include "common/draw/viewer.h"

void perfetto_open(struct viewer *viewer, const char *title);
void perfetto_text(struct viewer *viewer, enum viewer_use use, uint32_t number, const char *text);
void perfetto_track(struct viewer *viewer, const struct viewer_track *parent, const char *name,
		    const struct viewer_track *track);
void perfetto_begin(struct viewer *viewer, const struct viewer_track *track,
		    const struct viewer_slice *slice, const struct viewer_numbers *numbers);
void perfetto_end(struct viewer *viewer, const struct viewer_track *track, uint64_t end_ns);

#endif
