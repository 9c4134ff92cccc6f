#include "schedgen/convert/summary.h"

#include "common/report/report.h"
#include "common/text.h"
#include "common/units.h"
#include "schedgen/collectives/collective.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Local functions with a smaller share of the run time are on one line. */
enum { LEAST_PERCENT = 1 };

static double percent(const struct summary *summary, uint64_t ns)
{
	uint64_t run_ns = summary->totals.run_ns;

	return run_ns > 0 ? 100 * (double)ns / (double)run_ns : 0;
}

/* Do the calls of the function without a model concern only their own rank? */
static bool is_local(const struct summary *summary, const struct function_statistics *function)
{
	return function->is_local || (function->is_message && !summary->lacks_records);
}

static void print_calls(FILE *stream, const struct summary *summary)
{
	const struct call_statistics *functions = &summary->calls;
	const uint64_t calls = call_statistics_calls(functions);
	char length[UNIT_TEXT_BYTES];
	uint64_t by_class[MPI_CLASSES] = {0}, messages = 0, local = 0, not_modelled = 0;

	for (size_t i = 0; i < functions->list.count; i++) {
		const struct function_statistics *function = &functions->list.items[i];

		if (function->is_local) {
			local += function->calls;
			continue;
		}
		*(is_local(summary, function) ? &local : &not_modelled) +=
			function->not_modelled_calls;
		*(function->is_message || function->has_messages
			  ? &messages : &by_class[function->is.class]) +=
			function->calls - function->not_modelled_calls;
	}
	fprintf(stream, "schedgen: %" PRIu32 " rank%s, %s, %" PRIu64 " call%s: %" PRIu64
		" to begin and end, %" PRIu64 " local, %" PRIu64 " not modelled\n",
		summary->rank_count, plural(summary->rank_count),
		format_time((double)summary->length_ns, 4, length), calls, plural(calls),
		by_class[MPI_CLASS_INIT] + by_class[MPI_CLASS_FINALIZE], local, not_modelled);
	fprintf(stream, "schedgen: modelled: %" PRIu64 " of messages and requests, %" PRIu64
		" of collectives", messages,
		by_class[MPI_CLASS_COLLECTIVE] + by_class[MPI_CLASS_COMMUNICATOR] +
			by_class[MPI_CLASS_OTHER]);
	if (by_class[MPI_CLASS_RMA])
		fprintf(stream, ", %" PRIu64 " one-sided", by_class[MPI_CLASS_RMA]);
	fputc('\n', stream);
}

static void print_slice(FILE *stream, const struct summary *summary)
{
	char *from = slice_edge_text(summary->from), *to = slice_edge_text(summary->to);

	if (from && to)
		fprintf(stream, "schedgen: slice from %s to %s\n",
			summary->from->kind ? from : "the beginning",
			summary->to->kind ? to : "the end");
	free(from);
	free(to);
}

static void print_repeat(FILE *stream, const struct summary *summary)
{
	const struct trace_repeat *repeat = &summary->repeat;
	char estimate[UNIT_TEXT_BYTES], bound[UNIT_TEXT_BYTES], longest[UNIT_TEXT_BYTES];

	fprintf(stream, "schedgen: repeated: %" PRIu64 " of %" PRIu64 " iteration%s recorded; the computation of each"
		" rank adds up to that of the run\n", repeat->recorded, repeat->iterations,
		repeat->iterations == 1 ? " is" : "s are");
	if (repeat->unlike)
		fprintf(stream, "schedgen: note: %" PRIu64 " iteration%s of ranks %s other calls than all recorded"
			" ones\n", repeat->unlike, plural(repeat->unlike), repeat->unlike == 1 ? "makes" : "make");
	fprintf(stream, "schedgen: T is that of the run within %s by estimate, within %s for certain; a rank"
		" computes %s at most\n", format_time(repeat->error.estimate_ns, 3, estimate),
		format_time(repeat->error.bound_ns, 3, bound),
		format_time((double)repeat->computation_ns, 3, longest));
}

