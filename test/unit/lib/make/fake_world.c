/* The order of what happens in the fake port: steps of messages, and ranks that go on, by time. */
#include "test/unit/lib/make/fake_world.h"

#include <math.h>
#include <string.h>

enum { STACK_BYTES = 1 << 16 };

/* ------------------------------------------------------------- computation */

/* Share of the core that a computation has. */
static double rate(const struct fake_rank *rank)
{
	const struct fake_network *network = rank->world->network;
	const bool busy = rank->open[KIND_DATA] + rank->open[KIND_RMA] > 0;

	return (1 - network->duty) * (busy ? 1 - network->thread_share : 1);
}

static void find_end_of_work(struct fake_rank *rank)
{
	rank->since_ns = rank->world->now_ns;
	rank->wake_ns = rank->since_ns + rank->work_ns / rate(rank);
}

void fake_work_begin(struct fake_rank *rank, double ns)
{
	rank->work_ns = ns;
	rank->works = true;
	find_end_of_work(rank);
}

void fake_requests(struct fake_rank *rank, enum fake_kind kind, int change)
{
	if (rank->works)
		rank->work_ns -= (rank->world->now_ns - rank->since_ns) * rate(rank);
	rank->open[kind] += (unsigned)change;
	if (rank->works)
		find_end_of_work(rank);
}

/* ------------------------------------------------------------------ playing */

void fake_yield(struct fake_rank *rank)
{
	swapcontext(&rank->context, &rank->world->main);
}

/* makecontext passes numbers only. */
static struct fake_world *playing;

static void play_rank(int number)
{
	struct fake_world *world = playing;
	struct fake_rank *rank = &world->ranks[number];

	world->work(&rank->port, world->data);
	rank->ended = true;
}

static double rank_ns(const struct fake_rank *rank)
{
	if (rank->ended)
		return INFINITY;
	if (rank->until_zero)
		return *rank->until_zero ? INFINITY : rank->world->now_ns;
	return rank->wake_ns;
}

static struct fake_rank *find_next_rank(struct fake_world *world)
{
	struct fake_rank *first = &world->ranks[0];

	for (unsigned r = 1; r < world->size; r++)
		if (rank_ns(&world->ranks[r]) < rank_ns(first))
			first = &world->ranks[r];
	return first;
}

static size_t find_next_message(const struct fake_world *world)
{
	size_t first = 0;

	for (size_t i = 1; i < world->messages.count; i++)
		if (fake_step_ns(world, &world->messages.items[i]) <
		    fake_step_ns(world, &world->messages.items[first]))
			first = i;
	return first;
}

static void advance_message(struct fake_world *world, size_t number)
{
	struct fake_message *items = world->messages.items;

	if (fake_step(world, &items[number]))
		return;
	world->messages.count--;
	memmove(items + number, items + number + 1,
		(world->messages.count - number) * sizeof *items);
}

static void advance_time(struct fake_world *world, double now_ns)
{
	world->now_ns = now_ns;
	if (world->network->stop && now_ns >= world->network->stop_ns)
		*world->network->stop = 1;
}

/* Let the next thing happen, messages first.  Returns whether there was one. */
static bool happen(struct fake_world *world)
{
	const size_t number = find_next_message(world);
	const double message_ns = world->messages.count
					  ? fake_step_ns(world, &world->messages.items[number])
					  : INFINITY;
	struct fake_rank *rank = find_next_rank(world);
	const double next_ns = rank_ns(rank);

	if (isinf(fmin(message_ns, next_ns)))
		return false;
	advance_time(world, fmin(message_ns, next_ns));
	if (message_ns <= next_ns) {
		advance_message(world, number);
		return true;
	}
	rank->works = false;
	playing = world;
	swapcontext(&world->main, &rank->context);
	return true;
}

static void make_rank(struct fake_world *world, unsigned number)
{
	struct fake_rank *rank = &world->ranks[number];

	rank->world = world;
	rank->port.rank = number;
	rank->port.role = number % 2;
	rank->port.size = world->size;
	rank->port.methods = &fake_methods;
	rank->stack = malloc(STACK_BYTES);
	if (!rank->stack || getcontext(&rank->context) < 0)
		abort();
	rank->context.uc_stack.ss_sp = rank->stack;
	rank->context.uc_stack.ss_size = STACK_BYTES;
	rank->context.uc_link = &world->main;
	makecontext(&rank->context, (void (*)(void))play_rank, 1, (int)number);
}

void fake_play(const struct fake_network *network, unsigned ranks, fake_work *work, void *data)
{
	struct fake_world *world = calloc(1, sizeof *world);

	if (!world || ranks > FAKE_MOST_RANKS)
		abort();
	*world = (struct fake_world){.network = network, .size = ranks, .work = work, .data = data};
	world->all = (struct fake_group){.count = ranks};
	for (unsigned p = 0; p < FAKE_MOST_RANKS / 2; p++)
		world->pairs[p] = (struct fake_group){
			.first = 2 * p,
			.count = 2,
			.L = network->L + network->pair_L[p],
			.slowness = 1,
		};
	for (unsigned r = 0; r < ranks; r++)
		make_rank(world, r);
	while (happen(world))
		;
	for (unsigned r = 0; r < ranks; r++) {
		if (!world->ranks[r].ended)
			abort();
		free(world->ranks[r].stack);
	}
	array_release(&world->messages);
	free(world);
}
