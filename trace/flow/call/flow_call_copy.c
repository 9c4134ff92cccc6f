/* Copy signatures from one flow to another, in which strings and signatures have other numbers. */
#include "trace/flow/call/flow_call.h"
#include "trace/flow/call/flow_call_internal.h"

static int copy_numbers(struct flow_copy *copy, struct flow_cursor *from, uint64_t count,
			struct error *err)
{
	for (; count && !from->damaged; count--)
		TRY(flow_put(copy->to, flow_get(from), err));
	return 0;
}

/* Copy the numbers of those `fields` that an event has. */
static int copy_fields(struct flow_copy *copy, struct flow_cursor *from, unsigned fields,
		       struct error *err)
{
	return copy_numbers(copy, from, (unsigned)__builtin_popcount(fields), err);
}

static int copy_string(struct flow_copy *copy, struct flow_cursor *from, struct error *err)
{
	const uint32_t string = flow_get_below(from, copy->from->strings.starts.count);

	return flow_put(copy->to, copy->strings[string], err);
}

/* Copy the number of sizes, if an event has it. */
static int copy_count(struct flow_copy *copy, struct flow_cursor *from, bool there, uint64_t *count,
		      struct error *err)
{
	*count = there ? flow_get(from) : 0;
	return there ? flow_put(copy->to, *count, err) : 0;
}

static int copy_collective(struct flow_copy *copy, struct flow_cursor *from, unsigned fields,
			   struct error *err)
{
	uint64_t to_count, from_count;

	TRY(copy_count(copy, from, fields & FIELD_TO_COUNT, &to_count, err));
	TRY(copy_count(copy, from, fields & FIELD_FROM_COUNT, &from_count, err));
	if (fields & FIELD_TO_ALL)
		TRY(copy_numbers(copy, from, to_count, err));
	if (fields & FIELD_FROM_ALL)
		TRY(copy_numbers(copy, from, from_count, err));
	if (fields & FIELD_NEIGHBOURS)
		TRY(copy_string(copy, from, err));
	return copy_fields(copy, from, fields & (FIELD_PERSISTENT | FIELD_ROOT), err);
}

/* Copy an event, in the order of flow_call_internal.h. */
static int copy_event(struct flow_copy *copy, struct flow_cursor *from, struct error *err)
{
	const enum mpi_event_kind kind = (enum mpi_event_kind)flow_get_most(from, EVENT_KINDS - 1);
	const unsigned fields = (unsigned)flow_get_most(from, UINT16_MAX);

	TRY(flow_put(copy->to, kind, err));
	TRY(flow_put(copy->to, fields, err));
	TRY(copy_fields(copy, from,
			fields & (FIELD_COMM | FIELD_PEER | FIELD_COLLECTIVE | FIELD_SENT |
				  FIELD_RECEIVED),
			err));
	if (fields & FIELD_OPERATION)
		TRY(copy_string(copy, from, err));
	TRY(copy_fields(copy, from, fields & FIELD_REQUEST, err));
	if (event_is_message(kind))
		return copy_fields(copy, from,
				   fields & (FIELD_BYTES | FIELD_TAG | FIELD_PARTITIONS |
					     FIELD_POSTED),
				   err);
	if (event_is_collective(kind))
		return copy_collective(copy, from, fields | FIELD_ROOT, err);
	return event_is_rma(kind) ? copy_fields(copy, from,
						fields & (FIELD_GROUP | FIELD_WINDOW |
							  FIELD_ATOMIC | FIELD_SYNC),
						err)
				  : 0;
}

/* Copy what a node whose calls differ has in common: a signature that comes before. */
static int copy_common(struct flow_copy *copy, struct flow_cursor *from, uint32_t number,
		       struct error *err)
{
	const uint32_t common = flow_get_below(from, (size_t)number + 1);

	return flow_put(copy->to, common ? copy->signatures[common - 1] + 1 : 0, err);
}

int flow_signature_copy(struct flow_copy *copy, uint32_t number, struct flow_bytes *to,
			struct error *err)
{
	enum flow_signature_kind kind;
	struct flow_cursor from = flow_signature(copy->from, number, &kind);
	uint64_t flags, events;

	copy->to = to;
	to->count = 0;
	TRY(flow_put(to, kind, err));
	TRY(copy_string(copy, &from, err));
	flags = flow_get(&from);
	TRY(flow_put(to, flags, err));
	if (flags & CALL_HAS_SITE)
		TRY(copy_string(copy, &from, err));
	if (kind == FLOW_VARIABLE) {
		TRY(copy_common(copy, &from, number, err));
	} else {
		events = flow_get(&from);
		TRY(flow_put(to, events, err));
		for (; events && !from.damaged; events--)
			TRY(copy_event(copy, &from, err));
	}
	return from.damaged || flow_left(&from)
		       ? error_set(err, STATUS_DATA, "damaged: a part has a signature that is none")
		       : 0;
}
