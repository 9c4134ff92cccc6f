/*
 * Read all events of an OTF2 archive with only the OTF2 library, rank by rank:
 * read_events ARCHIVE.  Prints the number of events and the time in ns.
 * This is the minimum work of a reader of traces.
 */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp when,
				  uint64_t position, void *sum, OTF2_AttributeList *attributes,
				  OTF2_RegionRef region)
{
	(void)location, (void)position, (void)attributes;
	*(uint64_t *)sum += when ^ region;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_message(OTF2_LocationRef location, OTF2_TimeStamp when,
				    uint64_t position, void *sum, OTF2_AttributeList *attributes,
				    uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
	(void)location, (void)position, (void)attributes;
	*(uint64_t *)sum += when ^ peer ^ comm ^ tag ^ bytes;
	return OTF2_CALLBACK_SUCCESS;
}

static void must(OTF2_ErrorCode code, const char *what)
{
	if (code == OTF2_SUCCESS)
		return;
	fprintf(stderr, "read_events: %s: %s\n", what, OTF2_Error_GetDescription(code));
	exit(1);
}

int main(int argc, char **argv)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_Reader *reader = argc > 1 ? OTF2_Reader_Open(argv[1]) : NULL;
	uint64_t locations, events = 0, sum = 0;
	struct timespec start, end;

	if (!reader)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &start);
	must(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "collectives");
	must(OTF2_Reader_GetNumberOfLocations(reader, &locations), "locations");
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_message);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_message);
	for (uint64_t location = 0; location < locations; location++)
		must(OTF2_Reader_SelectLocation(reader, location), "select");
	must(OTF2_Reader_OpenEvtFiles(reader), "open");
	for (uint64_t location = 0; location < locations; location++) {
		OTF2_EvtReader *local = OTF2_Reader_GetEvtReader(reader, location);
		uint64_t count;

		must(OTF2_Reader_RegisterEvtCallbacks(reader, local, callbacks, &sum), "callbacks");
		must(OTF2_Reader_ReadAllLocalEvents(reader, local, &count), "read");
		events += count;
		must(OTF2_Reader_CloseEvtReader(reader, local), "close");
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%llu %.0f\n", (unsigned long long)events,
	       (end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec));
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	OTF2_Reader_Close(reader);
	return sum == 1;	/* so that the sum is needed */
}
