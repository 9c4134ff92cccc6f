/* runs: slow */
/* Tests: records appended to a journal are read from it, up to any damage. */
#include "common/array.h"
#include "trace/journal/journal.h"
#include "trace/journal/journal_sites.h"
#include "trace/call/mpi_functions.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 100000 };
static char folder[64], file[128];
static const struct journal_place journal_3 = {folder, 3, 0};

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/journal-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(file, sizeof file, "%s/journal/3", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	journal_remove(folder, 3, 1);
	rmdir(folder);
	return access(folder, F_OK) == 0;
}

static const uint64_t members[] = {7, 8, 9, 4}, to[] = {1, 1, 1, UINT64_MAX};
static const struct mpi_event events[] = {
	{.kind = EVENT_SEND, .comm = 1, .peer = 2, .tag = UINT32_MAX, .bytes = UINT64_MAX},
	{.kind = EVENT_IRECV, .peer = 5, .tag = 1, .bytes = 1, .request = 77, .posted = 3},
	{.kind = EVENT_COLLECTIVE_REQUEST, .comm = 3, .request = 78},
	{.kind = EVENT_COLLECTIVE, .comm = 3, .collective = COLL_ALLTOALLV, .root = NO_ROOT,
	 .in_place = true, .bytes_sent = 5, .bytes_received = 6, .send_bytes = to,
	 .receive_bytes = members, .send_count = 4, .receive_count = 4, .neighbours = "1,2;3",
	 .operation = "MPI_SUM"},
	{.kind = EVENT_COLLECTIVE_COMPLETE, .comm = 3, .collective = COLL_REDUCE,
	 .root = UINT32_MAX - 1, .request = 78, .persistent = UINT32_MAX},
	{.kind = EVENT_REQUEST_TEST, .request = 1},
	{.kind = EVENT_TRANSFER, .bytes = 99},
	{.kind = EVENT_PROBE, .comm = 1, .peer = 3, .tag = 4, .bytes = 5},
	{.kind = EVENT_ISEND, .comm = 1, .peer = 2, .bytes = 64, .request = 79, .partitions = 8},
	{.kind = EVENT_RMA_ATOMIC, .comm = 1, .window = 4, .peer = 6, .bytes_sent = UINT64_MAX,
	 .bytes_received = 8, .request = 80, .atomic = RMA_FETCH_AND_ACCUMULATE,
	 .operation = "MPI_MAX"},
	{.kind = EVENT_RMA_GROUP_SYNC, .window = 4, .group = 300,
	 .sync = RMA_SYNC_PROCESS | RMA_SYNC_MEMORY},
	{.kind = EVENT_RMA_LOCK, .window = 4, .peer = RMA_ALL, .exclusive = true},
	{.kind = EVENT_RMA_COLLECTIVE, .window = UINT32_MAX,
	 .collective = COLL_DESTROY_HANDLE_AND_DEALLOCATE},
};
enum { EVENTS = sizeof events / sizeof *events };

static struct journal *create(size_t segment_bytes)
{
	struct journal *journal;
	struct error err;

	if (journal_create(&journal, &journal_3, RANKS, 1000, segment_bytes, &err) < 0)
		fail_msg("%s", err.text);
	return journal;
}

static void append_call(struct journal *journal, uint64_t i)
{
	struct mpi_call call = {.enter_ns = 1000 + 10 * i, .leave_ns = 1005 + 10 * i,
				.events = events, .event_count = (uint32_t)(i % (EVENTS + 1))};
	struct error err;

	assert_int_equal(journal_call(journal, (unsigned)(i % MPI_FUNCTION_COUNT), &call, &err), 0);
}

static void check_message(const struct mpi_event *read, const struct mpi_event *written)
{
	assert_int_equal(read->tag, written->tag);
	assert_true(read->bytes == written->bytes);
	assert_int_equal(read->posted, written->posted);
	assert_int_equal(read->partitions, written->partitions);
}

static void check_rma(const struct mpi_event *read, const struct mpi_event *written)
{
	assert_int_equal(read->window, written->window);
	assert_int_equal(read->group, written->group);
	assert_int_equal(read->sync, written->sync);
	assert_int_equal(read->exclusive, written->exclusive);
	assert_int_equal(read->atomic, written->atomic);
}

