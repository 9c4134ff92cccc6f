/* Tests of matching receives with wildcards in text traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/make/random_graph.h"
#include "trace/liballprof/liballprof_match.h"

enum { ANY = LIBALLPROF_ANY };

static void must(int result, const struct error *err)
{
	if (result < 0)
		fail_msg("%s", err->text);
}

static void sent(struct liballprof_match *match, int32_t source, int32_t tag, uint64_t time_ns)
{
	struct liballprof_sent message = {.source = source, .tag = tag, .time_ns = time_ns};
	struct error err;

	must(liballprof_match_send(match, &message, &err), &err);
}

static void posted(struct liballprof_match *match, int32_t source, int32_t tag)
{
	struct liballprof_posted receive = {.source = source, .tag = tag};
	struct error err;

	must(liballprof_match_post(match, &receive, &err), &err);
}

static void got(const struct liballprof_match *match, uint64_t n, int32_t source, int32_t tag,
		bool guessed)
{
	const struct liballprof_posted *receive = liballprof_match_wild(match, 0, n);

	assert_non_null(receive);
	assert_int_equal(receive->source, source);
	assert_int_equal(receive->tag, tag);
	assert_int_equal(receive->guessed, guessed);
}

static void solve(struct liballprof_match *match)
{
	struct error err;

	must(liballprof_match_solve(match, &err), &err);
}

static void begin(struct liballprof_match *match)
{
	struct error err;

	*match = (struct liballprof_match){0};
	must(liballprof_match_begin_rank(match, &err), &err);
}

static void wildcards_leave_messages_that_other_receives_name(void **state)
{
	struct liballprof_match match;

	(void)state;
	begin(&match);
	sent(&match, 1, 5, 100);
	sent(&match, 2, 5, 200);
	sent(&match, 3, 6, 50);
	posted(&match, ANY, 5);
	posted(&match, 1, 5);
	posted(&match, ANY, ANY);
	solve(&match);
	got(&match, 0, 2, 5, false);
	got(&match, 1, 3, 6, false);
	assert_null(liballprof_match_wild(&match, 0, 2));
	assert_null(liballprof_match_wild(&match, 1, 0));
	liballprof_match_release(&match);
}

static void messages_of_one_source_come_in_order(void **state)
{
	struct liballprof_match match;

	(void)state;
	begin(&match);
	sent(&match, 1, 7, 100);
	sent(&match, 1, 5, 100);
	sent(&match, 1, 6, 100);
	posted(&match, 1, ANY);
	posted(&match, ANY, ANY);
	posted(&match, 1, ANY);
	solve(&match);
	got(&match, 0, 1, 7, false);
	got(&match, 1, 1, 5, false);
	got(&match, 2, 1, 6, false);
	liballprof_match_release(&match);
}

static void the_first_message_of_several_sources_is_taken(void **state)
{
	struct liballprof_match match;

	(void)state;
	begin(&match);
	sent(&match, 1, 5, 300);
	sent(&match, 2, 5, 100);
	sent(&match, 3, 5, 200);
	posted(&match, ANY, 5);
	posted(&match, ANY, 5);
	posted(&match, 1, ANY);
	posted(&match, ANY, 8);
	solve(&match);
	got(&match, 0, 2, 5, true);
	got(&match, 1, 3, 5, true);
	got(&match, 2, 1, 5, false);
	got(&match, 3, ANY, 8, false);		/* no message is left */
	liballprof_match_release(&match);
}

/* Each message has its own tag.  Looking at all messages for each receive would take minutes. */
static void receives_look_at_no_messages_of_other_tags(void **state)
{
	enum { TAGS = 300000 };
	struct liballprof_match match;

	(void)state;
	begin(&match);
	for (int32_t tag = 0; tag < TAGS; tag++) {
		sent(&match, 1 + tag % 3, tag, (uint64_t)(TAGS - tag));
		posted(&match, ANY, tag);
	}
	alarm(60);
	solve(&match);
	alarm(0);
	for (int32_t tag = 0; tag < TAGS; tag++)
		got(&match, (uint64_t)tag, 1 + tag % 3, tag, false);
	liballprof_match_release(&match);
}

