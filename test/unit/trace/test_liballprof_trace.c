/* runs: slow */
/* Tests from text traces of liballprof to graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/make/random_graph.h"
#include "trace/trace_reader.h"

#define WORLD0 "1140850688,0,2"
#define WORLD1 "1140850688,1,2"
#define INT "1,4,4"
#define BEGIN "# htor's PMPI Tracer 1.1 Output File\n# time: now\n\nMPI_Init:-:8:16:100\n"
#define END(time) "MPI_Finalize:" #time ":-\n"

static int setup(void **state)
{
	*state = make_folder();
	return 0;
}

static int teardown(void **state)
{
	remove_folder(*state);
	return 0;
}

static void write_text(const char *path, const char *text, size_t bytes)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	fclose(file);
}

/* Write the file of a rank into the folder. */
static void write_rank(const char *folder, uint32_t rank, const char *text, size_t bytes)
{
	char path[600];

	snprintf(path, sizeof path, "%s/trace-rank-%u.txt", folder, rank);
	write_text(path, text, bytes);
}

static void release(struct feed *feed, struct trace_reader *reader)
{
	feed_release(feed);
	trace_reader_close(reader);
}

/* Write a trace of two ranks, with `text` for `rank`, and expect its graph. */
static struct trace_left_out expect(const char *folder, uint32_t rank, const char *text,
				    const char *graph)
{
	static const char other[] = BEGIN END(200);
	struct trace_left_out left_out;
	struct trace_reader *reader;
	struct feed feed;

	write_rank(folder, rank, text, strlen(text));
	write_rank(folder, !rank, other, strlen(other));
	if (feed_trace(&feed, folder, rank, &reader) < 0)
		fail_msg("%s", feed.err.text);
	feed_expect(&feed, graph);
	left_out = trace_reader_left_out(reader);
	release(&feed, reader);
	return left_out;
}

/* -------------------------------------------------------------------- messages */

static void messages_become_sends_and_receives(void **state)
{
	expect(*state, 0,
	       BEGIN
	       "MPI_Send:103:64:10:" INT ":1:5:" WORLD0 ":110\n"
	       "# a comment\n"
	       "MPI_Recv:110.5:64:3:10,8,8:1:6:" WORLD0 ":96:112.25\n"
	       "MPI_Sendrecv:113:64:1:13,1,1:1:7:80:2:" INT ":1:8:" WORLD0 ":96:115\n"
	       "MPI_Sendrecv_replace:115:64:4:" INT ":1:9:-1:10:" WORLD0 ":96:116\n" END(116),
	       "calc 3000\n"
	       "send 40 to 1 tag 5 > 0\n"
	       "calc 500 > 1\n"
	       "recv 24 from 1 tag 6 > 2\n"
	       "calc 750 > 3\n"
	       "send 1 to 1 tag 7 > 4\n"
	       "recv 8 from 1 tag 8 > 4\n"
	       "send 16 to 1 tag 9 > 5 6\n");	/* MPI_PROC_NULL is no source */
}

static void requests_are_known_by_their_addresses(void **state)
{
	expect(*state, 1,
	       BEGIN
	       "MPI_Irecv:100:64:1:" INT ":0:5:" WORLD1 ":1000:100\n"
	       "MPI_Isend:100:64:1:" INT ":0:5:" WORLD1 ":1004:100\n"
	       "MPI_Irecv:100:64:2:" INT ":0:6:" WORLD1 ":1008:100\n"
	       "MPI_Wait:101:1008:96:102\n"
	       "MPI_Waitall:103:5:996:80:104\n"	/* three of them null */
	       "MPI_Barrier:105:" WORLD1 ":106\n" END(106),
	       "recv 4 from 0 tag 5\n"
	       "send 4 to 0 tag 5\n"
	       "recv 8 from 0 tag 6 >> 1\n"
	       "calc 1000 >> 1\n"
	       "calc 1000 > 3 2\n"
	       "calc 1000 > 4 0 1\n"
	       "send 0 to 0 tag 2147483648 > 5\n"
	       "recv 0 from 0 tag 2147483648 > 5\n");
}

