/* Logs of jobs: what is written is read, damaged logs are refused with their place, sizes, names, the four ranks. */
#include "test/unit/lib/damage.h"
#include "test/unit/lib/make/make_usage.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "usage/log/job_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static struct error err;

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", scratch, name);
	return path;
}

static long write_log(const struct job_log *log, const char *path, bool compressed)
{
	FILE *stream = fopen(path, "wb");
	long bytes;

	assert_non_null(stream);
	MUST(job_log_write(log, stream, compressed, &err));
	bytes = ftell(stream);
	assert_int_equal(fclose(stream), 0);
	return bytes;
}

/* ------------------------------------------------------------------ round trip */

static void must_be_text(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_true(!a && !b);
}

static void must_be_rank(const struct job_rank *a, const struct job_rank *b)
{
	assert_int_equal(a->rank, b->rank);
	assert_int_equal(a->roles, b->roles);
	must_be_text(a->host, b->host);
	assert_int_equal(a->mpi_ns, b->mpi_ns);
	assert_int_equal(a->local_ns, b->local_ns);
	assert_memory_equal(a->counters, b->counters, sizeof a->counters);
	assert_int_equal(a->calls.count, b->calls.count);
	for (size_t i = 0; i < a->calls.count; i++) {
		const struct job_calls *x = &a->calls.items[i], *y = &b->calls.items[i];

		assert_true(x->function == y->function && x->calls == y->calls &&
			    x->bytes == y->bytes && x->moved == y->moved && x->ns == y->ns);
	}
}

static void must_be_log(const struct job_log *a, const struct job_log *b)
{
	must_be_text(a->system, b->system);
	must_be_text(a->job, b->job);
	must_be_text(a->step, b->step);
	must_be_text(a->parent, b->parent);
	must_be_text(a->user, b->user);
	must_be_text(a->program, b->program);
	must_be_text(a->build_id, b->build_id);
	must_be_text(a->library, b->library);
	must_be_text(a->clock, b->clock);
	must_be_text(a->reason, b->reason);
	assert_true(a->args_hash == b->args_hash && a->start_unix_ns == b->start_unix_ns);
	assert_true(a->end == b->end && a->mpi_ns == b->mpi_ns && a->process_ns == b->process_ns);
	assert_true(a->ranks == b->ranks && a->nodes == b->nodes);
	assert_true(a->ranks_seen == b->ranks_seen && a->nodes_seen == b->nodes_seen);
	assert_true(a->threads == b->threads && a->overflow == b->overflow);
	assert_true(a->level_asked == b->level_asked && a->level_given == b->level_given);
	assert_true(a->mean_ns == b->mean_ns && a->deviation_ns == b->deviation_ns);
	assert_true(a->least_ns == b->least_ns && a->most_ns == b->most_ns);
	assert_memory_equal(a->quantiles_ns, b->quantiles_ns, sizeof a->quantiles_ns);
	assert_int_equal(a->ranks_per_node.count, b->ranks_per_node.count);
	assert_memory_equal(a->ranks_per_node.items, b->ranks_per_node.items,
			    a->ranks_per_node.count * sizeof *a->ranks_per_node.items);
	assert_int_equal(a->cells.count, b->cells.count);
	for (size_t i = 0; i < a->cells.count; i++) {
		const struct job_cell *x = &a->cells.items[i], *y = &b->cells.items[i];

		assert_true(usage_same_key(&x->cell.key, &y->cell.key));
		assert_memory_equal(&x->cell.calls, &y->cell.calls,
				    offsetof(struct usage_cell, spare) -
					    offsetof(struct usage_cell, calls));
		assert_true(x->rank_most_ns == y->rank_most_ns && x->ranks == y->ranks);
	}
	assert_int_equal(a->rank_list.count, b->rank_list.count);
	for (size_t i = 0; i < a->rank_list.count; i++)
		must_be_rank(&a->rank_list.items[i], &b->rank_list.items[i]);
}

static void what_is_written_is_read(void **state)
{
	uint64_t numbers = 1;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct job_log log, back;

		make_job_log(&log, &numbers, 1 + (uint32_t)random_below(&numbers, 20),
			     (uint32_t)random_below(&numbers, 60), i % 3 == 0);
		if (i % 4 == 0)
			log.reason = strdup("a \"reason\" with \\ and é");
		if (i % 5 == 0)
			log.start_unix_ns = log.mpi_ns = USAGE_UNKNOWN;
		write_log(&log, path_of("log"), i % 2 == 0);
		MUST(job_log_read(&back, path_of("log"), &err));
		must_be_log(&log, &back);
		job_log_release(&back);
		job_log_release(&log);
	}
}

