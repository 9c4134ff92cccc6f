#include "llamp/report/report_critical_calls.h"

#include "common/table.h"
#include "common/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *report_place(bool before)
{
	return before ? "before" : "in";
}

/* -------------------------------------------------------------------- JSON */

void report_put_call(struct report_row *row, const struct critical_calls *calls, size_t segment)
{
	const struct critical_call *call = calls ? &calls->calls.items[calls->of[segment]] : NULL;

	if (!call || !call->function) {
		for (int i = 0; i < CALL_FIELD_COUNT; i++)
			put_missing(row);
		return;
	}
	put_name(row, call->function);
	put_name(row, report_place(call->before));
	put_count(row, call->number);
	if (calls->timed)
		put_attoseconds(row, (int128)call->time_ns * AS_PER_NS);
	else
		put_missing(row);
	if (call->site)
		put_name(row, call->site);
	else
		put_missing(row);
}

static void json_functions(struct json *json, const char *list, const char *key,
			   const struct critical_functions *functions)
{
	json_begin(json, list, '[', JSON_LINES);
	for (size_t i = 0; i < functions->list.count; i++) {
		const struct critical_function *function = &functions->list.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		if (function->function)
			json_text(json, key, function->function);
		else
			json_null(json, key);
		json_text(json, "place", report_place(function->before));
		json_integer(json, "calls", function->call_count);
		json_integer(json, "lambda_L", function->lambda);
		json_integer(json, "lambda_G", function->lambda_G);
		json_attoseconds(json, "time_ns", function->all_as);
		for (int category = 0; category < CATEGORY_COUNT; category++) {
			char name[32];

			snprintf(name, sizeof name, "%s_ns",
				 category_name((enum category)category));
			json_attoseconds(json, name, function->as[category]);
		}
		json_end(json);
	}
	json_end(json);
}

void report_json_functions(struct json *json, const struct critical_calls *calls)
{
	json_functions(json, "functions", "function", &calls->functions);
	if (calls->lines)
		json_functions(json, "sites", "site", &calls->sites);
}

/* -------------------------------------------------------------------- text */

const char *report_function_text(const char *function, bool before,
				 char text[static REPORT_CALL_BYTES])
{
	snprintf(text, REPORT_CALL_BYTES, "%s%s", before ? "before " : "",
		 function ? function : "(no call)");
	return text;
}

const char *report_call_text(const struct report_call *call, char text[static REPORT_CALL_BYTES])
{
	char name[REPORT_CALL_BYTES], at[64] = "", when[UNIT_TEXT_BYTES], numbered[32] = "";
	const char *site = call->site ? call_site_short(call->site) : "";

	report_function_text(call->function, call->before, name);
	if (call->function)
		snprintf(numbered, sizeof numbered, ", call %" PRIu64, call->number);
	if (call->function && call->timed)
		snprintf(at, sizeof at, ", at %s", report_time((double)call->time_ns, when));
	snprintf(text, REPORT_CALL_BYTES, "%.200s%s of rank %" PRIu32 "%s%s%.100s", name, numbered,
		 call->rank, at, *site ? ", " : "", site);
	return text;
}

struct functions {
	const struct critical_functions *list;
	bool sites;
	int128 runtime_as;
};

static void report_critical_calls_function_row(const void *data, size_t number,
					       char cells[][TABLE_CELL_BYTES])
{
	const struct functions *all = data;
	const struct critical_function *function = &all->list->list.items[number];
	const char *name = all->sites ? call_site_short(function->function) : function->function;

	report_function_text(name, function->before, cells[0]);
	report_time(report_ns(function->all_as), cells[1]);
	report_share(function->all_as, all->runtime_as, cells[2]);
	report_time(report_ns(function->as[CATEGORY_LATENCY]), cells[3]);
	snprintf(cells[4], TABLE_CELL_BYTES, "%" PRIu64, function->lambda);
	snprintf(cells[5], TABLE_CELL_BYTES, "%" PRIu64, function->call_count);
}

static void print_functions(FILE *stream, const struct functions *all, size_t most)
{
	const struct table_column columns[] = {
		{all->sites ? "call site" : "function", TABLE_LEFT, 20}, {"time", TABLE_RIGHT, 13}, {"share", TABLE_RIGHT, 8},
		{"latency", TABLE_RIGHT, 13}, {"lambda_L", TABLE_RIGHT, 8},
		{"calls", TABLE_RIGHT, 6},
	};
	const size_t count = all->list->list.count;

	putc('\n', stream);
	table_print(stream, columns, 6, count < most ? count : most,
		    report_critical_calls_function_row, all);
	if (count > most)
		fprintf(stream, "and %zu more\n", count - most);
}

static int calls_by_time(const void *a, const void *b)
{
	const struct critical_call *x = *(const struct critical_call *const *)a;
	const struct critical_call *y = *(const struct critical_call *const *)b;

	if (x->all_as != y->all_as)
		return x->all_as < y->all_as ? 1 : -1;
	return x < y ? -1 : x > y;
}

struct sorted_calls {
	bool timed;
	const struct critical_call **items;
};

static void call_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct sorted_calls *sorted = data;
	const struct critical_call *call = sorted->items[number];
	const struct report_call named = {
		.function = call->function, .site = call->site, .before = call->before,
		.timed = sorted->timed,
		.number = call->number, .rank = call->rank, .time_ns = call->time_ns,
	};

	report_time(report_ns(call->all_as), cells[0]);
	report_time(report_ns(call->as[CATEGORY_LATENCY]), cells[1]);
	report_call_text(&named, cells[2]);
}

int report_text_calls(FILE *stream, const struct critical_calls *calls, int128 runtime_as,
		      size_t most, struct error *err)
{
	static const struct table_column columns[] = {
		{"time", TABLE_RIGHT, 0}, {"latency", TABLE_RIGHT, 0}, {"call", TABLE_LEFT, 0},
	};
	struct sorted_calls sorted = {.timed = calls->timed};
	const size_t count = calls->calls.count;

	print_functions(stream, &(struct functions){&calls->functions, false, runtime_as}, most);
	if (calls->lines)
		print_functions(stream, &(struct functions){&calls->sites, true, runtime_as}, most);
	TRY(allocate(&sorted.items, count, sizeof *sorted.items, err));
	for (size_t i = 0; i < count; i++)
		sorted.items[i] = &calls->calls.items[i];
	qsort(sorted.items, count, sizeof *sorted.items, calls_by_time);
	fprintf(stream, "\ncalls with most time\n");
	table_print(stream, columns, 3, count < most ? count : most, call_row, &sorted);
	if (count > most)
		fprintf(stream, "and %zu more; --format csv lists all\n", count - most);
	free(sorted.items);
	return 0;
}
