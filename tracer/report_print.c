#include "tracer/report_print.h"

#include "critpath/report/study_reports.h"
#include "common/machine/now.h"
#include "trace/journal/settings.h"
#include "tracer/report_gather.h"
#include "tracer/report_sites.h"
#include "tracer/tracer.h"

/* Run that all processes of `dist` analyse together. */
struct printing {
	FILE *stream; /* NULL on other ranks than 0 */
	const char *name;
	struct dist *dist;
};

static bool is_wanted(enum trace_report report)
{
	return tracer.reports & 1U << report;
}

/* Begin a report with an empty line if another one is before it. */
static struct report separate(FILE *stream, enum trace_report report)
{
	if (stream && tracer.reports & ((1U << report) - 1))
		fputc('\n', stream);
	return (struct report){.stream = stream};
}

static int print_wanted(const struct printing *printing, struct study *study, struct error *err)
{
	struct report report = {.stream = printing->stream};

	if (is_wanted(REPORT_PATH))
		TRY(study_write_path(study, &report, err));
	if (is_wanted(REPORT_WAITS)) {
		report = separate(printing->stream, REPORT_WAITS);
		TRY(study_write_waits(study, &report, WAITS_BY_CALL, PATTERN_ANY, err));
	}
	if (is_wanted(REPORT_CAUSES)) {
		report = separate(printing->stream, REPORT_CAUSES);
		TRY(study_write_causes(study, &report, &(struct wait_causes_options){0}, 0, err));
	}
	if (is_wanted(REPORT_IMBALANCE)) {
		report = separate(printing->stream, REPORT_IMBALANCE);
		TRY(study_write_imbalance(study, &report, IMBALANCE_RANKS, err));
	}
	return 0;
}

/* Find and print all of a run that is not matched yet. */
static int study_run(const struct printing *printing, struct measured_run *run, struct error *err)
{
	struct study study;
	int result = study_match(&study, printing->name, run, printing->dist, err);

	if (result == 0)
		result = print_wanted(printing, &study, err);
	study_close(&study);
	return result;
}

/* -------------------------------------------------------------------------- all */

/* Rank 0 does all: the fastest way if there are few ranks or calls. */
static int find_alone(const struct printing *printing, struct measured_run *run, struct error *err)
{
	const struct printing alone = {.stream = printing->stream,
				       .name = printing->name,
				       .dist = dist_alone()};
	struct measured_run all;
	int result = 0;

	TRY(report_gather(&all, run, printing->dist, err));
	if (printing->stream)
		result = study_run(&alone, &all, err);
	run->begin_ns = all.begin_ns;
	run->end_ns = all.end_ns;
	measured_run_release(&all);
	/* What is found is printed, even if it took a little longer. */
	printing->dist->deadline_ns = 0;
	return dist_agree(printing->dist, result, err);
}

/* Texts of the reports. */
struct text {
	char *bytes;
	size_t count;
};

static int open_text(struct printing *printing, struct text *text, struct error *err)
{
	if (printing->dist->rank != 0)
		return 0;
	printing->stream = open_memstream(&text->bytes, &text->count);
	return printing->stream ? 0 : error_set_errno(err, "the report");
}

static int close_text(struct printing *printing, struct error *err)
{
	FILE *stream = printing->stream;

	printing->stream = NULL;
	return !stream || fclose(stream) == 0 ? 0 : error_set_errno(err, "the report");
}

static int choose_and_print(const struct printing *printing, struct measured_run *run,
			    struct error *err)
{
	bool rank_0_alone;

	TRY(report_choose(run, printing->dist, &rank_0_alone, err));
	return rank_0_alone ? find_alone(printing, run, err) : study_run(printing, run, err);
}

/* Name call sites, in half of the time that is left, and print all. */
static int name_and_print(const struct printing *printing, struct measured_run *run,
			  struct error *err)
{
	const uint64_t deadline_ns = printing->dist->deadline_ns, ns = now_ns();
	struct site_names names = {.until_ns = deadline_ns > ns ? ns + (deadline_ns - ns) / 2 : ns};
	struct run_sites sites;
	int result = run_sites_find(&sites, run, printing->dist, site_names_find, &names, err);

	if (result == 0)
		result = choose_and_print(printing, run, err);
	run_sites_release(&sites);
	site_names_release(&names);
	return result;
}

int report_print(struct measured_run *run, const char *name, struct dist *dist, struct error *err)
{
	struct printing printing = {.name = name, .dist = dist};
	struct text text = {0};
	struct error at_end;
	int result = dist_agree(dist, open_text(&printing, &text, err), err);

	if (result == 0)
		result = name_and_print(&printing, run, err);
	if (close_text(&printing, &at_end) < 0 && result == 0) {
		*err = at_end;
		result = -1;
	}
	if (result == 0 && text.bytes)
		fwrite(text.bytes, 1, text.count, stderr);
	free(text.bytes);
	return result;
}
