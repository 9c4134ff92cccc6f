#include "critpath/report/run_report_below.h"

#include "common/units.h"

#include <inttypes.h>

struct source {
	const struct measured_run *run;
	const struct below_totals *totals;
};

enum { MOST_TOTALS = 30 }; /* rows in text */

static const struct report_field below_fields[] = {
	{"rank", "rank", VALUE_COUNT, .width = 5, .meaning = "Rank in MPI_COMM_WORLD"},
	{"thread", "thread", VALUE_COUNT, .width = 6, .meaning = "Of the rank; 0: the first one"},
	{NULL, "in", VALUE_NAME, .width = 14},
	{"function", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Function of MPI; null: outside of MPI, as in threads of the MPI library"},
	{"calls", "calls", VALUE_COUNT, .width = 7, .meaning = "Calls with anything below MPI"},
	{"posts", "posts", VALUE_COUNT, .width = 7,
	 .meaning = "Calls below MPI that post data: messages, puts, receives"},
	{"bytes", "bytes", VALUE_BYTES, .width = 9, .meaning = "Of the posts, as far as known"},
	{"pending", "go on", VALUE_COUNT, .width = 7, .meaning = "Posts that go on after the call"},
	{"to_post_ns", "until post", VALUE_TIME, .width = 10, .flags = FIELD_NULL,
	 .meaning = "Mean time from the begin of a call to its first post; null: no call posts"},
	{"finds", "polls find", VALUE_COUNT, .width = 10, .meaning = "Polls that found something"},
	{"nothing", "nothing", VALUE_COUNT, .width = 9, .meaning = "Polls that found nothing"},
	{"below_ns", "time below", VALUE_TIME, .width = 10, .meaning = "Time in calls below MPI"},
	{0},
};

static void below_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct below_total *total = &source->totals->items.items[number];

	put_count(row, total->rank);
	put_count(row, total->thread);
	if (total->function == BELOW_OUTSIDE) {
		put_name(row, "(outside of MPI)");
		put_none(row);
	} else {
		put_name(row, measured_function(&source->run->names, total->function));
		put_name(row, measured_function(&source->run->names, total->function));
	}
	put_count(row, total->calls);
	put_count(row, total->posts);
	put_count(row, total->bytes);
	put_count(row, total->pending);
	if (total->posting_calls)
		put_count(row, total->to_post_ns / total->posting_calls);
	else
		put_none(row);
	put_count(row, total->finds);
	put_count(row, total->nothing);
	put_count(row, total->ns);
}

const char *run_report_finders(const struct measured_run *run, const struct below_totals *totals,
			       char text[static BELOW_TEXT_BYTES])
{
	const struct below_total *sum = &totals->sum;
	const bool is_outside = totals->finder == BELOW_OUTSIDE;
	char share[RUN_TEXT_BYTES], idle[RUN_TEXT_BYTES];

	if (!sum->finds)
		snprintf(text, BELOW_TEXT_BYTES, "%" PRIu64 ", which found nothing", sum->nothing);
	else
		snprintf(text, BELOW_TEXT_BYTES,
			 "%" PRIu64 ", of which %" PRIu64
			 " found something: %s of these %s%s, %s in"
			 " threads of the MPI library",
			 sum->finds + sum->nothing, sum->finds,
			 run_report_share(totals->finder_finds, sum->finds, share),
			 is_outside ? "outside of MPI" : "in ",
			 is_outside ? "" : measured_function(&run->names, totals->finder),
			 run_report_share(totals->idle_finds, sum->finds, idle));
	return text;
}

void run_report_below(struct report *report, const struct findings *findings,
		      const struct below_totals *totals)
{
	const struct source source = {findings->run, totals};
	char text[BELOW_TEXT_BYTES], bytes[UNIT_TEXT_BYTES];

	report->rows = "below";
	run_report_begin(report, "critpath-below-1", findings);
	report_line(report, "posts", "%" PRIu64 " of data, %s; %" PRIu64 " go on after the call",
		    totals->sum.posts, format_bytes((double)totals->sum.bytes, bytes),
		    totals->sum.pending);
	report_line(report, "polls", "%s", run_report_finders(findings->run, totals, text));
	report_table(
		report,
		&(struct report_table){
			"below", .meaning = "Calls below MPI, by the call of MPI that they are in",
			.title =
				"below MPI: data posted, and polls, by the calls of MPI that they are in",
			.fields = below_fields, .row = below_row, .data = &source,
			.count = totals->items.count, .most = MOST_TOTALS, .counts_rest = true});
	report_end(report);
}
