/* The closed forms of doc/collectives.md hold. */
#include "test/unit/lib/oracle/coll_calls.h"
#include "test/unit/lib/oracle/coll_formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct play play;

static int release(void **state)
{
	(void)state;
	play_release(&play);
	return 0;
}

enum { KIND, ALGORITHM, ROUNDS, MESSAGES, BYTES, LATENCIES, COLUMNS };

/* Cut the cells between backticks out of a line of the table.  False for other lines. */
static bool read_cells(char *line, const char *cells[COLUMNS])
{
	if (strncmp(line, "| `", 3) != 0)
		return false;
	for (int i = 0; i < COLUMNS; i++) {
		line = strchr(line, '`');
		if (!line)
			return false;
		cells[i] = ++line;
		line = strchr(line, '`');
		if (!line)
			return false;
		*line++ = '\0';
	}
	return true;
}

static const struct coll_algorithm *find_named(const char *kind, const char *name)
{
	const struct coll_algorithm *algorithm;

	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		if (strcmp(coll_name(algorithm->kind), kind) == 0 &&
		    strcmp(algorithm->name, name) == 0)
			return algorithm;
	}
	return NULL;
}

static void compare(const char *cells[COLUMNS], int column, uint32_t size, uint64_t bytes,
		    uint64_t segment, uint64_t found)
{
	static const char *const names[] = {[ROUNDS] = "rounds", [MESSAGES] = "messages",
					    [BYTES] = "bytes", [LATENCIES] = "latencies"};
	const char *fault;
	const bool none = !strcmp(cells[column], "-") && (column == ROUNDS || column == LATENCIES);
	const uint64_t value = none ? 0 :
				      formula_value(cells[column], size, bytes, segment, &fault);

	if (none)
		return;
	if (fault)
		fail_msg("%s %s: \"%s\" has %s", cells[KIND], cells[ALGORITHM], cells[column],
			 fault);
	if (value != found)
		fail_msg("%s %s, %u ranks: %llu %s, but %s = %llu", cells[KIND], cells[ALGORITHM],
			 size, (unsigned long long)found, names[column], cells[column],
			 (unsigned long long)value);
}

/* Blocks that can be cut into P and into p pieces. */
static uint64_t divisible_bytes(uint32_t size)
{
	return UINT64_C(64) * size;
}

static void compare_line(const char *cells[COLUMNS], const struct coll_algorithm *algorithm,
			 uint64_t segment)
{
	uint32_t size, i, j, root;
	uint64_t bytes;
	char text[64];

	for (size = 2; size <= PLAY_RANKS; size++) {
		bytes = divisible_bytes(size);
		root = algorithm->kind == COLL_REDUCE ? 0 : size / 3;
		calls_set(algorithm->kind, size, root, bytes);
		for (i = 0; i < size; i++) {
			for (j = 0; j < size; j++)
				matrix[i][j] = bytes;
		}
		if (kind_has_vectors(algorithm->kind))
			calls_set_vectors(algorithm->kind, size, root);
		calls_tell_sizes(algorithm, size, root);
		if (segment) {
			snprintf(text, sizeof text, "segment=%llu", (unsigned long long)segment);
			calls_set_parameters(algorithm, text, size);
		}
		if (!play_generate(&play, algorithm, calls, size) ||
		    !play_execute(&play, PLAY_FIRST_READY_FIRST))
			fail_msg("%s", play.fault);
		compare(cells, ROUNDS, size, bytes, segment, play.most_rounds);
		compare(cells, MESSAGES, size, bytes, segment, play.messages);
		compare(cells, BYTES, size, bytes, segment, play.bytes);
		compare(cells, LATENCIES, size, bytes, segment, play.depth);
	}
}

/* Segments that do not divide blocks, that do, and larger ones; PLAY_SLOTS is the limit. */
static void compare_segmented(const char *cells[COLUMNS], const struct coll_algorithm *algorithm)
{
	static const uint64_t segments[] = {33, 64, 1000, 1024, 1 << 20};

	for (size_t i = kind_has_vectors(algorithm->kind) ? 2 : 0;
	     i < sizeof segments / sizeof *segments; i++)
		compare_line(cells, algorithm, segments[i]);
}

