/* Start and end of recording in this process. */
#ifndef PMPI_START_H
#define PMPI_START_H

/* Start in MPI_Init.  Either all ranks start or none.  Sessions may have started some before. */
void start_together(void);

/*
 * Start without other ranks: in a session, or in the first call that is seen.  rank and size are
 * known, and world or world_group.
 */
void start_alone(void);

/* Hand over this call and end, in MPI_Finalize of all ranks, unless it is done. */
void end_together(void);

#endif
