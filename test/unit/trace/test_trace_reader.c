/* Tests from OTF2 archives to MPI calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/damage.h"
#include "test/unit/lib/make/make_archive.h"
#include "trace/otf2/trace_vector.h"
#include "trace/trace_reader.h"

/* Calls as text, one line each. */
struct log {
	FILE *stream;
	char *text;
	size_t bytes;
};

static void print_vector(FILE *stream, const char *name, const uint64_t *items)
{
	if (items)
		fprintf(stream, " %s %llu,%llu", name, (unsigned long long)items[0],
			(unsigned long long)items[1]);
}

static int receive(void *data, const struct mpi_call *call, struct error *err)
{
	FILE *stream = ((struct log *)data)->stream;

	(void)err;
	if (call->thread)
		fprintf(stream, "thread %u: ", call->thread);
	fprintf(stream, "%s %llu-%llu", call->function, (unsigned long long)call->enter_ns,
		(unsigned long long)call->leave_ns);
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];

		bool message = event_is_message(event->kind);

		fprintf(stream, "; kind %d comm %u peer %u tag %u bytes %llu request %llu",
			event->kind, event->comm, event->peer, message ? event->tag : 0,
			message ? (unsigned long long)event->bytes : 0,
			(unsigned long long)event->request);
		if (message && event->posted)
			fprintf(stream, " posted %u", event->posted);
		if (event->kind != EVENT_COLLECTIVE)
			continue;
		fprintf(stream, " collective %d root %u sent %llu received %llu%s%s",
			event->collective, event->root, (unsigned long long)event->bytes_sent,
			(unsigned long long)event->bytes_received,
			event->in_place ? " in place " : " ",
			event->operation ? event->operation : "");
		print_vector(stream, "send", event->send_bytes);
		print_vector(stream, "receive", event->receive_bytes);
	}
	fprintf(stream, "\n");
	return 0;
}

/* Read a whole archive; 0 with the calls in *text, which the caller frees, or -1. */
static int read_archive(const char *path, char **text, struct trace_left_out *left_out,
			struct error *err)
{
	struct trace_reader *reader;
	struct log log = {0};
	int result = 0;

	*text = NULL;
	if (trace_reader_open(&reader, path, err) < 0)
		return -1;
	log.stream = open_memstream(&log.text, &log.bytes);
	assert_non_null(log.stream);
	for (uint32_t rank = 0; !result && rank < trace_reader_world(reader)->rank_count; rank++) {
		fprintf(log.stream, "rank %u\n", rank);
		result = trace_reader_rank(reader, rank, receive, &log, err);
	}
	fclose(log.stream);
	if (left_out)
		*left_out = trace_reader_left_out(reader);
	trace_reader_close(reader);
	if (result < 0)
		free(log.text);
	else
		*text = log.text;
	return result;
}

/* Kinds are numbers of enum mpi_event_kind.  Rank 1's times are 1000 ticks = 500 ns later. */
#define RANK_1                                                                               \
	"rank 1\n"                                                                          \
	"MPI_Recv 1000-1250; kind 1 comm 2 peer 1 tag 9 bytes 8 request 0 posted 3\n"       \
	"MPI_Allreduce 1500-2000; kind 8 comm 2 peer 0 tag 0 bytes 0 request 0 collective "  \
	"11 root 4294967295 sent 16 received 16 MPI_SUM\n"
static const char expected[] =
	"rank 0\n"
	"MPI_Isend 1000-1100; kind 2 comm 0 peer 1 tag 77 bytes 4096 request 42\n"
	"MPI_Wait 1200-1250; kind 6 comm 0 peer 0 tag 0 bytes 0 request 42; kind 3 comm 0 peer 0 "
	"tag 0 bytes 0 request 42\n"
	"(recording off) 1300-1350\n"
	"MPI_Alltoallv 1500-2000; kind 8 comm 0 peer 0 tag 0 bytes 0 request 0 collective 9 root "
	"4294967295 sent 16 received 16 in place  send 8,16 receive 8,16\n"
	RANK_1;

