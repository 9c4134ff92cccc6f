/* Writing global definitions, and the mapping of a rank's ids to global ones. */
#include "trace/call/mpi_functions.h"
#include "trace/call/trace_hosts.h"
#include "trace/otf2/trace_writer_internal.h"

#include "common/version.h"

#include <stdio.h>
#include <string.h>

enum { GROUP_LOCATIONS, GROUP_SELF, GROUP_WORLD };
_Static_assert(FIRST_OWN_GROUP_ID == GROUP_WORLD + 1, "other groups follow these");

static const struct {
	const char *name, *description;
	OTF2_Type type;
} attributes[ATTRIBUTE_COUNT] = {
	[ATTRIBUTE_POSTED_WILDCARD] = {"PostedWildcard", "receive from any source (1), any tag (2)",
				       OTF2_TYPE_UINT8},
	[ATTRIBUTE_IN_PLACE] = {"InPlace", "MPI_IN_PLACE was given", OTF2_TYPE_UINT8},
	[ATTRIBUTE_REDUCE_OPERATION] = {"ReduceOperation", "operation of a reduction",
					OTF2_TYPE_STRING},
	[ATTRIBUTE_SEND_BYTES] = {"SendBytes", "bytes to each rank: BYTES or BYTES*REPEAT, ...",
				  OTF2_TYPE_STRING},
	[ATTRIBUTE_RECEIVE_BYTES] = {"ReceiveBytes",
				     "bytes from each rank: BYTES or BYTES*REPEAT, ...",
				     OTF2_TYPE_STRING},
	[ATTRIBUTE_NEIGHBOURS] = {"Neighbours", "SOURCES;DESTINATIONS: ranks, ...",
				  OTF2_TYPE_STRING},
	[ATTRIBUTE_BYTES] = {"Bytes", "bytes to or from a file, of a message that was found",
			     OTF2_TYPE_UINT64},
	[ATTRIBUTE_COMMUNICATOR] = {"Communicator", "of a message that was found", OTF2_TYPE_COMM},
	[ATTRIBUTE_SOURCE] = {"Source", "of a message that was found", OTF2_TYPE_UINT32},
	[ATTRIBUTE_TAG] = {"Tag", "of a message that was found", OTF2_TYPE_UINT32},
	[ATTRIBUTE_POLLS] = {"Polls", "calls in a row that found nothing, as one",
			     OTF2_TYPE_UINT64},
	[ATTRIBUTE_POLL_GAPS] = {"PollGaps", "time between them: sum in ns", OTF2_TYPE_UINT64},
	[ATTRIBUTE_LEAST_POLL_GAP] = {"LeastPollGap", "time between them: least in ns",
				      OTF2_TYPE_UINT64},
	[ATTRIBUTE_PARTITIONS] = {"Partitions", "of a partitioned message", OTF2_TYPE_UINT64},
	[ATTRIBUTE_PERSISTENT] = {"Persistent",
				  "number of the MPI_..._init of the communicator, from 1",
				  OTF2_TYPE_UINT64},
	[ATTRIBUTE_CALL_SITE] = {"CallSite", "return address: MODULE+0xOFFSET[BUILD-ID]",
				 OTF2_TYPE_STRING},
	[ATTRIBUTE_FOUND] = {"Found", "what a poll below MPI has found, as UCX counts it",
			     OTF2_TYPE_UINT64},
	[ATTRIBUTE_PENDING] = {"Pending", "what was posted below MPI goes on after the call (1)",
			       OTF2_TYPE_UINT8},
};

