/*
 * The MPI functions that a trace calls: what conversion makes of each, and how
 * often and how long it was called.
 */
#ifndef SCHEDGEN_FUNCTIONS_H
#define SCHEDGEN_FUNCTIONS_H

#include "common/array.h"
#include "common/number_map.h"

#include <stdbool.h>

enum function_class {
	FUNCTION_INIT,		/* MPI_Init, MPI_Init_thread, MPI_Session_init */
	FUNCTION_FINALIZE,	/* MPI_Finalize, MPI_Session_finalize */
	FUNCTION_MESSAGE,	/* messages, requests and probes: the model accounts for it */
	FUNCTION_POLL,		/* likewise, but returns at once: the Test and Iprobe families */
	FUNCTION_COLLECTIVE,	/* the model accounts for it if it leaves a record */
	FUNCTION_ONE_SIDED,	/* likewise */
	FUNCTION_LOCAL,		/* concerns no other rank: cheap, and compute */
	FUNCTION_OTHER,		/* not modelled: compute, and reported */
};

struct function {
	const char *name;
	enum function_class class;
	bool records;			/* our tracer has records of them, unless nothing moves */
	bool buffers;			/* as MPI_Bsend: its sends end without their receiver */
	bool frees;			/* MPI_Request_free: nobody waits for the requests */
	bool among_made;		/* called by the ranks of the communicator that it makes */
	bool of_session;		/* MPI_Session_init, _finalize: there may be others */
	uint64_t calls;
	uint64_t not_modelled_calls;	/* of them, those whose time became compute ... */
	uint64_t not_modelled_ns;	/* ... and how long they took in all */
};

struct functions {
	ARRAY(struct function) list;
	struct number_map places;	/* in list, by the address of the name */
};

/* The entry of a function; a name is known by its address.  NULL on error. */
struct function *functions_find(struct functions *functions, const char *name, struct error *err);

/* Add what others have counted; they are empty afterwards. */
int functions_take(struct functions *functions, struct functions *others, struct error *err);

void functions_release(struct functions *functions);

/* Of all functions together. */
uint64_t functions_count_calls(const struct functions *functions);

#endif
