/* Damaged archives are refused, or give a path that covers the run. */
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "critpath/match/run_match.h"
#include "test/unit/lib/damage.h"
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/must.h"

#ifdef __SANITIZE_ADDRESS__
enum { ROUNDS = 100 };
#else
enum { ROUNDS = 400 };
#endif

static void analyze(const struct measured_run *run)
{
	struct waits waits;
	struct walk walk;
	struct totals totals;
	struct error err;

	MUST(waits_find(&waits, run, dist_alone(), &err));
	MUST(walk_find(&walk, &waits, dist_alone(), &err));
	MUST(totals_find(&totals, &waits, &walk, dist_alone(), &err));
	made_check(run, &waits, &walk, &totals);
	totals_release(&totals);
	walk_release(&walk);
	waits_release(&waits);
}

/* Read the archive data, a folder. */
static bool read_archive(void *data)
{
	struct measured_run run;
	struct error err;

	if (run_open(&run, data, dist_alone(), &err) < 0) {
		assert_true(err.text[0]);
		return false;
	}
	analyze(&run);
	measured_run_release(&run);
	return true;
}

static void archives_of_all_flaws_are_refused_or_covered(void **state)
{
	char *folder = make_folder(), path[512];
	uint32_t readable = 0;

	(void)state;
	for (int flaw = FLAW_NONE; flaw < FLAWS; flaw++) {
		char name[32];

		snprintf(name, sizeof name, "flaw%d", flaw);
		make_archive(folder, name, (enum archive_flaw)flaw);
		snprintf(path, sizeof path, "%s/%s", folder, name);
		readable += read_archive(path);
	}
	assert_in_range(readable, 3, FLAWS - 3);
	remove_folder(folder);
}

static void expect_unfinished(const char *folder, enum archive_flaw flaw, uint64_t calls)
{
	struct measured_run run;
	struct error err;
	char name[32], path[512];

	snprintf(name, sizeof name, "counted%d", flaw);
	make_archive(folder, name, flaw);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	MUST(run_open(&run, path, dist_alone(), &err));
	assert_int_equal(run.left_out.unfinished_calls, calls);
	measured_run_release(&run);
}

static void calls_that_are_never_left_are_counted(void **state)
{
	char *folder = make_folder();

	(void)state;
	expect_unfinished(folder, FLAW_NONE, 0);
	expect_unfinished(folder, FLAW_UNFINISHED, 1);
	remove_folder(folder);
}

static void damaged_events_are_refused_or_covered(void **state)
{
	static const char *const files[] = {"traces/7.evt", "traces/3.evt", "traces/3.def",
					     "traces.def"};
	char *folder = make_folder(), archive[512], path[600];
	uint64_t numbers = 1;
	uint32_t refused = 0;

	(void)state;
	make_archive(folder, "damaged", THREAD_CALLS);
	snprintf(archive, sizeof archive, "%s/damaged", folder);
	assert_true(read_archive(archive));
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", archive, files[i]);
		refused += damage_some(path, ROUNDS, &numbers, read_archive, archive);
	}
	assert_in_range(refused, ROUNDS / 4, 4 * ROUNDS - ROUNDS / 4);
	assert_true(read_archive(archive));
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(archives_of_all_flaws_are_refused_or_covered),
		cmocka_unit_test(calls_that_are_never_left_are_counted),
		cmocka_unit_test(damaged_events_are_refused_or_covered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