static void a_log_without_ranks_is_read(void **state)
{
	struct job_log log = {.end = JOB_OTHER_TOOL}, back;

	(void)state;
	write_log(&log, path_of("log"), true);
	MUST(job_log_read(&back, path_of("log"), &err));
	must_be_log(&log, &back);
	job_log_release(&back);
}

/* ----------------------------------------------------------------------- sizes */

static void forty_cells_fit_four_kilobytes_at_any_number_of_ranks(void **state)
{
	uint64_t numbers = 2;

	(void)state;
	for (uint32_t ranks = 1; ranks <= MAKE_USAGE_MOST_RANKS; ranks *= 4) {
		struct job_log log;
		long bytes;

		make_job_log(&log, &numbers, ranks, 40, false);
		bytes = write_log(&log, path_of("log"), true);
		if (bytes > 4096)
			fail_msg("%u ranks: %ld bytes", ranks, bytes);
		job_log_release(&log);
	}
}

static uint64_t sum_of_calls(const struct job_log *log)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < log->cells.count; i++)
		sum += log->cells.items[i].cell.calls;
	return sum;
}

static void a_log_of_many_cells_is_folded_to_sixteen_kilobytes(void **state)
{
	uint64_t numbers = 3;
	struct job_log log, back;
	uint64_t least_kept = UINT64_MAX, most_ns = 0;

	(void)state;
	make_job_log(&log, &numbers, 16, 1500, false);
	assert_false(log.overflow);
	assert_in_range(write_log(&log, path_of("log"), true), 12000, 16384);
	MUST(job_log_read(&back, path_of("log"), &err));
	assert_true(back.overflow);
	assert_int_equal(sum_of_calls(&back), sum_of_calls(&log));
	assert_true(back.cells.count > 100 && back.cells.count < log.cells.count);
	assert_int_equal(back.cells.items[back.cells.count - 1].cell.key.function, USAGE_REST);
	for (size_t i = 0; i + 1 < back.cells.count; i++)
		if (back.cells.items[i].cell.ticks < least_kept)
			least_kept = back.cells.items[i].cell.ticks;
	/* As many cells are as long as the shortest kept one as there are kept ones. */
	for (size_t i = 0; i < log.cells.count; i++)
		most_ns += log.cells.items[i].cell.ticks >= least_kept;
	assert_int_equal(most_ns, back.cells.count - 1);
	must_be_rank(&log.rank_list.items[0], &back.rank_list.items[0]);
	job_log_release(&back);
	job_log_release(&log);
}

/* Size of the text of a log, compressed at a level of zstd. */
static size_t compressed_at(int level, const struct job_log *log)
{
	static char text[1 << 20], packed[1 << 20];
	const size_t bytes = (size_t)write_log(log, path_of("text"), false);
	FILE *stream = fopen(path_of("text"), "rb");

	assert_non_null(stream);
	assert_in_range(bytes, 1, sizeof text);
	assert_int_equal(fread(text, 1, bytes, stream), bytes);
	fclose(stream);
	return ZSTD_compress(packed, sizeof packed, text, bytes, level);
}

static void a_log_that_fits_by_more_compression_is_not_folded(void **state)
{
	enum { MOST = 16384, CHECKSUM = 4 };
	bool found = false;

	(void)state;
	for (uint32_t cells = 400; cells < 1500 && !found; cells += cells / 100) {
		uint64_t numbers = 5;
		struct job_log log, back;

		make_job_log(&log, &numbers, 16, cells, false);
		if (compressed_at(3, &log) + CHECKSUM > MOST &&
		    compressed_at(6, &log) + CHECKSUM <= MOST) {
			assert_in_range(write_log(&log, path_of("log"), true), 1, MOST);
			MUST(job_log_read(&back, path_of("log"), &err));
			assert_false(back.overflow);
			must_be_log(&log, &back);
			job_log_release(&back);
			found = true;
		}
		job_log_release(&log);
	}
	assert_true(found);
}

static void a_log_of_all_ranks_is_not_folded(void **state)
{
	uint64_t numbers = 4;
	struct job_log log, back;

	(void)state;
	make_job_log(&log, &numbers, 64, 800, true);
	write_log(&log, path_of("log"), true);
	MUST(job_log_read(&back, path_of("log"), &err));
	assert_int_equal(back.cells.count, log.cells.count);
	assert_int_equal(back.rank_list.count, 64);
	job_log_release(&back);
	job_log_release(&log);
}

