/* Planes of the overlap benchmark: which squares a cell has, and what planes there are. */
#include "measure/planes/grid.h"
#include "measure/planes/planes.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error err;
static struct cells_file files[2];
static const struct cells_file *const both[] = {&files[0], &files[1]};

static struct spread always(double value)
{
	return (struct spread){50, value, value, value, value, value, value, value, value, value};
}

/* Add a cell of T_comm = 1 us + 1 ns per 100 bytes, with a ratio. */
static struct cell *add(struct cells_file *file, enum bench bench, uint64_t bytes,
			double compute_ns, double ratio)
{
	const double comm = 1000 + (double)bytes / 100;
	const struct cell cell = {
		.spec = {.bench = bench,
			 .side = bench_default_side(bench),
			 .bytes = bytes,
			 .compute_ns = compute_ns,
			 .pending = 1},
		.full = always(fmax(comm, compute_ns) + ratio * fmin(comm, compute_ns)),
		.latency = always(0),
		.comm = always(comm),
		.comp = always(compute_ns),
	};

	MUST(array_push(&file->cells, cell, &err));
	return &file->cells.items[file->cells.count - 1];
}

static void add_threads(struct cells_file *file, uint64_t bytes, unsigned threads, double slowdown)
{
	struct cell *cell = add(file, BENCH_NLOAD, bytes, 0, 0);

	cell->spec.threads = threads;
	cell->full = always(2 * cell->comm.median * (1 + slowdown));
	cell->comp = (struct spread){0};
}

static int start(void **state)
{
	(void)state;
	memset(files, 0, sizeof files);
	for (int i = 0; i < 2; i++) {
		files[i].path = (char *)(i ? "two.overlap" : "one.overlap");
		files[i].end = (char *)"complete";
	}
	return 0;
}

static int stop(void **state)
{
	(void)state;
	array_release(&files[0].cells);
	array_release(&files[1].cells);
	return 0;
}

static uint64_t size_of(int step)
{
	return (uint64_t)round(16 * exp2(step / 2.)) * 64;
}

static double time_of(int step)
{
	return 1000 * exp2(step / 2.);
}

static void build(struct grid *grid)
{
	struct grid_scales scales;

	MUST(grid_scales_find(&scales, both, 2, &err));
	MUST(grid_build(grid, &scales, files[0].cells.items, files[0].cells.count, &err));
	grid_scales_release(&scales);
}

/* Rows of a grid from above, a letter for each square: '.' is empty, '0' the first cell of the file. */
static void assert_squares(const char *const *lines)
{
	struct grid grid;
	char line[300];

	build(&grid);
	for (size_t i = 0; i < grid.rows; i++) {
		for (size_t j = 0; j < grid.columns; j++) {
			const struct cell *cell =
				grid.cells[(grid.rows - 1 - i) * grid.columns + j];

			line[j] = cell ? (char)('0' + (cell - files[0].cells.items)) : '.';
		}
		line[grid.columns] = '\0';
		assert_non_null(lines[i]);
		assert_string_equal(line, lines[i]);
	}
	assert_null(lines[grid.rows]);
	grid_release(&grid);
}

static void cells_of_a_full_plane_have_one_square_each(void **state)
{
	struct grid grid;

	(void)state;
	for (int i = 0; i < 31; i++)
		for (int j = 0; j < 29; j++)
			add(&files[0], BENCH_SENDER, size_of(i), time_of(j), 0);
	build(&grid);
	assert_int_equal(grid.columns, 31);
	assert_int_equal(grid.rows, 29);
	assert_true(grid.exact);
	for (size_t i = 0; i < 31 * 29; i++) {
		assert_int_equal(grid.cells[i]->spec.bytes, size_of((int)(i % 31)));
		assert_true(grid.cells[i]->spec.compute_ns == time_of((int)(i / 31)));
	}
	/* Outer edges: half a step, the root of the root of 2, beyond the middles. */
	assert_true(fabs(grid.x.low / 1024 - exp2(-0.25)) < 1e-9);
	assert_true(fabs(grid.y.high / time_of(28) - exp2(0.25)) < 1e-9);
	grid_release(&grid);
}

static void what_is_missing_in_a_full_plane_stays_empty(void **state)
{
	static const char *const lines[] = {"2.57", "148.", "036.", NULL};

	(void)state;
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 3; j++)
			if (!(i == 1 && j == 2) && i < 2)
				add(&files[0], BENCH_SENDER, size_of(i), time_of(j), 0);
	add(&files[0], BENCH_SENDER, size_of(2), time_of(2), 0);
	add(&files[0], BENCH_SENDER, size_of(2), time_of(0), 0);
	add(&files[0], BENCH_SENDER, size_of(3), time_of(2), 0);
	add(&files[0], BENCH_SENDER, size_of(2), time_of(1), 0);
	assert_squares(lines);
}

static void cells_of_a_coarser_run_have_all_squares_between_them(void **state)
{
	static const char *const lines[] = {"11133", "11133", "11133", "00022",
					    "00022", "00022", NULL};

	(void)state;
	/* A finer run of another file sets the places. */
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 6; j++)
			add(&files[1], BENCH_SENDER, size_of(i), time_of(j), 0);
	for (int i = 1; i < 5; i += 3)
		for (int j = 1; j < 6; j += 3)
			add(&files[0], BENCH_SENDER, size_of(i), time_of(j), 0);
	assert_squares(lines);
}