static void requests_of_open_mpi_have_eight_bytes(void **state)
{
	expect(*state, 1,
	       BEGIN
	       "MPI_Irecv:100:64:1:" INT ":0:5:94000000000000,1,2:1000:100\n"
	       "MPI_Irecv:100:64:1:" INT ":-2:5:94000000000000,1,2:1008:100\n"
	       "MPI_Irecv:100:64:1:" INT ":0:6:94000000000000,1,2:1016:100\n"
	       "MPI_Waitall:101:3:1000:80:104\n"
	       "MPI_Send:105:64:1:" INT ":0:5:94000000000000,1,2:106\n" END(106),
	       "recv 4 from 0 tag 5\n"
	       "recv 4 from 0 tag 6\n"
	       "calc 1000\n"
	       "calc 1000 > 2 0 1\n"
	       "send 4 to 0 tag 5 > 3\n");
}

static void persistent_requests_start_again(void **state)
{
	expect(*state, 0,
	       BEGIN
	       "MPI_Send_init:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\n"
	       "MPI_Recv_init:100:64:1:" INT ":1:5:" WORLD0 ":1004:100\n"
	       "MPI_Startall:100:2:1000:100\n"
	       "MPI_Waitall:100:2:1000:80:104\n"
	       "MPI_Start:104:1000:104\n"
	       "MPI_Wait:104:1000:80:104\n"
	       "MPI_Request_free:104:1000:104\n"
	       "MPI_Request_free:104:1004:104\n" END(105),
	       "send 4 to 1 tag 5\n"
	       "recv 4 from 1 tag 5 >> 0\n"
	       "send 4 to 1 tag 5 > 0 1 >> 0\n"
	       "calc 1000 > 2 >> 2\n");
}

static void probed_messages_are_received(void **state)
{
	expect(*state, 0,
	       BEGIN
	       "MPI_Mprobe:100:1:5:" WORLD0 ":5000:80:101\n"
	       "MPI_Mrecv:101:64:3:" INT ":5000:80:102\n"
	       "MPI_Improbe:102:1:6:" WORLD0 ":70:5000:80:103\n"
	       "MPI_Imrecv:103:64:1:" INT ":5000:1000:103\n"
	       "MPI_Wait:103:1000:80:104\n" END(105),
	       "recv 12 from 1 tag 5\n"
	       "recv 4 from 1 tag 6 > 0\n"
	       "calc 0 > 0\n"
	       "calc 1000 > 2 1\n");
}

static void a_request_completes_in_the_last_test_of_it(void **state)
{
	struct trace_left_out left_out = expect(
		*state, 0,
		BEGIN
		"MPI_Irecv:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\n"
		"MPI_Test:110:1000:70:80:110\n"
		"MPI_Test:120:1000:70:80:120\n"
		"MPI_Irecv:130:64:1:" INT ":1:6:" WORLD0 ":1000:130\n"
		"MPI_Testall:140:1:1000:70:80:140\n"
		"MPI_Wait:150:1000:80:150\n" END(160),
		"recv 4 from 1 tag 5\n"
		/* The tests are 10 us apart: the program works between them. */
		"calc 20000\n"
		"calc 10000 > 1 0\n"
		"recv 4 from 1 tag 6 > 2\n"
		"calc 20000 > 2\n"
		"calc 10000 > 4 3\n");

	assert_int_equal(left_out.guessed_completions, 1);
	assert_int_equal(left_out.moved_requests, 0);
}

static void wait_for_any_completes_one_after_the_other(void **state)
{
	struct trace_left_out left_out = expect(
		*state, 0,
		BEGIN
		"MPI_Irecv:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\n"
		"MPI_Irecv:100:64:1:" INT ":1:6:" WORLD0 ":1004:100\n"
		"MPI_Irecv:100:64:1:" INT ":1:7:" WORLD0 ":1008:100\n"
		"MPI_Waitany:100:3:1000:70:80:101\n"
		"MPI_Waitsome:102:3:1000:70:80:90:103\n" END(104),
		"recv 4 from 1 tag 5\n"
		"recv 4 from 1 tag 6\n"
		"recv 4 from 1 tag 7\n"
		"calc 1000 > 0\n"
		"calc 1000 > 3 1 2\n");

	assert_int_equal(left_out.guessed_completions, 3);
}

