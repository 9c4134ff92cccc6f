/* Messages of the fake port: protocols as tables of steps. */
#include "test/unit/lib/make/fake_world.h"

#include <math.h>

/* What a step waits for. */
enum condition {
	NOTHING,
	POSTED,	   /* the receive is posted */
	ANNOUNCED, /* news of it has reached the sender */
	RECEIVER,  /* it is posted, and the receiver makes the step */
	SENDER,	   /* the sender makes the step */
	LATER,	   /* the same, but not in the call that posts */
	TARGET,	   /* the target of a one-sided access serves it */
	JOINED,	   /* all ranks take part in the collective */
};

/* What the NIC sends, or what takes time: all bytes, the first chunk, the rest; a whole collective. */
enum part { NO_BYTES, ALL_BYTES, FIRST_CHUNK, OTHER_CHUNKS, COLLECTIVE };

enum injection { NOT_INJECTED, BY_SENDER, BY_RECEIVER };

enum mark { NO_MARK, SENT, RECEIVED, JOINS };

/* A step: its condition, what is complete with it, and what then takes time before the next. */
struct fake_step {
	enum condition condition;
	enum mark mark;
	unsigned o, L;
	enum part part;
	enum injection injection;
	bool last;
};

#define LAST(what)                           \
	{                                    \
		.mark = (what), .last = true \
	}

static const struct fake_step eager[] = {
	{.mark = SENT, .L = 1, .part = ALL_BYTES, .injection = BY_SENDER},
	{.condition = POSTED, .o = 1},
	LAST(RECEIVED),
};
static const struct fake_step eager_in_calls[] = {
	{.mark = SENT, .L = 1, .part = ALL_BYTES, .injection = BY_SENDER},
	{.condition = RECEIVER, .o = 1},
	LAST(RECEIVED),
};
static const struct fake_step read_steps[] = {
	{.L = 1},
	{.condition = RECEIVER, .o = 1, .L = 1},
	{.L = 1, .part = ALL_BYTES, .injection = BY_SENDER},
	{.mark = RECEIVED, .L = 1},
	LAST(SENT),
};
static const struct fake_step write_steps[] = {
	{.L = 1},
	{.condition = RECEIVER, .o = 1, .L = 1},
	{.condition = SENDER, .o = 1},
	{.L = 1, .part = ALL_BYTES, .injection = BY_SENDER},
	{.mark = RECEIVED, .L = 1},
	LAST(SENT),
};
static const struct fake_step write_first_steps[] = {
	{.condition = ANNOUNCED},
	{.condition = LATER, .o = 1},
	{.L = 1, .part = ALL_BYTES, .injection = BY_SENDER},
	{.mark = RECEIVED, .L = 1},
	LAST(SENT),
};
static const struct fake_step pipeline_steps[] = {
	{.part = FIRST_CHUNK, .injection = BY_SENDER},
	{.condition = LATER, .part = OTHER_CHUNKS, .injection = BY_SENDER},
	{.mark = SENT, .L = 1},
	{.condition = POSTED, .o = 1},
	LAST(RECEIVED),
};
static const struct fake_step put_steps[] = {
	{.L = 1, .part = ALL_BYTES, .injection = BY_SENDER},
	{.condition = TARGET, .L = 1},
	LAST(SENT),
};
static const struct fake_step get_steps[] = {
	{.L = 1},
	{.condition = TARGET},
	{.L = 1, .part = ALL_BYTES, .injection = BY_RECEIVER},
	LAST(SENT),
};
static const struct fake_step collective_steps[] = {
	{.condition = LATER, .mark = JOINS},
	{.condition = JOINED, .part = COLLECTIVE},
	LAST(SENT),
};

static const struct fake_step *const rendezvous[] = {
	[FAKE_READ] = read_steps,
	[FAKE_WRITE] = write_steps,
	[FAKE_WRITE_FIRST] = write_first_steps,
	[FAKE_PIPELINE] = pipeline_steps,
};

/* ------------------------------------------------------------------ posting */

static void add_message(struct fake_world *world, struct fake_message message)
{
	struct error err;

	if (array_push(&world->messages, message, &err) < 0)
		abort();
}

/* The first message that one side has posted, and the other has not. */
static struct fake_message *find_half(struct fake_world *world, const struct fake_rank *sender,
				      const struct fake_rank *receiver, enum fake_kind kind,
				      bool posted)
{
	for (size_t i = 0; i < world->messages.count; i++) {
		struct fake_message *message = &world->messages.items[i];

		if (message->sender == sender && message->receiver == receiver &&
		    message->kind == kind && message->posted == posted &&
		    (message->step != NULL) != posted)
			return message;
	}
	return NULL;
}

static const struct fake_step *steps_of(const struct fake_network *network, uint64_t bytes,
					enum layout layout)
{
	if (bytes > network->S)
		return rendezvous[layout == LAYOUT_VECTOR ? network->vector_protocol
							  : network->protocol];
	return network->calls_only && network->eager_in_calls ? eager_in_calls : eager;
}

void fake_send(struct fake_rank *sender, struct fake_rank *receiver, enum fake_kind kind,
	       uint64_t bytes, enum layout layout)
{
	struct fake_world *world = sender->world;
	struct fake_message *message = find_half(world, sender, receiver, kind, true);

	if (!message) {
		add_message(world, (struct fake_message){.sender = sender, .receiver = receiver});
		message = &world->messages.items[world->messages.count - 1];
	}
	message->kind = kind;
	message->bytes = bytes;
	message->step = kind == KIND_NOTICE ? eager : steps_of(world->network, bytes, layout);
	message->ready_ns = world->now_ns;
}

