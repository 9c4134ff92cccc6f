/*
 * Watcher: a process that outlives the program, to say why it has left no report.
 *
 * A launcher kills all ranks as soon as one has failed, so none of them can speak.  llamp-trace starts the
 * watcher, for the first rank, before it becomes the program.  The tracer sends it the last message, to be
 * printed if the program ends before the tracer has sent an empty one.  SETTINGS_WATCHER names the socket.
 */
#ifndef TRACER_WATCHER_H
#define TRACER_WATCHER_H

/* Start the watcher of this process.  Without one, for example on an old kernel, nothing is said. */
void watcher_start(void);

#endif
