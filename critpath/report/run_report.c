#include "critpath/report/run_report.h"

#include "common/text.h"
#include "common/units.h"
#include "trace/call/trace_hosts.h"

#include <inttypes.h>

enum { DIGITS = 7, SHORT_DIGITS = 4 };

const char *run_report_time(uint64_t ns, char text[static RUN_TEXT_BYTES])
{
	return format_time((double)ns, DIGITS, text);
}

const char *run_report_short_time(uint64_t ns, char text[static RUN_TEXT_BYTES])
{
	return format_time((double)ns, SHORT_DIGITS, text);
}

const char *run_report_share(uint64_t part, uint64_t whole, char text[static RUN_TEXT_BYTES])
{
	snprintf(text, RUN_TEXT_BYTES, "%.2f %%", whole ? 100 * (double)part / (double)whole : 0);
	return text;
}

void put_call(struct report_row *row, uint32_t call)
{
	if (call == NO_CALL)
		put_none(row);
	else
		put_count(row, call + UINT64_C(1));
}

const char *run_site_short(const struct measured_run *run, uint32_t site)
{
	return site == NO_SITE ? "(not known)" : call_site_short(run->site_names[site]);
}

const char *run_report_call(const struct measured_run *run, uint32_t rank, uint32_t call,
			    uint32_t function, uint32_t site, char text[static RUN_CALL_BYTES])
{
	const char *name = measured_site_name(run, site);

	if (call == NO_CALL)
		snprintf(text, RUN_CALL_BYTES, "end of rank %u", rank);
	else
		snprintf(text, RUN_CALL_BYTES, "%.100s, call %u of rank %u%s%.150s",
			 measured_function(&run->names, function), call + 1, rank, name ? ", " : "",
			 name ? call_site_short(name) : "");
	return text;
}

/* Say what has no other half, and where clocks contradict the order of events. */
static void print_quality(const struct report *report, const struct measured_run *run)
{
	const struct clock_violations *violations = &run->violations;
	char text[RUN_TEXT_BYTES];

	if (run->world->incomplete)
		report_line(report, "ended early",
			    "some ranks, before MPI_Finalize, or they were not traced");
	if (run->world->synthetic_times)
		report_line(report, "no times", "the trace lacks those of calls: they are means, or 0");
	if (run->unmatched_sends + run->unmatched_recvs)
		report_line(report, "unmatched", "%" PRIu64 " send%s, %" PRIu64 " receive%s",
			    run->unmatched_sends, plural(run->unmatched_sends),
			    run->unmatched_recvs, plural(run->unmatched_recvs));
	if (run->lacking)
		report_line(report, "lacking",
			    "%" PRIu64 " collective%s without all participants: recording was off, or"
			    " ranks ended early",
			    run->lacking, plural(run->lacking));
	if (run->incomplete)
		report_line(report, "incomplete",
			    "%" PRIu64 " request%s whose begin or end is not known", run->incomplete,
			    plural(run->incomplete));
	if (run->left_out.unfinished_calls)
		report_line(report, "unfinished", "%" PRIu64 " call%s",
			    run->left_out.unfinished_calls, plural(run->left_out.unfinished_calls));
	if (violations->count)
		report_line(report, "clocks",
			    "%" PRIu64 " of %" PRIu64 " messages ended before they began, by up to %s"
			    " (rank %u to %u)",
			    violations->count, violations->messages,
			    run_report_time(violations->most_ns, text), violations->sender,
			    violations->receiver);
}

static void print_heading(const struct report *report, const struct findings *findings)
{
	const struct measured_run *run = findings->run;
	const uint64_t calls = run->calls, messages = run->violations.messages;
	char text[RUN_TEXT_BYTES], to[RUN_TEXT_BYTES], crowded[TRACE_HOSTS_TEXT_BYTES];

	fputs("trace       ", report->stream);
	text_print(report->stream, findings->path);
	fputc('\n', report->stream);
	if (trace_hosts_say_times(run->world, crowded))
		report_line(report, "traced on", "%s", crowded);
	report_line(report, "size",
		    "%u rank%s, %" PRIu64 " call%s, %" PRIu64 " message%s, %" PRIu64 " collective%s",
		    run->rank_count, plural(run->rank_count), calls, plural(calls), messages,
		    plural(messages), run->instance_count, plural(run->instance_count));
	print_quality(report, run);
	if (run->sliced)
		report_line(report, "slice", "from %s to %s of the run",
			    run_report_time(run->slice_begin_ns - run->begin_ns, text),
			    run_report_time(run->slice_end_ns - run->begin_ns, to));
	report_line(report, "T", "%s", run_report_time(measured_length_ns(run), text));
}

