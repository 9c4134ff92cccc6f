/* What happens in MPI_Init: the delay comes into force and is checked. */
#include "inject/operation.h"
#include "inject/fail.h"
#include "inject/library.h"
#include "inject/ping_pong.h"

#include "common/machine/now.h"
#include "common/units.h"
#include "launch/launcher.h"
#include "pmpi/init_end.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Bytes of the messages of the check: SMALL, and up to LARGE if there is a gap. */
enum { SMALL = 8, LARGE = 65536 };

static bool started;

/* The large message takes 10 ms at most. */
static size_t large_bytes(void)
{
	size_t bytes = LARGE;

	while (bytes > 2 * SMALL && delay_gap_ns(&delay, bytes) > 10000000)
		bytes /= 2;
	return bytes;
}

static void write_ns(int64_t ns, char text[static UNIT_TEXT_BYTES])
{
	format_time((double)ns, 4, text);
}

/* ------------------------------------------------------------------ refusing */

static void start_refuse(const char *text)
{
	refuse_together(MPI_COMM_WORLD, text);
}

/* Processes of another MPI's launcher are alone, each a job of its own. */
static void check_launcher(int size)
{
	enum { FIRST_RANK_S = 5 };
	struct error err;
	bool first;

	if (launcher_check(size, &first, &err) == 0)
		return;
	if (first)
		fail("%s", err.text);
	/* The first has time for its message before the launcher ends all. */
	sleep(FIRST_RANK_S);
	_exit(STATUS_LIMIT);
}

/* Whether all ranks read the same clock: they run on one system since it was started. */
static bool clocks_agree(MPI_Comm comm)
{
	char id[64] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned long long sum[2] = {0}, least[2];

	if (file && !fgets(id, sizeof id, file))
		id[0] = 0;
	if (file)
		fclose(file);
	for (const char *letter = id; *letter; letter++)
		sum[0] = sum[0] * 31 + (unsigned char)*letter;
	sum[1] = ~sum[0];
	library.Allreduce(sum, least, 2, MPI_UNSIGNED_LONG_LONG, MPI_MIN, comm);
	return least[0] == ~least[1];
}

/* ------------------------------------------------------------------ checking */

/* Let the delay be in addition to what the network takes. */
static void add_native(MPI_Comm comm, int rank, const struct delay *wanted)
{
	int64_t small, large;

	memset(&delay, 0, sizeof delay);
	small = ping_pong_ns(comm, rank, SMALL, 0);
	large = ping_pong_ns(comm, rank, LARGE, 0);
	library.Barrier(comm);
	delay = *wanted;
	delay_add_native(&delay, SMALL, small, LARGE, large);
}

/* Check the time of a message, and append it to the report. */
static void check(MPI_Comm comm, int rank, size_t bytes, char report[static 256])
{
	const int64_t least = delay_due_ns(&delay, 0, bytes),
		      found = ping_pong_ns(comm, rank, bytes, least);
	char text[256], time[UNIT_TEXT_BYTES], wanted[UNIT_TEXT_BYTES];
	const size_t length = strlen(report);

	write_ns(found, time);
	write_ns(least, wanted);
	if (found < least) {
		snprintf(text, sizeof text,
			 "a message of %zu bytes takes %s instead of at least %s: not all messages"
			 " go through UCX", bytes, time, wanted);
		start_refuse(text);
	}
	snprintf(report + length, 256 - length, "%s %zu bytes %s", length ? "," : "", bytes, time);
}

/* One line in one piece, as other processes write, too. */
static void print_report(const struct delay *wanted, const char *checked)
{
	const char *settings = getenv(DELAY_SETTINGS);
	char latency[UNIT_TEXT_BYTES], native[UNIT_TEXT_BYTES], added[128] = "";

	write_ns(wanted->latency_ns, latency);
	write_ns(delay.latency_ns - wanted->latency_ns, native);
	if (wanted->add)
		snprintf(added, sizeof added, ", added to %s and %.3g ns/B of the network", native,
			 (double)(delay.gap_as_per_byte - wanted->gap_as_per_byte) / AS_PER_NS);
	fprintf(stderr, "llamp-inject: latency %s, gap %.4g ns/B%s; one way, measured:%s%s%s\n",
		latency, (double)wanted->gap_as_per_byte / AS_PER_NS, added,
		*checked ? checked : " nothing, as there is one rank",
		settings && *settings ? "; set " : "", settings ? settings : "");
}

static void check_ranks(MPI_Comm comm, int rank, const struct delay *wanted,
			char report[static 256])
{
	if (!clocks_agree(comm))
		start_refuse("the ranks run on several nodes, whose clocks cannot be compared");
	if (wanted->add)
		add_native(comm, rank, wanted);
	else
		delay = *wanted;
	library.Barrier(comm);
	check(comm, rank, SMALL, report);
	if (delay.gap_as_per_byte)
		check(comm, rank, large_bytes(), report);
}

/* --------------------------------------------------------- the end of MPI_Init */

