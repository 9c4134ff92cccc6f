#include "test/unit/lib/make/fake_world.h"

#include <math.h>
#include <string.h>

static struct fake_rank *rank_of(struct port *port)
{
	return (struct fake_rank *)port;
}

static struct fake_rank *partner_of(struct fake_rank *rank)
{
	return &rank->world->ranks[rank->port.rank ^ 1];
}

/* ------------------------------------------------------------ time and calls */

static void sleep_for(struct fake_rank *rank, double ns)
{
	rank->wake_ns = rank->world->now_ns + ns;
	fake_yield(rank);
}

/* Be in a call for a time. */
static void call_for(struct fake_rank *rank, enum fake_call call, double ns)
{
	rank->call = call;
	sleep_for(rank, ns);
	rank->call = OUTSIDE_CALL;
}

/* Be in a call until something is zero. */
static void call_until_zero(struct fake_rank *rank, const unsigned *zero)
{
	const struct fake_world *world = rank->world;
	const double start_ns = world->now_ns;

	rank->call = IN_CALL;
	rank->until_zero = zero;
	fake_yield(rank);
	rank->until_zero = NULL;
	if (rank->loaded && world->now_ns > start_ns)
		sleep_for(rank, rank->spec.threads * world->network->slice_ns);
	rank->call = OUTSIDE_CALL;
}

static double now_ns(struct port *port)
{
	return rank_of(port)->world->now_ns;
}

static double cpu_ns(struct port *port)
{
	return now_ns(port) - rank_of(port)->away_ns;
}

/* ------------------------------------------------------------ synchronisation */

/* Wait until all ranks of the group are here. */
static void synchronise(struct fake_rank *rank, struct fake_group *group)
{
	const bool loaded = rank->loaded;

	rank->not_all_here = 1;
	if (++group->arrived == group->count) {
		group->arrived = 0;
		for (unsigned r = group->first; r < group->first + group->count; r++)
			rank->world->ranks[r].not_all_here = 0;
	}
	rank->loaded = false;
	call_until_zero(rank, &rank->not_all_here);
	rank->loaded = loaded;
}

/* Show bytes to all, and see those of all until the next synchronisation. */
static const void *const *show_all(struct fake_rank *rank, const void *bytes)
{
	rank->world->shown[rank->port.rank] = bytes;
	synchronise(rank, &rank->world->all);
	return rank->world->shown;
}

static void largest(struct port *port, double *values, size_t count)
{
	struct fake_rank *rank = rank_of(port);
	const void *const *shown = show_all(rank, values);

	for (unsigned r = 1; port->rank == 0 && r < port->size; r++)
		for (size_t i = 0; i < count; i++)
			values[i] = fmax(values[i], ((const double *)shown[r])[i]);
	synchronise(rank, &rank->world->all);
}

static void gather(struct port *port, double value, double *values)
{
	struct fake_rank *rank = rank_of(port);
	const void *const *shown = show_all(rank, &value);

	for (unsigned r = 0; port->rank == 0 && r < port->size; r++)
		values[r] = *(const double *)shown[r];
	synchronise(rank, &rank->world->all);
}

static void broadcast(struct port *port, void *bytes, size_t count)
{
	struct fake_rank *rank = rank_of(port);
	const void *const *shown = show_all(rank, bytes);

	if (port->rank != 0)
		memcpy(bytes, shown[0], count);
	synchronise(rank, &rank->world->all);
}

/* -------------------------------------------------------------------- rounds */

static bool is_collective(const struct fake_rank *rank)
{
	return rank->spec.bench >= BENCH_IBARRIER;
}

static struct fake_group *group_of(struct fake_rank *rank)
{
	struct fake_world *world = rank->world;

	return is_collective(rank) ? &world->all : &world->pairs[rank->port.rank / 2];
}

unsigned fake_rounds(const struct port *port)
{
	return group_of((struct fake_rank *)port)->rounds;
}

/* Whether every n-th round is this one; n = 0: never. */
static bool is_nth(unsigned round, unsigned n)
{
	return n && round % n == n - 1;
}

/* A number from -1 to 1 that is 0 in three of five rounds. */
static double jitter_of(unsigned round)
{
	const uint64_t random = (round + 1) * UINT64_C(0x9e3779b97f4a7c15);

	return (random >> 32) % 5 < 3 ? 0 : (double)(random >> 40) / 0x1p23 - 1;
}

