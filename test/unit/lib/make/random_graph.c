#include "test/unit/lib/make/random_graph.h"

#include "common/units.h"
#include "goal/builder.h"

#include <stdio.h>
#include <stdlib.h>

/* A burst may add some more operations. */
enum { MOST_RANKS = 16, MOST_OPS = 40000, MOST_PENDING = MOST_OPS + 10 };

uint64_t random_below(uint64_t *numbers, uint64_t count)
{
	uint64_t z = *numbers += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % count;
}

#define PICK(numbers, values) (values)[random_below((numbers), sizeof(values) / sizeof *(values))]

/* Message that has a send but no receive yet. */
struct message {
	uint32_t from, to, tag;
	uint64_t bytes;
};

/* State of growing a graph; probabilities (in percent) vary by graph. */
struct growth {
	const struct random_traits *traits;
	uint64_t *numbers;
	struct goal_builder ranks[MOST_RANKS];
	uint32_t rank_count, op_count;
	struct message pending[MOST_PENDING];
	uint32_t pending_count;
	uint32_t messages, chains, irequires, delays;
};

static void must(int status, const struct error *err)
{
	if (status < 0) {
		fprintf(stderr, "random_graph: %s\n", err->text);
		abort();
	}
}

static int chance(struct growth *growth, uint32_t percent)
{
	return random_below(growth->numbers, 100) < percent;
}

static void depend(struct growth *growth, struct goal_builder *rank, uint32_t op, uint32_t on)
{
	struct error err;

	if (chance(growth, growth->irequires))
		must(goal_builder_irequires(rank, op, on, &err), &err);
	else
		must(goal_builder_requires(rank, op, on, &err), &err);
}

/* Add an operation without dependencies, and return its index. */
static uint32_t add_alone(struct growth *growth, uint32_t rank, struct goal_new_op new_op)
{
	struct error err;
	uint32_t op;

	if (growth->traits->cpus > 1)
		new_op.cpu = (uint8_t)random_below(growth->numbers, growth->traits->cpus);
	if (growth->traits->nics > 1 && new_op.kind != GOAL_CALC)
		new_op.nic = (uint8_t)random_below(growth->numbers, growth->traits->nics);
	must(goal_builder_add(&growth->ranks[rank], &new_op, &op, &err), &err);
	growth->op_count++;
	return op;
}

static void add(struct growth *growth, uint32_t rank, struct goal_new_op new_op)
{
	struct goal_builder *builder = &growth->ranks[rank];
	uint32_t op = add_alone(growth, rank, new_op);

	if (op && chance(growth, growth->chains))
		depend(growth, builder, op, op - 1);
	while (op && chance(growth, 35))
		depend(growth, builder, op, (uint32_t)random_below(growth->numbers, op));
}

static void add_calc(struct growth *growth)
{
	static const uint64_t costs[] = {0, 0, 1, 5, 100, 100, 1000, 1000, 12345};
	uint64_t cost = PICK(growth->numbers, costs);

	if (chance(growth, 20))
		cost = random_below(growth->numbers, 100000);
	if (growth->traits->small)
		cost %= 4;
	add(growth, (uint32_t)random_below(growth->numbers, growth->rank_count),
	    (struct goal_new_op){.kind = GOAL_CALC, .size = cost});
}

/* Decide on a message, which is now pending. */
static struct goal_new_op new_send(struct growth *growth, uint32_t from)
{
	static const uint64_t sizes[] = {0, 1, 2, 4, 8, 8, 100, 1000, 65536};
	struct message message = {
		.from = from,
		.to = (uint32_t)random_below(growth->numbers, growth->rank_count),
		.tag = (uint32_t)random_below(growth->numbers, 3),
		.bytes = PICK(growth->numbers, sizes),
	};

	if (chance(growth, 10))
		message.bytes = random_below(growth->numbers, 1000000);
	if (growth->traits->small)
		message.bytes %= 5;
	growth->pending[growth->pending_count++] = message;
	return (struct goal_new_op){.kind = GOAL_SEND,
				    .size = message.bytes,
				    .peer = message.to,
				    .tag = message.tag};
}

static void add_send(struct growth *growth)
{
	const uint32_t from = (uint32_t)random_below(growth->numbers, growth->rank_count);

	add(growth, from, new_send(growth, from));
}

/* Decide on a receive of a pending message; it may have room for more bytes than its send. */
static struct goal_new_op new_recv(struct growth *growth, uint32_t i)
{
	struct message message = growth->pending[i];

	growth->pending[i] = growth->pending[--growth->pending_count];
	return (struct goal_new_op){.kind = GOAL_RECV,
				    .size = message.bytes + (chance(growth, 10) ? 5 : 0),
				    .peer = message.from,
				    .tag = message.tag};
}

