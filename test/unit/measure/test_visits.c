/* Measuring by visits, on a network of the test with a clock of its own. */
#include "measure/link/threshold.h"
#include "measure/link/visits.h"
#include "measure/params/estimate.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

static struct error err;

/* ---------------------------------------------------------------- the network */

/* All times in ns; those of placements are for even and odd ones. */
struct link {
	double L[2], o, G;
	double wait;	 /* until the other rank runs, in each round */
	uint64_t S;
	double now;
	unsigned placement, placed, rounds;
};

uint64_t link_now_ns(const struct link *link)
{
	return (uint64_t)link->now;
}

int link_place(struct link *link, unsigned placement, struct error *error)
{
	(void)error;
	link->placement = placement % 2;
	link->placed++;
	return 0;
}

static double one_way_ns(const struct link *link, uint64_t bytes)
{
	return link->L[link->placement] + 2 * link->o + (double)(bytes - 1) * link->G;
}

/* Let one round pass, and note it. */
static int pass(struct link *link, double ns, unsigned rounds, unsigned samples_per_round,
		double sample_ns, struct samples *samples, struct error *error)
{
	TRY(array_reserve(samples, (size_t)rounds * samples_per_round, error));
	for (unsigned i = 0; i < rounds * samples_per_round; i++)
		samples->items[samples->count++] = sample_ns;
	link->now += (rounds + 1) * (ns + link->wait);
	link->rounds += rounds + 1;
	return 0;
}

int link_time_trips(struct link *link, unsigned messages, uint64_t bytes, uint64_t answer_bytes,
		    unsigned rounds, struct samples *trips, struct error *error)
{
	const double gap_ns = link->o + (double)(bytes - 1) * link->G;
	const double trip_ns = one_way_ns(link, bytes) + one_way_ns(link, answer_bytes) +
			       (messages - 1) * gap_ns;

	return pass(link, trip_ns, rounds, 1, trip_ns + link->wait, trips, error);
}

int link_time_sends(struct link *link, unsigned messages, uint64_t bytes, uint64_t delay_ns,
		    unsigned rounds, struct samples *sends, struct error *error)
{
	return pass(link, messages * (link->o + (double)delay_ns) + one_way_ns(link, bytes), rounds,
		    messages, link->o, sends, error);
}

int link_time_receives(struct link *link, uint64_t bytes, uint64_t delay_ns, unsigned rounds,
		       struct samples *receives, struct error *error)
{
	return pass(link, one_way_ns(link, bytes) + (double)delay_ns, rounds, 1, link->o, receives,
		    error);
}

bool link_completes_early(struct link *link, uint64_t bytes, uint64_t least_ns)
{
	link->now += bytes <= link->S ? one_way_ns(link, bytes) : (double)least_ns;
	return bytes <= link->S;
}

/* --------------------------------------------------------------------- tests */

static struct size_table table;
static struct repeats repeats;
static struct checks checks;

static struct estimate measure(struct link *link, uint64_t limit_ns)
{
	const struct threshold S = {link->S, link->S + 1};
	struct estimate estimate;

	MUST(measure_trips(link, link_now_ns(link) + limit_ns, &table, &repeats, &checks, &err));
	MUST(estimate_parameters(&table, &repeats, S, &estimate, &err));
	return estimate;
}

static void a_network_is_measured(void **state)
{
	struct link link = {.L = {2000, 2000}, .o = 300, .G = 0.1, .S = NO_THRESHOLD - 1};
	const struct estimate estimate = measure(&link, NS_PER_S);

	(void)state;
	assert_true(estimate.tells_latency);
	assert_float_equal(estimate.parameters.L_ns, 2000, 1e-6);
	assert_float_equal(estimate.parameters.o_ns, 300, 1e-6);
	assert_float_equal(estimate.parameters.G_ns, 0.1, 1e-9);
	assert_int_equal(estimate.repeats, MOST_REPEATS);
	assert_int_equal(link.placed, MOST_REPEATS);
	assert_int_equal(checks.count, 5);
	for (size_t i = 0; i < table.count; i++)
		assert_true(table.rows[i].trip.count >= FEWEST_SAMPLES);
}

