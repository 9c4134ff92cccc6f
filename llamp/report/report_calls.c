#include "llamp/report/report_calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *place(bool before)
{
	return before ? "before" : "in";
}

/* ---------------------------------------------------------- JSON and CSV */

void report_json_call(struct json *json, const struct critical_calls *calls, size_t segment)
{
	const struct critical_call *call = &calls->calls.items[calls->of[segment]];

	if (!call->function)
		return;
	json_text(json, "function", call->function);
	json_text(json, "place", place(call->before));
	json_integer(json, "call", call->number);
	if (calls->timed)
		json_attoseconds(json, "call_time_ns", (int128)call->time_ns * AS_PER_NS);
}

void report_json_functions(struct json *json, const struct critical_calls *calls)
{
	json_begin(json, "functions", '[', JSON_LINES);
	for (size_t i = 0; i < calls->functions.count; i++) {
		const struct critical_function *function = &calls->functions.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		if (function->function)
			json_text(json, "function", function->function);
		else
			json_null(json, "function");
		json_text(json, "place", place(function->before));
		json_integer(json, "calls", function->call_count);
		json_attoseconds(json, "time_ns", function->all_as);
		for (int category = 0; category < PATH_CATEGORY_COUNT; category++) {
			char name[32];

			snprintf(name, sizeof name, "%s_ns",
				 path_category_name((enum path_category)category));
			json_attoseconds(json, name, function->as[category]);
		}
		json_end(json);
	}
	json_end(json);
}

const char report_csv_call_columns[] = ",function,place,call,call_time_ns";

void report_csv_call(FILE *stream, const struct critical_calls *calls, size_t segment)
{
	const struct critical_call *call = &calls->calls.items[calls->of[segment]];

	putc(',', stream);
	if (!call->function) {
		fputs(",,,", stream);
		return;
	}
	report_csv_text(stream, call->function);
	fprintf(stream, ",%s,%" PRIu64 ",", place(call->before), call->number);
	if (calls->timed)
		fprintf(stream, "%" PRId64, call->time_ns);
}

/* -------------------------------------------------------------------- text */

/* "before MPI_Send" */
static const char *name_of(const char *function, bool before, char text[static 64])
{
	snprintf(text, 64, "%s%s", before ? "before " : "", function ? function : "(no call)");
	return text;
}

static void print_functions(FILE *stream, const struct critical_calls *calls, int128 runtime_as,
			    size_t most)
{
	size_t i;

	fprintf(stream, "\n%-28s%12s%12s%16s%10s\n", "function", "time", "share", "latency",
		"calls");
	for (i = 0; i < calls->functions.count && i < most; i++) {
		const struct critical_function *function = &calls->functions.items[i];
		char name[64], time[UNIT_TEXT_BYTES], latency[UNIT_TEXT_BYTES];

		fprintf(stream, "%-24s%16s%10.2f %%%16s%10" PRIu64 "\n",
			name_of(function->function, function->before, name),
			report_time(report_ns(function->all_as), time),
			runtime_as > 0 ? 100 * (double)function->all_as / (double)runtime_as : 0,
			report_time(report_ns(function->as[PATH_LATENCY]), latency),
			function->call_count);
	}
	if (i < calls->functions.count)
		fprintf(stream, "and %zu more\n", calls->functions.count - i);
}

static int by_time(const void *a, const void *b)
{
	const struct critical_call *x = *(const struct critical_call *const *)a;
	const struct critical_call *y = *(const struct critical_call *const *)b;

	if (x->all_as != y->all_as)
		return x->all_as < y->all_as ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void print_call(FILE *stream, const struct critical_calls *calls,
		       const struct critical_call *call)
{
	char name[64], time[UNIT_TEXT_BYTES], latency[UNIT_TEXT_BYTES], when[UNIT_TEXT_BYTES];

	fprintf(stream, "%16s%16s  %s", report_time(report_ns(call->all_as), time),
		report_time(report_ns(call->as[PATH_LATENCY]), latency),
		name_of(call->function, call->before, name));
	if (call->function)
		fprintf(stream, ", call %" PRIu64, call->number);
	fprintf(stream, " of rank %" PRIu32, call->rank);
	if (call->function && calls->timed)
		fprintf(stream, ", at %s", report_time((double)call->time_ns, when));
	putc('\n', stream);
}

int report_text_calls(FILE *stream, const struct critical_calls *calls, int128 runtime_as,
		      size_t most, struct error *err)
{
	const struct critical_call **sorted;
	const size_t count = calls->calls.count;

	print_functions(stream, calls, runtime_as, most);
	TRY(allocate(&sorted, count, sizeof *sorted, err));
	for (size_t i = 0; i < count; i++)
		sorted[i] = &calls->calls.items[i];
	qsort(sorted, count, sizeof *sorted, by_time);
	fprintf(stream, "\ncalls with most time\n%16s%16s  %s\n", "time", "latency", "call");
	for (size_t i = 0; i < count && i < most; i++)
		print_call(stream, calls, sorted[i]);
	if (count > most)
		fprintf(stream, "and %zu more; --format csv lists all\n", count - most);
	free(sorted);
	return 0;
}
