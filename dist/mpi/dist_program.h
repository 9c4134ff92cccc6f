/* MPI programs whose processes run one command together. */
#ifndef DIST_PROGRAM_H
#define DIST_PROGRAM_H

#include "common/options.h"
#include "dist/dist.h"

/*
 * Run the tool in all processes of MPI_COMM_WORLD, from MPI_Init to MPI_Finalize.  `share` gets
 * them before the command runs.  Process 0 alone prints.  Returns the exit status of the process.
 */
int dist_program(int argc, char **argv, const struct tool *tool, void (*share)(struct dist *dist));

#endif