static void check_collective(const struct mpi_event *read, const struct mpi_event *written)
{
	assert_int_equal(read->root, written->root);
	assert_int_equal(read->in_place, written->in_place);
	assert_int_equal(read->persistent, written->persistent);
	assert_int_equal(read->send_count, written->send_count);
	assert_int_equal(read->receive_count, written->receive_count);
	assert_int_equal(!read->neighbours, !written->neighbours);
	if (!written->neighbours)
		return;
	assert_string_equal(read->neighbours, written->neighbours);
	assert_memory_equal(read->send_bytes, to, sizeof to);
	assert_memory_equal(read->receive_bytes, members, sizeof members);
}

static void check_event(const struct mpi_event *read, const struct mpi_event *written)
{
	assert_int_equal(read->kind, written->kind);
	assert_int_equal(read->comm, written->comm);
	assert_int_equal(read->peer, written->peer);
	assert_int_equal(read->request, written->request);
	assert_int_equal(read->collective, written->collective);
	assert_true(read->bytes_sent == written->bytes_sent);
	assert_true(read->bytes_received == written->bytes_received);
	assert_int_equal(!read->operation, !written->operation);
	if (written->operation)
		assert_string_equal(read->operation, written->operation);
	if (event_is_message(written->kind))
		check_message(read, written);
	else if (event_is_collective(written->kind))
		check_collective(read, written);
	else if (event_is_rma(written->kind))
		check_rma(read, written);
}

static void check_call(const struct journal_record *record, uint64_t i)
{
	assert_int_equal(record->kind, JOURNAL_CALL);
	assert_int_equal(record->number, i % MPI_FUNCTION_COUNT);
	assert_int_equal(record->call.enter_ns, 1000 + 10 * i);
	assert_int_equal(record->call.leave_ns, 1005 + 10 * i);
	assert_int_equal(record->call.event_count, i % (EVENTS + 1));
	for (uint32_t k = 0; k < record->call.event_count; k++)
		check_event(&record->call.events[k], &events[k]);
}

/* Read calls 0, 1, ... up to the end, and return their number.  Counts flushes, too. */
static uint64_t read_all(struct journal_reader *reader, bool *damaged, uint64_t *flushes)
{
	struct journal_record record;
	struct error err;
	uint64_t calls = 0;
	int got;

	*flushes = 0;
	while ((got = journal_next(reader, &record, &err)) > 0) {
		if (record.kind == JOURNAL_FLUSH)
			++*flushes;
		else if (record.kind == JOURNAL_CALL)
			check_call(&record, calls++);
		else
			assert_int_equal(record.kind, JOURNAL_BEGIN);
	}
	assert_int_equal(got, 0);
	*damaged = journal_is_damaged(reader);
	journal_reader_close(reader);
	return calls;
}

static uint64_t read_calls(bool *damaged, uint64_t *flushes)
{
	struct journal_reader *reader;
	struct error err;

	if (journal_open(&reader, &journal_3, &err) == 0)
		return read_all(reader, damaged, flushes);
	assert_int_equal(err.status, STATUS_DATA);
	*damaged = true;
	*flushes = 0;
	return 0;
}

