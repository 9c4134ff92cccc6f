/* Tests of communicators made by MPI_Comm_split in text traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/damage.h"
#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/make/random_graph.h"

enum { MOST_RANKS = 9, COMMS = 64, WORLD = 1140850688, FIRST_HANDLE = -2080374784 };

/* Trace while it is written, with a clock for each rank. */
struct trace {
	uint32_t ranks;
	FILE *files[MOST_RANKS];
	uint32_t time[MOST_RANKS];
	struct comm {
		uint32_t size, ranks[MOST_RANKS];
		int handle;
	} comms[COMMS];
	uint32_t count;
};

static void begin(struct trace *trace, const char *folder, uint32_t ranks)
{
	*trace = (struct trace){.ranks = ranks, .count = 1};
	trace->comms[0] = (struct comm){.size = ranks, .handle = WORLD};
	for (uint32_t rank = 0; rank < ranks; rank++) {
		char path[600];

		trace->comms[0].ranks[rank] = rank;
		snprintf(path, sizeof path, "%s/trace-%u.txt", folder, rank);
		trace->files[rank] = fopen(path, "wb");
		assert_non_null(trace->files[rank]);
		trace->time[rank] = 100;
		fprintf(trace->files[rank], "MPI_Init:-:8:16:100\n");
	}
}

static void end(struct trace *trace)
{
	for (uint32_t rank = 0; rank < trace->ranks; rank++) {
		fprintf(trace->files[rank], "MPI_Finalize:%u:-\n", trace->time[rank] + 1);
		fclose(trace->files[rank]);
	}
}

/*
 * Write a call on a communicator by one of its ranks, with arguments `before` and `after` the
 * communicator.
 */
static void call(struct trace *trace, const struct comm *comm, uint32_t own, const char *name,
		 const char *before, const char *after)
{
	uint32_t rank = comm->ranks[own], *time = &trace->time[rank];

	fprintf(trace->files[rank], "%s:%u:%s%d,%u,%u%s:%u\n", name, *time, before, comm->handle,
		own, comm->size, after, *time + 1);
	*time += 1;
}

/*
 * Make the communicator of a color, ordered by key and then by rank.  Returns -1 if it is empty.
 */
static int make_part(struct trace *trace, const struct comm *parent, const int *colors,
		     const int *keys, int color)
{
	struct comm *part = &trace->comms[trace->count];

	*part = (struct comm){.handle = FIRST_HANDLE + (int)trace->count};
	for (int key = -3; key <= 3; key++)
		for (uint32_t i = 0; i < parent->size; i++)
			if (colors[i] == color && keys[i] == key)
				part->ranks[part->size++] = parent->ranks[i];
	return part->size ? (int)trace->count++ : -1;
}

/* Write a barrier and a ring, which are right only with all ranks of the communicator. */
static void communicate(struct trace *trace, const struct comm *comm)
{
	char text[200];

	for (uint32_t i = 0; i < comm->size; i++) {
		call(trace, comm, i, "MPI_Barrier", "", "");
		snprintf(text, sizeof text,
			 "64:1:1,4,4:%u:5:80:1:1,4,4:%u:5:", (i + 1) % comm->size,
			 (i + comm->size - 1) % comm->size);
		call(trace, comm, i, "MPI_Sendrecv", text, ":96");
	}
}

static void split(struct trace *trace, const struct comm *parent, const int *colors,
		  const int *keys)
{
	char text[100];

	for (uint32_t i = 0; i < parent->size; i++) {
		snprintf(text, sizeof text, ":%d:%d:72", colors[i], keys[i]);
		call(trace, parent, i, "MPI_Comm_split", "", text);
	}
	for (int color = 0; color < 3; color++) {
		int part = make_part(trace, parent, colors, keys, color);

		if (part >= 0)
			communicate(trace, &trace->comms[part]);
	}
}

/* Run schedgen, which must succeed.  Return its output, to be freed by the caller. */
static char *convert(const char *folder)
{
	char command[700], *output = NULL;
	size_t bytes;
	FILE *commands, *stream = open_memstream(&output, &bytes);
	int byte;

	snprintf(command, sizeof command,
		 "schedgen '%s' -o '%s.goal' 2>&1 && goal check '%s.goal' && rm '%s.goal'*", folder,
		 folder, folder, folder);
	commands = popen(command, "r");
	assert_non_null(commands);
	while ((byte = fgetc(commands)) != EOF)
		fputc(byte, stream);
	fclose(stream);
	if (pclose(commands) != 0)
		fail_msg("%s: %s", folder, output);
	return output;
}

/* Splits of splits, with all kinds of colors and keys. */
static void members_follow_colors_and_keys(void **state)
{
	const int undefined = -32766;
	uint64_t numbers = 3;

	(void)state;
	for (int round = 0; round < 12; round++) {
		char *folder = make_folder(), *output;
		struct trace trace;

		begin(&trace, folder, 2 + (uint32_t)random_below(&numbers, MOST_RANKS - 1));
		for (int step = 0; step < 8; step++) {
			const struct comm parent = trace.comms[random_below(&numbers, trace.count)];
			int colors[MOST_RANKS], keys[MOST_RANKS];

			for (uint32_t i = 0; i < parent.size; i++) {
				int color = (int)random_below(&numbers, 4);

				colors[i] = color == 3 ? undefined : color;
				keys[i] = (int)random_below(&numbers, 7) - 3;
			}
			split(&trace, &parent, colors, keys);
		}
		end(&trace);
		output = convert(folder);
		assert_null(strstr(output, "communicators of unknown ranks"));
		assert_non_null(strstr(output, " 0 not modelled"));
		free(output);
		remove_folder(folder);
	}
}

