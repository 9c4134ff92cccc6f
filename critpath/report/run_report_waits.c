#include "critpath/report/run_report_waits.h"

#include "common/table.h"
#include "common/text.h"
#include "common/units.h"
#include "critpath/report/run_table.h"

#include <inttypes.h>

/* What the rows of a table are made of. */
struct source {
	const struct findings *findings;
	const struct wait_findings *waits;
	size_t chosen[RUN_MOST_ROWS]; /* the longest waits */
};

static const struct wait_item *item_at(const struct source *source, size_t number)
{
	return &source->waits->items->list.items[number];
}

static uint64_t value_of(const void *data, size_t number)
{
	const struct source *source = data;

	return wait_item_ns(item_at(source, number), source->waits->pattern);
}

/* ------------------------------------------------------------------------ text */

static void sum_cells(const struct wait_sum *sum, uint64_t whole_ns, char cells[][TABLE_CELL_BYTES])
{
	snprintf(cells[0], TABLE_CELL_BYTES, "%" PRIu64, sum->waits);
	run_report_short_time(sum->ns, cells[1]);
	run_report_share(sum->ns, whole_ns, cells[2]);
	run_report_short_time(sum->most_ns, cells[3]);
}

static void pattern_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	static const char *const names[PATTERNS] = {
		[PATTERN_LATE_SENDER] = "for a late sender",
		[PATTERN_WRONG_ORDER] = "- in the wrong order",
		[PATTERN_LATE_RECEIVER] = "for a late receiver",
		[PATTERN_BARRIER] = "at barriers",
		[PATTERN_COLLECTIVE] = "in other collectives",
		[PATTERN_ROOT] = "for the root",
	};
	static const enum wait_pattern order[PATTERNS] = {
		PATTERN_LATE_SENDER, PATTERN_WRONG_ORDER, PATTERN_LATE_RECEIVER,
		PATTERN_BARRIER,     PATTERN_COLLECTIVE,  PATTERN_ROOT};
	const struct wait_groups *groups = ((const struct source *)data)->waits->groups;
	uint64_t sum_ns = 0;

	for (int i = 0; i < PATTERN_WRONG_ORDER; i++)
		sum_ns += groups->patterns[i].ns;
	snprintf(cells[0], TABLE_CELL_BYTES, "%s", names[order[number]]);
	sum_cells(&groups->patterns[order[number]], sum_ns, &cells[1]);
}

static void print_patterns(FILE *stream, const struct source *source)
{
	static const struct table_column columns[] = {
		{"waits", TABLE_LEFT, 20}, {"number", TABLE_RIGHT, 8},	{"time", TABLE_RIGHT, 9},
		{"share", TABLE_RIGHT, 8}, {"longest", TABLE_RIGHT, 9},
	};

	fputc('\n', stream);
	table_print(stream, columns, 5, PATTERNS, pattern_row, source);
}

static void name_group(const struct source *source, const struct wait_group *group, char *name)
{
	const struct measured_run *run = source->findings->run;
	char comm[MEASURED_COMM_BYTES];

	switch (source->waits->by) {
	case WAITS_BY_FUNCTION:
		text_show(measured_function(&run->names, group->number), name, TABLE_CELL_BYTES);
		break;
	case WAITS_BY_COMM:
		text_show(measured_comm_name(run, group->number, comm), name, TABLE_CELL_BYTES);
		break;
	case WAITS_BY_CHANNEL:
		snprintf(name, TABLE_CELL_BYTES, "%u to %u, tag %u, %s", group->sender,
			 group->receiver, group->tag, measured_comm_name(run, group->comm, comm));
		break;
	case WAITS_BY_ITERATION:
		snprintf(name, TABLE_CELL_BYTES, "%u", group->number + 1);
		break;
	case WAITS_BY_SITE:
		text_show(run_site_short(run, group->number), name, TABLE_CELL_BYTES);
		break;
	default:
		snprintf(name, TABLE_CELL_BYTES, "%u", group->number);
	}
}

static void group_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct wait_groups *groups = source->waits->groups;
	const struct wait_group *group = &groups->groups.items[source->chosen[number]];

	name_group(source, group, cells[0]);
	sum_cells(&group->sum, groups->all.ns, &cells[1]);
	snprintf(cells[5], TABLE_CELL_BYTES, "%u", group->cause);
	run_report_share(group->cause_ns, group->sum.ns, cells[6]);
}

