/* Tests of trace_reader on the output of trace_writer, and of the table of strings. */
#include "trace/call/mpi_functions.h"
#include "trace/call/trace_hosts.h"
#include "trace/trace_reader.h"
#include "trace/otf2/trace_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 3, CALLS = 5 };

static const uint64_t to_all[RANKS] = {8, 0, 0}, from_all[RANKS] = {16, 16, 16};

/* Events of the calls of every rank.  Communicator 2 is its first own one. */
static const struct mpi_event events[CALLS][2] = {
	{{.kind = EVENT_COMM_CREATE, .comm = 2},
	 {.kind = EVENT_COLLECTIVE, .collective = COLL_CREATE_HANDLE, .root = NO_ROOT}},
	{{.kind = EVENT_RECV,
	  .comm = 2,
	  .peer = 1,
	  .tag = 5,
	  .bytes = 77,
	  .posted = POSTED_ANY_TAG},
	 {.kind = EVENT_SEND, .comm = 0, .peer = 2, .tag = 6, .bytes = UINT64_C(1) << 40}},
	{{.kind = EVENT_COLLECTIVE,
	  .comm = 2,
	  .collective = COLL_ALLTOALLV,
	  .root = NO_ROOT,
	  .in_place = true,
	  .bytes_sent = 8,
	  .bytes_received = 48,
	  .send_bytes = to_all,
	  .receive_bytes = from_all,
	  .send_count = RANKS,
	  .receive_count = RANKS}},
	{{.kind = EVENT_COLLECTIVE,
	  .collective = COLL_REDUCE,
	  .root = 1,
	  .bytes_sent = 4,
	  .operation = "MPI_SUM",
	  .persistent = 3}},
	{{.kind = EVENT_PROBE, .comm = 2, .peer = 1, .tag = 5, .bytes = 77}},
};
static const struct {
	unsigned number;
	uint32_t count;
} calls[CALLS] = {{CALL_Comm_dup, 2},
		  {CALL_Sendrecv, 2},
		  {CALL_Alltoallv, 1},
		  {CALL_Reduce, 1},
		  {CALL_Improbe, 1}};

/*
 * Clocks: rank 0 has the clock of the archive, rank 1 a drift, rank 2 a constant offset.
 */
static const struct trace_clock clocks[RANKS] = {
	{{{0}}},
	{{{200, 50, 1}, {400, 150, 1}}},
	{{{200, INT64_C(1) << 40, 0}, {201, INT64_C(1) << 40, 0}}},
};

static char folder[64];
static const struct trace_place alone = {0, 1, 1};

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/trace-writer-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	for (uint32_t rank = RANKS; rank-- > 0;)
		trace_writer_remove(folder, rank, 1);
	return access(folder, F_OK) == 0;
}

static bool with_sites, with_below;
static const char *cpus_of_rank_2 = "1,3-4";
static struct preemptions preempted_rank_2;

/* Text of the call site of a call, "" if it has none. */
static const char *site_of(uint64_t i)
{
	static const char *const sites[CALLS] = {"", "/bin/a+0x12", "/bin/b+0x12", "/bin/a+0x12",
						 ""};

	return with_sites ? sites[i] : "";
}

/*
 * Below MPI within call i, which is from `at` to at + 50: a poll that finds something and posts a message meanwhile,
 * then 7 polls that find nothing.  Before it, a poll that is outside of calls.
 */
static void write_below(struct trace_writer *writer, struct mpi_call *call)
{
	const uint64_t at = call->enter_ns;
	const struct below_event below[] = {
		{BELOW_CALL, BELOW_worker_progress, false, false, at - 9, at - 8, 2},
		{BELOW_ENTER, BELOW_worker_progress, false, true, at + 5, at + 5, 0},
		{BELOW_CALL, BELOW_tag_send_nbx, true, true, at + 6, at + 8, 4096},
		{BELOW_CALL, BELOW_am_send_nb, false, true, at + 8, at + 8, BELOW_UNKNOWN},
		{BELOW_LEAVE, BELOW_worker_progress, false, true, at + 20, at + 20, 1},
	};
	struct error err;

	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		assert_int_equal(trace_writer_below(writer, 0, &below[i], &err), 0);
	call->empty_polls = 7;
	call->empty_from_ns = at + 21;
	call->empty_to_ns = at + 49;
}

