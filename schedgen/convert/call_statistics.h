/* The functions that a trace calls, and how often and how long it calls each. */
#ifndef SCHEDGEN_CALL_STATISTICS_H
#define SCHEDGEN_CALL_STATISTICS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_functions.h"

#include <stdbool.h>

struct function_statistics {
	struct mpi_function is;		/* with the name that the trace has */
	bool is_local;			/* concerns no other rank: its time is computation */
	bool is_message;		/* of messages, completions, probes: all are modelled */
	bool has_messages;		/* not in the table, but its records are of messages */
	uint64_t calls;
	uint64_t not_modelled_calls;	/* of them, those whose time became computation ... */
	uint64_t not_modelled_ns;	/* ... and how long they took in all */
};

/* Zero bytes are valid. */
struct call_statistics {
	ARRAY(struct function_statistics) list;
	struct number_map places;	/* in list, by the address of the name */
};

/* Find or add a function; a name is known by its address.  NULL on error. */
struct function_statistics *call_statistics_find(struct call_statistics *statistics,
						 const char *name, struct error *err);

/* Add what `others` have counted; they are empty afterwards. */
int call_statistics_take(struct call_statistics *statistics, struct call_statistics *others,
			 struct error *err);

void call_statistics_release(struct call_statistics *statistics);

/* Calls of all functions together. */
uint64_t call_statistics_calls(const struct call_statistics *statistics);

#endif