static void add_recv(struct growth *growth)
{
	const uint32_t i = (uint32_t)random_below(growth->numbers, growth->pending_count);
	const uint32_t to = growth->pending[i].to;

	add(growth, to, new_recv(growth, i));
}

/*
 * Add sends, and receives of all pending messages, of one rank.  All wait for the rank's last
 * operation, and a calc joins them, as MPI_Waitall does.
 */
static void add_burst(struct growth *growth)
{
	const uint32_t rank = (uint32_t)random_below(growth->numbers, growth->rank_count);
	const uint32_t before = (uint32_t)growth->ranks[rank].ops.count;
	const uint64_t cost = random_below(growth->numbers, 3);
	uint32_t join;

	for (uint64_t sends = random_below(growth->numbers, 9); sends > 0; sends--)
		add_alone(growth, rank, new_send(growth, rank));
	for (uint32_t i = growth->pending_count; i-- > 0;)
		if (growth->pending[i].to == rank)
			add_alone(growth, rank, new_recv(growth, i));
	join = add_alone(growth, rank, (struct goal_new_op){.kind = GOAL_CALC, .size = cost});
	for (uint32_t op = before; op < join; op++) {
		if (before)
			depend(growth, &growth->ranks[rank], op, before - 1);
		depend(growth, &growth->ranks[rank], join, op);
	}
}

/*
 * Exchange some neighbouring operations, so that dependencies also point forward in the file.
 * Operations of one channel keep their order, so that messages match as before.
 */
static void shuffle(struct growth *growth, struct goal_builder *rank)
{
	for (uint32_t i = 1; i < rank->ops.count; i++) {
		struct goal_new_op a = rank->ops.items[i - 1], b = rank->ops.items[i];

		if (!chance(growth, 30) || (a.kind == b.kind && a.peer == b.peer && a.tag == b.tag))
			continue;
		rank->ops.items[i - 1] = b;
		rank->ops.items[i] = a;
		for (size_t k = 0; k < rank->dependencies.count; k++) {
			struct goal_dependency *d = &rank->dependencies.items[k];

			d->after = d->after == i ? i - 1 : d->after == i - 1 ? i : d->after;
			d->before = d->before == i ? i - 1 : d->before == i - 1 ? i : d->before;
		}
	}
}

static void finish(struct growth *growth, struct goal *goal)
{
	struct goal_writer writer;
	struct input image;
	struct error err;
	int shuffled = chance(growth, 50);

	must(goal_writer_open_memory(&writer, growth->rank_count, &err), &err);
	for (uint32_t rank = 0; rank < growth->rank_count; rank++) {
		if (shuffled)
			shuffle(growth, &growth->ranks[rank]);
		must(goal_writer_rank(&writer, &growth->ranks[rank], &err), &err);
		goal_builder_release(&growth->ranks[rank]);
	}
	must(goal_writer_finish(&writer, &image, &err), &err);
	must(goal_from_image(goal, &image, "random graph", &err), &err);
}

/* Add operations until there are `op_count`, pending receives included. */
static void grow(struct growth *growth, uint32_t op_count)
{
	while (growth->op_count + growth->pending_count < op_count) {
		if (growth->traits->bursts && chance(growth, growth->traits->bursts))
			add_burst(growth);
		else if (growth->pending_count && !chance(growth, growth->delays))
			add_recv(growth);
		else if (chance(growth, growth->messages) &&
			 growth->op_count + growth->pending_count + 2 <= op_count)
			add_send(growth);
		else
			add_calc(growth);
	}
	while (growth->pending_count)
		add_recv(growth);
}

void random_graph_of(struct goal *goal, uint64_t *numbers, const struct random_traits *traits)
{
	static const uint32_t delays[] = {0, 0, 0, 20, 70}, chains[] = {0, 50, 80, 95},
			      irequires[] = {0, 20, 50};
	struct growth *growth = calloc(1, sizeof *growth);
	uint32_t op_count = (uint32_t)random_below(numbers, traits->most_ops + 1);

	if (!growth || traits->most_ranks > MOST_RANKS || traits->most_ops > MOST_OPS)
		abort();
	/* Small graphs show the most faults. */
	if (random_below(numbers, 2))
		op_count = (uint32_t)random_below(numbers, op_count / 4 + 1);
	growth->traits = traits;
	growth->numbers = numbers;
	growth->rank_count = 1 + (uint32_t)random_below(numbers, traits->most_ranks);
	growth->messages = 20 + (uint32_t)random_below(numbers, 60);
	growth->delays = PICK(numbers, delays);
	growth->chains = PICK(numbers, chains);
	growth->irequires = PICK(numbers, irequires);
	grow(growth, op_count);
	finish(growth, goal);
	free(growth);
}