static void all_kinds_of_records_are_read(void **state)
{
	static const struct mpi_comm comm = {
		.id = 2, .key = UINT64_MAX, .parent_key = 5, .depth = 3, .rank = 1, .size = 3,
		.remote_size = 1, .members = members, .remote = members + 3};
	static const struct mpi_window window = {.id = 9, .key = UINT64_MAX - 1, .comm = 1};
	static const struct mpi_group group = {.id = 2, .size = 4, .members = members};
	static const struct clock_point clock = {.time_ns = 7, .offset_ns = -5,
						 .deviation_ns = 0.5};
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;

	(void)state;
	assert_int_equal(journal_comm(journal, &comm, &err), 0);
	assert_int_equal(journal_comm_name(journal, 2, "name", &err), 0);
	assert_int_equal(journal_property(journal, "SIZE", "", &err), 0);
	assert_int_equal(journal_switch(journal, 900, false, &err), 0);
	assert_int_equal(journal_clock(journal, &clock, &err), 0);
	assert_int_equal(journal_window(journal, &window, &err), 0);
	assert_int_equal(journal_window_name(journal, 9, "pane", &err), 0);
	assert_int_equal(journal_group(journal, &group, &err), 0);
	assert_int_equal(journal_end(journal, 2000, &err), 0);
	journal_close(journal);
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_BEGIN);
	assert_int_equal(record.rank, 3);
	assert_int_equal(record.ranks, RANKS);
	assert_int_equal(record.time_ns, 1000);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_COMM);
	assert_true(record.comm.key == UINT64_MAX);
	assert_int_equal(record.comm.depth, 3);
	assert_memory_equal(record.comm.members, members, 3 * sizeof *members);
	assert_int_equal(record.comm.remote[0], 4);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_string_equal(record.name, "name");
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_string_equal(record.name, "SIZE");
	assert_string_equal(record.value, "");
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_SWITCH);
	assert_int_equal(record.time_ns, 900);
	assert_false(record.on);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_CLOCK);
	assert_int_equal(record.clock.time_ns, 7);
	assert_int_equal(record.clock.offset_ns, -5);
	assert_true(record.clock.deviation_ns == 0.5);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_WINDOW);
	assert_int_equal(record.window.id, 9);
	assert_true(record.window.key == UINT64_MAX - 1);
	assert_int_equal(record.window.comm, 1);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_WINDOW_NAME);
	assert_int_equal(record.number, 9);
	assert_string_equal(record.name, "pane");
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_GROUP);
	assert_int_equal(record.group.id, 2);
	assert_int_equal(record.group.size, 4);
	assert_memory_equal(record.group.members, members, sizeof members);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_END);
	assert_int_equal(record.time_ns, 2000);
	assert_int_equal(journal_next(reader, &record, &err), 0);
	assert_int_equal(journal_next(reader, &record, &err), 0);
	assert_false(journal_is_damaged(reader));
	journal_reader_close(reader);
}

static void calls_of_many_segments_are_read(void **state)
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	uint64_t flushes;
	bool damaged;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		append_call(journal, i);
	/* The writer has not closed the journal. */
	assert_int_equal(read_calls(&damaged, &flushes), 20000);
	assert_false(damaged);
	assert_in_range(flushes, 2, 200);
	journal_close(journal);
}

static void an_unnamed_journal_is_read_and_leaves_nothing_behind(void **state)
{
	const struct journal_place place = {folder, 3, 0};
	struct journal_reader *reader;
	struct journal *journal;
	struct error err;
	uint64_t flushes;
	bool damaged;

	(void)state;
	if (journal_create_unnamed(&journal, &place, RANKS, 1000, JOURNAL_LEAST_BYTES, &err) < 0)
		fail_msg("%s", err.text);
	for (uint64_t i = 0; i < 20000; i++)
		append_call(journal, i);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(journal_open_unnamed(&reader, journal, &err), 0);
	assert_int_equal(read_all(reader, &damaged, &flushes), 20000);
	assert_false(damaged);
	assert_in_range(flushes, 2, 200);
	journal_close(journal);
}

static void a_record_longer_than_a_segment_is_read(void **state)
{
	enum { COUNT = RANKS };
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;
	uint64_t *vector;
	struct mpi_event event = {.kind = EVENT_COLLECTIVE, .send_count = COUNT};
	struct mpi_call call = {.enter_ns = 1, .leave_ns = 2, .events = &event, .event_count = 1};

	(void)state;
	assert_int_equal(allocate(&vector, COUNT, sizeof *vector, &err), 0);
	for (uint64_t i = 0; i < COUNT; i++)
		vector[i] = i * i;
	event.send_bytes = vector;
	assert_int_equal(journal_call(journal, 0, &call, &err), 0);
	append_call(journal, 1);
	journal_close(journal);
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	do
		assert_int_equal(journal_next(reader, &record, &err), 1);
	while (record.kind != JOURNAL_CALL);
	assert_memory_equal(record.call.events[0].send_bytes, vector, COUNT * sizeof *vector);
	do
		assert_int_equal(journal_next(reader, &record, &err), 1);
	while (record.kind != JOURNAL_CALL);
	check_call(&record, 1);
	journal_reader_close(reader);
	free(vector);
}

