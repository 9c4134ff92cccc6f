#include "trace/assemble/recover.h"

#include "trace/assemble/consistency.h"
#include "trace/assemble/global_ids.h"
#include "trace/call/trace_names.h"
#include "trace/journal/journal_chunks.h"
#include "trace/journal/settings.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* First record that uses a communicator. */
struct first_use {
	uint64_t record, time_ns;
};

/* Rank of the run to recover. */
struct source {
	struct rank_summary summary;
	uint32_t threads;	    /* number of journals */
	uint64_t self;		    /* number of the rank: the member of MPI_COMM_SELF */
	uint64_t records;	    /* number of records to use, if there is no window */
	struct cut_window *windows; /* of its calls, recovery.window_count; zero bytes: all */
	ARRAY(struct first_use) comm_uses; /* of each communicator */
	struct trace_writer *writer;
	struct trace_rank definition;
};

struct recovery {
	const char *directory;
	struct source *sources;
	uint32_t ranks;
	uint64_t begin_ns;		 /* of the first rank */
	size_t window_count;		 /* of each rank, at least 1 */
	struct consistency *consistency; /* of each window */
	struct global_ids ids;
	struct rank_message messages;
	ARRAY(int) starts;
	struct recovered *result;
	bool whole;	  /* all ranks have ended properly, and lack no calls but for the windows */
	bool windows;	  /* ranks have windows of iterations */
	bool lacks_calls; /* a rank does, and there are no windows */
	bool archive;	  /* there are calls for it */
	bool flow;	  /* there are graphs */
};

/* --------------------------------------------------------------- journals */

/* Read the number of ranks from a journal; 0 if the file is not a journal. */
static uint32_t ranks_of(const struct journal_place *place)
{
	struct journal_reader *reader;
	struct journal_record record;
	struct error err;
	uint32_t ranks = 0;

	if (journal_open(&reader, place, &err) < 0)
		return 0;
	if (journal_next(reader, &record, &err) > 0 && record.kind == JOURNAL_BEGIN &&
	    record.rank == place->rank)
		ranks = record.ranks;
	journal_reader_close(reader);
	return ranks;
}

/* Parse the name of a journal file.  False for other names. */
static bool parse_name(const char *name, struct journal_place *place)
{
	unsigned rank, thread = 0;
	char rest;

	if (sscanf(name, "%u.%u%c", &rank, &thread, &rest) != 2 &&
	    sscanf(name, "%u%c", &rank, &rest) != 1)
		return false;
	place->rank = rank;
	place->thread = thread;
	return true;
}

/*
 * Find the number of ranks, from the first readable journal, and the threads of each rank.
 */
static int find_journals(struct recovery *recovery, DIR *folder, struct error *err)
{
	struct journal_place place = {.directory = recovery->directory};
	struct dirent *entry;

	while (!recovery->ranks && (entry = readdir(folder)))
		if (parse_name(entry->d_name, &place))
			recovery->ranks = ranks_of(&place);
	if (!recovery->ranks)
		return 0;
	TRY(allocate(&recovery->sources, recovery->ranks, sizeof *recovery->sources, err));
	rewinddir(folder);
	/* Threads are numbered without gaps. */
	while ((entry = readdir(folder)))
		if (parse_name(entry->d_name, &place) && place.rank < recovery->ranks)
			recovery->sources[place.rank].threads++;
	return 0;
}

static int refuse_written(const struct recovery *recovery, struct error *err)
{
	struct journal_place place = {.directory = recovery->directory};

	for (; place.rank < recovery->ranks; place.rank++)
		for (place.thread = 0; place.thread < recovery->sources[place.rank].threads;
		     place.thread++)
			if (journal_is_written(&place))
				return error_set(err, STATUS_DATA,
						 "%s: the run has not ended (rank %u is writing); "
						 "its trace is made when it ends, or by --recover "
						 "once it has ended",
						 recovery->directory, place.rank);
	return 0;
}

static int refuse_complete(const struct recovery *recovery, struct error *err)
{
	char path[4096];

	if (snprintf(path, sizeof path, "%s/" ARCHIVE_FILE_NAME, recovery->directory) >=
	    (int)sizeof path)
		return error_set(err, STATUS_DATA, "%s: the name is too long", recovery->directory);
	if (access(path, F_OK) < 0)
		snprintf(path, sizeof path, "%s/" FLOW_FILE_NAME, recovery->directory);
	if (access(path, F_OK) == 0)
		return error_set(err, STATUS_DATA,
				 recovery->result->lock.waited
					 ? "%s: another process has made its trace"
					 : "%s: there is a trace already",
				 recovery->directory);
	return 0;
}

