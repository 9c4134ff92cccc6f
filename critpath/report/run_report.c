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
static void print_doubts(FILE *stream, const struct measured_run *run)
{
	const struct clock_violations *violations = &run->violations;
	char text[RUN_TEXT_BYTES];

	if (run->world->incomplete)
		fputs("ended early some ranks, before MPI_Finalize, or they were not traced\n",
		      stream);
	if (run->lone_sends + run->lone_recvs)
		fprintf(stream, "unmatched   %" PRIu64 " send%s, %" PRIu64 " receive%s\n",
			run->lone_sends, plural(run->lone_sends), run->lone_recvs,
			plural(run->lone_recvs));
	if (run->lacking)
		fprintf(stream,
			"lacking     %" PRIu64 " collective%s without all participants: recording was"
			" off, or ranks ended early\n",
			run->lacking, plural(run->lacking));
	if (run->incomplete)
		fprintf(stream,
			"incomplete  %" PRIu64 " request%s whose begin or end is not known\n",
			run->incomplete, plural(run->incomplete));
	if (run->left_out.unfinished_calls)
		fprintf(stream, "unfinished  %" PRIu64 " call%s\n", run->left_out.unfinished_calls,
			plural(run->left_out.unfinished_calls));
	if (violations->count)
		fprintf(stream,
			"clocks      %" PRIu64 " of %" PRIu64 " messages ended before they"
			" began, by up to %s (rank %u to %u)\n",
			violations->count, violations->messages,
			run_report_time(violations->most_ns, text), violations->sender,
			violations->receiver);
}

void run_report_heading(FILE *stream, const struct findings *findings)
{
	const struct measured_run *run = findings->run;
	const uint64_t calls = run->calls, messages = run->violations.messages;
	char text[RUN_TEXT_BYTES], to[RUN_TEXT_BYTES], crowded[TRACE_HOSTS_TEXT_BYTES];

	fputs("trace       ", stream);
	text_print(stream, findings->path);
	fputc('\n', stream);
	if (trace_hosts_say(run->world, crowded))
		fprintf(stream, "traced on   %s, whose times include waiting for a core\n", crowded);
	fprintf(stream,
		"size        %u rank%s, %" PRIu64 " call%s, %" PRIu64 " message%s, %" PRIu64
		" collective%s\n",
		run->rank_count, plural(run->rank_count), calls, plural(calls), messages,
		plural(messages), run->instance_count, plural(run->instance_count));
	print_doubts(stream, run);
	if (run->sliced)
		fprintf(stream, "slice       from %s to %s of the run\n",
			run_report_time(run->slice_begin_ns - run->begin_ns, text),
			run_report_time(run->slice_end_ns - run->begin_ns, to));
	fprintf(stream, "T           %s\n", run_report_time(measured_length_ns(run), text));
}

void run_report_json_heading(struct json *json, const char *schema, const struct findings *findings)
{
	const struct measured_run *run = findings->run;
	char crowded[TRACE_HOSTS_TEXT_BYTES];

	json_text(json, "schema", schema);
	json_text(json, "file", findings->path);
	if (trace_hosts_say(run->world, crowded))
		json_text(json, "crowded", crowded);
	else
		json_null(json, "crowded");
	json_integer(json, "ranks", run->rank_count);
	json_integer(json, "calls", run->calls);
	json_integer(json, "messages", run->violations.messages);
	json_integer(json, "collectives", run->instance_count);
	if (run->world->incomplete)
		json_boolean(json, "ended_early", true);
	json_integer(json, "unmatched_sends", run->lone_sends);
	json_integer(json, "unmatched_receives", run->lone_recvs);
	json_integer(json, "collectives_lacking_participants", run->lacking);
	json_integer(json, "incomplete_requests", run->incomplete);
	json_integer(json, "unfinished_calls", run->left_out.unfinished_calls);
	json_integer(json, "clock_violations", run->violations.count);
	json_integer(json, "clock_violation_ns", run->violations.most_ns);
	if (run->sliced) {
		json_integer(json, "slice_start_ns", run->slice_begin_ns - run->begin_ns);
		json_integer(json, "slice_end_ns", run->slice_end_ns - run->begin_ns);
	}
	json_integer(json, "runtime_ns", measured_length_ns(run));
}

void run_report_blocks(FILE *stream, const struct findings *findings)
{
	const uint64_t calls = findings->run->calls;
	char text[RUN_TEXT_BYTES];

	if (findings->blocks)
		fprintf(stream,
			"blocks      %" PRIu64 " of %" PRIu64 " call%s with less than %s between them\n",
			findings->blocks->count, calls, plural(calls),
			run_report_time(findings->blocks->threshold_ns, text));
}

void run_report_json_blocks(struct json *json, const struct findings *findings)
{
	if (!findings->blocks)
		return;
	json_integer(json, "threshold_ns", findings->blocks->threshold_ns);
	json_integer(json, "blocks", findings->blocks->count);
}