enum { SITES = 1000, CALLS_AT_SITES = 20000 };

/* Addresses in the program; each seventh is in no module, and the first is not known. */
static uintptr_t address_of(uint64_t i)
{
	const uintptr_t n = i * i % SITES;

	return n == 0 ? 0 : n % 7 == 0 ? n : (uintptr_t)read_calls + n;
}

static void check_site(const char *text, uint64_t i)
{
	struct call_site site, first;
	struct journal_sites *sites;
	struct error err;
	char own[PATH_MAX];

	if (!address_of(i)) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_true(call_site_read(&site, text));
	if (address_of(i) < SITES) {
		assert_string_equal(site.module, "");
		assert_int_equal(site.offset, address_of(i));
		return;
	}
	assert_non_null(realpath("/proc/self/exe", own));
	assert_string_equal(site.module, own);
	assert_int_equal(journal_sites_make(&sites, &err), 0);
	assert_true(call_site_read(&first, journal_site_text(sites, (uintptr_t)read_calls)));
	journal_sites_free(sites);
	assert_int_equal(site.offset - first.offset, address_of(i) - (uintptr_t)read_calls);
	assert_int_equal(site.build_id_bytes, first.build_id_bytes);
}

static void call_sites_are_read_as_modules_and_offsets(void **state)
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;
	uint64_t calls = 0;

	(void)state;
	assert_int_equal(journal_record_sites(journal, &err), 0);
	for (uint64_t i = 0; i < CALLS_AT_SITES; i++) {
		const struct mpi_call call = {.enter_ns = 1000 + i,
					      .leave_ns = 1000 + i,
					      .return_address = address_of(i)};

		assert_int_equal(journal_call(journal, 1, &call, &err), 0);
	}
	journal_close(journal);
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	while (journal_next(reader, &record, &err) > 0)
		if (record.kind == JOURNAL_CALL)
			check_site(record.site, calls++);
	assert_int_equal(calls, CALLS_AT_SITES);
	assert_false(journal_is_damaged(reader));
	journal_reader_close(reader);
}

static void what_is_below_mpi_is_read(void **state)
{
	static const struct below_event written[] = {
		{BELOW_CALL, BELOW_tag_send_nbx, true, true, 1010, 1020, BELOW_UNKNOWN},
		{BELOW_ENTER, BELOW_worker_progress, false, false, 1030, 1030, 0},
		{BELOW_LEAVE, BELOW_worker_progress, false, false, 1040, 1040, UINT32_MAX},
		{BELOW_CALL, BELOW_EMPTY_POLLS, false, true, 5000, 1000000000, 1},
	};
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(journal_below(journal, &written[i], &err), 0);
	journal_close(journal);
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(journal_next(reader, &record, &err), 1);
		assert_int_equal(record.kind, JOURNAL_BELOW);
		assert_int_equal(record.below.part, written[i].part);
		assert_int_equal(record.below.function, written[i].function);
		assert_int_equal(record.below.pending, written[i].pending);
		assert_int_equal(record.below.inside, written[i].inside);
		assert_int_equal(record.below.enter_ns, written[i].enter_ns);
		assert_int_equal(record.below.leave_ns, written[i].leave_ns);
		assert_int_equal(record.time_ns, written[i].leave_ns);
		assert_true(record.below.number == written[i].number);
	}
	assert_int_equal(journal_next(reader, &record, &err), 0);
	journal_reader_close(reader);
}

/* Archives define no regions for them. */
static void functions_below_mpi_that_are_not_recorded_are_damage(void **state)
{
	static const struct below_event quiet = {.function = BELOW_init_version, .leave_ns = 1000};
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct error err;
	uint64_t flushes;
	bool damaged;

	(void)state;
	assert_int_equal(below_functions[quiet.function].kind, BELOW_QUIET);
	assert_int_equal(journal_below(journal, &quiet, &err), 0);
	journal_close(journal);
	read_calls(&damaged, &flushes);
	assert_true(damaged);
}

