/* Commands that lie beside this program, such as schedgen, run for what they print and write. */
#ifndef LLAMP_COMPANION_H
#define LLAMP_COMPANION_H

#include "common/array.h"

#include <stdio.h>

typedef ARRAY(const char *) words_list;

/*
 * Run the command `name` with words.  Its output goes to a stream with a file, and what it says to another one.  The error
 * is the last line that it said, with its exit status.  A signal that ends this process ends the command, too
 * (common/child.h).
 */
int companion_run(const char *name, const words_list *words, FILE *output, FILE *errors,
		  struct error *err);

#endif
