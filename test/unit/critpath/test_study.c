/* Tests of studies of a run: what is found when, slices, errors, and their reports. */
#include "critpath/report/study_reports.h"
#include "test/unit/lib/check/dist_play.h"
#include "test/unit/lib/check/dist_check.h"
#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/must.h"

enum { RANKS = 5, PROCESSES = 3, STEPS = 20 };

/* Make a run in which a message and a barrier are waited for in each step; it is not matched. */
static void make_steps(struct made_run *made)
{
	struct error err;

	made_begin(made, RANKS);
	for (uint32_t step = 0; step < STEPS; step++)
		for (uint32_t r = 0; r < RANKS; r++) {
			const uint64_t at_ns = 100 * step;
			const uint64_t late_ns = at_ns + 10 + 7 * ((r + step) % RANKS);

			if (r == 0)
				made_call(made, 0, "MPI_Send", at_ns + 30, at_ns + 35,
					  SEND(0, 1, 5, 8));
			if (r == 1)
				made_call(made, 1, "MPI_Recv", at_ns + 5, at_ns + 40,
					  RECV(0, 0, 5, 8));
			made_call(made, r, "MPI_Barrier", late_ns + 40, at_ns + 90,
				  COLLECTIVE(COLL_BARRIER, 0));
		}
	for (uint32_t r = 0; r < RANKS; r++)
		MUST(measured_reading_end(&made->readings[r], &err));
}

static void what_is_asked_for_is_found_once(void **state)
{
	struct made_run made;
	struct study study;
	struct error err;
	const void *waits, *segments, *totals;

	(void)state;
	make_steps(&made);
	MUST(study_match(&study, "steps", &made.run, dist_alone(), &err));
	assert_null(study.found.waits);
	MUST(study_waits(&study, &err));
	waits = study.waits.of;
	assert_non_null(waits);
	assert_null(study.found.walk);
	MUST(study_walk(&study, &err));
	segments = study.found.walk->segments.items;
	assert_null(study.found.totals);
	MUST(study_totals(&study, &err));
	totals = study.found.totals->ranks;
	MUST(study_totals(&study, &err));
	MUST(study_walk(&study, &err));
	MUST(study_waits(&study, &err));
	assert_ptr_equal(study.waits.of, waits);
	assert_ptr_equal(study.found.walk->segments.items, segments);
	assert_ptr_equal(study.found.totals->ranks, totals);
	made_check(study.found.run, study.found.waits, study.found.walk, study.found.totals);
	study_close(&study);
	made_release(&made);
}

static void totals_find_waits_and_walk_first(void **state)
{
	struct made_run made;
	struct study study;
	struct error err;

	(void)state;
	make_steps(&made);
	MUST(study_match(&study, "steps", &made.run, dist_alone(), &err));
	MUST(study_totals(&study, &err));
	made_check(study.found.run, study.found.waits, study.found.walk, study.found.totals);
	study_close(&study);
	made_release(&made);
}

static void a_path_that_was_found_otherwise_is_that_of_the_study(void **state)
{
	struct made_run made;
	struct study study;
	struct walk walk;
	struct error err;
	const struct walk_segment *segments;

	(void)state;
	make_steps(&made);
	MUST(study_match(&study, "steps", &made.run, dist_alone(), &err));
	MUST(study_waits(&study, &err));
	MUST(walk_find(&walk, study.found.waits, dist_alone(), &err));
	segments = walk.segments.items;
	study_take_walk(&study, &walk);
	MUST(study_totals(&study, &err));
	assert_ptr_equal(study.found.walk->segments.items, segments);
	study_close(&study);
	made_release(&made);
}

/* --------------------------------------------------------------------- archives */

static int name_all(void *data, const struct string_table *texts, const char **names,
		    struct error *err)
{
	(void)data;
	(void)err;
	for (size_t i = 0; i < texts->starts.count; i++)
		names[i] = "here.c:1";
	return 0;
}

static const struct slice_edge at_100 = {.kind = SLICE_TIME, .time_ns = 100};
static const struct slice_edge at_400 = {.kind = SLICE_TIME, .time_ns = 400};
static const struct slice_edge nowhere = {.kind = SLICE_ITERATION, .number = 1000};

static int open_good(struct study *study, const char *folder, const struct study_options *options,
		     struct error *err)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/good/traces.otf2", folder);
	return study_open(study, path, options, dist_alone(), err);
}

