#include "test/unit/lib/processors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void use_one_processor(cpu_set_t *all)
{
	cpu_set_t one;

	assert_int_equal(sched_getaffinity(0, sizeof *all, all), 0);
	CPU_ZERO(&one);
	for (int i = 0; CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

void use_all_processors(const cpu_set_t *all)
{
	assert_int_equal(sched_setaffinity(0, sizeof *all, all), 0);
}
