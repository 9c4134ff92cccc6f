/* What holds for cells of the overlap benchmark on any network, by random networks in virtual time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/lib/exact_cell.h"

enum { CELLS = 1500, REPEAT = 2 };

/* Benchmarks in which one rank computes once. */
static const enum bench benches[] = {
	BENCH_SENDER,	       BENCH_RECEIVER,	      BENCH_NONCONTIG, BENCH_CPU,
	BENCH_PERSISTENT_SEND, BENCH_PERSISTENT_RECV, BENCH_PUT,       BENCH_GET,
	BENCH_PUT_TARGET,      BENCH_GET_TARGET};

/* ------------------------------------------------------------------- networks */

static uint64_t next_random(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *random >> 33;
}

/* A number from 1 to 2^octaves, uniform on a logarithmic scale. */
static double random_scale(uint64_t *random, double octaves)
{
	return exp2(octaves * (double)next_random(random) / 0x1p31);
}

static struct fake_network random_network(uint64_t *random)
{
	struct fake_network network = {
		.L = 50 * random_scale(random, 10),
		.o = random_scale(random, 12),
		.g = next_random(random) % 2 ? random_scale(random, 8) : 0,
		.G = random_scale(random, 8) / 100,
		.S = (uint64_t)random_scale(random, 18),
		.protocol = next_random(random) % 4,
		.vector_protocol = next_random(random) % 4,
		.first_bytes = (uint64_t)random_scale(random, 12),
		.pack_ns = random_scale(random, 6) / 100,
		.calls_only = true,
		.rma_in_calls = next_random(random) % 2,
	};

	return network;
}

static struct cell_spec random_cell(uint64_t *random)
{
	struct cell_spec spec =
		cell_spec_of(benches[next_random(random) % (sizeof benches / sizeof *benches)],
			     (uint64_t)random_scale(random, 22), 100 * random_scale(random, 17));

	if (spec.bench == BENCH_NONCONTIG || spec.bench == BENCH_CPU)
		spec.side = next_random(random) % 2 ? SIDE_RECEIVER : SIDE_SENDER;
	spec.pending = 1 + (unsigned)(next_random(random) % 3);
	return spec;
}

/* ----------------------------------------------------------------------- laws */

/* What is compared of a cell. */
struct outcome {
	double full, comm, comp, ratio_seq;
};

static struct outcome outcome_of(const struct fake_network *network, const struct cell_spec *spec)
{
	struct cell cell = measure_cell(network, 2, REPEAT, spec);
	const struct outcome outcome = {cell.full.median, cell.comm.median, cell.comp.median,
					cell_ratio_seq(&cell)};

	cell_release(&cell);
	return outcome;
}

static void must_not_exceed(const struct cell_spec *spec, const char *what, double value,
			    double most)
{
	if (!(value <= most + EXACT_TOLERANCE * fmax(1, fabs(most))))
		fail_msg("%s, %llu bytes, %g ns, %u messages: %s: %.9g is more than %.9g",
			 bench_descriptions[spec->bench].name, (unsigned long long)spec->bytes,
			 spec->compute_ns, spec->pending, what, value, most);
}

static void calls_only_is_never_faster_and_as_fast_for_one_message_alone(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < CELLS; i++) {
		struct fake_network network = random_network(&random);
		const struct cell_spec spec = random_cell(&random);
		const struct outcome calls = outcome_of(&network, &spec);
		struct outcome free;

		network.calls_only = network.rma_in_calls = false;
		free = outcome_of(&network, &spec);
		must_not_exceed(&spec, "T_comm", free.comm, calls.comm);
		if (spec.pending == 1)
			must_be_exact(&spec, "T_comm", free.comm, calls.comm);
		must_not_exceed(&spec, "progress by itself", free.full, calls.full);
	}
}

static void no_cell_is_worse_than_serial_or_shorter_than_its_computation(void **state)
{
	uint64_t random = 2;

	(void)state;
	for (int i = 0; i < CELLS; i++) {
		const struct fake_network network = random_network(&random);
		const struct cell_spec spec = random_cell(&random);
		const struct outcome outcome = outcome_of(&network, &spec);

		must_be_exact(&spec, "T_comp", outcome.comp, spec.compute_ns);
		must_not_exceed(&spec, "the computation", outcome.comp, outcome.full);
		must_not_exceed(&spec, "the ratio of the sequence", outcome.ratio_seq, 1);
	}
}

static void more_computation_adds_at_most_itself_and_never_saves_time(void **state)
{
	uint64_t random = 3;

	(void)state;
	for (int i = 0; i < CELLS; i++) {
		const struct fake_network network = random_network(&random);
		const struct cell_spec spec = random_cell(&random);
		const double more_ns = 100 * random_scale(&random, 12);
		struct cell_spec longer = spec;
		double full, full_longer;

		longer.compute_ns += more_ns;
		full = outcome_of(&network, &spec).full;
		full_longer = outcome_of(&network, &longer).full;
		must_not_exceed(&spec, "less computation", full, full_longer);
		must_not_exceed(&spec, "more computation", full_longer, full + more_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_only_is_never_faster_and_as_fast_for_one_message_alone),
		cmocka_unit_test(no_cell_is_worse_than_serial_or_shorter_than_its_computation),
		cmocka_unit_test(more_computation_adds_at_most_itself_and_never_saves_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
