/*
 * The transport of dist/, whose calls of MPI go to the MPI library (pmpi/library.h): by their names
 * alone they would be those of the tracer itself.
 */
#include "pmpi/library.h"

#include "dist/mpi/dist_mpi.c"