static int find_ranks(struct recovery *recovery, struct error *err)
{
	char path[4096];
	DIR *folder;
	int found = 0;

	TRY(refuse_complete(recovery, err));
	snprintf(path, sizeof path, "%s/journal", recovery->directory);
	folder = opendir(path);
	if (!folder && errno != ENOENT && errno != ENOTDIR)
		return error_set_errno(err, "%s", path);
	if (folder) {
		found = find_journals(recovery, folder, err);
		closedir(folder);
	}
	TRY(found);
	if (!recovery->ranks)
		return error_set(err, STATUS_DATA, "%s: no unfinished trace", recovery->directory);
	return 0;
}

/* Note the communicators that the record is the first to use. */
static int note_uses(struct source *source, const struct journal_record *record, struct error *err)
{
	if (record->kind == JOURNAL_COMM)
		return array_push(&source->comm_uses, ((struct first_use){UINT64_MAX, 0}), err);
	for (uint32_t i = 0; record->kind == JOURNAL_CALL && i < record->call.event_count; i++) {
		uint32_t comm = record->call.events[i].comm;

		if (comm < source->comm_uses.count &&
		    source->comm_uses.items[comm].record > source->records)
			source->comm_uses.items[comm] = (struct first_use){source->records,
									   record->call.enter_ns};
	}
	return 0;
}

/* Read the journals of a rank up to the first damaged or invalid record. */
static int scan(struct recovery *recovery, uint32_t rank, struct journal_merge *journals,
		struct error *err)
{
	struct source *source = &recovery->sources[rank];
	struct journal_record record;
	int got;

	while ((got = journal_merge_next(journals, &record, err)) > 0) {
		if ((record.kind == JOURNAL_BEGIN &&
		     (record.rank != rank || record.ranks != recovery->ranks)) ||
		    rank_summary_take(&source->summary, &record, err) < 0)
			break;
		TRY(note_uses(source, &record, err));
		source->records++;
	}
	recovery->result->ranks.items[rank].damaged = got > 0 || journal_merge_is_damaged(journals);
	if (source->summary.host && source->summary.begin_ns < recovery->begin_ns)
		recovery->begin_ns = source->summary.begin_ns;
	return got > 0 && err->status == STATUS_SYSTEM ? -1 : got < 0 ? -1 : 0;
}

static int scan_all(struct recovery *recovery, struct error *err)
{
	struct recovered *result = recovery->result;

	TRY(allocate(&result->ranks.items, recovery->ranks, sizeof *result->ranks.items, err));
	result->ranks.count = result->ranks.capacity = recovery->ranks;
	recovery->begin_ns = UINT64_MAX;
	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		struct source *source = &recovery->sources[rank];
		struct journal_merge *journals;
		int scanned;

		err->status = STATUS_OK;
		source->self = rank;
		result->ranks.items[rank].threads = source->threads;
		if (!source->threads)
			source->threads = 1;
		if (journal_merge_open(&journals, recovery->directory, rank, source->threads, err) <
		    0) {
			if (err->status != STATUS_DATA)
				return -1;
			result->ranks.items[rank].missing = true;
			continue;
		}
		scanned = scan(recovery, rank, journals, err);
		journal_merge_close(journals);
		TRY(scanned);
	}
	return 0;
}

/* ---------------------------------------------------------------- calls to keep */

/* Collect the communicators whose members some rank knows. */
static int learn_comms(struct recovery *recovery, struct consistency *consistency,
		       struct error *err)
{
	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		const struct rank_summary *summary = &recovery->sources[rank].summary;

		for (size_t i = 0; i < summary->comms.count; i++) {
			struct mpi_comm comm = summary->comms.items[i].comm;

			if (i == COMM_ID_WORLD) {
				comm.size = recovery->ranks;
				comm.remote_size = 0;
			} else if (i == COMM_ID_SELF) {
				comm.size = 1;
				comm.remote_size = 0;
				comm.members = &recovery->sources[rank].self;
			} else if (!comm.members || (comm.remote_size && !comm.remote)) {
				continue;
			}
			TRY(consistency_comm(consistency, &comm, err));
		}
	}
	return 0;
}

