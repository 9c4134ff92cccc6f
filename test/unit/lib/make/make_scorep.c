#include "test/unit/lib/make/make_scorep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
			    void *caller, bool final)
{
	(void)data, (void)type, (void)location, (void)caller, (void)final;
	return OTF2_FLUSH;
}

uint32_t scorep_string(struct scorep *scorep, const char *string)
{
	for (uint32_t i = 0; i < scorep->string_count; i++)
		if (!strcmp(scorep->strings[i], string))
			return i;
	assert_in_range(scorep->string_count, 0, SCOREP_STRINGS - 1);
	scorep->strings[scorep->string_count] = string;
	return scorep->string_count++;
}

uint32_t scorep_region(struct scorep *scorep, const char *name)
{
	uint32_t string = scorep_string(scorep, name);

	for (uint32_t i = 0; i < scorep->region_count; i++)
		if (scorep->regions[i] == string)
			return i;
	scorep->regions[scorep->region_count] = string;
	return scorep->region_count++;
}

void scorep_begin(struct scorep *scorep, const char *path, uint32_t ranks)
{
	static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = flush};

	scorep->ranks = ranks;
	if (!scorep->ticks_per_second)
		scorep->ticks_per_second = 1000000000;
	scorep->archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE,
					    OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MIN,
					    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	assert_non_null(scorep->archive);
	MUST(OTF2_Archive_SetCreator(scorep->archive, "Score-P 8.4"));
	MUST(OTF2_Archive_SetFlushCallbacks(scorep->archive, &flush_callbacks, NULL));
	MUST(OTF2_Archive_SetSerialCollectiveCallbacks(scorep->archive));
	MUST(OTF2_Archive_OpenEvtFiles(scorep->archive));
	scorep_string(scorep, "");
	scorep_region(scorep, "MEASUREMENT OFF");
	scorep_region(scorep, "TRACE BUFFER FLUSH");
}

void scorep_location(struct scorep *scorep, uint64_t id, OTF2_LocationType type, uint32_t group)
{
	assert_in_range(scorep->location_count, 0, SCOREP_LOCATIONS - 1);
	scorep->locations[scorep->location_count] =
		(struct scorep_location){.id = id, .type = type, .group = group};
	scorep->writer = OTF2_Archive_GetEvtWriter(scorep->archive, id);
	assert_non_null(scorep->writer);
}

void scorep_location_end(struct scorep *scorep)
{
	MUST(OTF2_EvtWriter_GetNumberOfEvents(
		scorep->writer, &scorep->locations[scorep->location_count++].events));
	MUST(OTF2_Archive_CloseEvtWriter(scorep->archive, scorep->writer));
}

void scorep_enter(struct scorep *scorep, uint64_t ticks, const char *name)
{
	scorep->time += ticks;
	MUST(OTF2_EvtWriter_Enter(scorep->writer, NULL, scorep->time, scorep_region(scorep, name)));
}

void scorep_leave(struct scorep *scorep, uint64_t ticks, const char *name)
{
	scorep->time += ticks;
	MUST(OTF2_EvtWriter_Leave(scorep->writer, NULL, scorep->time, scorep_region(scorep, name)));
}

void scorep_rank(struct scorep *scorep, uint32_t rank)
{
	scorep_location(scorep, rank, OTF2_LOCATION_TYPE_CPU_THREAD, rank);
	scorep->time = 1000;
	MUST(OTF2_EvtWriter_ProgramBegin(scorep->writer, NULL, scorep->time,
					 scorep_string(scorep, "./app"), 0, NULL));
	scorep_enter(scorep, 10, "int main(int, char**)");
	scorep_enter(scorep, 10, "MPI_Init_thread");
	scorep->time = 10000;
	scorep_leave(scorep, 0, "MPI_Init_thread");
}

void scorep_rank_end(struct scorep *scorep)
{
	scorep_enter(scorep, 1000, "MPI_Finalize");
	scorep_leave(scorep, 1000, "MPI_Finalize");
	scorep_leave(scorep, 10, "int main(int, char**)");
	MUST(OTF2_EvtWriter_ProgramEnd(scorep->writer, NULL, scorep->time, 0));
	scorep_location_end(scorep);
}

void scorep_send(struct scorep *scorep, uint32_t comm, uint32_t peer, uint32_t tag)
{
	scorep_enter(scorep, 1000, "MPI_Send");
	MUST(OTF2_EvtWriter_MpiSend(scorep->writer, NULL, scorep->time + 10, peer, comm, tag, 64));
	scorep_leave(scorep, 500, "MPI_Send");
}

