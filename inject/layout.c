#include "inject/layout.h"

#include "common/array.h"
#include "common/number_map.h"
#include "inject/fail.h"
#include "inject/lock.h"

#include <string.h>

/* ------------------------------------------------------- the datatypes of MPI */

static struct {
	struct number_map numbers;	/* of the handle, index in layouts */
	ARRAY(struct layout *) layouts;
} table;

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t *functions, void *context,
				   ucp_datatype_t *type)
{
	struct layout *layout = malloc(sizeof *layout);
	ucs_status_t status = layout ? ucx.dt_create_generic(functions, context, type)
				     : UCS_ERR_NO_MEMORY;
	struct error err;

	if (status != UCS_OK) {
		free(layout);
		return status;
	}
	*layout = (struct layout){*type, *functions, context};
	lock();
	if (number_map_add(&table.numbers, *type, 0, (uint32_t)table.layouts.count, &err) < 0 ||
	    array_push(&table.layouts, layout, &err) < 0)
		fail("%s", err.text);
	unlock();
	return UCS_OK;
}

/* Take the last layout of the table to the place of a removed one. */
static void fill_place(uint32_t place)
{
	struct layout *last = table.layouts.items[--table.layouts.count];
	struct error err;

	if (place == table.layouts.count)
		return;
	table.layouts.items[place] = last;
	number_map_remove(&table.numbers, last->type, 0);
	if (number_map_add(&table.numbers, last->type, 0, place, &err) < 0)
		fail("%s", err.text);
}

void ucp_dt_destroy(ucp_datatype_t type)
{
	uint32_t place;

	lock();
	place = number_map_remove(&table.numbers, type, 0);
	if (place != NUMBER_MAP_EMPTY) {
		free(table.layouts.items[place]);
		fill_place(place);
	}
	unlock();
	ucx.dt_destroy(type);
}

/* The copy stays valid when MPI destroys the datatype while an operation uses it. */
static struct layout find_layout(ucp_datatype_t type)
{
	struct layout layout = {0};
	uint32_t place;

	lock();
	place = number_map_get(&table.numbers, type, 0);
	if (place != NUMBER_MAP_EMPTY)
		layout = *table.layouts.items[place];
	unlock();
	if (place == NUMBER_MAP_EMPTY)
		fail("MPI uses a datatype of UCX that cannot be delayed (class %u)",
		     (unsigned)(type & UCP_DATATYPE_CLASS_MASK));
	return layout;
}

ucp_datatype_t layout_type(const ucp_request_param_t *param)
{
	return param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE ? param->datatype
								: ucp_dt_make_contig(1);
}

static bool is_contiguous(ucp_datatype_t type)
{
	return (type & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG;
}

static size_t contiguous_bytes(ucp_datatype_t type, size_t count)
{
	return (size_t)(type >> UCP_DATATYPE_SHIFT) * count;
}

/* ---------------------------------------------- packing with the stamp in front */

static void *start_pack(void *context, const void *buffer, size_t count)
{
	struct operation *operation = context;

	operation->layout_state =
		operation->layout.functions.start_pack(operation->layout.context, buffer, count);
	operation->bytes = operation->layout.functions.packed_size(operation->layout_state);
	return operation;
}

static void *start_unpack(void *context, void *buffer, size_t count)
{
	struct operation *operation = context;

	operation->layout_state =
		operation->layout.functions.start_unpack(operation->layout.context, buffer, count);
	/* UCX asks for the room in the receiver's memory, too. */
	operation->bytes = operation->layout.functions.packed_size(operation->layout_state);
	return operation;
}

static size_t packed_size(void *state)
{
	struct operation *operation = state;

	return sizeof operation->stamp + operation->bytes;
}

/* The part of the stamp in [offset, offset + room). */
static size_t stamp_bytes(size_t offset, size_t room)
{
	const size_t left = offset < sizeof(struct stamp) ? sizeof(struct stamp) - offset : 0;

	return left < room ? left : room;
}

static size_t layout_pack(void *state, size_t offset, void *to, size_t room)
{
	struct operation *operation = state;
	const size_t own = stamp_bytes(offset, room);

	memcpy(to, (const char *)&operation->stamp + (own ? offset : 0), own);
	offset += own;
	if (own == room || offset - sizeof(struct stamp) >= operation->bytes)
		return own;
	return own + operation->layout.functions.pack(operation->layout_state,
						      offset - sizeof(struct stamp),
						      (char *)to + own, room - own);
}

static ucs_status_t layout_unpack(void *state, size_t offset, const void *from, size_t bytes)
{
	struct operation *operation = state;
	const size_t own = stamp_bytes(offset, bytes);

	memcpy((char *)&operation->stamp + (own ? offset : 0), from, own);
	if (own == bytes)
		return UCS_OK;
	return operation->layout.functions.unpack(operation->layout_state,
						  offset + own - sizeof(struct stamp),
						  (const char *)from + own, bytes - own);
}

static void layout_finish(void *state)
{
	struct operation *operation = state;

	operation->layout.functions.finish(operation->layout_state);
}

static const ucp_generic_dt_ops_t with_stamp = {
	.start_pack = start_pack,
	.start_unpack = start_unpack,
	.packed_size = packed_size,
	.pack = layout_pack,
	.unpack = layout_unpack,
	.finish = layout_finish,
};

/* ------------------------------------------------------------------ describing */

static struct wire contiguous_wire(struct operation *operation, const void *buffer, size_t bytes)
{
	operation->bytes = bytes;
	operation->parts[0] = (ucp_dt_iov_t){&operation->stamp, sizeof operation->stamp};
	operation->parts[1] = (ucp_dt_iov_t){(void *)(uintptr_t)buffer, bytes};
	return (struct wire){operation->parts, bytes ? 2 : 1, ucp_dt_make_iov()};
}

struct wire layout_wire(struct operation *operation, const void *buffer, size_t count)
{
	const ucp_datatype_t type = layout_type(&operation->param);

	if (is_contiguous(type))
		return contiguous_wire(operation, buffer, contiguous_bytes(type, count));
	operation->layout = find_layout(type);
	if (!operation->layout_type && ucx.dt_create_generic(&with_stamp, operation,
							     &operation->layout_type) != UCS_OK)
		fail("out of memory");
	return (struct wire){buffer, count, operation->layout_type};
}

ucs_status_t layout_copy(ucp_datatype_t type, void *buffer, size_t count, const void *data,
			 size_t bytes)
{
	struct layout layout;
	ucs_status_t status;
	void *state;

	if (is_contiguous(type)) {
		if (bytes > contiguous_bytes(type, count))
			return UCS_ERR_MESSAGE_TRUNCATED;
		if (bytes)
			memcpy(buffer, data, bytes);
		return UCS_OK;
	}
	layout = find_layout(type);
	state = layout.functions.start_unpack(layout.context, buffer, count);
	status = bytes ? layout.functions.unpack(state, 0, data, bytes) : UCS_OK;
	layout.functions.finish(state);
	return status;
}
