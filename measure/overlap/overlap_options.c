#include "measure/overlap/overlap_options.h"

#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S 1e9

static const char *const thread_levels[] = {"single", "funneled", "serialized", "multiple", NULL};
static struct choice side = {.kind = "side", .names = side_names, .value = SIDE_COUNT};

/* What was given, where the default depends on other options. */
static struct {
	bool benches, kernels, sizes, computations, threads, limit;
	uint64_t per_octave, repeat, pending, tests_ns, limit_ns;
} options = {.per_octave = 2, .repeat = 50, .pending = 1};

struct overlap_given overlap_given = {
	.thread_pairs = 1,
	.thread_level = {.kind = "thread level", .names = thread_levels, .value = -1},
};

/* -------------------------------------------------------------------- parsing */

/* Call a function for each word of a list with commas. */
static int each_word(const char *list, int (*add)(const char *word, struct error *err),
		     struct error *err)
{
	char word[64];

	for (;; list++) {
		const size_t length = strcspn(list, ",");

		snprintf(word, sizeof word, "%.*s", (int)length, list);
		TRY(add(word, err));
		list += length;
		if (!*list)
			return 0;
	}
}

static int add_bench(const char *word, struct error *err)
{
	const bool all = strcmp(word, "all") == 0, collectives = strcmp(word, "collectives") == 0;
	bool *benches = overlap_given.run.plan.benches;
	enum bench bench;

	for (int i = 0; i < BENCH_COUNT; i++)
		benches[i] |= all ||
			      (collectives && bench_descriptions[i].group == BENCH_COLLECTIVE);
	if (all || collectives)
		return 0;
	TRY(bench_parse(word, &bench, err));
	benches[bench] = true;
	return 0;
}

static int option_benches(const char *text, void *target, struct error *err)
{
	(void)target;
	options.benches = true;
	return each_word(text, add_bench, err);
}

static int add_kernel(const char *word, struct error *err)
{
	const bool both = strcmp(word, "both") == 0;
	const int kernel = both ? KERNEL_TIME : parse_choice(word, "kernel", kernel_names, err);

	if (kernel < 0)
		return -1;
	overlap_given.run.plan.kernels[kernel] = true;
	overlap_given.run.plan.kernels[KERNEL_WORK] |= both;
	return 0;
}

static int option_kernels(const char *text, void *target, struct error *err)
{
	(void)target;
	options.kernels = true;
	return each_word(text, add_kernel, err);
}

/* Parse "LEAST:MOST", or one value for both. */
static int parse_range(const char *text, int (*parse)(const char *, uint64_t *, struct error *),
		       uint64_t *least, uint64_t *most, struct error *err)
{
	const char *colon = strchr(text, ':');
	char first[64];

	if (!colon) {
		TRY(parse(text, least, err));
		*most = *least;
		return 0;
	}
	snprintf(first, sizeof first, "%.*s", (int)(colon - text), text);
	TRY(parse(first, least, err));
	TRY(parse(colon + 1, most, err));
	return *least <= *most ? 0 : error_set(err, STATUS_USAGE, "'%s' is an empty range", text);
}

static int check_bytes(uint64_t bytes, struct error *err)
{
	return bytes <= UINT64_C(1) << 30
		       ? 0
		       : error_set(err, STATUS_USAGE, "a message may have 1 GiB at most");
}

static int option_sizes(const char *text, void *target, struct error *err)
{
	struct plan_options *plan = &overlap_given.run.plan;

	(void)target;
	options.sizes = true;
	TRY(parse_range(text, parse_bytes, &plan->least_bytes, &plan->most_bytes, err));
	return check_bytes(plan->most_bytes, err);
}

static int check_compute(double ns, struct error *err)
{
	return ns >= 1 && ns <= 10 * NS_PER_S
		       ? 0
		       : error_set(err, STATUS_USAGE, "a computation may take 1 ns to 10 s");
}

static int option_computations(const char *text, void *target, struct error *err)
{
	struct plan_options *plan = &overlap_given.run.plan;
	uint64_t least_ns, most_ns;

	(void)target;
	options.computations = true;
	TRY(parse_range(text, parse_time_ns, &least_ns, &most_ns, err));
	plan->least_compute_ns = (double)least_ns;
	plan->most_compute_ns = (double)most_ns;
	TRY(check_compute(plan->least_compute_ns, err));
	return check_compute(plan->most_compute_ns, err);
}