static void requests_that_moved_are_found_in_order(void **state)
{
	struct trace_left_out left_out = expect(
		*state, 0,
		BEGIN
		"MPI_Irecv:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\n"
		"MPI_Irecv:100:64:1:" INT ":1:6:" WORLD0 ":1000:100\n"
		"MPI_Irecv:100:64:1:" INT ":1:7:" WORLD0 ":1000:100\n"
		"MPI_Wait:100:5000:80:101\n"
		"MPI_Waitall:102:2:5004:80:103\n"
		"MPI_Irecv:103:64:1:" INT ":1:8:" WORLD0 ":2000:103\n" END(104),
		"recv 4 from 1 tag 5\n"
		"recv 4 from 1 tag 6\n"
		"recv 4 from 1 tag 7\n"
		"calc 1000 > 0\n"
		"calc 0 > 3 1 2\n"
		"recv 4 from 1 tag 8 > 4\n"
		"calc 1000 > 4\n");

	assert_int_equal(left_out.moved_requests, 4);
}

static void cancelled_requests_are_left_out(void **state)
{
	expect(*state, 0,
	       BEGIN
	       "MPI_Irecv:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\n"
	       "MPI_Cancel:100:1000:101\n"
	       "MPI_Wait:101:1000:80:101\n" END(101),
	       "calc 0\n"
	       "calc 1000\n");	/* MPI_Cancel */
}

/* ----------------------------------------------------------------- collectives */

/* Print the call and event of one line. */
static int print_event(void *data, const struct mpi_call *call, struct error *err)
{
	FILE *stream = data;

	(void)err;
	if (!strcmp(call->function, "MPI_Init") || !strcmp(call->function, "MPI_Finalize"))
		return 0;
	fprintf(stream, "%s", call->function);
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];

		fprintf(stream, " kind %d collective %d root %d%s sent %llu received %llu %s",
			event->kind, event->collective, (int)event->root,
			event->in_place ? " in place" : "", (unsigned long long)event->bytes_sent,
			(unsigned long long)event->bytes_received,
			event->operation ? event->operation : "-");
		if (event->send_bytes)
			fprintf(stream, " send %llu,%llu", (unsigned long long)event->send_bytes[0],
				(unsigned long long)event->send_bytes[1]);
		if (event->receive_bytes)
			fprintf(stream, " receive %llu,%llu",
				(unsigned long long)event->receive_bytes[0],
				(unsigned long long)event->receive_bytes[1]);
	}
	fprintf(stream, "\n");
	return 0;
}

