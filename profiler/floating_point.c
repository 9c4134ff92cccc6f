#include "profiler/floating_point.h"

#include <stdbool.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>

struct processor {
	char vendor[13];
	unsigned family, model;
	bool avx512, hybrid;
};

static void find_processor(struct processor *processor)
{
	unsigned a, b, c, d;

	*processor = (struct processor){0};
	if (!__get_cpuid(0, &a, &b, &c, &d))
		return;
	memcpy(processor->vendor, &b, 4);
	memcpy(processor->vendor + 4, &d, 4);
	memcpy(processor->vendor + 8, &c, 4);
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return;
	processor->family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
	processor->model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
		processor->avx512 = b >> 16 & 1;
		processor->hybrid = d >> 15 & 1;
	}
}

/* Whether it has FP_ARITH_INST_RETIRED: from Broadwell on, but not Xeon Phi. */
static bool has_fp_arith(const struct processor *processor)
{
	static const unsigned char without_avx512[] = {0x3d, 0x47,
						       0x4f, 0x56, /* Broadwell */
						       0x4e, 0x5e,
						       0x8e, 0x9e}; /* Skylake, Kaby Lake */

	if (strcmp(processor->vendor, "GenuineIntel") != 0 || processor->family != 6 ||
	    processor->hybrid || processor->model == 0x57 || processor->model == 0x85)
		return false;
	return processor->avx512 ||
	       memchr(without_avx512, (int)processor->model, sizeof without_avx512);
}

unsigned floating_point_events(struct floating_point_event events[static FLOATING_POINT_MOST])
{
	/* FP_ARITH_INST_RETIRED (0xc7), by the number of elements. */
	static const struct floating_point_event intel[FLOATING_POINT_MOST] = {
		{0x03c7, 1}, {0x04c7, 2}, {0x18c7, 4}, {0x60c7, 8}, {0x80c7, 16},
	};
	/* Retired SSE and AVX operations of Zen: all kinds; from Zen 3 on without those of bfloat16. */
	static const struct floating_point_event zen = {0xff03, 1}, zen3 = {0x0f03, 1};
	struct processor processor;

	find_processor(&processor);
	if (has_fp_arith(&processor)) {
		memcpy(events, intel, sizeof intel);
		return FLOATING_POINT_MOST;
	}
	if (strcmp(processor.vendor, "AuthenticAMD") != 0 || processor.family < 0x17)
		return 0;
	events[0] = processor.family == 0x17 ? zen : zen3;
	return 1;
}
#else
unsigned floating_point_events(struct floating_point_event events[static FLOATING_POINT_MOST])
{
	(void)events;
	return 0;
}
#endif
