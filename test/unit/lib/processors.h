/* How many processors this process uses. */
#ifndef TEST_PROCESSORS_H
#define TEST_PROCESSORS_H

#include <sched.h>

/* Use one of the processors only; *all becomes those that there are. */
void use_one_processor(cpu_set_t *all);

/* Use them again. */
void use_all_processors(const cpu_set_t *all);

#endif
