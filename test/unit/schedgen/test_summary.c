/* Summary of an archive that schedgen has converted. */
#include "schedgen/convert/summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Summary of an archive in which everything noted has occurred `count` times. */
static char *summary_of(uint64_t count)
{
	struct function_statistics sends = {.is = mpi_function_named("MPI_Send"),
					    .is_message = true,
					    .calls = count, .not_modelled_calls = count};
	struct summary summary = {
		.rank_count = (uint32_t)count, .length_ns = 1234567 * count,
		.totals = {
			.cancelled = count, .unfinished_receives = count,
			.unfinished_collectives = count, .unknown_completions = count,
			.guessed_collectives = count, .skipped_collectives = count,
			.rma = {.lost_operations = count, .lost_syncs = count,
				.exclusive_locks = count},
		},
		.calls.list = {.items = &sends, .count = 1},
		.lacks_records = true,
		.own_messages = count, .cut_halves = count, .unreceived = count, .output = "out",
		.left_out = {count, count, count, count, count, count, count, count, count,
			     count},
	};
	char *text;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);

	assert_non_null(stream);
	summary_print(stream, &summary);
	fclose(stream);
	return text;
}

static void notes_are_in_the_singular_for_one(void **state)
{
	static const char *const notes[][2] = {
		{"1 request was cancelled", "2 requests were cancelled"},
		{"1 receive was posted", "2 receives were posted"},
		{"1 non-blocking collective never completed, and is left",
		 "2 non-blocking collectives never completed, and are left"},
		{"1 request completed whose", "2 requests completed whose"},
		{"1 collective has blocks", "2 collectives have blocks"},
		{"1 non-blocking collective is of a kind",
		 "2 non-blocking collectives are of a kind"},
		{"1 message is of a rank to itself: it costs as",
		 "2 messages are of ranks to themselves: they cost as"},
		{"1 send or receive at the edges of the slice lacks",
		 "2 sends and receives at the edges of the slice lack"},
		{"1 message (100.00 %) was sent, but never received, and left out",
		 "2 messages (100.00 %) were sent, but never received, and left out"},
		{"1 call of messages and requests has no records",
		 "2 calls of messages and requests have no records"},
		{"1 operation on a window is received", "2 operations on windows are received"},
		{"1 part of a synchronisation on windows lacks",
		 "2 parts of synchronisation on windows lack"},
		{"1 exclusive lock took", "2 exclusive locks took"},
		{"1 rank ended", "2 ranks ended"},
		{"1 thread has events, but calls no MPI function: it is left",
		 "2 threads have events, but call no MPI function: they are left"},
		{"1 other location (device, metric) has events",
		 "2 other locations (devices, metrics) have events"},
		{"1 location has another", "2 locations have another"},
		{"1 record of one-sided", "2 records of one-sided"},
		{"1 communicator of a rank could", "2 communicators of ranks could"},
		{"1 receive with a wildcard has several",
		 "2 receives with wildcards have several"},
		{"1 request completes in one of", "2 requests complete in one of"},
		{"1 file calls itself rank 0", "2 files call themselves rank 0"},
		{"1 request completes at another address",
		 "2 requests complete at another address"},
	};

	(void)state;
	for (uint64_t several = 0; several < 2; several++) {
		char *text = summary_of(1 + several);
		size_t count = 0;

		for (char *at = text; (at = strstr(at, "note: ")); at++)
			count++;
		assert_int_equal(count, sizeof notes / sizeof notes[0]);
		for (size_t i = 0; i < count; i++)
			if (!strstr(text, notes[i][several]))
				fail_msg("\"%s\" is missing in\n%s", notes[i][several], text);
		free(text);
	}
}

/* The ranks that ended early have no records of their halves of messages. */
static void requests_of_an_incomplete_trace_may_lack_a_partner(void **state)
{
	const struct summary summary = {.totals.cancelled = 3, .incomplete = true, .output = "out"};
	char *text;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(stream);
	summary_print(stream, &summary);
	fclose(stream);
	assert_non_null(strstr(text, "3 requests were without a partner or cancelled, and left"));
	free(text);
}

static void lines_have_at_most_100_columns(void **state)
{
	char *text = summary_of(123456), *rest = text, *line;

	(void)state;
	while ((line = strsep(&rest, "\n")))
		if (strlen(line) > 100)
			fail_msg("%zu columns: %s", strlen(line), line);
	free(text);
}

/* Ten calls each of local functions, and of messages to nobody, in a run of 1000 ns. */
static void local_functions_have_a_line_of_their_own_from_1_percent_on(void **state)
{
	struct function_statistics functions[] = {
		{.is = mpi_function_named("MPI_Request_free"), .not_modelled_ns = 120},
		{.is = mpi_function_named("MPI_Comm_rank"), .not_modelled_ns = 9},
		{.is = mpi_function_named("MPI_Irecv"), .not_modelled_ns = 8},
		{.is = mpi_function_named("MPI_Wait"), .not_modelled_ns = 10},
		{.is = mpi_function_named("MPI_File_open"), .not_modelled_ns = 1},
	};
	struct summary summary = {
		.totals.run_ns = 1000, .output = "out",
		.calls.list = {.items = functions, .count = sizeof functions / sizeof *functions},
	};
	char *text;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);

	(void)state;
	for (size_t i = 0; i < summary.calls.list.count; i++) {
		functions[i].calls = functions[i].not_modelled_calls = 10;
		functions[i].is_local = i < 2;
		functions[i].is_message = i == 2 || i == 3;
	}
	assert_non_null(stream);
	summary_print(stream, &summary);
	fclose(stream);
	assert_non_null(strstr(text, "40 local, 10 not modelled\n"));
	assert_string_equal(strchr(text, '\n') + 1,
		"schedgen: modelled: 0 of messages and requests, 0 of collectives\n"
		"schedgen: counted as computation: MPI_Request_free, 10 calls, 120 ns (12.00 %)\n"
		"schedgen: counted as computation: MPI_Wait, 10 calls, 10 ns (1.00 %)\n"
		"schedgen: counted as computation: MPI_File_open, 10 calls, 1 ns (0.10 %)\n"
		"schedgen: counted as computation: other local functions, 20 calls, 17 ns (1.70 %)\n"
		"schedgen: out: 0 operations, 0 messages, 0 bytes (0 B)\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_of_an_incomplete_trace_may_lack_a_partner),
		cmocka_unit_test(lines_have_at_most_100_columns),
		cmocka_unit_test(local_functions_have_a_line_of_their_own_from_1_percent_on),
		cmocka_unit_test(notes_are_in_the_singular_for_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