static void collectives_have_their_totals(void **state)
{
	/* Totals as trace/call/mpi_call.h has them, for rank 1 of 2. */
	static const struct {
		const char *line, *event;
	} calls[] = {
		{"MPI_Barrier:100:" WORLD1 ":101",
		 "MPI_Barrier kind 8 collective 0 root -1 sent 0 received 0 -"},
		{"MPI_Bcast:100:64:3:" INT ":1:" WORLD1 ":101",
		 "MPI_Bcast kind 8 collective 1 root 1 sent 24 received 12 -"},
		{"MPI_Bcast:100:64:3:" INT ":0:" WORLD1 ":101",
		 "MPI_Bcast kind 8 collective 1 root 0 sent 0 received 12 -"},
		{"MPI_Gather:100:64:3:" INT ":80:3:" INT ":1:" WORLD1 ":101",
		 "MPI_Gather kind 8 collective 2 root 1 sent 12 received 24 -"},
		{"MPI_Gather:100:18446744073709551615:0:" INT ":80:3:" INT ":1:" WORLD1 ":101",
		 "MPI_Gather kind 8 collective 2 root 1 in place sent 0 received 12 -"},
		{"MPI_Scatter:100:64:0:" INT ":80:3:" INT ":0:" WORLD1 ":101",
		 "MPI_Scatter kind 8 collective 4 root 0 sent 0 received 12 -"},
		{"MPI_Gatherv:100:64:3:" INT ":80:72:3,4:88:0,3:" INT ":1:" WORLD1 ":101",
		 "MPI_Gatherv kind 8 collective 3 root 1 sent 12 received 28 - receive 12,16"},
		{"MPI_Gatherv:100:64:3:" INT ":80:72:88:" INT ":1:" WORLD1 ":101",
		 "MPI_Gatherv kind 8 collective 3 root 1 sent 12 received 24 -"},
		{"MPI_Scatterv:100:64:72:3,4:88:0,3:" INT ":80:4:" INT ":1:" WORLD1 ":101",
		 "MPI_Scatterv kind 8 collective 5 root 1 sent 28 received 16 - send 12,16"},
		{"MPI_Allgather:100:64:3:" INT ":80:3:" INT ":" WORLD1 ":101",
		 "MPI_Allgather kind 8 collective 6 root -1 sent 24 received 24 -"},
		{"MPI_Allgatherv:100:64:3:" INT ":80:72:3,4:88:0,3:" INT ":" WORLD1 ":101",
		 "MPI_Allgatherv kind 8 collective 7 root -1 sent 32 received 28 - receive 12,16"},
		{"MPI_Alltoall:100:64:3:" INT ":80:3:" INT ":" WORLD1 ":101",
		 "MPI_Alltoall kind 8 collective 8 root -1 sent 24 received 24 -"},
		{"MPI_Alltoallv:100:64:72:3,4:88:0,3:" INT ":80:72:5,6:88:0,5:13,1,1:" WORLD1
		 ":101",
		 "MPI_Alltoallv kind 8 collective 9 root -1 sent 28 received 11 - send 12,16"
		 " receive 5,6"},
		{"MPI_Allreduce:100:64:80:3:" INT ":3:" WORLD1 ":101",
		 "MPI_Allreduce kind 8 collective 11 root -1 sent 24 received 24 MPI_SUM"},
		{"MPI_Reduce:100:64:80:3:" INT ":94:1:" WORLD1 ":101",
		 "MPI_Reduce kind 8 collective 12 root 1 sent 12 received 24 user"},
		{"MPI_Reduce_scatter:100:64:80:72:3,4:" INT ":3:" WORLD1 ":101",
		 "MPI_Reduce_scatter kind 8 collective 13 root -1 sent 28 received 32 MPI_SUM"
		 " send 12,16"},
		{"MPI_Scan:100:64:80:3:" INT ":3:" WORLD1 ":101",
		 "MPI_Scan kind 8 collective 14 root -1 sent 12 received 24 MPI_SUM"},
		{"MPI_Exscan:100:64:80:3:" INT ":3:" WORLD1 ":101",
		 "MPI_Exscan kind 8 collective 15 root -1 sent 0 received 12 MPI_SUM"},
		{"MPI_Reduce_scatter_block:100:64:80:3:" INT ":3:" WORLD1 ":101",
		 "MPI_Reduce_scatter_block kind 8 collective 16 root -1 sent 24 received 24"
		 " MPI_SUM"},
		{"MPI_Comm_split:100:" WORLD1 ":0:1:700:101",
		 "MPI_Comm_split kind 8 collective 17 root -1 sent 0 received 0 -"},
		/* The trace lacks sizes: these calls cannot be modelled. */
		{"MPI_Alltoallw:100:64:72:88:96:80:72:88:96:" WORLD1 ":101", "MPI_Alltoallw"},
		{"MPI_Reduce_scatter:100:64:80:72:" INT ":3:" WORLD1 ":101", "MPI_Reduce_scatter"},
		/*
		 * A call on an unknown communicator, and one on a communicator of one rank.
		 */
		{"MPI_Allreduce:100:64:80:3:" INT ":3:2214592512,0,2:101",
		 "(calls on communicators of unknown ranks)"},
		{"MPI_Barrier:100:1140850689,0,1:101",
		 "MPI_Barrier kind 8 collective 0 root -1 sent 0 received 0 -"},
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		char text[1000], *found = NULL;
		struct trace_reader *reader;
		struct error err;
		size_t bytes;
		FILE *stream = open_memstream(&found, &bytes);

		snprintf(text, sizeof text, BEGIN "%s\n" END(200), calls[i].line);
		write_rank(*state, 0, BEGIN END(200), strlen(BEGIN END(200)));
		write_rank(*state, 1, text, strlen(text));
		if (trace_reader_open(&reader, *state, &err) < 0 ||
		    trace_reader_rank(reader, 1, print_event, stream, &err) < 0)
			fail_msg("%s", err.text);
		fclose(stream);
		found[strcspn(found, "\n")] = '\0';
		assert_string_equal(found, calls[i].event);
		free(found);
		trace_reader_close(reader);
	}
}

