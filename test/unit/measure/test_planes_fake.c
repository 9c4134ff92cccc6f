/* Planes of networks in virtual time look as Denis and Trahay (2016) describe those of real ones. */
#include "measure/overlap/run.h"
#include "measure/planes/planes.h"
#include "test/unit/lib/make/fake_port.h"
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
#include <unistd.h>

enum { NETWORKS = 3, BENCHES = 6 };
enum { SENDER, RECEIVER, BOTH, NONCONTIG, CPU, NLOAD };

/* The rendezvous threshold of all networks. */
#define MOST_EAGER 16384

static const struct {
	char *path, *mpi;
	struct fake_network network;
} cases[NETWORKS] = {
	{(char *)"a",
	 (char *)"messages move by themselves",
	 {.L = 1500, .o = 300, .G = 0.15, .S = MOST_EAGER}},
	{(char *)"b",
	 (char *)"the receiver reads large messages, in MPI calls; vectors in parts of 64 KiB",
	 {.L = 1500,
	  .o = 300,
	  .G = 0.15,
	  .S = MOST_EAGER,
	  .calls_only = true,
	  .protocol = FAKE_READ,
	  .vector_protocol = FAKE_PIPELINE,
	  .first_bytes = 65536,
	  .slice_ns = 3e6}},
	{(char *)"c",
	 (char *)"the sender writes large messages, in MPI calls; long latency",
	 {.L = 30000,
	  .o = 300,
	  .G = 1,
	  .S = MOST_EAGER,
	  .calls_only = true,
	  .protocol = FAKE_WRITE,
	  .vector_protocol = FAKE_WRITE}},
};

static struct error err;
static struct cells_file files[NETWORKS];
static struct planes planes;

struct request {
	struct run_options options;
	FILE *stream;
	int result;
	struct error err;
};

static void run_on_rank(struct port *port, void *data)
{
	struct request *request = data;
	struct error other;

	if (port->rank == 0)
		request->result = overlap_run(port, &request->options, request->stream,
					      &request->err);
	else
		(void)overlap_serve(port, &other);
}

/* Measure all six benchmarks in powers of 2. */
static void measure(const struct fake_network *network, const struct cells_header *header,
		    FILE *stream)
{
	static const enum bench benches[] = {BENCH_SENDER,    BENCH_RECEIVER, BENCH_BOTH,
					     BENCH_NONCONTIG, BENCH_CPU,      BENCH_NLOAD};
	struct request request = {
		.options = {.plan = {.side = SIDE_COUNT,
				     .kernels[KERNEL_WORK] = true,
				     .least_bytes = 1024,
				     .most_bytes = 32 << 20,
				     .least_compute_ns = 1e3,
				     .most_compute_ns = 20e6,
				     .per_octave = 1,
				     .most_threads = 4,
				     .pending = 1},
			    .repeat = 3,
			    .limit_ns = INFINITY},
		.stream = stream,
	};

	for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
		request.options.plan.benches[benches[i]] = true;
	cells_write_header(stream, header);
	fake_play(network, 2, run_on_rank, &request);
	if (request.result < 0)
		fail_msg("%s", request.err.text);
}

static int start(void **state)
{
	static const struct cells_file *pointers[NETWORKS];

	(void)state;
	for (int i = 0; i < NETWORKS; i++) {
		char host[] = "node", core[] = "0", path[] = "/tmp/planes-XXXXXX";
		const struct cells_header header = {.mpi = cases[i].mpi,
						    .hosts = {host, host},
						    .cores = {core, core},
						    .ranks = 2,
						    .repeat = 3,
						    .load = -1,
						    .S_low = MOST_EAGER,
						    .S_high = MOST_EAGER + 1};
		FILE *stream = fdopen(mkstemp(path), "w");

		assert_non_null(stream);
		measure(&cases[i].network, &header, stream);
		fclose(stream);
		MUST(cells_file_read(path, &files[i], &err));
		unlink(path);
		free(files[i].path);
		files[i].path = strdup(cases[i].path);
		pointers[i] = &files[i];
	}
	MUST(planes_build(&planes, pointers, NETWORKS, &err));
	assert_int_equal(planes.kinds.count, BENCHES);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	planes_release(&planes);
	for (int i = 0; i < NETWORKS; i++)
		cells_file_release(&files[i]);
	return 0;
}

/* Check that the ratios of a plane are in [least, most] for sizes, and computations in units of T_comm. */
static void must_be(int network, int bench, double least_bytes, double most_bytes, double from,
		    double to, double least, double most)
{
	const struct heatmap_plane *plane = &planes.planes[network * BENCHES + bench];
	unsigned count = 0;

	for (size_t i = 0; i < plane->columns * plane->rows; i++) {
		const double bytes = plane->x_values[i % plane->columns];
		const double level = plane->y_values[i / plane->columns];
		const double place = level / plane->curves->values[i % plane->columns];

		if (bytes < least_bytes || bytes > most_bytes || place < from || place > to)
			continue;
		count++;
		if (!(plane->values[i] >= least && plane->values[i] <= most))
			fail_msg("%s, %s: %g bytes beside %g ns: %g is not in %g to %g",
				 cases[network].path, plane->title, bytes, level, plane->values[i],
				 least, most);
	}
	assert_true(count > 5);
}