void fake_post(struct fake_rank *receiver, struct fake_rank *sender, enum fake_kind kind)
{
	struct fake_world *world = receiver->world;
	struct fake_message *message = find_half(world, sender, receiver, kind, false);

	if (!message) {
		add_message(world, (struct fake_message){.sender = sender,
							 .receiver = receiver,
							 .kind = kind});
		message = &world->messages.items[world->messages.count - 1];
	}
	message->posted = true;
	message->posted_ns = world->now_ns;
}

void fake_access(struct fake_rank *origin, struct fake_rank *target, uint64_t bytes, bool put)
{
	add_message(origin->world, (struct fake_message){.sender = origin,
							 .receiver = target,
							 .kind = KIND_RMA,
							 .step = put ? put_steps : get_steps,
							 .ready_ns = origin->world->now_ns,
							 .bytes = bytes});
}

void fake_join(struct fake_rank *rank, uint64_t bytes, double share)
{
	if (rank->world->messages.count == 0)
		rank->world->joined = 0;
	add_message(rank->world, (struct fake_message){.sender = rank,
						       .kind = KIND_DATA,
						       .step = collective_steps,
						       .ready_ns = rank->world->now_ns,
						       .bytes = bytes,
						       .share = share});
}

/* -------------------------------------------------------------------- steps */

static bool attends(const struct fake_rank *rank, enum fake_call least)
{
	return !rank->world->network->calls_only || rank->call >= least;
}

static bool is_attended(const struct fake_world *world, const struct fake_message *message)
{
	switch (message->step->condition) {
	case RECEIVER:
		return message->posted && attends(message->receiver, IN_POST);
	case SENDER:
		return attends(message->sender, IN_POST);
	case LATER:
		return attends(message->sender, IN_CALL);
	case TARGET:
		return !world->network->rma_in_calls || attends(message->receiver, IN_POST);
	default:
		return true;
	}
}

static const struct fake_group *pair_of(const struct fake_world *world,
					const struct fake_message *message)
{
	return &world->pairs[message->sender->port.rank / 2];
}

double fake_step_ns(const struct fake_world *world, const struct fake_message *message)
{
	if (!message->step)
		return INFINITY;
	switch (message->step->condition) {
	case NOTHING:
		return message->ready_ns;
	case POSTED:
		return message->posted ? fmax(message->ready_ns, message->posted_ns) : INFINITY;
	case ANNOUNCED:
		return message->posted ? fmax(message->ready_ns,
					      message->posted_ns + pair_of(world, message)->L)
				       : INFINITY;
	case JOINED:
		return world->joined == world->size ? fmax(message->ready_ns, world->joined_ns)
						    : INFINITY;
	default:
		return is_attended(world, message) ? fmax(message->ready_ns, world->now_ns)
						   : INFINITY;
	}
}

double fake_collective_ns(const struct fake_network *network, unsigned rank, uint64_t bytes)
{
	const double B = bytes ? (double)(bytes - 1) * network->G : 0;

	return (rank + 1) * (2 * network->o + network->L + B);
}

static double part_ns(const struct fake_world *world, const struct fake_message *message)
{
	const struct fake_network *network = world->network;
	const uint64_t first = message->bytes < network->first_bytes ? message->bytes
								     : network->first_bytes;

	switch (message->step->part) {
	case ALL_BYTES:
		return message->bytes ? (double)(message->bytes - 1) * network->G : 0;
	case FIRST_CHUNK:
		return first ? (double)(first - 1) * network->G : 0;
	case OTHER_CHUNKS:
		return (double)(message->bytes - (first ? first : 1)) * network->G;
	case COLLECTIVE:
		return message->share *
		       fake_collective_ns(network, message->sender->port.rank, message->bytes);
	default:
		return 0;
	}
}

static void complete(struct fake_world *world, const struct fake_message *message)
{
	if (message->step->mark == JOINS) {
		world->joined++;
		world->joined_ns = world->now_ns;
	}
	if (message->step->mark == SENT)
		fake_requests(message->sender, message->kind, -1);
	if (message->step->mark == RECEIVED)
		fake_requests(message->receiver, message->kind, -1);
}

/* Time at which the NIC begins to send what takes `ns`. */
static double inject(const struct fake_world *world, struct fake_message *message, double ns)
{
	struct fake_rank *rank = message->step->injection == BY_SENDER ? message->sender
								       : message->receiver;
	const double start_ns = fmax(world->now_ns, rank->nic_ns);

	rank->nic_ns = start_ns + world->network->g + ns;
	return start_ns;
}

bool fake_step(struct fake_world *world, struct fake_message *message)
{
	const struct fake_network *network = world->network;
	const struct fake_step *step = message->step;
	const bool called = step->condition >= RECEIVER && step->condition <= TARGET;
	const double bytes_ns = part_ns(world, message) * pair_of(world, message)->slowness;
	double start_ns = world->now_ns;

	complete(world, message);
	if (step->last)
		return false;
	if (network->calls_only && called && start_ns > message->ready_ns)
		start_ns += network->late_ns;
	if (step->injection != NOT_INJECTED)
		start_ns = inject(world, message, bytes_ns);
	message->ready_ns = start_ns + step->o * network->o + step->L * pair_of(world, message)->L +
			    bytes_ns;
	message->step++;
	return true;
}
