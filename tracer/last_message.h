/* Last message: what the watcher prints if this process ends early (tracer/watcher.h). */
#ifndef TRACER_LAST_MESSAGE_H
#define TRACER_LAST_MESSAGE_H

/* Replace the last message by `text`, a line; "" if there is nothing to say any more. */
void last_message(const char *text);

#endif