static const OTF2_RegionRole roles[] = {
	[MPI_ROLE_FUNCTION] = OTF2_REGION_ROLE_FUNCTION,
	[MPI_ROLE_P2P] = OTF2_REGION_ROLE_POINT2POINT,
	[MPI_ROLE_BARRIER] = OTF2_REGION_ROLE_BARRIER,
	[MPI_ROLE_ONE2ALL] = OTF2_REGION_ROLE_COLL_ONE2ALL,
	[MPI_ROLE_ALL2ONE] = OTF2_REGION_ROLE_COLL_ALL2ONE,
	[MPI_ROLE_ALL2ALL] = OTF2_REGION_ROLE_COLL_ALL2ALL,
	[MPI_ROLE_COLL_OTHER] = OTF2_REGION_ROLE_COLL_OTHER,
	[MPI_ROLE_RMA] = OTF2_REGION_ROLE_RMA,
	[MPI_ROLE_ATOMIC] = OTF2_REGION_ROLE_ATOMIC,
	[MPI_ROLE_FILE_IO] = OTF2_REGION_ROLE_FILE_IO,
};

/* State of writing the definitions.  A string is written before the first definition with it. */
struct defining {
	struct trace_writer *writer;
	OTF2_GlobalDefWriter *to;
	const struct trace_definitions *all;
	uint32_t written_strings;
};

/* Find the id of a string, and write the string if it is new. */
static int define_string(struct defining *d, const char *text, uint32_t *id, struct error *err)
{
	TRY(string_table_add(d->all->strings, text, strlen(text), id, err));
	for (; d->written_strings < d->all->strings->starts.count; d->written_strings++)
		TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteString(
			d->to, d->written_strings,
			string_table_get(d->all->strings, d->written_strings)), err));
	return 0;
}

static int define_clock(struct defining *d, struct error *err)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (uint32_t i = 0; i < d->all->rank_count; i++) {
		if (d->all->ranks[i].begin_ns < begin)
			begin = d->all->ranks[i].begin_ns;
		if (d->all->ranks[i].end_ns > end)
			end = d->all->ranks[i].end_ns;
	}
	return trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteClockProperties(
		d->to, 1000000000, begin, end - begin, OTF2_UNDEFINED_TIMESTAMP), err);
}

/* Whether the archive has an attribute.  Archives without it are as those of versions that had none. */
static bool has_attribute(const struct trace_definitions *all, uint32_t attribute)
{
	return attribute < ATTRIBUTE_FOUND || all->has_sites ||
	       (attribute < ATTRIBUTE_CALL_SITE && all->has_below);
}

static int define_paradigm_and_attributes(struct defining *d, struct error *err)
{
	uint32_t name, description;
	OTF2_AttributeValue value;

	TRY(define_string(d, "MPI", &name, err));
	TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteParadigm(
		d->to, OTF2_PARADIGM_MPI, name, OTF2_PARADIGM_CLASS_PROCESS), err));
	TRY(define_string(d, "Comm ${id}", &value.stringRef, err));
	TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteParadigmProperty(
		d->to, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
		OTF2_TYPE_STRING, value), err));
	TRY(define_string(d, "Win ${id}", &value.stringRef, err));
	TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteParadigmProperty(
		d->to, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE,
		OTF2_TYPE_STRING, value), err));
	for (uint32_t i = 0; i < ATTRIBUTE_COUNT; i++) {
		if (!has_attribute(d->all, i))
			continue;
		TRY(define_string(d, attributes[i].name, &name, err));
		TRY(define_string(d, attributes[i].description, &description, err));
		TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteAttribute(
			d->to, i, name, description, attributes[i].type), err));
	}
	return 0;
}

static int define_regions(struct defining *d, struct error *err)
{
	uint32_t name, source;

	TRY(define_string(d, "MPI", &source, err));
	for (uint32_t i = 0; i < MPI_FUNCTION_COUNT; i++) {
		TRY(define_string(d, mpi_functions[i].name, &name, err));
		TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteRegion(
			d->to, i, name, name, 0, roles[mpi_functions[i].role], OTF2_PARADIGM_MPI,
			OTF2_REGION_FLAG_NONE, source, 0, 0), err));
	}
	return 0;
}

static const OTF2_RegionRole below_roles[] = {
	[BELOW_POST] = OTF2_REGION_ROLE_DATA_TRANSFER,
	[BELOW_POLL] = OTF2_REGION_ROLE_FUNCTION,
	[BELOW_FLUSH] = OTF2_REGION_ROLE_FLUSH,
	[BELOW_MEMORY] = OTF2_REGION_ROLE_FUNCTION,
	[BELOW_CONNECTION] = OTF2_REGION_ROLE_FUNCTION,
	[BELOW_REQUEST] = OTF2_REGION_ROLE_FUNCTION,
};

