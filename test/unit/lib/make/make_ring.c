#include "test/unit/lib/make/make_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call) assert_int_equal((call), OTF2_SUCCESS)

static const char *const strings[] = {
	"", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce", "MPI_Ibarrier",
	"MPI_COMM_WORLD", NULL
};
enum { ISEND = 1, IRECV, WAITALL, ALLREDUCE, IBARRIER, REGIONS, WORLD_NAME = 6 };
enum { EVEN, ODD, WORLD };	/* communicators, and groups */

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
			    void *caller, bool final)
{
	(void)data, (void)type, (void)location, (void)caller, (void)final;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp write_messages(OTF2_EvtWriter *writer, const struct ring *ring, uint32_t rank,
				     uint32_t round, OTF2_TimeStamp now)
{
	const uint32_t next = (rank + 1) % ring->ranks,
		       before = (rank + ring->ranks - 1) % ring->ranks;
	const bool barrier = round % 8 == 0;
	const uint32_t tag = round % 5;

	MUST(OTF2_EvtWriter_Enter(writer, NULL, now, ISEND));
	MUST(OTF2_EvtWriter_MpiIsend(writer, NULL, now, next, WORLD, tag, 64, 2 * round));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, now + 200, ISEND));
	MUST(OTF2_EvtWriter_Enter(writer, NULL, now + 300, IRECV));
	MUST(OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, now + 400, 2 * round + 1));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, now + 400, IRECV));
	if (barrier) {
		MUST(OTF2_EvtWriter_Enter(writer, NULL, now + 500, IBARRIER));
		MUST(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, NULL, now + 600,
								 UINT64_C(1) << 40));
		MUST(OTF2_EvtWriter_Leave(writer, NULL, now + 600, IBARRIER));
	}
	MUST(OTF2_EvtWriter_Enter(writer, NULL, now + 700, WAITALL));
	MUST(OTF2_EvtWriter_MpiIrecv(writer, NULL, now + 900, before, WORLD, tag, 64,
				     2 * round + 1));
	MUST(OTF2_EvtWriter_MpiIsendComplete(writer, NULL, now + 900, 2 * round));
	if (barrier)
		MUST(OTF2_EvtWriter_NonBlockingCollectiveComplete(
			writer, NULL, now + 900, OTF2_COLLECTIVE_OP_BARRIER, WORLD,
			OTF2_UNDEFINED_UINT32, 0, 0, UINT64_C(1) << 40));
	MUST(OTF2_EvtWriter_Leave(writer, NULL, now + 1000, WAITALL));
	return now + 1000;
}

static void write_rank(OTF2_EvtWriter *writer, const struct ring *ring, uint32_t rank)
{
	const uint32_t of_half = (ring->ranks + (rank % 2 == 0)) / 2;
	OTF2_TimeStamp now = 1000;

	if (rank >= ring->damaged_from && rank < ring->damaged_to)
		MUST(OTF2_EvtWriter_Leave(writer, NULL, now, ISEND));
	for (uint32_t round = 0; round < ring->rounds; round++) {
		now = write_messages(writer, ring, rank, round, now + 100 + (rank + round) % 7);
		if (round % 4)
			continue;
		MUST(OTF2_EvtWriter_Enter(writer, NULL, now + 50, ALLREDUCE));
		MUST(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, now + 50));
		MUST(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, now + 500,
						     OTF2_COLLECTIVE_OP_ALLREDUCE,
						     rank % 2 ? ODD : EVEN, OTF2_UNDEFINED_UINT32,
						     8 * of_half, 8 * of_half));
		MUST(OTF2_EvtWriter_Leave(writer, NULL, now + 500, ALLREDUCE));
		now += 500;
	}
}

