/*
 * The last message before a job ends.
 *
 * stderr of a process that a launcher such as mpiexec has started is a pipe to the launcher.  When
 * the process ends the job, the launcher ends itself, too, and drops messages that it has not read.
 */
#ifndef LAUNCH_FORWARDED_H
#define LAUNCH_FORWARDED_H

/*
 * Wait until somebody has read all that was written to stderr, at most 5 s.  Return at once if
 * stderr is no pipe.
 */
void forwarded_wait(void);

#endif