/* Calls of rank 0 with THREAD_CALLS. */
static const char with_thread[] =
	"rank 0\n"
	"MPI_Isend 1000-1100; kind 2 comm 0 peer 1 tag 77 bytes 4096 request 42\n"
	"thread 1: MPI_Recv 1050-1450; kind 1 comm 0 peer 1 tag 9 bytes 8 request 0\n"
	"MPI_Wait 1200-1250; kind 6 comm 0 peer 0 tag 0 bytes 0 request 42; kind 3 comm 0 peer 0 "
	"tag 0 bytes 0 request 42\n"
	"(recording off) 1300-1350\n"
	"thread 1: MPI_Send 1475-3000; kind 0 comm 0 peer 1 tag 9 bytes 8 request 0\n"
	"MPI_Alltoallv 1500-2000; kind 8 comm 0 peer 0 tag 0 bytes 0 request 0 collective 9 root "
	"4294967295 sent 16 received 16 in place  send 8,16 receive 8,16\n"
	"thread 1: MPI_Send 3000-3001\n"
	RANK_1;

static int setup(void **state)
{
	*state = make_folder();
	make_archive(*state, "good", FLAW_NONE);
	return 0;
}

static int teardown(void **state)
{
	remove_folder(*state);
	return 0;
}

static char *path_of(void **state, const char *name)
{
	static char path[600];

	snprintf(path, sizeof path, "%s/%s", (char *)*state, name);
	return path;
}

