#include "common/machine/ticks.h"

#include <stdio.h>
#include <string.h>

bool ticks_are_cycles;

void ticks_choose(const char *source)
{
	ticks_are_cycles = false;
#ifdef __x86_64__
	char name[16] = "";
	FILE *file = fopen(source, "r");

	if (!file)
		return;
	ticks_are_cycles = fgets(name, sizeof name, file) && strcmp(name, "tsc\n") == 0;
	fclose(file);
#else
	(void)source;
#endif
}

struct ticks_point ticks_point(void)
{
	enum { ATTEMPTS = 5 };
	struct ticks_point point = {0};
	uint64_t closest = UINT64_MAX;

	for (int i = 0; i < ATTEMPTS; i++) {
		const uint64_t before = ticks_now(), ns = now_ns(), after = ticks_now();

		if (after - before >= closest)
			continue;
		closest = after - before;
		point = (struct ticks_point){before + closest / 2, ns};
	}
	return point;
}

struct ticks_rate ticks_rate(const struct ticks_point *from, const struct ticks_point *to)
{
	struct ticks_rate rate = {1};

	if (ticks_are_cycles && to->ticks > from->ticks && to->ns > from->ns)
		rate.ns_per_tick = (double)(to->ns - from->ns) / (double)(to->ticks - from->ticks);
	return rate;
}

uint64_t ticks_to_ns(struct ticks_rate rate, uint64_t ticks)
{
	/* Without cycles ticks are ns, and doubles have 53 bits only. */
	return rate.ns_per_tick == 1 || rate.ns_per_tick == 0
		       ? ticks
		       : (uint64_t)((double)ticks * rate.ns_per_tick + 0.5);
}

uint64_t ticks_of_ns(struct ticks_rate rate, uint64_t ns)
{
	return rate.ns_per_tick == 1 || rate.ns_per_tick == 0
		       ? ns
		       : (uint64_t)((double)ns / rate.ns_per_tick + 0.5);
}