static void write_groups(OTF2_GlobalDefWriter *writer, const struct ring *ring)
{
	uint64_t *members = calloc(ring->ranks, sizeof *members);
	const OTF2_GroupFlag none = OTF2_GROUP_FLAG_NONE;

	assert_non_null(members);
	for (uint32_t half = EVEN; half <= ODD; half++) {
		uint32_t count = 0;

		for (uint32_t rank = half; rank < ring->ranks; rank += 2)
			members[count++] = rank;
		MUST(OTF2_GlobalDefWriter_WriteGroup(writer, half, 0, OTF2_GROUP_TYPE_COMM_GROUP,
						     OTF2_PARADIGM_MPI, none, count, members));
	}
	for (uint32_t rank = 0; rank < ring->ranks; rank++)
		members[rank] = rank;
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, WORLD, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
					     OTF2_PARADIGM_MPI, none, ring->ranks, members));
	for (uint32_t comm = EVEN; comm <= WORLD; comm++)
		MUST(OTF2_GlobalDefWriter_WriteComm(writer, comm, comm == WORLD ? WORLD_NAME : 0,
						    comm, OTF2_UNDEFINED_COMM,
						    OTF2_COMM_FLAG_NONE));
	free(members);
}

static void write_definitions(OTF2_Archive *archive, const struct ring *ring,
			      const uint64_t *events)
{
	OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);

	assert_non_null(writer);
	MUST(OTF2_GlobalDefWriter_WriteClockProperties(writer, UINT64_C(1000000000), 500,
						       1000000000, OTF2_UNDEFINED_TIMESTAMP));
	for (uint32_t i = 0; strings[i]; i++)
		MUST(OTF2_GlobalDefWriter_WriteString(writer, i, strings[i]));
	for (uint32_t i = ISEND; i < REGIONS; i++)
		MUST(OTF2_GlobalDefWriter_WriteRegion(writer, i, i, i, 0, OTF2_REGION_ROLE_FUNCTION,
						      OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0,
						      0, 0));
	MUST(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, 0,
						      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	MUST(OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS,
						     0, OTF2_UNDEFINED_LOCATION_GROUP));
	for (uint32_t rank = 0; rank < ring->ranks; rank++)
		MUST(OTF2_GlobalDefWriter_WriteLocation(writer, rank, 0,
							OTF2_LOCATION_TYPE_CPU_THREAD,
							events[rank], 0));
	write_groups(writer, ring);
	MUST(OTF2_Archive_CloseGlobalDefWriter(archive, writer));
}

static void write_local_definitions(OTF2_Archive *archive, const struct ring *ring)
{
	MUST(OTF2_Archive_OpenDefFiles(archive));
	for (uint32_t rank = 0; rank < ring->ranks; rank += 2) {
		OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, rank);

		assert_non_null(writer);
		MUST(OTF2_DefWriter_WriteClockOffset(writer, 0, 0, 0));
		MUST(OTF2_Archive_CloseDefWriter(archive, writer));
	}
	MUST(OTF2_Archive_CloseDefFiles(archive));
}

uint64_t make_ring(const char *folder, const char *name, const struct ring *ring)
{
	static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = flush};
	uint64_t *events = calloc(ring->ranks, sizeof *events), sum = 0;
	OTF2_Archive *archive;
	char path[512];

	assert_non_null(events);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
				    OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX,
				    OTF2_COMPRESSION_NONE);
	assert_non_null(archive);
	MUST(OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL));
	MUST(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
	MUST(OTF2_Archive_OpenEvtFiles(archive));
	for (uint32_t rank = 0; rank < ring->ranks; rank++) {
		OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, rank);

		assert_non_null(writer);
		write_rank(writer, ring, rank);
		MUST(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[rank]));
		MUST(OTF2_Archive_CloseEvtWriter(archive, writer));
		sum += events[rank];
	}
	MUST(OTF2_Archive_CloseEvtFiles(archive));
	write_local_definitions(archive, ring);
	write_definitions(archive, ring, events);
	MUST(OTF2_Archive_Close(archive));
	free(events);
	return sum;
}
