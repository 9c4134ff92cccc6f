/*
 * The core of the overlap benchmark on networks in virtual time: what takes the processor away, several messages, MPI_Test,
 * one-sided accesses, collectives, threads.  Letters are those of exact_cell.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/lib/exact_cell.h"

static const struct fake_network infiniband = {
	.L = 1500, .o = 200, .G = 0.09, .S = 4096, .calls_only = true};

/* ----------------------------------------------------------- messages at once */

/*
 * The NIC sends message k + 1 at least g + B after message k.  Eager sends are ready at k o:
 * i_K = o + (K - 1) max(o, g + B).  Where the receiver reads, the request for the data of message k is there at
 * k o + o + 2 L: i_K = 2 o + 2 L + (K - 1) max(o, g + B).  The last receive ends at i_K + L + B, eager o later.
 * K sends and one wait take until the answer is there, o + L + o later; the latency is not counted.
 */
static struct exact sender_of_several(const struct letters *x, const struct fake_network *network,
				      const struct cell_spec *spec)
{
	const double first = x->eager ? x->o : 2 * x->o + 2 * x->L;
	const double last = first + (x->K - 1) * fmax(x->o, x->g + x->B);
	const double received = last + x->L + x->B + (x->eager ? x->o : 0);
	const double full = fmax(x->K * x->o + x->c, received + x->o + x->L) + x->o;

	(void)network;
	(void)spec;
	return (struct exact){received, x->c, full, full - x->l};
}

/* When the last receive ends if rank 0 computes for c (test_overlap.c says when each is announced). */
static double several_received_ns(const struct letters *x, double c)
{
	double sent = 0;

	for (unsigned k = 1; k <= x->K; k++) {
		const double announced = (2 + k) * x->o + 2 * x->L;
		const double matched = x->calls ? fmax(announced, x->o + c) : announced;
		const double ready = x->eager ? (2 + k) * x->o + x->L : matched + x->o + x->L;

		sent = k == 1 ? ready : fmax(ready, sent + x->g + x->B);
	}
	return sent + x->L + x->B + (x->eager ? x->o : 0);
}

static struct exact receiver_of_several(const struct letters *x, const struct fake_network *network,
					const struct cell_spec *spec)
{
	const double full = fmax(x->o + x->c, several_received_ns(x, x->c));

	(void)network;
	(void)spec;
	return (struct exact){several_received_ns(x, 0) - x->l, x->c, full, full - x->l};
}

/*
 * CPU overhead of K sends: K posts and one wait; T_comm = e(u) of the last, K o (eager) or L after e(v).
 */
static struct exact cpu_of_several(const struct letters *x, const struct fake_network *network,
				   const struct cell_spec *spec)
{
	const double last = 2 * x->o + 2 * x->L + (x->K - 1) * fmax(x->o, x->g + x->B);
	const double comm = x->eager ? x->K * x->o : last + 2 * x->L + x->B;
	const double full = fmax(x->K * x->o + x->c, comm);

	(void)network;
	(void)spec;
	return (struct exact){comm, x->c, full, full};
}

static void messages_at_once_share_the_network_card(void **state)
{
	struct cell_spec sender = cell_spec_of(BENCH_SENDER, 0, 0),
			 receiver = cell_spec_of(BENCH_RECEIVER, 0, 0),
			 persistent = cell_spec_of(BENCH_PERSISTENT_SEND, 0, 0),
			 processor = cell_spec_of(BENCH_CPU, 0, 0);

	(void)state;
	sender.pending = persistent.pending = 5;
	receiver.pending = processor.pending = 4;
	check_exact_plane((struct fake_network){.g = 300}, sender, sender_of_several);
	check_exact_plane((struct fake_network){.g = 300, .calls_only = true}, persistent,
			  sender_of_several);
	check_exact_plane((struct fake_network){.g = 300}, receiver, receiver_of_several);
	check_exact_plane((struct fake_network){.g = 300, .calls_only = true}, receiver,
			  receiver_of_several);
	check_exact_plane((struct fake_network){.g = 300, .calls_only = true}, processor,
			  cpu_of_several);
}