static void write_calls(struct trace_writer *writer)
{
	struct error err;

	for (uint64_t i = 0; i < CALLS; i++) {
		struct mpi_call call = {.enter_ns = 100 * (i + 1),
					.leave_ns = 100 * (i + 1) + 50,
					.events = events[i],
					.event_count = calls[i].count};

		if (*site_of(i))
			assert_int_equal(trace_writer_site(writer, site_of(i), &call.site, &err),
					 0);
		if (with_below)
			write_below(writer, &call);
		assert_int_equal(trace_writer_call(writer, 0, calls[i].number, &call, &err), 0);
	}
}

static void write_archive(void)
{
	static const uint64_t members[] = {2, 0, 1};
	struct trace_writer *writers[RANKS];
	struct trace_rank ranks[RANKS];
	struct trace_comm_definition comm = {.name = "turned",
					     .parent = COMM_ID_WORLD,
					     .members = members,
					     .member_count = RANKS};
	struct string_table strings = {0};
	struct trace_definitions all = {.rank_count = RANKS,
					.ranks = ranks,
					.strings = &strings,
					.comms = &comm,
					.comm_count = 1,
					.complete = true,
					.has_sites = with_sites,
					.has_below = with_below};
	uint32_t ids[RANKS][8], comm_ids[] = {0, 1, 2}, empty;
	struct error err;

	assert_int_equal(string_table_add(&strings, "", 0, &empty, &err), 0);
	for (uint32_t r = 0; r < RANKS; r++) {
		const struct string_table *own;

		assert_int_equal(trace_writer_open(&writers[r], folder,
						   &(struct trace_place){r, RANKS, 1}, 10, &err),
				 0);
		write_calls(writers[r]);
		ranks[r].host = r ? "one" : "two";
		ranks[r].cpus = r == 2 ? cpus_of_rank_2 : "1";
		trace_writer_set_clock(writers[r], &clocks[r]);
		assert_int_equal(trace_writer_end(writers[r], 1000, &ranks[r], &err), 0);
		if (r == 2)
			ranks[r].preemptions = preempted_rank_2;
		assert_int_equal(ranks[r].begin_ns, trace_clock_apply(&clocks[r], 10));
		assert_int_equal(ranks[r].end_ns, trace_clock_apply(&clocks[r], 1000));
		own = trace_writer_strings(writers[r]);
		/* With sites also the empty string. */
		assert_int_equal(own->starts.count, with_sites ? 6 : 3);
		for (uint32_t i = 0; i < own->starts.count; i++) {
			const char *text = string_table_get(own, i);

			assert_int_equal(string_table_add(&strings, text, strlen(text), &ids[r][i],
							  &err),
					 0);
		}
	}
	assert_int_equal(trace_writer_define(writers[0], &all, &err), 0);
	for (uint32_t r = RANKS; r-- > 0;) {
		assert_int_equal(trace_writer_map(writers[r],
						  &(struct trace_maps){.strings = ids[r],
								       .comms = comm_ids,
								       .comm_count = 3},
						  &err),
				 0);
		assert_int_equal(trace_writer_close(writers[r], &err), 0);
	}
	string_table_release(&strings);
}

struct progress {
	const struct trace_reader *reader;
	uint32_t rank;
	unsigned count;
};

static int check_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct progress *progress = data;
	const struct trace_clock *clock = &clocks[progress->rank];
	unsigned i = progress->count++;

	(void)err;
	assert_true(i < CALLS);
	assert_string_equal(call->function, mpi_functions[calls[i].number].name);
	assert_int_equal(call->enter_ns, trace_clock_apply(clock, 100 * (i + 1)));
	assert_int_equal(call->leave_ns, trace_clock_apply(clock, 100 * (i + 1) + 50));
	assert_int_equal(call->event_count, calls[i].count);
	assert_int_equal(call->site == NO_SITE, !*site_of(i));
	if (call->site != NO_SITE)
		assert_string_equal(trace_reader_site(progress->reader, call->site), site_of(i));
	for (uint32_t k = 0; k < call->event_count; k++) {
		/* The archive has sends before receives. */
		const struct mpi_event *read = &call->events[k];
		const struct mpi_event *written = &events[i][i == 1 ? 1 - k : k];

		assert_int_equal(read->kind, written->kind);
		assert_int_equal(read->comm, written->comm);
		assert_int_equal(read->peer, written->peer);
		if (event_is_message(written->kind)) {
			assert_int_equal(read->tag, written->tag);
			assert_int_equal(read->bytes, written->bytes);
			assert_int_equal(read->posted, written->posted);
		}
		if (written->kind != EVENT_COLLECTIVE)
			continue;
		assert_int_equal(read->collective, written->collective);
		assert_int_equal(read->root, written->root);
		assert_int_equal(read->in_place, written->in_place);
		assert_int_equal(read->persistent, written->persistent);
		assert_int_equal(read->bytes_sent, written->bytes_sent);
		assert_int_equal(read->bytes_received, written->bytes_received);
		assert_int_equal(!read->operation, !written->operation);
		if (written->operation)
			assert_string_equal(read->operation, written->operation);
		assert_int_equal(!read->receive_bytes, !written->receive_bytes);
		if (written->receive_bytes) {
			assert_memory_equal(read->send_bytes, to_all, sizeof to_all);
			assert_memory_equal(read->receive_bytes, from_all, sizeof from_all);
		}
	}
	return 0;
}

