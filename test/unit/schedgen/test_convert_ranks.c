/* Whole archives by several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schedgen/convert/convert_archive.h"
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/make/make_ring.h"

static int make(void **state)
{
	*state = make_folder();
	return 0;
}

static int release(void **state)
{
	remove_folder(*state);
	return 0;
}

/* A file's bytes, to be freed. */
static struct input read_file(const char *path)
{
	struct input input;
	struct error err;

	if (input_open(&input, path, &err) < 0)
		fail_msg("%s", err.text);
	return input;
}

static void expect_same_file(const char *path, const char *as)
{
	struct input a = read_file(path), b = read_file(as);

	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.bytes, b.bytes, a.count);
	input_release(&a);
	input_release(&b);
}

/* Convert folder/name to folder/out; 0 with the summary in *text, to be freed, or -1. */
static int convert(const char *folder, const char *name, const char *out, unsigned threads,
		   char **text, struct error *err)
{
	const struct archive_options options = {
		.convert = {.compute_scale = 1, .reduce_ns_per_byte = 1, .copies = 1},
		.threads = threads,
		.format = strstr(out, ".bin") ? GOAL_BINARY : GOAL_TEXT,
	};
	char archive[512], path[512];
	struct summary summary;
	size_t bytes;
	FILE *stream;

	snprintf(archive, sizeof archive, "%s/%s", folder, name);
	snprintf(path, sizeof path, "%s/%s", folder, out);
	TRY(convert_archive(archive, path, &options, &summary, err));
	stream = open_memstream(text, &bytes);
	assert_non_null(stream);
	summary.output = "out";
	summary_print(stream, &summary);
	summary_print_collectives(stream, &summary);
	fclose(stream);
	summary_release(&summary);
	return 0;
}

static void the_graph_does_not_depend_on_the_number_of_threads(void **state)
{
	const struct ring ring = {.ranks = 23, .rounds = 50};
	char first[512], other[512], *summary, *same;
	struct error err;

	make_ring(*state, "ring", &ring);
	for (int text = 0; text < 2; text++) {
		const char *name = text ? "one.goal" : "one.bin",
			   *again = text ? "n.goal" : "n.bin";

		assert_int_equal(convert(*state, "ring", name, 1, &summary, &err), 0);
		for (unsigned threads = 2; threads <= 8; threads += 3) {
			assert_int_equal(convert(*state, "ring", again, threads, &same, &err), 0);
			assert_string_equal(summary, same);
			free(same);
			snprintf(first, sizeof first, "%s/%s", (char *)*state, name);
			snprintf(other, sizeof other, "%s/%s", (char *)*state, again);
			expect_same_file(other, first);
			strcat(first, ".calls");
			strcat(other, ".calls");
			expect_same_file(other, first);
		}
		free(summary);
	}
}

static void the_first_rank_that_is_damaged_is_the_error(void **state)
{
	struct ring ring = {.ranks = 20, .rounds = 3, .damaged_to = 20};
	struct error err;
	char *summary;

	for (ring.damaged_from = 0; ring.damaged_from < 12; ring.damaged_from += 5) {
		char name[20], text[60];

		snprintf(name, sizeof name, "damaged-%u", ring.damaged_from);
		snprintf(text, sizeof text, "rank %u, event 1", ring.damaged_from);
		make_ring(*state, name, &ring);
		for (unsigned threads = 1; threads <= 8; threads++) {
			assert_int_equal(convert(*state, name, "x.bin", threads, &summary, &err),
					 -1);
			assert_int_equal(err.status, STATUS_DATA);
			assert_non_null(strstr(err.text, text));
		}
	}
}

/* KiB in memory at most while folder/name is converted to folder/out, by a process of its own. */
static long memory_of(const char *folder, const char *name, const char *out)
{
	const pid_t child = fork();
	struct rusage usage;
	struct error err;
	char *summary;
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(convert(folder, name, out, 1, &summary, &err) < 0);
	assert_int_equal(wait4(child, &status, 0, &usage), child);
	assert_int_equal(status, 0);
	return usage.ru_maxrss;
}

/* A rank that is held as a whole takes about 100 bytes a call, 85 MB for the longer one. */
static void memory_does_not_grow_with_the_calls_of_a_rank(void **state)
{
	enum { SHORT = 25000, LONG = 10 * SHORT, SLACK_KIB = 16384 };
	const struct ring rings[] = {{.ranks = 1, .rounds = SHORT}, {.ranks = 1, .rounds = LONG}};
	static const char *const outs[] = {"x.bin", "x.goal"};

#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	make_ring(*state, "short", &rings[0]);
	make_ring(*state, "long", &rings[1]);
	for (int i = 0; i < 2; i++) {
		const long less = memory_of(*state, "short", outs[i]);
		const long more = memory_of(*state, "long", outs[i]);

		if (more > less + SLACK_KIB)
			fail_msg("%s: %ld KiB for %d rounds, but %ld KiB for %d", outs[i], less,
				 SHORT, more, LONG);
	}
}

/* Temporary files, too, may be larger than allowed, in the middle of a rank. */
static void a_full_disk_is_an_error_of_the_output_and_not_of_the_trace(void **state)
{
	const struct ring ring = {.ranks = 1, .rounds = 40000};
	pid_t child;
	int status;

	make_ring(*state, "ring", &ring);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		const struct rlimit limit = {1 << 20, 1 << 20};
		char *summary, expected[512];
		struct error err;

		if (setrlimit(RLIMIT_FSIZE, &limit) < 0 ||
		    convert(*state, "ring", "x.bin", 1, &summary, &err) == 0)
			_exit(1);
		snprintf(expected, sizeof expected, "%s/x.bin: cannot be written: File too large",
			 (char *)*state);
		_exit(strcmp(err.text, expected) ? 2 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_graph_does_not_depend_on_the_number_of_threads, make, release),
		cmocka_unit_test_setup_teardown(the_first_rank_that_is_damaged_is_the_error, make,
						release),
		cmocka_unit_test_setup_teardown(memory_does_not_grow_with_the_calls_of_a_rank, make,
						release),
		cmocka_unit_test_setup_teardown(
			a_full_disk_is_an_error_of_the_output_and_not_of_the_trace, make, release),
	};

	return cmocka_run_group_tests_name("convert_ranks", tests, NULL, NULL);
}
