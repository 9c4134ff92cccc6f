#include "measure/cells/members.h"

#include "measure/cells/cells_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const bench_names[BENCH_COUNT + 1] = {
#define BENCHMARK(id, name, group, picture, what) name,
#include "measure/cells/benchmarks.def"
#undef BENCHMARK
	NULL,
};

#define MEMBER(type, name, of_kind, ...)                                                          \
	{                                                                                         \
		.key = #name, .kind = of_kind, .offset = offsetof(struct type, name), __VA_ARGS__ \
	}
#define HEADER(name, kind, ...) MEMBER(cells_header, name, kind, __VA_ARGS__)
#define SPEC(name, kind, ...) MEMBER(cell_spec, name, kind, __VA_ARGS__)
#define CELL(name, kind, ...) MEMBER(cell, name, kind, __VA_ARGS__)

const struct member header_members[] = {
	HEADER(hosts, MEMBER_PAIR),
	HEADER(one_host, MEMBER_TRUTH),
	HEADER(mpi, MEMBER_TEXT),
	HEADER(transport, MEMBER_TEXT),
	HEADER(processor, MEMBER_TEXT),
	HEADER(processors, MEMBER_COUNT),
	HEADER(cores, MEMBER_PAIR),
	HEADER(start, MEMBER_TEXT, .varies = true),
	HEADER(thread_level, MEMBER_TEXT),
	HEADER(options, MEMBER_TEXT),
	HEADER(ranks, MEMBER_COUNT),
	HEADER(pairs, MEMBER_COUNT),
	HEADER(repeat, MEMBER_COUNT),
	HEADER(both_types, MEMBER_TRUTH),
	HEADER(pinned, MEMBER_TRUTH),
	HEADER(load, MEMBER_NUMBER, .varies = true),
	HEADER(work_ns, MEMBER_NUMBER, .varies = true),
	{0},
};

const struct member spec_members[] = {
	SPEC(bench, MEMBER_CHOICE, .names = bench_names),
	SPEC(kernel, MEMBER_CHOICE, .names = kernel_names),
	SPEC(side, MEMBER_CHOICE, .names = side_names),
	SPEC(bytes, MEMBER_BYTES),
	SPEC(compute_ns, MEMBER_TIME),
	SPEC(threads, MEMBER_COUNT),
	SPEC(pending, MEMBER_COUNT),
	SPEC(tests_ns, MEMBER_TIME),
	{0},
};

const struct member cell_members[] = {
	CELL(full, MEMBER_SPREAD),
	CELL(latency, MEMBER_SPREAD),
	CELL(comm, MEMBER_SPREAD),
	CELL(comp, MEMBER_SPREAD),
	CELL(blocking, MEMBER_SPREAD),
	CELL(post_ns, MEMBER_NUMBER),
	{.key = "computing_ns", .kind = MEMBER_NUMBER, .offset = offsetof(struct cell, compute_ns)},
	CELL(complete_ns, MEMBER_NUMBER),
	CELL(cpu_ns, MEMBER_NUMBER),
	CELL(rounds, MEMBER_COUNT),
	CELL(rejected, MEMBER_COUNT),
	{0},
};

/* -------------------------------------------------------------------- spreads */

/* Numbers of a list: the count, then the statistics in the order of the structure. */
enum { SPREAD_STATISTICS = 9, SPREAD_NUMBERS };

static void spread_numbers(const struct spread *spread, double numbers[static SPREAD_STATISTICS])
{
	const double all[SPREAD_STATISTICS] = {spread->min,    spread->d1,  spread->q1,
					       spread->median, spread->q3,  spread->d9,
					       spread->max,    spread->low, spread->high};

	memcpy(numbers, all, sizeof all);
}

static void write_spread(struct json *json, const char *key, const struct spread *spread)
{
	double numbers[SPREAD_STATISTICS];

	if (!spread->count) {
		json_null(json, key);
		return;
	}
	spread_numbers(spread, numbers);
	json_begin(json, key, '[', JSON_INLINE);
	json_integer(json, NULL, spread->count);
	for (unsigned i = 0; i < SPREAD_STATISTICS; i++)
		json_number(json, NULL, numbers[i]);
	json_end(json);
}

/* Whether a <= b but for an error of rounding. */
static bool in_order(double a, double b)
{
	return a - b <= 1e-9 * fabs(a);
}

static bool spread_is_sound(const struct spread *spread)
{
	double numbers[SPREAD_STATISTICS];

	spread_numbers(spread, numbers);
	for (unsigned i = 0; i < SPREAD_STATISTICS; i++)
		if (!in_order(spread->min, numbers[i]) || !in_order(numbers[i], spread->max))
			return false; /* or one is NAN */
	for (unsigned i = 0; i + 3 < SPREAD_STATISTICS; i++)
		if (!in_order(numbers[i], numbers[i + 1]))
			return false;
	return in_order(spread->low, spread->median) && in_order(spread->median, spread->high);
}

static int read_spread(const struct json_lines *lines, const char *key, struct spread *spread,
		       struct error *err)
{
	double numbers[SPREAD_NUMBERS];
	size_t length;