/* End a window at a time, which may be before it. */
static void end_before(struct cut_window *window, uint64_t end_ns)
{
	if (window->end_ns > end_ns)
		window->end_ns = end_ns;
	if (window->begin_ns > window->end_ns)
		window->begin_ns = window->end_ns;
}

/* End the rank before its first call on an unknown communicator. */
static void cut_at_unknown(struct recovery *recovery, uint32_t rank)
{
	struct source *source = &recovery->sources[rank];

	for (size_t i = 0; i < source->summary.comms.count; i++) {
		const struct first_use *use = &source->comm_uses.items[i];

		if (use->record >= source->records ||
		    consistency_knows(recovery->consistency, rank,
				      &source->summary.comms.items[i].comm))
			continue;
		source->records = use->record;
		for (size_t w = 0; w < recovery->window_count; w++)
			end_before(&source->windows[w], use->time_ns);
		recovery->result->ranks.items[rank].cut = true;
	}
}

/* Time of this rank at which all ranks that lack calls have some. */
static uint64_t common_begin(const struct recovery *recovery, const struct rank_summary *own)
{
	int64_t latest = INT64_MIN;

	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		const struct rank_summary *summary = &recovery->sources[rank].summary;
		const uint64_t first_ns = trace_clock_apply(&summary->clock, summary->first_ns);

		if (summary->lacks_calls && (int64_t)first_ns > latest)
			latest = (int64_t)first_ns;
	}
	latest -= (int64_t)trace_clock_apply(&own->clock, own->begin_ns) - (int64_t)own->begin_ns;
	return (uint64_t)latest > own->begin_ns ? (uint64_t)latest : own->begin_ns;
}

/* Choose a window of a rank: its iterations, or what comes after the calls that ranks lack. */
static struct cut_window window_of(const struct recovery *recovery, uint32_t rank, size_t number)
{
	const struct rank_summary *summary = &recovery->sources[rank].summary;
	struct cut_window window = {0};

	if (number < summary->iterations.count)
		window = (struct cut_window){summary->iterations.items[number].begin_ns,
					     summary->iterations.items[number].end_ns};
	else if (recovery->windows)
		window = (struct cut_window){summary->begin_ns, UINT64_MAX};
	else if (recovery->lacks_calls)
		window = (struct cut_window){common_begin(recovery, summary), UINT64_MAX};
	return window;
}

/* Count the windows that all ranks have; if some have none, that of those that have. */
static size_t count_windows(const struct recovery *recovery)
{
	size_t count = SIZE_MAX;

	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		const struct rank_summary *summary = &recovery->sources[rank].summary;

		if (summary->host && summary->iterations.count < count)
			count = summary->iterations.count;
	}
	return count && count != SIZE_MAX ? count : 1;
}

static int choose_windows(struct recovery *recovery, struct error *err)
{
	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		const struct rank_summary *summary = &recovery->sources[rank].summary;

		recovery->windows |= summary->iterations.count > 0;
		recovery->lacks_calls |= summary->lacks_calls;
	}
	recovery->lacks_calls &= !recovery->windows;
	recovery->window_count = count_windows(recovery);
	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		struct cut_window **windows = &recovery->sources[rank].windows;

		TRY(allocate(windows, recovery->window_count, sizeof **windows, err));
		for (size_t w = 0; w < recovery->window_count; w++)
			(*windows)[w] = window_of(recovery, rank, w);
	}
	return allocate(&recovery->consistency, recovery->window_count,
			sizeof *recovery->consistency, err);
}

static int choose_ends(struct recovery *recovery, struct error *err)
{
	TRY(choose_windows(recovery, err));
	for (size_t w = 0; w < recovery->window_count; w++)
		TRY(learn_comms(recovery, &recovery->consistency[w], err));
	recovery->whole = !recovery->lacks_calls;
	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		const struct recovered_rank *result = &recovery->result->ranks.items[rank];

		cut_at_unknown(recovery, rank);
		recovery->whole &= recovery->sources[rank].summary.finished && !result->cut &&
				   !result->damaged;
	}
	return 0;
}

/* Number of records of the window, or without one. */
static uint64_t records_of(const struct source *source)
{
	return source->windows->end_ns ? UINT64_MAX : source->records;
}

static int open_cut(struct journal_cut **journals, const struct recovery *recovery, uint32_t rank,
		    size_t window, struct error *err)
{
	const struct source *source = &recovery->sources[rank];

	return journal_cut_open(journals, recovery->directory, rank, source->threads,
				&source->windows[window], err);
}