static int parse_thread_count(const char *text, uint64_t *count, struct error *err)
{
	return parse_count(text, 0, 1 << 16, count, err);
}

static int option_threads(const char *text, void *target, struct error *err)
{
	struct plan_options *plan = &overlap_given.run.plan;
	uint64_t least, most;

	(void)target;
	options.threads = true;
	TRY(parse_range(text, parse_thread_count, &least, &most, err));
	plan->least_threads = (unsigned)least;
	plan->most_threads = (unsigned)most;
	return 0;
}

static int option_per_octave(const char *text, void *target, struct error *err)
{
	return parse_count(text, 1, 16, target, err);
}

static int option_repeat(const char *text, void *target, struct error *err)
{
	return parse_count(text, 1, 1000000, target, err);
}

static int option_pending(const char *text, void *target, struct error *err)
{
	return parse_count(text, 1, 1024, target, err);
}

static int option_thread_pairs(const char *text, void *target, struct error *err)
{
	return parse_count(text, 1, 256, target, err);
}

static int option_tests(const char *text, void *target, struct error *err)
{
	uint64_t *ns = target;

	TRY(parse_time_ns(text, ns, err));
	return *ns > 0 ? 0 : error_set(err, STATUS_USAGE, "'%s' is no time between tests", text);
}

static int option_limit(const char *text, void *target, struct error *err)
{
	options.limit = true;
	return parse_time_ns(text, target, err);
}

/* ------------------------------------------------------------------ the table */

static const struct option_spec own_options[] = {
	{"output", 'o', "FILE", "write the cells to FILE.overlap as they are measured; - is stdout",
	 option_text, &overlap_given.path},
	{"bench", 0, "NAMES",
	 "benchmarks, with commas between: names of the table below, all, collectives (default "
	 "sender,receiver,both,noncontig,cpu,nload)",
	 option_benches, NULL},
	{"sizes", 0, "FROM:TO", "bytes of a message (default 1KiB:32MiB)", option_sizes, NULL},
	{"compute", 0, "FROM:TO", "time of a computation (default 1us:20ms)", option_computations,
	 NULL},
	{"per-octave", 0, "N", "sizes and computations between a value and its double (default 2)",
	 option_per_octave, &options.per_octave},
	{"threads", 0, "FROM:TO",
	 "threads that compute beside each rank in nload (default 0 to the number of processors)",
	 option_threads, NULL},
	{"kernel", 0, "NAMES",
	 "computation: work, time, memory, or both for the first two (default work)",
	 option_kernels, NULL},
	{"repeat", 0, "N", "rounds of a cell (default 50)", option_repeat, &options.repeat},
	{"full", 0, NULL, "do all rounds in cells that take more than 2 s, too; no time limit",
	 option_flag, &overlap_given.run.full},
	{"quick", 0, NULL,
	 "measure in less than a minute: sizes in powers of 4, and computations of a quarter, the "
	 "same and four times the time of the message",
	 option_flag, &overlap_given.run.plan.quick},
	{"cell", 0, "BENCH:SIZE:TIME",
	 "measure one cell; in nload the last is the number of threads", option_text,
	 &overlap_given.cell},
	{"time-limit", 0, "TIME",
	 "leave out cells that would end later (default 10min, with --quick 45s)", option_limit,
	 &options.limit_ns},
	{"side", 0, "SIDE",
	 "what computes in noncontig and cpu, and sends in nload: sender, receiver or both",
	 option_choice, &side},
	{"both-types", 0, NULL, "receive a vector in noncontig, too", option_flag,
	 &overlap_given.run.both_types},
	{"pending", 0, "N", "messages at once (default 1)", option_pending, &options.pending},
	{"tests", 0, "TIME", "call MPI_Test each TIME of a computation (default never)",
	 option_tests, &options.tests_ns},
	{"pairs", 0, NULL, "let ranks 2i and 2i+1 measure, all pairs at once", option_flag,
	 &overlap_given.pairs},
	{"thread-pairs", 0, "N",
	 "let N threads of each rank measure, each with one of the other rank, all at once; needs "
	 "--thread-level multiple (default 1)",
	 option_thread_pairs, &overlap_given.thread_pairs},
	{"destinations", 0, NULL,
	 "let rank 0 exchange messages with all other ranks at once, one with each", option_flag,
	 &overlap_given.destinations},
	{"pin", 0, NULL, "give each thread of nload a processor", option_flag, &overlap_given.pin},
	{"same-node", 0, NULL, "do not warn if both ranks are on one node", option_flag,
	 &overlap_given.same_node},
	{"thread-level", 0, "LEVEL",
	 "what to ask of MPI: single, funneled, serialized or multiple (default single, for nload "
	 "funneled)",
	 option_choice, &overlap_given.thread_level},
	{"append", 0, NULL,
	 "measure the cells that FILE lacks; all else must be as when it was begun", option_flag,
	 &overlap_given.append},
	{0},
};

