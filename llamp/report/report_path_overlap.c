/* Part of llamp path: what overlap of messages with computation would bring. */
#include "llamp/report/report_path.h"

const char *report_async_text(const struct overlap *overlap, double runtime_ns,
			      char text[static REPORT_ASYNC_BYTES])
{
	const double less = runtime_ns > 0 ? 1 - report_ns(overlap->async_as) / runtime_ns : 0;

	snprintf(text, REPORT_ASYNC_BYTES, "%.2f %% less, if messages moved while ranks compute",
		 100 * less);
	return text;
}

static void overlap_row(struct report_row *row, const void *data, size_t number)
{
	const struct overlap *overlap = data;
	const struct overlap_call *call = &overlap->calls.items[number];

	put_name(row, call->name);
	put_count(row, call->messages);
	put_count(row, call->bytes);
	put_truth(row, call->critical);
	put_attoseconds(row, call->gain_as);
	report_put_share(row, call->gain_as, overlap->runtime_as);
}

void report_overlap(struct report *report, const struct findings *findings)
{
	static const struct report_field fields[] = {
		{"call", "posted by", VALUE_NAME, .width = 12,
		 .meaning =
			 "FILE:LINE of the calls that post the messages, or their MPI function if call"
			 " sites are not known"},
		{"messages", "messages", VALUE_COUNT, .width = 10,
		 .meaning =
			 "Messages whose data waits for a later call of the rank that has posted them"},
		{"bytes", "bytes", VALUE_BYTES, .width = 12},
		{"critical", NULL, VALUE_TRUTH, .meaning = "One of them is on the critical path"},
		{"gain_ns", "T less", VALUE_ATTOSECONDS, .width = 14,
		 .meaning =
			 "T less what it would be if the messages of these calls alone moved while"
			 " ranks compute"},
		{NULL, "of T", VALUE_SHARE, .width = 10},
		{0},
	};
	const struct overlap *overlap = &findings->overlap;

	if (!overlap->messages && report->format != REPORT_SCHEMA && report->format != REPORT_CSV)
		return;
	report_table(
		report,
		&(struct report_table){
			"overlap", .optional = true,
			.meaning =
				"Calls whose messages are deferred (schedgen --progress), largest gain first. The"
				" gain is found for those on the critical path; that of the others is 0",
			.title = "what overlap of messages with computation would bring",
			.caption = "What overlap of messages with computation would bring",
			.fields = fields, .row = overlap_row, .data = overlap,
			.count = overlap->calls.count, .most = PATH_MOST_LINES, .counts_rest = true,
			.lists_all = "--format csv --table overlap"});
}