static void read_archive(void)
{
	struct trace_reader *reader;
	const struct trace_world *world;
	struct error err;

	write_archive();
	if (trace_reader_open(&reader, folder, &err) < 0)
		fail_msg("%s", err.text);
	trace_reader_as_measured(reader);
	world = trace_reader_world(reader);
	assert_true(world->has_probes);
	assert_int_equal(world->rank_count, RANKS);
	assert_int_equal(world->comm_count, 3);
	assert_string_equal(world->comms[2].name, "turned");
	assert_int_equal(world->comms[2].size, RANKS);
	assert_int_equal(world->comms[2].ranks[0], 2);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct progress progress = {.reader = reader, .rank = rank};

		if (trace_reader_rank(reader, rank, check_call, &progress, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(progress.count, CALLS);
	}
	trace_reader_close(reader);
}

static void written_calls_are_read(void **state)
{
	(void)state;
	read_archive();
}

static int check_probe(void *data, const struct mpi_call *call, struct error *err)
{
	(void)data;
	(void)err;
	if (!strcmp(call->function, "MPI_Improbe"))
		assert_int_equal(call->event_count, 0);
	return 0;
}

/* [call below MPI]: as written, those within another one before it; times are since the begin of the call. */
static int check_below(void *data, const struct below_call *read, struct error *err)
{
	static const struct {
		uint32_t function;
		int from, to;
		bool pending;
		uint64_t number;
	} written[] = {
		{BELOW_worker_progress, -9, -8, false, 2},
		{BELOW_tag_send_nbx, 6, 8, true, 4096},
		{BELOW_am_send_nb, 8, 8, false, BELOW_UNKNOWN},
		{BELOW_worker_progress, 5, 20, false, 1},
		{BELOW_EMPTY_POLLS, 21, 49, false, 7},
	};
	unsigned *count = data;
	const unsigned i = *count % 5, at = 100 * (*count / 5 + 1);

	(void)err;
	(*count)++;
	assert_int_equal(read->function, written[i].function);
	assert_int_equal(read->enter_ns, at + (unsigned)written[i].from);
	assert_int_equal(read->leave_ns, at + (unsigned)written[i].to);
	assert_int_equal(read->pending, written[i].pending);
	assert_true(read->number == written[i].number);
	return 0;
}

static void calls_are_the_same_with_and_without_what_is_below_mpi(void **state)
{
	struct trace_reader *reader;
	unsigned count = 0;
	struct error err;

	(void)state;
	with_below = true;
	/* The calls are compared with those written in both cases. */
	read_archive();
	assert_int_equal(trace_reader_open(&reader, folder, &err), 0);
	assert_true(trace_reader_world(reader)->has_below);
	assert_int_equal(trace_reader_threads(reader, 0), 1);
	trace_reader_below(reader, check_below, &count);
	assert_int_equal(trace_reader_rank(reader, 0, check_probe, NULL, &err), 0);
	assert_int_equal(count, 5 * CALLS);
	trace_reader_close(reader);
	with_below = false;
}

static void what_is_below_mpi_of_a_call_that_never_ends_is_written(void **state)
{
	const struct below_event below = {
		BELOW_ENTER, BELOW_worker_progress, false, true, 50, 50, 0};
	struct trace_writer *writer;
	struct trace_rank rank;
	struct error err;

	(void)state;
	assert_int_equal(trace_writer_open(&writer, folder, &alone, 10, &err), 0);
	assert_int_equal(trace_writer_below(writer, 0, &below, &err), 0);
	assert_int_equal(trace_writer_below_end(writer, &err), 0);
	assert_int_equal(trace_writer_end(writer, 100, &rank, &err), 0);
	/* ProgramBegin and ProgramEnd, begin and end of the poll. */
	assert_int_equal(rank.events[0], 4);
	assert_int_equal(trace_writer_close(writer, &err), 0);
}

static void probes_have_events_only_as_measured(void **state)
{
	struct trace_reader *reader;
	struct error err;

	(void)state;
	write_archive();
	assert_int_equal(trace_reader_open(&reader, folder, &err), 0);
	assert_int_equal(trace_reader_rank(reader, 0, check_probe, NULL, &err), 0);
	trace_reader_close(reader);
}

static void written_call_sites_are_read(void **state)
{
	(void)state;
	with_sites = true;
	read_archive();
	with_sites = false;
}

/* Write an archive with these CPUs of rank 2, which shares a host with rank 1, and open it. */
static struct trace_reader *open_with_cpus(const char *cpus)
{
	struct trace_reader *reader;
	struct error err;

	cpus_of_rank_2 = cpus;
	write_archive();
	if (trace_reader_open(&reader, folder, &err) < 0)
		fail_msg("%s", err.text);
	return reader;
}

static void hosts_have_ranks_and_cores(void **state)
{
	struct trace_reader *reader = open_with_cpus("1,3-4");
	const struct trace_world *world = trace_reader_world(reader);
	char text[TRACE_HOSTS_TEXT_BYTES];

	(void)state;
	assert_int_equal(world->host_count, 2);
	assert_string_equal(world->hosts[0].name, "two");
	assert_int_equal(world->hosts[0].ranks, 1);
	assert_true(world->hosts[0].cores == 1);
	assert_string_equal(world->hosts[1].name, "one");
	assert_int_equal(world->hosts[1].ranks, 2);
	assert_true(world->hosts[1].cores == 3);
	assert_null(trace_hosts_say(world, text));
	trace_reader_close(reader);
}

static void more_ranks_than_cores_are_said(void **state)
{
	struct trace_reader *reader = open_with_cpus("1");
	char text[TRACE_HOSTS_TEXT_BYTES];

	(void)state;
	assert_string_equal(trace_hosts_say(trace_reader_world(reader), text),
			    "2 ranks on 1 core of host one (more ranks than cores on 1 of 2"
			    " hosts)");
	trace_reader_close(reader);
}

static void cores_of_a_host_are_unknown_if_those_of_a_rank_are(void **state)
{
	struct trace_reader *reader = open_with_cpus("");
	char text[TRACE_HOSTS_TEXT_BYTES];

	(void)state;
	assert_true(trace_reader_world(reader)->hosts[1].cores == 0);
	assert_null(trace_hosts_say(trace_reader_world(reader), text));
	trace_reader_close(reader);
}

static void ranks_of_one_host_are_said_without_its_name(void **state)
{
	static const struct trace_host host = {.name = "one", .ranks = 8, .cores = 1.5};
	const struct trace_world world = {.hosts = &host, .host_count = 1};
	char text[TRACE_HOSTS_TEXT_BYTES];

	(void)state;
	assert_string_equal(trace_hosts_say(&world, text), "8 ranks on 1.5 cores");
}

static void a_rank_preempted_too_often_is_said(void **state)
{
	struct trace_reader *reader;
	char text[TRACE_HOSTS_TEXT_BYTES];

	(void)state;
	preempted_rank_2 = (struct preemptions){220, 2000000000, WAITED_NOT_KNOWN};
	reader = open_with_cpus("1,3-4");
	preempted_rank_2 = (struct preemptions){0};
	assert_true(trace_reader_world(reader)->hosts[1].preemption_rate == 110);
	assert_string_equal(trace_hosts_say(trace_reader_world(reader), text),
			    "2 ranks on 3 cores of host one with other processes or threads"
			    " (rank 2 was preempted 110 times a second)");
	assert_null(trace_hosts_say_ranks(trace_reader_world(reader), text));
	trace_reader_close(reader);
}

/* Open an archive whose rank 2 was preempted a thousand times and waited for so many ns in 2 s. */
static struct trace_reader *open_waited(uint64_t ns)
{
	struct trace_reader *reader;

	preempted_rank_2 = (struct preemptions){1000, 2000000000, ns};
	reader = open_with_cpus("1,3-4");
	preempted_rank_2 = (struct preemptions){0};
	return reader;
}

static void a_rank_that_waited_too_long_for_a_core_is_said(void **state)
{
	struct trace_reader *reader = open_waited(101000000);
	const char *line = "2 ranks on 3 cores of host one with other processes or threads"
			   " (a thread of rank 2 waited for a core for 5.05 % of the run)";
	char text[TRACE_HOSTS_TEXT_BYTES];

	(void)state;
	assert_null(trace_hosts_say_shared(trace_reader_world(reader), text));
	assert_string_equal(trace_hosts_say(trace_reader_world(reader), text), line);
	assert_null(trace_hosts_say_ranks(trace_reader_world(reader), text));
	assert_non_null(trace_hosts_say_times(trace_reader_world(reader), text));
	assert_non_null(strstr(text, "run), whose times include waiting for a core"));
	trace_reader_close(reader);
}

static void ranks_that_waited_for_a_fifth_of_the_run_have_shared_cores(void **state)
{
	struct trace_reader *reader = open_waited(404000000);
	char text[TRACE_HOSTS_TEXT_BYTES];

	(void)state;
	assert_string_equal(trace_hosts_say_shared(trace_reader_world(reader), text),
			    "2 ranks on 3 cores of host one with other processes or threads"
			    " (a thread of rank 2 waited for a core for 20.2 % of the run)");
	trace_reader_close(reader);
}

static void preemptions_tell_nothing_where_waiting_is_known(void **state)
{
	struct trace_reader *reader = open_waited(100000000);
	char text[TRACE_HOSTS_TEXT_BYTES];

	(void)state;
	assert_true(trace_reader_world(reader)->hosts[1].waited == 0.05);
	assert_true(trace_reader_world(reader)->hosts[1].waited_rank == 2);
	assert_null(trace_hosts_say(trace_reader_world(reader), text));
	trace_reader_close(reader);
}

static void preemptions_of_short_runs_count_as_of_a_second(void **state)
{
	struct preemptions few;

	(void)state;
	assert_true(preemptions_read(&few, "20/1000000"));
	assert_true(preemptions_rate(&few) == 20);
	assert_false(preemptions_read(&few, "20"));
	assert_false(preemptions_read(&few, "20/1 "));
	assert_false(preemptions_read(&few, "/1"));
	assert_false(preemptions_read(&few, "99999999999999999999/1"));
	assert_true(few.ns == 0 && preemptions_rate(&few) == 0);
}

static void an_archive_is_not_overwritten(void **state)
{
	struct trace_writer *writer;
	struct error err;

	(void)state;
	write_archive();
	assert_int_equal(trace_writer_open(&writer, folder, &alone, 0, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "there is a trace already"));
}

static void a_directory_under_a_file_is_an_error(void **state)
{
	struct trace_writer *writer;
	struct error err;

	(void)state;
	assert_int_equal(trace_writer_open(&writer, "/dev/null/trace", &alone, 0, &err), -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
}

static void strings_are_numbered_once(void **state)
{
	struct string_table table = {0};
	struct error err;
	uint32_t number;
	char text[16];

	(void)state;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			int length = snprintf(text, sizeof text, "%u", i);

			assert_int_equal(string_table_add(&table, text, (size_t)length, &number,
							  &err),
					 0);
			assert_int_equal(number, i);
		}
	/* A prefix of a string is another string. */
	assert_int_equal(string_table_add(&table, "49999", 4, &number, &err), 0);
	assert_int_equal(number, 4999);
	assert_int_equal(string_table_add(&table, "", 0, &number, &err), 0);
	assert_int_equal(number, 5000);
	assert_string_equal(string_table_get(&table, 123), "123");
	string_table_release(&table);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_calls_are_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(probes_have_events_only_as_measured, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(written_call_sites_are_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			calls_are_the_same_with_and_without_what_is_below_mpi, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_below_mpi_of_a_call_that_never_ends_is_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_archive_is_not_overwritten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hosts_have_ranks_and_cores, set_up, tear_down),
		cmocka_unit_test_setup_teardown(more_ranks_than_cores_are_said, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cores_of_a_host_are_unknown_if_those_of_a_rank_are,
						set_up, tear_down),
		cmocka_unit_test(ranks_of_one_host_are_said_without_its_name),
		cmocka_unit_test_setup_teardown(a_rank_preempted_too_often_is_said, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_rank_that_waited_too_long_for_a_core_is_said,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			ranks_that_waited_for_a_fifth_of_the_run_have_shared_cores, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(preemptions_tell_nothing_where_waiting_is_known,
						set_up, tear_down),
		cmocka_unit_test(preemptions_of_short_runs_count_as_of_a_second),
		cmocka_unit_test(a_directory_under_a_file_is_an_error),
		cmocka_unit_test(strings_are_numbered_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
