/* What a conversion has seen, in a few lines for people. */
#ifndef SCHEDGEN_SUMMARY_H
#define SCHEDGEN_SUMMARY_H

#include "schedgen/convert/balance.h"
#include "schedgen/convert/convert.h"
#include "trace/trace_reader.h"

#include <stdio.h>

struct summary {
	const struct converter *converter;
	const struct balance *balance;
	struct trace_left_out left_out;
	uint64_t cut_halves;		/* of messages, at the edges of windows */
	uint64_t operations;
	const char *output;	/* name of the file that was written */
};

/* Every line starts with "schedgen: ". */
void summary_print(FILE *stream, const struct summary *summary);

/* Its last line, of any schedule: what has been written. */
void summary_print_output(FILE *stream, const char *output, uint64_t operations,
			  uint64_t messages, uint64_t bytes);

/*
 * What collectives have become, as a table: collective, whether it blocks,
 * algorithm, calls, messages, bytes.
 */
void summary_print_collectives(FILE *stream, const struct converter *converter);

#endif
