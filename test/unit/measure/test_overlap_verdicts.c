/* Verdicts on cells that the core of the overlap benchmark has measured on networks in virtual time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "measure/cells/verdict.h"
#include "measure/link/threshold.h"
#include "test/unit/lib/exact_cell.h"
#include "test/unit/lib/must.h"

#include <string.h>

static struct error err;

/* So fast that messages just above S are long compared with latency and overhead. */
static const struct fake_network network = {
	.L = 100, .o = 10, .G = 1, .S = 4096, .calls_only = true};

/* Measure a plane: sizes around S, computations from shorter to longer than all messages. */
static void add_plane(struct cells_file *file, const struct fake_network *on, enum bench bench,
		      enum kernel kernel)
{
	static const uint64_t sizes[] = {1024,	2048,  2880,  4096,   5760,   8192,
					 32768, 65536, 92672, 131072, 1 << 20};
	static const double computations[] = {5e3, 150e3, 3e6};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t j = 0; j < sizeof computations / sizeof *computations; j++) {
			struct cell_spec spec = cell_spec_of(bench, sizes[i], computations[j]);

			spec.kernel = kernel;
			MUST(array_push(&file->cells, measure_cell(on, 2, 7, &spec), &err));
		}
}

static void release(struct cells_file *file)
{
	for (size_t i = 0; i < file->cells.count; i++)
		cell_release(&file->cells.items[i]);
	array_release(&file->cells);
}

/* -------------------------------------------------------------------- classes */

static void must_be_class(const struct size_class *class, enum bench bench, uint64_t from,
			  uint64_t to, enum verdict verdict)
{
	assert_int_equal(class->like.bench, bench);
	assert_int_equal(class->from, from);
	assert_int_equal(class->to, to);
	assert_string_equal(verdict_names[class->verdict], verdict_names[verdict]);
	assert_int_equal(class->uncertain, 0);
}

static void the_stripe_of_eager_messages_ends_at_the_threshold(void **state)
{
	static const struct {
		uint64_t S, last, next;
	} limits[] = {{4096, 4096, 5760}, {65536, 65536, 92672}};
	struct fake_network on = network;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct cells_file file = {0};
		struct size_classes classes = {0};

		on.S = limits[i].S;
		add_plane(&file, &on, BENCH_SENDER, KERNEL_WORK);
		add_plane(&file, &on, BENCH_RECEIVER, KERNEL_WORK);
		MUST(size_classes_find(&file, &classes, &err));
		assert_int_equal(classes.count, 3);
		must_be_class(&classes.items[0], BENCH_SENDER, 1024, 1 << 20, VERDICT_OVERLAPPED);
		must_be_class(&classes.items[1], BENCH_RECEIVER, 1024, limits[i].last,
			      VERDICT_OVERLAPPED);
		must_be_class(&classes.items[2], BENCH_RECEIVER, limits[i].next, 1 << 20,
			      VERDICT_SERIALISED);
		array_release(&classes);
		release(&file);
	}
}

static void a_peer_that_is_late_is_harmful(void **state)
{
	struct fake_network on = network;
	struct cells_file file = {0};
	struct size_classes classes = {0};

	(void)state;
	on.protocol = FAKE_WRITE;
	on.late_ns = 1e6;
	add_plane(&file, &on, BENCH_SENDER, KERNEL_WORK);
	MUST(size_classes_find(&file, &classes, &err));
	assert_int_equal(classes.count, 2);
	must_be_class(&classes.items[0], BENCH_SENDER, 1024, 4096, VERDICT_OVERLAPPED);
	must_be_class(&classes.items[1], BENCH_SENDER, 5760, 1 << 20, VERDICT_HARMFUL);
	array_release(&classes);
	release(&file);
}

static void shares_of_messages_change_at_the_threshold(void **state)
{
	struct cells_file file = {0};
	struct overlap_shares shares = {0};

	(void)state;
	add_plane(&file, &network, BENCH_RECEIVER, KERNEL_WORK);
	MUST(overlap_shares_find(&file, BENCH_RECEIVER, &shares, &err));
	for (size_t i = 0; i < shares.count; i++) {
		if (shares.items[i].to <= network.S)
			assert_float_equal(shares.items[i].share, 1, 0.05);
		if (shares.items[i].from > network.S)
			assert_float_equal(shares.items[i].share, 0, 0.05);
	}
	array_release(&shares);
	release(&file);
}

/* --------------------------------------------- the threshold, found otherwise */

/* A link between the ranks of a fake network. */
struct link {
	const struct fake_network *network;
	uint64_t bytes, least_ns;
	bool early;
};

uint64_t link_now_ns(const struct link *link)
{
	(void)link;
	return 0;
}

