/* The source of a proxy program: the actions of all ranks as loops and sequences, in C. */
#ifndef EVENTFLOW_WRITE_PROXY_H
#define EVENTFLOW_WRITE_PROXY_H

#include "eventflow/generate/replay.h"

#include <stdio.h>

/*
 * Write a program that does what all ranks of program->flow do.  `file` names the input in its
 * first comment.  matched: receives of any sender take the one that was matched.  STATUS_LIMIT if
 * the program would be too long or cannot be written.  Afterwards program->missing has what was
 * left out.  The owner checks the stream.
 */
int write_proxy(struct replay_program *program, const char *file, bool matched, FILE *stream,
		struct error *err);

#endif