static void a_network_that_moves_messages_by_itself_is_black(void **state)
{
	(void)state;
	must_be(0, SENDER, 0, 1e9, 0, 1e9, -1, 0.2);
	must_be(0, RECEIVER, 0, 1e9, 0, 1e9, -1, 0.2);
	must_be(0, BOTH, 0, 1e9, 0, 1e9, -1, 0.25);
}

static void messages_that_move_in_calls_are_red_but_for_a_stripe_of_small_ones(void **state)
{
	(void)state;
	must_be(1, RECEIVER, 0, MOST_EAGER, 0, 1e9, -1, 0.2);
	must_be(1, RECEIVER, MOST_EAGER + 1, 1e9, 1, 1e9, 0.4, 1.01);
	must_be(1, RECEIVER, 1 << 20, 1e9, 1, 1e9, 0.9, 1.01);
	must_be(2, SENDER, 0, MOST_EAGER, 0, 1e9, -1, 0.2);
	must_be(2, SENDER, 1 << 20, 1e9, 1, 1e9, 0.85, 1.01);
}

static void the_side_that_is_read_from_overlaps(void **state)
{
	(void)state;
	must_be(1, SENDER, 0, 1e9, 0, 1e9, -1, 0.2);
}

/* Check that no ratio beside a computation of at most `most_ns` is above `most`. */
static void short_must_be(int network, int bench, double least_bytes, double most_ns, double most)
{
	const struct heatmap_plane *plane = &planes.planes[network * BENCHES + bench];
	unsigned count = 0;

	for (size_t i = 0; i < plane->columns * plane->rows; i++) {
		if (plane->x_values[i % plane->columns] < least_bytes ||
		    plane->y_values[i / plane->columns] > most_ns)
			continue;
		count++;
		if (!(plane->values[i] <= most))
			fail_msg("%s, %s: square %zu is %g", cases[network].path, plane->title, i,
				 plane->values[i]);
	}
	assert_true(count > 5);
}

static void computations_below_the_round_trip_of_a_slow_network_are_black(void **state)
{
	(void)state;
	short_must_be(2, SENDER, 0, 60e3, 0.15);
}

static void vectors_overlap_where_the_computation_is_as_short_as_the_first_part(void **state)
{
	(void)state;
	short_must_be(1, NONCONTIG, 1 << 20, 8e3, 0.2);
	must_be(1, NONCONTIG, 1 << 20, 1e9, 1, 1e9, 0.7, 1.01);
}

static void a_small_message_takes_the_processor_as_long_as_a_blocking_one(void **state)
{
	(void)state;
	for (int i = 0; i < NETWORKS; i++)
		must_be(i, CPU, 0, MOST_EAGER, 1, 1e9, 0.95, 1.05);
}

static void slices_of_threads_are_orders_of_magnitude(void **state)
{
	const struct heatmap_plane *plane = &planes.planes[1 * BENCHES + NLOAD];

	(void)state;
	assert_int_equal(plane->rows, 5);
	for (size_t i = 0; i < plane->columns; i++)
		assert_true(fabs(plane->values[i]) < 0.01);
	assert_true(plane->values[plane->columns] > 100);
}

/* ------------------------------------------------------------------- picture */

static void draw(FILE *stream)
{
	const struct svg svg = {.stream = stream, .place = SVG_FILE, .width = SVG_WIDE_PX};
	const struct heatmap heatmap = planes_heatmap(&planes, PLANES_ACROSS, HEATMAP_FIRE);

	MUST(heatmap_draw(&heatmap, &svg, &err));
}

static void the_picture_in_the_documents_is_of_these_networks(void **state)
{
	const char *source = getenv("SOURCE");
	char path[4096], *drawn, *there;
	size_t bytes;
	FILE *file, *stream = open_memstream(&drawn, &bytes);

	(void)state;
	draw(stream);
	fclose(stream);
	snprintf(path, sizeof path, "%s/doc/planes.svg", source ? source : ".");
	if (getenv("UPDATE")) {
		file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(fwrite(drawn, 1, bytes, file), bytes);
		fclose(file);
	}
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is missing: UPDATE=1 writes it", path);
	there = calloc(bytes + 2, 1);
	assert_non_null(there);
	assert_int_equal(fread(there, 1, bytes + 1, file), bytes);
	assert_memory_equal(there, drawn, bytes);
	fclose(file);
	free(there);
	free(drawn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_network_that_moves_messages_by_itself_is_black),
		cmocka_unit_test(
			messages_that_move_in_calls_are_red_but_for_a_stripe_of_small_ones),
		cmocka_unit_test(the_side_that_is_read_from_overlaps),
		cmocka_unit_test(computations_below_the_round_trip_of_a_slow_network_are_black),
		cmocka_unit_test(
			vectors_overlap_where_the_computation_is_as_short_as_the_first_part),
		cmocka_unit_test(a_small_message_takes_the_processor_as_long_as_a_blocking_one),
		cmocka_unit_test(slices_of_threads_are_orders_of_magnitude),
		cmocka_unit_test(the_picture_in_the_documents_is_of_these_networks),
	};

	return cmocka_run_group_tests_name("planes of fake networks", tests, start, stop);
}
