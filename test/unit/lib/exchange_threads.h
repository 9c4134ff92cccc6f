/* Exchange between threads, each in the place of a process (critpath/share/exchange.h). */
#ifndef TEST_EXCHANGE_THREADS_H
#define TEST_EXCHANGE_THREADS_H

#include "critpath/share/exchange.h"

/* Work of a process.  It must not fail a test itself: cmocka's checks are for the main thread. */
typedef void exchange_work(struct exchange *exchange, void *data);

/* Let `processes` threads work on the same data, and wait for all of them. */
void exchange_threads(uint32_t processes, exchange_work *work, void *data);

#endif