static void print_time(FILE *stream, const struct summary *summary, const char *name,
		       uint64_t calls, uint64_t ns)
{
	char time[UNIT_TEXT_BYTES], shown[256];

	fprintf(stream, "schedgen: counted as computation: %s, %" PRIu64 " call%s, %s (%.2f %%)\n",
		text_show(name, shown, sizeof shown), calls, plural(calls),
		format_time((double)ns, 4, time), percent(summary, ns));
}

static int summary_by_time(const void *a, const void *b)
{
	const struct function_statistics *x = *(const struct function_statistics *const *)a;
	const struct function_statistics *y = *(const struct function_statistics *const *)b;

	return (x->not_modelled_ns < y->not_modelled_ns) -
	       (x->not_modelled_ns > y->not_modelled_ns);
}

static void print_not_modelled(FILE *stream, const struct summary *summary)
{
	const struct call_statistics *functions = &summary->calls;
	const struct function_statistics **sorted = calloc(functions->list.count + 1, sizeof *sorted);
	uint64_t local_calls = 0, local_ns = 0;
	size_t count = 0;
	bool some_apart = false;

	if (!sorted)
		return;
	for (size_t i = 0; i < functions->list.count; i++) {
		const struct function_statistics *function = &functions->list.items[i];

		if (!function->not_modelled_calls)
			continue;
		if (is_local(summary, function) &&
		    percent(summary, function->not_modelled_ns) < LEAST_PERCENT) {
			local_calls += function->not_modelled_calls;
			local_ns += function->not_modelled_ns;
			continue;
		}
		sorted[count++] = function;
		some_apart |= is_local(summary, function);
	}
	qsort(sorted, count, sizeof *sorted, summary_by_time);
	for (size_t i = 0; i < count; i++)
		print_time(stream, summary, sorted[i]->is.name, sorted[i]->not_modelled_calls,
			   sorted[i]->not_modelled_ns);
	if (local_calls)
		print_time(stream, summary,
			   some_apart ? "other local functions" : "local functions", local_calls,
			   local_ns);
	free(sorted);
}

/* "1 request was cancelled", "2 requests were cancelled" */
static void print_note(FILE *stream, uint64_t count, const char *one, const char *several,
		       const char *rest)
{
	if (count)
		fprintf(stream, "schedgen: note: %" PRIu64 " %s %s\n", count,
			count == 1 ? one : several, rest);
}

/* Count calls that communicate by their names, but have no records. */
static uint64_t without_records(const struct summary *summary)
{
	const struct call_statistics *functions = &summary->calls;
	uint64_t calls = 0;

	for (size_t i = 0; summary->lacks_records && i < functions->list.count; i++)
		if (functions->list.items[i].is_message)
			calls += functions->list.items[i].not_modelled_calls;
	return calls;
}

