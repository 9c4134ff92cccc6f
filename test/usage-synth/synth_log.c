#include "test/usage-synth/synth_log.h"

#include "common/array.h"
#include "trace/call/mpi_functions.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

/* Ranks first ... end-1 of a job. */
struct part {
	const struct population *of;
	const struct synth_job *job;
	uint32_t first, end, all;
};

/* Time of a rank where the mean is ns. */
static uint64_t time_of(const struct part *part, uint32_t rank, uint64_t ns)
{
	const uint64_t apart = (uint64_t)((double)ns * part->of->spread);

	if (part->all < 3 || (rank > 0 && rank + 1 < part->all))
		return ns;
	return rank == 0 ? ns - apart : ns + apart;
}

static uint64_t time_of_all(const struct part *part, uint64_t ns)
{
	const uint32_t last = part->end - 1;

	if (part->end - part->first < 3)
		return time_of(part, part->first, ns) +
		       (last > part->first ? time_of(part, last, ns) : 0);
	return time_of(part, part->first, ns) + time_of(part, last, ns) +
	       (part->end - part->first - 2) * ns;
}

/* ---------------------------------------------------------------------- ranks */

static uint64_t mpi_time(const struct part *part, uint32_t rank)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < part->job->calls_count; i++)
		sum += time_of(part, rank, part->job->calls[i].ns);
	return sum;
}

static bool is_completion(uint16_t function)
{
	return mpi_functions[function].class == MPI_CLASS_COMPLETION;
}

/* Calls of one of the sizes of messages; the largest has the remainder. */
static uint64_t calls_of_size(const struct part *part, const struct synth_calls *calls,
			      uint32_t size)
{
	const uint64_t share = calls->calls / part->of->sizes;

	return size == 0 ? calls->calls - share * (part->of->sizes - 1) : share;
}

static bool is_message(uint16_t function)
{
	return mpi_functions[function].class == MPI_CLASS_P2P;
}

static uint64_t total_bytes(const struct part *part, const struct synth_calls *calls)
{
	uint64_t sum = 0;

	if (is_completion(calls->function))
		return 0;
	if (!is_message(calls->function))
		return calls->calls * calls->bytes;
	for (uint32_t i = 0; i < part->of->sizes; i++)
		sum += calls_of_size(part, calls, i) * (calls->bytes >> i);
	return sum;
}

static int add_rank(struct job_log *log, const struct part *part, uint32_t rank, unsigned roles,
		    struct error *err)
{
	struct job_rank new = {.rank = rank, .roles = roles};
	struct job_rank *added;

	for (size_t i = 0; i < log->rank_list.count; i++)
		if (log->rank_list.items[i].rank == rank) {
			log->rank_list.items[i].roles |= roles;
			return 0;
		}
	TRY(array_push(&log->rank_list, new, err));
	added = &log->rank_list.items[log->rank_list.count - 1];
	for (unsigned i = 0; i < JOB_COUNTER_END; i++)
		added->counters[i] = USAGE_UNKNOWN;
	added->counters[JOB_RSS_BYTES] = (uint64_t)100 << 20;
	added->mpi_ns = mpi_time(part, rank);
	added->local_ns = 1000;
	if (asprintf(&added->host, "node%05u", rank / part->job->ranks_per_node) < 0)
		return error_set_memory(err, 16);
	for (unsigned i = 0; i < part->job->calls_count; i++) {
		const struct synth_calls *from = &part->job->calls[i];
		const uint64_t bytes = total_bytes(part, from);
		const struct job_calls calls = {from->function, from->calls, bytes, bytes,
						time_of(part, rank, from->ns)};

		TRY(array_push(&added->calls, calls, err));
	}
	return 0;
}

/* Ranks with roles: the lowest with that time. */
static int add_ranks(struct job_log *log, const struct part *part, struct error *err)
{
	const uint32_t ranks = part->end - part->first, least = part->first;
	uint32_t most = least, average = least;

	if (part->all > 2 && part->end == part->all)
		most = part->end - 1;
	else if (part->all > 2 && part->first == 0 && ranks > 1)
		most = 1;
	if (part->all > 2 && part->first == 0 && ranks > 2)
		average = 1;
	if (part->first == 0)
		TRY(add_rank(log, part, 0, JOB_FIRST, err));
	TRY(add_rank(log, part, least, JOB_LEAST, err));
	TRY(add_rank(log, part, average, JOB_AVERAGE, err));
	TRY(add_rank(log, part, most, JOB_MOST, err));
	log->least_ns = mpi_time(part, least);
	log->most_ns = mpi_time(part, most);
	return 0;
}