/* T_comm of partitioned messages is that of their own calls, as that of several messages: K = 1. */
static void partitioned_messages_are_as_others(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){0}, cell_spec_of(BENCH_PARTITIONED_SEND, 0, 0),
			  sender_of_several);
	check_exact_plane((struct fake_network){.calls_only = true},
			  cell_spec_of(BENCH_PARTITIONED_SEND, 0, 0), sender_of_several);
	check_exact_plane((struct fake_network){.calls_only = true},
			  cell_spec_of(BENCH_PARTITIONED_RECV, 0, 0), receiver_of_several);
}

/* ------------------------------------------------- sequences that are changed */

/* The core on ports that perform other operations than those of the benchmark. */
static const struct port_methods *true_methods;
static struct port_methods changed_methods;

static void work_with_changes(struct port *port, void *data)
{
	port->methods = &changed_methods;
	exact_on_rank(port, data);
	port->methods = true_methods;
}

static void keep_methods(struct port *port, void *data)
{
	(void)data;
	true_methods = port->methods;
}

static struct cell measure_changed(const struct fake_network *network, const struct cell_spec *spec,
				   void (*perform)(struct port *, enum operation, enum layout))
{
	struct exact_request request = {.order = {.spec = *spec, .repeat = 5}};

	fake_play(network, 2, keep_methods, NULL);
	changed_methods = *true_methods;
	changed_methods.perform = perform;
	fake_play(network, 2, work_with_changes, &request);
	assert_int_equal(request.result, 0);
	return request.cell;
}

static void send_blocking(struct port *port, enum operation operation, enum layout layout)
{
	true_methods->perform(port, operation == OP_ISEND ? OP_SEND : operation, layout);
}

/* e(v) = 2 o + 3 L + B, the send ends L later, and the answer, which is there, takes o: full = e(v) + L + c + o. */
static void blocking_sends_are_serialised_on_any_network(void **state)
{
	const struct fake_network network = {.L = 1500, .o = 200, .G = 0.09, .S = 4096};

	(void)state;
	for (uint64_t bytes = 65536; bytes <= 4194304; bytes *= 4)
		for (double c = 5e3; c < 1e6; c *= 3) {
			const struct cell_spec spec = cell_spec_of(BENCH_SENDER, bytes, c);
			const double comm = 2 * network.o + 3 * network.L +
					    (double)(bytes - 1) * network.G;
			struct cell cell = measure_changed(&network, &spec, send_blocking);

			assert_float_equal(cell_ratio(&cell), 1 - network.o / fmin(comm, c), 1e-6);
			cell_release(&cell);
		}
}

static void compute_only(struct port *port, enum operation operation, enum layout layout)
{
	if (operation == OP_COMPUTE)
		true_methods->perform(port, operation, layout);
}

static void messages_to_nobody_take_no_time_and_have_no_ratio(void **state)
{
	const struct cell_spec spec = cell_spec_of(BENCH_SENDER, 65536, 20e3);
	struct cell cell = measure_changed(&infiniband, &spec, compute_only);

	(void)state;
	assert_float_equal(cell_measured_ns(&cell), 20e3, 1e-6);
	assert_true(isnan(cell_ratio(&cell)));
	cell_release(&cell);
}

/* ------------------------------------------------------------------- MPI_Test */

/*
 * Rank 0 computes in n = ceil(c / t) parts, with a test of T ns after each, which begins at o + min(k t, c) + (k - 1) T.  The
 * announcement, there at R = 3 o + 2 L, matches in the first test that ends at R or later, else in MPI_Wait, and
 * e(v) = max(R, begin of that) + o + 2 L + B.
 */
static struct exact receiver_with_tests(const struct letters *x, const struct fake_network *network,
					const struct cell_spec *spec)
{
	const double t = spec->tests_ns, T = network->test_ns, R = 3 * x->o + 2 * x->L;
	const double n = ceil(x->c / t), comp = x->c + n * T;
	const double k = fmax(1, ceil((R - x->o - T) / (t + T)));
	double test = x->o + fmin(k * t, x->c) + (fmin(k, n) - 1) * T, received, full;

	if (k > n || test + T < R)
		test = x->o + comp;
	received = fmax(R, test) + x->o + 2 * x->L + x->B;
	if (x->eager)
		received = 4 * x->o + 2 * x->L + x->B;
	full = fmax(x->o + comp, received);
	return (struct exact){x->eager ? x->l + x->B : 2 * x->o + 3 * x->L + x->B, comp, full,
			      full - x->l};
}

