#include "measure/mpi/overlap_main.h"

#include "common/progress.h"
#include "common/units.h"
#include "measure/link/threshold.h"
#include "measure/mpi/link_mpi.h"
#include "measure/mpi/overlap_header.h"
#include "measure/mpi/overlap_ports.h"
#include "measure/overlap/overlap_options.h"
#include "measure/report/overlap_print.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char tool_name[] = "llamp-measure";

static struct overlap_ports ports;

static void overlap_warn(const char *text)
{
	tool_warning(tool_name, "%s", text);
}

static struct port *main_port(void)
{
	return &ports.items[0].port;
}

static bool is_first(void)
{
	return main_port()->rank == 0;
}

/* -------------------------------------------------------------- interruption */

/*
 * Signals that end the run are blocked but while a cell is measured: then nothing is being written, and the handler
 * writes the last line.  Ranks other than the first leave the end to it and to the launcher.
 */

static sigset_t ending_signals;
static int cells_descriptor = -1;

static void end_interrupted(int number)
{
	static const char line[] = "{\"end\": \"interrupted\"}\n";

	if (cells_descriptor >= 0 && write(cells_descriptor, line, sizeof line - 1) < 0)
		_exit(STATUS_SYSTEM);
	_exit(128 + number);
}

static void block_signals(void)
{
	sigemptyset(&ending_signals);
	sigaddset(&ending_signals, SIGTERM);
	sigaddset(&ending_signals, SIGINT);
	sigprocmask(SIG_BLOCK, &ending_signals, NULL);
}

