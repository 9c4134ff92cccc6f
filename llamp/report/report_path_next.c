/* Part of llamp path: what becomes critical when the variable grows. */
#include "common/table.h"
#include "common/text.h"
#include "llamp/report/report_critical_calls.h"
#include "llamp/report/report_path.h"

#include <inttypes.h>
#include <stdarg.h>

/* -------------------------------------------------------------------- text */

/* Text that grows in a cell, and is cut at its end. */
struct growing {
	char *cell;
	size_t length;
};

static void __attribute__((format(printf, 2, 3)))
grow(struct growing *text, const char *format, ...)
{
	va_list values;
	int added;

	va_start(values, format);
	added = vsnprintf(text->cell + text->length, TABLE_CELL_BYTES - text->length, format,
			  values);
	va_end(values);
	text->length += (size_t)added;
	if (text->length >= TABLE_CELL_BYTES)
		text->length = TABLE_CELL_BYTES - 1;
}

enum { MOST_CHANGES = 4 };

/* Write the largest changes: "MPI_Allreduce +2, MPI_Recv -1". */
static void grow_changes(struct growing *text, const struct critical_next *next)
{
	for (size_t i = 0; i < next->changes.count && i < MOST_CHANGES; i++) {
		const struct critical_change *change = &next->changes.items[i];
		char name[REPORT_CALL_BYTES];

		report_function_text(change->function, change->before, name);
		if (!next->has_calls)
			snprintf(name, sizeof name, "%" PRIu32 " to %" PRIu32, change->from,
				 change->to);
		grow(text, "%s%s %+lld", i ? ", " : "", name,
		     (long long)(change->there - change->now));
	}
	if (next->changes.count > MOST_CHANGES)
		grow(text, ", ...");
}

static struct report_call call_of(const struct critical_call *call, bool timed)
{
	return (struct report_call){
		.site = call->site,
		.function = call->function, .before = call->before, .timed = timed, .number = call->number, .rank = call->rank,
		.time_ns = call->time_ns,
	};
}

/* Write the calls: "3 join: MPI_Allreduce, call 6 of rank 0, ...; 2 leave". */
static void grow_calls(struct growing *text, const struct critical_next *next, bool timed)
{
	const char *separator = text->length ? "; " : "";

	if (next->joining.count) {
		const struct report_call call = call_of(&next->joining.items[0], timed);
		char name[REPORT_CALL_BYTES];

		report_call_text(&call, name);
		grow(text, "%s%zu call%s join%s: %s%s", separator, next->joining.count,
		     plural(next->joining.count), next->joining.count == 1 ? "s" : "", name,
		     next->joining.count > 1 ? ", ..." : "");
		separator = "; ";
	}
	if (next->leaving)
		grow(text, "%s%" PRIu64 " leave%s", separator, next->leaving,
		     next->leaving == 1 ? "s" : "");
}

void report_next(const struct critical_next *next, bool timed, char cells[][TABLE_CELL_BYTES])
{
	struct growing text = {.cell = cells[2]};

	report_time(rational_in_ns(next->latency_as), cells[0]);
	report_number((double)next->lambda, cells[1]);
	grow_changes(&text, next);
	grow_calls(&text, next, timed);
}

static void next_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct findings *findings = data;

	report_next(&findings->nexts.list.items[number], findings->calls.timed, cells);
}

void report_text_next(FILE *stream, const struct findings *findings)
{
	static const struct table_column columns[] = {
		{"critical L", TABLE_RIGHT, 0}, {"lambda_L", TABLE_RIGHT, 0},
		{"change of the path", TABLE_LEFT, 0},
	};
	char number[UNIT_TEXT_BYTES];

	putc('\n', stream);
	if (findings->nexts.list.count)
		table_print(stream, columns, 3, findings->nexts.list.count, next_row, findings);
	else if (!findings->nexts.limited)
		fprintf(stream, "critical L  none above: lambda_L stays %s\n",
			report_number((double)findings->path.lambda, number));
	if (findings->nexts.limited)
		fprintf(stream, "critical L  %s up to %s, beyond which the order of service may change\n",
			findings->nexts.list.count ? "no other" : "none",
			report_time(rational_in_ns(rational_from(findings->nexts.limit_as)),
				    number));
}

