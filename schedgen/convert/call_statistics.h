/* Call statistics: the functions that a trace calls, with number and time of their calls. */
#ifndef SCHEDGEN_CALL_STATISTICS_H
#define SCHEDGEN_CALL_STATISTICS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_functions.h"

#include <stdbool.h>

struct function_statistics {
	struct mpi_function is;		/* with the name in the trace */
	bool is_local;			/* involves no other rank: its time is computation */
	bool is_message;		/* of messages, completions, probes: all are modelled */
	bool has_messages;		/* not in the table, but has records of messages */
	uint64_t calls;
	uint64_t not_modelled_calls;	/* calls whose time became computation */
	uint64_t not_modelled_ns;	/* sum of their times */
};

/* Zero bytes are valid. */
struct call_statistics {
	ARRAY(struct function_statistics) list;
	struct number_map places;	/* in list, by the address of the name */
};

/* Find or add a function by the address of its name; NULL on error. */
struct function_statistics *call_statistics_find(struct call_statistics *statistics,
						 const char *name, struct error *err);

/* Move the counts of `others`. */
int call_statistics_take(struct call_statistics *statistics, struct call_statistics *others,
			 struct error *err);

void call_statistics_release(struct call_statistics *statistics);

/* Number of calls of all functions. */
uint64_t call_statistics_calls(const struct call_statistics *statistics);

#endif