/* Define the functions below MPI: they are of no paradigm that OTF2 knows, so of USER. */
static int define_below(struct defining *d, struct error *err)
{
	uint32_t name, source;

	TRY(define_string(d, TRACE_BELOW_SOURCE, &source, err));
	for (uint32_t i = 0; i < BELOW_FUNCTION_COUNT; i++) {
		if (below_functions[i].kind == BELOW_QUIET)
			continue;
		TRY(define_string(d, below_functions[i].name, &name, err));
		TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteRegion(
			d->to, MPI_FUNCTION_COUNT + i, name, name, 0,
			below_roles[below_functions[i].kind], OTF2_PARADIGM_USER,
			OTF2_REGION_FLAG_NONE, source, 0, 0), err));
	}
	return 0;
}

/* Define a property of a rank, if its value is known. */
static int define_property(struct defining *d, uint32_t rank, const char *property,
			   const char *text, struct error *err)
{
	OTF2_AttributeValue value;
	uint32_t name;

	if (!*text)
		return 0;
	TRY(define_string(d, property, &name, err));
	TRY(define_string(d, text, &value.stringRef, err));
	return trace_writer_check(d->writer,
				  OTF2_GlobalDefWriter_WriteLocationGroupProperty(d->to, rank, name,
										  OTF2_TYPE_STRING,
										  value),
				  err);
}

/* Define the CPUs of a rank, and how often it was preempted. */
static int define_cores(struct defining *d, uint32_t rank, struct error *err)
{
	const struct trace_rank *of = &d->all->ranks[rank];
	char preemptions[PREEMPTIONS_TEXT_BYTES];

	preemptions_write(&of->preemptions, preemptions);
	TRY(define_property(d, rank, TRACE_CPUS_PROPERTY, of->cpus, err));
	return define_property(d, rank, TRACE_PREEMPTIONS_PROPERTY, preemptions, err);
}

/* Define the location group of a rank, on a node, and a location for each of its threads. */
static int define_rank(struct defining *d, uint32_t rank, uint32_t node, struct error *err)
{
	uint32_t name;
	char text[32];

	snprintf(text, sizeof text, "MPI Rank %u", rank);
	TRY(define_string(d, text, &name, err));
	TRY(trace_writer_check(d->writer,
			       OTF2_GlobalDefWriter_WriteLocationGroup(
				       d->to, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
				       OTF2_UNDEFINED_LOCATION_GROUP),
			       err));
	TRY(define_cores(d, rank, err));
	for (uint32_t i = 0; i < d->all->ranks[rank].threads; i++) {
		snprintf(text, sizeof text, i ? "Thread %u" : "Master thread", i);
		TRY(define_string(d, text, &name, err));
		TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteLocation(
			d->to, trace_location_id(rank, i), name, OTF2_LOCATION_TYPE_CPU_THREAD,
			d->all->ranks[rank].events[i], rank), err));
	}
	return 0;
}

/* Define a node for each host, then the ranks. */
static int define_locations(struct defining *d, struct error *err)
{
	struct string_table hosts = {0};
	uint32_t name, class, node;
	int result = -1;

	if (define_string(d, "machine", &name, err) < 0 ||
	    trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteSystemTreeNode(
		    d->to, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE), err) < 0 ||
	    define_string(d, "node", &class, err) < 0)
		goto out;
	for (uint32_t i = 0; i < d->all->rank_count; i++) {
		const char *host = d->all->ranks[i].host;
		uint32_t known = (uint32_t)hosts.starts.count;

		if (string_table_add(&hosts, host, strlen(host), &node, err) < 0)
			goto out;
		if (node == known &&
		    (define_string(d, host, &name, err) < 0 ||
		     trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteSystemTreeNode(
			     d->to, node + 1, name, class, 0), err) < 0))
			goto out;
		if (define_rank(d, i, node + 1, err) < 0)
			goto out;
	}
	result = 0;
