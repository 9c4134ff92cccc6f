/*
 * Ending a trace: every rank converts its journals to its part of the archive and sends its
 * strings and communicators to rank 0.  Rank 0 gives them ids and sends each rank its ids.
 */
#include "tracer/finish.h"

#include "common/machine/file_limit.h"
#include "pmpi/process.h"
#include "pmpi/together.h"
#include "trace/assemble/recover.h"
#include "trace/assemble/global_ids.h"
#include "trace/assemble/rank_flow.h"
#include "tracer/clock.h"
#include "tracer/end_line.h"
#include "tracer/flow.h"
#include "tracer/iteration_recorder.h"
#include "tracer/report.h"
#include "tracer/tracer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Summary of this rank's journals, and its part of the archive. */
struct part {
	struct trace_writer *writer;	/* NULL: no archive is made */
	bool created;			/* this run has created the files */
	struct rank_summary summary;
	uint64_t *no_events;		/* without a writer: of each thread; owned */
	size_t string_count;
};

static const struct string_table *strings_of(const struct part *part)
{
	static const struct string_table none;

	return part->writer ? trace_writer_strings(part->writer) : &none;
}

static int open_writer(struct part *part, struct error *err)
{
	struct trace_place place = {(uint32_t)process.rank, (uint32_t)process.size,
				    tracer.journals};

	TRY(trace_writer_open(&part->writer, tracer.directory, &place, process.load_ns, err));
	part->created = true;
	return 0;
}

static int open_journals(struct journal_cut **cut, struct error *err)
{
	static const struct cut_window all;
	const struct rank_journals own = tracer_journals();

	return own.unnamed ? journal_cut_open_unnamed(cut, own.unnamed, own.rank, own.threads, err)
			   : journal_cut_open(cut, own.directory, own.rank, own.threads, &all, err);
}

static int read_journals(struct part *part, struct error *err)
{
	struct journal_cut *journals;
	int result;

	if (tracer_makes_otf2())
		TRY(open_writer(part, err));
	TRY(open_journals(&journals, err));
	result = journal_to_otf2(journals, part->writer, UINT64_MAX, &part->summary, NULL, NULL,
				 err);
	if (result == 0 && (!part->summary.finished || journal_cut_is_damaged(journals)))
		result = error_set(err, STATUS_SYSTEM, "%s/journal/%d: is damaged",
				   tracer.directory, process.rank);
	journal_cut_close(journals);
	return result;
}

static int end_writer(struct part *part, const struct trace_clock *clock, struct trace_rank *rank,
		      struct error *err)
{
	if (!part->writer) {
		TRY(allocate(&part->no_events, tracer.journals, sizeof *part->no_events, err));
		rank->begin_ns = trace_clock_apply(clock, process.load_ns);
		rank->end_ns = trace_clock_apply(clock, part->summary.last_ns);
		rank->threads = tracer.journals;
		rank->events = part->no_events;
		return 0;
	}
	trace_writer_set_clock(part->writer, clock);
	return trace_writer_end(part->writer, part->summary.last_ns, rank, err);
}

/*
 * Save the graphs of this rank for rank 0.  Without calls in the journals, the summary lacks their
 * number.
 */
static int save_graphs(struct part *part, struct error *err)
{
	TRY(flow_recorder_end(err));
	if (tracer.calls)
		return 0;
	part->summary.calls = flow_recorder_calls();
	part->summary.has_sites = tracer.call_sites;
	return 0;
}

static int report_journals(struct rank_message *message, struct part *part,
			   const struct trace_clock *clock, struct error *err)
{
	struct trace_rank rank = {0};

	TRY(read_journals(part, err));
	if (tracer.flow)
		TRY(save_graphs(part, err));
	TRY(end_writer(part, clock, &rank, err));
	rank.host = part->summary.host;
	rank.cpus = part->summary.cpus;
	rank.preemptions = part->summary.preemptions;
	return rank_message_add(message, &part->summary, &rank, strings_of(part), err);
}

