/* The gains of changes, and the order in which they are made.  Private to llamp/advise/advice*.c. */
#ifndef LLAMP_ADVICE_STEPS_H
#define LLAMP_ADVICE_STEPS_H

#include "llamp/advise/advice.h"

/*
 * Find the gain of each change of advice->advised alone, and choose up to `steps` changes, one after the other, while the
 * best one gains at_least, a share of T; or two together, where none does alone but all together do.  advice->base is
 * set, and advice->path is the critical path without changes; NULL: it is not known, and every change is evaluated.
 */
int advice_choose(struct advice *advice, struct evaluation *evaluation, double at_least,
		  uint32_t steps, struct error *err);

#endif