static void no_cell_hides_another_one(void **state)
{
	struct grid grid;
	size_t count;

	(void)state;
	srand(1);
	for (int round = 0; round < 200; round++) {
		stop(NULL), start(NULL);
		for (int i = 0; i < 6; i++) {
			double time = 300 + rand() % 1000;

			for (int j = 0; j < 5; j++, time *= 1.2 + (rand() % 1000) / 100.)
				add(&files[0], BENCH_SENDER, size_of(4 * i), time, 0);
		}
		build(&grid);
		count = 0;
		for (size_t i = 0; i < files[0].cells.count; i++)
			for (size_t j = 0; j < grid.rows * grid.columns; j++)
				if (grid.cells[j] == &files[0].cells.items[i]) {
					count++;
					break;
				}
		assert_int_equal(count, 30);
		grid_release(&grid);
	}
}

static void sizes_that_are_near_each_other_have_columns_of_their_own(void **state)
{
	static const uint64_t sizes[] = {1000, 1024, 1100, 65536};
	struct grid grid;
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (int j = 0; j < 3; j++)
			add(&files[0], BENCH_SENDER, sizes[i], time_of(j), 0);
	build(&grid);
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < grid.columns; j++)
			if (grid.cells[j] && grid.cells[j]->spec.bytes == sizes[i]) {
				found++;
				break;
			}
	/* 24 bytes of 1000 are less than the finest step, a sixteenth of an octave. */
	assert_int_equal(found, 3);
	assert_in_range(grid.columns, 80, 120);
	grid_release(&grid);
}

static void a_million_steps_of_time_are_not_too_many(void **state)
{
	struct grid grid;

	(void)state;
	add(&files[0], BENCH_SENDER, 0, 1e-3, 0);
	add(&files[0], BENCH_SENDER, UINT64_C(1) << 50, 1, 0);
	add(&files[0], BENCH_SENDER, UINT64_C(1) << 50, 1.000001, 0);
	add(&files[0], BENCH_SENDER, UINT64_C(1) << 50, 1e17, 0);
	build(&grid);
	assert_in_range(grid.columns * grid.rows, 1, 256 * 256);
	grid_release(&grid);
}

static void rows_of_nload_are_numbers_of_threads(void **state)
{
	static const char *const lines[] = {"2", ".", "1", "0", NULL};

	(void)state;
	add_threads(&files[0], 1024, 0, 0);
	add_threads(&files[0], 1024, 1, 10);
	add_threads(&files[0], 1024, 3, 1000);
	assert_squares(lines);
}

/* -------------------------------------------------------------------- planes */

static void files_have_the_same_columns_of_planes(void **state)
{
	struct planes planes;

	(void)state;
	add(&files[0], BENCH_RECEIVER, 1024, 2000, 1);
	add_threads(&files[0], 1024, 0, 0);
	add(&files[1], BENCH_SENDER, 1024, 2000, 0);
	files[1].end = NULL;
	files[1].began = true;
	files[1].last = files[0].cells.items[0].spec;
	MUST(planes_build(&planes, both, 2, &err));
	assert_int_equal(planes.kinds.count, 3);
	assert_string_equal(planes.planes[0].title, "sender side");
	assert_string_equal(planes.planes[0].note, "not measured");
	assert_string_equal(planes.planes[1].title, "receiver side");
	assert_null(planes.planes[1].note);
	assert_string_equal(planes.planes[2].title, "N threads load");
	assert_ptr_equal(planes.planes[2].scale, &planes_slowdown_scale);
	assert_null(planes.planes[3].note);
	assert_string_equal(planes.planes[4].note, "killed at 1 KiB, 2 us");
	assert_string_equal(planes.planes[5].note, "not measured");
	planes_release(&planes);
}

static void a_plane_has_ratios_and_the_median_of_t_comm(void **state)
{
	struct planes planes;
	const struct heatmap_plane *plane;

	(void)state;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			add(&files[0], BENCH_SENDER, size_of(2 * i), time_of(j), 0.5 * j);
	files[0].cells.items[2].comm = always(1e9);
	files[0].cells.items[2].full.low = 0;
	MUST(planes_build(&planes, both, 1, &err));
	plane = planes.planes;
	assert_int_equal(plane->columns, 3);
	assert_true(fabs(plane->values[1]) < 1e-9);
	assert_true(fabs(plane->values[1 * 3 + 1] - 0.5) < 1e-9);
	assert_true(fabs(plane->values[2 * 3 + 1] - 1) < 1e-9);
	assert_true(plane->uncertain[2 * 3 + 0]);
	assert_false(plane->uncertain[2 * 3 + 1]);
	/* One strange cell does not move the line. */
	assert_true(plane->curves->values[0] == 1000 + 10.24);
	assert_true(plane->curves->values[2] == 1000 + 40.96);
	planes_release(&planes);
}

static void no_cells_are_no_planes(void **state)
{
	struct planes planes;

	(void)state;
	MUST(planes_build(&planes, both, 2, &err));
	assert_int_equal(planes.kinds.count, 0);
	assert_int_equal(planes_heatmap(&planes, PLANES_ACROSS, HEATMAP_FIRE).row_count, 2);
	planes_release(&planes);
}

#define PLANES_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLANES_TEST(cells_of_a_full_plane_have_one_square_each),
		PLANES_TEST(what_is_missing_in_a_full_plane_stays_empty),
		PLANES_TEST(cells_of_a_coarser_run_have_all_squares_between_them),
		PLANES_TEST(no_cell_hides_another_one),
		PLANES_TEST(sizes_that_are_near_each_other_have_columns_of_their_own),
		PLANES_TEST(a_million_steps_of_time_are_not_too_many),
		PLANES_TEST(rows_of_nload_are_numbers_of_threads),
		PLANES_TEST(files_have_the_same_columns_of_planes),
		PLANES_TEST(a_plane_has_ratios_and_the_median_of_t_comm),
		PLANES_TEST(no_cells_are_no_planes),
	};

	return cmocka_run_group_tests_name("planes", tests, NULL, NULL);
}
