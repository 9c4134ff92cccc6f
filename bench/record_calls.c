/*
 * Cost of recording without MPI: record_calls DIRECTORY.  Prints a line for each
 * pattern of mpi_calls: its name, and per call the ns of the two clock reads,
 * of appending to the journal, and of converting the journal to an archive; the ns of appending
 * with call sites; the bytes of the journal without and with them, and those of the archive.
 */
#include "common/machine/now.h"
#include "trace/assemble/journal_to_otf2.h"
#include "trace/call/mpi_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { CALLS = 400000, REPEATS = 7, NEIGHBOURS = 26 };

static void must(int result, const struct error *err)
{
	if (result == 0)
		return;
	fprintf(stderr, "record_calls: %s\n", err->text);
	exit(1);
}

struct pattern {
	const char *name;
	int count;		/* of its calls */
	unsigned numbers[2 * NEIGHBOURS + 1];
	struct mpi_call calls[2 * NEIGHBOURS + 1];
};

static void add_call(struct pattern *pattern, unsigned number, struct mpi_event *events, int count)
{
	pattern->numbers[pattern->count] = number;
	pattern->calls[pattern->count].events = events;
	pattern->calls[pattern->count++].event_count = (uint32_t)count;
}

static void make_patterns(struct pattern patterns[static 3])
{
	static struct mpi_event send = {.kind = EVENT_SEND, .peer = 1, .bytes = 8};
	static struct mpi_event recv = {.kind = EVENT_RECV, .peer = 1, .bytes = 8};
	static struct mpi_event sum = {.kind = EVENT_COLLECTIVE, .collective = COLL_ALLREDUCE,
		.root = NO_ROOT, .bytes_sent = 16, .bytes_received = 16, .operation = "MPI_SUM"};
	static struct mpi_event starts[2 * NEIGHBOURS], ends[2 * NEIGHBOURS];

	patterns[0].name = "ping-pong";
	add_call(&patterns[0], CALL_Send, &send, 1);
	add_call(&patterns[0], CALL_Recv, &recv, 1);
	patterns[1].name = "neighbours";
	for (int i = 0; i < 2 * NEIGHBOURS; i++) {
		bool receives = i < NEIGHBOURS;

		starts[i] = (struct mpi_event){.kind = receives ? EVENT_IRECV_REQUEST : EVENT_ISEND,
			.peer = 1, .tag = (uint32_t)i, .bytes = 8,
			.request = 1000000 + (uint64_t)i};
		ends[i] = starts[i];
		ends[i].kind = receives ? EVENT_IRECV : EVENT_ISEND_COMPLETE;
		add_call(&patterns[1], receives ? CALL_Irecv : CALL_Isend, &starts[i], 1);
	}
	add_call(&patterns[1], CALL_Waitall, ends, 2 * NEIGHBOURS);
	patterns[2].name = "allreduce";
	add_call(&patterns[2], CALL_Allreduce, &sum, 1);
}

/* Append the calls, to segments of `bytes`, with or without call sites.  Returns the ns per call. */
static double record(struct pattern *pattern, const char *directory, uint64_t begin_ns,
		     size_t bytes, bool sites)
{
	static const uint64_t members[] = {0, 1};
	const struct mpi_comm world = {.size = 2, .members = members};
	struct journal *journal;
	struct error err;
	uint64_t start, time_ns = begin_ns;

	must(journal_create(&journal, &(struct journal_place){directory, 0, 0}, 2, begin_ns,
			    bytes, &err), &err);
	if (sites)
		must(journal_record_sites(journal, &err), &err);
	must(journal_comm(journal, &world, &err), &err);
	start = now_ns();
	for (int i = 0; i < CALLS; i++) {
		struct mpi_call *call = &pattern->calls[i % pattern->count];

		/* Each call of the pattern is at a place of its own. */
		call->return_address = (uintptr_t)record + 24 * (uintptr_t)(i % pattern->count);
		call->enter_ns = time_ns += 200;
		call->leave_ns = time_ns += 300;
		must(journal_call(journal, pattern->numbers[i % pattern->count], call, &err), &err);
	}
	start = now_ns() - start;
	must(journal_end(journal, time_ns, &err), &err);
	journal_close(journal);
	return (double)start / CALLS;
}

static double bytes_of(const char *directory, const char *file)
{
	struct stat status;
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", directory, file);
	return stat(path, &status) == 0 ? (double)status.st_size / CALLS : 0;
}

/* Convert the journal to a rank's part of an archive, and remove that.  *bytes: of a call. */
static double convert(const char *directory, uint64_t begin_ns, double *bytes)
{
	static const struct cut_window all;
	struct journal_cut *journals;
	struct trace_writer *writer;
	struct trace_rank rank;
	struct rank_summary summary = {0};
	struct error err;
	uint64_t start = now_ns();

	must(trace_writer_open(&writer, directory, &(struct trace_place){0, 2, 1}, begin_ns, &err),
	     &err);
	must(journal_cut_open(&journals, directory, 0, 1, &all, &err), &err);
	must(journal_to_otf2(journals, writer, UINT64_MAX, &summary, NULL, NULL, &err), &err);
	must(trace_writer_end(writer, summary.last_ns, &rank, &err), &err);
	start = now_ns() - start;
	*bytes = bytes_of(directory, "traces/0.evt");
	journal_cut_close(journals);
	rank_summary_release(&summary);
	trace_writer_remove(directory, 0, 1);
	journal_remove(directory, 0, 1);
	return (double)start / CALLS;
}

static double clock_twice(void)
{
	uint64_t start = now_ns();

	for (int i = 0; i < 2 * CALLS; i++)
		now_ns();
	return (double)(now_ns() - start) / CALLS;
}

static void keep_least(double *least, double value)
{
	if (*least == 0 || value < *least)
		*least = value;
}

int main(int argc, char **argv)
{
	static struct pattern patterns[3];

	if (argc != 2) {
		fprintf(stderr, "usage: record_calls DIRECTORY\n");
		return 2;
	}
	make_patterns(patterns);
	for (int i = 0; i < 3; i++) {
		double clock_ns = 0, journal_ns[2] = {0}, archive_ns = 0;
		double bytes[2], archive_bytes[2];

		for (int repeat = 0; repeat < REPEATS; repeat++) {
			uint64_t begin_ns = now_ns();

			keep_least(&clock_ns, clock_twice());
			keep_least(&journal_ns[1],
				   record(&patterns[i], argv[1], begin_ns, 4 << 20, true));
			convert(argv[1], begin_ns, &archive_bytes[1]);
			keep_least(&journal_ns[0],
				   record(&patterns[i], argv[1], begin_ns, 4 << 20, false));
			keep_least(&archive_ns, convert(argv[1], begin_ns, &archive_bytes[0]));
		}
		for (int sites = 0; sites < 2; sites++) {
			record(&patterns[i], argv[1], now_ns(), JOURNAL_LEAST_BYTES, sites);
			bytes[sites] = bytes_of(argv[1], "journal/0");
			journal_remove(argv[1], 0, 1);
		}
		printf("%s %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f\n", patterns[i].name, clock_ns,
		       journal_ns[0], archive_ns, journal_ns[1], bytes[0], bytes[1], archive_bytes[0],
		       archive_bytes[1]);
	}
	return 0;
}