static void tests_in_the_computation_let_a_serialised_receiver_overlap(void **state)
{
	struct cell_spec spec = cell_spec_of(BENCH_RECEIVER, 0, 0);

	(void)state;
	spec.tests_ns = 20e3;
	check_exact_plane((struct fake_network){.calls_only = true}, spec, receiver_with_tests);
	check_exact_plane((struct fake_network){.calls_only = true, .test_ns = 250}, spec,
			  receiver_with_tests);
	spec.tests_ns = 300e3;
	check_exact_plane((struct fake_network){.calls_only = true, .test_ns = 250}, spec,
			  receiver_with_tests);
}

static double full_ns(const struct fake_network *network, const struct cell_spec *spec)
{
	struct cell cell = measure_cell(network, 2, 3, spec);
	const double full = cell.full.median;

	cell_release(&cell);
	return full;
}

static void tests_after_the_computation_equal_no_tests(void **state)
{
	struct cell_spec spec = cell_spec_of(BENCH_RECEIVER, 1 << 20, 50e3);
	const double without = full_ns(&infiniband, &spec);

	(void)state;
	spec.tests_ns = 5e3;
	assert_true(full_ns(&infiniband, &spec) < without - 40e3);
	spec.tests_ns = 50e3;
	assert_float_equal(full_ns(&infiniband, &spec), without, EXACT_TOLERANCE);
	spec.tests_ns = 1e9;
	assert_float_equal(full_ns(&infiniband, &spec), without, EXACT_TOLERANCE);
}

/* --------------------------------------------------- who takes the processor */

/*
 * A progress thread has a share X of the core while rank 0's requests are open, until E; computation from o on then
 * goes on with 1 - X: it ends at o + c / (1 - X) if that is before E, else at o + c + X (E - o).  The kernel `time` ends
 * at o + c.
 */
static double computed_ns(const struct letters *x, double X, double E, enum kernel kernel)
{
	if (kernel == KERNEL_TIME)
		return x->o + x->c;
	return x->o + fmin(x->c / (1 - X), x->c + X * fmax(0, E - x->o));
}

/* The sender's request is complete at o (eager) or 2 o + 4 L + B, the receive at 2 o + L + B or 2 o + 3 L + B. */
static struct exact sender_beside_thread(const struct letters *x,
					 const struct fake_network *network,
					 const struct cell_spec *spec)
{
	const double comm = 2 * x->o + (x->eager ? 1 : 3) * x->L + x->B;
	const double computed = computed_ns(x, network->thread_share, x->eager ? x->o : comm + x->L,
					    spec->kernel);
	const double full = fmax(computed, comm + x->o + x->L) + x->o;

	return (struct exact){comm, x->c, full, full - x->l};
}

/* The receive is complete at 4 o + 2 L + B (eager), 4 o + 4 L + B. */
static struct exact receiver_beside_thread(const struct letters *x,
					   const struct fake_network *network,
					   const struct cell_spec *spec)
{
	const double comm = 2 * x->o + (x->eager ? 1 : 3) * x->L + x->B;
	const double received = comm + x->l;
	const double full = fmax(computed_ns(x, network->thread_share, received, spec->kernel),
				 received);

	return (struct exact){comm, x->c, full, full - x->l};
}

static void a_progress_thread_costs_work_and_no_time(void **state)
{
	const struct fake_network network = {.thread_share = 0.25};
	struct cell_spec spec = cell_spec_of(BENCH_SENDER, 0, 0);

	(void)state;
	for (enum kernel kernel = 0; kernel < KERNEL_COUNT; kernel++) {
		spec.kernel = kernel;
		spec.bench = BENCH_SENDER;
		check_exact_plane(network, spec, sender_beside_thread);
		spec.bench = BENCH_RECEIVER;
		check_exact_plane(network, spec, receiver_beside_thread);
	}
}

/* The ratio of long messages beside a longer computation. */
static double long_ratio(const struct fake_network *network, enum bench bench, enum kernel kernel)
{
	struct cell_spec spec = cell_spec_of(bench, 32 << 20, 10e6);
	struct cell cell;
	double ratio;

	spec.kernel = kernel;
	cell = measure_cell(network, 2, 3, &spec);
	ratio = cell_ratio(&cell);
	cell_release(&cell);
	return ratio;
}

