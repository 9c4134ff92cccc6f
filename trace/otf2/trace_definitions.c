/* Reading the global definitions of an archive into tables by id. */
#include "trace/otf2/trace_index.h"

#include <string.h>

/* Ids are nearly dense: limit them to FEW_IDS and IDS_PER_DEFINITION for each definition. */
enum { FEW_IDS = 1 << 16, IDS_PER_DEFINITION = 64 };

/* State shared by the callbacks; OTF2 does not pass errors on. */
struct reading {
	struct trace_index *index;
	struct error *err;
	bool failed;
	uint32_t most_ids;     /* all ids are below this */
	uint64_t count, given; /* definitions in the archive; delivered so far */
};

/*
 * Store `value` under `id` in an array.  Undefined ids have values of zero bytes.
 */
#define store(reading, array, id, value)                                                      \
	(grow_to((reading), (id)) < 0 ||                                                      \
			 array_reserve((array),                                               \
				       (id) < (array)->count ? 0 : (id) + 1 - (array)->count, \
				       (reading)->err) < 0                                    \
		 ? stop(reading)                                                              \
		 : (clear_to((void *)(array)->items, &(array)->count, (id),                   \
			     sizeof *(array)->items),                                         \
		    (array)->items[id] = (value), OTF2_CALLBACK_SUCCESS))

static OTF2_CallbackCode stop(struct reading *reading)
{
	reading->failed = true;
	return OTF2_CALLBACK_INTERRUPT;
}

/*
 * Count a definition.  False with the error set if it exceeds the number in the archive: damage can
 * make OTF2 deliver the same definitions again and again.
 */
static bool arrives(struct reading *reading)
{
	if (++reading->given <= reading->count)
		return true;
	error_set(reading->err, STATUS_DATA, "global definitions are damaged: more than %llu",
		  (unsigned long long)reading->count);
	return false;
}

static int grow_to(struct reading *reading, uint32_t id)
{
	if (id < reading->most_ids)
		return 0;
	return error_set(reading->err, STATUS_LIMIT,
			 "a definition has the number %u; the limit is %u", id, reading->most_ids);
}

static void clear_to(void *items, size_t *count, uint32_t id, size_t item_bytes)
{
	if (id < *count)
		return;
	memset((char *)items + *count * item_bytes, 0, (id + 1 - *count) * item_bytes);
	*count = (size_t)id + 1;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string)
{
	struct reading *reading = data;
	struct trace_index *index = reading->index;
	size_t bytes = strlen(string) + 1;
	uint64_t place = index->text.count + 1;

	if (!arrives(reading) || array_reserve(&index->text, bytes, reading->err) < 0)
		return stop(reading);
	memcpy(index->text.items + index->text.count, string, bytes);
	index->text.count += bytes;
	return store(reading, &index->strings, self, place);
}

static enum openmp_region openmp_region_of(OTF2_RegionRole role)
{
	switch (role) {
	case OTF2_REGION_ROLE_PARALLEL:
		return OPENMP_PARALLEL;
	case OTF2_REGION_ROLE_BARRIER:
	case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
	case OTF2_REGION_ROLE_TASK_WAIT:
		return OPENMP_WAIT;
	case OTF2_REGION_ROLE_TASK:
	case OTF2_REGION_ROLE_TASK_UNTIED:
		return OPENMP_TASK;
	case OTF2_REGION_ROLE_CRITICAL:
		return OPENMP_CRITICAL;
	case OTF2_REGION_ROLE_CRITICAL_SBLOCK:
		return OPENMP_CRITICAL_INSIDE;
	default:
		return OPENMP_NONE;
	}
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
				   OTF2_StringRef canonical_name, OTF2_StringRef description,
				   OTF2_RegionRole role, OTF2_Paradigm paradigm,
				   OTF2_RegionFlag flags, OTF2_StringRef source_file,
				   uint32_t first_line, uint32_t last_line)
{
	struct reading *reading = data;
	struct trace_region region = {.name = name,
				      .defined = true,
				      .mpi = paradigm == OTF2_PARADIGM_MPI};

	(void)canonical_name, (void)description, (void)flags, (void)source_file;
	(void)first_line, (void)last_line;
	if (paradigm == OTF2_PARADIGM_OPENMP)
		region.openmp = (uint8_t)openmp_region_of(role);
	if (region.openmp == OPENMP_PARALLEL)
		reading->index->world.has_openmp = true;
	return store(reading, &reading->index->regions, self, region);
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
				  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
				  uint32_t count, const uint64_t *members)
{
	struct reading *reading = data;
	struct trace_index *index = reading->index;
	struct trace_group group = {.first = index->members.count,
				    .count = count,
				    .type = type,
				    .defined = true,
				    .mpi = paradigm == OTF2_PARADIGM_MPI,
				    .of_locations = flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS};

	(void)name;
	if (group.mpi) {
		if (!arrives(reading) || array_reserve(&index->members, count, reading->err) < 0)
			return stop(reading);
		for (uint32_t i = 0; i < count; i++)
			index->members.items[index->members.count++] = members[i];
	}
	return store(reading, &index->groups, self, group);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
				 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct reading *reading = data;
	struct trace_index_comm comm = {.name = name, .group = group, .defined = true};

	(void)parent, (void)flags;
	return store(reading, &reading->index->comm_definitions, self, comm);
}

