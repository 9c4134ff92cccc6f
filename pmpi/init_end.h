/*
 * The end of MPI_Init, at which a tool further down may let all ranks wait for the same moment.
 *
 * Ranks leave collective calls at different times, the more so the longer messages take.  The tool
 * therefore exports a function of this name, and whatever wraps MPI_Init calls it last of all.
 */
#ifndef PMPI_INIT_END_H
#define PMPI_INIT_END_H

#define INIT_END llamp_end_of_init

#define INIT_END_TEXT_(name) #name
#define INIT_END_TEXT(name) INIT_END_TEXT_(name)
#define INIT_END_NAME INIT_END_TEXT(INIT_END)

#endif