const struct option_spec *const overlap_options[] = {own_options, NULL};

/* ------------------------------------------------------------------- settling */

bool overlap_plans(enum bench_group group)
{
	for (int i = 0; i < BENCH_COUNT; i++)
		if (overlap_given.run.plan.benches[i] && bench_descriptions[i].group == group)
			return true;
	return false;
}

static int settle_cell(struct plan_options *plan, struct error *err)
{
	struct cell_spec spec;

	if (options.benches || options.sizes || options.computations || options.threads ||
	    plan->quick)
		return error_set(err, STATUS_USAGE,
				 "--cell says what is measured, so --bench, --sizes, --compute, "
				 "--threads and --quick have no effect");
	TRY(cell_spec_parse(overlap_given.cell, &spec, err));
	TRY(check_bytes(spec.bytes, err));
	if (spec.bench != BENCH_NLOAD)
		TRY(check_compute(spec.compute_ns, err));
	plan->benches[spec.bench] = true;
	plan->least_bytes = plan->most_bytes = spec.bytes;
	plan->least_compute_ns = plan->most_compute_ns = spec.compute_ns;
	plan->least_threads = plan->most_threads = spec.threads;
	return 0;
}

/* Whether only messages between two ranks can be measured. */
static bool limits_benches(void)
{
	return overlap_given.destinations || overlap_given.thread_pairs > 1;
}

static void settle_plan(struct plan_options *plan, unsigned processors)
{
	for (int i = 0; !options.benches && i < BENCH_COUNT; i++)
		plan->benches[i] = i < BENCH_NLOAD || (i == BENCH_NLOAD && !limits_benches());
	if (!options.sizes) {
		plan->least_bytes = 1 << 10;
		plan->most_bytes = 32 << 20;
	}
	if (!options.computations) {
		plan->least_compute_ns = 1e3;
		plan->most_compute_ns = 20e6;
	}
	if (!options.threads)
		plan->most_threads = processors;
}

static void settle_threads(struct plan_options *plan, unsigned processors,
			   void (*warn)(const char *text))
{
	char text[128];

	if (plan->most_threads <= processors)
		return;
	if (warn && plan->benches[BENCH_NLOAD]) {
		snprintf(text, sizeof text,
			 "%u threads of nload are as many as there are processors, not %u",
			 processors, plan->most_threads);
		warn(text);
	}
	plan->most_threads = processors;
	if (plan->least_threads > processors)
		plan->least_threads = processors;
}

static double limit_of_run(const struct run_options *run)
{
	if (options.limit)
		return (double)options.limit_ns;
	if (run->plan.quick)
		return 45 * NS_PER_S;
	return run->full || overlap_given.cell ? INFINITY : 600 * NS_PER_S;
}

/* Threads that communicate exchange messages between two ranks, as several partners do. */
static int check_partners(const struct run_options *run, struct error *err)
{
	const char *option = overlap_given.destinations ? "--destinations" : "--thread-pairs";

	if (!limits_benches())
		return 0;
	if (overlap_given.destinations &&
	    (overlap_given.pairs || options.pending > 1 || overlap_given.thread_pairs > 1))
		return error_set(
			err, STATUS_USAGE,
			"--destinations says who exchanges messages, and how many: --pairs, "
			"--pending and --thread-pairs have no effect");
	if (overlap_plans(BENCH_COLLECTIVE) || overlap_plans(BENCH_THREADS) ||
	    (overlap_given.destinations && overlap_plans(BENCH_ONE_SIDED)))
		return error_set(err, STATUS_USAGE,
				 "%s is for messages between two ranks: choose others by --bench "
				 "sender,receiver,both,noncontig,cpu",
				 option);
	if (overlap_given.thread_pairs > 1 && overlap_given.thread_level.value != LEVEL_MULTIPLE)
		return error_set(err, STATUS_USAGE,
				 "--thread-pairs needs MPI_THREAD_MULTIPLE, which changes what a "
				 "library does: ask for it by --thread-level multiple");
	if (overlap_given.thread_pairs > 1 && run->plan.kernels[KERNEL_MEMORY])
		return error_set(
			err, STATUS_USAGE,
			"the kernel memory is of one thread: --thread-pairs needs another");
	return 0;
}

