/*
 * One library to preload into all programs of a site, with or without MPI, of any MPI.
 *
 * It needs libc only.  It exports the MPI functions that our libraries wrap, as jumps through a
 * table.  If the program has MPI, the table leads to the library for this MPI, which lies beside
 * this one and is loaded then: libllampusage.so loads libllampusage-mpich.so.  Without it the table
 * leads to MPI itself.  A program without MPI is not touched.
 *
 * Another tool that the program is linked with, and that wraps MPI_X, gets the calls first. It continues with
 * PMPI_X, which leads to our library.
 *
 * MPI is looked for when the process starts and, if it comes later (an extension of Python), when one of
 * its functions is called first.
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

/*
 * Find the function of this name that comes after this library: of another tool or of MPI.  NULL but
 * while the library for the program's MPI is loaded, which takes its functions from here.  That library
 * knows it by its name (pmpi/library.c): dlsym's RTLD_NEXT does not work in a library that came late.
 */
typedef void *preload_next_function(const char *name);
#define PRELOAD_NEXT "llamp_preload_next"

/*
 * When this library was loaded, a uint64_t in ns of CLOCK_MONOTONIC, or 0 before its constructor and in a copy
 * made by fork.  The library for the program's MPI may come much later, and counts the time of the process from here
 * (pmpi/start.c).
 */
#define PRELOAD_NS "llamp_preload_ns"

#endif