/* ---------------------------------------------------------------------- damage */

static void must_fail(const char *text, size_t size, const char *part)
{
	struct job_log log;

	assert_int_equal(job_log_parse(&log, "LOG", text, size, &err), -1);
	if (strncmp(err.text, "LOG:", 4) != 0 || !strstr(err.text, part))
		fail_msg("'%s' lacks '%s'", err.text, part);
	assert_int_equal(err.status, STATUS_DATA);
}

/* Text of a log, in memory. */
static char *text_of_log(size_t *size)
{
	uint64_t numbers = 5;
	struct job_log log;
	char *text = NULL;
	FILE *stream = open_memstream(&text, size);

	assert_non_null(stream);
	make_job_log(&log, &numbers, 4, 6, false);
	MUST(job_log_write(&log, stream, false, &err));
	assert_int_equal(fclose(stream), 0);
	job_log_release(&log);
	return text;
}

/* Replace the first `old` behind `from` in the text of a log and expect an error. */
static void must_fail_with(const char *from, const char *old, const char *new, const char *part)
{
	size_t size;
	char *text = text_of_log(&size), *at = strstr(strstr(text, from), old);
	char *changed = malloc(size + strlen(new) + 1);

	assert_non_null(at);
	assert_non_null(changed);
	sprintf(changed, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
	must_fail(changed, strlen(changed), part);
	free(changed);
	free(text);
}

static void errors_name_the_place(void **state)
{
	(void)state;
	must_fail("", 0, "empty");
	must_fail("#!/bin/sh\n", 10, "no log of a job");
	must_fail("\x28\xb5\x2f\xfd", 4, "damaged");
	must_fail("{}", 2, "schema");
	must_fail("{\"schema\": \"llamp-path-1\"}", 26, "'llamp-path-1'");
	must_fail("{\"schema\": \"llamp-usage-log-2\"}", 31, "another version");
	must_fail("{\n\"schema\" 1}", 13, "LOG:2:10: no JSON");
	must_fail("{\n\"schema\": 1", 13, "ends too early");
	must_fail_with("schema", "}", "} x", "no JSON");
	must_fail_with("ranks", "\"ranks\"", "\"rank\"", "member 'ranks' is missing");
	must_fail_with("ranks", "4", "-4", "ranks: expected a whole number");
	must_fail_with("ranks", "4", "4.5", "ranks: expected a whole number");
	must_fail_with("ranks", "4", "4294967296", "ranks: 4294967296 is above 4294967295");
	must_fail_with("ranks", "4", "1", "rank_list[1]: rank 1 of 1 ranks");
	must_fail_with("mpi_ns", "3600000000000", "9223372036854775808",
		       "mpi_ns: 9223372036854775808");
	must_fail_with("mpi_ns", "3600000000000", "99999999999999999999999", "mpi_ns: ");
	must_fail_with("\"end\"", "finalize", "end", "end: 'end' is unknown");
	must_fail_with("args_hash", "fedcba", "FEDCBA", "args_hash: expected 16");
	must_fail_with("overflow", "false", "0", "overflow: expected true or false");
	must_fail_with("mean_ns", ": ", ": -", "mean_ns: expected a number from 0 on");
	must_fail_with("quantiles_ns", ", ", ", 1, ", "quantiles_ns: expected a list of 17");
	must_fail_with("\"system\"", "\"cluster\"", "[1]", "system: expected text");
	must_fail_with("\"system\"", "cluster", "a\\u0000b", "system: the text has a character 0");
	must_fail_with("\"cells\"", "MPI_", "MPX_", "cells.function[0]: function 'MPX_");
	must_fail_with("size_class", ": [", ": [1, ", "cells.size_class: expected");
	must_fail_with("size_class", ": [", ": [999, ", "cells.size_class: expected");
	must_fail_with("rank_list", "first", "worst", "rank_list[0].roles[0]: 'worst' is unknown");
	must_fail_with("rank_list", "instructions", "instruction",
		       "rank_list[0].counters: member 'instructions' is missing");
	must_fail_with("rank_list", "\"calls\"", "\"call\"",
		       "rank_list[0]: member 'calls' is missing");
}

/* Read the file.  original: what it has if it is readable, or NULL. */
static bool read_damaged(void *original)
{
	struct job_log log;

	if (job_log_read(&log, path_of("log"), &err) < 0) {
		assert_true(err.status == STATUS_DATA || err.status == STATUS_LIMIT);
		assert_non_null(strstr(err.text, "log:"));
		return false;
	}
	if (original)
		must_be_log(&log, original);
	job_log_release(&log);
	return true;
}

static void damaged_logs_do_no_harm(void **state)
{
	const char *rounds_text = getenv("PROGRAMS");
	const uint32_t rounds = rounds_text ? (uint32_t)atoi(rounds_text) : 2000;
	uint64_t numbers = 6;
	struct job_log log;

	(void)state;
	make_job_log(&log, &numbers, 8, 12, false);
	/* All cuts of a compressed log are refused, and all changes: it has a checksum.  Some damage changes nothing. */
	write_log(&log, path_of("log"), true);
	assert_int_equal(damage_cut(path_of("log"), 1, read_damaged, &log), 0);
	assert_in_range(damage_some(path_of("log"), rounds, &numbers, read_damaged, &log),
			rounds - rounds / 50, rounds);
	write_log(&log, path_of("log"), false);
	assert_in_range(damage_cut(path_of("log"), 7, read_damaged, NULL), 0, 1);
	assert_in_range(damage_some(path_of("log"), rounds, &numbers, read_damaged, NULL),
			rounds / 2, rounds);
	job_log_release(&log);
}

/* -------------------------------------------------------------- the four ranks */

/* Time in MPI of a part by its cells, without the function that is tested. */
static uint64_t time_of(const struct job_part *part)
{
	uint64_t ns = 0;

	for (unsigned i = 0; i < USAGE_CELLS; i++)
		if (part->table->cells[i].calls > 0 &&
		    part->table->cells[i].key.function != CALL_Comm_rank &&
		    part->table->cells[i].key.function != CALL_Comm_size)
			ns += part->table->cells[i].ticks;
	return ns;
}

/* Whether rank r has a role, by comparing it with all others. */
static unsigned roles_by_force(const struct made_parts *made, uint32_t r)
{
	bool most = true, least = true, average = true;
	__int128 all = 0, t = time_of(&made->parts[r]);

	for (uint32_t i = 0; i < made->count; i++)
		all += time_of(&made->parts[i]);
	for (uint32_t i = 0; i < made->count; i++) {
		const __int128 x = time_of(&made->parts[i]);
		const __int128 mine = made->count * t > all ? made->count * t - all
							    : all - made->count * t;
		const __int128 other = made->count * x > all ? made->count * x - all
							     : all - made->count * x;

		most &= i < r ? t > x : t >= x;
		least &= i < r ? t < x : t <= x;
		average &= i < r ? mine < other : mine <= other;
	}
	return (r == 0 ? JOB_FIRST : 0) | (most ? JOB_MOST : 0) | (least ? JOB_LEAST : 0) |
	       (average ? JOB_AVERAGE : 0);
}

static void the_four_ranks_are_those_of_brute_force(void **state)
{
	uint64_t numbers = 7;

	(void)state;
	for (uint32_t ranks = 1; ranks <= MAKE_USAGE_MOST_RANKS; ranks++) {
		struct made_parts made;
		struct job_log log = {0};
		size_t with_role = 0;

		make_parts(&made, &numbers, ranks, 3, ranks % 2 == 0);
		MUST(job_log_add_parts(&log, made.parts, ranks, true, &err));
		assert_int_equal(log.rank_list.count, ranks);
		for (uint32_t r = 0; r < ranks; r++) {
			assert_int_equal(log.rank_list.items[r].roles, roles_by_force(&made, r));
			assert_int_equal(log.rank_list.items[r].mpi_ns, time_of(&made.parts[r]));
			with_role += log.rank_list.items[r].roles != 0;
		}
		job_log_release(&log);
		MUST(job_log_add_parts(&log, made.parts, ranks, false, &err));
		assert_int_equal(log.rank_list.count, with_role);
		job_log_release(&log);
		made_parts_release(&made);
	}
}

static void times_of_ranks_are_summed_up(void **state)
{
	struct usage_table *tables = calloc(5, sizeof *tables);
	struct job_part parts[5];
	struct job_log log = {0};

	(void)state;
	assert_non_null(tables);
	for (uint32_t i = 0; i < 5; i++) {
		usage_table_init(&tables[i]);
		usage_add(usage_cell(&tables[i], (struct usage_key){.function = CALL_Send}), 8, 8,
			  10 * (5 - i), 0);
		usage_add(usage_cell(&tables[i], (struct usage_key){.function = CALL_Comm_rank}), 0,
			  0, 1000, 0);
		usage_add(usage_cell(&tables[i], (struct usage_key){.function = CALL_Init}), 0, 0,
			  5000, 0);
		parts[i] = (struct job_part){.rank = i,
					     .table = &tables[i],
					     .threads = i,
					     .host = i < 3 ? "a" : "b"};
	}
	MUST(job_log_add_parts(&log, parts, 5, false, &err));
	assert_true(log.mean_ns == 30 && fabs(log.deviation_ns - sqrt(200)) < 1e-9);
	assert_true(log.least_ns == 10 && log.most_ns == 50 && log.threads == 4);
	for (uint64_t i = 0; i < JOB_QUANTILES; i++)
		assert_int_equal(log.quantiles_ns[i], 10 + 10 * (i / 4));
	assert_int_equal(log.rank_list.count, 3); /* 0: first and most; 2: average; 4: least */
	assert_int_equal(log.rank_list.items[1].local_ns, 1000);
	assert_int_equal(log.ranks_per_node.count, 2);
	assert_true(log.ranks_per_node.items[0].ranks == 2 &&
		    log.ranks_per_node.items[0].nodes == 1);
	assert_true(log.ranks_per_node.items[1].ranks == 3 &&
		    log.ranks_per_node.items[1].nodes == 1);
	assert_true(log.nodes_seen == 2 && log.ranks_seen == 5);
	job_log_release(&log);
	free(tables);
}

static void cells_are_sums_over_ranks(void **state)
{
	uint64_t numbers = 8;
	struct made_parts made;
	struct job_log log = {0};

	(void)state;
	make_parts(&made, &numbers, 9, 30, false);
	MUST(job_log_add_parts(&log, made.parts, 9, false, &err));
	for (size_t i = 0; i < log.cells.count; i++) {
		const struct job_cell *cell = &log.cells.items[i];
		uint64_t calls = 0, ns = 0, most_ns = 0, most = 0;
		uint32_t ranks = 0;

		for (uint32_t r = 0; r < 9; r++)
			for (unsigned c = 0; c < USAGE_CELLS; c++) {
				const struct usage_cell *of_rank = &made.tables[r].cells[c];

				if (!of_rank->key.used ||
				    !usage_same_key(&of_rank->key, &cell->cell.key))
					continue;
				calls += of_rank->calls;
				ns += of_rank->ticks;
				ranks++;
				most_ns = of_rank->ticks > most_ns ? of_rank->ticks : most_ns;
				most = of_rank->most > most ? of_rank->most : most;
			}
		assert_true(cell->cell.calls == calls && cell->cell.ticks == ns);
		assert_true(cell->ranks == ranks && cell->rank_most_ns == most_ns);
		assert_int_equal(cell->cell.most, most);
	}
	job_log_release(&log);
	made_parts_release(&made);
}

/* ----------------------------------------------------------------------- names */

static void names_have_the_date_and_no_slash_of_an_id(void **state)
{
	struct job_log log = {.job = (char *)"12/../3[4]",
			      .step = (char *)"batch",
			      .start_unix_ns = UINT64_C(1500000000123456789)};
	char name[JOB_LOG_NAME_BYTES];

	(void)state;
	job_log_name(&log, 0xabc, name, sizeof name);
	assert_string_equal(name,
			    "2017/07/14/12____3_4_.batch-20170714T024000-0000000000000abc.usage");
	log.job = (char *)"";
	log.step = (char *)"991";
	job_log_name(&log, 0xabc, name, sizeof name);
	assert_string_equal(name, "2017/07/14/nojob.991-20170714T024000-0000000000000abc.usage");
}

static int empty(void **state)
{
	(void)state;
	scratch_empty();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_is_written_is_read, empty),
		cmocka_unit_test_teardown(a_log_without_ranks_is_read, empty),
		cmocka_unit_test_teardown(forty_cells_fit_four_kilobytes_at_any_number_of_ranks,
					  empty),
		cmocka_unit_test_teardown(a_log_of_many_cells_is_folded_to_sixteen_kilobytes,
					  empty),
		cmocka_unit_test_teardown(a_log_that_fits_by_more_compression_is_not_folded, empty),
		cmocka_unit_test_teardown(a_log_of_all_ranks_is_not_folded, empty),
		cmocka_unit_test(errors_name_the_place),
		cmocka_unit_test_teardown(damaged_logs_do_no_harm, empty),
		cmocka_unit_test(the_four_ranks_are_those_of_brute_force),
		cmocka_unit_test(times_of_ranks_are_summed_up),
		cmocka_unit_test(cells_are_sums_over_ranks),
		cmocka_unit_test(names_have_the_date_and_no_slash_of_an_id),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
