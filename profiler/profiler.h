/* State of the profiler in this process. */
#ifndef PROFILER_PROFILER_H
#define PROFILER_PROFILER_H

#include "common/machine/ticks.h"
#include "profiler/settings.h"

struct profiler {
	struct settings settings;
	bool off;		  /* nothing is recorded, and ranks do not communicate */
	bool excluded;		  /* this rank counts nothing, but takes part at the end */
	struct ticks_point load;  /* when this library was loaded */
	struct ticks_point begin; /* when recording began, at the end of MPI_Init */
	uint64_t start_unix_ns;	  /* the same by the calendar */
};
extern struct profiler profiler __attribute__((visibility("hidden")));

#endif