static void nonblocking_collectives_join_at_their_completion(void **state)
{
	expect(*state, 0,
	       BEGIN
	       "MPI_Ialltoallv:100:64:72:3,4:88:0,3:" INT ":80:72:5,6:88:0,5:13,1,1:" WORLD0
	       ":1000:100\n"
	       /* has its own vectors, in the same place */
	       "MPI_Barrier:101:" WORLD0 ":102\n"
	       "MPI_Wait:103:1000:80:104\n" END(105),
	       "calc 1000\n"
	       "send 0 to 1 tag 2147483648 > 0\n"
	       "recv 0 from 1 tag 2147483648 > 0\n"
	       "calc 1000 > 1 2\n"
	       "recv 6 from 1 tag 2147483649\n"
	       "send 16 to 1 tag 2147483649\n"
	       "calc 1000 > 3 4 5\n");
}

/* -------------------------------------------------------------------- strictness */

static void refuse(const char *folder, const char *text, int status, const char *where)
{
	struct trace_reader *reader = NULL;
	struct feed feed;

	write_rank(folder, 0, text, strlen(text));
	write_rank(folder, 1, BEGIN END(200), strlen(BEGIN END(200)));
	if (feed_trace(&feed, folder, 0, &reader) == 0)
		fail_msg("was read: %s", text);
	if (!strstr(feed.err.text, where) || !strstr(feed.err.text, "trace-rank-0.txt"))
		fail_msg("\"%s\" is not in \"%s\"", where, feed.err.text);
	assert_int_equal(feed.err.status, status);
	release(&feed, reader);
}