/* The second of three MPI_Test has polled nothing. */
static void runs_of_polls_are_one_with_the_polls_below_mpi(void **state)
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		const struct mpi_call call = {.enter_ns = 1000 + 10 * i,
					      .leave_ns = 1008 + 10 * i,
					      .polls = 1,
					      .empty_polls = i == 1 ? 0 : 5,
					      .empty_from_ns = 1001 + 10 * i,
					      .empty_to_ns = 1007 + 10 * i};

		assert_int_equal(journal_call(journal, CALL_Test, &call, &err), 0);
	}
	journal_close(journal);
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.call.polls, 3);
	assert_int_equal(record.call.empty_polls, 10);
	assert_int_equal(record.call.empty_from_ns, 1001);
	assert_int_equal(record.call.empty_to_ns, 1027);
	assert_int_equal(journal_next(reader, &record, &err), 0);
	journal_reader_close(reader);
}

static void a_run_of_polls_has_the_site_of_its_first(void **state)
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;

	(void)state;
	assert_int_equal(journal_record_sites(journal, &err), 0);
	for (uint64_t i = 0; i < 6; i++) {
		const struct mpi_call call = {.enter_ns = 1000 + i,
					      .leave_ns = 1000 + i,
					      .polls = 1,
					      .return_address = 11 + i % 2};

		assert_int_equal(journal_call(journal, CALL_Test, &call, &err), 0);
	}
	journal_close(journal);
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.call.polls, 6);
	assert_string_equal(record.site, "+0xb");
	assert_int_equal(journal_next(reader, &record, &err), 0);
	journal_reader_close(reader);
}

enum { SHORT_CALLS = 40, SHORT_BYTES = 6400 };

static void write_short(unsigned char bytes[static SHORT_BYTES])
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	int fd;

	for (uint64_t i = 0; i < SHORT_CALLS; i++)
		append_call(journal, i);
	journal_close(journal);
	fd = open(file, O_RDONLY);
	assert_int_equal(read(fd, bytes, SHORT_BYTES), SHORT_BYTES);
	close(fd);
}

static void write_bytes(const unsigned char *bytes, size_t count)
{
	int fd = open(file, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	close(fd);
}

static void a_journal_cut_anywhere_is_read_up_to_there(void **state)
{
	unsigned char bytes[SHORT_BYTES];
	uint64_t before = 0, flushes;
	bool damaged;

	(void)state;
	write_short(bytes);
	for (size_t count = 0; count <= SHORT_BYTES; count++) {
		uint64_t calls;

		write_bytes(bytes, count);
		calls = read_calls(&damaged, &flushes);
		assert_in_range(calls, before, before + 1);
		before = calls;
	}
	assert_int_equal(before, SHORT_CALLS);
}

static void a_damaged_journal_is_read_up_to_the_damage(void **state)
{
	unsigned char bytes[SHORT_BYTES];
	uint64_t least = SHORT_CALLS, flushes, random = 1;
	bool damaged;

	(void)state;
	write_short(bytes);
	for (unsigned i = 0; i < 3000; i++) {
		size_t place;
		unsigned char old, bit;
		uint64_t calls;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		place = (random >> 33) % SHORT_BYTES;
		bit = (unsigned char)(1 + (random >> 20) % 255);
		old = bytes[place];
		bytes[place] ^= bit;
		write_bytes(bytes, SHORT_BYTES);
		calls = read_calls(&damaged, &flushes);
		assert_true(damaged || calls == SHORT_CALLS);
		if (calls < least)
			least = calls;
		bytes[place] = old;
	}
	assert_int_equal(least, 0);
}

static void appended_records_survive_sigkill(void **state)
{
	uint64_t flushes;
	bool damaged;
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		struct journal *journal = create(JOURNAL_LEAST_BYTES);

		for (uint64_t i = 0; i < 5000; i++)
			append_call(journal, i);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(read_calls(&damaged, &flushes), 5000);
	assert_false(damaged);
}

/* The test fails by SIGXFSZ if the journal writes beyond the limit. */
static void a_full_disk_is_an_error_and_no_signal(void **state)
{
	uint64_t flushes;
	bool damaged;
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		struct rlimit limit = {3 * JOURNAL_LEAST_BYTES, 3 * JOURNAL_LEAST_BYTES};
		struct journal *journal = create(JOURNAL_LEAST_BYTES);
		struct mpi_call call = {.enter_ns = 1000, .leave_ns = 1005};
		struct error err = {0};
		unsigned failures = 0;

		if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
			_exit(1);
		for (uint64_t i = 0; i < 20000; i++) {
			call.enter_ns = 1000 + 10 * i;
			call.leave_ns = 1005 + 10 * i;
			call.event_count = (uint32_t)(i % (EVENTS + 1));
			call.events = events;
			if (journal_call(journal, (unsigned)(i % MPI_FUNCTION_COUNT), &call,
					 &err) < 0 &&
			    ++failures == 2)
				break;
		}
		journal_close(journal);
		_exit(failures == 2 && err.status == STATUS_SYSTEM ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(read_calls(&damaged, &flushes) > 1000);
	assert_int_equal(flushes, 2);
}

static void a_journal_is_not_overwritten(void **state)
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES), *other;
	struct error err;

	(void)state;
	assert_int_equal(journal_create(&other, &journal_3, RANKS, 0, JOURNAL_LEAST_BYTES, &err),
			 -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "--recover"));
	journal_close(journal);
}