static uint64_t group_ns(const void *data, size_t number)
{
	return ((const struct wait_groups *)data)->groups.items[number].sum.ns;
}

static void print_groups(FILE *stream, struct source *source)
{
	const struct table_column columns[] = {
		{wait_grouping_names[source->waits->by], TABLE_LEFT, 9},
		{"waits", TABLE_RIGHT, 7},
		{"time", TABLE_RIGHT, 9},
		{"share", TABLE_RIGHT, 8},
		{"longest", TABLE_RIGHT, 9},
		{"cause", TABLE_RIGHT, 5},
		{"of it", TABLE_RIGHT, 8},
	};
	const struct wait_groups *groups = source->waits->groups;
	const size_t count = run_largest(groups->groups.count, group_ns, groups, source->chosen);
	const bool channels = source->waits->by == WAITS_BY_CHANNEL;

	/* The other end is the only cause of waits of a channel. */
	fputs(channels ? "\n" : "\nwaits, and the rank that caused most of their time\n", stream);
	table_print(stream, columns, channels ? 5 : 7, count, group_row, source);
	if (groups->groups.count > count)
		fprintf(stream, "... and %zu more\n", groups->groups.count - count);
}

static void print_outside(FILE *stream, const struct source *source)
{
	const struct wait_groups *groups = source->waits->groups;
	char time[RUN_TEXT_BYTES];

	if (source->waits->by == WAITS_BY_ITERATION)
		fprintf(stream, "iterations of a rank: %u to %u\n", groups->least_iterations,
			groups->most_iterations);
	if (groups->outside.waits)
		fprintf(stream, "in no %s: %" PRIu64 " wait%s, %s\n",
			wait_grouping_names[source->waits->by], groups->outside.waits,
			plural(groups->outside.waits),
			run_report_short_time(groups->outside.ns, time));
}

static void longest_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct wait_item *item = item_at(source, source->chosen[number]);
	char call[RUN_CALL_BYTES];

	run_report_short_time(wait_item_ns(item, source->waits->pattern), cells[0]);
	text_show(run_report_call(source->findings->run, item->rank, item->call, item->function,
				  item->site, call),
		  cells[1], TABLE_CELL_BYTES);
	text_show(run_report_call(source->findings->run, item->cause_rank, item->cause_call,
				  item->cause_function, item->cause_site, call),
		  cells[2], TABLE_CELL_BYTES);
}

static void print_longest(FILE *stream, struct source *source)
{
	static const struct table_column columns[] = {
		{"wait", TABLE_RIGHT, 9},
		{"of", TABLE_LEFT, 20},
		{"for", TABLE_LEFT, 20},
	};
	const size_t count = run_largest(source->waits->items->list.count, value_of, source,
					 source->chosen);

	fputs("\nlongest waits, and the calls that caused them\n", stream);
	table_print(stream, columns, 3, count, longest_row, source);
}

static void waits_text(FILE *stream, struct source *source)
{
	const struct wait_groups *groups = source->waits->groups;
	char time[RUN_TEXT_BYTES];

	run_report_heading(stream, source->findings);
	fprintf(stream, "waits       %" PRIu64 " call%s, %s of all ranks", groups->all.waits,
		plural(groups->all.waits), run_report_time(groups->all.ns, time));
	if (source->waits->pattern != PATTERN_ANY)
		fprintf(stream, " (%s)", wait_pattern_names[source->waits->pattern]);
	fputc('\n', stream);
	print_patterns(stream, source);
	if (groups->groups.count)
		print_groups(stream, source);
	print_outside(stream, source);
	if (groups->all.waits)
		print_longest(stream, source);
}

/* ------------------------------------------------------------------ JSON, CSV */

static void record_sum(struct run_record *record, const struct wait_sum *sum)
{
	record_integer(record, sum->waits);
	record_integer(record, sum->ns);
	record_integer(record, sum->most_ns);
}

static void pattern_record(struct run_record *record, const void *data, size_t number)
{
	const struct wait_groups *groups = ((const struct source *)data)->waits->groups;

	record_text(record, wait_pattern_names[number]);
	record_sum(record, &groups->patterns[number]);
}

static uint64_t since_begin(const struct source *source, uint64_t ns)
{
	return ns > source->findings->run->begin_ns ? ns - source->findings->run->begin_ns : 0;
}

