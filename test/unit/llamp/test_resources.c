/* Small graphs with limited CPUs and NICs whose times were computed by hand. */
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/simulate.h"

#include "common/units.h"
#include "llamp/path/path_engine.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/along.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Parameters in ns, without gap, rendezvous and limits. */
static struct simulate_network network_of(wide L, wide o, wide G)
{
	return (struct simulate_network){
		.L = L, .o = o, .G = G, .ns = 1, .S = LOGGPS_NO_RENDEZVOUS};
}

static struct loggps loggps_in_ns(const struct simulate_network *network, unsigned resources)
{
	struct loggps loggps = loggps_default;

	loggps_set(&loggps, VARIABLE_L, (int64_t)network->L * AS_PER_NS);
	loggps_set(&loggps, VARIABLE_o, (int64_t)network->o * AS_PER_NS);
	loggps_set(&loggps, VARIABLE_g, (int64_t)network->g * AS_PER_NS);
	loggps_set(&loggps, VARIABLE_G, (int64_t)network->G * AS_PER_NS);
	loggps_set(&loggps, VARIABLE_O, (int64_t)network->O * AS_PER_NS);
	loggps.S = network->S;
	loggps.rendezvous = network->rendezvous;
	loggps.resources = resources;
	return loggps;
}

/* T in ns of the path engine, of the graph for all questions or for one direction. */
static void expect_of_graph(const struct goal *goal, const struct loggps *loggps, wide runtime)
{
	struct cost_graph graph;
	struct line line;
	struct error err;

	MUST(cost_graph_build(&graph, goal, loggps, &err));
	MUST(path_evaluate(&graph, ALONG(loggps, VARIABLE_L),
			   rational_from(loggps_value(loggps, VARIABLE_L)), SIDE_RIGHT, &line, NULL,
			   &err));
	assert_true(line.constant + line.slope * loggps_value(loggps, VARIABLE_L) ==
		    runtime * AS_PER_NS);
	cost_graph_release(&graph);
}

/* T in ns of the simulation, and of the path engine. */
static void expect_runtime(const struct goal *goal, struct simulate_network network,
			   unsigned resources, wide runtime)
{
	static const uint32_t asked[] = {VARIABLE_L, VARIABLE_o, VARIABLE_G};
	struct loggps loggps = loggps_in_ns(&network, resources);
	struct simulation simulation;

	network.cpu = resources & RESOURCE_CPU;
	network.nic = resources & RESOURCE_NIC;
	assert_true(simulate(&simulation, goal, &network));
	assert_int_equal(simulation.runtime, runtime);
	simulation_release(&simulation);
	expect_of_graph(goal, &loggps, runtime);
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		loggps.asked = ALONG(&loggps, asked[i]);
		expect_of_graph(goal, &loggps, runtime);
	}
}

/* T in ns by the limited resources. */
struct expected {
	wide none, cpu, nic, both;
};

static void expect(const char *text, struct simulate_network network, struct expected expected)
{
	struct goal goal;
	struct error err;

	MUST(make_goal(&goal, text, &err));
	expect_runtime(&goal, network, 0, expected.none);
	expect_runtime(&goal, network, RESOURCE_CPU, expected.cpu);
	expect_runtime(&goal, network, RESOURCE_NIC, expected.nic);
	expect_runtime(&goal, network, RESOURCE_CPU | RESOURCE_NIC, expected.both);
	goal_release(&goal);
}

static void seven_receives_of_one_waitall_cost_seven_overheads(void **unused)
{
	char text[2048] = "num_ranks 8\nrank 0 {\n";

	(void)unused;
	for (int i = 1; i < 8; i++)
		sprintf(text + strlen(text), "r%d: recv 1b from %d\n", i, i);
	strcat(text, "join: calc 0\n");
	for (int i = 1; i < 8; i++)
		sprintf(text + strlen(text), "join requires r%d\n", i);
	strcat(text, "}\n");
	for (int i = 1; i < 8; i++)
		sprintf(text + strlen(text), "rank %d {\nsend 1b to 0\n}\n", i);
	/* o + L, then the receives */
	expect(text, network_of(10, 5, 1), (struct expected){20, 15 + 35, 20, 15 + 35});
}