static void the_path_of_a_slice_is_cut_at_its_edges(void **state)
{
	char *folder = make_folder();
	const struct study_options options = {.from = at_100, .to = at_400, .name = name_all};
	struct study study;
	struct error err;

	(void)state;
	make_archive(folder, "good", FLAW_NONE);
	MUST(open_good(&study, folder, &options, &err));
	assert_true(study.found.run->sliced);
	MUST(study_totals(&study, &err));
	assert_int_equal(study.found.walk->length_ns, 300);
	assert_int_equal(study.found.walk->segments.items[0].start_ns, 100);
	study_close(&study);
	remove_folder(folder);
}

static void a_study_that_fails_is_closed(void **state)
{
	static const struct study_options wrong[] = {
		{.from = at_400, .to = at_100, .name = name_all}, /* ends before it begins */
		{.from = nowhere, .name = name_all},
		{.strict = true, .name = name_all}, /* sends without their receives */
	};
	char *folder = make_folder();
	struct study study;
	struct error err;

	(void)state;
	make_archive(folder, "good", FLAW_NONE);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(open_good(&study, folder, &wrong[i], &err), -1);
		study_close(&study);
	}
	assert_int_equal(study_open(&study, "/no/such/trace",
				    &(struct study_options){.name = name_all}, dist_alone(), &err),
			 -1);
	study_close(&study);
	remove_folder(folder);
}

/* ---------------------------------------------------------------------- reports */

static const struct format {
	const char *name;
	enum report_format format;
} formats[] = {{"text", REPORT_TEXT}, {"JSON", REPORT_JSON}, {"CSV", REPORT_CSV}};
enum { FORMATS = sizeof formats / sizeof *formats, REPORTS = 5 };

/* Write one of the reports of a study. */
static int write_report(struct study *study, int which, struct report *report, struct error *err)
{
	switch (which) {
	case 0:
		return study_write_path(study, report, err);
	case 1:
		return study_write_waits(study, report, WAITS_BY_CALL, PATTERN_ANY, err);
	case 2:
		return study_write_waits(study, report, WAITS_BY_RANK, PATTERN_BARRIER, err);
	case 3:
		return study_write_imbalance(study, report, IMBALANCE_INSTANCES, err);
	default:
		return study_write_imbalance(study, report, IMBALANCE_CALLS, err);
	}
}

/* Texts of all reports that one process writes of a run, and whether any process has failed. */
struct texts {
	const struct measured_run *whole;
	char *text[REPORTS][FORMATS];
	_Atomic bool failed;
};

static int write_all(struct study *study, struct texts *texts, struct error *err)
{
	for (int which = 0; which < REPORTS; which++)
		for (int i = 0; i < FORMATS; i++) {
			struct report report = {.format = formats[i].format};
			size_t bytes;
			int result;

			/* The others have no stream. */
			if (study->dist->rank == 0)
				report.stream = open_memstream(&texts->text[which][i], &bytes);
			result = write_report(study, which, &report, err);
			if (report.stream)
				fclose(report.stream);
			TRY(result);
		}
	return 0;
}

static void write_by_process(struct dist *dist, void *data)
{
	struct texts *texts = data;
	struct measured_run run;
	struct study study;
	struct error err;

	if (dist_check_take(&run, texts->whole, dist, &err) < 0 ||
	    study_match(&study, "steps", &run, dist, &err) < 0 ||
	    write_all(&study, texts, &err) < 0)
		texts->failed = true;
	study_close(&study);
	measured_run_release(&run);
}

static void all_processes_write_the_reports_of_one(void **state)
{
	struct made_run made;
	struct texts one = {.whole = &made.run}, many = {.whole = &made.run};

	(void)state;
	make_steps(&made);
	dist_play(1, write_by_process, &one);
	dist_play(PROCESSES, write_by_process, &many);
	assert_false(one.failed || many.failed);
	for (int which = 0; which < REPORTS; which++)
		for (int i = 0; i < FORMATS; i++) {
			if (strlen(one.text[which][i]) < 100 ||
			    strcmp(one.text[which][i], many.text[which][i]) != 0)
				fail_msg("report %d as %s:\n%s\n%s", which, formats[i].name,
					 one.text[which][i], many.text[which][i]);
			free(one.text[which][i]);
			free(many.text[which][i]);
		}
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_for_is_found_once),
		cmocka_unit_test(totals_find_waits_and_walk_first),
		cmocka_unit_test(a_path_that_was_found_otherwise_is_that_of_the_study),
		cmocka_unit_test(the_path_of_a_slice_is_cut_at_its_edges),
		cmocka_unit_test(a_study_that_fails_is_closed),
		cmocka_unit_test(all_processes_write_the_reports_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