static void wrong_lines_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *text, *where;
	} wrong[] = {
		{"MPI_Send:103:64:10:" INT ":1:5:" WORLD0 "\n",
		 ":5: MPI_Send: byte 44: the line ends where a colon"},
		{"MPI_Send:103:64:10:" INT ":1:5:" WORLD0 ":\n",
		 "byte 45: the line ends where a time"},
		{"MPI_Send:103:64:10:" INT ":1:5:" WORLD0 ":110:\n",
		 "byte 48: \":\" is not the end of the line"},
		{"MPI_Send:103:64:10:" INT ":1:5:" WORLD0 ":110", ":5: the last line is truncated"},
		{"MPI_Send:103:64:10:" INT ":1:x:" WORLD0 ":110\n",
		 "byte 28: \"x:1140850688,0,2:110\" is not an int"},
		{"MPI_Send:103:64:10:" INT ":1:\x01\x1b[31m\n", "\"??[31m\" is not an int"},
		{"MPI_Send:103:64:2147483648:" INT ":1:5:" WORLD0 ":110\n", "is not an int"},
		{"MPI_Send:103:64:-1:" INT ":1:5:" WORLD0 ":110\n", "negative count -1"},
		{"MPI_Send:103:64:1:1,4:1:5:" WORLD0 ":110\n", "the extent of a datatype"},
		{"MPI_Send:103:64:1:1,-4,4:1:5:" WORLD0 ":110\n", "the size of a datatype"},
		{"MPI_Send:103:64:1:" INT ":-7:5:" WORLD0 ":110\n", "-7 is not a rank"},
		{"MPI_Send:103:64:1:" INT ":2:5:" WORLD0 ":110\n", "rank 2 is not among the 2"},
		{"MPI_Send:103:64:1:" INT ":1:-5:" WORLD0 ":110\n", "-5 is not a tag"},
		{"MPI_Send:103:64:1:" INT ":1:5:1140850688,2,2:110\n", "a rank below the size"},
		{"MPI_Send:103:64:1:" INT ":1:5:1140850688,1,2:110\n",
		 "called by rank 1, in the file of rank 0"},
		{"MPI_Send:103:64:1:" INT ":1:5:2214592512,1,3:110\n",
		 "has 3 ranks, but there are files of 2"},
		{"MPI_Send:-:64:1:" INT ":1:5:" WORLD0 ":110\n", "a time in microseconds"},
		{"MPI_Send:103:64:1:" INT ":1:5:" WORLD0 ":102\n", "ends before it starts"},
		{"MPI_Barrier:99:" WORLD0 ":102\n", "starts before the previous call ends"},
		{"MPI_Barrier:99999999999999999999:" WORLD0 ":102\n", "a time in microseconds"},
		{"MPI_Barrier:101.:" WORLD0 ":102\n", "a decimal of a time"},
		{"MPI_Bcast:100:64:3:" INT ":2:" WORLD0 ":101\n", "the root 2 of 2 ranks"},
		{"MPI_Gatherv:100:64:3:" INT ":80:72:3,4,5:88:0,3:" INT ":0:" WORLD0 ":101\n",
		 "more than 2 counts"},
		{"MPI_Gatherv:100:64:3:" INT ":80:72:3:88:0,3:" INT ":0:" WORLD0 ":101\n",
		 "has 1 count instead of 2"},
		{"MPI_Gatherv:100:64:3:" INT ":80:72:3,-4:88:0,3:" INT ":0:" WORLD0 ":101\n",
		 "is not a count"},
		{"MPI_Start:100:1000:101\n", "1000, which is not a persistent request"},
		{"MPI_Send_init:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\nMPI_Start:100:1000:100\n"
		 "MPI_Start:100:1000:100\n", ":7: MPI_Start: starts a request that is active"},
		{"MPI_Waitall:100:-1:1000:80:101\n", "has -1 requests"},
		{"MPI_Mrecv:101:64:3:" INT ":5000:80:102\n", "not probed for"},
		{"MPI_Wtime:101:x\n", "MPI_Wtime: byte 15"},
		{"mpi send\n", ":5: byte 1: expected the name of an MPI function"},
		{"7:100:101\n", "byte 1: expected the name of an MPI function"},
		{"MPI_Barrier:100:" WORLD0 ":101\n", ":5: the file ends before MPI_Finalize"},
		{END(200) "MPI_Wtime:300:301\n", "is called after MPI_Finalize"},
		{"\n", "the file ends before MPI_Finalize"},
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char text[1000];

		snprintf(text, sizeof text, BEGIN "%s", wrong[i].text);
		refuse(*state, text, STATUS_DATA, wrong[i].where);
	}
}

static void persistent_requests_that_a_test_completes_start_again(void **state)
{
	expect(*state, 0,
	       BEGIN
	       "MPI_Recv_init:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\n"
	       "MPI_Start:100:1000:100\n"
	       "MPI_Test:101:1000:88:96:101\n"
	       "MPI_Test:101:1000:88:96:101\n"
	       "MPI_Start:101:1000:101\n"
	       "MPI_Wait:101:1000:96:102\n" END(102),
	       "recv 4 from 1 tag 5\n"
	       "calc 1000\n"
	       "recv 4 from 1 tag 5 > 1 0\n"
	       "calc 0 > 1 0\n");
}

