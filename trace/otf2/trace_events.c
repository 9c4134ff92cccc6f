#include "trace/otf2/trace_events.h"

#include "common/units.h"
#include "trace/otf2/trace_events_below.h"
#include "trace/otf2/trace_vector.h"

#include <string.h>

OTF2_CallbackCode trace_events_stop(struct otf2_reader *reader)
{
	reader->failed = true;
	/* Keep system errors as they are: a full disk is not a fault of the event. */
	if (reader->err->status == STATUS_SYSTEM)
		return OTF2_CALLBACK_INTERRUPT;
	if (reader->call.thread)
		error_prefix(reader->err, "%s: rank %u, thread %u, event %llu", reader->path,
			     reader->rank, reader->call.thread,
			     (unsigned long long)reader->event_number);
	else
		error_prefix(reader->err, "%s: rank %u, event %llu", reader->path, reader->rank,
			     (unsigned long long)reader->event_number);
	return OTF2_CALLBACK_INTERRUPT;
}

#define STOP_IF(condition, ...)                                           \
	do {                                                              \
		if (condition) {                                          \
			error_set(reader->err, STATUS_DATA, __VA_ARGS__); \
			return trace_events_stop(reader);                 \
		}                                                         \
	} while (0)

/* Time in ns; more than INT64_MAX: out of range. */
static uint64_t to_ns(const struct otf2_reader *reader, OTF2_TimeStamp time)
{
	const uint64_t ticks = reader->index.ticks_per_second;
	unsigned __int128 ns;

	if (ticks == 1000000000)
		return time;
	ns = (unsigned __int128)time * 1000000000 / ticks;
	return ns > INT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static bool refuse_time(const struct otf2_reader *reader, OTF2_TimeStamp time, uint64_t ns)
{
	if (ns > INT64_MAX)
		error_set(reader->err, STATUS_DATA, "the time %llu is out of range",
			  (unsigned long long)time);
	else
		error_set(reader->err, STATUS_DATA, "the time runs backwards by %llu ns",
			  (unsigned long long)(reader->last_ns - ns));
	return false;
}

/* Note an event's place and time.  False with the error set if time runs backwards. */
static inline bool arrive(struct otf2_reader *reader, OTF2_TimeStamp time, uint64_t number)
{
	const uint64_t ns = to_ns(reader, time);

	reader->event_number = number;
	if (ns > INT64_MAX || ns < reader->last_ns)
		return refuse_time(reader, time, ns);
	reader->last_ns = ns;
	return true;
}

/* The time of the last event without the time spent writing, but not before `previous_ns`. */
static uint64_t time_since(struct otf2_reader *reader, uint64_t previous_ns)
{
	if (reader->last_ns < previous_ns + reader->flushed_ns)
		reader->flushed_ns = reader->last_ns - previous_ns;
	return reader->last_ns - reader->flushed_ns;
}

static OTF2_CallbackCode give(struct otf2_reader *reader)
{
	if (reader->to.receive(reader->to.data, &reader->call, reader->err) < 0) {
		if (reader->err->status != STATUS_SYSTEM)
			error_prefix(reader->err, "%s", reader->call.function);
		return trace_events_stop(reader);
	}
	return OTF2_CALLBACK_SUCCESS;
}

/* End the current call, and give it to the receiver or hold it back for the merge. */
static OTF2_CallbackCode trace_events_deliver(struct otf2_reader *reader)
{
	reader->call.leave_ns = time_since(reader, reader->call.enter_ns);
	if (reader->flush_stop_ns > reader->last_ns && !reader->to.as_measured)
		reader->flushed_ns += reader->flush_stop_ns - reader->last_ns;
	reader->flush_stop_ns = 0;
	reader->call.events = reader->events.items;
	reader->call.event_count = (uint32_t)reader->events.count;
	if (reader->holds_back) {
		reader->ready = true;
		return OTF2_CALLBACK_INTERRUPT;
	}
	return give(reader);
}

int trace_events_give(struct otf2_reader *reader)
{
	return give(reader) == OTF2_CALLBACK_SUCCESS ? 0 : -1;
}

static void begin_call(struct otf2_reader *reader, const char *function)
{
	reader->call.function = function;
	reader->begun_ns = reader->last_ns;
	reader->call.enter_ns = time_since(reader, reader->call.leave_ns);
	reader->call.polls = 0;
	reader->call.site = NO_SITE;
	reader->events.count = 0;
}

static const char *trace_events_function_of(const struct otf2_reader *reader, OTF2_RegionRef region)
{
	if (region >= reader->index.regions.count)
		return NULL;
	return reader->index.regions.items[region].function;
}

/* Report a region other than an MPI function to the receiver if it watches this name. */
static void watch(struct otf2_reader *reader, OTF2_RegionRef region, bool enters)
{
	const char *name;

	if (!reader->to.region || region >= reader->index.regions.count)
		return;
	name = trace_index_string(&reader->index, reader->index.regions.items[region].name);
	if (name && !strcmp(name, reader->to.region))
		reader->to.seen(reader->to.seen_data, reader->last_ns - reader->flushed_ns, enters);
}

/* Tell the receiver of a region of OpenMP outside of all calls of MPI. */
static void tell_openmp(struct otf2_reader *reader, OTF2_RegionRef region, bool enters)
{
	const struct trace_region *regions = reader->index.regions.items;

	if (reader->to.openmp && !reader->depth && region < reader->index.regions.count &&
	    regions[region].openmp != OPENMP_NONE)
		reader->to.openmp(reader->to.openmp_data, reader->call.thread,
				  reader->last_ns - reader->flushed_ns,
				  (enum openmp_region)regions[region].openmp, enters);
}

static bool has_attribute(const OTF2_AttributeList *list, uint32_t id)
{
	return id != OTF2_UNDEFINED_ATTRIBUTE && OTF2_AttributeList_GetNumberOfElements(list) &&
	       OTF2_AttributeList_TestAttributeByID(list, id);
}

/* The id of a string attribute, or OTF2_UNDEFINED_STRING. */
static uint32_t string_attribute(const OTF2_AttributeList *list, uint32_t id)
{
	OTF2_StringRef value = OTF2_UNDEFINED_STRING;

	if (has_attribute(list, id))
		OTF2_AttributeList_GetStringRef(list, id, &value);
	return value;
}

/* Read the call site of an Enter.  False with the error set if it is not defined. */
static bool read_site(struct otf2_reader *reader, const OTF2_AttributeList *list)
{
	const uint32_t site = string_attribute(list, reader->attributes.call_site);

	if (site == OTF2_UNDEFINED_STRING)
		return true;
	reader->call.site = site;
	if (trace_index_string(&reader->index, site))
		return true;
	error_set(reader->err, STATUS_DATA, "string %u, a call site, is not defined", site);
	return false;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				  void *data, OTF2_AttributeList *list, OTF2_RegionRef region)
{
	struct otf2_reader *reader = data;
	const char *function = trace_events_function_of(reader, region);

	(void)location;
	if (!arrive(reader, time, number))
		return trace_events_stop(reader);
	if (function && reader->depth++ == 0) {
		begin_call(reader, function);
		if (!read_site(reader, list))
			return trace_events_stop(reader);
	}
	if (function)
		return OTF2_CALLBACK_SUCCESS;
	watch(reader, region, true);
	tell_openmp(reader, region, true);
	return trace_events_enter_below(reader, region, list) < 0 ? trace_events_stop(reader)
								  : OTF2_CALLBACK_SUCCESS;
}

static uint64_t number_attribute(const OTF2_AttributeList *list, uint32_t id)
{
	uint64_t value = 0;

	if (has_attribute(list, id))
		OTF2_AttributeList_GetUint64(list, id, &value);
	return value;
}

static void read_polls(struct otf2_reader *reader, const OTF2_AttributeList *list)
{
	const struct attribute_ids *ids = &reader->attributes;

	reader->call.polls = number_attribute(list, ids->polls);
	if (!reader->call.polls)
		return;
	reader->call.poll_gaps_ns = number_attribute(list, ids->poll_gaps);
	reader->call.least_poll_gap_ns = number_attribute(list, ids->least_poll_gap);
}

/* Add the message that a probe has found, from the Leave of its call. */
static int read_probe(struct otf2_reader *reader, const OTF2_AttributeList *list)
{
	const struct attribute_ids *ids = &reader->attributes;
	struct mpi_event event = {.kind = EVENT_PROBE};
	OTF2_CommRef comm;

	if (!reader->to.as_measured || !has_attribute(list, ids->source) ||
	    OTF2_AttributeList_GetUint32(list, ids->source, &event.peer) != OTF2_SUCCESS ||
	    OTF2_AttributeList_GetUint32(list, ids->tag, &event.tag) != OTF2_SUCCESS ||
	    OTF2_AttributeList_GetCommRef(list, ids->communicator, &comm) != OTF2_SUCCESS)
		return 0;
	event.comm = comm;
	event.bytes = number_attribute(list, ids->bytes);
	return array_push(&reader->events, event, reader->err);
}

/* Add the bytes that a call moves to or from a file, from its Leave.  Probes have bytes, too. */
static int read_transfer(struct otf2_reader *reader, const OTF2_AttributeList *list)
{
	const struct attribute_ids *ids = &reader->attributes;
	const struct mpi_event event = {.kind = EVENT_TRANSFER,
					.comm = NO_COMM,
					.bytes = number_attribute(list, ids->bytes)};

	if (!reader->to.transfers || !event.bytes || has_attribute(list, ids->source))
		return 0;
	return array_push(&reader->events, event, reader->err);
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				  void *data, OTF2_AttributeList *list, OTF2_RegionRef region)
{
	struct otf2_reader *reader = data;
	const char *function = trace_events_function_of(reader, region);

	(void)location;
	if (!arrive(reader, time, number))
		return trace_events_stop(reader);
	if (!function) {
		watch(reader, region, false);
		tell_openmp(reader, region, false);
		return trace_events_leave_below(reader, region, list) < 0
			       ? trace_events_stop(reader)
			       : OTF2_CALLBACK_SUCCESS;
	}
	STOP_IF(!reader->depth, "leaves %s, which was not entered", function);
	if (--reader->depth)
		return OTF2_CALLBACK_SUCCESS;
	STOP_IF(function != reader->call.function, "leaves %s inside %s", function,
		reader->call.function);
	read_polls(reader, list);
	if (read_probe(reader, list) < 0 || read_transfer(reader, list) < 0)
		return trace_events_stop(reader);
	return trace_events_deliver(reader);
}

/* Subtract the time of writing trace data from compute time (doc/trace-format.md). */
static OTF2_CallbackCode on_flush(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				  void *data, OTF2_AttributeList *list, OTF2_TimeStamp stop_time)
{
	struct otf2_reader *reader = data;
	const uint64_t ns = to_ns(reader, stop_time);

	(void)location, (void)list;
	if (!arrive(reader, time, number))
		return trace_events_stop(reader);
	STOP_IF(ns > INT64_MAX, "the time %llu is out of range", (unsigned long long)stop_time);
	if (reader->depth)
		reader->flush_stop_ns = ns;
	else if (ns > reader->last_ns && !reader->to.as_measured)
		reader->flushed_ns += ns - reader->last_ns;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_measurement(OTF2_LocationRef location, OTF2_TimeStamp time,
					uint64_t number, void *data, OTF2_AttributeList *list,
					OTF2_MeasurementMode mode)
{
	struct otf2_reader *reader = data;

	(void)location, (void)list;
	if (!arrive(reader, time, number))
		return trace_events_stop(reader);
	if (reader->depth)
		return OTF2_CALLBACK_SUCCESS;
	if (mode == OTF2_MEASUREMENT_OFF && !reader->off) {
		reader->off = true;
		begin_call(reader, RECORDING_OFF);
	} else if (mode == OTF2_MEASUREMENT_ON && reader->off) {
		reader->off = false;
		return trace_events_deliver(reader);
	}
	return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode trace_events_pass(struct otf2_reader *reader, OTF2_TimeStamp time,
				    uint64_t number)
{
	return arrive(reader, time, number) ? OTF2_CALLBACK_SUCCESS : trace_events_stop(reader);
}

OTF2_CallbackCode trace_events_add(struct otf2_reader *reader, OTF2_TimeStamp time, uint64_t number,
				   const struct mpi_event *event)
{
	if (!arrive(reader, time, number))
		return trace_events_stop(reader);
	STOP_IF(!reader->depth, "an MPI record is outside of all MPI calls");
	if (array_push(&reader->events, *event, reader->err) < 0)
		return trace_events_stop(reader);
	return OTF2_CALLBACK_SUCCESS;
}

static uint8_t byte_attribute(const OTF2_AttributeList *list, uint32_t id)
{
	uint8_t value = 0;

	if (has_attribute(list, id))
		OTF2_AttributeList_GetUint8(list, id, &value);
	return value;
}

const char *trace_events_operation(const struct otf2_reader *reader, const OTF2_AttributeList *list)
{
	return trace_index_string(&reader->index,
				  string_attribute(list, reader->attributes.operation));
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				 void *data, OTF2_AttributeList *list, uint32_t receiver,
				 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
	struct mpi_event event = {
		.kind = EVENT_SEND, .comm = comm, .peer = receiver, .tag = tag, .bytes = bytes};

	(void)location, (void)list;
	return trace_events_add(data, time, number, &event);
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				  void *data, OTF2_AttributeList *list, uint32_t receiver,
				  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
	struct otf2_reader *reader = data;
	struct mpi_event event = {.kind = EVENT_ISEND,
				  .comm = comm,
				  .peer = receiver,
				  .tag = tag,
				  .bytes = bytes,
				  .request = request,
				  .partitions = (uint32_t)
					  number_attribute(list, reader->attributes.partitions)};

	(void)location;
	return trace_events_add(reader, time, number, &event);
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				 void *data, OTF2_AttributeList *list, uint32_t sender,
				 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
	struct otf2_reader *reader = data;
	struct mpi_event event = {.kind = EVENT_RECV,
				  .comm = comm,
				  .peer = sender,
				  .tag = tag,
				  .bytes = bytes,
				  .posted = byte_attribute(list,
							   reader->attributes.posted_wildcard)};

	(void)location;
	return trace_events_add(reader, time, number, &event);
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t number,
				  void *data, OTF2_AttributeList *list, uint32_t sender,
				  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
	struct mpi_event event = {.kind = EVENT_IRECV,
				  .comm = comm,
				  .peer = sender,
				  .tag = tag,
				  .bytes = bytes,
				  .request = request};

	(void)location, (void)list;
	return trace_events_add(data, time, number, &event);
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time,
					  uint64_t number, void *data, OTF2_AttributeList *list,
					  uint64_t request)
{
	struct otf2_reader *reader = data;
	struct mpi_event event = {
		.kind = EVENT_IRECV_REQUEST,
		.request = request,
		.posted = byte_attribute(list, reader->attributes.posted_wildcard),
		.partitions = (uint32_t)number_attribute(list, reader->attributes.partitions)};

	(void)location;
	return trace_events_add(reader, time, number, &event);
}

/* Records that have nothing but a request or a communicator. */
#define FIELD_RECORD(function, event_kind, type, field)                                          \
	static OTF2_CallbackCode function(OTF2_LocationRef location, OTF2_TimeStamp time,        \
					  uint64_t number, void *data, OTF2_AttributeList *list, \
					  type value)                                            \
	{                                                                                        \
		struct mpi_event event = {.kind = event_kind, .field = value};                   \
                                                                                                 \
		(void)location, (void)list;                                                      \
		return trace_events_add(data, time, number, &event);                             \
	}
FIELD_RECORD(on_isend_complete, EVENT_ISEND_COMPLETE, uint64_t, request)
FIELD_RECORD(on_request_test, EVENT_REQUEST_TEST, uint64_t, request)
FIELD_RECORD(on_request_cancelled, EVENT_REQUEST_CANCELLED, uint64_t, request)
FIELD_RECORD(on_collective_request, EVENT_COLLECTIVE_REQUEST, uint64_t, request)
FIELD_RECORD(on_comm_create, EVENT_COMM_CREATE, OTF2_CommRef, comm)
FIELD_RECORD(on_comm_destroy, EVENT_COMM_DESTROY, OTF2_CommRef, comm)

/* ----------------------------------------------------------------- collectives */

/* Find the vector of `size` byte counts in a string, which is parsed at its first use. */
static int find_vector(struct otf2_reader *reader, uint32_t string, uint32_t size,
		       const uint64_t **items)
{
	const char *text = trace_index_string(&reader->index, string);
	struct vector *vector;

	if (!text)
		return error_set(reader->err, STATUS_DATA,
				 "string %u, a list of byte counts, is not defined", string);
	while (reader->vectors.count <= string) {
		struct vector none = {0};

		TRY(array_push(&reader->vectors, none, reader->err));
	}
	vector = &reader->vectors.items[string];
	if (!vector->items) {
		TRY(allocate(&vector->items, (size_t)size + 1, sizeof *vector->items, reader->err));
		vector->count = size;
		if (trace_vector_parse(text, size, vector->items, reader->err) < 0) {
			free(vector->items);
			vector->items = NULL;
			return -1;
		}
	}
	if (vector->count != size)
		return error_set(reader->err, STATUS_DATA,
				 "\"%.40s\" has %u byte count%s instead of %u", text, vector->count,
				 plural(vector->count), size);
	*items = vector->items;
	return 0;
}

/* Count the ranks in "1,5,7", up to a semicolon or the end. */
static uint32_t count_ranks(const char *list)
{
	uint32_t count = *list && *list != ';';

	for (; *list && *list != ';'; list++)
		count += *list == ',';
	return count;
}

/*
 * Set the numbers of entries of the vectors on an inter-communicator: one for each rank of the
 * remote group.
 */
static void inter_vector_sizes(const struct trace_comm *comm, uint32_t rank,
			       struct mpi_event *event)
{
	const bool first = trace_rank_among(comm->ranks, comm->size, rank) != NO_RANK;
	const uint32_t own = first ? comm->size : comm->remote_size;
	const uint32_t other = first ? comm->remote_size : comm->size;

	event->send_count = event->receive_count = other;
	if (event->collective == COLL_REDUCE_SCATTER)
		event->receive_count = own;
}

/* Set the numbers of entries of a collective's vectors.  False if it has none. */
static bool vector_sizes(const struct trace_world *world, uint32_t rank, struct mpi_event *event)
{
	const struct trace_comm *comm;
	const char *destinations;

	if (event->neighbours) {
		destinations = strchr(event->neighbours, ';');
		event->receive_count = count_ranks(event->neighbours);
		event->send_count = destinations ? count_ranks(destinations + 1) : 0;
		return true;
	}
	if (event->comm >= world->comm_count)
		return false; /* the receiver reports the communicator */
	comm = &world->comms[event->comm];
	event->send_count = event->receive_count = comm->size;
	if (comm->defined && comm->inter)
		inter_vector_sizes(comm, rank, event);
	return comm->defined;
}

static int read_vectors(struct otf2_reader *reader, const OTF2_AttributeList *list,
			struct mpi_event *event)
{
	uint32_t send = string_attribute(list, reader->attributes.send_bytes);
	uint32_t receive = string_attribute(list, reader->attributes.receive_bytes);

	if ((send == OTF2_UNDEFINED_STRING && receive == OTF2_UNDEFINED_STRING) ||
	    !vector_sizes(&reader->index.world, reader->rank, event))
		return 0;
	if (send != OTF2_UNDEFINED_STRING)
		TRY(find_vector(reader, send, event->send_count, &event->send_bytes));
	if (receive != OTF2_UNDEFINED_STRING)
		TRY(find_vector(reader, receive, event->receive_count, &event->receive_bytes));
	if (event->in_place && !event->send_bytes &&
	    (event->collective == COLL_ALLTOALLV || event->collective == COLL_ALLTOALLW))
		event->send_bytes = event->receive_bytes;
	return 0;
}

static OTF2_CallbackCode read_collective(struct otf2_reader *reader, OTF2_TimeStamp time,
					 uint64_t number, const OTF2_AttributeList *list,
					 struct mpi_event *event)
{
	reader->event_number = number;
	event->in_place = byte_attribute(list, reader->attributes.in_place);
	event->persistent = (uint32_t)number_attribute(list, reader->attributes.persistent);
	event->operation = trace_events_operation(reader, list);
	event->neighbours = trace_index_string(&reader->index,
					       string_attribute(list,
								reader->attributes.neighbours));
	if (read_vectors(reader, list, event) < 0)
		return trace_events_stop(reader);
	return trace_events_add(reader, time, number, event);
}

static OTF2_CallbackCode on_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time,
					   uint64_t number, void *data, OTF2_AttributeList *list,
					   OTF2_CollectiveOp collective, OTF2_CommRef comm,
					   uint32_t root, uint64_t sent, uint64_t received)
{
	struct mpi_event event = {.kind = EVENT_COLLECTIVE,
				  .collective = (enum mpi_collective)collective,
				  .comm = comm,
				  .root = root,
				  .bytes_sent = sent,
				  .bytes_received = received};

	(void)location;
	return read_collective(data, time, number, list, &event);
}

static OTF2_CallbackCode on_collective_complete(OTF2_LocationRef location, OTF2_TimeStamp time,
						uint64_t number, void *data,
						OTF2_AttributeList *list,
						OTF2_CollectiveOp collective, OTF2_CommRef comm,
						uint32_t root, uint64_t sent, uint64_t received,
						uint64_t request)
{
	struct mpi_event event = {.kind = EVENT_COLLECTIVE_COMPLETE,
				  .collective = (enum mpi_collective)collective,
				  .comm = comm,
				  .root = root,
				  .bytes_sent = sent,
				  .bytes_received = received,
				  .request = request};

	(void)location;
	return read_collective(data, time, number, list, &event);
}

void trace_events_set_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
	OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, on_flush);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_isend_complete);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(callbacks, on_request_test);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_request_cancelled);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective_end);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks,
									on_collective_request);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks,
									 on_collective_complete);
	OTF2_EvtReaderCallbacks_SetCommCreateCallback(callbacks, on_comm_create);
	OTF2_EvtReaderCallbacks_SetCommDestroyCallback(callbacks, on_comm_destroy);
}

int trace_events_end(struct otf2_reader *reader)
{
	reader->left_out.unfinished_calls += reader->depth > 0;
	if (reader->off)
		trace_events_deliver(reader);
	return reader->failed ? -1 : 0;
}