void scorep_receive(struct scorep *scorep, uint32_t comm, uint32_t peer, uint32_t tag)
{
	scorep_enter(scorep, 1000, "MPI_Recv");
	MUST(OTF2_EvtWriter_MpiRecv(scorep->writer, NULL, scorep->time + 490, peer, comm, tag, 64));
	scorep_leave(scorep, 500, "MPI_Recv");
}

static void define_local(struct scorep *scorep, uint64_t location)
{
	const uint64_t comms[] = {1, 2, 0, 3, 4, 5, 6};
	OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(scorep->archive, location);
	OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(sizeof comms / sizeof *comms, comms,
							   false);

	assert_non_null(writer);
	MUST(OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_COMM, map));
	OTF2_IdMap_Free(map);
	if (scorep->define_local)
		scorep->define_local(scorep, writer, location);
	MUST(OTF2_Archive_CloseDefWriter(scorep->archive, writer));
}

static void define_groups(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	const OTF2_Paradigm mpi = OTF2_PARADIGM_MPI, system = OTF2_PARADIGM_MEASUREMENT_SYSTEM;
	const OTF2_GroupFlag none = OTF2_GROUP_FLAG_NONE;
	uint64_t members[SCOREP_LOCATIONS];

	for (uint32_t i = 0; i < SCOREP_LOCATIONS; i++)
		members[i] = i;
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, mpi,
					     none, scorep->ranks, members));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 1, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, system,
					     none, scorep->ranks, members));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP, system, none,
					     scorep->ranks, members));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 3, 0, OTF2_GROUP_TYPE_COMM_SELF, mpi, none, 0,
					     NULL));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 4, 0, OTF2_GROUP_TYPE_COMM_GROUP, mpi, none,
					     scorep->ranks, members));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, 0, scorep_string(scorep, "Process x Threads"),
					    2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, 1, scorep_string(scorep, "MPI_COMM_WORLD"), 4,
					    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, 2, scorep_string(scorep, "MPI_COMM_SELF"), 3,
					    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void define_places(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	MUST(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, scorep_string(scorep, "node"),
						      scorep_string(scorep, "node"),
						      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t i = 0; i < scorep->ranks; i++)
		MUST(OTF2_GlobalDefWriter_WriteLocationGroup(
			writer, i, scorep_string(scorep, "MPI Rank"),
			OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
	for (uint32_t i = 0; i < scorep->location_count; i++)
		MUST(OTF2_GlobalDefWriter_WriteLocation(
			writer, scorep->locations[i].id, scorep_string(scorep, "Master thread"),
			scorep->locations[i].type,
			scorep->state_events ? scorep->state_events(scorep->locations[i].events) :
					       scorep->locations[i].events,
			scorep->locations[i].group));
}

static void define_regions(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	for (uint32_t i = 0; i < scorep->region_count; i++) {
		uint32_t name = scorep->regions[i];
		bool mpi = !strncmp(scorep->strings[name], "MPI_", 4);

		MUST(OTF2_GlobalDefWriter_WriteRegion(
			writer, i, name, name, 0, OTF2_REGION_ROLE_FUNCTION,
			mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE, 0,
			0,
			0));
	}
}

void scorep_end(struct scorep *scorep)
{
	OTF2_GlobalDefWriter *writer;

	MUST(OTF2_Archive_CloseEvtFiles(scorep->archive));
	if (!scorep->no_local_definitions) {
		MUST(OTF2_Archive_OpenDefFiles(scorep->archive));
		for (uint32_t i = 0; i < scorep->location_count; i++)
			define_local(scorep, scorep->locations[i].id);
		MUST(OTF2_Archive_CloseDefFiles(scorep->archive));
	}
	writer = OTF2_Archive_GetGlobalDefWriter(scorep->archive);
	assert_non_null(writer);
	MUST(OTF2_GlobalDefWriter_WriteClockProperties(writer, scorep->ticks_per_second, 0, 1 << 30,
						       OTF2_UNDEFINED_TIMESTAMP));
	define_places(scorep, writer);
	define_regions(scorep, writer);
	define_groups(scorep, writer);
	if (scorep->define)
		scorep->define(scorep, writer);
	/* Strings may be last: definitions refer to them by id. */
	for (uint32_t i = 0; i < scorep->string_count; i++)
		MUST(OTF2_GlobalDefWriter_WriteString(writer, i, scorep->strings[i]));
	MUST(OTF2_Archive_CloseGlobalDefWriter(scorep->archive, writer));
	MUST(OTF2_Archive_Close(scorep->archive));
}