/* -------------------------------------------------------------- together */

/* Report a failure.  True if no rank has failed. */
static bool step_succeeds(int result, const struct error *err)
{
	if (result < 0)
		process_fail(err);
	return together_agree();
}

/* Compute where each rank's words begin; -1 if the sum exceeds an int. */
static int sum_counts(const int *counts, int *starts, struct error *err)
{
	int64_t sum = 0;

	for (int i = 0; i < process.size; i++) {
		starts[i] = (int)sum;
		sum += counts[i];
		if (sum > INT_MAX)
			return error_set(err, STATUS_LIMIT, "too many communicators and strings");
	}
	starts[process.size] = (int)sum;
	return 0;
}

/* Messages that rank 0 gathers, and their replies. */
struct gathered {
	int *counts, *starts;
	uint64_t *messages;
	struct global_ids all;
};

static int number_and_define(struct gathered *from, struct part *part, struct error *err)
{
	TRY(global_ids_number(&from->all, from->messages, from->starts, (uint32_t)process.size,
			      err));
	if (!part->writer)
		return 0;
	return global_ids_define(&from->all, part->writer, part->summary.properties.items,
				 part->summary.properties.count, err);
}

static bool gather_counts(int count, struct gathered *to)
{
	MPI_Request request;

	return PMPI_Igather(&count, 1, MPI_INT, to->counts, 1, MPI_INT, 0, process.comm,
			    &request) == MPI_SUCCESS && together_wait(&request);
}

static bool gather_messages(const struct rank_message *own, struct gathered *to)
{
	MPI_Request request;

	return PMPI_Igatherv(own->words.items, (int)own->words.count, MPI_UINT64_T, to->messages,
			     to->counts, to->starts, MPI_UINT64_T, 0, process.comm, &request) ==
		       MPI_SUCCESS && together_wait(&request);
}

static int count_and_allocate(struct gathered *to, struct error *err)
{
	TRY(sum_counts(to->counts, to->starts, err));
	return allocate(&to->messages, (size_t)to->starts[process.size], sizeof *to->messages, err);
}

/* Gather the messages of all ranks on rank 0, which makes the replies. */
static bool gather_ranks(const struct rank_message *own, struct part *part, struct gathered *to)
{
	struct error err;
	int result = 0;

	if (!gather_counts((int)own->words.count, to))
		return false;
	if (process.rank == 0)
		result = count_and_allocate(to, &err);
	if (!step_succeeds(result, &err) || !gather_messages(own, to))
		return false;
	if (process.rank == 0)
		result = number_and_define(to, part, &err);
	if (process.rank == 0 && result == 0)
		result = sum_counts(to->all.reply_counts.items, to->starts, &err);
	return step_succeeds(result, &err);
}

/* Send each rank the ids of the objects that it has reported. */
static bool scatter(struct gathered *from, uint32_t *ids, int count)
{
	MPI_Request request;

	return PMPI_Iscatterv(from->all.replies.items, from->all.reply_counts.items, from->starts,
			      MPI_UINT32_T, ids, count, MPI_UINT32_T, 0, process.comm, &request) ==
		       MPI_SUCCESS && together_wait(&request);
}

static int map_and_close(struct part *part, const uint32_t *ids, struct error *err)
{
	struct trace_writer *writer = part->writer;
	struct trace_maps maps = global_ids_maps(ids, &part->summary, trace_writer_strings(writer));

	TRY(trace_writer_map(writer, &maps, err));
	part->writer = NULL;
	return trace_writer_close(writer, err);
}

/* Close the writers, rank 0 last: it writes the anchor file, which completes the archive. */
static bool close_archive(struct part *part, const uint32_t *ids)
{
	struct error err;
	int result = 0;

	if (process.rank != 0)
		result = map_and_close(part, ids, &err);
	if (!step_succeeds(result, &err))
		return false;
	if (process.rank == 0)
		result = map_and_close(part, ids, &err);
	return step_succeeds(result, &err);
}