static void sixteen_sends_of_64_kib_share_the_nic(void **unused)
{
	char text[2048] = "num_ranks 2\nrank 0 {\n";

	(void)unused;
	for (int i = 0; i < 16; i++)
		strcat(text, "send 65536b to 1\n");
	strcat(text, "}\nrank 1 {\n");
	for (int i = 0; i < 16; i++)
		strcat(text, "recv 65536b from 0\n");
	strcat(text, "}\n");
	expect(text, network_of(1000, 0, 1),
	       (struct expected){66535, 66535, 15 * 65535 + 66535, 15 * 65535 + 66535});
	/* CPUs that are slower than the NIC hide it: the last send starts at 15 o. */
	expect(text, network_of(1000, 70000, 1),
	       (struct expected){206535, 15 * 70000 + 206535, 15 * 65535 + 206535,
				 15 * 70000 + 206535});
}

static void the_nic_of_a_sender_is_hidden_by_overheads_that_are_longer(void **unused)
{
	const char *text = "num_ranks 3\nrank 0 {\nsend 65536b to 1\nsend 65536b to 2\n}\n"
			   "rank 1 {\nrecv 65536b from 0\n}\nrank 2 {\nrecv 65536b from 0\n}\n";

	(void)unused;
	expect(text, network_of(1000, 60000, 1), (struct expected){186535, 246535, 252070, 252070});
	expect(text, network_of(1000, 65535, 1), (struct expected){197605, 263140, 263140, 263140});
	expect(text, network_of(1000, 70000, 1), (struct expected){206535, 276535, 272070, 276535});
}

static void a_receive_waits_while_its_rank_computes(void **unused)
{
	(void)unused;
	expect("num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\ncalc 1000\n}\n",
	       network_of(10, 5, 1), (struct expected){1000, 1005, 1000, 1005});
	/* Not on a CPU of its own. */
	expect("num_ranks 2\nrank 0 {\nsend 1b to 1\n}\n"
	       "rank 1 {\nrecv 1b from 0 cpu 1\ncalc 1000\n}\n",
	       network_of(10, 5, 1), (struct expected){1000, 1000, 1000, 1000});
}

static void two_senders_to_one_receiver_share_its_nic(void **unused)
{
	(void)unused;
	/* Alone, both are there at 115; the second is taken in at 115 and there at 215. */
	expect("num_ranks 3\nrank 0 {\nrecv 101b from 1\nrecv 101b from 2\n}\n"
	       "rank 1 {\nsend 101b to 0\n}\nrank 2 {\nsend 101b to 0\n}\n",
	       network_of(10, 5, 1), (struct expected){120, 125, 220, 220});
	expect("num_ranks 3\nrank 0 {\nrecv 101b from 1\nrecv 101b from 2 cpu 0 nic 1\n}\n"
	       "rank 1 {\nsend 101b to 0\n}\nrank 2 {\nsend 101b to 0\n}\n",
	       network_of(10, 5, 1), (struct expected){120, 125, 120, 125});
}

static void a_nic_injects_while_it_takes_in(void **unused)
{
	(void)unused;
	expect("num_ranks 2\nrank 0 {\nsend 101b to 1\nrecv 101b from 1\n}\n"
	       "rank 1 {\nsend 101b to 0\nrecv 101b from 0\n}\n",
	       network_of(10, 0, 1), (struct expected){110, 110, 110, 110});
}

static void a_nic_keeps_the_gap_also_of_sends_on_a_path(void **unused)
{
	struct simulate_network network = network_of(10, 5, 1);

	(void)unused;
	network.g = 20;
	/* Injected at 5, 25 and 45 instead of 5, 10 and 15. */
	expect("num_ranks 2\nrank 0 {\na: send 0b to 1\nb: send 0b to 1\nc: send 0b to 1\n"
	       "b requires a\nc requires b\n}\n"
	       "rank 1 {\nrecv 0b from 0\nrecv 0b from 0\nrecv 0b from 0\n}\n",
	       network, (struct expected){30, 30, 60, 60});
	/* Without a path, sends start at 0, 20 and 40 also without the limit. */
	expect("num_ranks 2\nrank 0 {\nsend 0b to 1\nsend 0b to 1\nsend 0b to 1\n}\n"
	       "rank 1 {\nrecv 0b from 0\nrecv 0b from 0\nrecv 0b from 0\n}\n",
	       network, (struct expected){60, 60, 60, 60});
}

static void a_gap_delays_the_request_for_the_cpu(void **unused)
{
	struct simulate_network network = network_of(10, 5, 0);

	(void)unused;
	network.g = 20;
	/* The second send is ready at 20, behind the calc; with nic, it is ready at 0. */
	expect("num_ranks 2\nrank 0 {\nsend 0b to 1\nsend 0b to 1\ncalc 100\n}\n"
	       "rank 1 {\nrecv 0b from 0\nrecv 0b from 0\n}\n",
	       network, (struct expected){100, 125, 100, 110});
}

