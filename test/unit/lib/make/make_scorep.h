/*
 * Archives like those of Score-P, for tests, written with OTF2 itself: locations, groups,
 * communicators and the order of events are Score-P's.
 *
 *	struct scorep scorep = {.define = ...};	(other members have zero bytes)
 *
 *	scorep_begin(&scorep, path, 2);
 *	scorep_rank(&scorep, 0);		(to the end of MPI_Init)
 *	scorep_enter(&scorep, 1000, "MPI_Send");
 *	MUST(OTF2_EvtWriter_MpiSend(scorep.writer, NULL, scorep.time, 1, SCOREP_WORLD, 7, 64));
 *	scorep_leave(&scorep, 500, "MPI_Send");
 *	scorep_rank_end(&scorep);		(MPI_Finalize)
 *	...
 *	scorep_end(&scorep);
 *
 * Rank r is location r.  Events use local ids, which tables in the local definitions map to global
 * ones.  Communicators are SCOREP_WORLD, SCOREP_SELF and those added by `define`, with local ids
 * from SCOREP_OWN on and global ids from SCOREP_GLOBAL_OWN on.
 */
#ifndef TEST_MAKE_SCOREP_H
#define TEST_MAKE_SCOREP_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#define MUST(call) assert_int_equal((call), OTF2_SUCCESS)

enum { SCOREP_WORLD = 0, SCOREP_SELF = 1, SCOREP_OWN = 3, SCOREP_GLOBAL_OWN = 3 };
enum { SCOREP_OWN_GROUP = 5 };	/* first id of groups added by `define` */
enum { SCOREP_STRINGS = 64 };
enum { SCOREP_LOCATIONS = 8 };

struct scorep_location {
	uint64_t id, events;
	OTF2_LocationType type;
	uint32_t group;
};

struct scorep {
	/* Set by the caller before scorep_begin. */
	uint64_t ticks_per_second;	/* 0: 10^9 */
	bool no_local_definitions;
	uint64_t (*state_events)(uint64_t events);	/* in definitions of locations, or NULL */
	void (*define)(struct scorep *scorep, OTF2_GlobalDefWriter *writer);	/* or NULL */
	void (*define_local)(struct scorep *scorep, OTF2_DefWriter *writer, uint64_t location);

	OTF2_Archive *archive;
	uint32_t ranks;
	OTF2_EvtWriter *writer;		/* of the current location */
	uint64_t time;			/* of the last event */
	const char *strings[SCOREP_STRINGS];
	uint32_t string_count;
	uint32_t regions[SCOREP_STRINGS];	/* string of each region */
	uint32_t region_count;
	struct scorep_location locations[SCOREP_LOCATIONS];
	uint32_t location_count;
};

void scorep_begin(struct scorep *scorep, const char *path, uint32_t ranks);

/* Find or add a string, which must stay valid, or a region.  Returns its id. */
uint32_t scorep_string(struct scorep *scorep, const char *string);
uint32_t scorep_region(struct scorep *scorep, const char *name);

/* Begin and end another location. */
void scorep_location(struct scorep *scorep, uint64_t id, OTF2_LocationType type, uint32_t group);
void scorep_location_end(struct scorep *scorep);

/* Begin a rank, with main and MPI_Init (to time 10000); end it with MPI_Finalize. */
void scorep_rank(struct scorep *scorep, uint32_t rank);
void scorep_rank_end(struct scorep *scorep);

/* Enter or leave a region, `ticks` after the last event. */
void scorep_enter(struct scorep *scorep, uint64_t ticks, const char *name);
void scorep_leave(struct scorep *scorep, uint64_t ticks, const char *name);

/*
 * Write a message of 64 bytes, 1000 after the last event, in a call of 500.  The record is at the
 * begin of a send, and at the end of a receive.
 */
void scorep_send(struct scorep *scorep, uint32_t comm, uint32_t peer, uint32_t tag);
void scorep_receive(struct scorep *scorep, uint32_t comm, uint32_t peer, uint32_t tag);

/* Write the definitions, and close. */
void scorep_end(struct scorep *scorep);

#endif
