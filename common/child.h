/*
 * Child processes that end when a signal ends this process, before it removes its temporary files
 * (common/output.h).
 *
 * Several threads may start children.  A signal that comes while a child is being started ends it, too.
 */
#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include <sys/types.h>

enum { CHILDREN_MOST = 64 };

/*
 * Start `program` with the words of its command line, of which the last is NULL.  It reads nothing, and writes to the
 * files `output` and `errors`.  Returns 0, or the number of an error: EAGAIN if there are CHILDREN_MOST.
 */
int child_start(pid_t *process, const char *program, char *const *words, int output, int errors);

/* Wait for a child.  Returns its exit status, or -1 if it has none. */
int child_wait(pid_t process);

/* End all children by SIGTERM, and wait for them.  For handlers of signals. */
void child_end_all(void);

#endif