static void add_times(struct job_log *log, const struct part *part)
{
	const uint32_t ranks = part->end - part->first;
	/* Only the first and the last rank may differ from those between them. */
	const double first = (double)mpi_time(part, part->first);
	const double last = (double)mpi_time(part, part->end - 1);
	const double between = ranks > 2 ? (double)mpi_time(part, part->first + 1) : 0;
	const double ends = ranks > 1 ? 2 : 1;
	const double mean = ((ranks > 1 ? first + last : first) + (ranks - ends) * between) / ranks;
	const double squares = (first - mean) * (first - mean) +
			       (ranks > 1 ? (last - mean) * (last - mean) : 0) +
			       (ranks - ends) * (between - mean) * (between - mean);

	log->mean_ns = mean;
	log->deviation_ns = sqrt(squares / ranks);
	/* The times ascend with the ranks. */
	for (unsigned i = 0; i < JOB_QUANTILES; i++)
		log->quantiles_ns[i] = mpi_time(part,
						part->first + (uint32_t)((uint64_t)i * (ranks - 1) /
									 (JOB_QUANTILES - 1)));
}

/* ---------------------------------------------------------------------- cells */

static int add_cell(struct job_log *log, const struct part *part, const struct synth_calls *calls,
		    struct error *err)
{
	const uint32_t ranks = part->end - part->first;
	const bool completes = is_completion(calls->function);
	const uint64_t least = calls->calls ? calls->ns / calls->calls : 0;
	struct job_cell cell = {
		.cell = {.key = {.function = calls->function,
				 .size_class = usage_size_class(calls->bytes),
				 .comm_class = completes ? 0 : usage_comm_class(part->all)},
			 .calls = calls->calls * ranks,
			 .bytes = completes ? 0 : calls->calls * calls->bytes * ranks,
			 .moved = completes ? 0 : calls->calls * calls->bytes * ranks,
			 .ticks = time_of_all(part, calls->ns),
			 .least = least,
			 .most = least + 1},
		.rank_most_ns = time_of(part, part->end - 1, calls->ns),
		.ranks = ranks};

	if (ranks > 1 && time_of(part, part->first + 1, calls->ns) > cell.rank_most_ns)
		cell.rank_most_ns = time_of(part, part->first + 1, calls->ns);
	cell.cell.bins[usage_time_bin(least)] = cell.cell.calls;
	return array_push(&log->cells, cell, err);
}

/* Cells of messages of several sizes, the smallest first. */
static int add_message_cells(struct job_log *log, const struct part *part,
			     const struct synth_calls *calls, struct error *err)
{
	uint64_t ns = calls->ns;

	for (uint32_t i = part->of->sizes; i-- > 0;) {
		struct synth_calls some = *calls;

		some.bytes = calls->bytes >> i;
		some.calls = calls_of_size(part, calls, i);
		some.ns = i == 0 ? ns : calls->ns / part->of->sizes;
		ns -= some.ns;
		TRY(add_cell(log, part, &some, err));
	}
	return 0;
}

/*
 * Cells of a function.  Of an Allreduce three quarters of the calls have 8 bytes, so that the mean
 * tells less than the sizes.
 */
static int add_cells(struct job_log *log, const struct part *part, const struct synth_calls *calls,
		     struct error *err)
{
	struct synth_calls small = *calls, large = *calls;

	if (is_message(calls->function))
		return add_message_cells(log, part, calls, err);
	if (calls->function != CALL_Allreduce || calls->bytes <= 8)
		return add_cell(log, part, calls, err);
	small.calls = calls->calls / 4 * 3;
	small.bytes = 8;
	small.ns = calls->ns / 4 * 3;
	large.calls -= small.calls;
	large.bytes = 4 * calls->bytes - 24;
	large.ns -= small.ns;
	if (usage_size_class(large.bytes) == usage_size_class(8))
		return add_cell(log, part, calls, err);
	TRY(add_cell(log, part, &small, err));
	return add_cell(log, part, &large, err);
}

/* ------------------------------------------------------------------------ log */

static int copy(char **to, const char *text, struct error *err)
{
	*to = strdup(text);
	return *to ? 0 : error_set_memory(err, strlen(text));
}

