#include "measure/overlap/kernel.h"

#include "common/array.h"
#include "common/machine/now.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Make the compiler believe that the value is used and changed here, without a memory access. */
#if defined __x86_64__
#define KEEP(value) __asm__ volatile("" : "+x"(value))
#elif defined __aarch64__
#define KEEP(value) __asm__ volatile("" : "+w"(value))
#else
#define KEEP(value) __asm__ volatile("" : "+m"(value))
#endif

enum { LINE_BYTES = 64, LINE_WORDS = LINE_BYTES / sizeof(uint64_t) };
enum { REPEATS = 31, BLOCK = 8 };

/* A logistic map: each step needs the one before, and it neither converges nor leaves 0..1. */
void kernel_work(double *value, uint64_t operations)
{
	enum { STEPS = 4 };
	double x = *value;

	for (; operations > 0; operations--) {
		for (int i = 0; i < STEPS; i++)
			x = 3.75 * x * (1 - x);
		KEEP(x);
	}
	*value = x;
}

static void change_lines(struct kernels *kernels, uint64_t lines)
{
	for (; lines > 0; lines--) {
		uint64_t *line = kernels->lines + kernels->next_line * LINE_WORDS;

		for (int i = 0; i < LINE_WORDS; i++)
			line[i]++;
		__asm__ volatile("" : : : "memory");
		if (++kernels->next_line == kernels->line_count)
			kernels->next_line = 0;
	}
}

static void perform_operations(struct kernels *kernels, enum kernel kernel, uint64_t operations)
{
	if (kernel == KERNEL_MEMORY)
		change_lines(kernels, operations);
	else
		kernel_work(&kernels->value, operations);
}

/* ---------------------------------------------------------------- calibration */

static uint64_t time_operations(struct kernels *kernels, enum kernel kernel, uint64_t operations)
{
	const uint64_t start_ns = now_ns();

	perform_operations(kernels, kernel, operations);
	return passed_ns(start_ns, now_ns());
}

/* The least of REPEATS measurements that take at least a millisecond each. */
static double measure_operation(struct kernels *kernels, enum kernel kernel)
{
	uint64_t operations = 1, least_ns = UINT64_MAX;

	while (time_operations(kernels, kernel, operations) < 1000000)
		operations *= 2;
	for (int i = 0; i < REPEATS; i++) {
		const uint64_t ns = time_operations(kernels, kernel, operations);

		if (ns < least_ns)
			least_ns = ns;
	}
	return fmax(1, (double)least_ns) / (double)operations;
}

double kernels_measure_work(struct kernels *kernels)
{
	return measure_operation(kernels, KERNEL_WORK);
}

/* Let the processor reach the frequency that it keeps. */
static void warm_up(struct kernels *kernels)
{
	const uint64_t end_ns = now_ns() + 100000000;

	while (now_ns() < end_ns)
		kernel_work(&kernels->value, 1000);
}

/* Take an array that no cache holds, and touch its pages. */
static int take_lines(struct kernels *kernels, struct error *err)
{
	const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
	const size_t least = (size_t)32 << 20, most = (size_t)1 << 30;
	size_t bytes = cache > 0 ? 2 * (size_t)cache : least;

	bytes = bytes < least ? least : bytes > most ? most : bytes;
	TRY(allocate(&kernels->lines, bytes / LINE_BYTES, LINE_BYTES, err));
	memset(kernels->lines, 1, bytes);
	kernels->line_count = bytes / LINE_BYTES;
	return 0;
}

int kernels_init(struct kernels *kernels, bool memory, struct error *err)
{
	memset(kernels, 0, sizeof *kernels);
	kernels->value = 0.3;
	if (memory)
		TRY(take_lines(kernels, err));
	warm_up(kernels);
	kernels->operation_ns[KERNEL_WORK] = measure_operation(kernels, KERNEL_WORK);
	if (memory)
		kernels->operation_ns[KERNEL_MEMORY] = measure_operation(kernels, KERNEL_MEMORY);
	return 0;
}

void kernels_release(struct kernels *kernels)
{
	free(kernels->lines);
	kernels->lines = NULL;
}

/* ------------------------------------------------------------------ computing */

uint64_t kernel_operations(const struct kernels *kernels, enum kernel kernel, double compute_ns)
{
	return (uint64_t)llround(compute_ns / kernels->operation_ns[kernel]);
}

static void compute_until(struct kernels *kernels, uint64_t end_ns)
{
	while (now_ns() < end_ns)
		kernel_work(&kernels->value, BLOCK);
}

void kernel_run(struct kernels *kernels, enum kernel kernel, double compute_ns, double tests_ns,
		void (*test)(void *context), void *context)
{
	const uint64_t start_ns = kernel == KERNEL_TIME ? now_ns() : 0;
	uint64_t done = 0;
	double at_ns = 0;

	while (at_ns < compute_ns) {
		at_ns = tests_ns > 0 ? fmin(at_ns + tests_ns, compute_ns) : compute_ns;
		if (kernel == KERNEL_TIME) {
			compute_until(kernels, start_ns + (uint64_t)at_ns);
		} else {
			const uint64_t goal = kernel_operations(kernels, kernel, at_ns);

			perform_operations(kernels, kernel, goal - done);
			done = goal;
		}
		if (at_ns < compute_ns)
			test(context);
	}
}
