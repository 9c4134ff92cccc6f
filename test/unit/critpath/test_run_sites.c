/*
 * Names and numbers of call sites, found by one process and by several that share the run, whose tables
 * of sites differ as those of ranks without an archive do.
 */
#include "critpath/match/run_sites.h"
#include "critpath/match/site_texts.h"
#include "test/unit/lib/check/dist_play.h"
#include "test/unit/lib/make/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/lib/must.h"

enum { ROUNDS = 300, RANKS = 9, CALLS = 30, PLACES = 12, PROCESSES = 7, ROWS = 40 };

/* Places of the calls of all ranks; 0: not known. */
struct sample {
	uint32_t ranks, processes, places, calls[RANKS], place[RANKS][CALLS];
	uint32_t first_rank[PROCESSES + 1];
	/* What one process finds. */
	uint32_t site[RANKS][CALLS], site_count;
	const char *_Atomic difference; /* the last one found by a process */
};

static int compare_numbers(const void *a, const void *b)
{
	return (int)(*(const uint32_t *)a - *(const uint32_t *)b);
}

static void make_sample(struct sample *sample, uint64_t *numbers)
{
	memset(sample, 0, sizeof *sample);
	sample->ranks = 1 + (uint32_t)random_below(numbers, RANKS);
	sample->processes = 1 + (uint32_t)random_below(numbers, PROCESSES);
	sample->places = 1 + (uint32_t)random_below(numbers, PLACES);
	for (uint32_t r = 0; r < sample->ranks; r++) {
		sample->calls[r] = (uint32_t)random_below(numbers, CALLS);
		for (uint32_t c = 0; c < sample->calls[r]; c++)
			sample->place[r][c] = (uint32_t)random_below(numbers, sample->places);
	}
	for (uint32_t p = 1; p < sample->processes; p++)
		sample->first_rank[p] = (uint32_t)random_below(numbers, sample->ranks + 1);
	sample->first_rank[sample->processes] = sample->ranks;
	qsort(sample->first_rank, sample->processes, sizeof *sample->first_rank, compare_numbers);
}

/* Text of a place.  Two places differ in the build id alone, so their names are equal. */
static int add_text(struct string_table *texts, uint32_t place, uint32_t *site, struct error *err)
{
	char text[64];

	snprintf(text, sizeof text, "/nowhere/program+0x%x[%02x]", place / 2, place % 2);
	TRY(string_table_add(texts, text, strlen(text), site, err));
	++*site;
	return 0;
}

/* Make the run of a process, with the ranks from `first` to `end`. */
static int make_run(struct measured_run *run, struct string_table *texts,
		    const struct sample *sample, uint32_t first, uint32_t end, struct error *err)
{
	*run = (struct measured_run){.rank_count = sample->ranks,
				     .own_first = first,
				     .own_end = end,
				     .site_texts = texts};
	TRY(allocate(&run->ranks, run->rank_count, sizeof *run->ranks, err));
	for (uint32_t r = first; r < end; r++)
		for (uint32_t c = 0; c < sample->calls[r]; c++) {
			uint32_t site = NO_SITE;

			if (sample->place[r][c])
				TRY(add_text(texts, sample->place[r][c], &site, err));
			TRY(array_push(&run->ranks[r].sites, site, err));
		}
	return 0;
}

/* Names are the texts up to the build id. */
static int name_all(void *data, const struct string_table *texts, const char **names,
		    struct error *err)
{
	static const char *const places[] = {
		"/nowhere/program(+0x0)", "/nowhere/program(+0x1)", "/nowhere/program(+0x2)",
		"/nowhere/program(+0x3)", "/nowhere/program(+0x4)", "/nowhere/program(+0x5)"};
	unsigned place;

	(void)data;
	for (size_t i = 0; i < texts->starts.count; i++) {
		if (sscanf(texts->starts.items[i], "/nowhere/program+0x%x", &place) != 1)
			return error_set(err, STATUS_DATA, "no text of a site");
		names[i] = places[place];
	}
	return 0;
}

static void find_alone(struct sample *sample)
{
	struct string_table texts = {0};
	struct measured_run run;
	struct run_sites sites;
	struct error err;

	MUST(make_run(&run, &texts, sample, 0, sample->ranks, &err));
	MUST(run_sites_find(&sites, &run, dist_alone(), name_all, NULL, &err));
	sample->site_count = run.site_count;
	for (uint32_t r = 0; r < sample->ranks; r++)
		for (uint32_t c = 0; c < sample->calls[r]; c++) {
			const uint32_t site = measured_site(&run.ranks[r], c);
			char name[64];

			sample->site[r][c] = site;
			assert_int_equal(site == NO_SITE, sample->place[r][c] == 0);
			snprintf(name, sizeof name, "/nowhere/program(+0x%x)",
				 sample->place[r][c] / 2);
			if (site != NO_SITE)
				assert_string_equal(measured_site_name(&run, site), name);
		}
	run_sites_release(&sites);
	measured_run_release(&run);
	string_table_release(&texts);
}

