/* llamp-measure overlap, as an MPI program. */
#ifndef MEASURE_OVERLAP_MAIN_H
#define MEASURE_OVERLAP_MAIN_H

/* Do all from before MPI_Init to after MPI_Finalize; returns the exit status of this rank. */
int overlap_main(int argc, char **argv);

#endif
