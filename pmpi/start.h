/* Start and end of recording in this process. */
#ifndef PMPI_START_H
#define PMPI_START_H

/* In MPI_Init, where all ranks are: all start, or none.  Sessions may have started some. */
void start_together(void);

/*
 * Where the other ranks may not be: in a session, or in the first call that is seen.  rank and size
 * are known, and world or world_group.
 */
void start_alone(void);

/* In MPI_Finalize of all ranks: hand over this call and end, if that is not done. */
void end_together(void);

#endif