static void the_closed_forms_of_the_manual_hold_for_2_to_64_ranks(void **state)
{
	const char *source = getenv("SOURCE"), *cells[COLUMNS];
	const struct coll_algorithm *algorithm;
	size_t lines = 0, algorithms = 0;
	char path[4096], line[2048];
	FILE *manual;

	(void)state;
	snprintf(path, sizeof path, "%s/doc/collectives.md", source ? source : ".");
	manual = fopen(path, "r");
	assert_non_null(manual);
	while (fgets(line, sizeof line, manual)) {
		if (!read_cells(line, cells))
			continue;
		algorithm = find_named(cells[KIND], cells[ALGORITHM]);
		if (!algorithm)
			fail_msg("%s %s does not exist", cells[KIND], cells[ALGORITHM]);
		/* The manual lists them in the order of the table: each once, defaults first. */
		assert_ptr_equal(algorithm, &coll_algorithms[lines]);
		compare_line(cells, algorithm, 0);
		if (algorithm->parameters & COLL_TAKES_SEGMENT)
			compare_segmented(cells, algorithm);
		lines++;
	}
	fclose(manual);
	while (coll_algorithms[algorithms].name)
		algorithms++;
	assert_int_equal(lines, algorithms);
}

/* Messages, bytes and depth of a call of 1024 bytes are in `play` afterwards. */
static void play_call(const struct coll_algorithm *algorithm, const char *parameters,
		      uint32_t ranks)
{
	calls_set(algorithm->kind, ranks, 0, 1024);
	if (parameters)
		calls_set_parameters(algorithm, parameters, ranks);
	if (!play_generate(&play, algorithm, calls, ranks) ||
	    !play_execute(&play, PLAY_FIRST_READY_FIRST))
		fail_msg("%s", play.fault);
}

/* Number of pairs of m ranks that differ in one bit. */
static uint32_t pairs_of(uint32_t m)
{
	uint32_t pairs = 0;

	for (uint32_t rank = 1; rank < m; rank++)
		pairs += (uint32_t)__builtin_popcount(rank);
	return pairs;
}

/* Share of m ranks on each of N nodes besides the share of the leaders, by the manual. */
static void expected_within(enum mpi_collective kind, uint32_t nodes, uint32_t m,
			    uint32_t *messages, uint32_t *depth)
{
	const uint32_t down = 31 - (uint32_t)__builtin_clz(m), up = down + ((m & (m - 1)) != 0);

	*messages = nodes * (m - 1);
	*depth = down;
	if (kind == COLL_ALLREDUCE) {
		*messages *= 2;
		*depth *= 2;
	} else if (kind == COLL_BARRIER) {
		*messages += nodes * m * up;
		*depth += up;
	} else if (kind == COLL_SCAN) {
		*messages = nodes * (2 * pairs_of(m) + (m > 1)) + (nodes - 1) * m;
		*depth = up + (m > 1) + (nodes > 1) * (1 + down);
	}
}

static void two_levels_add_what_happens_within_the_nodes(void **state)
{
	static const struct {
		enum mpi_collective kind;
		const char *leaders;
	} cases[] = {
		{COLL_ALLREDUCE, "rabenseifner"}, {COLL_BARRIER, "dissemination"},
		{COLL_BCAST, "binomial"}, {COLL_REDUCE, "binomial"},
		{COLL_SCAN, "recursive-doubling"},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint64_t each = cases[i].kind == COLL_BARRIER ? 0 : 1024;
		const struct coll_algorithm *two = coll_find(cases[i].kind, "two-level");

		for (uint32_t nodes = 1; nodes <= 16; nodes++) {
			uint32_t depth, more, deeper;
			uint64_t messages, bytes;

			play_call(coll_find(cases[i].kind, cases[i].leaders), NULL, nodes);
			messages = play.messages;
			bytes = play.bytes;
			depth = play.depth;
			for (uint32_t m = 1; m * nodes <= PLAY_RANKS; m++) {
				snprintf(text, sizeof text, "node=%u,leaders=%s", m,
					 cases[i].leaders);
				expected_within(cases[i].kind, nodes, m, &more, &deeper);
				play_call(two, text, m * nodes);
				assert_int_equal(play.messages, messages + more);
				assert_int_equal(play.bytes, bytes + more * each);
				/* With other numbers, messages of a scan overtake others. */
				if (cases[i].kind != COLL_SCAN ||
				    !((nodes & (nodes - 1)) | (m & (m - 1))))
					assert_int_equal(play.depth, depth + deeper);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_closed_forms_of_the_manual_hold_for_2_to_64_ranks),
		cmocka_unit_test(two_levels_add_what_happens_within_the_nodes),
	};

	return cmocka_run_group_tests_name("collectives: closed forms", tests, NULL, release);
}