static void a_directory_belongs_to_the_run_that_claims_it_first(void **state)
{
	char anchor[sizeof folder + 16];
	struct error err;
	FILE *archive;

	(void)state;
	assert_int_equal(journal_claim(folder, &err), 0);
	assert_int_equal(journal_claim(folder, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "another run may be writing it"));
	/* The first run gives up; the folder of the trace goes, too. */
	journal_remove(folder, 0, 0);
	assert_int_equal(access(folder, F_OK), -1);
	assert_int_equal(journal_claim(folder, &err), 0);
	snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
	archive = fopen(anchor, "w");
	assert_non_null(archive);
	fclose(archive);
	journal_remove(folder, 0, 0);
	assert_int_equal(journal_claim(folder, &err), -1);
	assert_non_null(strstr(err.text, "there is a trace already"));
	snprintf(file, sizeof file, "%s/journal", folder);
	assert_int_equal(access(file, F_OK), -1);
	unlink(anchor);
}

/* Append a poll of 10 ns of the incomplete request `request`, or of no request for 0. */
static void append_poll(struct journal *journal, uint64_t enter_ns, unsigned number,
			uint64_t request)
{
	struct mpi_event event = {.kind = EVENT_REQUEST_TEST, .request = request};
	struct mpi_call call = {.enter_ns = enter_ns, .leave_ns = enter_ns + 10, .events = &event,
				.event_count = request > 0, .polls = 1};
	struct error err;

	assert_int_equal(journal_call(journal, number, &call, &err), 0);
}

static void expect_polls(struct journal_reader *reader, uint64_t enter_ns, uint64_t leave_ns,
			 uint64_t polls, uint64_t gaps_ns, uint64_t least_gap_ns)
{
	struct journal_record record;
	struct error err;

	assert_int_equal(journal_next(reader, &record, &err), 1);
	assert_int_equal(record.kind, JOURNAL_CALL);
	assert_int_equal(record.call.enter_ns, enter_ns);
	assert_int_equal(record.call.leave_ns, leave_ns);
	assert_int_equal(record.call.polls, polls);
	assert_int_equal(record.call.poll_gaps_ns, gaps_ns);
	assert_int_equal(record.call.least_poll_gap_ns, least_gap_ns);
}

static void polls_in_a_row_are_one_call(void **state)
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;

	(void)state;
	append_poll(journal, 9020, CALL_Test, 7);
	append_poll(journal, 9130, CALL_Test, 7);	/* the gap is 100 */
	append_poll(journal, 9200, CALL_Test, 8);
	append_poll(journal, 9300, CALL_Iprobe, 0);
	append_poll(journal, 9400, CALL_Iprobe, 0);
	append_call(journal, 950);			/* which begins at 10500 */
	append_poll(journal, 11000, CALL_Iprobe, 0);
	append_poll(journal, 11010, CALL_Improbe, 0);
	/* Appended records are readable at any time. */
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	expect_polls(reader, 9020, 9140, 2, 100, 100);
	expect_polls(reader, 9200, 9210, 1, 0, 0);
	expect_polls(reader, 9300, 9410, 2, 90, 90);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	check_call(&record, 950);
	expect_polls(reader, 11000, 11010, 1, 0, 0);
	expect_polls(reader, 11010, 11020, 1, 0, 0);
	assert_int_equal(journal_next(reader, &record, &err), 0);
	assert_false(journal_is_damaged(reader));
	journal_reader_close(reader);
	journal_close(journal);
}

