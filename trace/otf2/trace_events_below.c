/* Regions below MPI: functions that the MPI library calls (trace/call/below.h). */
#include "trace/otf2/trace_events_below.h"

static uint32_t below_of(const struct otf2_reader *reader, OTF2_RegionRef region)
{
	return region < reader->index.regions.count ? reader->index.regions.items[region].below : 0;
}

static uint64_t below_number(const OTF2_AttributeList *list, uint32_t id, uint64_t otherwise)
{
	if (id != OTF2_UNDEFINED_ATTRIBUTE && OTF2_AttributeList_TestAttributeByID(list, id))
		OTF2_AttributeList_GetUint64(list, id, &otherwise);
	return otherwise;
}

int trace_events_enter_below(struct otf2_reader *reader, OTF2_RegionRef region,
			     const OTF2_AttributeList *list)
{
	const uint32_t below = below_of(reader, region);
	struct below_call call = {.thread = reader->call.thread,
				  .depth = (uint32_t)reader->open_below.count,
				  .enter_ns = reader->last_ns - reader->flushed_ns};

	reader->below |= below > 0;
	reader->others |= !below;
	if (!below || !reader->to.below)
		return 0;
	call.function = below - 1;
	if (below_functions[call.function].kind == BELOW_POST)
		call.number = below_number(list, reader->attributes.bytes, BELOW_UNKNOWN);
	return array_push(&reader->open_below, call, reader->err);
}

int trace_events_leave_below(struct otf2_reader *reader, OTF2_RegionRef region,
			     const OTF2_AttributeList *list)
{
	const uint32_t below = below_of(reader, region);
	const struct attribute_ids *ids = &reader->attributes;
	struct below_call *call;

	if (!below || !reader->to.below || !reader->open_below.count)
		return 0;
	call = &reader->open_below.items[--reader->open_below.count];
	call->leave_ns = reader->last_ns - reader->flushed_ns;
	if (call->function == BELOW_EMPTY_POLLS)
		call->number = below_number(list, ids->polls, 1);
	else if (below_functions[call->function].kind == BELOW_POLL)
		call->number = below_number(list, ids->found, 0);
	call->pending = ids->pending != OTF2_UNDEFINED_ATTRIBUTE &&
			OTF2_AttributeList_TestAttributeByID(list, ids->pending);
	return reader->to.below(reader->to.below_data, call, reader->err);
}