/* Rank 1 receives after the time. */
static void send_to_late_receiver(struct port *port, void *data)
{
	struct link *link = data;
	const struct cell_spec spec = cell_spec_of(BENCH_SENDER, link->bytes,
						   (double)link->least_ns);
	const struct port_methods *methods = port->methods;

	if (methods->prepare(port, &spec, false, &err) < 0)
		return;
	if (port->rank == 0) {
		methods->perform(port, OP_SEND, LAYOUT_CONTIGUOUS);
		link->early = methods->now_ns(port) < (double)link->least_ns;
	} else {
		methods->perform(port, OP_COMPUTE, LAYOUT_CONTIGUOUS);
		methods->perform(port, OP_RECV, LAYOUT_CONTIGUOUS);
	}
	methods->finish(port);
}

bool link_completes_early(struct link *link, uint64_t bytes, uint64_t least_ns)
{
	link->bytes = bytes;
	link->least_ns = least_ns;
	fake_play(link->network, 2, send_to_late_receiver, link);
	return link->early;
}

static void the_stripe_ends_where_sends_begin_to_wait_for_receives(void **state)
{
	struct fake_network on = network;

	(void)state;
	for (on.S = 4096; on.S <= 65536; on.S *= 16) {
		struct link link = {.network = &on};
		const struct threshold S = threshold_find(&link, 2 * MOST_BYTES * on.G, UINT64_MAX);
		struct cells_file file = {0};
		struct size_classes classes = {0};

		add_plane(&file, &on, BENCH_RECEIVER, KERNEL_WORK);
		MUST(size_classes_find(&file, &classes, &err));
		assert_int_equal(S.eager, on.S);
		assert_int_equal(S.waiting, on.S + 1);
		assert_true(classes.items[0].to <= S.eager && classes.items[1].from >= S.waiting);
		array_release(&classes);
		release(&file);
	}
}

/* ------------------------------------------------------- classes of libraries */

static void must_be_library(const struct fake_network *on, bool one_host, const char *name)
{
	struct cells_file file = {.header = {.S_low = on->S, .S_high = on->S + 1}};
	struct library_class class;

	file.header.one_host = one_host;
	for (enum bench bench = BENCH_SENDER; bench <= BENCH_RECEIVER; bench++) {
		add_plane(&file, on, bench, KERNEL_WORK);
		add_plane(&file, on, bench, KERNEL_TIME);
	}
	MUST(library_class_find(&file, &class, &err));
	assert_string_equal(class.name, name);
	release(&file);
}

static void libraries_are_told_by_who_has_to_be_in_a_call(void **state)
{
	struct fake_network on = network;

	(void)state;
	must_be_library(&on, false, "in calls of the receiver");
	on.protocol = FAKE_WRITE_FIRST;
	must_be_library(&on, false, "in calls of the sender");
	on.protocol = FAKE_WRITE;
	must_be_library(&on, false, "in calls only");
	on.late_ns = 1e6;
	must_be_library(&on, false, "harmful");
}

static void overlap_is_told_by_who_does_the_work(void **state)
{
	struct fake_network on = network;

	(void)state;
	on.calls_only = false;
	must_be_library(&on, false, "network card");
	must_be_library(&on, true, "copy by the peer");
	on.thread_share = 0.14;
	must_be_library(&on, false, "progress thread");
	on.thread_share = 0.5;
	must_be_library(&on, false, "progress thread");
}

/*
 * The thread takes a quarter of the core from the computation of kernel `work`, and nothing from the clock of `time`: from
 * o on, until the receive is complete at 4 o + 4 L + B.
 */
static void stolen_time_is_the_difference_of_the_kernels(void **state)
{
	struct fake_network on = network;
	struct cells_file file = {0};

	(void)state;
	on.calls_only = false;
	on.thread_share = 0.25;
	add_plane(&file, &on, BENCH_RECEIVER, KERNEL_WORK);
	add_plane(&file, &on, BENCH_RECEIVER, KERNEL_TIME);
	for (size_t i = 0; i < file.cells.count; i++) {
		const struct cell *cell = &file.cells.items[i];
		const struct letters x = letters_of(&on, &cell->spec);
		const double stolen = cell_stolen_ns(&file, cell);

		if (cell->spec.kernel == KERNEL_TIME)
			assert_true(isnan(stolen));
		else if (cell_decides(cell) && !x.eager)
			must_be_exact(&cell->spec, "the stolen time", stolen,
				      0.25 * (3 * x.o + 4 * x.L + x.B));
	}
	release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stripe_of_eager_messages_ends_at_the_threshold),
		cmocka_unit_test(a_peer_that_is_late_is_harmful),
		cmocka_unit_test(shares_of_messages_change_at_the_threshold),
		cmocka_unit_test(the_stripe_ends_where_sends_begin_to_wait_for_receives),
		cmocka_unit_test(libraries_are_told_by_who_has_to_be_in_a_call),
		cmocka_unit_test(overlap_is_told_by_who_does_the_work),
		cmocka_unit_test(stolen_time_is_the_difference_of_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
