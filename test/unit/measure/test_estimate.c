/* Parameters from round trips that were made from known parameters, and their predictions. */
#include "llamp/network/parameters.h"
#include "measure/params/report.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#define SAMPLES 101

static struct error err;

/* The estimate where nothing was repeated. */
static int estimate_once(const struct size_table *table, uint64_t S, struct estimate *estimate,
			 struct error *error)
{
	static const struct repeats none;
	const struct threshold threshold = {S, S == NO_THRESHOLD ? S : S + 1};

	return estimate_parameters(table, &none, threshold, estimate, error);
}

/* ------------------------------------------------------------ a made network */

/* A quantity around `value`: relative noise up to `noise`, one sample in five much too long. */
static struct summary noisy(double value, double noise, uint64_t *random)
{
	double items[SAMPLES];
	struct samples samples = {.items = items, .count = SAMPLES};

	for (int i = 0; i < SAMPLES; i++) {
		*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
		items[i] = value * (1 + noise * ((double)(*random >> 33) / 0x1p30 - 1));
		if (noise > 0 && i % 5 == 0)
			items[i] += 4e6;
	}
	return samples_summary(&samples);
}

/* Round trips on a network with these parameters, whose messages follow in g + (s - 1) G. */
static struct size_table make_table(const struct parameters *network, double noise)
{
	struct size_table table = {.count = 21, .messages = 16};
	uint64_t random = 1;

	for (size_t i = 0; i < table.count; i++) {
		struct size_row *row = &table.rows[i];
		double o_ns, trip_ns, gap_ns;

		row->bytes = UINT64_C(1) << i;
		o_ns = network->o_ns + (double)row->bytes * network->O_ns;
		trip_ns = 2 * predict_one_way_ns(network, row->bytes);
		gap_ns = network->g_ns + (double)(row->bytes - 1) * network->G_ns;
		row->trip = noisy(trip_ns, noise, &random);
		row->burst = noisy(trip_ns + 15 * gap_ns, noise, &random);
		row->send = noisy(o_ns * 1.2, noise, &random);
		row->receive = noisy(o_ns * 0.8, noise, &random);
	}
	return table;
}

static const struct parameters infiniband = {1500, 200, 300, 0.08, 0, NO_THRESHOLD};

static void must_be_near(double value, double wanted, double share)
{
	if (!(fabs(value - wanted) <= share * wanted))
		fail_msg("%g instead of %g", value, wanted);
}

/* ----------------------------------------------------------------- estimates */

static void exact_times_give_the_parameters_back(void **state)
{
	const struct size_table table = make_table(&infiniband, 0);
	struct estimate estimate;

	(void)state;
	MUST(estimate_once(&table, NO_THRESHOLD, &estimate, &err));
	must_be_near(estimate.parameters.L_ns, 1500, 1e-9);
	must_be_near(estimate.parameters.o_ns, 200, 1e-9);
	must_be_near(estimate.parameters.g_ns, 300, 1e-9);
	must_be_near(estimate.parameters.G_ns, 0.08, 1e-9);
	must_be_near(estimate.gap.slope, 0.08, 1e-9);
	must_be_near(estimate.send_overhead_ns, 240, 1e-9);
	must_be_near(estimate.receive_overhead_ns, 160, 1e-9);
	assert_float_equal(estimate.residual, 0, 1e-9);
	assert_int_equal(estimate.wide, 0);
	assert_int_equal(estimate.change_bytes, 0);
	assert_true(estimate.tells_latency);
	MUST(report_check_latency(&estimate, &err));
}

static void noise_and_outliers_change_parameters_by_at_most_six_percent(void **state)
{
	const struct size_table table = make_table(&infiniband, 0.05);
	struct estimate estimate;

	(void)state;
	MUST(estimate_once(&table, NO_THRESHOLD, &estimate, &err));
	must_be_near(estimate.parameters.L_ns, 1500, 0.06);
	must_be_near(estimate.parameters.o_ns, 200, 0.06);
	must_be_near(estimate.parameters.G_ns, 0.08, 0.06);
	must_be_near(estimate.gap.slope, 0.08, 0.06);
	assert_true(estimate.residual < MOST_RESIDUAL);
	assert_int_equal(estimate.wide, 0);
}

