/* State of the profiler in this process. */
#ifndef PROFILER_PROFILER_H
#define PROFILER_PROFILER_H

#include "common/machine/ticks.h"
#include "profiler/places.h"
#include "profiler/settings.h"

struct profiler {
	struct settings settings;
	bool off;		  /* nothing is recorded, and ranks do not communicate */
	bool excluded;		  /* this rank counts nothing, but takes part at the end */
	bool spawned;		  /* by another job */
	struct ticks_point load;  /* when this library was loaded */
	struct ticks_point begin; /* when recording began, at the end of MPI_Init */
	struct run_name name;	  /* that of rank 0 if ranks began together */
	char step[16];		  /* its process id */
};
extern struct profiler profiler __attribute__((visibility("hidden")));

#endif