static int check_combination(const struct run_options *run, struct error *err)
{
	if (run->full && run->plan.quick)
		return error_set(err, STATUS_USAGE, "--full and --quick contradict each other");
	if (overlap_given.append && !overlap_given.path)
		return error_set(err, STATUS_USAGE, "--append needs -o FILE");
	if (overlap_given.append && strcmp(overlap_given.path, "-") == 0)
		return error_set(err, STATUS_USAGE, "--append needs a file, which stdout is not");
	return 0;
}

/* ----------------------------------------------------------------------- text */

static void text_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void text_add(const char *format, ...)
{
	const size_t used = strlen(overlap_given.text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(overlap_given.text + used, sizeof overlap_given.text - used, format, arguments);
	va_end(arguments);
}

static void add_names(const struct plan_options *plan)
{
	const char *before = "--bench ";

	for (int i = 0; i < BENCH_COUNT; i++)
		if (plan->benches[i]) {
			text_add("%s%s", before, bench_descriptions[i].name);
			before = ",";
		}
	before = " --kernel ";
	for (int i = 0; i < KERNEL_COUNT; i++)
		if (plan->kernels[i]) {
			text_add("%s%s", before, kernel_names[i]);
			before = ",";
		}
}

/* Write all that says what is measured, defaults too: equal texts are equal plans. */
static void write_text(const struct run_options *run)
{
	const struct plan_options *plan = &run->plan;

	*overlap_given.text = '\0';
	add_names(plan);
	text_add(" --sizes %" PRIu64 ":%" PRIu64, plan->least_bytes, plan->most_bytes);
	if (plan->quick)
		text_add(" --quick");
	else
		text_add(" --compute %.10g:%.10g --per-octave %u", plan->least_compute_ns,
			 plan->most_compute_ns, plan->per_octave);
	if (plan->benches[BENCH_NLOAD])
		text_add(" --threads %u:%u", plan->least_threads, plan->most_threads);
	if (plan->side != SIDE_COUNT)
		text_add(" --side %s", side_names[plan->side]);
	if (plan->pending > 1)
		text_add(" --pending %u", plan->pending);
	if (plan->tests_ns > 0)
		text_add(" --tests %.10g", plan->tests_ns);
	if (overlap_given.destinations)
		text_add(" --destinations");
	if (overlap_given.thread_pairs > 1)
		text_add(" --thread-pairs %" PRIu64, overlap_given.thread_pairs);
	if (run->full)
		text_add(" --full");
}

int overlap_settle(unsigned processors, void (*warn)(const char *text), struct error *err)
{
	struct run_options *run = &overlap_given.run;
	struct plan_options *plan = &run->plan;

	TRY(check_combination(run, err));
	if (overlap_given.cell)
		TRY(settle_cell(plan, err));
	else
		settle_plan(plan, processors);
	TRY(check_partners(run, err));
	settle_threads(plan, processors, warn);
	if (!options.kernels)
		plan->kernels[KERNEL_WORK] = true;
	plan->side = (enum side)side.value;
	plan->per_octave = (unsigned)options.per_octave;
	plan->pending = (unsigned)options.pending;
	plan->tests_ns = (double)options.tests_ns;
	run->repeat = (unsigned)options.repeat;
	run->limit_ns = limit_of_run(run);
	overlap_given.needed = overlap_given.thread_level.value >= 0
				       ? (enum thread_level)overlap_given.thread_level.value
			       : plan->benches[BENCH_NLOAD] ? LEVEL_FUNNELED
							    : LEVEL_SINGLE;
	write_text(run);
	return 0;
}
