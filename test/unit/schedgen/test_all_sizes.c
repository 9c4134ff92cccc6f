/* Sizes of blocks that algorithms need on all ranks (schedgen/convert/all_sizes.h). */
#include "schedgen/convert/all_sizes.h"
#include "trace/call/mpi_functions.h"
#include "trace/otf2/trace_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/must.h"

enum { RANKS = 4 };

/* A call of MPI_Neighbor_alltoallv between ranks 0 and 1, then one of MPI_Alltoallv. */
static void write_calls(struct trace_writer *writer, uint32_t rank)
{
	static const uint64_t to_one[] = {900}, to_all[RANKS] = {8, 24, 0, 16};
	const struct mpi_event events[] = {
		{.kind = EVENT_COLLECTIVE, .collective = COLL_ALLTOALLV, .root = NO_ROOT,
		 .neighbours = rank == 0 ? "1;1" : "0;0", .send_bytes = to_one,
		 .receive_bytes = to_one, .send_count = 1, .receive_count = 1},
		{.kind = EVENT_COLLECTIVE, .collective = COLL_ALLTOALLV, .root = NO_ROOT,
		 .send_bytes = to_all, .receive_bytes = to_all, .send_count = RANKS,
		 .receive_count = RANKS},
	};
	const struct mpi_call calls[] = {
		{.enter_ns = 100, .leave_ns = 200, .events = events, .event_count = rank < 2},
		{.enter_ns = 300, .leave_ns = 400, .events = events + 1, .event_count = 1},
	};
	struct error err;

	MUST(trace_writer_call(writer, 0, CALL_Neighbor_alltoallv, &calls[0], &err));
	MUST(trace_writer_call(writer, 0, CALL_Alltoallv, &calls[1], &err));
}

static void write_archive(const char *folder)
{
	const uint32_t comms[] = {COMM_ID_WORLD, COMM_ID_SELF};
	struct trace_writer *writers[RANKS];
	struct trace_rank ranks[RANKS];
	struct string_table strings = {0};
	struct trace_definitions all = {.rank_count = RANKS, .ranks = ranks, .strings = &strings,
					.complete = true};
	uint32_t ids[RANKS][8], empty;
	struct error err;

	MUST(string_table_add(&strings, "", 0, &empty, &err));
	for (uint32_t r = 0; r < RANKS; r++) {
		const struct string_table *own;

		MUST(trace_writer_open(&writers[r], folder, &(struct trace_place){r, RANKS, 1}, 10,
				       &err));
		write_calls(writers[r], r);
		MUST(trace_writer_end(writers[r], 1000, &ranks[r], &err));
		ranks[r].host = ranks[r].cpus = "";
		own = trace_writer_strings(writers[r]);
		for (uint32_t i = 0; i < own->starts.count; i++) {
			const char *text = string_table_get(own, i);

			MUST(string_table_add(&strings, text, strlen(text), &ids[r][i], &err));
		}
	}
	MUST(trace_writer_define(writers[0], &all, &err));
	for (uint32_t r = RANKS; r-- > 0;) {
		MUST(trace_writer_map(writers[r],
				      &(struct trace_maps){.strings = ids[r], .comms = comms,
							   .comm_count = 2},
				      &err));
		MUST(trace_writer_close(writers[r], &err));
	}
	string_table_release(&strings);
}

static void collectives_of_neighbours_do_not_count(void **state)
{
	char *folder = make_folder(), path[80];
	struct all_sizes sizes = {0};
	struct trace_reader *reader;
	struct error err;

	(void)state;
	snprintf(path, sizeof path, "%s/trace", folder);
	write_archive(path);
	MUST(trace_reader_open(&reader, path, &err));
	MUST(all_sizes_read(&sizes, reader, &err));
	assert_int_equal(*all_sizes_find(&sizes, SIZE_OF_LARGEST, COMM_ID_WORLD, 0), 24);
	assert_null(all_sizes_find(&sizes, SIZE_OF_LARGEST, COMM_ID_WORLD, 1));
	all_sizes_release(&sizes);
	trace_reader_close(reader);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collectives_of_neighbours_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
