/*
 * Exchange between processes that one process plays (critpath/share/exchange.h): each has a stack of its
 * own, and goes on until it waits for others.
 */
#ifndef TEST_EXCHANGE_PLAY_H
#define TEST_EXCHANGE_PLAY_H

#include "critpath/share/exchange.h"

/* Work of a process.  It must not fail a test itself, as that would leave its stack. */
typedef void exchange_work(struct exchange *exchange, void *data);

/* Let all processes work on the same data.  Aborts if they wait for each other for ever. */
void exchange_play(uint32_t processes, exchange_work *work, void *data);

#endif
