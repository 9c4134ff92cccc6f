/*
 * The last message before a job ends.
 *
 * stderr of a process that a launcher such as mpiexec has started is a pipe to the launcher.  When
 * the process ends the job, the launcher ends itself, too, and drops messages that it has not read.
 */
#ifndef COMMON_FORWARDED_H
#define COMMON_FORWARDED_H

/*
 * Wait until somebody has read all that was written to stderr, at most 5 s.  Return at once if
 * stderr is no pipe.
 */
void forwarded_wait(void);

/* Likewise for what was written to this descriptor, such as that of stdout. */
void forwarded_wait_for(int descriptor);

#endif
