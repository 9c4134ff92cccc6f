/*
 * The core of the overlap benchmark on networks in virtual time: benchmarks of two-sided messages.  Letters are those of
 * exact_cell.h.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/lib/exact_cell.h"

/* ------------------------------------------------------ one way, half a ping-pong */

/*
 * T_comm.  u is sent at 0, its receive is posted before.
 *
 * eager		e(v) = o + L + B + o
 * read		w_R = o + L, e(v) = w_R + o + 2 L + B.  The answer is announced at e(v) + o + L, after e(u) = e(v) + L
 * write	w_R = o + L, w_S = w_R + o + L, e(v) = w_S + o + L + B; the answer as above
 * pipeline	the chunks follow each other: e(v) as if eager
 * write first	e(v) = o + o + L + B.  Rank 0 posts its receive at e(u) = e(v) + L, so that rank 1, ready at e(v) + o, sends
 *		at e(v) + 2 L if that is later: half of e(v) + max(o, 2 L) + o + L + B
 */
static double one_way_ns(const struct letters *x, enum fake_protocol protocol)
{
	if (x->eager)
		return 2 * x->o + x->L + x->B;
	switch (protocol) {
	case FAKE_READ:
		return 2 * x->o + 3 * x->L + x->B;
	case FAKE_WRITE:
		return 3 * x->o + 3 * x->L + x->B;
	case FAKE_WRITE_FIRST:
		return (3 * x->o + 2 * x->L + 2 * x->B + fmax(x->o, 2 * x->L)) / 2;
	default:
		return 2 * x->o + x->L + x->B;
	}
}

/* -------------------------------------------------------------------- sender */

/*
 * Rank 0 computes from o to o + c, waits until e(u), and then for the answer, which rank 1 sends at e(v), so that it
 * arrives at A = e(v) + o + L:  full = max(o + c, e(u), A) + o, and e(u) <= A where the protocol ends with a notice.
 *
 * eager		e(v) = 2 o + L + B
 * read		e(v) = 2 o + 3 L + B; rank 0 is not needed
 * write	e(v) = w_S + o + L + B, w_S = 2 o + 2 L, in calls only max(2 o + 2 L, o + c)
 */
static double sender_received_ns(const struct letters *x, enum fake_protocol protocol)
{
	double write;

	if (x->eager)
		return 2 * x->o + x->L + x->B;
	if (protocol == FAKE_READ)
		return 2 * x->o + 3 * x->L + x->B;
	write = 2 * x->o + 2 * x->L;
	if (x->calls)
		write = fmax(write, x->o + x->c);
	return write + x->o + x->L + x->B;
}

static struct exact sender(const struct letters *x, const struct fake_network *network,
			   const struct cell_spec *spec)
{
	const double answer = sender_received_ns(x, network->protocol) + x->o + x->L;
	const double full = fmax(x->o + x->c, answer) + x->o;

	(void)spec;
	return (struct exact){one_way_ns(x, network->protocol), x->c, full, full - x->l};
}

static void asynchronous_messages_overlap_on_the_sender_by_either_protocol(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ},
			  cell_spec_of(BENCH_SENDER, 0, 0), sender);
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE},
			  cell_spec_of(BENCH_SENDER, 0, 0), sender);
}

static void the_sender_overlaps_where_the_receiver_reads(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ, .calls_only = true},
			  cell_spec_of(BENCH_SENDER, 0, 0), sender);
}

static void the_sender_serialises_where_it_writes_after_an_answer(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE, .calls_only = true},
			  cell_spec_of(BENCH_SENDER, 0, 0), sender);
}

static void persistent_sends_are_as_others(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE, .calls_only = true},
			  cell_spec_of(BENCH_PERSISTENT_SEND, 0, 0), sender);
}

/* The receive is announced before, but rank 0 writes in MPI_Wait only: e(v) = o + c + o + L + B. */
static struct exact sender_of_write_first(const struct letters *x,
					  const struct fake_network *network,
					  const struct cell_spec *spec)
{
	const double received = (x->eager ? x->o : 2 * x->o + x->c) + x->L + x->B + x->eager * x->o;
	const double full = fmax(x->o + x->c, received + x->o + x->L) + x->o;

	(void)spec;
	return (struct exact){one_way_ns(x, network->protocol), x->c, full, full - x->l};
}

