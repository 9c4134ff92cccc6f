/* Processors that this process uses. */
#ifndef TEST_PROCESSORS_H
#define TEST_PROCESSORS_H

#include <sched.h>

/* Use only one processor; set *all to the processors used before. */
void use_one_processor(cpu_set_t *all);

/* Use all processors again. */
void use_all_processors(const cpu_set_t *all);

#endif
