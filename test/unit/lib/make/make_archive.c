#include "test/unit/lib/make/make_archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(call) assert_int_equal((call), OTF2_SUCCESS)

/* Ignore leaks of the OTF2 library, which leaks memory when opening an archive fails. */
#ifdef __SANITIZE_ADDRESS__
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libopen-trace-format2\nleak:libotf2\n";
}
#endif

/* Strings by id; the first regions are named by the first strings. */
static const char *const strings[] = {
	"", "MPI_Isend", "MPI_Wait", "MPI_Allreduce", "MPI_Alltoallv", "main", "MPI_Send",
	"MPI_COMM_WORLD", "turned", "InPlace", "ReceiveBytes", "8,16", "PostedWildcard",
	"MPI_Recv", "ReduceOperation", "MPI_SUM", "8*3", "node", "socket", "CallSite", NULL
};
enum {
	ISEND = 1, WAIT = 2, ALLREDUCE = 3, ALLTOALLV = 4, MAIN = 5, SEND = 6, RECV = 13,
	IN_PLACE = 9, RECEIVE_BYTES = 10, POSTED = 12, OPERATION = 14, NODE = 17, SOCKET = 18,
	CALL_SITE = 19
};

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
			    void *caller, bool final)
{
	(void)data, (void)type, (void)location, (void)caller, (void)final;
	return OTF2_FLUSH;
}

static void write_regions(OTF2_GlobalDefWriter *writer, enum archive_flaw flaw)
{
	static const uint32_t regions[] = {ISEND, WAIT, ALLREDUCE, ALLTOALLV, MAIN, SEND, RECV};

	for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
		uint32_t id = flaw == FLAW_LARGE_ID && !i ? UINT32_MAX - 1 : regions[i];

		MUST(OTF2_GlobalDefWriter_WriteRegion(
			writer, id, regions[i], regions[i], 0, OTF2_REGION_ROLE_FUNCTION,
			regions[i] == MAIN ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
			OTF2_REGION_FLAG_NONE, 0, 0, 0));
	}
}

static void write_comms(OTF2_GlobalDefWriter *writer, enum archive_flaw flaw)
{
	const uint64_t locations[] = {7, 3}, turned[] = {1, 0}, both[] = {0, 1};
	const OTF2_GroupFlag none = OTF2_GROUP_FLAG_NONE;

	if (flaw != FLAW_NO_RANKS)
		MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
						     OTF2_PARADIGM_MPI, none, 2, locations));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 1, 0, OTF2_GROUP_TYPE_COMM_SELF,
					     OTF2_PARADIGM_MPI, none, 0, NULL));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP,
					     OTF2_PARADIGM_MPI, none, 2, turned));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 3, 0, OTF2_GROUP_TYPE_COMM_GROUP,
					     OTF2_PARADIGM_MPI, none, 1, both));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 4, 0, OTF2_GROUP_TYPE_COMM_GROUP,
					     OTF2_PARADIGM_MPI, none, 1, both + 1));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, 5, 0, OTF2_GROUP_TYPE_COMM_GROUP,
					     OTF2_PARADIGM_MPI, none, 2, both));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, 0, 7, 5, OTF2_UNDEFINED_COMM,
					    OTF2_COMM_FLAG_NONE));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, 1, 0, 1, OTF2_UNDEFINED_COMM,
					    OTF2_COMM_FLAG_NONE));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, 2, 8, 2, 0, OTF2_COMM_FLAG_NONE));
	MUST(OTF2_GlobalDefWriter_WriteInterComm(writer, 3, 0, 3, 4, 0, OTF2_COMM_FLAG_NONE));
}

/* Locations: two ranks, a thread of rank 0, and a device of rank 0. */
enum { LOCATIONS = 4 };
static const struct {
	uint64_t id;
	OTF2_LocationType type;
	uint32_t group;
} locations[LOCATIONS] = {
	{7, OTF2_LOCATION_TYPE_CPU_THREAD, 0},
	{3, OTF2_LOCATION_TYPE_CPU_THREAD, 1},
	{9, OTF2_LOCATION_TYPE_CPU_THREAD, 0},
	{8, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0},
};

/*
 * Whether the third location is a thread of rank 0 and the device exists.  Otherwise the third
 * location is in its own group, so that it belongs to no rank.
 */
static bool has_processes(enum archive_flaw flaw)
{
	return flaw == THREADS || flaw == THREAD_CALLS || flaw == FLAW_THREAD_LEAVE;
}

static void write_definitions(OTF2_Archive *archive, const uint64_t events[LOCATIONS],
			      enum archive_flaw flaw)
{
	OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
	bool several = has_processes(flaw);

