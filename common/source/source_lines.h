/*
 * Call sites as lines of source code, by the debugging information of the programs and libraries.
 *
 * The files are read where they were in the traced run.  A file that is missing, or whose build id
 * shows that it is another one, gives no lines.
 */
#ifndef COMMON_SOURCE_LINES_H
#define COMMON_SOURCE_LINES_H

#include "common/source/call_site.h"
#include "common/error.h"

#include <stddef.h>

struct source_lines;

int source_lines_open(struct source_lines **lines, struct error *err);

/*
 * Name a call site (common/source/call_site.h), as well as it is known:
 *
 *	/home/me/halo.c:57		the file and line of the call
 *	/home/me/halo(exchange+0x2d)	the file of the program, the function and the place in it;
 *					a function of C++ as in its source code, if it can be
 *	/home/me/halo(+0x12f4)		the place in the file
 *
 * Inlined functions have the line in themselves.  A text that is no call site is its own name.  The
 * name is valid until source_lines_close, and the text must be.
 */
int source_lines_name(struct source_lines *lines, const char *site, const char **name,
		      struct error *err);

/* Why there are no lines of a file, by number from 0, in one line; NULL after the last. */
const char *source_lines_doubt(const struct source_lines *lines, size_t number);

/* Release; `lines` may be NULL. */
void source_lines_close(struct source_lines *lines);

#endif