static int count_rank(struct recovery *recovery, uint32_t rank, size_t window, struct error *err)
{
	struct consistency *consistency = &recovery->consistency[window];
	const uint64_t records = records_of(&recovery->sources[rank]);
	struct journal_cut *journals;
	struct journal_record record;
	int got = 1;

	TRY(consistency_rank(consistency, &recovery->sources[rank].summary, err));
	TRY(open_cut(&journals, recovery, rank, window, err));
	for (uint64_t i = 0; got > 0 && i < records; i++) {
		got = journal_cut_next(journals, &record, err);
		if (got > 0 && record.kind == JOURNAL_CALL &&
		    consistency_count(consistency, &record.call, record.ordinals, err) < 0)
			got = -1;
	}
	journal_cut_close(journals);
	return got < 0 ? -1 : consistency_rank_end(consistency, err);
}

static int count_all(struct recovery *recovery, struct error *err)
{
	for (size_t w = 0; w < recovery->window_count; w++) {
		for (uint32_t rank = 0; rank < recovery->ranks; rank++)
			if (recovery->sources[rank].summary.host)
				TRY(count_rank(recovery, rank, w, err));
		consistency_end(&recovery->consistency[w]);
	}
	return 0;
}

/* --------------------------------------------------------------- the archive */

static int write_window(struct recovery *recovery, uint32_t rank, size_t window,
			struct rank_summary *summary, struct error *err)
{
	struct source *source = &recovery->sources[rank];
	struct consistency *consistency = &recovery->consistency[window];
	const bool all = recovery->whole && !recovery->windows;
	struct journal_cut *journals;
	int result;

	TRY(consistency_rank(consistency, &source->summary, err));
	TRY(open_cut(&journals, recovery, rank, window, err));
	result = journal_to_otf2(journals, source->writer, records_of(source), summary,
				 all ? NULL : consistency_edit, consistency, err);
	journal_cut_close(journals);
	return result;
}

static int write_calls(struct recovery *recovery, uint32_t rank, struct rank_summary *summary,
		       struct error *err)
{
	if (!recovery->sources[rank].summary.host)
		return 0;
	for (size_t w = 0; w < recovery->window_count; w++)
		TRY(write_window(recovery, rank, w, summary, err));
	return 0;
}

/* Append the message of a rank, whose definition lacks its host. */
static int append_message(struct recovery *recovery, struct source *source, uint32_t rank,
			  const struct string_table *strings, struct error *err)
{
	source->definition.host = source->summary.host ? source->summary.host : "unknown";
	source->definition.cpus = source->summary.cpus ? source->summary.cpus : "";
	source->definition.preemptions = source->summary.preemptions;
	/* Communicators after the rank's end count too: other ranks may have used them. */
	for (size_t i = 0; i < source->summary.comms.count; i++)
		source->summary.comms.items[i].lost = !consistency_knows(
			recovery->consistency, rank, &source->summary.comms.items[i].comm);
	TRY(rank_message_add(&recovery->messages, &source->summary, &source->definition, strings,
			     err));
	if (recovery->messages.words.count > INT_MAX)
		return error_set(err, STATUS_LIMIT, "too many communicators and strings");
	return 0;
}

/* Write the events of a rank, if it has a journal, and append its message. */
static int write_rank(struct recovery *recovery, uint32_t rank, struct error *err)
{
	struct source *source = &recovery->sources[rank];
	struct recovered_rank *result = &recovery->result->ranks.items[rank];
	uint64_t begin_ns = !source->summary.host     ? recovery->begin_ns
			    : source->windows->end_ns ? source->windows->begin_ns
						      : source->summary.begin_ns;
	struct trace_place place = {rank, recovery->ranks, source->threads};
	struct rank_summary summary = {.last_ns = begin_ns};
	int written;

	TRY(array_push(&recovery->starts, (int)recovery->messages.words.count, err));
	TRY(trace_writer_open(&source->writer, recovery->directory, &place, begin_ns, err));
	written = write_calls(recovery, rank, &summary, err);
	trace_writer_set_clock(source->writer, &summary.clock);
	if (written == 0)
		written = trace_writer_end(source->writer, summary.last_ns, &source->definition,
					   err);
	if (written == 0)
		written = append_message(recovery, source, rank,
					 trace_writer_strings(source->writer), err);
	result->calls = summary.calls;
	result->finished = summary.finished;
	result->duration_ns = summary.last_ns - begin_ns;
	rank_summary_release(&summary);
	return written;
}