static void the_sender_serialises_where_it_writes_in_waiting_only(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE_FIRST, .calls_only = true},
			  cell_spec_of(BENCH_SENDER, 0, 0), sender_of_write_first);
}

/* ------------------------------------------------------------------ receiver */

/*
 * Rank 0 notifies rank 1 until o, and posts its receive.  Rank 1 has the notice at 2 o + L, and has posted its send at
 * 3 o + L.  Rank 0 computes from o to o + c: full = max(o + c, e(v)).
 *
 * eager, pipeline	e(v) = 3 o + L + L + B + o
 * read		announced at 3 o + 2 L: e(v) = w_R + o + 2 L + B, in calls only w_R = max(3 o + 2 L, o + c)
 * write	w_R as above, then the answer (o + L) and the data (o + L + B)
 * write first	the receive is known to rank 1 at o + L, before it sends: e(v) = 3 o + L + o + L + B
 */
static double receiver_received_ns(const struct letters *x, enum fake_protocol protocol)
{
	double matched = 3 * x->o + 2 * x->L;

	if (x->eager || protocol == FAKE_PIPELINE || protocol == FAKE_WRITE_FIRST)
		return 4 * x->o + 2 * x->L + x->B;
	if (x->calls)
		matched = fmax(matched, x->o + x->c);
	return matched + (protocol == FAKE_READ ? x->o : 2 * x->o) + 2 * x->L + x->B;
}

static struct exact receiver(const struct letters *x, const struct fake_network *network,
			     const struct cell_spec *spec)
{
	const double full = fmax(x->o + x->c, receiver_received_ns(x, network->protocol));

	(void)spec;
	return (struct exact){one_way_ns(x, network->protocol), x->c, full, full - x->l};
}

static void asynchronous_messages_overlap_on_the_receiver_by_any_protocol(void **state)
{
	(void)state;
	for (enum fake_protocol protocol = FAKE_READ; protocol <= FAKE_PIPELINE; protocol++)
		if (protocol != FAKE_WRITE_FIRST)
			check_exact_plane((struct fake_network){.protocol = protocol},
					  cell_spec_of(BENCH_RECEIVER, 0, 0), receiver);
}

static void the_receiver_serialises_where_it_reads(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ, .calls_only = true},
			  cell_spec_of(BENCH_RECEIVER, 0, 0), receiver);
}

static void the_receiver_serialises_where_it_answers_an_announcement(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE, .calls_only = true},
			  cell_spec_of(BENCH_RECEIVER, 0, 0), receiver);
}

static void the_receiver_overlaps_where_its_post_starts_the_write(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE_FIRST, .calls_only = true},
			  cell_spec_of(BENCH_RECEIVER, 0, 0), receiver);
}

static void persistent_receives_are_as_others(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ, .calls_only = true},
			  cell_spec_of(BENCH_PERSISTENT_RECV, 0, 0), receiver);
}

/* The notice arrives at 3 o + 2 L + B, but the copy waits for MPI_Wait: max(3 o + 2 L + B, o + c) + o. */
static struct exact receiver_that_copies(const struct letters *x,
					 const struct fake_network *network,
					 const struct cell_spec *spec)
{
	const double arrived = 3 * x->o + 2 * x->L + x->B;
	const double full = x->eager ? fmax(arrived, x->o + x->c) + x->o
				     : fmax(x->o + x->c, receiver_received_ns(x, FAKE_READ));

	(void)spec;
	return (struct exact){one_way_ns(x, network->protocol), x->c, full, full - x->l};
}

static void copies_of_eager_messages_in_waiting_cost_their_overhead(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ,
						.calls_only = true,
						.eager_in_calls = true},
			  cell_spec_of(BENCH_RECEIVER, 0, 0), receiver_that_copies);
}

/* ---------------------------------------------------------------------- both */

/*
 * Rank 1 posts its receive at -D, computes until c - D, and waits until W1.  Then it sends, and computes until
 * W1 + o + c.  Rank 0 sends, computes until o + c, waits until W0, posts its receive, computes until W0 + c, and waits.
 *
 * eager, W1 = max(c - D, 2 o + L + B), W0 = o + c.  The second message arrives at W1 + o + L + B.
 */
static double both_eager_ns(const struct letters *x)
{
	const double W1 = fmax(x->c - x->D, 2 * x->o + x->L + x->B), W0 = x->o + x->c;

	return fmax(W0 + x->c, fmax(W0, W1 + x->o + x->L + x->B) + x->o);
}