/* -------------------------------------------------------------------- JSON */

static void json_changes(struct json *json, const struct critical_next *next)
{
	json_begin(json, next->has_calls ? "functions" : "rank_pairs", '[', JSON_LINES);
	for (size_t i = 0; i < next->changes.count; i++) {
		const struct critical_change *change = &next->changes.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		if (!next->has_calls) {
			json_integer(json, "from", change->from);
			json_integer(json, "to", change->to);
		} else if (change->function) {
			json_text(json, "function", change->function);
		} else {
			json_null(json, "function");
		}
		json_integer(json, "lambda_L", change->there);
		json_integer(json, "lambda_L_before", change->now);
		json_end(json);
	}
	json_end(json);
}

static void json_joining(struct json *json, const struct findings *findings,
			 const struct critical_next *next)
{
	json_begin(json, "joining", '[', JSON_LINES);
	for (size_t i = 0; i < next->joining.count; i++) {
		const struct critical_call *call = &next->joining.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		json_integer(json, "rank", call->rank);
		if (call->function) {
			json_text(json, "function", call->function);
			json_text(json, "place", report_place(call->before));
			json_integer(json, "call", call->number);
			if (findings->calls.timed)
				json_attoseconds(json, "call_time_ns",
						 (int128)call->time_ns * AS_PER_NS);
		}
		json_attoseconds(json, "time_ns", call->all_as);
		json_integer(json, "lambda_L", call->lambda);
		json_end(json);
	}
	json_end(json);
	json_integer(json, "leaving", next->leaving);
}

void report_json_next(struct json *json, const struct findings *findings)
{
	if (findings->nexts.limited)
		json_attoseconds(json, "next_up_to_ns", findings->nexts.limit_as);
	else
		json_null(json, "next_up_to_ns");
	json_begin(json, "next", '[', JSON_LINES);
	for (size_t i = 0; i < findings->nexts.list.count; i++) {
		const struct critical_next *next = &findings->nexts.list.items[i];

		json_begin(json, NULL, '{', JSON_LINES);
		json_number(json, "L_ns", rational_in_ns(next->latency_as));
		json_attoseconds(json, "runtime_ns", next->runtime_as);
		json_number(json, "lambda_L", (double)next->lambda);
		json_changes(json, next);
		if (next->has_calls)
			json_joining(json, findings, next);
		json_end(json);
	}
	json_end(json);
}

/* --------------------------------------------------------------------- CSV */

static void csv_next_row(FILE *stream, const struct findings *findings,
			 const struct critical_next *next, const struct critical_call *call)
{
	char number[NUMBER_TEXT_BYTES];

	report_csv_model(stream, findings->model, ENGINE_PATH, VARIABLE_L, NULL);
	fprintf(stream, ",%s,%lld,%" PRIu32 ",",
		number_text(rational_in_ns(next->latency_as), number), (long long)next->lambda,
		call->rank);
	if (call->function) {
		text_print_csv(stream, call->function);
		fprintf(stream, ",%s,%" PRIu64 ",", report_place(call->before), call->number);
		if (findings->calls.timed)
			fprintf(stream, "%" PRId64, call->time_ns);
	} else {
		fputs(",,,", stream);
	}
	fprintf(stream, ",%" PRIu64 ",%s\n", call->lambda,
		attoseconds_text(call->all_as, number));
}

int report_csv_next(FILE *stream, const struct findings *findings, struct error *err)
{
	if (!findings->has_calls)
		return error_set(err, STATUS_LIMIT,
				 "the calls of %s are not known, as it has no side file",
				 findings->model->path);
	report_csv_model_columns(stream, &findings->model->loggps.variables);
	fputs(",critical_L_ns,critical_lambda_L,rank,function,place,call,call_time_ns,lambda_L,"
	      "time_ns\n",
	      stream);
	for (size_t i = 0; i < findings->nexts.list.count; i++) {
		const struct critical_next *next = &findings->nexts.list.items[i];

		for (size_t k = 0; k < next->joining.count; k++)
			csv_next_row(stream, findings, next, &next->joining.items[k]);
	}
	return 0;
}