static void call_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct wait_item *item = share_rows_next(source->waits->rows);
	char comm[MEASURED_COMM_BYTES];

	(void)number;
	record_integer(record, item->rank);
	record_integer(record, item->thread);
	record_integer(record, item->call + 1);
	record_text(record, measured_function(&run->names, item->function));
	record_text(record, measured_comm_name(run, item->comm, comm));
	record_integer(record, since_begin(source, item->enter_ns));
	record_integer(record, since_begin(source, item->leave_ns));
	record_text(record, wait_pattern_names[item->pattern]);
	record_integer(record, item->ns);
	record_integer(record, item->wrong_order_ns);
	record_integer(record, item->cause_rank);
	record_integer(record, item->cause_call + 1);
	record_text(record, measured_function(&run->names, item->cause_function));
	if (run->site_count) {
		record_text_or_none(record, measured_site_name(run, item->site));
		record_text_or_none(record, measured_site_name(run, item->cause_site));
	}
}

static void group_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct wait_group *group = &source->waits->groups->groups.items[number];
	char comm[MEASURED_COMM_BYTES];

	switch (source->waits->by) {
	case WAITS_BY_FUNCTION:
		record_text(record, measured_function(&run->names, group->number));
		break;
	case WAITS_BY_COMM:
		record_text(record, measured_comm_name(run, group->number, comm));
		break;
	case WAITS_BY_CHANNEL:
		record_integer(record, group->sender);
		record_integer(record, group->receiver);
		record_text(record, measured_comm_name(run, group->comm, comm));
		record_integer(record, group->tag);
		break;
	case WAITS_BY_ITERATION:
		record_integer(record, group->number + 1);
		break;
	case WAITS_BY_SITE:
		record_text(record, run->site_names[group->number]);
		break;
	default:
		record_integer(record, group->number);
	}
	record_sum(record, &group->sum);
	record_integer(record, group->cause);
	record_integer(record, group->cause_ns);
}

#define SUM_FIELDS "waits,time_ns,most_ns"
#define GROUP_FIELDS SUM_FIELDS ",cause_rank,cause_ns"
#define CALL_FIELDS                                                                              \
	"rank,thread,call,function,comm,start_ns,end_ns,pattern,wait_ns,wrong_order_ns,cause_rank," \
	"cause_call,cause_function"

static struct run_table table_of(const struct source *source)
{
	static const char *const fields[WAIT_GROUPINGS] = {
		[WAITS_BY_CALL] = CALL_FIELDS,
		[WAITS_BY_FUNCTION] = "function," GROUP_FIELDS,
		[WAITS_BY_COMM] = "comm," GROUP_FIELDS,
		[WAITS_BY_RANK] = "rank," GROUP_FIELDS,
		[WAITS_BY_CHANNEL] = "sender,receiver,comm,tag," GROUP_FIELDS,
		[WAITS_BY_ITERATION] = "iteration," GROUP_FIELDS,
		[WAITS_BY_SITE] = "site," GROUP_FIELDS,
	};
	const bool calls = source->waits->by == WAITS_BY_CALL;
	const bool sites = calls && source->findings->run->site_count;

	return (struct run_table){"rows", sites ? CALL_FIELDS ",site,cause_site" : fields[source->waits->by],
				  calls ? source->waits->rows->total
					: source->waits->groups->groups.count,
				  calls ? call_record : group_record, source};
}

static void waits_json(FILE *stream, const struct source *source)
{
	const struct run_table patterns = {"patterns", "pattern," SUM_FIELDS, PATTERNS,
					   pattern_record, source};
	const struct run_table rows = table_of(source);
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	run_report_json_heading(&json, "critpath-waits-1", source->findings);
	run_table_json(&json, &patterns);
	json_text(&json, "by", wait_grouping_names[source->waits->by]);
	json_text(&json, "pattern", wait_pattern_names[source->waits->pattern]);
	json_integer(&json, "waits", source->waits->groups->all.waits);
	json_integer(&json, "wait_ns", source->waits->groups->all.ns);
	json_integer(&json, "outside_ns", source->waits->groups->outside.ns);
	run_table_json(&json, &rows);
	json_end(&json);
}

void run_report_waits(FILE *stream, enum run_format format, const struct findings *findings,
		      const struct wait_findings *waits)
{
	struct source source = {.findings = findings, .waits = waits};
	struct run_table rows;

	switch (format) {
	case RUN_TEXT:
		waits_text(stream, &source);
		break;
	case RUN_JSON:
		waits_json(stream, &source);
		break;
	case RUN_CSV:
		rows = table_of(&source);
		run_table_csv(stream, findings->path, &rows);
		break;
	}
}
