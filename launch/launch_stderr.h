/* Where messages of a rank come out that its launcher forwards. */
#ifndef LAUNCH_LAUNCH_STDERR_H
#define LAUNCH_LAUNCH_STDERR_H

/*
 * Open the stderr of the launcher that forwards the stderr of this process, on the same host: a launcher that
 * ends its ranks forwards nothing any more.  Returns a descriptor, closed on exec, or -1 if there is none.
 */
int launch_stderr(void);

#endif