/*
 * read, m1 = o + L, in calls only max(o + L, c - D).  W1 = max(c - D, m1 + o + 2 L + B), W0 = max(o + c, m1 + o + 3 L + B).  The
 * second message is announced at R = W1 + o + L.  In calls only it matches at once if it is there as rank 0 posts
 * its receive, else in the call in which it arrives, or the next one: max(R, W0 + c).
 */
static double both_read_ns(const struct letters *x)
{
	const double m1 = x->calls ? fmax(x->o + x->L, x->c - x->D) : x->o + x->L;
	const double e1 = m1 + x->o + 2 * x->L + x->B;
	const double W1 = fmax(x->c - x->D, e1), W0 = fmax(x->o + x->c, e1 + x->L);
	const double R = W1 + x->o + x->L;
	const double m0 = R <= W0 || !x->calls ? fmax(R, W0) : fmax(R, W0 + x->c);

	return fmax(W0 + x->c, m0 + x->o + 2 * x->L + x->B);
}

/*
 * write, in calls only: answered at a1 = max(o + L, c - D), known to rank 0 at a1 + o + L, written at
 * w1 = max(a1 + o + L, o + c), W1 = w1 + o + L + B, W0 = W1 + L.  The second is announced at W1 + o + L, after W0, and
 * answered at a0 = max(W1 + o + L, W0 + c); rank 1 waits from W1 + o + c on.
 */
static double both_write_ns(const struct letters *x)
{
	const double a1 = fmax(x->o + x->L, x->c - x->D);
	const double w1 = fmax(a1 + x->o + x->L, x->o + x->c);
	const double W1 = w1 + x->o + x->L + x->B, W0 = W1 + x->L;
	const double a0 = fmax(W1 + x->o + x->L, W0 + x->c);
	const double w0 = fmax(a0 + x->o + x->L, W1 + x->o + x->c);

	return w0 + x->o + x->L + x->B;
}

static struct exact both(const struct letters *x, const struct fake_network *network,
			 const struct cell_spec *spec)
{
	const double full = x->eager			     ? both_eager_ns(x)
			    : network->protocol == FAKE_READ ? both_read_ns(x)
							     : both_write_ns(x);

	(void)spec;
	return (struct exact){one_way_ns(x, network->protocol), x->c, full, full / 2};
}

static void both_sides_are_exact_asynchronously_and_in_calls_only(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ},
			  cell_spec_of(BENCH_BOTH, 0, 0), both);
	check_exact_plane((struct fake_network){.protocol = FAKE_READ, .calls_only = true},
			  cell_spec_of(BENCH_BOTH, 0, 0), both);
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE, .calls_only = true},
			  cell_spec_of(BENCH_BOTH, 0, 0), both);
}

/* ------------------------------------------------- non-contiguous, CPU overhead */

/*
 * A vector: the sender packs s p ns in the call that posts.  Above S, k bytes leave with it, from h = o + s p on, until
 * h + (k - 1) G; the others follow in MPI_Wait, at w = max(h + c, h + (k - 1) G):
 * e(v) = w + (s - k) G + L + o, and the answer takes o + L + o.
 */
static struct exact vector_in_chunks(const struct letters *x, const struct fake_network *network,
				     const struct cell_spec *spec)
{
	const double k = (double)network->first_bytes, pack = x->s * network->pack_ns;
	const double h = x->o + pack, w = fmax(h + x->c, h + (k - 1) * x->G);
	const double received = (x->eager ? h + x->B : w + (x->s - k) * x->G) + x->L + x->o;
	const double full = fmax(h + x->c, received + x->o + x->L) + x->o;

	(void)spec;
	return (struct exact){2 * x->o + x->L + x->B + pack, x->c, full, full - x->l};
}

static void only_the_first_chunk_of_a_vector_overlaps(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ,
						.vector_protocol = FAKE_PIPELINE,
						.first_bytes = 3072,
						.pack_ns = 0.02,
						.calls_only = true},
			  cell_spec_of(BENCH_NONCONTIG, 0, 0), vector_in_chunks);
}

static void a_vector_without_gaps_is_the_plane_of_the_sender(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE,
						.vector_protocol = FAKE_WRITE,
						.calls_only = true},
			  cell_spec_of(BENCH_NONCONTIG, 0, 0), sender);
}