static void two_modes_are_seen_and_leave_no_latency(void **state)
{
	struct link link = {.L = {35, 315}, .o = 110, .G = 0.1, .S = 8192};
	const struct estimate estimate = measure(&link, NS_PER_S);

	(void)state;
	assert_false(estimate.tells_latency);
	assert_float_equal(estimate.latency_ns.least, 35, 1e-6);
	assert_float_equal(estimate.latency_ns.most, 315, 1e-6);
	assert_float_equal(estimate.one_way_ns.most - estimate.one_way_ns.least, 280, 1e-6);
}

static void modes_that_hardly_differ_have_a_latency(void **state)
{
	struct link link = {.L = {1000, 1100}, .o = 200, .G = 0.1, .S = 8192};

	(void)state;
	assert_true(measure(&link, NS_PER_S).tells_latency);
}

/* Where ranks share a processor, each round takes a turn of 8 ms. */
static void a_busy_machine_does_not_prolong_the_measurement(void **state)
{
	struct link link = {
		.L = {2000, 2000}, .o = 300, .G = 0.1, .S = NO_THRESHOLD - 1, .wait = 8e6};
	const uint64_t limits_ns[] = {NS_PER_S / 2, NS_PER_S, 10 * NS_PER_S};

	(void)state;
	for (size_t i = 0; i < sizeof limits_ns / sizeof *limits_ns; i++) {
		const uint64_t start_ns = link_now_ns(&link);

		MUST(measure_trips(&link, start_ns + limits_ns[i], &table, &repeats, &checks,
				   &err));
		/* One visit may have begun just before the end of each repeat. */
		assert_in_range(link_now_ns(&link) - start_ns, limits_ns[i],
				limits_ns[i] + NS_PER_S / 2);
		assert_int_equal(repeats.count, MOST_REPEATS);
	}
}

static void each_repeat_measures_the_size_that_tells_the_latency(void **state)
{
	struct link link = {.L = {2000, 2000}, .o = 300, .G = 0.1, .S = 8192, .wait = 8e6};

	(void)state;
	MUST(measure_trips(&link, 2 * NS_PER_S, &table, &repeats, &checks, &err));
	for (size_t i = 0; i < repeats.count; i++)
		assert_true(repeats.tables[i].rows[0].trip.count > 0 &&
			    repeats.tables[i].rows[0].send.count > 0 &&
			    repeats.tables[i].rows[0].receive.count > 0);
}

static void the_threshold_is_found_in_time(void **state)
{
	const uint64_t thresholds[] = {0, 1, 8192, 65537, MOST_BYTES - 1};
	struct link link = {.L = {2000, 2000}, .o = 300, .G = 0.1};
	struct threshold S;

	(void)state;
	for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
		link.S = thresholds[i];
		S = threshold_find(&link, 4e5, link_now_ns(&link) + NS_PER_S);
		assert_int_equal(S.eager, thresholds[i]);
		assert_int_equal(S.waiting, thresholds[i] + 1);
	}
	link.S = MOST_BYTES;
	S = threshold_find(&link, 4e5, link_now_ns(&link) + NS_PER_S);
	assert_true(S.eager == NO_THRESHOLD);
}

static void a_threshold_that_is_not_found_in_time_has_limits(void **state)
{
	struct link link = {.L = {2000, 2000}, .o = 300, .G = 0.1, .S = 8192};
	const struct threshold S = threshold_find(&link, 4e6, 40000000);

	(void)state;
	assert_true(S.eager <= 8192 && S.waiting > 8192 && S.waiting - S.eager > 1);
	assert_in_range(link_now_ns(&link), 40000000, 60000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_network_is_measured),
		cmocka_unit_test(two_modes_are_seen_and_leave_no_latency),
		cmocka_unit_test(modes_that_hardly_differ_have_a_latency),
		cmocka_unit_test(a_busy_machine_does_not_prolong_the_measurement),
		cmocka_unit_test(each_repeat_measures_the_size_that_tells_the_latency),
		cmocka_unit_test(the_threshold_is_found_in_time),
		cmocka_unit_test(a_threshold_that_is_not_found_in_time_has_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