out:
	string_table_release(&hosts);
	return result;
}

static int define_group(struct defining *d, uint32_t id, OTF2_GroupType type, const char *text,
			const uint64_t *members, uint32_t count, struct error *err)
{
	uint32_t name;

	TRY(define_string(d, text, &name, err));
	return trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteGroup(
		d->to, id, name, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members),
		err);
}

static int define_world(struct defining *d, struct error *err)
{
	uint32_t count = d->all->rank_count, name;
	uint64_t *members;
	int result;

	TRY(allocate(&members, count, sizeof *members, err));
	for (uint32_t i = 0; i < count; i++)
		members[i] = i;
	result = define_group(d, GROUP_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, "", members,
			      count, err) < 0 ||
		 define_group(d, GROUP_SELF, OTF2_GROUP_TYPE_COMM_SELF, "", NULL, 0, err) < 0 ||
		 define_group(d, GROUP_WORLD, OTF2_GROUP_TYPE_COMM_GROUP, "", members, count,
			      err) < 0 ? -1 : 0;
	free(members);
	TRY(result);
	TRY(define_string(d, "MPI_COMM_WORLD", &name, err));
	TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteComm(
		d->to, COMM_ID_WORLD, name, GROUP_WORLD, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
		err));
	TRY(define_string(d, "MPI_COMM_SELF", &name, err));
	return trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteComm(
		d->to, COMM_ID_SELF, name, GROUP_SELF, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
		err);
}

/* Define the communicators.  Communicators with equal members in sequence share a group. */
static int define_comms(struct defining *d, struct error *err)
{
	uint32_t groups = FIRST_OWN_GROUP_ID + d->all->group_count, shared = 0, name;
	const struct trace_comm_definition *last = NULL;

	for (uint32_t i = 0; i < d->all->comm_count; i++) {
		const struct trace_comm_definition *comm = &d->all->comms[i];
		uint32_t id = FIRST_OWN_COMM_ID + i;

		if (!last || last->member_count != comm->member_count ||
		    memcmp(last->members, comm->members,
			   comm->member_count * sizeof *comm->members) != 0) {
			shared = groups++;
			TRY(define_group(d, shared, OTF2_GROUP_TYPE_COMM_GROUP, "", comm->members,
					 comm->member_count, err));
		}
		last = comm;
		TRY(define_string(d, comm->name, &name, err));
		if (comm->remote_members) {
			TRY(define_group(d, groups, OTF2_GROUP_TYPE_COMM_GROUP, "",
					 comm->remote_members, comm->remote_member_count, err));
			TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteInterComm(
				d->to, id, name, shared, groups++, comm->parent,
				OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS), err));
		} else {
			TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteComm(
				d->to, id, name, shared, comm->parent,
				OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS), err));
		}
	}
	return 0;
}

static int define_groups(struct defining *d, struct error *err)
{
	for (uint32_t i = 0; i < d->all->group_count; i++)
		TRY(define_group(d, FIRST_OWN_GROUP_ID + i, OTF2_GROUP_TYPE_COMM_GROUP, "",
				 d->all->groups[i].members, d->all->groups[i].member_count, err));
	return 0;
}

static int define_windows(struct defining *d, struct error *err)
{
	uint32_t name;

	for (uint32_t i = 0; i < d->all->window_count; i++) {
		TRY(define_string(d, d->all->windows[i].name, &name, err));
		TRY(trace_writer_check(d->writer, OTF2_GlobalDefWriter_WriteRmaWin(
			d->to, i, name, d->all->windows[i].comm,
			OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS), err));
	}
	return 0;
}

int trace_writer_define(struct trace_writer *writer, const struct trace_definitions *definitions,
			struct error *err)
{
	struct defining d = {.writer = writer, .all = definitions};
	uint32_t empty;

