#include "common/machine/ticks.h"

#include <stdio.h>
#include <string.h>

bool ticks_are_cycles;

static struct ticks_point chosen; /* when the clock was chosen */

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
	chosen = ticks_point();
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

void ticks_clock_read(struct ticks_clock *clock, uint64_t *enter, uint64_t *leave)
{
	const struct ticks_point now = ticks_point();
	const double since_chosen = ticks_rate(&chosen, &now).ns_per_tick;

	if (!clock->until)
		clock->last = chosen;
	clock->ns_per_tick = ticks_rate(&clock->last, &now).ns_per_tick;
	*enter = ticks_clock_at(clock, *enter);
	*leave = clock->told_ns = ticks_clock_at(clock, *leave);
	clock->last = now;
	clock->ns_per_tick = since_chosen;
	clock->until = now.ticks + (uint64_t)(TICKS_AHEAD_NS / since_chosen);
}

uint64_t ticks_hz(struct ticks_rate rate)
{
	if (!ticks_are_cycles || rate.ns_per_tick <= 0)
		return 0;
	return (uint64_t)(1e6 / rate.ns_per_tick + 0.5) * 1000;
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