	assert_non_null(writer);
	if (flaw != FLAW_NO_CLOCK)
		MUST(OTF2_GlobalDefWriter_WriteClockProperties(writer, UINT64_C(2000000000), 0,
							       100000,
							       OTF2_UNDEFINED_TIMESTAMP));
	for (uint32_t i = 0; strings[i]; i++)
		MUST(OTF2_GlobalDefWriter_WriteString(writer, i, strings[i]));
	write_regions(writer, flaw);
	MUST(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, 0,
						      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	/* Two nodes of two sockets.  The processes are on both sockets of the second node. */
	for (uint32_t i = 1; i <= 2; i++)
		MUST(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, i, 0, NODE, 0));
	for (uint32_t i = 3; i <= 6; i++)
		MUST(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, i, 0, SOCKET, (i - 1) / 2));
	for (uint32_t i = 0; i < 3; i++) {
		MUST(OTF2_GlobalDefWriter_WriteLocationGroup(
			writer, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, i % 2 ? 5 : 6,
			OTF2_UNDEFINED_LOCATION_GROUP));
		MUST(OTF2_GlobalDefWriter_WriteLocation(
			writer, locations[i].id, 0, locations[i].type,
			events[i] + (flaw == FLAW_COUNT && !i), several ? locations[i].group : i));
	}
	if (several)
		MUST(OTF2_GlobalDefWriter_WriteLocation(writer, locations[3].id, 0,
							locations[3].type, events[3],
							locations[3].group));
	write_comms(writer, flaw);
	MUST(OTF2_GlobalDefWriter_WriteAttribute(writer, 0, IN_PLACE, 0, OTF2_TYPE_UINT8));
	MUST(OTF2_GlobalDefWriter_WriteAttribute(writer, 1, RECEIVE_BYTES, 0, OTF2_TYPE_STRING));
	MUST(OTF2_GlobalDefWriter_WriteAttribute(writer, 2, POSTED, 0, OTF2_TYPE_UINT8));
	MUST(OTF2_GlobalDefWriter_WriteAttribute(writer, 3, OPERATION, 0, OTF2_TYPE_STRING));
	MUST(OTF2_GlobalDefWriter_WriteAttribute(writer, 4, CALL_SITE, 0, OTF2_TYPE_STRING));
	MUST(OTF2_Archive_CloseGlobalDefWriter(archive, writer));
}

static void write_local_definitions(OTF2_Archive *archive, uint64_t location)
{
	OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location);
	const uint64_t places[] = {0, 1, 2, 3, 4, 2};
	OTF2_IdMap *map;

	assert_non_null(writer);
	if (location == 3) {
		map = OTF2_IdMap_CreateFromUint64Array(6, places, false);
		MUST(OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_COMM, map));
		OTF2_IdMap_Free(map);
		MUST(OTF2_DefWriter_WriteClockOffset(writer, 0, 1000, 0));
		MUST(OTF2_DefWriter_WriteClockOffset(writer, 1000000, 1000, 0));
	}
	MUST(OTF2_Archive_CloseDefWriter(archive, writer));
}

static void write_flaw(OTF2_EvtWriter *writer, enum archive_flaw flaw)
{
	if (flaw == FLAW_LEAVE) {
		MUST(OTF2_EvtWriter_Leave(writer, NULL, 9000, SEND));
	} else if (flaw == FLAW_CROSSED) {
		MUST(OTF2_EvtWriter_Enter(writer, NULL, 9000, SEND));
		MUST(OTF2_EvtWriter_Leave(writer, NULL, 9000, WAIT));
	} else if (flaw == FLAW_OUTSIDE) {
		MUST(OTF2_EvtWriter_MpiSend(writer, NULL, 9000, 1, 0, 1, 1));
	} else if (flaw == FLAW_UNFINISHED) {
		MUST(OTF2_EvtWriter_Enter(writer, NULL, 9000, SEND));
	}
}