static void sides_of_non_contiguous_data_are_those_of_contiguous_data(void **state)
{
	const struct fake_network network = {.vector_protocol = FAKE_READ, .calls_only = true};
	struct cell_spec spec = cell_spec_of(BENCH_NONCONTIG, 0, 0);

	(void)state;
	spec.side = SIDE_RECEIVER;
	check_exact_plane(network, spec, receiver);
	spec.side = SIDE_BOTH;
	check_exact_plane(network, spec, both);
}

/*
 * CPU overhead: nobody answers, T_comm = e(u), full = max(o + c, e(u)).
 *
 * eager	e(u) = o
 * read	e(u) = 2 o + 4 L + B
 * write	e(u) = w_S + o + 2 L + B, with w_S = 2 o + 2 L, beside computation in calls only max(2 o + 2 L, o + c)
 */
static struct exact cpu(const struct letters *x, const struct fake_network *network,
			const struct cell_spec *spec)
{
	const bool reads = network->protocol == FAKE_READ;
	const double w_S = 2 * x->o + 2 * x->L, left = x->o + 2 * x->L + x->B;
	const double comm = x->eager ? x->o : (reads ? x->o + 2 * x->L : w_S) + left;
	const double late = x->eager || reads || !x->calls ? comm : fmax(w_S, x->o + x->c) + left;
	const double full = fmax(x->o + x->c, late);

	(void)spec;
	return (struct exact){comm, x->c, full, full};
}

static void the_overhead_on_the_processor_is_exact(void **state)
{
	(void)state;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ, .calls_only = true},
			  cell_spec_of(BENCH_CPU, 0, 0), cpu);
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE, .calls_only = true},
			  cell_spec_of(BENCH_CPU, 0, 0), cpu);
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE},
			  cell_spec_of(BENCH_CPU, 0, 0), cpu);
}

/* The receiver: rank 0 notifies rank 1, as in the benchmark of that side, and T_comm has the notice, too. */
static struct exact cpu_of_receiver(const struct letters *x, const struct fake_network *network,
				    const struct cell_spec *spec)
{
	const double full = fmax(x->o + x->c, receiver_received_ns(x, network->protocol));
	const double comm = one_way_ns(x, network->protocol) + x->l;

	(void)spec;
	return (struct exact){comm, x->c, full, full};
}

static void the_overhead_of_a_receiver_is_that_of_a_message_which_it_expects(void **state)
{
	struct cell_spec spec = cell_spec_of(BENCH_CPU, 0, 0);

	(void)state;
	spec.side = SIDE_RECEIVER;
	check_exact_plane((struct fake_network){.protocol = FAKE_READ, .calls_only = true}, spec,
			  cpu_of_receiver);
	check_exact_plane((struct fake_network){.protocol = FAKE_WRITE}, spec, cpu_of_receiver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asynchronous_messages_overlap_on_the_sender_by_either_protocol),
		cmocka_unit_test(the_sender_overlaps_where_the_receiver_reads),
		cmocka_unit_test(the_sender_serialises_where_it_writes_after_an_answer),
		cmocka_unit_test(persistent_sends_are_as_others),
		cmocka_unit_test(the_sender_serialises_where_it_writes_in_waiting_only),
		cmocka_unit_test(asynchronous_messages_overlap_on_the_receiver_by_any_protocol),
		cmocka_unit_test(the_receiver_serialises_where_it_reads),
		cmocka_unit_test(the_receiver_serialises_where_it_answers_an_announcement),
		cmocka_unit_test(the_receiver_overlaps_where_its_post_starts_the_write),
		cmocka_unit_test(persistent_receives_are_as_others),
		cmocka_unit_test(copies_of_eager_messages_in_waiting_cost_their_overhead),
		cmocka_unit_test(both_sides_are_exact_asynchronously_and_in_calls_only),
		cmocka_unit_test(only_the_first_chunk_of_a_vector_overlaps),
		cmocka_unit_test(a_vector_without_gaps_is_the_plane_of_the_sender),
		cmocka_unit_test(sides_of_non_contiguous_data_are_those_of_contiguous_data),
		cmocka_unit_test(the_overhead_on_the_processor_is_exact),
		cmocka_unit_test(the_overhead_of_a_receiver_is_that_of_a_message_which_it_expects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