	d.to = OTF2_Archive_GetGlobalDefWriter(writer->archive);
	if (!d.to)
		return error_set(err, STATUS_SYSTEM, "%s: OTF2 cannot write definitions",
				 writer->directory);
	TRY(define_string(&d, "", &empty, err));
	TRY(define_clock(&d, err));
	TRY(define_paradigm_and_attributes(&d, err));
	TRY(define_regions(&d, err));
	if (definitions->has_below)
		TRY(define_below(&d, err));
	TRY(define_locations(&d, err));
	TRY(define_world(&d, err));
	TRY(define_groups(&d, err));
	TRY(define_comms(&d, err));
	TRY(define_windows(&d, err));
	TRY(trace_writer_check(writer, OTF2_Archive_CloseGlobalDefWriter(writer->archive, d.to),
			       err));
	TRY(trace_writer_check(writer, OTF2_Archive_SetCreator(
		writer->archive, PROJECT_NAME " " PROJECT_VERSION), err));
	TRY(trace_writer_check(writer, OTF2_Archive_SetProperty(
		writer->archive, "LLAMP::CONVENTIONS", "1", true), err));
	return trace_writer_check(writer, OTF2_Archive_SetBoolProperty(
		writer->archive, "OTF2::MPI_COMMUNICATION_COMPLETE", definitions->complete, true),
		err);
}

int trace_writer_property(struct trace_writer *writer, const char *name, const char *value,
			  struct error *err)
{
	char full[256];

	if (!*value)
		return 0;
	snprintf(full, sizeof full, "LLAMP::%s", name);
	return trace_writer_check(writer, OTF2_Archive_SetProperty(writer->archive, full, value,
								   true), err);
}

static int write_map(struct trace_writer *writer, OTF2_DefWriter *to, OTF2_MappingType type,
		     const uint32_t *ids, size_t count, struct error *err)
{
	OTF2_IdMap *map;
	int result;

	if (!count)
		return 0;
	map = OTF2_IdMap_CreateFromUint32Array(count, ids, false);
	if (!map)
		return error_set_memory(err, count * sizeof *ids);
	result = trace_writer_check(writer, OTF2_DefWriter_WriteMappingTable(to, type, map), err);
	OTF2_IdMap_Free(map);
	return result;
}

/* Write two points of the clock, or none: OTF2 ignores a single point. */
static int write_clock(struct trace_writer *writer, OTF2_DefWriter *to, struct error *err)
{
	const struct clock_point *points = writer->clock.points;

	if (points[1].time_ns <= points[0].time_ns)
		return 0;
	for (int i = 0; i < 2; i++)
		TRY(trace_writer_check(writer, OTF2_DefWriter_WriteClockOffset(
			to, points[i].time_ns, points[i].offset_ns, points[i].deviation_ns), err));
	return 0;
}

static int map_thread(struct trace_writer *writer, uint32_t thread, const struct trace_maps *maps,
		      struct error *err)
{
	OTF2_DefWriter *to = OTF2_Archive_GetDefWriter(
		writer->archive, trace_location_id(writer->place.rank, thread));

	if (!to)
		return error_set(err, STATUS_SYSTEM, "%s: OTF2 cannot write definitions",
				 writer->directory);
	TRY(write_clock(writer, to, err));
	TRY(write_map(writer, to, OTF2_MAPPING_STRING, maps->strings,
		      writer->strings.starts.count, err));
	TRY(write_map(writer, to, OTF2_MAPPING_GROUP, maps->groups, maps->group_count, err));
	TRY(write_map(writer, to, OTF2_MAPPING_COMM, maps->comms, maps->comm_count, err));
	TRY(write_map(writer, to, OTF2_MAPPING_RMA_WIN, maps->windows, maps->window_count, err));
	return trace_writer_check(writer, OTF2_Archive_CloseDefWriter(writer->archive, to), err);
}

int trace_writer_map(struct trace_writer *writer, const struct trace_maps *maps, struct error *err)
{
	TRY(trace_writer_check(writer, OTF2_Archive_OpenDefFiles(writer->archive), err));
	for (uint32_t i = 0; i < writer->place.threads; i++)
		TRY(map_thread(writer, i, maps, err));
	return trace_writer_check(writer, OTF2_Archive_CloseDefFiles(writer->archive), err);
}