/* Write rank 0: Isend, its completion inside main, and an Alltoallv containing a Send. */
static void write_rank_0(OTF2_EvtWriter *writer, enum archive_flaw flaw)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	MUST(OTF2_EvtWriter_Enter(writer, NULL, 100, MAIN));
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 2000, ISEND));
	MUST(OTF2_EvtWriter_MpiIsend(writer, NULL, 2000, 1, 0, 77, 4096, 42));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 2201, ISEND));
	if (flaw == FLAW_SITE)
		OTF2_AttributeList_AddStringRef(list, 4, 1000000);
	MUST(OTF2_EvtWriter_Enter(writer, list, 2400, WAIT));
	MUST(OTF2_EvtWriter_MpiRequestTest(writer, NULL, 2410, 42));
	MUST(OTF2_EvtWriter_MpiIsendComplete(writer, NULL, 2500, 42));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 2500, WAIT));
	MUST(OTF2_EvtWriter_MeasurementOnOff(writer, NULL, 2600, OTF2_MEASUREMENT_OFF));
	MUST(OTF2_EvtWriter_MeasurementOnOff(writer, NULL, 2700, OTF2_MEASUREMENT_ON));
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 3000, ALLTOALLV));
	MUST(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, 3000));
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 3100, SEND));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 3200, SEND));
	OTF2_AttributeList_AddUint8(list, 0, 1);
	OTF2_AttributeList_AddStringRef(list, 1, flaw == FLAW_VECTOR ? 16 : 11);
	MUST(OTF2_EvtWriter_MpiCollectiveEnd(writer, list, 4000, OTF2_COLLECTIVE_OP_ALLTOALLV, 0,
					     OTF2_UNDEFINED_UINT32, 16, 16));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 4000, ALLTOALLV));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 5000, MAIN));
	write_flaw(writer, flaw);
	OTF2_AttributeList_Delete(list);
}

/* Write rank 1: Recv and Allreduce on communicator 2, whose local id is 5. */
static void write_rank_1(OTF2_EvtWriter *writer)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	MUST(OTF2_EvtWriter_Enter(writer, NULL, 1000, RECV));
	OTF2_AttributeList_AddUint8(list, 2, 3);
	MUST(OTF2_EvtWriter_MpiRecv(writer, list, 1500, 1, 5, 9, 8));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 1500, RECV));
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 2000, ALLREDUCE));
	MUST(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, 2000));
	OTF2_AttributeList_AddStringRef(list, 3, 15);
	MUST(OTF2_EvtWriter_MpiCollectiveEnd(writer, list, 3000, OTF2_COLLECTIVE_OP_ALLREDUCE, 5,
					     OTF2_UNDEFINED_UINT32, 16, 16));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 3000, ALLREDUCE));
	OTF2_AttributeList_Delete(list);
}

/* Write a thread, which receives a message while rank 0 does something else. */
static void write_thread(OTF2_EvtWriter *writer, enum archive_flaw flaw)
{
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 5, MAIN));
	if (flaw == FLAW_THREAD_LEAVE)
		MUST(OTF2_EvtWriter_Leave(writer, NULL, 9000, SEND));
	if (flaw != THREAD_CALLS)
		return;
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 2100, RECV));
	MUST(OTF2_EvtWriter_MpiRecv(writer, NULL, 2900, 1, 0, 9, 8));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 2900, RECV));
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 2950, SEND));
	MUST(OTF2_EvtWriter_MpiSend(writer, NULL, 2950, 1, 0, 9, 8));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 6000, SEND));
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 6000, SEND));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, 6002, SEND));
	MUST(OTF2_EvtWriter_Enter(writer, NULL, 6002, SEND));
}

void make_archive(const char *folder, const char *name, enum archive_flaw flaw)
{
	static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = flush};
	uint64_t events[LOCATIONS];
	char path[512];
	OTF2_Archive *archive;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
				    OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX,
				    OTF2_COMPRESSION_NONE);
	assert_non_null(archive);
	MUST(OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL));
	MUST(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
	/* Only the tracer's archives must state the right number of events. */
	if (flaw == FLAW_COUNT)
		MUST(OTF2_Archive_SetProperty(archive, "LLAMP::CONVENTIONS", "1", true));
	MUST(OTF2_Archive_OpenEvtFiles(archive));
	for (int i = 0; i < LOCATIONS - !has_processes(flaw); i++) {
		OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, locations[i].id);

		assert_non_null(writer);
		if (i == 0)
			write_rank_0(writer, flaw);
		else if (i == 1)
			write_rank_1(writer);
		else
			write_thread(writer, i == 2 ? flaw : FLAW_NONE);
		MUST(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[i]));
		MUST(OTF2_Archive_CloseEvtWriter(archive, writer));
	}
	MUST(OTF2_Archive_CloseEvtFiles(archive));
	MUST(OTF2_Archive_OpenDefFiles(archive));
	for (int i = 0; i < LOCATIONS - !has_processes(flaw); i++)
		write_local_definitions(archive, locations[i].id);
	MUST(OTF2_Archive_CloseDefFiles(archive));
	write_definitions(archive, events, flaw);
	MUST(OTF2_Archive_Close(archive));
}

char *make_folder(void)
{
	const char *parent = getenv("TMPDIR");
	char *folder = malloc(512);

	assert_non_null(folder);
	snprintf(folder, 512, "%s/archive.XXXXXX", parent ? parent : "/tmp");
	assert_non_null(mkdtemp(folder));
	return folder;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status, (void)type, (void)place;
	return remove(path);
}

void remove_folder(char *folder)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(folder);
}
