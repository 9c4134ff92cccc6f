#include "test/unit/lib/random_graph.h"

#include "common/units.h"
#include "goal/builder.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_RANKS = 16, MOST_OPS = 40000 };

uint64_t random_below(uint64_t *numbers, uint64_t count)
{
	uint64_t z = *numbers += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % count;
}

#define PICK(numbers, values) \
	(values)[random_below((numbers), sizeof(values) / sizeof *(values))]

/* Message that has a send but no receive yet. */
struct message {
	uint32_t from, to, tag;
	uint64_t bytes;
};

/* State of growing a graph; probabilities (in percent) vary by graph. */
struct growth {
	uint64_t *numbers;
	struct goal_builder ranks[MOST_RANKS];
	uint32_t rank_count, op_count;
	struct message pending[MOST_OPS];
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

static void add(struct growth *growth, uint32_t rank, struct goal_new_op new_op)
{
	struct goal_builder *builder = &growth->ranks[rank];
	struct error err;
	uint32_t op;

	new_op.cpu = (uint8_t)random_below(growth->numbers, 3);
	must(goal_builder_add(builder, &new_op, &op, &err), &err);
	growth->op_count++;
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
	add(growth, (uint32_t)random_below(growth->numbers, growth->rank_count),
	    (struct goal_new_op){.kind = GOAL_CALC, .size = cost});
}

static void add_send(struct growth *growth)
{
	static const uint64_t sizes[] = {0, 1, 2, 4, 8, 8, 100, 1000, 65536};
	struct message message = {
		.from = (uint32_t)random_below(growth->numbers, growth->rank_count),
		.to = (uint32_t)random_below(growth->numbers, growth->rank_count),
		.tag = (uint32_t)random_below(growth->numbers, 3),
		.bytes = PICK(growth->numbers, sizes),
	};

	if (chance(growth, 10))
		message.bytes = random_below(growth->numbers, 1000000);
	add(growth, message.from,
	    (struct goal_new_op){.kind = GOAL_SEND, .size = message.bytes, .peer = message.to,
				 .tag = message.tag});
	growth->pending[growth->pending_count++] = message;
}

/* Add a receive, which may have room for more bytes than its send. */
static void add_recv(struct growth *growth)
{
	uint32_t i = (uint32_t)random_below(growth->numbers, growth->pending_count);
	struct message message = growth->pending[i];

	growth->pending[i] = growth->pending[--growth->pending_count];
	add(growth, message.to,
	    (struct goal_new_op){.kind = GOAL_RECV,
				 .size = message.bytes + (chance(growth, 10) ? 5 : 0),
				 .peer = message.from, .tag = message.tag});
}

/*
 * Exchange some neighbouring operations, so that dependencies also point forward in the file.
 * Operations of one channel keep their order, so that messages match as before.
 */
static void shuffle(struct growth *growth, struct goal_builder *rank)
{
	for (uint32_t i = 1; i < rank->ops.count; i++) {
		struct goal_new_op a = rank->ops.items[i - 1], b = rank->ops.items[i];

		if (!chance(growth, 30) ||
		    (a.kind == b.kind && a.peer == b.peer && a.tag == b.tag))
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

void random_graph(struct goal *goal, uint64_t *numbers, uint32_t most_ranks,
		  uint32_t most_ops)
{
	static const uint32_t delays[] = {0, 0, 0, 20, 70}, chains[] = {0, 50, 80, 95},
			      irequires[] = {0, 20, 50};
	struct growth *growth = calloc(1, sizeof *growth);
	uint32_t op_count = (uint32_t)random_below(numbers, most_ops + 1);

	if (!growth || most_ranks > MOST_RANKS || most_ops > MOST_OPS)
		abort();
	/* Small graphs show the most faults. */
	if (random_below(numbers, 2))
		op_count = (uint32_t)random_below(numbers, op_count / 4 + 1);
	growth->numbers = numbers;
	growth->rank_count = 1 + (uint32_t)random_below(numbers, most_ranks);
	growth->messages = 20 + (uint32_t)random_below(numbers, 60);
	growth->delays = PICK(numbers, delays);
	growth->chains = PICK(numbers, chains);
	growth->irequires = PICK(numbers, irequires);
	while (growth->op_count + growth->pending_count < op_count) {
		if (growth->pending_count && !chance(growth, growth->delays))
			add_recv(growth);
		else if (chance(growth, growth->messages) &&
			 growth->op_count + growth->pending_count + 2 <= op_count)
			add_send(growth);
		else
			add_calc(growth);
	}
	while (growth->pending_count)
		add_recv(growth);
	finish(growth, goal);
	free(growth);
}

void random_loggps(struct loggps *loggps, uint64_t *numbers)
{
	static const int64_t times_ns[] = {0, 1, 5, 100, 100, 1000, 3000, 5000};
	static const int64_t gaps_as[] = {0, 18000000, 13000000, AS_PER_NS, 5 * AS_PER_NS};
	static const uint64_t thresholds[] = {LOGGPS_NO_RENDEZVOUS, LOGGPS_NO_RENDEZVOUS, 0, 1, 4,
					      100, 65536};

	loggps->variables = loggps_default.variables;
	loggps_set(loggps, VARIABLE_L, PICK(numbers, times_ns) * AS_PER_NS);
	if (random_below(numbers, 4) == 0)
		loggps_set(loggps, VARIABLE_L, (int64_t)random_below(numbers, 10000000000000));
	loggps_set(loggps, VARIABLE_o, PICK(numbers, times_ns) * AS_PER_NS);
	loggps_set(loggps, VARIABLE_g,
		   random_below(numbers, 3) ? 0 : PICK(numbers, times_ns) * AS_PER_NS);
	loggps_set(loggps, VARIABLE_G, PICK(numbers, gaps_as));
	loggps->S = PICK(numbers, thresholds);
	loggps->rendezvous = (enum rendezvous)random_below(numbers, 3);
}