static int write_graphs(const struct global_ids *all, struct run_flow_file *file,
			struct error *err)
{
	struct run_flow run = {.directory = tracer.directory, .all = all};
	int result;

	TRY(run_flow_make(&run, err));
	result = run_flow_write(&run, file, err);
	run_flow_release(&run);
	return result;
}

/* Join the graphs that all ranks have saved, on rank 0. */
static bool join_graphs(const struct gathered *from, struct run_flow_file *file)
{
	struct error err;
	int result = 0;

	if (tracer.flow && process.rank == 0)
		result = write_graphs(&from->all, file, &err);
	return step_succeeds(result, &err);
}

/* Make this rank's message, and allocate the memory of later steps. */
static int finish_prepare(struct rank_message *own, struct part *part, struct gathered *gathered,
			  uint32_t **ids, int *id_count, const struct trace_clock *clock,
			  struct error *err)
{
	size_t count;

	TRY(report_journals(own, part, clock, err));
	part->string_count = strings_of(part)->starts.count;
	count = part->string_count + part->summary.comms.count + part->summary.windows.count +
		part->summary.groups.count;
	if (own->words.count > INT_MAX || count > INT_MAX)
		return error_set(err, STATUS_LIMIT, "too many communicators and strings");
	*id_count = (int)count;
	TRY(allocate(ids, count, sizeof **ids, err));
	if (process.rank != 0)
		return 0;
	TRY(allocate(&gathered->counts, (size_t)process.size, sizeof(int), err));
	return allocate(&gathered->starts, (size_t)process.size + 1, sizeof(int), err);
}

static int make_report(const struct part *part, const struct gathered *gathered, const uint32_t *ids,
		       const struct trace_clock *clock, struct error *err)
{
	const struct string_table none = {0};
	const struct trace_maps maps = global_ids_maps(ids + part->string_count, &part->summary,
						       &none);

	return report_make(&(struct report_source){.summary = &part->summary,
						   .clock = clock,
						   .comms = maps.comms,
						   .windows = maps.windows,
						   .all = &gathered->all}, err);
}

/* Results of the journals of all ranks. */
struct outcome {
	bool archive_failed;		/* or an earlier step */
	bool report_failed;		/* on this rank */
	struct error why;		/* there is no report */
};

static struct outcome finish_journals(const struct trace_clock *clock, bool with_report)
{
	struct outcome outcome = {0};
	struct rank_message own = {0};
	struct part part = {0};
	struct gathered gathered = {0};
	uint32_t *ids = NULL;
	struct error err;
	int count = 0, result = 0;
	struct run_flow_file graphs = {0};
	bool done;

	if (process.state == PROCESS_ACTIVE)
		result = finish_prepare(&own, &part, &gathered, &ids, &count, clock, &err);
	done = step_succeeds(result, &err) && gather_ranks(&own, &part, &gathered) &&
	       scatter(&gathered, ids, count) && join_graphs(&gathered, &graphs) &&
	       (!tracer_makes_otf2() || close_archive(&part, ids));
	if (done) {
		tracer.empty = end_line_is_empty(&part.summary);
		if (with_report && !tracer.empty &&
		    make_report(&part, &gathered, ids, clock, &outcome.why) < 0) {
			outcome.report_failed = true;
			if (tracer.archive && process.rank == 0)
				report_refuse(outcome.why.text);
		}
		end_line_together(&part.summary, &gathered.all, &graphs);
	}
	outcome.archive_failed = !done;

	array_release(&own.words);
	free(gathered.counts);
	free(gathered.starts);
	free(gathered.messages);
	global_ids_release(&gathered.all);
	rank_summary_release(&part.summary);
	free(part.no_events);
	free(ids);
	/* Leave the files of another run or of --recover. */
	if (part.created && !done)
		trace_writer_remove(tracer.directory, (uint32_t)process.rank, tracer.journals);
	return outcome;
}