/* Random messages and receives, some with wildcards: every message is received once. */
static void all_messages_are_received(void **state)
{
	enum { SOURCES = 4, TAGS = 3, MESSAGES = 60 };
	uint64_t numbers = 11;

	(void)state;
	for (int round = 0; round < 500; round++) {
		int32_t counts[SOURCES][TAGS] = {{0}};
		bool by_source = round % 2;
		struct liballprof_match match;
		size_t count = 1 + random_below(&numbers, MESSAGES);

		begin(&match);
		for (size_t i = 0; i < count; i++) {
			int32_t source = (int32_t)random_below(&numbers, SOURCES);
			int32_t tag = (int32_t)random_below(&numbers, TAGS);
			uint64_t wild = random_below(&numbers, 4);

			sent(&match, source, tag, random_below(&numbers, 1000));
			counts[source][tag]++;
			posted(&match, wild == 0 || (wild == 1 && !by_source) ? ANY : source,
			       wild == 0 || (wild == 1 && by_source) ? ANY : tag);
		}
		solve(&match);
		for (size_t i = 0; i < match.posted.count; i++) {
			const struct liballprof_posted *receive = &match.posted.items[i];

			assert_in_range(receive->source, 0, SOURCES - 1);
			assert_in_range(receive->tag, 0, TAGS - 1);
			counts[receive->source][receive->tag]--;
		}
		for (int i = 0; i < SOURCES * TAGS; i++)
			assert_int_equal(counts[i / TAGS][i % TAGS], 0);
		liballprof_match_release(&match);
	}
}

/* ---------------------------------------------------------------- whole traces */

#define BEGIN "MPI_Init:-:8:16:100\n"
#define INT "1,4,4"
#define WORLD(rank) "1140850688," #rank ",3"

static void write_rank(const char *folder, uint32_t rank, const char *text)
{
	char path[600];
	FILE *file;

	snprintf(path, sizeof path, "%s/trace-%u.txt", folder, rank);
	file = fopen(path, "wb");
	assert_non_null(file);
	fprintf(file, BEGIN "%sMPI_Finalize:900:-\n", text);
	fclose(file);
}

static void write_senders(const char *folder)
{
	write_rank(folder, 1, "MPI_Send:300:64:1:" INT ":0:5:" WORLD(1) ":301\n"
			      "MPI_Send:400:64:2:" INT ":0:6:" WORLD(1) ":401\n");
	write_rank(folder, 2, "MPI_Isend:200:64:1:" INT ":0:5:" WORLD(2) ":2000:201\n"
			      "MPI_Wait:201:2000:96:202\n");
}

static void receives_of_a_trace_get_the_remaining_messages(void **state)
{
	char *folder = make_folder();
	struct trace_left_out left_out;

	(void)state;
	write_senders(folder);
	write_rank(folder, 0,
		   "MPI_Irecv:100:64:9:" INT ":-2:9:" WORLD(0) ":3000:100\n"
		   "MPI_Recv_init:100:64:1:" INT ":-2:5:" WORLD(0) ":1000:100\n"
		   "MPI_Start:100:1000:100\n"
		   "MPI_Wait:101:1000:96:210\n"
		   "MPI_Start:210:1000:210\n"
		   "MPI_Wait:210:1000:96:310\n"
		   "MPI_Cancel:310:3000:310\n"
		   "MPI_Wait:310:3000:96:310\n"
		   "MPI_Recv:310:64:2:" INT ":1:-1:" WORLD(0) ":96:410\n");
	left_out = feed_expect_rank(folder, 0,
		"calc 0\n"
		"recv 4 from 2 tag 5\n"
		"calc 1000\n"
		"recv 4 from 1 tag 5 > 2 1\n"
		"calc 0 > 2 1\n"
		"recv 8 from 1 tag 6 > 4 3\n"
		"calc 490000 > 5\n");
	assert_int_equal(left_out.guessed_sources, 2);
	remove_folder(folder);
}

static void a_receive_without_a_message_is_an_error(void **state)
{
	char *folder = make_folder();
	struct trace_reader *reader;
	struct feed feed;

	(void)state;
	write_senders(folder);
	write_rank(folder, 0, "MPI_Recv:310:64:2:" INT ":-2:7:" WORLD(0) ":96:410\n");
	assert_int_equal(feed_trace(&feed, folder, 0, &reader), -1);
	assert_int_equal(feed.err.status, STATUS_DATA);
	assert_non_null(strstr(feed.err.text,
			       "trace-0.txt:2: MPI_Recv: receives from any source or "
			       "with any tag, but no message is left"));
	feed_release(&feed);
	trace_reader_close(reader);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wildcards_leave_messages_that_other_receives_name),
		cmocka_unit_test(messages_of_one_source_come_in_order),
		cmocka_unit_test(the_first_message_of_several_sources_is_taken),
		cmocka_unit_test(receives_look_at_no_messages_of_other_tags),
		cmocka_unit_test(all_messages_are_received),
		cmocka_unit_test(receives_of_a_trace_get_the_remaining_messages),
		cmocka_unit_test(a_receive_without_a_message_is_an_error),
	};

	return cmocka_run_group_tests_name("liballprof_match", tests, NULL, NULL);
}