static OTF2_CallbackCode on_inter_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
				       OTF2_GroupRef group_a, OTF2_GroupRef group_b,
				       OTF2_CommRef common, OTF2_CommFlag flags)
{
	struct reading *reading = data;
	struct trace_index_comm comm = {.name = name,
					.group = group_a,
					.remote_group = group_b,
					.defined = true,
					.inter = true};

	(void)common, (void)flags;
	return store(reading, &reading->index->comm_definitions, self, comm);
}

static OTF2_CallbackCode on_window_definition(void *data, OTF2_RmaWinRef self, OTF2_StringRef name,
					      OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
	struct reading *reading = data;
	struct trace_index_window window = {.name = name, .comm = comm, .defined = true};

	(void)flags;
	return store(reading, &reading->index->window_definitions, self, window);
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
				     OTF2_LocationType type, uint64_t events,
				     OTF2_LocationGroupRef group)
{
	struct reading *reading = data;
	struct trace_location location = {.id = self,
					  .events = events,
					  .group = group,
					  .thread = type == OTF2_LOCATION_TYPE_CPU_THREAD};

	(void)name;
	if (!arrives(reading) || array_push(&reading->index->locations, location, reading->err) < 0)
		return stop(reading);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_tree_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
				      OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
	struct reading *reading = data;
	struct trace_tree_node node = {.name = name,
				       .class = class,
				       .parent = parent,
				       .defined = true};

	return store(reading, &reading->index->tree_nodes, self, node);
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self,
					   OTF2_StringRef name, OTF2_LocationGroupType type,
					   OTF2_SystemTreeNodeRef parent,
					   OTF2_LocationGroupRef creator)
{
	struct reading *reading = data;

	(void)name, (void)type, (void)creator;
	return store(reading, &reading->index->location_groups, self, parent + 1);
}

static OTF2_CallbackCode on_group_property(void *data, OTF2_LocationGroupRef group,
					   OTF2_StringRef name, OTF2_Type type,
					   OTF2_AttributeValue value)
{
	struct reading *reading = data;
	const struct trace_index_property property = {group, name, value.stringRef};

	if (!arrives(reading) ||
	    (type == OTF2_TYPE_STRING &&
	     array_push(&reading->index->properties, property, reading->err) < 0))
		return stop(reading);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
				      OTF2_StringRef description, OTF2_Type type)
{
	struct reading *reading = data;

	(void)description, (void)type;
	return store(reading, &reading->index->attributes, self, name + 1);
}

static OTF2_CallbackCode on_clock(void *data, uint64_t ticks_per_second, uint64_t offset,
				  uint64_t length, uint64_t realtime)
{
	struct reading *reading = data;

	(void)length, (void)realtime;
	reading->index->ticks_per_second = ticks_per_second;
	if (ticks_per_second)
		reading->index->world.begin_ns = (uint64_t)((unsigned __int128)offset * 1000000000 /
							    ticks_per_second);
	return OTF2_CALLBACK_SUCCESS;
}

static void set_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks)
{
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
	OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_comm);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_tree_node);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks,
								       on_group_property);
	OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window_definition);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
}

static uint32_t most_ids(OTF2_Reader *reader)
{
	uint64_t definitions = 0;

	OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &definitions);
	return definitions < (TRACE_INDEX_IDS - FEW_IDS) / IDS_PER_DEFINITION
		       ? FEW_IDS + IDS_PER_DEFINITION * (uint32_t)definitions
		       : TRACE_INDEX_IDS;
}

const char *trace_index_string(const struct trace_index *index, uint32_t id)
{
	if (id >= index->strings.count || !index->strings.items[id])
		return NULL;
	return index->text.items + index->strings.items[id] - 1;
}

int trace_index_collect(struct trace_index *index, OTF2_Reader *reader, struct error *err)
{
	struct reading reading = {.index = index, .err = err, .most_ids = most_ids(reader)};
	OTF2_GlobalDefReader *definition_reader = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	uint64_t count = 0;
	OTF2_ErrorCode code = OTF2_ERROR_INVALID_ARGUMENT;

	OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &reading.count);
	if (definition_reader && callbacks) {
		set_callbacks(callbacks);
		code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definition_reader, callbacks,
							      &reading);
		/*
		 * Without a limit the library reads some damaged definitions for ever.  One more
		 * than there are shows whether the file has an end.
		 */
		if (code == OTF2_SUCCESS)
			code = OTF2_Reader_ReadGlobalDefinitions(reader, definition_reader,
								 reading.count + 1, &count);
	}
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	if (definition_reader)
		OTF2_Reader_CloseGlobalDefReader(reader, definition_reader);
	if (reading.failed)
		return -1;
	if (code != OTF2_SUCCESS)
		return error_set(err, STATUS_DATA, "global definitions are damaged after %llu: %s",
				 (unsigned long long)count, OTF2_Error_GetDescription(code));
	if (count < reading.count)
		return error_set(err, STATUS_DATA, "global definitions end after %llu of %llu",
				 (unsigned long long)count, (unsigned long long)reading.count);
	if (!index->ticks_per_second)
		return error_set(err, STATUS_DATA, "the properties of the clock are missing");
	return 0;
}