static const struct report_field heading_fields[] = {
	{"file", NULL, VALUE_NAME, .meaning = "Name of the trace on the command line"},
	{"crowded", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "How many ranks of the traced run shared cores, or how long one waited for a core, or how often it was preempted; null if"
		    " none, or if it is not known"},
	{"ranks", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE},
	{"calls", NULL, VALUE_COUNT,
	 .meaning = "MPI calls of all ranks; polls and the call that ends them are one"},
	{"messages", NULL, VALUE_COUNT, .meaning = "Pairs of a send and a receive"},
	{"collectives", NULL, VALUE_COUNT,
	 .meaning = "Instances of collectives, on communicators of more than one process"},
	{"ended_early", NULL, VALUE_TRUTH, .flags = FIELD_OPTIONAL,
	 .meaning = "Some ranks ended before MPI_Finalize or were not traced"},
	{"unmatched_sends", NULL, VALUE_COUNT, .meaning = "Sends whose receive is not in the trace"},
	{"unmatched_receives", NULL, VALUE_COUNT, .meaning = "Receives whose send is not in the trace"},
	{"collectives_lacking_participants", NULL, VALUE_COUNT,
	 .meaning = "Collectives of which the trace lacks ranks with a part in the data"},
	{"incomplete_requests", NULL, VALUE_COUNT,
	 .meaning = "Requests whose begin or end is not in the trace"},
	{"unfinished_calls", NULL, VALUE_COUNT,
	 .meaning = "Calls that were entered but never left"},
	{"clock_violations", NULL, VALUE_COUNT,
	 .meaning = "Messages that were received before they were sent, by the clocks of the trace"},
	{"clock_violation_ns", NULL, VALUE_TIME, .meaning = "The largest of them"},
	{"slice_start_ns", NULL, VALUE_TIME, .flags = FIELD_OPTIONAL,
	 .meaning = "Given by --from or --to: begin of the slice since the run began"},
	{"slice_end_ns", NULL, VALUE_TIME, .flags = FIELD_OPTIONAL, .meaning = "End of the slice"},
	{"runtime_ns", NULL, VALUE_TIME,
	 .meaning = "T: from the first rank that leaves MPI_Init to the last that enters"
		    " MPI_Finalize, or the length of the slice"},
	{0},
};

static void heading_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct measured_run *run = findings->run;
	char crowded[TRACE_HOSTS_TEXT_BYTES];

	(void)number;
	put_name(row, findings->path);
	put_name(row, trace_hosts_say(run->world, crowded) ? crowded : NULL);
	put_count(row, run->rank_count);
	put_count(row, run->calls);
	put_count(row, run->violations.messages);
	put_count(row, run->instance_count);
	if (run->world->incomplete)
		put_truth(row, true);
	else
		put_missing(row);
	put_count(row, run->unmatched_sends);
	put_count(row, run->unmatched_recvs);
	put_count(row, run->lacking);
	put_count(row, run->incomplete);
	put_count(row, run->left_out.unfinished_calls);
	put_count(row, run->violations.count);
	put_count(row, run->violations.most_ns);
	if (run->sliced) {
		put_count(row, run->slice_begin_ns - run->begin_ns);
		put_count(row, run->slice_end_ns - run->begin_ns);
	} else {
		put_missing(row);
		put_missing(row);
	}
	put_count(row, measured_length_ns(run));
}

void run_report_begin(struct report *report, const char *schema, const struct findings *findings)
{
	report->file = findings->path;
	report_begin(report, schema);
	if (report->format == REPORT_TEXT)
		print_heading(report, findings);
	report_facts(report, &(struct report_facts){
		.fields = heading_fields, .row = heading_row, .data = findings});
}

static const struct report_field block_fields[] = {
	{"threshold_ns", NULL, VALUE_TIME, .flags = FIELD_OPTIONAL,
	 .meaning = "Given by --threshold: calls with less time between them are joined to blocks"},
	{"blocks", NULL, VALUE_COUNT, .flags = FIELD_OPTIONAL, .meaning = "Number of blocks"},
	{0},
};

static void block_row(struct report_row *row, const void *data, size_t number)
{
	const struct blocks *blocks = data;

	(void)number;
	if (!blocks) {
		put_missing(row);
		put_missing(row);
		return;
	}
	put_count(row, blocks->threshold_ns);
	put_count(row, blocks->count);
}

void run_report_blocks(struct report *report, const struct findings *findings)
{
	char text[RUN_TEXT_BYTES];

	if (findings->blocks)
		report_line(report, "blocks",
			    "%" PRIu64 " of %" PRIu64 " call%s with less than %s between them",
			    findings->blocks->count, findings->run->calls,
			    plural(findings->run->calls),
			    run_report_time(findings->blocks->threshold_ns, text));
	report_facts(report, &(struct report_facts){
		.fields = block_fields, .row = block_row, .data = findings->blocks});
}