static int add_names(struct job_log *log, const struct part *part, struct error *err)
{
	char text[128];

	TRY(copy(&log->system, part->of->system, err));
	snprintf(text, sizeof text, "%u", part->job->id);
	TRY(copy(&log->job, text, err));
	TRY(copy(&log->step, "0", err));
	TRY(copy(&log->user, part->job->user, err));
	snprintf(text, sizeof text, "/apps/%s/bin/%s", part->job->project, part->job->application);
	TRY(copy(&log->program, text, err));
	snprintf(text, sizeof text, "%040x", (unsigned)strlen(part->job->application));
	TRY(copy(&log->build_id, text, err));
	TRY(copy(&log->library, "MPICH Version: 4.0.2", err));
	return copy(&log->clock, "tsc", err);
}

static int fill(struct job_log *log, const struct part *part, struct error *err)
{
	const struct job_nodes nodes = {part->job->ranks_per_node, part->job->nodes};

	log->args_hash = part->job->id * UINT64_C(0x9e3779b97f4a7c15);
	log->start_unix_ns = part->job->start_ns;
	log->mpi_ns = part->job->runtime_ns;
	log->process_ns = part->job->runtime_ns + 1000000000;
	log->ranks = part->all;
	log->nodes = part->job->nodes;
	log->ranks_seen = part->end - part->first;
	log->nodes_seen = (log->ranks_seen + nodes.ranks - 1) / nodes.ranks;
	log->threads = 1;
	log->level_asked = log->level_given = part->job->level;
	TRY(add_names(log, part, err));
	TRY(array_push(&log->ranks_per_node, nodes, err));
	for (unsigned i = 0; i < part->job->calls_count; i++)
		TRY(add_cells(log, part, &part->job->calls[i], err));
	TRY(add_ranks(log, part, err));
	add_times(log, part);
	return 0;
}

static int make(struct job_log *log, const struct part *part, struct error *err)
{
	memset(log, 0, sizeof *log);
	if (fill(log, part, err) == 0)
		return 0;
	job_log_release(log);
	return -1;
}

int synth_log(struct job_log *log, const struct population *of, const struct synth_job *job,
	      struct error *err)
{
	const uint32_t ranks = job->nodes * job->ranks_per_node;

	TRY(make(log, &(struct part){of, job, 0, ranks, ranks}, err));
	log->end = JOB_FINALIZED;
	return 0;
}

int synth_log_of_node(struct job_log *log, const struct population *of, const struct synth_job *job,
		      uint32_t node, struct error *err)
{
	const uint32_t first = node * job->ranks_per_node;

	TRY(make(log,
		 &(struct part){of, job, first, first + job->ranks_per_node,
				job->nodes * job->ranks_per_node},
		 err));
	log->end = JOB_KILLED;
	return 0;
}

/* ----------------------------------------------------------------------- file */

static int make_folders(char *path, struct error *err)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			return error_set_errno(err, "%s", path);
		*at = '/';
	}
	return 0;
}

/* The file as a site has it, but compressed faster. */
static int write_packed(FILE *file, const char *text, size_t count, struct error *err)
{
	const size_t room = ZSTD_compressBound(count);
	size_t size;
	void *packed;
	bool done;

	TRY(allocate(&packed, room, 1, err));
	size = ZSTD_compress(packed, room, text, count, 1);
	done = !ZSTD_isError(size) && fwrite(packed, 1, size, file) == size;
	free(packed);
	return done ? 0 : error_set_errno(err, "cannot write");
}

static int write_file(const char *path, const char *text, size_t count, struct error *err)
{
	FILE *file = fopen(path, "w");
	int result;

	if (!file)
		return error_set_errno(err, "%s", path);
	result = write_packed(file, text, count, err);
	if (fclose(file) && result == 0)
		result = error_set_errno(err, "cannot write");
	return result < 0 ? error_prefix(err, "%s", path) : 0;
}

int synth_log_write(const struct job_log *log, const char *folder, uint64_t number,
		    struct error *err)
{
	char name[JOB_LOG_NAME_BYTES], path[4096], *text = NULL;
	size_t count = 0;
	FILE *stream = open_memstream(&text, &count);
	int result;

	if (!stream)
		return error_set_memory(err, sizeof *stream);
	result = job_log_write(log, stream, false, err);
	fclose(stream);
	job_log_name(log, number, name, sizeof name);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (result == 0)
		result = make_folders(path, err);
	if (result == 0)
		result = write_file(path, text, count, err);
	free(text);
	return result;
}