static void rendezvous_injects_after_the_handshake(void **unused)
{
	const char *text = "num_ranks 3\nrank 0 {\nsend 101b to 1\nsend 101b to 2\n}\n"
			   "rank 1 {\nrecv 101b from 0\n}\nrank 2 {\nrecv 101b from 0\n}\n";
	struct simulate_network network = network_of(10, 3, 1);

	(void)unused;
	network.S = 100;
	network.rendezvous = RENDEZVOUS_SYNC;
	/* The second is injected at 103 instead of 3 or, behind the first on the CPU, at 6. */
	expect(text, network, (struct expected){116, 119, 216, 216});
	network.rendezvous = RENDEZVOUS_READ;
	/* Matches at 13, injections ready at 23; the senders hear of the end L later. */
	expect(text, network, (struct expected){146, 149, 246, 246});
	network.rendezvous = RENDEZVOUS_PAPER;
	/* Matches at 10, injections ready at 33; the senders end o after the receivers. */
	expect(text, network, (struct expected){149, 152, 249, 249});
}

static void control_messages_of_a_rendezvous_need_no_nic(void **unused)
{
	struct simulate_network network = network_of(10, 0, 1);

	(void)unused;
	network.S = 2000;
	/*
	 * The small message is injected at 0 until 1000.  The large one is announced at 0,
	 * requested at 10, and its data is ready to be injected at 20.
	 */
	expect("num_ranks 2\nrank 0 {\nsend 1001b to 1\nsend 3001b to 1 tag 1 cpu 0 nic 1\n}\n"
	       "rank 1 {\nrecv 1001b from 0\nrecv 3001b from 0 tag 1 cpu 0 nic 1\n}\n",
	       network, (struct expected){3040, 3040, 3040, 3040});
	expect("num_ranks 2\nrank 0 {\nsend 1001b to 1\nsend 3001b to 1 tag 1\n}\n"
	       "rank 1 {\nrecv 1001b from 0\nrecv 3001b from 0 tag 1\n}\n",
	       network, (struct expected){3040, 3040, 4020, 4020});
}

static void an_overhead_per_byte_occupies_the_cpus_on_both_sides(void **unused)
{
	struct simulate_network network = network_of(10, 1, 0);

	(void)unused;
	network.O = 2;
	/* o' = 1 + 4 O on either side, of the message's size and not of the receive's. */
	expect("num_ranks 2\nrank 0 {\nsend 4b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n", network,
	       (struct expected){28, 28, 28, 28});
	expect("num_ranks 2\nrank 0 {\nsend 4b to 1\nsend 4b to 1\n}\n"
	       "rank 1 {\nrecv 4b from 0\nrecv 4b from 0\n}\n",
	       network, (struct expected){28, 37, 28, 37});
}

/* ---------------------------------------------------------- order of service */

