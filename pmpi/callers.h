/*
 * Where the program makes its calls.
 *
 * A call from C returns to the program.  One from Fortran returns to the MPI library's Fortran
 * binding, which the program has called.  There the return address of the binding is read from the
 * stack.  It has a fixed distance from the wrapper's frame for each place in the binding, unless a function of the
 * binding has a frame of variable size.  So the stack is unwound for the first calls from each place
 * only.  If the distance is not known or not fixed, the address is that in the binding.
 */
#ifndef PMPI_CALLERS_H
#define PMPI_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

/* Look for Fortran bindings in this process, for a sink that needs the callers of calls. */
void callers_find(void);

/* There are bindings. */
extern bool callers_are_needed;

/* A place in a binding that calls wrappers. */
struct caller_place {
	uintptr_t return_address;
	uint32_t distance; /* 0: not known */
	uint32_t checks;   /* calls for which the stack was unwound */
};

/* Places that a thread has met; zeroed at first. */
enum { CALLER_PLACES = 128 };
struct caller_places {
	struct caller_place items[CALLER_PLACES];
};

/* Return address in the program, of a wrapper with this return address and CFA. */
uintptr_t caller_beyond(struct caller_places *places, uintptr_t return_address, uintptr_t cfa);

static inline uintptr_t caller_of(struct caller_places *places, uintptr_t return_address,
				  uintptr_t cfa)
{
	return callers_are_needed ? caller_beyond(places, return_address, cfa) : return_address;
}

#endif