static bool has_switch(const struct fake_network *network, const struct fake_group *group)
{
	const bool is_hit = is_nth(group->rounds + group->first / 2, network->switch_every);

	return network->switch_every && is_hit != network->switch_others;
}

/* Whether the system takes the processor from this rank of its group. */
static bool is_switched(const struct fake_rank *rank, const struct fake_group *group)
{
	const struct fake_network *network = rank->world->network;
	const unsigned turn = network->switch_every ? group->rounds / network->switch_every : 0;

	return has_switch(network, group) && turn % group->count == rank->port.rank - group->first;
}

/* Find what happens to a rank in the round. */
static void disturb(struct fake_rank *rank, const struct fake_group *group)
{
	const struct fake_network *network = rank->world->network;

	rank->delay_ns = 0;
	if (rank->port.rank == group->first && is_nth(group->rounds, network->outlier_every))
		rank->delay_ns += network->outlier_ns;
	if (is_switched(rank, group))
		rank->delay_ns += network->switch_ns;
}

static double begin_round(struct port *port, double rest_ns)
{
	struct fake_rank *rank = rank_of(port);
	const struct fake_network *network = rank->world->network;
	struct fake_group *group = group_of(rank);
	const double pair_L = network->L + network->pair_L[port->rank / 2];

	synchronise(rank, group);
	disturb(rank, group);
	if (is_collective(rank))
		return now_ns(port);
	group->slowness = network->slow_after && group->rounds >= network->slow_after
				  ? network->slowness
				  : 1;
	group->L = group->slowness * pair_L + network->jitter_ns * jitter_of(group->rounds);
	/* The partner is ready as soon as it has answered, this rank when the answer is here. */
	if (port->rank % 2 == 0)
		call_for(rank, IN_CALL, pair_L + 2 * network->o + rest_ns);
	return now_ns(port);
}

static unsigned end_round(struct port *port)
{
	struct fake_rank *rank = rank_of(port);
	struct fake_group *group = group_of(rank);
	unsigned switches;

	synchronise(rank, group);
	switches = has_switch(rank->world->network, group);
	synchronise(rank, group);
	group->rounds += port->rank == group->first;
	return switches;
}

/* ---------------------------------------------------------------- operations */

static void post_send(struct fake_rank *rank, enum layout layout)
{
	const struct fake_network *network = rank->world->network;
	const double pack_ns = layout == LAYOUT_VECTOR ? (double)rank->spec.bytes * network->pack_ns
						       : 0;

	fake_requests(rank, KIND_DATA, 1);
	call_for(rank, IN_POST, network->o + pack_ns);
	fake_send(rank, partner_of(rank), KIND_DATA, rank->spec.bytes, layout);
}

static void post_receive(struct fake_rank *rank)
{
	fake_requests(rank, KIND_DATA, 1);
	fake_post(rank, partner_of(rank), KIND_DATA);
	call_for(rank, IN_POST, 0);
}

/* Begin all messages; blocking calls end before the next. */
static void begin_messages(struct fake_rank *rank, enum operation operation, enum layout layout)
{
	for (unsigned i = 0; i < rank->spec.pending; i++) {
		if (operation == OP_SEND || operation == OP_ISEND || operation == OP_START_SEND)
			post_send(rank, layout);
		else
			post_receive(rank);
		if (operation == OP_SEND || operation == OP_RECV)
			call_until_zero(rank, &rank->open[KIND_DATA]);
	}
}

static void notify(struct fake_rank *rank)
{
	fake_requests(rank, KIND_NOTICE, 1);
	call_for(rank, IN_CALL, rank->world->network->o);
	fake_send(rank, partner_of(rank), KIND_NOTICE, 0, LAYOUT_CONTIGUOUS);
	call_until_zero(rank, &rank->open[KIND_NOTICE]);
}

static void await(struct fake_rank *rank)
{
	fake_requests(rank, KIND_NOTICE, 1);
	fake_post(rank, partner_of(rank), KIND_NOTICE);
	call_until_zero(rank, &rank->open[KIND_NOTICE]);
}