static void handle_signals(bool first)
{
	struct sigaction action = {.sa_handler = first ? end_interrupted : SIG_IGN};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

static void allow_signals(bool begins)
{
	sigprocmask(begins ? SIG_UNBLOCK : SIG_BLOCK, &ending_signals, NULL);
}

/* ----------------------------------------------------------------- the output */

/* Where the cells go, and what the file had before. */
struct overlap_file {
	FILE *stream;
	struct cells_file before;
	bool resumes;
};

/* Remove the rest of a line that a killed run has left. */
static int cut_last_line(const char *path, struct error *err)
{
	FILE *stream = fopen(path, "re");
	long length = 0, whole = 0;
	int byte;

	while (stream && (byte = getc(stream)) != EOF) {
		length++;
		if (byte == '\n')
			whole = length;
	}
	if (stream)
		fclose(stream);
	return whole < length && truncate(path, whole) < 0 ? error_set_errno(err, "%s", path) : 0;
}

/* Create the file, which must not exist unless cells are added to it. */
static int open_cells(struct overlap_file *file, struct error *err)
{
	const char *path = overlap_given.path;
	const int flags = O_WRONLY | O_APPEND | O_CLOEXEC;
	int descriptor;

	if (!path || strcmp(path, "-") == 0) {
		file->stream = path ? stdout : tmpfile();
		return file->stream ? 0 : error_set_errno(err, "temporary file");
	}
	file->resumes = overlap_given.append && access(path, F_OK) == 0;
	descriptor = file->resumes ? open(path, flags) : open(path, flags | O_CREAT | O_EXCL, 0666);
	if (descriptor < 0 && errno == EEXIST)
		return error_set(err, STATUS_USAGE,
				 "%s exists: --append measures the cells that it lacks", path);
	if (descriptor < 0)
		return error_set_errno(err, "%s", path);
	file->stream = fdopen(descriptor, "a");
	if (!file->resumes)
		return 0;
	TRY(cells_file_read(path, &file->before, err));
	return cut_last_line(path, err);
}

static int close_cells(struct overlap_file *file, struct error *err)
{
	const char *path = overlap_given.path;

	cells_file_release(&file->before);
	if (!path)
		return overlap_print(stdout, file->stream, overlap_given.cell != NULL, err);
	if (strcmp(path, "-") != 0 && fclose(file->stream) != 0)
		return error_set_errno(err, "%s", path);
	return 0;
}

/* ---------------------------------------------------------------- the header */

/* Find the rendezvous threshold between ranks 0 and 1; all ranks call it. */
static int overlap_find_threshold(struct cells_header *header, struct error *err)
{
	const uint64_t most_ns = 3000000000;
	struct samples trips = {0};
	struct threshold S;
	struct link link;

	TRY(link_init(&link, err));
	if (!is_first()) {
		TRY(link_serve(&link, err));
		link_release(&link);
		return 0;
	}
	TRY(link_time_trips(&link, 1, MOST_BYTES, MOST_BYTES, 3, &trips, err));
	S = threshold_find(&link, samples_summary(&trips).median, link_now_ns(&link) + most_ns);
	header->S_low = S.eager == NO_THRESHOLD ? UINT64_MAX : S.eager;
	header->S_high = S.waiting == NO_THRESHOLD ? UINT64_MAX : S.waiting;
	array_release(&trips);
	link_end(&link);
	link_release(&link);
	return 0;
}

/* One cell may be measured to trace it, so that nothing else is. */
static bool needs_threshold(void)
{
	return !overlap_given.cell && overlap_plans(BENCH_PAIR);
}

/* On rank 0: skip partitioned communication where MPI has none. */
static void check_partitioned(void)
{
	bool *benches = overlap_given.run.plan.benches;

	if (MPI_VERSION >= 4 ||
	    !(benches[BENCH_PARTITIONED_SEND] || benches[BENCH_PARTITIONED_RECV]))
		return;
	benches[BENCH_PARTITIONED_SEND] = benches[BENCH_PARTITIONED_RECV] = false;
	overlap_warn("partitioned-send and partitioned-recv are left out: they are of MPI 4, which "
		     "this library is not");
}

/* On rank 0: skip nload where MPI forbids threads.  Fails where it forbids threads that communicate. */
static int check_thread_level(int provided, struct error *err)
{
	bool *nload = &overlap_given.run.plan.benches[BENCH_NLOAD];

	if (overlap_given.thread_pairs > 1 && provided < MPI_THREAD_MULTIPLE)
		return error_set(
			err, STATUS_USAGE,
			"this MPI does not provide MPI_THREAD_MULTIPLE, which --thread-pairs "
			"needs");
	if (!*nload || provided >= MPI_THREAD_FUNNELED)
		return 0;
	*nload = false;
	overlap_warn(
		"nload is left out: MPI provides MPI_THREAD_SINGLE, and a process with threads "
		"needs MPI_THREAD_FUNNELED");
	return 0;
}

/* Number of ranks on this host, whose library may not know it as one; all ranks call it. */
static int count_ranks_on_host(void)
{
	char name[MPI_MAX_PROCESSOR_NAME] = "";
	unsigned hash = 2166136261; /* FNV-1a */
	int length, size;
	MPI_Comm host;

	MPI_Get_processor_name(name, &length);
	for (const char *letter = name; *letter; letter++)
		hash = (hash ^ (unsigned char)*letter) * 16777619;
	MPI_Comm_split(MPI_COMM_WORLD, (int)(hash & 0x7fffffff), 0, &host);
	MPI_Comm_size(host, &size);
	MPI_Comm_free(&host);
	return size;
}

static void warn_of_processors(unsigned ranks, unsigned processors)
{
	const struct plan_options *plan = &overlap_given.run.plan;
	const unsigned threads = plan->benches[BENCH_NLOAD] ? plan->most_threads : 0;
	char text[160];

	if (ranks > processors)
		snprintf(
			text, sizeof text,
			"%u ranks share %u processor%s: they wait for each other, not for messages",
			ranks, processors, plural(processors));
	else if (ranks * (1 + threads) > processors)
		snprintf(text, sizeof text,
			 "%u ranks with up to %u thread%s of nload each share %u processor%s",
			 ranks, threads, plural(threads), processors, plural(processors));
	else
		return;
	overlap_warn(text);
}

static int complete_header(struct cells_header *header, struct error *err)
{
	const size_t length = strlen(overlap_given.text) + 1;

	header->repeat = overlap_given.run.repeat;
	header->both_types = overlap_given.run.both_types;
	TRY(allocate(&header->options, length, 1, err));
	memcpy(header->options, overlap_given.text, length);
	if (header->one_host && !overlap_given.same_node)
		overlap_warn("both ranks are on one node, where messages go through memory "
			     "(--same-node: so they should)");
	return 0;
}

static void warn_of_result(const struct run_result *result)
{
	char text[256];

	if (result->left_out) {
		snprintf(text, sizeof text,
			 "%zu cell%s left out because of the time limit: --append "
			 "measures %s",
			 result->left_out, result->left_out == 1 ? " was" : "s were",
			 result->left_out == 1 ? "it" : "them");
		overlap_warn(text);
	}
	if (result->drift > 0.02 || result->drift < -0.02) {
		snprintf(text, sizeof text,
			 "the speed of computation has changed by %.1f %%: "
			 "other programs run, or the frequency of the processor changes",
			 100 * result->drift);
		overlap_warn(text);
	}
}

/* ------------------------------------------------------------------- the run */

static int begin_file(struct overlap_file *file, const struct cells_header *header,
		      struct error *err)
{
	if (file->resumes) {
		TRY(cells_file_may_append(&file->before, header, err));
		cells_write_resumed(file->stream, header->start);
		overlap_given.run.resumed = &file->before;
	} else {
		cells_write_header(file->stream, header);
	}
	cells_descriptor = fileno(file->stream);
	return 0;
}

static int run_and_write(struct overlap_file *file, const struct cells_header *header,
			 struct error *err)
{
	struct run_result result;
	int status;

	if (begin_file(file, header, err) < 0) {
		overlap_end(main_port());
		return -1;
	}
	overlap_given.run.measures = allow_signals;
	overlap_given.run.result = &result;
	progress_begin(tool_name, "overlap");
	status = overlap_run(main_port(), &overlap_given.run, file->stream, err);
	progress_end();
	if (status < 0)
		overlap_abort(err);
	warn_of_result(&result);
	return 0;
}

/* Let the buffers of collectives have 128 MiB at most in each rank. */
static void limit_blocks(unsigned ranks)
{
	overlap_given.run.plan.most_block_bytes = (UINT64_C(128) << 20) / ranks;
}

/* Measure, on all ranks; rank 0 writes. */
static int measure_overlap(struct overlap_file *file, int provided, struct error *err)
{
	const unsigned local = (unsigned)count_ranks_on_host();
	struct cells_header header;
	int result;

	limit_blocks((unsigned)ports.items[0].ranks);
	TRY(overlap_header_find(&ports.items[0], provided, &header, err));
	if (needs_threshold())
		TRY(overlap_find_threshold(&header, err));
	if (!is_first())
		return overlap_serve(main_port(), err);
	TRY(complete_header(&header, err));
	warn_of_processors(local, header.processors);
	result = run_and_write(file, &header, err);
	cells_header_release(&header);
	return result;
}

/* Ranks 0 of all pairs need a partner each. */
static int check_ranks(int ranks, struct error *err)
{
	const bool pairs = overlap_plans(BENCH_PAIR) || overlap_plans(BENCH_THREADS) ||
			   overlap_plans(BENCH_ONE_SIDED);

	if (ranks < 2)
		return error_set(err, STATUS_USAGE,
				 "two ranks are needed, this is one: mpiexec -n 2 %s overlap",
				 tool_name);
	if (ranks == 2 || !pairs || overlap_given.destinations)
		return 0;
	if (!overlap_given.pairs)
		return error_set(
			err, STATUS_USAGE,
			"two ranks are needed, these are %d: mpiexec -n 2 %s overlap, or --pairs to "
			"let %d pairs measure at once, or --destinations",
			ranks, tool_name, ranks / 2);
	if (ranks % 2)
		return error_set(err, STATUS_USAGE, "pairs are of two ranks, these are %d", ranks);
	return 0;
}

/* Find out on rank 0 whether all ranks may go on, and tell them. */
static int prepare_file(struct overlap_file *file, int provided, bool *goes_on, struct error *err)
{
	int rank, ranks, result = 0, good;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank == 0) {
		result = check_ranks(ranks, err);
		if (result == 0)
			result = check_thread_level(provided, err);
		check_partitioned();
		if (result == 0)
			result = open_cells(file, err);
	}
	good = result == 0;
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	*goes_on = good;
	return result;
}