static void print_notes(FILE *stream, const struct summary *summary)
{
	const struct convert_totals *totals = &summary->totals;

	if (summary->from && !call_statistics_calls(&summary->calls))
		fprintf(stream, "schedgen: note: no MPI call begins in the slice\n");
	print_note(stream, totals->cancelled, "request was", "requests were",
		   summary->incomplete ? "without a partner or cancelled, and left out"
				       : "cancelled, and left out");
	print_note(stream, totals->unfinished_receives, "receive was", "receives were",
		   "posted but never completed, and left out");
	print_note(stream, totals->unfinished_collectives,
		   "non-blocking collective never completed, and is",
		   "non-blocking collectives never completed, and are", "left out");
	print_note(stream, totals->unknown_completions, "request", "requests",
		   "completed whose start was not recorded");
	print_note(stream, totals->guessed_collectives, "collective has", "collectives have",
		   "blocks of unequal sizes that the trace lacks: taken as equal");
	print_note(stream, totals->skipped_collectives, "non-blocking collective is",
		   "non-blocking collectives are", "of a kind that is not modelled, and left out");
	print_note(stream, summary->own_messages,
		   "message is of a rank to itself: it costs",
		   "messages are of ranks to themselves: they cost", "as much as others");
	if (summary->defers)
		fprintf(stream, "schedgen: %" PRIu64 " message%s only when the receiver waits in MPI, after"
			" computation\n", totals->deferred, totals->deferred == 1 ? " moves" : "s move");
	print_note(stream, summary->cut_halves,
		   "send or receive at the edges of the slice lacks",
		   "sends and receives at the edges of the slice lack",
		   "the other half: left out");
	if (summary->incomplete)
		fprintf(stream, "schedgen: note: the trace is incomplete: some ranks ended before"
			" MPI_Finalize or were not traced\n");
	if (summary->synthetic_times)
		fprintf(stream, "schedgen: note: the trace lacks the times of calls: they are means, or 0\n");
	if (summary->unreceived)
		fprintf(stream,
			"schedgen: note: %" PRIu64 " message%s (%.2f %%) %s sent, but never "
			"received, and left out\n",
			summary->unreceived, plural(summary->unreceived),
			100 * (double)summary->unreceived /
				(double)(summary->unreceived + summary->messages),
			summary->unreceived == 1 ? "was" : "were");
	print_note(stream, without_records(summary),
		   "call of messages and requests has", "calls of messages and requests have",
		   "no records: any messages are left out");
	print_note(stream, totals->rma.lost_operations,
		   "operation on a window is", "operations on windows are",
		   "received at once: the target has recorded no epoch");
	print_note(stream, totals->rma.lost_syncs,
		   "part of a synchronisation on windows lacks the other part, and is",
		   "parts of synchronisation on windows lack the other part, and are", "left out");
	if (totals->rma.exclusive_locks) {
		char time[UNIT_TEXT_BYTES];

		fprintf(stream,
			"schedgen: note: %" PRIu64 " exclusive lock%s took %s (%.2f %%): waiting "
			"for a lock is not modelled\n",
			totals->rma.exclusive_locks, plural(totals->rma.exclusive_locks),
			format_time((double)totals->rma.exclusive_ns, 4, time),
			percent(summary, totals->rma.exclusive_ns));
	}
	print_note(stream, summary->left_out.unfinished_calls, "rank", "ranks",
		   "ended inside a call, which is left out");
	print_note(stream, summary->left_out.idle_threads,
		   "thread has events, but calls no MPI function: it is",
		   "threads have events, but call no MPI function: they are", "left out");
	print_note(stream, summary->left_out.other_locations,
		   "other location (device, metric) has", "other locations (devices, metrics) have",
		   "events, which are left out");
	print_note(stream, summary->left_out.miscounted_locations,
		   "location has", "locations have",
		   "another number of events than defined: all events are used");
	print_note(stream, summary->left_out.other_windows, "record", "records",
		   "of one-sided communication that is not MPI's (SHMEM, CUDA), left out");
	print_note(stream, summary->left_out.guessed_comms, "communicator of a rank",
		   "communicators of ranks",
		   "could be others of the same size: taken in order");
	print_note(stream, summary->left_out.guessed_sources,
		   "receive with a wildcard has", "receives with wildcards have",
		   "several possible sources: the first to send");
	print_note(stream, summary->left_out.guessed_completions, "request completes",
		   "requests complete", "in one of several tests or waits for any: in the last");
	print_note(stream, summary->left_out.renamed_ranks, "file calls itself",
		   "files call themselves",
		   "rank 0, as another does: ranks are those of the names");
	print_note(stream, summary->left_out.moved_requests,
		   "request completes", "requests complete",
		   "at another address than that of the start: taken in order");
}