static void the_ratio_of_work_beside_a_progress_thread_is_its_share_of_the_core(void **state)
{
	struct fake_network network = infiniband;

	(void)state;
	network.calls_only = false;
	for (network.thread_share = 0; network.thread_share < 1; network.thread_share += 0.25) {
		const double share = network.thread_share;

		assert_float_equal(long_ratio(&network, BENCH_SENDER, KERNEL_WORK), share, 0.002);
		assert_float_equal(long_ratio(&network, BENCH_RECEIVER, KERNEL_WORK), share, 0.002);
		assert_float_equal(long_ratio(&network, BENCH_SENDER, KERNEL_TIME), 0, 0.002);
		assert_float_equal(long_ratio(&network, BENCH_RECEIVER, KERNEL_TIME), 0, 0.002);
	}
}

/* Another process has a share x of the core: the work takes c / (1 - x), alone and beside communication. */
static struct exact put_on_a_shared_core(const struct letters *x,
					 const struct fake_network *network,
					 const struct cell_spec *spec)
{
	const double comm = x->o + 2 * x->L + x->B;
	const double comp = spec->kernel == KERNEL_TIME ? x->c : x->c / (1 - network->duty);
	const double full = fmax(x->o + comp, comm);

	return (struct exact){comm, comp, full, full};
}

static void a_busy_core_lengthens_work_and_not_time(void **state)
{
	struct cell_spec spec = cell_spec_of(BENCH_PUT, 0, 0);

	(void)state;
	for (enum kernel kernel = 0; kernel < KERNEL_COUNT; kernel++) {
		spec.kernel = kernel;
		check_exact_plane((struct fake_network){.duty = 0.3}, spec, put_on_a_shared_core);
	}
}

static void both_kernels_agree_where_nobody_takes_the_processor(void **state)
{
	struct fake_network network = infiniband;

	(void)state;
	for (int calls = 0; calls < 2; calls++)
		for (enum bench bench = BENCH_SENDER; bench <= BENCH_CPU; bench++) {
			struct cell_spec spec = cell_spec_of(bench, 1 << 20, 70e3);
			double work;

			network.calls_only = calls;
			work = full_ns(&network, &spec);
			spec.kernel = KERNEL_TIME;
			assert_float_equal(full_ns(&network, &spec), work, EXACT_TOLERANCE);
		}
}

/* ----------------------------------------------------------- worse than serial */

/*
 * The sender writes at w_S = 2 o + 2 L, or d after the end of its computation if that is later; the receive ends
 * o + L + B later, and the answer is there after another o + L + o.
 */
static struct exact late_sender(const struct letters *x, const struct fake_network *network,
				const struct cell_spec *spec)
{
	const double w = x->c > x->o + 2 * x->L ? x->o + x->c + network->late_ns
						: 2 * x->o + 2 * x->L;
	const double full = x->eager ? fmax(2 * x->o + x->c, 4 * x->o + 2 * x->L + x->B)
				     : w + 3 * x->o + 2 * x->L + x->B;

	(void)spec;
	return (struct exact){x->eager ? x->l + x->B : 3 * x->o + 3 * x->L + x->B, x->c, full,
			      full - x->l};
}

static void a_penalty_for_late_progress_is_added_to_serialised_cells(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE,
						.calls_only = true,
						.late_ns = 40e3},
			  cell_spec_of(BENCH_SENDER, 0, 0), late_sender);
}

static void the_ratio_grows_by_the_penalty_divided_by_the_shorter_part(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_SENDER, 1 << 20, 200e3);
	struct cell serial, late;

	(void)state;
	network.protocol = FAKE_WRITE;
	serial = measure_cell(&network, 2, 3, &spec);
	network.late_ns = 10e3;
	late = measure_cell(&network, 2, 3, &spec);
	assert_float_equal(cell_ratio(&late) - cell_ratio(&serial), 10e3 / serial.comm.median,
			   EXACT_TOLERANCE);
	assert_float_equal(cell_ratio(&serial), 1, 0.05);
	cell_release(&serial);
	cell_release(&late);
}

/* ------------------------------------------------------------------ one-sided */

