#include "measure/cells/cell.h"

#include "common/options.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct bench_description bench_descriptions[BENCH_COUNT] = {
#define BENCHMARK(id, name, group, picture, what) [BENCH_##id] = {name, group, picture, what},
#include "measure/cells/benchmarks.def"
#undef BENCHMARK
};

const char *const kernel_names[KERNEL_COUNT + 1] = {"work", "time", "memory", NULL};
const char *const side_names[SIDE_COUNT + 1] = {"sender", "receiver", "both", NULL};

/* ------------------------------------------------------------- specifications */

enum side bench_default_side(enum bench bench)
{
	return bench == BENCH_NLOAD ? SIDE_BOTH : SIDE_SENDER;
}

#define COMPARE(member)             \
	if (a->member != b->member) \
	return a->member < b->member ? -1 : 1

int cell_spec_compare(const struct cell_spec *a, const struct cell_spec *b)
{
	COMPARE(bench);
	COMPARE(kernel);
	COMPARE(side);
	COMPARE(pending);
	COMPARE(tests_ns);
	COMPARE(bytes);
	COMPARE(threads);
	COMPARE(compute_ns);
	return 0;
}

bool cell_spec_equal(const struct cell_spec *a, const struct cell_spec *b)
{
	return cell_spec_compare(a, b) == 0;
}

int bench_parse(const char *name, enum bench *bench, struct error *err)
{
	const char *names[BENCH_COUNT + 1] = {NULL};
	int number;

	for (unsigned i = 0; i < BENCH_COUNT; i++)
		names[i] = bench_descriptions[i].name;
	number = parse_choice(name, "benchmark", names, err);
	if (number < 0)
		return -1;
	*bench = (enum bench)number;
	return 0;
}

enum { MOST_THREADS = 1 << 16 };

/* Parse the three words of a cell. */
static int parse_words(const char *bench, const char *bytes, const char *last,
		       struct cell_spec *spec, struct error *err)
{
	uint64_t threads;
	int64_t as;

	TRY(bench_parse(bench, &spec->bench, err));
	spec->side = bench_default_side(spec->bench);
	TRY(parse_bytes(bytes, &spec->bytes, err));
	if (spec->bench == BENCH_NLOAD) {
		TRY(parse_count(last, 0, MOST_THREADS, &threads, err));
		spec->threads = (unsigned)threads;
		return 0;
	}
	TRY(parse_time_as(last, &as, err));
	spec->compute_ns = (double)as / (double)AS_PER_NS;
	return 0;
}

int cell_spec_parse(const char *text, struct cell_spec *spec, struct error *err)
{
	char words[128];
	char *bytes, *last;

	memset(spec, 0, sizeof *spec);
	spec->pending = 1;
	if (strlen(text) < sizeof words) {
		strcpy(words, text);
		bytes = strchr(words, ':');
		last = bytes ? strchr(bytes + 1, ':') : NULL;
		if (last) {
			*bytes++ = *last++ = '\0';
			return parse_words(words, bytes, last, spec, err);
		}
	}
	return error_set(err, STATUS_USAGE,
			 "'%s' is no cell (expected BENCH:SIZE:TIME, as receiver:512KiB:200us, or"
			 " nload:SIZE:THREADS)",
			 text);
}

/* -------------------------------------------------------------------- samples */

/* Rank, from 1, of the lower end of the interval of the median of `count` samples; 1 if there is none. */
static size_t interval_rank(size_t count)
{
	double logarithm = -(double)count * log(2); /* of the probability of `rank - 1` */
	double sum = exp(logarithm);
	size_t rank = 1;

	while (sum <= 0.025 && rank < count) {
		logarithm += log((double)(count - rank + 1) / (double)rank);
		sum += exp(logarithm);
		if (sum > 0.025)
			break;
		rank++;
	}
	return rank;
}

struct spread spread_of(struct samples *samples)
{
	const struct summary summary = samples_summary(samples);
	struct spread spread = {.count = summary.count,
				.d1 = summary.lower_decile,
				.q1 = summary.lower_quartile,
				.median = summary.median,
				.q3 = summary.upper_quartile};

	spread.min = spread.d9 = spread.max = spread.low = spread.high = NAN;
	if (spread.count) {
		const size_t rank = interval_rank(spread.count);

		spread.min = samples->items[0];
		spread.d9 = samples_quantile(samples, 0.9);
		spread.max = samples->items[spread.count - 1];
		spread.low = samples->items[rank - 1];
		spread.high = samples->items[spread.count - rank];
	}
	return spread;
}

void cell_release(struct cell *cell)
{
	free(cell->rank_ratios);
	memset(cell, 0, sizeof *cell);
}