	TRY(json_lines_length(lines, key, &length, err));
	if (!length) {
		*spread = spread_of(&(struct samples){0});
		return json_lines_has(lines, key)
			       ? 0
			       : json_lines_error(lines, err, "member '%s' is missing", key);
	}
	if (length != SPREAD_NUMBERS)
		return json_lines_error(lines, err, "member '%s' is not a list of %d numbers", key,
					SPREAD_NUMBERS);
	TRY(json_lines_numbers(lines, key, numbers, SPREAD_NUMBERS, err));
	*spread = (struct spread){0,	      numbers[1], numbers[2], numbers[3], numbers[4],
				  numbers[5], numbers[6], numbers[7], numbers[8], numbers[9]};
	if (!(numbers[0] >= 1 && numbers[0] <= MEMBER_MOST_COUNT) || !spread_is_sound(spread))
		return json_lines_error(lines, err, "member '%s' has no order statistics", key);
	spread->count = (size_t)numbers[0];
	return 0;
}

/* -------------------------------------------------------------------- members */

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static void write_member(struct json *json, const struct member *member, const void *from)
{
	const char *const *texts = from;

	switch (member->kind) {
	case MEMBER_TEXT:
		json_text(json, member->key, text_or_empty(*texts));
		break;
	case MEMBER_PAIR:
		json_begin(json, member->key, '[', JSON_INLINE);
		json_text(json, NULL, text_or_empty(texts[0]));
		json_text(json, NULL, text_or_empty(texts[1]));
		json_end(json);
		break;
	case MEMBER_TRUTH:
		json_boolean(json, member->key, *(const bool *)from);
		break;
	case MEMBER_COUNT:
		json_integer(json, member->key, *(const unsigned *)from);
		break;
	case MEMBER_BYTES:
		json_integer(json, member->key, *(const uint64_t *)from);
		break;
	case MEMBER_CHOICE:
		json_text(json, member->key, member->names[*(const unsigned *)from]);
		break;
	case MEMBER_SPREAD:
		write_spread(json, member->key, from);
		break;
	default:
		json_number(json, member->key, *(const double *)from);
	}
}

void members_write(struct json *json, const struct member *members, const void *from)
{
	for (; members->kind != MEMBER_END; members++)
		write_member(json, members, (const char *)from + members->offset);
}

static int read_unsigned(const struct json_lines *lines, const struct member *member, unsigned *to,
			 struct error *err)
{
	uint64_t count;
	int choice;

	if (member->kind == MEMBER_CHOICE) {
		TRY(json_lines_choice(lines, member->key, member->names, &choice, err));
		*to = (unsigned)choice;
		return 0;
	}
	TRY(json_lines_count(lines, member->key, MEMBER_MOST_COUNT, &count, err));
	*to = (unsigned)count;
	return 0;
}

static int read_number(const struct json_lines *lines, const struct member *member, double *to,
		       struct error *err)
{
	TRY(json_lines_number(lines, member->key, to, err));
	if (member->kind == MEMBER_TIME && !(*to >= 0))
		return json_lines_error(lines, err, "member '%s' is no time", member->key);
	return 0;
}

static int read_member(const struct json_lines *lines, const struct member *member, void *to,
		       struct error *err)
{
	switch (member->kind) {
	case MEMBER_TEXT:
		return json_lines_text(lines, member->key, to, err);
	case MEMBER_PAIR:
		return json_lines_texts(lines, member->key, to, 2, err);
	case MEMBER_TRUTH:
		return json_lines_truth(lines, member->key, to, err);
	case MEMBER_COUNT:
	case MEMBER_CHOICE:
		return read_unsigned(lines, member, to, err);
	case MEMBER_BYTES:
		return json_lines_count(lines, member->key, MEMBER_MOST_BYTES, to, err);
	case MEMBER_SPREAD:
		return read_spread(lines, member->key, to, err);
	default:
		return read_number(lines, member, to, err);
	}
}

int members_read(const struct json_lines *lines, const struct member *members, void *to,
		 struct error *err)
{
	for (; members->kind != MEMBER_END; members++)
		TRY(read_member(lines, members, (char *)to + members->offset, err));
	return 0;
}

void members_free_texts(const struct member *members, void *of)
{
	for (; members->kind != MEMBER_END; members++) {
		char **texts = (char **)((char *)of + members->offset);

		if (members->kind == MEMBER_TEXT || members->kind == MEMBER_PAIR)
			free(texts[0]);
		if (members->kind == MEMBER_PAIR)
			free(texts[1]);
	}
}

static bool member_is_equal(const struct member *member, const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	switch (member->kind) {
	case MEMBER_PAIR:
		if (strcmp(text_or_empty(x[1]), text_or_empty(y[1])) != 0)
			return false;
		/* fall through */
	case MEMBER_TEXT:
		return !strcmp(text_or_empty(x[0]), text_or_empty(y[0]));
	case MEMBER_TRUTH:
		return *(const bool *)a == *(const bool *)b;
	case MEMBER_COUNT:
	case MEMBER_CHOICE:
		return *(const unsigned *)a == *(const unsigned *)b;
	case MEMBER_BYTES:
		return *(const uint64_t *)a == *(const uint64_t *)b;
	default:
		return *(const double *)a == *(const double *)b;
	}
}

const struct member *members_differ(const struct member *members, const void *a, const void *b)
{
	for (; members->kind != MEMBER_END; members++)
		if (!members->varies && !member_is_equal(members, (const char *)a + members->offset,
							 (const char *)b + members->offset))
			return members;
	return NULL;
}