static void calls_are_read_as_they_were_recorded(void **state)
{
	struct trace_left_out left_out;
	struct error err;
	char *text;

	if (read_archive(path_of(state, "good"), &text, &left_out, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(text, expected);
	free(text);
	assert_int_equal(left_out.other_locations, 1);
	assert_int_equal(left_out.idle_threads, 0);
	assert_int_equal(left_out.unfinished_calls, 0);
}

static void an_archive_opens_by_its_anchor_file_or_folder(void **state)
{
	struct error err;
	char *text;

	if (read_archive(path_of(state, "good/traces.otf2"), &text, NULL, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(text, expected);
	free(text);
}

static void communicators_have_world_ranks(void **state)
{
	const struct trace_world *world;
	struct trace_reader *reader;
	struct error err;

	if (trace_reader_open(&reader, path_of(state, "good"), &err) < 0)
		fail_msg("%s", err.text);
	world = trace_reader_world(reader);
	assert_int_equal(world->rank_count, 2);
	assert_int_equal(world->comm_count, 4);
	assert_int_equal(world->world_comm, 0);
	assert_true(world->comms[0].identity);
	assert_string_equal(world->comms[0].name, "MPI_COMM_WORLD");
	assert_true(world->comms[1].self);
	assert_int_equal(world->comms[1].size, 1);
	assert_string_equal(world->comms[2].name, "turned");
	assert_int_equal(world->comms[2].ranks[0], 1);
	assert_int_equal(world->comms[2].ranks[1], 0);
	assert_false(world->comms[2].identity);
	assert_true(world->comms[3].inter);
	assert_int_equal(world->comms[3].ranks[0], 0);
	assert_int_equal(world->comms[3].remote_ranks[0], 1);
	/* Both ranks are on two sockets of one node. */
	assert_non_null(world->nodes);
	assert_int_equal(world->nodes[0], 0);
	assert_int_equal(world->nodes[1], 0);
	trace_reader_close(reader);
}

static void archives_that_contradict_themselves_are_refused(void **state)
{
	static const char *const texts[FLAWS] = {
		[FLAW_LEAVE] = "rank 0, event 18: leaves MPI_Send, which was not entered",
		[FLAW_CROSSED] = "leaves MPI_Wait inside MPI_Send",
		[FLAW_OUTSIDE] = "outside of all MPI calls",
		[FLAW_VECTOR] = "more than 2 byte counts",
		[FLAW_SITE] = "string 1000000, a call site, is not defined",
		[FLAW_THREAD_LEAVE] = "rank 0, thread 1, event 2: leaves MPI_Send, which was not"
				      " entered",
		[FLAW_COUNT] = "has 17 events instead of 18",
		[FLAW_NO_CLOCK] = "clock",
		[FLAW_NO_RANKS] = "not a trace of an MPI program",
		[FLAW_LARGE_ID] = "the limit is",
	};

	for (int flaw = 0; flaw < FLAWS; flaw++) {
		char name[32], *text;
		struct error err = {0};

		if (!texts[flaw])
			continue;
		snprintf(name, sizeof name, "flaw-%d", flaw);
		make_archive(*state, name, (enum archive_flaw)flaw);
		assert_int_equal(read_archive(path_of(state, name), &text, NULL, &err), -1);
		assert_int_equal(err.status, flaw == FLAW_LARGE_ID ? STATUS_LIMIT : STATUS_DATA);
		assert_non_null(strstr(err.text, name));
		if (!strstr(err.text, texts[flaw]))
			fail_msg("\"%s\" is not in \"%s\"", texts[flaw], err.text);
	}
}

static void call_that_was_never_left_is_counted(void **state)
{
	struct trace_left_out left_out;
	struct error err;
	char *text;

	make_archive(*state, "unfinished", FLAW_UNFINISHED);
	if (read_archive(path_of(state, "unfinished"), &text, &left_out, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(text, expected);
	free(text);
	assert_int_equal(left_out.unfinished_calls, 1);
}

static void calls_of_threads_come_in_the_order_of_their_begin(void **state)
{
	struct trace_left_out left_out;
	struct error err;
	char *text;

	make_archive(*state, "threads", THREAD_CALLS);
	if (read_archive(path_of(state, "threads"), &text, &left_out, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(text, with_thread);
	free(text);
	assert_int_equal(left_out.idle_threads, 0);
	assert_int_equal(left_out.unfinished_calls, 1);
}

static void a_thread_without_calls_is_counted(void **state)
{
	struct trace_left_out left_out;
	struct error err;
	char *text;

	make_archive(*state, "idle", THREADS);
	if (read_archive(path_of(state, "idle"), &text, &left_out, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(text, expected);
	free(text);
	assert_int_equal(left_out.other_locations, 1);
	assert_int_equal(left_out.idle_threads, 1);
}

static void files_other_than_archives_are_refused(void **state)
{
	static const char *const names[] = {"", "none", "good/traces", "good/traces.def"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct error err = {0};
		char *text;

		assert_int_equal(read_archive(path_of(state, names[i]), &text, NULL, &err), -1);
		assert_int_equal(err.status, STATUS_DATA);
		assert_non_null(strstr(err.text, *state));
	}
}

/* --------------------------------------------------------------------- damage */

static const char *const files[] = {
	"bad/traces.otf2", "bad/traces.def", "bad/traces/7.evt", "bad/traces/3.evt",
	"bad/traces/7.def", "bad/traces/3.def"
};
/* With the sanitizers, try fewer archives: opening one becomes slower each time. */
#ifdef __SANITIZE_ADDRESS__
enum { CUT_STEP = 7, DAMAGED = 100 };
#else
enum { CUT_STEP = 1, DAMAGED = 400 };
#endif
enum { FILES = sizeof files / sizeof *files };

/*
 * Read the archive "bad": whether it is valid.  It must then have the calls of the undamaged one.
 */
static bool is_read_as_expected(void *data)
{
	struct error err = {0};
	char *text;

	if (read_archive(path_of(data, "bad"), &text, NULL, &err) < 0) {
		assert_non_null(strstr(err.text, "bad"));
		return false;
	}
	assert_string_equal(text, expected);
	free(text);
	return true;
}

static void cut_files_are_refused(void **state)
{
	make_archive(*state, "bad", FLAW_NONE);
	for (int i = 0; i < FILES; i++) {
		char *path = strdup(path_of(state, files[i]));

		assert_in_range(damage_cut(path, CUT_STEP, is_read_as_expected, state), 0, 3);
		free(path);
	}
}

/* The OTF2 library would allocate memory for all properties, or overflow. */
static void anchor_of_too_many_properties_is_refused(void **state)
{
	static const uint32_t counts[] = {100, 0x7fffffff, 0x80000001, 0xffffffff};
	const char *path = path_of(state, "bad/traces.otf2");
	char *bytes = NULL, *place;
	FILE *file = fopen(path, "r+b");
	struct trace_reader *reader;
	struct error err;

	assert_non_null(file);
	bytes = calloc(1, 4096);
	assert_in_range(fread(bytes, 1, 4096, file), 50, 4095);
	place = bytes + 46;
	for (int i = 0; i < 3; i++)	/* machine, creator, description */
		place += strlen(place) + 1;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		assert_int_equal(fseek(file, place - bytes, SEEK_SET), 0);
		for (int byte = 0; byte < 4; byte++)
			fputc((int)(counts[i] >> 8 * byte & 255), file);
		fflush(file);
		assert_int_equal(trace_reader_open(&reader, path_of(state, "bad"), &err), -1);
		assert_int_equal(err.status, STATUS_DATA);
		assert_non_null(strstr(err.text, "properties in"));
	}
	assert_int_equal(fseek(file, 0, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, 1, (size_t)(place - bytes) + 4, file), place - bytes + 4);
	free(bytes);
	fclose(file);
}

static void archive_in_unsupported_files_is_a_limit(void **state)
{
	enum { SUBSTRATE_AT = 28, POSIX = 1, SION = 2 };
	FILE *file = fopen(path_of(state, "bad/traces.otf2"), "r+b");
	struct trace_reader *reader;
	struct error err;

	assert_non_null(file);
	assert_int_equal(fseek(file, SUBSTRATE_AT, SEEK_SET), 0);
	assert_int_equal(fgetc(file), POSIX);
	assert_int_equal(fseek(file, SUBSTRATE_AT, SEEK_SET), 0);
	fputc(SION, file);
	fflush(file);
	assert_int_equal(trace_reader_open(&reader, path_of(state, "bad"), &err), -1);
	/* A library with SION reports missing files. */
	assert_int_equal(err.status, strstr(err.text, "Missing library support") ? STATUS_LIMIT :
									      STATUS_DATA);
	assert_int_equal(fseek(file, SUBSTRATE_AT, SEEK_SET), 0);
	fputc(POSIX, file);
	fclose(file);
}

static bool is_read(void *data)
{
	struct error err = {0};
	char *text;
	bool read = read_archive(path_of(data, "bad"), &text, NULL, &err) == 0;

	free(text);
	if (!read)
		assert_in_range(err.status, STATUS_DATA, STATUS_LIMIT);
	return read;
}

static void damaged_files_do_no_harm(void **state)
{
	uint64_t numbers = 11;
	uint32_t refused = 0;

	for (int i = 0; i < FILES; i++) {
		char *path = strdup(path_of(state, files[i]));

		refused += damage_some(path, DAMAGED / FILES, &numbers, is_read, state);
		free(path);
	}
	assert_in_range(refused, DAMAGED / 10, DAMAGED - 1);
}

static void archive_of_score_p_is_read(void **state)
{
	const char *source = getenv("SOURCE");
	struct error err;
	char path[600], *text;
	uint32_t lines = 0;

	(void)state;
	snprintf(path, sizeof path, "%s/../shared/data/otf2/scorep-ping-pong",
		 source ? source : ".");
	if (read_archive(path, &text, NULL, &err) < 0)
		skip();
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 2 + 40);
	assert_non_null(strstr(text, "kind 0 comm 1 peer 1 tag 10 bytes 16384 "));
	free(text);
}

/* -------------------------------------------------------------------- vectors */

static void vectors_are_read_from_text(void **state)
{
	uint64_t items[5];
	struct error err;

	(void)state;
	assert_int_equal(trace_vector_parse("8,0*3,18446744073709551615", 5, items, &err), 0);
	assert_int_equal(items[0], 8);
	assert_int_equal(items[1] + items[2] + items[3], 0);
	assert_true(items[4] == UINT64_MAX);
}

static void wrong_vectors_are_refused(void **state)
{
	static const char *const texts[] = {
		"", "1", "1,2,3", "1,", ",1", "1*", "*2", "1*3", "1;2", "-1,2", " 1,2", "1*-2",
		"18446744073709551616,1", "0*4294967298"
	};
	uint64_t items[2];
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (trace_vector_parse(texts[i], 2, items, &err) == 0)
			fail_msg("\"%s\" was taken for two numbers", texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_read_as_they_were_recorded),
		cmocka_unit_test(an_archive_opens_by_its_anchor_file_or_folder),
		cmocka_unit_test(communicators_have_world_ranks),
		cmocka_unit_test(archives_that_contradict_themselves_are_refused),
		cmocka_unit_test(call_that_was_never_left_is_counted),
		cmocka_unit_test(calls_of_threads_come_in_the_order_of_their_begin),
		cmocka_unit_test(a_thread_without_calls_is_counted),
		cmocka_unit_test(files_other_than_archives_are_refused),
		cmocka_unit_test(cut_files_are_refused),
		cmocka_unit_test(anchor_of_too_many_properties_is_refused),
		cmocka_unit_test(archive_in_unsupported_files_is_a_limit),
		cmocka_unit_test(damaged_files_do_no_harm),
		cmocka_unit_test(archive_of_score_p_is_read),
		cmocka_unit_test(vectors_are_read_from_text),
		cmocka_unit_test(wrong_vectors_are_refused),
	};

	return cmocka_run_group_tests_name("trace_reader", tests, setup, teardown);
}