static void access_window(struct fake_rank *rank, bool put)
{
	for (unsigned i = 0; i < rank->spec.pending; i++) {
		fake_requests(rank, KIND_RMA, 1);
		call_for(rank, IN_POST, rank->world->network->o);
		fake_access(rank, partner_of(rank), rank->spec.bytes, put);
	}
}

static void join_collective(struct fake_rank *rank, double share)
{
	fake_requests(rank, KIND_DATA, 1);
	call_for(rank, IN_POST, rank->world->network->o);
	fake_join(rank, rank->spec.bytes, share);
}

/* Compute for some time by the kernel's own measure. */
static void compute_for(struct fake_rank *rank, double ns)
{
	const double start_ns = rank->world->now_ns;
	const double slowness = rank->world->pairs[rank->port.rank / 2].slowness;

	if (rank->spec.kernel == KERNEL_TIME) {
		sleep_for(rank, ns);
	} else {
		fake_work_begin(rank, ns * slowness);
		fake_yield(rank);
	}
	rank->away_ns += (rank->world->now_ns - start_ns) * rank->world->network->duty;
}

/* The kernel `time` looks at the clock, which goes on in MPI_Test. */
static void compute_with_tests(struct fake_rank *rank)
{
	const double start_ns = rank->world->now_ns;
	const double all_ns = rank->spec.compute_ns, t_ns = rank->spec.tests_ns;
	double done_ns = 0;

	while (done_ns < all_ns) {
		compute_for(rank, fmin(t_ns, all_ns - done_ns));
		call_for(rank, IN_CALL, rank->world->network->test_ns);
		done_ns = rank->spec.kernel == KERNEL_TIME ? rank->world->now_ns - start_ns
							   : done_ns + t_ns;
	}
}

static void compute(struct fake_rank *rank)
{
	if (rank->spec.tests_ns > 0)
		compute_with_tests(rank);
	else
		compute_for(rank, rank->spec.compute_ns);
}

/* Do what an operation does before it waits. */
static void begin_operation(struct fake_rank *rank, enum operation operation, enum layout layout)
{
	switch (operation) {
	case OP_SEND:
	case OP_ISEND:
	case OP_START_SEND:
	case OP_RECV:
	case OP_IRECV:
	case OP_START_RECV:
		begin_messages(rank, operation, layout);
		return;
	case OP_NOTIFY:
		notify(rank);
		return;
	case OP_AWAIT:
		await(rank);
		return;
	case OP_PUT:
	case OP_GET:
		access_window(rank, operation == OP_PUT);
		return;
	case OP_COLLECTIVE:
		join_collective(rank, 1);
		return;
	case OP_BLOCKING:
		join_collective(rank, rank->world->network->blocking_share);
		return;
	case OP_COMPUTE:
		compute(rank);
		return;
	default:
		return;
	}
}

static void perform(struct port *port, enum operation operation, enum layout layout)
{
	struct fake_rank *rank = rank_of(port);

	if (rank->delay_ns > 0) {
		sleep_for(rank, rank->delay_ns);
		rank->away_ns += rank->delay_ns;
		rank->delay_ns = 0;
	}
	begin_operation(rank, operation, layout);
	if (operation == OP_WAIT || operation == OP_BLOCKING)
		call_until_zero(rank, &rank->open[KIND_DATA]);
	if (operation == OP_FLUSH)
		call_until_zero(rank, &rank->open[KIND_RMA]);
}

/* --------------------------------------------------------------------- cells */

static int prepare(struct port *port, const struct cell_spec *spec, bool both_types,
		   struct error *err)
{
	struct fake_rank *rank = rank_of(port);

	(void)both_types;
	(void)err;
	rank->spec = *spec;
	rank->loaded = false;
	return 0;
}

static void finish(struct port *port)
{
	const struct fake_rank *rank = rank_of(port);

	for (unsigned kind = 0; kind < KIND_COUNT; kind++)
		if (rank->open[kind])
			abort();
}

static void load(struct port *port, bool on)
{
	rank_of(port)->loaded = on;
}

const struct port_methods fake_methods = {
	.now_ns = now_ns,
	.prepare = prepare,
	.finish = finish,
	.load = load,
	.perform = perform,
	.begin_round = begin_round,
	.end_round = end_round,
	.cpu_ns = cpu_ns,
	.largest = largest,
	.gather = gather,
	.broadcast = broadcast,
};
