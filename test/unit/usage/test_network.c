/* Estimates of L, o and G from the least times of calls. */
#include "usage/model/network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

enum { L_NS = 1500, O_NS = 200, MOST_TIMES = 3 * 64 };
static const double G = 0.25;
static const uint64_t S = 8192;

static struct least_time times[MOST_TIMES];
static size_t count;

/* What the model says, with an overhead per byte of calls that do not wait. */
static double model_ns(enum network_call call, uint64_t bytes, double O)
{
	const double B = (double)(bytes - 1) * G;

	if (bytes <= S)
		return call == NETWORK_SSEND ? O_NS + 2 * L_NS + B : O_NS + (double)(bytes - 1) * O;
	return call == NETWORK_RECV ? O_NS + 2 * L_NS + B : 2 * O_NS + 4 * L_NS + B;
}

/* Add a call's times at the sizes from `first` to `last`, doubling. */
static void add_times(enum network_call call, uint64_t first, uint64_t last, double O)
{
	for (uint64_t bytes = first; bytes <= last; bytes *= 2)
		times[count++] = (struct least_time){call, bytes, model_ns(call, bytes, O)};
}

static void must_be(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * wanted))
		fail_msg("%.12g instead of %.12g", value, wanted);
}

static void must_be_the_network(const struct network_estimate *found)
{
	must_be(found->o_ns, O_NS);
	must_be(found->L_ns, L_NS);
	must_be(found->G_ns_per_byte, G);
	must_be(found->least_L_ns, L_NS);
	must_be(found->most_L_ns, L_NS);
	assert_true(found->S == S);
	assert_true(found->residual < 1e-9);
}

static void a_network_is_found_again(void **state)
{
	struct network_estimate found;

	(void)state;
	count = 0;
	add_times(NETWORK_SEND, 8, 1 << 20, 0);
	add_times(NETWORK_RECV, 8, 1 << 20, 0);
	add_times(NETWORK_SSEND, 8, 1 << 20, 0);
	found = network_estimate(times, count);
	must_be_the_network(&found);
}

static void sends_alone_tell_it_and_so_do_receives(void **state)
{
	struct network_estimate found;

	(void)state;
	for (enum network_call call = NETWORK_SEND; call <= NETWORK_RECV; call++) {
		count = 0;
		add_times(call, 8, 1 << 20, 0);
		found = network_estimate(times, count);
		must_be_the_network(&found);
	}
}

static void copies_of_small_messages_change_neither_o_nor_the_rest(void **state)
{
	struct network_estimate found;

	(void)state;
	count = 0;
	add_times(NETWORK_SEND, 8, 1 << 20, 0.1);
	add_times(NETWORK_RECV, 8, 1 << 20, 0.1);
	found = network_estimate(times, count);
	must_be_the_network(&found);
}

static void without_messages_that_wait_nothing_is_said_of_the_latency(void **state)
{
	struct network_estimate found;

	(void)state;
	count = 0;
	add_times(NETWORK_SEND, 8, S, 0);
	add_times(NETWORK_RECV, 8, S, 0);
	found = network_estimate(times, count);
	must_be(found.o_ns, O_NS);
	assert_true(isnan(found.L_ns) && isnan(found.G_ns_per_byte) && found.S == UINT64_MAX);
	/* Calls that wait for their receiver do. */
	add_times(NETWORK_SSEND, 8, S, 0);
	found = network_estimate(times, count);
	must_be(found.L_ns, L_NS);
	must_be(found.G_ns_per_byte, G);
}

static void a_size_that_was_always_late_does_not_count(void **state)
{
	struct network_estimate found;

	(void)state;
	count = 0;
	add_times(NETWORK_SEND, 8, 1 << 20, 0);
	add_times(NETWORK_RECV, 8, 1 << 20, 0);
	times[0].ns *= 100;
	found = network_estimate(times, count);
	must_be_the_network(&found);
}

static void two_sizes_are_no_line(void **state)
{
	struct network_estimate found;

	(void)state;
	count = 0;
	add_times(NETWORK_SEND, 8, 16, 0);
	found = network_estimate(times, count);
	assert_true(isnan(found.o_ns) && isnan(found.L_ns) && isnan(found.residual));
	found = network_estimate(NULL, 0);
	assert_true(isnan(found.o_ns) && found.S == UINT64_MAX);
}

static void lines_that_differ_show_a_range(void **state)
{
	struct network_estimate found;

	(void)state;
	count = 0;
	add_times(NETWORK_SEND, 8, 1 << 20, 0);
	add_times(NETWORK_RECV, 8, 1 << 20, 0);
	/* All receives that wait take two latencies more. */
	for (size_t i = 0; i < count; i++)
		if (times[i].call == NETWORK_RECV && times[i].bytes > S)
			times[i].ns += 2 * L_NS;
	found = network_estimate(times, count);
	must_be(found.least_L_ns, L_NS);
	must_be(found.most_L_ns, 2 * L_NS);
	must_be(found.L_ns, 1.5 * L_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_network_is_found_again),
		cmocka_unit_test(sends_alone_tell_it_and_so_do_receives),
		cmocka_unit_test(copies_of_small_messages_change_neither_o_nor_the_rest),
		cmocka_unit_test(without_messages_that_wait_nothing_is_said_of_the_latency),
		cmocka_unit_test(a_size_that_was_always_late_does_not_count),
		cmocka_unit_test(two_sizes_are_no_line),
		cmocka_unit_test(lines_that_differ_show_a_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
