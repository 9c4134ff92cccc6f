/*
 * Line of a trace of liballprof as data:
 *
 *	NAME:START:ARGUMENT:...:END
 *
 * START and END are times in microseconds.  Each ARGUMENT is an argument of the MPI function, of a
 * kind below.  Anything else is an error that names the byte of the line and what was expected.
 */
#ifndef TRACE_LIBALLPROF_LINE_H
#define TRACE_LIBALLPROF_LINE_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of arguments, as letters in a signature: MPI_Send has "pidiic". */
enum {
	LIBALLPROF_ADDRESS = 'p',	/* a pointer or an opaque handle: one number */
	LIBALLPROF_NUMBER = 'i',	/* an int */
	LIBALLPROF_DATATYPE = 'd',	/* id, size in bytes, extent */
	LIBALLPROF_COMM = 'c',	/* handle, own rank, number of ranks */
	LIBALLPROF_COUNTS = 'v',	/* an address and, if printed, an int for each rank */
};
enum { LIBALLPROF_ARGUMENTS = 12 };	/* no function has more */

struct liballprof_argument {
	uint64_t address;	/* addresses and handles */
	int32_t number;
	uint32_t bytes;		/* of a datatype */
	uint32_t rank, size;	/* of a communicator */
	const char *counts;	/* "8,16:..." in the line; NULL: not printed */
};

struct liballprof_line {
	uint64_t enter_ns, leave_ns;	/* MPI_Init: both leave_ns; MPI_Finalize: both enter_ns */
	struct liballprof_argument arguments[LIBALLPROF_ARGUMENTS];
};

/* Length of the name at the beginning of a line; 0 if there is none. */
uint32_t liballprof_line_name(const char *line, const char *end);

/* Read a line without its '\n'.  With `signature` NULL the arguments are not read. */
int liballprof_line_parse(struct liballprof_line *parsed, const char *line, const char *end,
			  const char *signature, struct error *err);

/* Read the `size` counts of an argument, times `unit_bytes`, into items. */
int liballprof_line_counts(const struct liballprof_argument *argument, uint32_t size,
			   uint64_t unit_bytes, uint64_t *items, struct error *err);

#endif