/* Append the message of a rank without an archive. */
static int describe_rank(struct recovery *recovery, uint32_t rank, struct error *err)
{
	static const struct string_table no_strings;
	struct source *source = &recovery->sources[rank];
	const struct rank_summary *summary = &source->summary;
	const uint64_t begin_ns = summary->host ? summary->begin_ns : recovery->begin_ns;
	const uint64_t end_ns = summary->host ? summary->last_ns : begin_ns;
	uint64_t *no_events;
	int result;

	TRY(array_push(&recovery->starts, (int)recovery->messages.words.count, err));
	TRY(allocate(&no_events, source->threads, sizeof *no_events, err));
	source->definition = (struct trace_rank){
		.threads = source->threads,
		.events = no_events,
		.begin_ns = trace_clock_apply(&summary->clock, begin_ns),
		.end_ns = trace_clock_apply(&summary->clock, end_ns),
	};
	recovery->result->ranks.items[rank].finished = summary->finished;
	result = append_message(recovery, source, rank, &no_strings, err);
	source->definition.events = NULL;
	free(no_events);
	return result;
}

static int number_ids(struct recovery *recovery, struct error *err)
{
	return global_ids_number(&recovery->ids, recovery->messages.words.items,
				 recovery->starts.items, recovery->ranks, err);
}

/* Add a number to a list. */
static void list_number(char *list, size_t size, uint64_t number)
{
	const size_t used = strlen(list);

	snprintf(list + used, size - used, "%s%llu", used ? "," : "", (unsigned long long)number);
}

/* Name the iterations of the windows, as the first rank that has them counts them. */
static int define_iterations(struct recovery *recovery, struct error *err)
{
	enum { LIST_BYTES = SETTINGS_MOST_PHASES * 21 };
	struct trace_writer *writer = recovery->sources[0].writer;
	char firsts[LIST_BYTES] = "", counts[LIST_BYTES] = "";
	uint32_t rank = 0;

	while (rank < recovery->ranks && !recovery->sources[rank].summary.iterations.count)
		rank++;
	if (rank == recovery->ranks)
		return 0;
	for (size_t w = 0; w < recovery->window_count; w++) {
		const struct journal_iterations *window =
			&recovery->sources[rank].summary.iterations.items[w];

		list_number(firsts, sizeof firsts, window->first);
		list_number(counts, sizeof counts, window->count);
	}
	TRY(trace_writer_property(writer, "FIRST_ITERATION", firsts, err));
	return trace_writer_property(writer, "ITERATIONS", counts, err);
}

static int define(struct recovery *recovery, struct error *err)
{
	struct trace_writer *writer = recovery->sources[0].writer;
	const struct rank_summary *summary = &recovery->sources[0].summary;

	for (uint32_t rank = 0; rank < recovery->ranks && !summary->properties.count; rank++)
		summary = &recovery->sources[rank].summary;
	TRY(number_ids(recovery, err));
	recovery->ids.complete &= recovery->whole && !recovery->windows;
	TRY(global_ids_define(&recovery->ids, writer, summary->properties.items,
			      summary->properties.count, err));
	TRY(define_iterations(recovery, err));
	return recovery->whole ? 0 : trace_writer_property(writer, "INCOMPLETE", "1", err);
}

/* Close the writers, rank 0 last: it writes the anchor file, which completes the archive. */
static int close_all(struct recovery *recovery, struct error *err)
{
	const uint32_t *end = recovery->ids.replies.items + recovery->ids.replies.count;

	for (uint32_t rank = recovery->ranks; rank-- > 0;) {
		struct trace_writer *writer = recovery->sources[rank].writer;
		struct trace_maps maps;

		end -= recovery->ids.reply_counts.items[rank];
		maps = global_ids_maps(end, &recovery->sources[rank].summary,
				       trace_writer_strings(writer));
		TRY(trace_writer_map(writer, &maps, err));
		recovery->sources[rank].writer = NULL;
		TRY(trace_writer_close(writer, err));
	}
	return 0;
}

static void remove_parts(const struct recovery *recovery)
{
	for (uint32_t rank = recovery->ranks; rank-- > 0;)
		trace_writer_remove(recovery->directory, rank, recovery->sources[rank].threads);
}

/* ---------------------------------------------------------------- the graphs */

