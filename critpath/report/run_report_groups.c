#include "critpath/report/run_report_groups.h"

#include "common/table.h"
#include "common/units.h"
#include "critpath/report/run_table.h"

#include <inttypes.h>

struct source {
	const struct findings *findings;
	const struct groups *groups;
	size_t chosen[RUN_MOST_ROWS]; /* groups of the table in text */
};

static uint64_t length_of(const struct compute_interval *interval)
{
	return interval->end_ns - interval->start_ns;
}

static uint64_t run_ns(const struct source *source)
{
	return source->findings->run->end_ns - source->findings->run->begin_ns;
}

/* ------------------------------------------------------------------------ text */

static uint64_t longest_of(const void *data, size_t number)
{
	return length_of(&((const struct groups *)data)->list.items[number].longest);
}

static void group_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct compute_group *group = &source->groups->list.items[source->chosen[number]];
	const struct compute_interval *longest = &group->longest;
	char call[RUN_CALL_BYTES];

	run_report_time(length_of(longest), cells[0]);
	run_report_time(longest->start_ns - source->findings->run->begin_ns, cells[1]);
	run_report_time(group->end_ns - group->start_ns, cells[2]);
	snprintf(cells[3], TABLE_CELL_BYTES, "%" PRIu64, group->intervals);
	snprintf(cells[4], TABLE_CELL_BYTES, "before %s",
		 run_report_call(source->findings->run, longest->rank, longest->call,
				 longest->function, longest->site, call));
}

static void groups_text(FILE *stream, struct source *source)
{
	static const struct table_column columns[] = {
		{"longest", TABLE_RIGHT, 13},
		{"from", TABLE_RIGHT, 13},
		{"group", TABLE_RIGHT, 13},
		{"computations", TABLE_RIGHT, 12},
		{"longest computation", TABLE_LEFT, 0},
	};
	const struct groups *groups = source->groups;
	const size_t rows = run_largest(groups->list.count, longest_of, groups, source->chosen);
	char share[RUN_TEXT_BYTES], time[RUN_TEXT_BYTES];

	run_report_heading(stream, source->findings);
	run_report_blocks(stream, source->findings);
	fprintf(stream, "groups      %zu group%s of %" PRIu64 " computation%s\n",
		groups->list.count, plural(groups->list.count), groups->intervals,
		plural(groups->intervals));
	fprintf(stream, "coverage    %s of T: %s in the longest computation of each group\n",
		run_report_share(groups->longest_ns, run_ns(source), share),
		run_report_time(groups->longest_ns, time));
	if (!groups_are_path(groups, source->findings->run))
		fputs("path        none: the longest computations are less than half of T\n",
		      stream);
	fputc('\n', stream);
	table_print(stream, columns, 5, rows, group_row, source);
}

/* ------------------------------------------------------------------ JSON, CSV */

static void group_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct compute_group *group = &source->groups->list.items[number];
	const struct compute_interval *longest = &group->longest;

	record_integer(record, group->start_ns - run->begin_ns);
	record_integer(record, group->end_ns - run->begin_ns);
	record_integer(record, group->intervals);
	record_integer(record, longest->rank);
	record_integer(record, longest->thread);
	record_integer(record, longest->start_ns - run->begin_ns);
	record_integer(record, longest->end_ns - run->begin_ns);
	if (longest->call == NO_CALL) {
		record_none(record);
		record_none(record);
	} else {
		record_integer(record, longest->call + UINT64_C(1));
		record_text(record, measured_function(&run->names, longest->function));
	}
	if (run->site_count)
		record_text_or_none(record, measured_site_name(run, longest->site));
}

#define GROUP_FIELDS \
	"start_ns,end_ns,computations,rank,thread,longest_start_ns,longest_end_ns,call,function"

static struct run_table table_of(const struct source *source)
{
	return (struct run_table){"groups",
				  source->findings->run->site_count ? GROUP_FIELDS ",site"
								    : GROUP_FIELDS,
				  source->groups->list.count, group_record, source};
}

static void groups_json(FILE *stream, const struct source *source)
{
	const struct run_table table = table_of(source);
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	run_report_json_heading(&json, "critpath-groups-1", source->findings);
	run_report_json_blocks(&json, source->findings);
	json_integer(&json, "computations", source->groups->intervals);
	json_integer(&json, "longest_ns", source->groups->longest_ns);
	json_boolean(&json, "is_path", groups_are_path(source->groups, source->findings->run));
	run_table_json(&json, &table);
	json_end(&json);
}

void run_report_groups(FILE *stream, enum run_format format, const struct findings *findings,
		       const struct groups *groups)
{
	struct source source = {.findings = findings, .groups = groups};
	const struct run_table table = table_of(&source);

	switch (format) {
	case RUN_TEXT:
		groups_text(stream, &source);
		break;
	case RUN_JSON:
		groups_json(stream, &source);
		break;
	case RUN_CSV:
		run_table_csv(stream, findings->path, &table);
		break;
	}
}