static void print_output(FILE *stream, const char *output, uint64_t operations,
			 uint64_t messages, uint64_t bytes)
{
	char text[UNIT_TEXT_BYTES];

	fprintf(stream, "schedgen: ");
	text_print(stream, strcmp(output, "-") ? output : "stdout");
	fprintf(stream, ": %" PRIu64 " operation%s, %" PRIu64 " message%s, %" PRIu64
		" byte%s (%s)\n", operations,
		plural(operations), messages, plural(messages), bytes, plural(bytes),
		format_bytes((double)bytes, text));
}

/* Lines of a summary, which are collected and then fitted to the width of the stream. */
struct lines {
	char *text;
	size_t bytes;
	FILE *stream;
};

/* Collect lines for the stream, or write to it directly without memory. */
static FILE *begin_lines(struct lines *lines, FILE *stream)
{
	lines->stream = open_memstream(&lines->text, &lines->bytes);
	return lines->stream ? lines->stream : stream;
}

static void end_lines(struct lines *lines, FILE *stream)
{
	if (!lines->stream)
		return;
	fclose(lines->stream);
	text_print_lines(stream, lines->text, (int)strlen("schedgen: "));
	free(lines->text);
}

void summary_print_output(FILE *stream, const char *output, uint64_t operations,
			  uint64_t messages, uint64_t bytes)
{
	struct lines lines;

	print_output(begin_lines(&lines, stream), output, operations, messages, bytes);
	end_lines(&lines, stream);
}

void summary_print(FILE *stream, const struct summary *summary)
{
	struct lines lines;
	FILE *to = begin_lines(&lines, stream);

	print_calls(to, summary);
	if (summary->from)
		print_slice(to, summary);
	if (summary->repeats)
		print_repeat(to, summary);
	print_not_modelled(to, summary);
	print_notes(to, summary);
	print_output(to, summary->output, summary->operations, summary->messages, summary->bytes);
	end_lines(&lines, stream);
}

/* Collectives that were called, two for each algorithm: blocking and non-blocking. */
struct called {
	const struct coll_count *counts;
	const size_t *numbers;
};

static const struct report_field collective_fields[] = {
	{NULL, "collective", .kind = VALUE_NAME},
	{NULL, "call", .kind = VALUE_NAME},
	{NULL, "algorithm", .kind = VALUE_NAME},
	{NULL, "calls", .kind = VALUE_COUNT},
	{NULL, "messages", .kind = VALUE_COUNT},
	{NULL, "bytes", .kind = VALUE_COUNT},
	{0},
};

static void collective_row(struct report_row *row, const void *data, size_t item)
{
	const struct called *called = data;
	const size_t number = called->numbers[item];
	const struct coll_algorithm *algorithm = &coll_algorithms[number / 2];
	const struct coll_count *count = &called->counts[number ^ 1];

	put_name(row, coll_name(algorithm->kind));
	put_name(row, number & 1 ? "non-blocking" : "blocking");
	put_name(row, algorithm->name);
	put_count(row, count->calls);
	put_count(row, count->messages);
	put_count(row, count->bytes);
}

void summary_print_collectives(FILE *stream, const struct summary *summary)
{
	size_t all = 0, count = 0, *numbers;

	while (coll_algorithms[all / 2].name)
		all++;
	numbers = calloc(all, sizeof *numbers);
	if (!numbers)
		return;
	for (size_t i = 0; i < all; i++)
		if (summary->collectives[i ^ 1].calls || summary->collectives[i ^ 1].messages)
			numbers[count++] = i;
	report_table(&(struct report){.stream = stream}, &(struct report_table){
		.no_gap = true, .fields = collective_fields, .row = collective_row,
		.data = &(struct called){summary->collectives, numbers}, .count = count});
	free(numbers);
}

void summary_release(struct summary *summary)
{
	call_statistics_release(&summary->calls);
	free(summary->collectives);
	trace_reader_close(summary->reader);
	*summary = (struct summary){0};
}