/* Ends of the operations with limited CPUs and NICs, in ns. */
static void expect_ends(const char *text, struct simulate_network network, uint32_t count,
			const wide *ends)
{
	struct simulation simulation;
	struct goal goal;
	struct error err;

	MUST(make_goal(&goal, text, &err));
	network.cpu = network.nic = true;
	assert_true(simulate(&simulation, &goal, &network));
	assert_int_equal(simulation.op_count, count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(simulation.ops[i].end, ends[i]);
	expect_runtime(&goal, network, RESOURCE_CPU | RESOURCE_NIC, simulation.runtime);
	simulation_release(&simulation);
	goal_release(&goal);
}

static void the_first_request_is_served_first(void **unused)
{
	(void)unused;
	/* c is ready at 0, b at 10. */
	expect_ends("num_ranks 1\nrank 0 {\na: calc 10\nb: calc 100\nc: calc 5\nb requires a\n}\n",
		    network_of(0, 0, 0), 3, (const wide[]){10, 115, 15});
	/* c is ready at 0; the message is there at 25, while b or c has the CPU. */
	expect_ends("num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: calc 20\nc: calc 30\n"
		    "c irequires a\n}\nrank 1 {\nsend 1b to 0\n}\n",
		    network_of(24, 1, 0), 4, (const wide[]){51, 20, 50, 1});
}

static void of_those_that_are_ready_together_the_first_in_the_file_is_served_first(void **unused)
{
	(void)unused;
	expect_ends("num_ranks 1\nrank 0 {\ncalc 10\ncalc 20\ncalc 5\n}\n", network_of(0, 0, 0), 3,
		    (const wide[]){10, 30, 35});
	/* Also if it is made ready by one that was served at the same time. */
	expect_ends("num_ranks 1\nrank 0 {\na: calc 3\nb: send 1b to 0\nc: calc 7\n"
		    "r: recv 1b from 0\na requires b\n}\n",
		    network_of(100, 0, 0), 4, (const wide[]){3, 0, 10, 100});
}

static void a_calc_of_no_cost_needs_no_cpu_and_a_send_of_no_overhead_does(void **unused)
{
	(void)unused;
	expect_ends("num_ranks 2\nrank 0 {\ncalc 100\ncalc 0\nsend 1b to 1\n}\n"
		    "rank 1 {\nrecv 1b from 0\n}\n",
		    network_of(10, 0, 0), 4, (const wide[]){100, 0, 100, 110});
}

static void a_receive_completes_while_its_rank_waits_for_it(void **unused)
{
	(void)unused;
	/* The message is there at 6. x waits for it from 30 on, ... */
	expect_ends("num_ranks 2\nrank 0 {\nv: recv 1b from 1\na: calc 10\nb: calc 20\n"
		    "x: calc 7\nb requires a\nx requires b\nx requires v\n}\n"
		    "rank 1 {\nsend 1b to 0\n}\n",
		    network_of(1, 5, 0), 5, (const wide[]){35, 10, 30, 42, 5});
	/* ... y already from 10 on, */
	expect_ends("num_ranks 2\nrank 0 {\nv: recv 1b from 1\na: calc 10\nb: calc 20\n"
		    "x: calc 7\ny: calc 0\nb requires a\nx requires b\nx requires v\n"
		    "y requires a\ny requires v\n}\n"
		    "rank 1 {\nsend 1b to 0\n}\n",
		    network_of(1, 5, 0), 6, (const wide[]){15, 10, 35, 42, 15, 5});
	/* and if nothing requires it, its rank always waits. */
	expect_ends("num_ranks 2\nrank 0 {\nv: recv 1b from 1\na: calc 10\nb: calc 20\n"
		    "b requires a\n}\nrank 1 {\nsend 1b to 0\n}\n",
		    network_of(1, 5, 0), 4, (const wide[]){15, 10, 35, 5});
}

static void ranks_that_wait_for_all_with_rendezvous_do_not_wait_for_each_other(void **unused)
{
	struct simulate_network network = network_of(10, 5, 1);

	(void)unused;
	network.S = 100;
	network.rendezvous = RENDEZVOUS_SYNC;
	/* Injected at 5, there at 115. */
	expect("num_ranks 2\nrank 0 {\nr: recv 101b from 1\ns: send 101b to 1\nx: calc 0\n"
	       "x requires r\nx requires s\n}\nrank 1 {\nr: recv 101b from 0\n"
	       "s: send 101b to 0\nx: calc 0\nx requires r\nx requires s\n}\n",
	       network, (struct expected){120, 120, 120, 120});
}

/* Rank 0 waits for a send by rendezvous to rank 1 and for eight eager receives: see `waits`. */
static void expect_of_waits(const char *waits, enum rendezvous rendezvous, wide none, wide cpu)
{
	struct simulate_network network = network_of(10, 5, 1);
	char text[2048] = "num_ranks 10\nrank 0 {\ns: send 101b to 1\n";

	for (int i = 2; i < 10; i++)
		sprintf(text + strlen(text), "r%d: recv 1b from %d\n", i, i);
	strcat(text, waits);
	for (int i = 2; i < 10; i++)
		sprintf(text + strlen(text), "all requires r%d\n", i);
	strcat(text, "}\nrank 1 {\nrecv 101b from 0\n}\n");
	for (int i = 2; i < 10; i++)
		sprintf(text + strlen(text), "rank %d {\nsend 1b to 0\n}\n", i);
	network.S = 100;
	network.rendezvous = rendezvous;
	expect(text, network, (struct expected){none, cpu, none, cpu});
}

static void receives_complete_in_a_wait_that_is_also_for_a_rendezvous_send(void **unused)
{
	const char *waits = "all: calc 0\nall irequires s\nall requires s\n";

	(void)unused;
	/* The messages are there at 15 and take 40; the send ends later. */
	expect_of_waits(waits, RENDEZVOUS_SYNC, 120, 120);
	expect_of_waits(waits, RENDEZVOUS_READ, 150, 150);
	expect_of_waits(waits, RENDEZVOUS_PAPER, 155, 155);
}

static void receives_do_not_complete_in_the_wait_for_a_send_before_theirs(void **unused)
{
	const char *waits = "first: calc 0\nall: calc 0\nfirst irequires s\nfirst requires s\n"
			    "all requires first\n";

	(void)unused;
	expect_of_waits(waits, RENDEZVOUS_SYNC, 120, 120 + 40);
	expect_of_waits(waits, RENDEZVOUS_READ, 150, 150 + 40);
	expect_of_waits(waits, RENDEZVOUS_PAPER, 155, 155 + 40);
}

static void a_posted_receive_needs_no_cpu(void **unused)
{
	(void)unused;
	/* What irequires the receive is ready at 0, the message is there at 101. */
	expect_ends("num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: calc 5\nc: calc 7\n"
		    "b irequires a\n}\nrank 1 {\nsend 1b to 0\n}\n",
		    network_of(100, 1, 0), 4, (const wide[]){102, 5, 12, 1});
}

static void arrivals_take_their_turn_by_time_not_by_the_order_of_the_file(void **unused)
{
	(void)unused;
	/* Ready at 0 and 200, the message of rank 2 is taken in before that of rank 1. */
	expect_ends("num_ranks 3\nrank 0 {\nrecv 101b from 1\nrecv 101b from 2\n}\n"
		    "rank 1 {\na: calc 50\nb: send 101b to 0\nb requires a\n}\n"
		    "rank 2 {\nsend 101b to 0\n}\n",
		    network_of(10, 0, 1), 5, (const wide[]){210, 110, 50, 50, 0});
}

static void operations_that_wait_for_each_other_are_found(void **unused)
{
	struct simulate_network network = network_of(10, 5, 1);
	struct simulation simulation;
	struct goal goal;
	struct error err;

	(void)unused;
	network.S = 10;
	network.cpu = network.nic = true;
	MUST(make_goal(&goal,
		       "num_ranks 2\nrank 0 {\na: send 20b to 1\nb: recv 20b from 1\n"
		       "b requires a\n}\nrank 1 {\na: send 20b to 0\nb: recv 20b from 0\n"
		       "b requires a\n}\n",
		       &err));
	assert_false(simulate(&simulation, &goal, &network));
	simulation_release(&simulation);
	network.S = 20;
	assert_true(simulate(&simulation, &goal, &network));
	simulation_release(&simulation);
	goal_release(&goal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seven_receives_of_one_waitall_cost_seven_overheads),
		cmocka_unit_test(sixteen_sends_of_64_kib_share_the_nic),
		cmocka_unit_test(the_nic_of_a_sender_is_hidden_by_overheads_that_are_longer),
		cmocka_unit_test(a_receive_waits_while_its_rank_computes),
		cmocka_unit_test(two_senders_to_one_receiver_share_its_nic),
		cmocka_unit_test(a_nic_injects_while_it_takes_in),
		cmocka_unit_test(a_nic_keeps_the_gap_also_of_sends_on_a_path),
		cmocka_unit_test(a_gap_delays_the_request_for_the_cpu),
		cmocka_unit_test(rendezvous_injects_after_the_handshake),
		cmocka_unit_test(control_messages_of_a_rendezvous_need_no_nic),
		cmocka_unit_test(an_overhead_per_byte_occupies_the_cpus_on_both_sides),
		cmocka_unit_test(the_first_request_is_served_first),
		cmocka_unit_test(
			of_those_that_are_ready_together_the_first_in_the_file_is_served_first),
		cmocka_unit_test(a_calc_of_no_cost_needs_no_cpu_and_a_send_of_no_overhead_does),
		cmocka_unit_test(a_receive_completes_while_its_rank_waits_for_it),
		cmocka_unit_test(
			ranks_that_wait_for_all_with_rendezvous_do_not_wait_for_each_other),
		cmocka_unit_test(receives_complete_in_a_wait_that_is_also_for_a_rendezvous_send),
		cmocka_unit_test(receives_do_not_complete_in_the_wait_for_a_send_before_theirs),
		cmocka_unit_test(a_posted_receive_needs_no_cpu),
		cmocka_unit_test(arrivals_take_their_turn_by_time_not_by_the_order_of_the_file),
		cmocka_unit_test(operations_that_wait_for_each_other_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