static void waiting_for_many_takes_no_longer(void **state)
{
	expect(*state, 0,
	       BEGIN
	       "MPI_Irecv:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\n"
	       "MPI_Irecv:100:64:1:" INT ":1:5:" WORLD0 ":1002:100\n"
	       "MPI_Waitall:100:2147483647:1000:80:101\n"
	       "MPI_Testall:101:2147483647:1002:70:80:101\n" END(102),
	       "recv 4 from 1 tag 5\n"
	       "recv 4 from 1 tag 5\n"
	       "calc 0 > 0\n"
	       "calc 1000 > 2 1\n");
}

/* ---------------------------------------------------------------------- files */

static uint32_t count_ranks(const char *path)
{
	struct trace_reader *reader;
	struct error err;
	uint32_t count;

	if (trace_reader_open(&reader, path, &err) < 0)
		fail_msg("%s", err.text);
	count = trace_reader_world(reader)->rank_count;
	trace_reader_close(reader);
	return count;
}

static void all_names_of_the_first_file_are_taken(void **state)
{
	static const char *const names[] = {"a-0.txt", "allprof-00.dat", "0"};
	static const char *const others[] = {"a-1.txt", "allprof-01.dat", "1"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct trace_reader *reader;
		char folder[600], path[700];
		struct error err;

		snprintf(folder, sizeof folder, "%s/folder-%zu", (char *)*state, i);
		assert_int_equal(mkdir(folder, 0700), 0);
		snprintf(path, sizeof path, "%s/%s", folder, others[i]);
		write_text(path, BEGIN, strlen(BEGIN));
		assert_int_equal(trace_reader_open(&reader, path, &err), -1);
		assert_non_null(strstr(err.text, "give the file of rank 0"));
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		write_text(path, BEGIN, strlen(BEGIN));
		assert_int_equal(count_ranks(path), 2);
		assert_int_equal(count_ranks(folder), 2);
	}
}

static void folder_of_two_traces_is_refused(void **state)
{
	struct trace_reader *reader;
	struct error err;
	char path[600];

	snprintf(path, sizeof path, "%s/another-0.txt", (char *)*state);
	write_text(path, BEGIN, strlen(BEGIN));
	assert_int_equal(trace_reader_open(&reader, *state, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "different traces"));
	remove(path);
}

/* ---------------------------------------------------------------------- damage */

#ifdef __SANITIZE_ADDRESS__
enum { DAMAGED = 2000 };
#else
enum { DAMAGED = 10000 };
#endif

static const char fuzzed[] =
	BEGIN
	"MPI_Comm_rank:100:" WORLD0 ":72:100\n"
	"MPI_Irecv:100:64:1:" INT ":1:5:" WORLD0 ":1000:100\n"
	"MPI_Isend:100:64:1:" INT ":1:5:" WORLD0 ":1004:100\n"
	"MPI_Test:101:1000:70:80:101\n"
	"MPI_Waitany:101:2:1000:70:80:101\n"
	"MPI_Waitall:101:2:1000:80:102\n"
	"MPI_Gatherv:103:64:3:" INT ":80:72:3,4:88:0,3:" INT ":0:" WORLD0 ":104\n"
	"MPI_Ialltoallv:105:64:72:3,4:88:0,3:" INT ":80:72:5,6:88:0,5:13,1,1:" WORLD0 ":1000:106\n"
	"MPI_Recv_init:106:64:1:" INT ":1:6:" WORLD0 ":1008:106\n"
	"MPI_Startall:106:1:1008:106\n"
	"MPI_Waitsome:107:3:1000:70:80:90:108\n"
	"MPI_Allreduce:109:64:80:3:" INT ":3:" WORLD0 ":110\n"
	"MPI_Wait:111:1008:80:112\n" END(113);

