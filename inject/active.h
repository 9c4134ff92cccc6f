/* Active messages. */
#ifndef INJECT_ACTIVE_H
#define INJECT_ACTIVE_H

/* Hand over the messages that are due; returns their number. */
unsigned active_progress(void);

#endif