/* Take a directory for the archive: rank 0 first. */
static bool take_directory(const struct error *no_report)
{
	struct error err = {0}, own;
	int result = 0;

	if (process.rank == 0 && tracer_take_directory(&own) < 0)
		result = error_set(&err, own.status, "%s; %s", no_report->text, own.text);
	if (!step_succeeds(result, &err))
		return false;
	if (process.rank != 0)
		result = tracer_take_directory(&err);
	return step_succeeds(result, &err);
}

/*
 * Make an archive that was not to be made, because there is no report: the run would leave nothing.
 * True if it is complete.
 */
static bool make_archive_instead(const struct error *no_report, const struct trace_clock *clock)
{
	char why[sizeof no_report->text + 64];

	if (!take_directory(no_report))
		return false;
	tracer.archive = true;
	snprintf(why, sizeof why, "%s, so an archive is made after all", no_report->text);
	if (process.rank == 0)
		report_refuse(why);
	return !finish_journals(clock, false).archive_failed;
}

/* Note the clock at the end, and save the graphs with the window. */
static int end_window(const struct trace_clock *clock, struct error *err)
{
	if (process.state != PROCESS_ACTIVE)
		return 0;
	if (clock->points[1].time_ns)
		TRY(iteration_recorder_clock(&clock->points[1], err));
	return flow_recorder_end(err);
}

/* Make the archive of the window and the graphs of the run from the journals of all ranks. */
static int assemble_window(struct error *err)
{
	const struct recover_options options = {.only_whole = true};
	struct recovered result;

	TRY(recover(tracer.directory, &options, &result, err));
	end_line_alone(&result);
	recovered_release(&result);
	return 0;
}

/* Let rank 0 assemble what all ranks have written: a window is small. */
static bool finish_window(void)
{
	const struct trace_clock clock = clock_measure_end();
	struct error err;
	int result = end_window(&clock, &err);

	tracer_close_journals();
	if (!step_succeeds(result, &err))
		return false;
	if (process.rank == 0)
		result = assemble_window(&err);
	return step_succeeds(result, &err);
}

static bool finish_trace(void)
{
	const struct trace_clock clock = clock_measure_end();
	const struct outcome outcome = finish_journals(&clock, true);
	bool report_failed = outcome.report_failed;

	if (outcome.archive_failed || tracer.archive)
		return !outcome.archive_failed;
	/* Rank 0 has printed the report, or not. */
	if (!together_tell(&report_failed, sizeof report_failed, 0))
		return false;
	return !report_failed || make_archive_instead(&outcome.why, &clock);
}

static bool finish_kept(void)
{
	const enum iterations_kept kept = tracer.iterations ? iteration_recorder_end(flow_recorder_function) : ITERATIONS_ALL;

	if (kept == ITERATIONS_NONE)
		tracer.calls = false;
	return kept == ITERATIONS_WINDOW ? finish_window() : finish_trace();
}

bool tracer_finish(void)
{
	struct file_limit limit;
	bool done;

	file_limit_hold(&limit);
	done = finish_kept();
	file_limit_release(&limit);
	return done;
}

static int finish_alone(struct error *err)
{
	const struct recover_options options = {.only_whole = tracer.ranks == process.size};
	struct recovered result;
	bool last;

	TRY(journal_rank_ended(tracer.directory, (uint32_t)tracer.ranks, &last, err));
	if (!last)
		return 0;
	TRY(recover(tracer.directory, &options, &result, err));
	end_line_alone(&result);
	recovered_release(&result);
	return 0;
}

int tracer_finish_alone(struct error *err)
{
	struct file_limit limit;
	int result;

	file_limit_hold(&limit);
	result = finish_alone(err);
	file_limit_release(&limit);
	return result;
}