/* ----------------------------------------------------------------- by processes */

static void expect(struct sample *sample, bool same, const char *what)
{
	if (!same)
		sample->difference = what;
}

/* A call of any rank, and the number of its site as this process is told. */
struct row {
	uint32_t rank, call, site;
};

static uint32_t *of_row(void *rows, size_t number, uint32_t *rank, uint32_t *call)
{
	struct row *row = &((struct row *)rows)[number];

	*rank = row->rank;
	*call = row->call;
	return &row->site;
}

static void ask(struct sample *sample, const struct measured_run *run, struct dist *dist)
{
	uint64_t numbers = dist->rank + 1;
	const size_t count = random_below(&numbers, ROWS);
	struct row rows[ROWS];
	struct error err;

	for (size_t i = 0; i < count; i++) {
		rows[i].rank = (uint32_t)random_below(&numbers, sample->ranks);
		rows[i].call = (uint32_t)random_below(&numbers, CALLS);
	}
	if (row_sites_find(run, dist, of_row, rows, count, &err) < 0)
		return expect(sample, false, "asking");
	for (size_t i = 0; i < count; i++)
		expect(sample,
		       rows[i].site == (rows[i].call < sample->calls[rows[i].rank]
						? sample->site[rows[i].rank][rows[i].call]
						: (uint32_t)NO_SITE),
		       "the site of another rank's call");
}

static void compare(struct sample *sample, const struct measured_run *run, uint32_t process)
{
	expect(sample, run->site_count == sample->site_count, "number of sites");
	expect(sample, !run->site_names == (process != 0 || !sample->site_count), "who has names");
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		expect(sample,
		       !sample->calls[r] || !memcmp(run->ranks[r].sites.items, sample->site[r],
						    sample->calls[r] * sizeof **sample->site),
		       "numbers of sites");
	for (uint32_t r = 0; run->site_names && r < sample->ranks; r++)
		for (uint32_t c = 0; c < sample->calls[r]; c++) {
			const char *name = measured_site_name(run, sample->site[r][c]);
			unsigned place;

			expect(sample,
			       sample->place[r][c] == 0 ||
				       (sscanf(name, "/nowhere/program(+0x%x)", &place) == 1 &&
					place == sample->place[r][c] / 2),
			       "names");
		}
}

static void work(struct dist *dist, void *data)
{
	struct sample *sample = data;
	struct string_table texts = {0};
	struct measured_run run;
	struct run_sites sites;
	struct error err;

	if (make_run(&run, &texts, sample, sample->first_rank[dist->rank],
		     sample->first_rank[dist->rank + 1], &err) < 0)
		abort();
	if (run_sites_find(&sites, &run, dist, name_all, NULL, &err) < 0) {
		expect(sample, false, "naming");
	} else {
		compare(sample, &run, dist->rank);
		ask(sample, &run, dist);
		run_sites_release(&sites);
	}
	measured_run_release(&run);
	string_table_release(&texts);
}

static void processes_number_sites_as_one_does(void **state)
{
	uint64_t numbers = 1;
	struct sample sample;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		make_sample(&sample, &numbers);
		find_alone(&sample);
		dist_play(sample.processes, work, &sample);
		if (sample.difference)
			fail_msg("round %d, %u processes: %s", round, sample.processes,
				 sample.difference);
	}
}

static void sites_are_numbered_by_their_first_calls(void **state)
{
	struct sample sample = {.ranks = 2, .places = 6, .calls = {3, 4}};

	(void)state;
	memcpy(sample.place[0], (uint32_t[]){4, 0, 2}, 3 * sizeof(uint32_t));
	memcpy(sample.place[1], (uint32_t[]){3, 1, 5, 4}, 4 * sizeof(uint32_t));
	find_alone(&sample);
	/* 2 and 3 have one name, 4 and 5 too. */
	assert_memory_equal(sample.site[0], ((uint32_t[]){1, 0, 2}), 3 * sizeof(uint32_t));
	assert_memory_equal(sample.site[1], ((uint32_t[]){2, 3, 1, 1}), 4 * sizeof(uint32_t));
	assert_int_equal(sample.site_count, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_are_numbered_by_their_first_calls),
		cmocka_unit_test(processes_number_sites_as_one_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