void random_graph(struct goal *goal, uint64_t *numbers, uint32_t most_ranks, uint32_t most_ops)
{
	const struct random_traits traits = {.most_ranks = most_ranks,
					     .most_ops = most_ops,
					     .cpus = 3};

	random_graph_of(goal, numbers, &traits);
}

void random_loggps(struct loggps *loggps, uint64_t *numbers)
{
	static const int64_t times_ns[] = {0, 1, 5, 100, 100, 1000, 3000, 5000};
	static const int64_t gaps_as[] = {0, 18000000, 13000000, AS_PER_NS, 5 * AS_PER_NS};
	static const uint64_t thresholds[] = {
		LOGGPS_NO_RENDEZVOUS, LOGGPS_NO_RENDEZVOUS, 0, 1, 4, 100, 65536};
	uint64_t other = ~*numbers;

	*loggps = loggps_default;
	loggps_set(loggps, VARIABLE_L, PICK(numbers, times_ns) * AS_PER_NS);
	if (random_below(numbers, 4) == 0)
		loggps_set(loggps, VARIABLE_L, (int64_t)random_below(numbers, 10000000000000));
	loggps_set(loggps, VARIABLE_o, PICK(numbers, times_ns) * AS_PER_NS);
	loggps_set(loggps, VARIABLE_g,
		   random_below(numbers, 3) ? 0 : PICK(numbers, times_ns) * AS_PER_NS);
	loggps_set(loggps, VARIABLE_G, PICK(numbers, gaps_as));
	loggps->S = PICK(numbers, thresholds);
	loggps->rendezvous = (enum rendezvous)random_below(numbers, RENDEZVOUS_COUNT);
	/* O does not change the graphs and parameters that follow. */
	loggps_set(loggps, VARIABLE_O,
		   random_below(&other, 3) ? 0 : (int64_t)random_below(&other, 40) * 25000000);
}

/* O and G together soon make paths too long for exact arithmetic. */
static bool may_move(const struct variables *variables, uint32_t v)
{
	return variable_is_on(&variables->of[v]) && v != VARIABLE_O;
}

void random_direction(struct direction *direction, const struct loggps *loggps, uint64_t *numbers)
{
	static const int64_t origins_ns[] = {0, 1, 7, 100, 2500};
	static const int64_t starts_as[] = {0, 18000000, AS_PER_NS, 100 * AS_PER_NS,
					    3000 * AS_PER_NS};
	const struct variables *variables = &loggps->variables;
	uint64_t moving = 2 + random_below(numbers, 3), left = 0;

	*direction = direction_fixed(variables);
	direction->start_as = PICK(numbers, starts_as);
	for (uint32_t v = 0; v < variables->count; v++)
		left += may_move(variables, v);
	for (uint32_t v = 0; v < variables->count; v++) {
		if (!may_move(variables, v) || random_below(numbers, left--) >= moving)
			continue;
		moving--;
		direction->weight[v] = 1 + (int64_t)random_below(numbers, 5);
		direction->origin_as[v] = PICK(numbers, origins_ns) * AS_PER_NS;
		if (variables->of[v].unit == UNIT_TIME_PER_BYTE)
			direction->origin_as[v] /= 1000;
	}
}

/* Make small integers, so that events are often at the same time. */
static void small_loggps(struct loggps *loggps, uint64_t *numbers)
{
	static const uint64_t thresholds[] = {LOGGPS_NO_RENDEZVOUS, 0, 1, 2};

	*loggps = loggps_default;
	for (uint32_t v = 0; v < LOGGPS_COUNT; v++)
		loggps_set(loggps, v, (int64_t)random_below(numbers, 4) * AS_PER_NS);
	if (random_below(numbers, 2))
		loggps_set(loggps, VARIABLE_g, 0);
	loggps->S = PICK(numbers, thresholds);
	loggps->rendezvous = (enum rendezvous)random_below(numbers, RENDEZVOUS_COUNT);
}

void random_program(struct goal *goal, struct loggps *loggps, uint64_t *numbers,
		    uint32_t most_ranks, uint32_t most_ops)
{
	static const int64_t overheads_as[] = {0, 0, AS_PER_NS, 3000000};
	struct random_traits traits = {.most_ranks = most_ranks, .most_ops = most_ops};

	traits.small = random_below(numbers, 2);
	traits.cpus = 1 + (uint32_t)random_below(numbers, 3);
	traits.nics = 1 + (uint32_t)random_below(numbers, 2);
	traits.bursts = random_below(numbers, 2) ? 15 : 0;
	random_graph_of(goal, numbers, &traits);
	if (traits.small) {
		small_loggps(loggps, numbers);
	} else {
		random_loggps(loggps, numbers);
		loggps_set(loggps, VARIABLE_O, PICK(numbers, overheads_as));
	}
	loggps->resources = (unsigned)random_below(numbers, 4);
}