static void overhead_per_byte_is_told_from_bandwidth(void **state)
{
	const struct parameters copying = {3000, 500, 600, 0.1, 0.02, NO_THRESHOLD};
	const struct size_table table = make_table(&copying, 0);
	struct estimate estimate;

	(void)state;
	MUST(estimate_once(&table, NO_THRESHOLD, &estimate, &err));
	must_be_near(estimate.parameters.O_ns, 0.02, 0.01);
	must_be_near(estimate.parameters.G_ns, 0.1, 0.01);
	assert_float_equal(estimate.without_O.O_ns, 0, 0);
	must_be_near(estimate.without_O.G_ns, 0.14, 0.01);
}

static void handshakes_above_S_do_not_count_as_bandwidth(void **state)
{
	const struct parameters network = {2000, 100, 100, 0.05, 0, 8192};
	const struct size_table table = make_table(&network, 0);
	struct estimate estimate;

	(void)state;
	MUST(estimate_once(&table, 8192, &estimate, &err));
	must_be_near(estimate.parameters.G_ns, 0.05, 1e-9);
	assert_int_equal(estimate.parameters.S, 8192);
	assert_int_equal(estimate.change_bytes, 8192);
}

static void overheads_longer_than_the_trip_leave_no_latency(void **state)
{
	struct size_table table = make_table(&infiniband, 0);
	struct estimate estimate;

	(void)state;
	for (size_t i = 0; i < table.count; i++)
		table.rows[i].send.lower_decile = 1e6;
	MUST(estimate_once(&table, NO_THRESHOLD, &estimate, &err));
	assert_false(estimate.tells_latency);
	assert_int_equal(report_check_latency(&estimate, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_float_equal(estimate.parameters.L_ns, 0, 0);
	must_be_near(4 * estimate.parameters.o_ns, table.rows[0].trip.lower_decile, 1e-9);
}

static void a_size_with_bad_samples_only_spoils_no_parameter(void **state)
{
	struct size_table table = make_table(&infiniband, 0);
	struct estimate estimate;

	(void)state;
	table.rows[0].trip.lower_decile = table.rows[0].receive.lower_decile = 1e7;
	table.rows[9].burst.lower_decile = 1e7;
	MUST(estimate_once(&table, NO_THRESHOLD, &estimate, &err));
	must_be_near(estimate.parameters.L_ns, 1500, 1e-3);
	must_be_near(estimate.parameters.o_ns, 200, 1e-3);
	must_be_near(estimate.parameters.G_ns, 0.08, 1e-3);
	must_be_near(estimate.gap.slope, 0.08, 0.02);
	assert_true(estimate.residual > MOST_RESIDUAL);
}

static void sizes_without_samples_are_left_out(void **state)
{
	struct size_table table = make_table(&infiniband, 0);
	struct estimate estimate;

	(void)state;
	for (size_t i = 0; i < table.count; i++)
		if (i % 5 != 2)
			table.rows[i].trip = (struct summary){0, NAN, NAN, NAN, NAN};
	MUST(estimate_once(&table, NO_THRESHOLD, &estimate, &err));
	assert_int_equal(estimate.measured, 4);
	must_be_near(estimate.parameters.G_ns, 0.08, 1e-4);
}

static void too_few_sizes_are_an_error(void **state)
{
	struct size_table table = make_table(&infiniband, 0);
	struct estimate estimate;

	(void)state;
	table.count = 1;
	assert_int_equal(estimate_once(&table, 0, &estimate, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	table.count = 0;
	assert_int_equal(estimate_once(&table, 0, &estimate, &err), -1);
}

static void equal_times_at_all_sizes_have_no_bandwidth(void **state)
{
	const struct parameters constant = {1000, 100, 50, 0, 0, NO_THRESHOLD};
	const struct size_table table = make_table(&constant, 0);
	struct estimate estimate;

	(void)state;
	MUST(estimate_once(&table, NO_THRESHOLD, &estimate, &err));
	assert_float_equal(estimate.parameters.G_ns, 0, 1e-12);
	must_be_near(estimate.parameters.L_ns, 1000, 1e-9);
}

/* --------------------------------------------------------------- predictions */

static void one_way_is_the_equation_of_the_model(void **state)
{
	const struct parameters network = {1000, 100, 0, 2, 0.5, 64};

	(void)state;
	assert_float_equal(predict_one_way_ns(&network, 0), 1200, 1e-9);
	assert_float_equal(predict_one_way_ns(&network, 1), 1201, 1e-9);
	assert_float_equal(predict_one_way_ns(&network, 64), 1000 + 2 * 132 + 126, 1e-9);
	assert_float_equal(predict_one_way_ns(&network, 65), 3000 + 2 * 132.5 + 128, 1e-9);
}

static void bursts_wait_for_the_slowest_of_cpu_and_nic(void **state)
{
	struct parameters network = {1000, 100, 0, 0, 0, NO_THRESHOLD};
	const double answer = 1200;

	(void)state;
	assert_float_equal(predict_burst_ns(&network, 1, 11), 1200 + answer, 1e-9);
	assert_float_equal(predict_burst_ns(&network, 16, 11), 1200 + 15 * 100 + answer, 1e-9);
	network.g_ns = 300;
	assert_float_equal(predict_burst_ns(&network, 16, 11), 1200 + 15 * 300 + answer, 1e-9);
	network.G_ns = 50;
	assert_float_equal(predict_burst_ns(&network, 16, 11), 1700 + 15 * 500 + answer, 1e-9);
}

static void rendezvous_messages_follow_one_another(void **state)
{
	const struct parameters network = {1000, 100, 0, 0, 0, 0};
	/* A send ends four latencies and two overheads after it began. */
	const double one_ns = 3200, send_ns = 4200;

	(void)state;
	assert_float_equal(predict_burst_ns(&network, 1, 8), one_ns + 3200, 1e-9);
	assert_float_equal(predict_burst_ns(&network, 3, 8), 2 * send_ns + one_ns + 3200, 1e-9);
}

/* -------------------------------------------------------------------- report */

static void write_yaml(const struct estimate *estimate, const struct size_table *table,
		       const char *path)
{
	const struct place place = {.hosts = {"a", "b\033[31m"},
				    .mpi = "MPI",
				    .processor = "CPU",
				    .processors = 2,
				    .load = -1,
				    .date = "today"};
	struct checks checks = {.count = 2};
	const struct measured_link link = {&place, table, estimate, &checks};
	struct warnings warnings;
	FILE *file = fopen(path, "w");

	checks.of[0] = (struct check){.bytes = 3,
				      .trip = table->rows[2].trip,
				      .burst = table->rows[2].burst};
	checks.of[1] = (struct check){.bytes = 9, .trip = {0, NAN, NAN, NAN, NAN}};
	assert_non_null(file);
	report_find_warnings(&link, &warnings);
	MUST(report_write_yaml(file, &link, &warnings, &err));
	assert_int_equal(fclose(file), 0);
}

static void llamp_reads_what_is_written(void **state)
{
	const struct parameters network = {1234.5, 67.25, 89, 0.018, 0, 65536};
	const struct size_table table = make_table(&network, 0);
	struct estimate estimate;
	struct model_parameters read;
	const struct loggps *loggps = &read.loggps;
	char path[] = "/tmp/test_estimate.XXXXXX";

	(void)state;
	close(mkstemp(path));
	for (int i = 0; i < 2; i++) {
		const uint64_t S = i ? NO_THRESHOLD : 65536;

		MUST(estimate_once(&table, S, &estimate, &err));
		write_yaml(&estimate, &table, path);
		parameters_init(&read);
		MUST(parameters_read(&read, path, &err));
		assert_true(loggps->S == (i ? LOGGPS_NO_RENDEZVOUS : 65536));
		assert_true(loggps_value(loggps, VARIABLE_L) == 12345 * AS_PER_NS / 10);
		assert_true(loggps_value(loggps, VARIABLE_o) == 6725 * AS_PER_NS / 100);
		assert_true(loggps_value(loggps, VARIABLE_g) == 89 * AS_PER_NS);
		assert_true(loggps_value(loggps, VARIABLE_O) == 0);
		parameters_release(&read);
	}
	unlink(path);
}

static void llamp_demands_a_latency_that_was_not_measured(void **state)
{
	struct size_table table = make_table(&infiniband, 0);
	char path[] = "/tmp/test_estimate.XXXXXX";
	struct model_parameters read;
	struct estimate estimate;

	(void)state;
	close(mkstemp(path));
	for (size_t i = 0; i < table.count; i++)
		table.rows[i].receive.lower_decile = 1e5;
	MUST(estimate_once(&table, NO_THRESHOLD, &estimate, &err));
	write_yaml(&estimate, &table, path);
	parameters_init(&read);
	MUST(parameters_read(&read, path, &err));
	assert_int_equal(parameters_check_known(&read, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	MUST(parameters_set(&read, "L", "1us", &err));
	MUST(parameters_check_known(&read, &err));
	parameters_release(&read);
	unlink(path);
}

/* A table and repeats of it, in one of which messages take longer. */
static struct estimate repeated(const struct size_table *table, double longer_ns)
{
	const struct threshold none = {NO_THRESHOLD, NO_THRESHOLD};
	struct repeats repeats = {.tables = {*table, *table}, .count = 2};
	struct estimate estimate;

	for (size_t i = 0; i < table->count; i++)
		repeats.tables[1].rows[i].trip.lower_decile += 2 * longer_ns;
	MUST(estimate_parameters(table, &repeats, none, &estimate, &err));
	return estimate;
}

static void repeats_that_differ_by_more_than_a_latency_leave_none(void **state)
{
	const struct parameters shared = {35, 110, 50, 0.1, 0, NO_THRESHOLD};
	const struct size_table memory = make_table(&shared, 0);
	const struct size_table network = make_table(&infiniband, 0);

	(void)state;
	assert_true(repeated(&memory, 20).tells_latency);
	assert_false(repeated(&memory, 280).tells_latency);
	assert_float_equal(repeated(&memory, 280).latency_ns.most, 315, 1e-6);
	assert_true(repeated(&network, 280).tells_latency);
	assert_false(repeated(&network, 1600).tells_latency);
}

/* Take the parameters by size of a file into use, as it says: lines of L, o, G and O are removed. */
static void use_sizes(const char *path)
{
	char text[1 << 14] = {0}, *line = text;
	FILE *file = fopen(path, "r");
	bool table = false;

	assert_non_null(file);
	assert_true(fread(text, 1, sizeof text - 1, file) > 0);
	fclose(file);
	file = fopen(path, "w");
	assert_non_null(file);
	for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		table |= !strcmp(line, "# sizes:");
		table &= line[0] == '#' && line[1] != '\0';
		if (table)
			fprintf(file, "%s\n", line + 2);
		else if (!strchr("LoGO", line[0]))
			fprintf(file, "%s\n", line);
	}
	fclose(file);
}

/* A network whose round trips follow another line above 4 KiB, and pay 2 L more above S. */
static double bent_one_way_ns(uint64_t bytes, uint64_t S)
{
	const double L_ns = bytes > 4096 ? 5000 : 1000, G_ns = bytes > 4096 ? 0.05 : 0.4;

	return 2 * 100 + L_ns * (bytes > S ? 3 : 1) + (double)(bytes - 1) * G_ns;
}

static void sizes_of_a_network_that_is_none_give_its_round_trips_back(void **state)
{
	struct size_table table = make_table(&infiniband, 0);
	char path[] = "/tmp/test_estimate.XXXXXX";
	struct model_parameters read;
	struct estimate estimate;

	(void)state;
	close(mkstemp(path));
	for (size_t i = 0; i < table.count; i++) {
		struct size_row *row = &table.rows[i];
		uint64_t random = 1;

		row->trip = noisy(2 * bent_one_way_ns(row->bytes, 100000), 0, &random);
		row->send = row->receive = noisy(100, 0, &random);
	}
	MUST(estimate_once(&table, 100000, &estimate, &err));
	write_yaml(&estimate, &table, path);
	use_sizes(path);
	parameters_init(&read);
	MUST(parameters_read(&read, path, &err));
	assert_int_equal(read.network.row_count, 10);
	for (size_t i = 0; i < table.count; i += 2) {
		const uint64_t bytes = table.rows[i].bytes;
		const struct network_row *row =
			&read.network.rows[network_row(&read.network, bytes)];
		const double o_ns = (double)loggps_value(&read.loggps, row->o) / AS_PER_NS;
		const double L_ns = (double)loggps_value(&read.loggps, row->L) / AS_PER_NS;
		const double G_ns = (double)loggps_value(&read.loggps, row->G) / AS_PER_NS;

		must_be_near(2 * o_ns + L_ns * (bytes > 100000 ? 3 : 1) +
				     (double)(bytes - 1) * G_ns,
			     bent_one_way_ns(bytes, 100000), 1e-4);
	}
	/* No row has messages on both sides of S. */
	assert_int_equal(network_row(&read.network, 100000) + 1, network_row(&read.network, 100001));
	parameters_release(&read);
	unlink(path);
}

/* Warnings where a burst of 1 KiB takes so many times what is predicted. */
static size_t warnings_with_burst(const struct size_table *table, double times)
{
	const struct place place = {.load = -1};
	struct checks checks = {.of = {{.bytes = 1024}}, .count = 1};
	struct estimate estimate;
	const struct measured_link link = {&place, table, &estimate, &checks};
	struct warnings warnings;

	MUST(estimate_once(table, NO_THRESHOLD, &estimate, &err));
	checks.of[0].burst.lower_decile = times * predict_burst_ns(&estimate.parameters, 16, 1024);
	report_find_warnings(&link, &warnings);
	return warnings.count;
}

static size_t warnings_of(const struct size_table *table)
{
	return warnings_with_burst(table, 1);
}

static void a_LogGP_network_has_no_warnings(void **state)
{
	const struct size_table table = make_table(&infiniband, 0.05);

	(void)state;
	assert_int_equal(warnings_of(&table), 0);
}

static void each_reason_for_doubt_has_a_warning(void **state)
{
	const struct size_table good = make_table(&infiniband, 0);
	struct size_table table = good;

	(void)state;
	table.rows[3].trip.upper_quartile *= 1.2;
	assert_int_equal(warnings_of(&table), 1);
	table = good;
	for (size_t i = 8; i < 13; i++) {
		table.rows[i].trip.lower_decile *= 2;
		table.rows[i].trip.lower_quartile *= 2;
		table.rows[i].trip.median *= 2;
		table.rows[i].trip.upper_quartile *= 2;
	}
	assert_int_equal(warnings_of(&table), 1);
	table = good;
	table.rows[7].trip.count = 2;
	assert_int_equal(warnings_of(&table), 1);
	assert_int_equal(warnings_with_burst(&good, 1.2), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_times_give_the_parameters_back),
		cmocka_unit_test(noise_and_outliers_change_parameters_by_at_most_six_percent),
		cmocka_unit_test(overhead_per_byte_is_told_from_bandwidth),
		cmocka_unit_test(handshakes_above_S_do_not_count_as_bandwidth),
		cmocka_unit_test(overheads_longer_than_the_trip_leave_no_latency),
		cmocka_unit_test(a_size_with_bad_samples_only_spoils_no_parameter),
		cmocka_unit_test(sizes_without_samples_are_left_out),
		cmocka_unit_test(too_few_sizes_are_an_error),
		cmocka_unit_test(equal_times_at_all_sizes_have_no_bandwidth),
		cmocka_unit_test(one_way_is_the_equation_of_the_model),
		cmocka_unit_test(bursts_wait_for_the_slowest_of_cpu_and_nic),
		cmocka_unit_test(rendezvous_messages_follow_one_another),
		cmocka_unit_test(llamp_reads_what_is_written),
		cmocka_unit_test(llamp_demands_a_latency_that_was_not_measured),
		cmocka_unit_test(repeats_that_differ_by_more_than_a_latency_leave_none),
		cmocka_unit_test(sizes_of_a_network_that_is_none_give_its_round_trips_back),
		cmocka_unit_test(a_LogGP_network_has_no_warnings),
		cmocka_unit_test(each_reason_for_doubt_has_a_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