/* Rows and columns of four ranks: ranks on the diagonal have the same place in both. */
static void rows_and_columns_are_distinguished_by_their_order(void **state)
{
	const int rows[] = {0, 0, 1, 1}, columns[] = {0, 1, 0, 1}, keys[] = {0, 0, 0, 0};
	char *folder = make_folder(), *output;
	struct trace trace;

	(void)state;
	begin(&trace, folder, 4);
	split(&trace, &trace.comms[0], rows, keys);
	split(&trace, &trace.comms[0], columns, keys);
	end(&trace);
	feed_expect_rank(folder, 3,
			 "send 0 to 0 tag 2147483648\nrecv 0 from 2 tag 2147483648\n"
			 "send 0 to 1 tag 2147483648 > 0 1\nrecv 0 from 1 tag 2147483648 > 0 1\n"
			 "send 0 to 2 tag 2147483649 > 2 3\nrecv 0 from 2 tag 2147483649 > 2 3\n"
			 "send 4 to 2 tag 2147483650 > 4 5\nrecv 4 from 2 tag 2147483650 > 4 5\n"
			 "send 0 to 0 tag 2147483648 > 6 7\nrecv 0 from 2 tag 2147483648 > 6 7\n"
			 "send 0 to 1 tag 2147483648 > 8 9\nrecv 0 from 1 tag 2147483648 > 8 9\n"
			 "send 0 to 1 tag 2147483651 > 10 11\n"
			 "recv 0 from 1 tag 2147483651 > 10 11\n"
			 "send 4 to 1 tag 2147483652 > 12 13\n"
			 "recv 4 from 1 tag 2147483652 > 12 13\n"
			 "calc 1000 > 14 15\n");
	output = convert(folder);
	assert_non_null(strstr(output, "note: 4 communicators of ranks could be others"));
	free(output);
	remove_folder(folder);
}

/* The trace lacks the members of communicators made by MPI_Comm_create. */
static void calls_on_communicators_made_in_other_ways_are_left_out(void **state)
{
	const int colors[] = {0, 0, 1, 1}, keys[] = {0, 0, 0, 0};
	char *folder = make_folder(), *output;
	struct trace trace;

	(void)state;
	begin(&trace, folder, 4);
	split(&trace, &trace.comms[0], colors, keys);
	for (uint32_t i = 0; i < 4; i++)
		call(&trace, &trace.comms[0], i, "MPI_Comm_create", "", ":80:72");
	end(&trace);
	output = convert(folder);
	assert_non_null(strstr(output, "computation: (calls on communicators of unknown ranks), "
				       "8 calls"));
	free(output);
	remove_folder(folder);
}

/* Check whether rank 0 can be converted. */
static bool is_converted(void *data)
{
	struct trace_reader *reader = NULL;
	struct feed feed;
	bool read = feed_trace(&feed, data, 0, &reader) == 0;

	if (!read)
		assert_in_range(feed.err.status, STATUS_DATA, STATUS_LIMIT);
	feed_release(&feed);
	trace_reader_close(reader);
	return read;
}

/* The trace has rows, columns and receives with wildcards: opening it reads all ranks. */
static void damage_does_no_harm(void **state)
{
	const int rows[] = {0, 0, 1, 1}, columns[] = {0, 1, 0, 1}, keys[] = {0, 0, 0, 0};
	char *folder = make_folder(), path[600];
	struct trace trace;
	uint64_t numbers = 9;

	(void)state;
	begin(&trace, folder, 4);
	split(&trace, &trace.comms[0], rows, keys);
	split(&trace, &trace.comms[0], columns, keys);
	for (uint32_t i = 0; i < 4; i++) {
		call(&trace, &trace.comms[0], i, "MPI_Isend", "64:1:1,4,4:0:5:", ":1000");
		if (!i)
			for (int n = 0; n < 4; n++)
				call(&trace, &trace.comms[0], 0, "MPI_Recv", "64:1:1,4,4:-2:-1:",
				     ":96");
	}
	end(&trace);
	assert_true(is_converted(folder));
	for (uint32_t rank = 0; rank < 4; rank++) {
		snprintf(path, sizeof path, "%s/trace-%u.txt", folder, rank);
		assert_in_range(damage_some(path, 150, &numbers, is_converted, folder), 20, 149);
	}
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_follow_colors_and_keys),
		cmocka_unit_test(rows_and_columns_are_distinguished_by_their_order),
		cmocka_unit_test(damage_does_no_harm),
		cmocka_unit_test(calls_on_communicators_made_in_other_ways_are_left_out),
	};

	return cmocka_run_group_tests_name("liballprof_comms", tests, NULL, NULL);
}