/* Moments on the clock of all ranks. */
static struct {
	int64_t of_start; /* at which all ranks leave MPI_Init of this library */
	int64_t of_init;  /* ... and that of a tracer around it, which has sent messages meanwhile */
} end_ns;

/* Number of messages from the first rank to the last one of a broadcast. */
static int depth(int size)
{
	int messages = 0;

	while (1 << messages < size)
		messages++;
	return messages;
}

/*
 * Agree on the moments.  Each has time for what comes before it: the broadcast of the moment itself, and
 * a few collectives of a tracer, whose ranks sleep for up to a millisecond while they wait.
 */
static void agree_on_end(MPI_Comm comm, int rank, int size)
{
	enum { MARGIN_NS = 1000000, TRACER_COLLECTIVES = 8 };
	const int64_t broadcast_ns = (depth(size) + 1) *
				     (delay_due_ns(&delay, 0, sizeof end_ns) + MARGIN_NS);

	if (rank == 0) {
		end_ns.of_start = (int64_t)now_ns() + broadcast_ns;
		end_ns.of_init = end_ns.of_start + TRACER_COLLECTIVES * broadcast_ns;
	}
	library.Bcast(&end_ns, sizeof end_ns, MPI_BYTE, 0, comm);
}

/* Sleep, but not to the end: timers wake a process late. */
static void wait_until(int64_t moment_ns)
{
	const int64_t wake_ns = moment_ns - 200000;
	const struct timespec wake = {.tv_sec = wake_ns / 1000000000, .tv_nsec = wake_ns % 1000000000};

	if ((int64_t)now_ns() < wake_ns)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
	while ((int64_t)now_ns() < moment_ns)
		;
}

/* The reason why messages cannot be delayed in any program that uses MPI like this one, or NULL. */
static const char *obstacle(void)
{
	if (!ucx.context)
		return "MPI does not use UCX here, and only messages of UCX can be delayed";
	if (ucx.workers > 1)
		return "MPI uses several workers of UCX (as with MPIR_CVAR_CH4_NUM_VCIS), and"
		       " messages can be delayed with one only";
	return NULL;
}

#if MPI_VERSION >= 4
/* A session begins without other ranks, so that nothing can be measured. */
static void start_session(void)
{
	char latency[UNIT_TEXT_BYTES];
	struct error err;

	if (started)
		return;
	started = true;
	if (obstacle())
		fail("%s", obstacle());
	if (delay_read(&delay, &err) < 0)
		fail("%s", err.text);
	if (delay.add)
		fail("--add needs MPI_Init, but the program begins with a session");
	write_ns(delay.latency_ns, latency);
	if (launcher_rank(NULL) <= 0)
		fprintf(stderr,
			"llamp-inject: latency %s, gap %.4g ns/B; not measured, as the program"
			" begins with a session\n", latency, (double)delay.gap_as_per_byte / AS_PER_NS);
}
#endif

static void start_injecting(void)
{
	struct delay wanted;
	struct error err;
	char report[256] = "";
	MPI_Comm comm;
	int rank, size;

	if (started)
		return;
	started = true;
	library_find();
	library.Comm_rank(MPI_COMM_WORLD, &rank);
	library.Comm_size(MPI_COMM_WORLD, &size);
	check_launcher(size);
	if (delay_read(&wanted, &err) < 0)
		start_refuse(err.text);
	if (obstacle())
		start_refuse(obstacle());
	library.Comm_dup(MPI_COMM_WORLD, &comm);
	if (size > 1)
		check_ranks(comm, rank, &wanted, report);
	if (rank == 0)
		print_report(&wanted, report);
	agree_on_end(comm, rank, size);
	library.Comm_free(&comm);
	wait_until(end_ns.of_start);
}

void INIT_END(void);
void INIT_END(void)
{
	wait_until(end_ns.of_init);
}

__attribute__((constructor)) static void load(void)
{
	launcher_note(LIBRARY_MPI);
}

/* ------------------------------------------------------------------------- MPI */

/* Fortran bindings call PMPI_Init, and so do other tools from their MPI_Init. */
#define INIT(name, parameters, arguments, then)                     \
	int name parameters                                         \
	{                                                           \
		int (*next) parameters = NULL;                      \
		int result;                                         \
                                                                    \
		*(void **)&next = dlsym(RTLD_NEXT, #name);          \
		result = next arguments;                            \
		if (result == MPI_SUCCESS)                          \
			then();                                     \
		return result;                                      \
	}

INIT(MPI_Init, (int *argc, char ***argv), (argc, argv), start_injecting)
INIT(PMPI_Init, (int *argc, char ***argv), (argc, argv), start_injecting)
INIT(MPI_Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided), start_injecting)
INIT(PMPI_Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided), start_injecting)
#if MPI_VERSION >= 4
INIT(MPI_Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session),
     (info, handler, session), start_session)
INIT(PMPI_Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session),
     (info, handler, session), start_session)
#endif