static void polls_with_computation_between_end_where_a_wait_begins(void **state)
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;

	(void)state;
	append_poll(journal, 2000, CALL_Test, 7);
	append_poll(journal, 9010, CALL_Test, 7);	/* the gap is 7000 */
	append_poll(journal, 15020, CALL_Test, 7);	/* 6000 */
	append_poll(journal, 20030, CALL_Test, 7);	/* 5000 */
	append_poll(journal, 29040, CALL_Test, 7);	/* 9000 */
	append_poll(journal, 29150, CALL_Test, 7);	/* 100 */
	append_poll(journal, 49160, CALL_Test, 7);	/* 20000 */
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	expect_polls(reader, 2000, 15030, 3, 13000, 6000);
	expect_polls(reader, 20030, 49170, 4, 29100, 100);
	assert_int_equal(journal_next(reader, &record, &err), 0);
	journal_reader_close(reader);
	journal_close(journal);
}

/* The length of the record changes with its numbers. */
static void run_of_polls_takes_no_room(void **state)
{
	enum { POLLS = 100000 };
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	struct journal_reader *reader;
	struct journal_record record;
	struct stat before, after;
	uint64_t now_ns = 1000;
	struct error err;

	(void)state;
	assert_int_equal(stat(file, &before), 0);
	for (int i = 0; i < POLLS; i++, now_ns += 10)
		append_poll(journal, now_ns += i ? (uint64_t)1 << (i < 40 ? i : i % 30) : 0,
			    CALL_Test, 5);
	assert_int_equal(stat(file, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(journal_open(&reader, &journal_3, &err), 0);
	assert_int_equal(journal_next(reader, &record, &err), 1);
	expect_polls(reader, 1000, now_ns, POLLS, now_ns - 1000 - 10 * POLLS, 1);
	assert_int_equal(journal_next(reader, &record, &err), 0);
	assert_false(journal_is_damaged(reader));
	journal_reader_close(reader);
	journal_close(journal);
}

static void a_journal_is_locked_until_its_writer_closes_it(void **state)
{
	struct journal *journal = create(JOURNAL_LEAST_BYTES);
	pid_t child;

	(void)state;
	assert_true(journal_is_written(&journal_3));
	for (uint64_t i = 0; i < 20000; i++)
		append_call(journal, i);
	assert_true(journal_is_written(&journal_3));
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	journal_close(journal);
	assert_false(journal_is_written(&journal_3));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(journal_is_written(&(struct journal_place){folder, 4, 0}));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(all_kinds_of_records_are_read),
		TEST(polls_in_a_row_are_one_call),
		TEST(polls_with_computation_between_end_where_a_wait_begins),
		TEST(run_of_polls_takes_no_room),
		TEST(calls_of_many_segments_are_read),
		TEST(an_unnamed_journal_is_read_and_leaves_nothing_behind),
		TEST(a_record_longer_than_a_segment_is_read),
		TEST(call_sites_are_read_as_modules_and_offsets),
		TEST(what_is_below_mpi_is_read),
		TEST(functions_below_mpi_that_are_not_recorded_are_damage),
		TEST(runs_of_polls_are_one_with_the_polls_below_mpi),
		TEST(a_run_of_polls_has_the_site_of_its_first),
		TEST(a_journal_cut_anywhere_is_read_up_to_there),
		TEST(a_damaged_journal_is_read_up_to_the_damage),
		TEST(appended_records_survive_sigkill),
		TEST(a_full_disk_is_an_error_and_no_signal),
		TEST(a_journal_is_not_overwritten),
		TEST(a_directory_belongs_to_the_run_that_claims_it_first),
		TEST(a_journal_is_locked_until_its_writer_closes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