/* Read the trace: whether it is valid.  An error must name the file. */
static bool is_read(const char *folder, const char *text, size_t bytes)
{
	struct trace_reader *reader = NULL;
	struct feed feed;
	bool read;

	write_rank(folder, 0, text, bytes);
	read = feed_trace(&feed, folder, 0, &reader) == 0;
	if (!read && !strstr(feed.err.text, folder))
		fail_msg("the error names no file: %s", feed.err.text);
	release(&feed, reader);
	return read;
}

/* Communicators in a file that is copied for all ranks. */
#define ALL0 "94089042323216,0,2"
#define PART0 "94089042999999,0,1"

static void files_that_all_state_rank_0_have_the_ranks_of_their_names(void **state)
{
	static const char copy[] = BEGIN
		"MPI_Comm_rank:101:" PART0 ":64:101\n"
		"MPI_Bcast:102:64:3:" INT ":0:" ALL0 ":103\n" END(104);
	const char *const graphs[] = {"calc 2000\nsend 12 to 1 tag 2147483648 > 0\n"
				      "calc 1000 > 1\n",
				      "calc 2000\nrecv 12 from 0 tag 2147483648 > 0\n"
				      "calc 1000 > 1\n"};

	for (uint32_t rank = 0; rank < 2; rank++)
		write_rank(*state, rank, copy, strlen(copy));
	for (uint32_t rank = 0; rank < 2; rank++) {
		struct trace_left_out left_out = feed_expect_rank(*state, rank, graphs[rank]);

		assert_int_equal(left_out.renamed_ranks, rank);
	}
}

static void cut_traces_are_refused_wherever_they_are_cut(void **state)
{
	write_rank(*state, 1, BEGIN END(200), strlen(BEGIN END(200)));
	assert_true(is_read(*state, fuzzed, sizeof fuzzed - 1));
	for (size_t cut = 0; cut + 1 < sizeof fuzzed; cut++)
		if (is_read(*state, fuzzed, cut))
			fail_msg("the first %zu bytes were taken for a trace", cut);
}

static void damaged_traces_do_no_harm(void **state)
{
	static const char bytes[] = "0123456789:,-.\n#MPI_Wait\0\xff";
	uint64_t numbers = 7;
	uint32_t refused = 0;

	for (int round = 0; round < DAMAGED; round++) {
		char text[sizeof fuzzed];

		memcpy(text, fuzzed, sizeof fuzzed);
		for (uint64_t left = 1 + random_below(&numbers, 3); left; left--)
			text[random_below(&numbers, sizeof fuzzed - 1)] =
				bytes[random_below(&numbers, sizeof bytes - 1)];
		refused += !is_read(*state, text, sizeof fuzzed - 1);
	}
	assert_in_range(refused, DAMAGED / 3, DAMAGED - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_become_sends_and_receives),
		cmocka_unit_test(requests_are_known_by_their_addresses),
		cmocka_unit_test(requests_of_open_mpi_have_eight_bytes),
		cmocka_unit_test(persistent_requests_start_again),
		cmocka_unit_test(probed_messages_are_received),
		cmocka_unit_test(a_request_completes_in_the_last_test_of_it),
		cmocka_unit_test(wait_for_any_completes_one_after_the_other),
		cmocka_unit_test(requests_that_moved_are_found_in_order),
		cmocka_unit_test(cancelled_requests_are_left_out),
		cmocka_unit_test(collectives_have_their_totals),
		cmocka_unit_test(nonblocking_collectives_join_at_their_completion),
		cmocka_unit_test(wrong_lines_are_refused_with_their_place),
		cmocka_unit_test(persistent_requests_that_a_test_completes_start_again),
		cmocka_unit_test(waiting_for_many_takes_no_longer),
		cmocka_unit_test(all_names_of_the_first_file_are_taken),
		cmocka_unit_test(folder_of_two_traces_is_refused),
		cmocka_unit_test(
			files_that_all_state_rank_0_have_the_ranks_of_their_names),
		cmocka_unit_test(cut_traces_are_refused_wherever_they_are_cut),
		cmocka_unit_test(damaged_traces_do_no_harm),
	};

	return cmocka_run_group_tests_name("liballprof_trace", tests, setup, teardown);
}