/* The answer of the network card is back at o + 2 L + B: full = max(o + c, o + 2 L + B). */
static struct exact access_beside_computation(const struct letters *x,
					      const struct fake_network *network,
					      const struct cell_spec *spec)
{
	const double comm = x->o + 2 * x->L + x->B, full = fmax(x->o + x->c, comm);

	(void)network;
	(void)spec;
	return (struct exact){comm, x->c, full, full};
}

static void puts_and_gets_overlap_on_their_origin(void **state)
{
	(void)state;
	for (int calls = 0; calls < 2; calls++) {
		const struct fake_network network = {.calls_only = calls, .rma_in_calls = calls};

		check_exact_plane(network, cell_spec_of(BENCH_PUT, 0, 0),
				  access_beside_computation);
		check_exact_plane(network, cell_spec_of(BENCH_GET, 0, 0),
				  access_beside_computation);
	}
}

/*
 * Rank 0, the target, notifies rank 1 until o, computes until o + c, and waits.  Rank 1 knows at 2 o + L, and the put or the
 * request of the get leaves at 3 o + L.  A target that serves in calls only does so at o + c, if it arrives before.  A put
 * arrives after L + B, and its answer takes L; a get arrives after L, and its data take L + B.  Then rank 1 notifies
 * rank 0, which knows o + L + o later.  Both notices are no part of T_measured: full - 2 l.
 */
static double target_full_ns(const struct letters *x, const struct fake_network *network,
			     const struct cell_spec *spec)
{
	const bool put = spec->bench == BENCH_PUT_TARGET;
	const double arrived = 3 * x->o + 2 * x->L + (put ? x->B : 0);
	const double served = network->rma_in_calls ? fmax(arrived, x->o + x->c) : arrived;
	const double flushed = served + x->L + (put ? 0 : x->B);

	return fmax(x->o + x->c, flushed + x->o + x->L) + x->o;
}

static void check_target(const struct fake_network *network, const struct cell_spec *spec)
{
	const struct letters x = letters_of(network, spec);
	const double full = target_full_ns(&x, network, spec), comm = x.o + 2 * x.L + x.B;
	struct cell cell = measure_cell(network, 2, 3, spec);

	must_be_exact(spec, "T_comm", cell.comm.median, comm);
	must_be_exact(spec, "T_comp", cell.comp.median, x.c);
	must_be_exact(spec, "the full sequence", cell.full.median, full);
	must_be_exact(spec, "the ratio", cell_ratio(&cell), exact_ratio(full - 2 * x.l, comm, x.c));
	must_be_exact(spec, "the ratio of the sequence", cell_ratio_seq(&cell),
		      exact_ratio(full, comm + 2 * x.l, x.c));
	cell_release(&cell);
}

static void accesses_to_a_computing_target_are_exact(void **state)
{
	struct fake_network network = infiniband;

	(void)state;
	for (int calls = 0; calls < 2; calls++)
		for (uint64_t bytes = 1; bytes < 1 << 24; bytes *= 8)
			for (double c = 1e3; c < 1e8; c *= 4) {
				const struct cell_spec put = cell_spec_of(BENCH_PUT_TARGET, bytes,
									  c);
				const struct cell_spec get = cell_spec_of(BENCH_GET_TARGET, bytes,
									  c);

				network.calls_only = network.rma_in_calls = calls;
				check_target(&network, &put);
				check_target(&network, &get);
			}
}

/* The request waits for the end of the computation: (2 L + B) / (4 L + B) of T_comm is serialised, for small o. */
static void gets_from_a_target_that_serves_in_calls_only_never_overlap(void **state)
{
	const struct fake_network network = {
		.L = 1500, .o = 1, .G = 0.09, .S = 4096, .calls_only = true, .rma_in_calls = true};

	(void)state;
	for (uint64_t bytes = 1; bytes < 1 << 24; bytes *= 8) {
		const struct cell_spec spec = cell_spec_of(BENCH_GET_TARGET, bytes, 10e6);
		struct cell cell = measure_cell(&network, 2, 3, &spec);
		const struct letters x = letters_of(&network, &spec);

		assert_float_equal(cell_ratio_seq(&cell), (2 * x.L + x.B) / (4 * x.L + x.B), 0.01);
		cell_release(&cell);
	}
}

/* ---------------------------------------------------------------- collectives */

enum { RANKS = 5 };

/*
 * All ranks have joined at o; in calls only they take part in MPI_Wait, at o + c.  Rank r is done (r + 1)(2 o + L + B)
 * later, so that rank P - 1 is the slowest.
 */