static void make_ports(void)
{
	const struct ports_options options = {
		.threads = (unsigned)overlap_given.thread_pairs,
		.partners = overlap_given.destinations ? PARTNERS_ALL_OTHERS : PARTNERS_PAIRS,
		.memory = overlap_given.run.plan.kernels[KERNEL_MEMORY],
		.pin = overlap_given.pin,
	};
	struct error err;

	if (overlap_ports_init(&ports, &options, &err) < 0)
		overlap_abort(&err);
	if (overlap_given.destinations)
		overlap_given.run.plan.pending = (unsigned)main_port()->size - 1;
}

static int overlap_by_ranks(int provided, struct error *err)
{
	struct overlap_file file = {0};
	bool goes_on;
	int result = prepare_file(&file, provided, &goes_on, err);
	if (!goes_on)
		return result;
	make_ports();
	handle_signals(is_first());
	result = measure_overlap(&file, provided, err);
	if (result < 0 && !is_first())
		overlap_abort(err);
	if (is_first() && result == 0)
		result = close_cells(&file, err);
	/* MPICH over TCP may wait for ever in MPI_Finalize if ranks get there at different times. */
	MPI_Barrier(MPI_COMM_WORLD);
	overlap_ports_release(&ports);
	return result;
}

static int run_overlap(char **operands, int operand_count, struct error *err)
{
	static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
				     MPI_THREAD_MULTIPLE};
	int provided, result;

	(void)operands;
	(void)operand_count;
	TRY(overlap_settle((unsigned)sysconf(_SC_NPROCESSORS_ONLN), NULL, err));
	block_signals();
	MPI_Init_thread(NULL, NULL, levels[overlap_given.needed], &provided);
	result = overlap_by_ranks(provided, err);
	MPI_Finalize();
	return result;
}

int overlap_main(int argc, char **argv)
{
	static const struct command command = {
		.name = "overlap",
		.operands = "",
		.summary = "Measure how messages and computation overlap.",
		.options = overlap_options,
		.run = run_overlap,
	};
	static const struct command *const commands[] = {&command, NULL};
	static const struct tool tool = {.name = tool_name, .summary = "", .commands = commands};

	return tool_main(&tool, argc, argv);
}
