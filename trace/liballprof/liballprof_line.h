/*
 * One line of a text trace of liballprof as data:
 *
 *	NAME:START:ARGUMENT:...:END
 *
 * START and END are times in microseconds; the arguments are those of the MPI
 * function, of the kinds below.  Strict: what is not as expected is an error that
 * tells the byte of the line and what was expected.
 */
#ifndef TRACE_TEXT_LINE_H
#define TRACE_TEXT_LINE_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of arguments, as letters in a signature: "pidiic" is that of MPI_Send. */
enum {
	TEXT_ADDRESS = 'p',	/* a pointer or an opaque handle: one number */
	TEXT_NUMBER = 'i',	/* an int */
	TEXT_DATATYPE = 'd',	/* id, size in bytes, extent */
	TEXT_COMM = 'c',	/* handle, own rank, number of ranks */
	TEXT_COUNTS = 'v',	/* an address, and if they were printed an int for each rank */
};
enum { TEXT_ARGUMENTS = 12 };	/* no function has more */

struct text_argument {
	uint64_t address;	/* addresses and handles */
	int32_t number;
	uint32_t bytes;		/* of a datatype */
	uint32_t rank, size;	/* of a communicator */
	const char *counts;	/* "8,16:..." in the line; NULL: not printed */
};

struct text_line {
	uint64_t enter_ns, leave_ns;	/* MPI_Init: both leave_ns; MPI_Finalize: both enter_ns */
	struct text_argument arguments[TEXT_ARGUMENTS];
};

/* The length of the name a line begins with; 0 if it begins otherwise. */
uint32_t text_line_name(const char *line, const char *end);

/*
 * Read a line, from its first byte to before its '\n'.  `signature` NULL: any
 * arguments, which are not read.
 */
int text_line_parse(struct text_line *parsed, const char *line, const char *end,
		    const char *signature, struct error *err);

/*
 * The counts of an argument, times `unit_bytes`, into items; there must be `size`
 * of them, up to the next ':'.
 */
int text_line_counts(const struct text_argument *argument, uint32_t size, uint64_t unit_bytes,
		     uint64_t *items, struct error *err);

#endif