static double collective_full_ns(const struct letters *x, unsigned rank)
{
	const double chain = (rank + 1) * (2 * x->o + x->L + x->B);

	return x->calls ? x->o + x->c + chain : fmax(x->o + x->c, x->o + chain);
}

static struct exact collective(const struct letters *x, const struct fake_network *network,
			       const struct cell_spec *spec)
{
	const double full = collective_full_ns(x, RANKS - 1);

	(void)network;
	(void)spec;
	return (struct exact){x->o + RANKS * (2 * x->o + x->L + x->B), x->c, full, full};
}

static void collectives_take_the_time_of_the_slowest_rank(void **state)
{
	struct fake_network network = infiniband;

	(void)state;
	for (int calls = 0; calls < 2; calls++)
		for (enum bench bench = BENCH_IBARRIER; bench < BENCH_COUNT; bench++)
			for (double c = 1e3; c < 1e7; c *= 3) {
				const struct cell_spec spec = cell_spec_of(bench, 4096, c);

				network.calls_only = calls;
				check_exact(&network, RANKS, &spec, collective);
			}
}

static void every_rank_of_a_collective_has_a_ratio(void **state)
{
	const struct cell_spec spec = cell_spec_of(BENCH_IALLREDUCE, 4096, 5e3);
	struct fake_network network = infiniband;

	(void)state;
	for (int calls = 0; calls < 2; calls++) {
		struct letters x;
		struct cell cell;

		network.calls_only = calls;
		x = letters_of(&network, &spec);
		cell = measure_cell(&network, RANKS, 3, &spec);
		assert_int_equal(cell.rank_count, RANKS);
		for (unsigned r = 0; r < RANKS; r++)
			assert_float_equal(cell.rank_ratios[r],
					   exact_ratio(collective_full_ns(&x, r),
						       x.o + (r + 1) * (x.l + x.B), x.c),
					   EXACT_TOLERANCE);
		cell_release(&cell);
	}
}

static void the_blocking_collective_is_timed_too(void **state)
{
	const struct cell_spec spec = cell_spec_of(BENCH_IBCAST, 4096, 5e3);
	struct fake_network network = infiniband;
	const struct letters x = letters_of(&network, &spec);
	struct cell cell;

	(void)state;
	network.blocking_share = 0.5;
	cell = measure_cell(&network, RANKS, 3, &spec);
	assert_float_equal(cell.blocking.median, x.o + 0.5 * RANKS * (x.l + x.B), EXACT_TOLERANCE);
	cell_release(&cell);
}

/* --------------------------------------------------------------------- threads */

/* Each rank waits once for a core, for n slices.  Where T_measured is half of a round trip, it has one of these waits. */
static void check_slowdown(const struct fake_network *network, struct cell_spec spec)
{
	const struct letters x = letters_of(network, &spec);
	const double comm = 2 * x.o + (x.eager ? 1 : 3) * x.L + x.B;
	const double waits = spec.side == SIDE_BOTH ? 1 : 2;
	struct cell cell = measure_cell(network, 2, 3, &spec);

	must_be_exact(&spec, "T_comm", cell.comm.median, comm);
	must_be_exact(&spec, "the slowdown", cell_slowdown(&cell),
		      waits * spec.threads * network->slice_ns / comm);
	assert_int_equal(cell.comp.count, 0);
	assert_true(isnan(cell_ratio(&cell)));
	cell_release(&cell);
}

static void threads_slow_messages_down_by_the_slices_they_wait(void **state)
{
	struct fake_network network = infiniband;
	struct cell_spec spec = cell_spec_of(BENCH_NLOAD, 0, 0);

	(void)state;
	network.slice_ns = 4e6;
	for (spec.side = 0; spec.side < SIDE_COUNT; spec.side++)
		for (spec.threads = 0; spec.threads < 4; spec.threads++)
			for (spec.bytes = 8; spec.bytes < 1 << 20; spec.bytes *= 32)
				check_slowdown(&network, spec);
}

/* ---------------------------------------------------------------------- limits */