/* Find out what the run has recorded: its calls, graphs, or both. */
static void choose_results(struct recovery *recovery)
{
	recovery->flow = false;
	recovery->archive = false;
	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		recovery->flow |= rank_flow_exists(recovery->directory, rank);
		recovery->archive |= recovery->sources[rank].summary.calls > 0;
	}
	recovery->archive |= !recovery->flow;
}

/* Join the graphs of all ranks, whose ids are numbered. */
static int make_graphs(struct recovery *recovery, struct error *err)
{
	struct recovered *result = recovery->result;
	struct run_flow run = {.directory = recovery->directory,
			       .all = &recovery->ids,
			       .incomplete = !recovery->whole};
	int written;

	if (!recovery->flow)
		return 0;
	TRY(run_flow_make(&run, err));
	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		result->ranks.items[rank].left_out = run.lost[rank];
		if (!recovery->archive)
			result->ranks.items[rank].calls = run.calls[rank];
	}
	written = run_flow_write(&run, &result->flow, err);
	run_flow_release(&run);
	return written;
}

/* ------------------------------------------------------------------- the whole */

static int make_archive(struct recovery *recovery, struct error *err)
{
	/* Remove the parts of an archive that a dying run has left. */
	remove_parts(recovery);
	for (uint32_t rank = 0; rank < recovery->ranks; rank++)
		TRY(write_rank(recovery, rank, err));
	TRY(define(recovery, err));
	TRY(make_graphs(recovery, err));
	return close_all(recovery, err);
}

static int make_graphs_alone(struct recovery *recovery, struct error *err)
{
	for (uint32_t rank = 0; rank < recovery->ranks; rank++)
		TRY(describe_rank(recovery, rank, err));
	TRY(number_ids(recovery, err));
	return make_graphs(recovery, err);
}

static int make_results(struct recovery *recovery, struct error *err)
{
	recovery->result->archive = recovery->archive;
	if (!recovery->archive)
		return make_graphs_alone(recovery, err);
	if (make_archive(recovery, err) == 0)
		return 0;
	remove_parts(recovery);
	return -1;
}

static int recover_all(struct recovery *recovery, bool only_whole, struct error *err)
{
	TRY(find_ranks(recovery, err));
	if (!only_whole)
		TRY(refuse_written(recovery, err));
	/* A run that was writing above may have completed its archive since. */
	TRY(refuse_complete(recovery, err));
	TRY(scan_all(recovery, err));
	TRY(choose_ends(recovery, err));
	if (only_whole && !recovery->whole)
		return error_set(err, STATUS_DATA, "%s: not all ranks have ended properly",
				 recovery->directory);
	choose_results(recovery);
	TRY(count_all(recovery, err));
	TRY(make_results(recovery, err));
	for (size_t w = 0; w < recovery->window_count; w++) {
		recovery->result->sends += recovery->consistency[w].sends;
		recovery->result->receives += recovery->consistency[w].receives;
		recovery->result->collectives += recovery->consistency[w].collectives;
	}
	for (uint32_t rank = 0; rank < recovery->ranks; rank++) {
		journal_chunks_remove(recovery->directory, rank, recovery->sources[rank].threads);
		journal_remove(recovery->directory, rank, recovery->sources[rank].threads);
	}
	return 0;
}

static int recover_locked(const char *directory, bool only_whole, struct recovered *result,
			  struct error *err)
{
	struct recovery recovery = {.directory = directory, .result = result};
	const int done = recover_all(&recovery, only_whole, err);

	for (uint32_t rank = 0; recovery.sources && rank < recovery.ranks; rank++) {
		rank_summary_release(&recovery.sources[rank].summary);
		array_release(&recovery.sources[rank].comm_uses);
		free(recovery.sources[rank].windows);
	}
	free(recovery.sources);
	for (size_t w = 0; recovery.consistency && w < recovery.window_count; w++)
		consistency_release(&recovery.consistency[w]);
	free(recovery.consistency);
	global_ids_release(&recovery.ids);
	array_release(&recovery.messages.words);
	array_release(&recovery.starts);
	return done;
}

int recover(const char *directory, const struct recover_options *options, struct recovered *result,
	    struct error *err)
{
	memset(result, 0, sizeof *result);
	TRY(recovery_lock_take(&result->lock, directory, options->wait, err));
	if (recover_locked(directory, options->only_whole, result, err) == 0)
		return 0;
	recovered_release(result);
	return -1;
}

void recovered_release(struct recovered *result)
{
	array_release(&result->ranks);
	recovery_lock_release(&result->lock);
}