/* Known from the equations: T_measured = c + L + B, so that the ratio is (L + B) / (2 o + 3 L + B) for long c. */
static void zero_and_one_are_limits_for_long_messages(void **state)
{
	static const struct {
		double share_of_L, ratio;
	} known[] = {{2, 0.58}, {1000, 0.998}};
	const struct fake_network network = {.L = 12000, .o = 1000, .G = 1, .calls_only = true};

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct cell_spec spec = cell_spec_of(BENCH_RECEIVER,
							   (uint64_t)(known[i].share_of_L * 12000),
							   1e9);
		struct cell cell = measure_cell(&network, 2, 3, &spec);

		assert_float_equal(cell_ratio(&cell), known[i].ratio, 0.001);
		cell_release(&cell);
	}
}

/* Without overheads everything is hidden: full = max(c, 2 L) on one side, the ratio is -min(1, (c - L) / L) for c > L. */
static void a_hidden_answer_makes_the_ratio_negative_but_not_that_of_the_sequence(void **state)
{
	const struct fake_network network = {.L = 10e6, .S = 4096, .calls_only = true};

	(void)state;
	for (enum bench bench = BENCH_SENDER; bench <= BENCH_BOTH; bench++)
		for (double c = 1e6; c < 1e9; c *= 1.7) {
			const struct cell_spec spec = cell_spec_of(bench, 8, c);
			struct cell cell = measure_cell(&network, 2, 3, &spec);
			const double hidden = bench == BENCH_BOTH
						      ? 0
						      : fmin(1, (c - network.L) / network.L);

			must_be_exact(&spec, "the ratio of the sequence", cell_ratio_seq(&cell), 0);
			must_be_exact(&spec, "the ratio", cell_ratio(&cell), -fmax(0, hidden));
			cell_release(&cell);
		}
}

static void doubling_the_computation_of_serialised_cells_adds_exactly_its_time(void **state)
{
	static const enum bench benches[] = {BENCH_SENDER, BENCH_RECEIVER, BENCH_CPU,
					     BENCH_PERSISTENT_SEND, BENCH_PERSISTENT_RECV};
	struct fake_network network = infiniband;

	(void)state;
	network.protocol = FAKE_WRITE;
	for (int b = 0; b < 5; b++)
		for (double c = 4e3; c < 1e8; c *= 2) {
			struct cell_spec spec = cell_spec_of(benches[b], 65536, c);
			const double once = full_ns(&network, &spec);

			spec.compute_ns = 2 * c;
			must_be_exact(&spec, "what twice the computation adds",
				      full_ns(&network, &spec) - once, c);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(partitioned_messages_are_as_others),
		cmocka_unit_test(blocking_sends_are_serialised_on_any_network),
		cmocka_unit_test(messages_to_nobody_take_no_time_and_have_no_ratio),
		cmocka_unit_test(messages_at_once_share_the_network_card),
		cmocka_unit_test(tests_in_the_computation_let_a_serialised_receiver_overlap),
		cmocka_unit_test(tests_after_the_computation_equal_no_tests),
		cmocka_unit_test(a_progress_thread_costs_work_and_no_time),
		cmocka_unit_test(
			the_ratio_of_work_beside_a_progress_thread_is_its_share_of_the_core),
		cmocka_unit_test(a_busy_core_lengthens_work_and_not_time),
		cmocka_unit_test(both_kernels_agree_where_nobody_takes_the_processor),
		cmocka_unit_test(a_penalty_for_late_progress_is_added_to_serialised_cells),
		cmocka_unit_test(the_ratio_grows_by_the_penalty_divided_by_the_shorter_part),
		cmocka_unit_test(puts_and_gets_overlap_on_their_origin),
		cmocka_unit_test(accesses_to_a_computing_target_are_exact),
		cmocka_unit_test(gets_from_a_target_that_serves_in_calls_only_never_overlap),
		cmocka_unit_test(collectives_take_the_time_of_the_slowest_rank),
		cmocka_unit_test(every_rank_of_a_collective_has_a_ratio),
		cmocka_unit_test(the_blocking_collective_is_timed_too),
		cmocka_unit_test(threads_slow_messages_down_by_the_slices_they_wait),
		cmocka_unit_test(zero_and_one_are_limits_for_long_messages),
		cmocka_unit_test(
			a_hidden_answer_makes_the_ratio_negative_but_not_that_of_the_sequence),
		cmocka_unit_test(
			doubling_the_computation_of_serialised_cells_adds_exactly_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
