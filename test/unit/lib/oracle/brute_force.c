#include "test/unit/lib/oracle/brute_force.h"

#include "common/units.h"
#include "test/unit/lib/oracle/message_variables.h"

#include <stdio.h>

/* Operation and its values known so far. */
struct instance {
	struct goal_op op;
	uint32_t rank, partner;
	bool rendezvous, start_known, end_known;
	wide bytes;			/* size of the sent message */
	struct envelope start, end;
	uint32_t depth, match_depth;	/* longest chain of events before s and before m */
	size_t last_wait;		/* index + 1 of a wait of this operation, or 0 */
};

/* Wait of operation `after` for operation `before`, of a kind in the table of the model. */
struct wait {
	enum { REQUIRES, IREQUIRES, GAP } kind;
	uint32_t after, before;
	size_t next;			/* index + 1 of the operation's next wait, or 0 */
};

struct program {
	const struct loggps *loggps;
	uint32_t parameter;
	const struct brute_delay *delay;	/* or NULL */
	struct instance *ops;
	uint32_t op_count, rank_count;
	ARRAY(struct wait) waits;
	size_t plain_waits;		/* number of waits without gaps */
};

static const struct brute_line nothing = {0, 0};
static struct error ignored;

#define PUSH(array, value)                               \
	do {                                             \
		if (array_push((array), (value), &ignored) < 0) \
			abort();                         \
	} while (0)

/* ----------------------------------------------------------------- envelopes */

/* Whether `b` is nowhere larger than both `a` and `c`; slopes ascend. */
static bool is_hidden(struct brute_line a, struct brute_line b, struct brute_line c)
{
	return (c.constant - a.constant) * (b.slope - a.slope) >=
	       (b.constant - a.constant) * (c.slope - a.slope);
}

static void push_line(struct envelope *envelope, struct brute_line line)
{
	struct brute_line *items = envelope->lines.items;
	size_t count = envelope->lines.count;

	if (count && items[count - 1].slope == line.slope) {
		if (items[count - 1].constant >= line.constant)
			return;
		count--;
	}
	while (count >= 2 && is_hidden(items[count - 2], items[count - 1], line))
		count--;
	envelope->lines.count = count;
	PUSH(&envelope->lines, line);
}

/* target = max(target, other + add) */
static void raise_to(struct envelope *target, const struct envelope *other, struct brute_line add)
{
	struct envelope result = {0};
	size_t i = 0, k = 0;

	while (i < target->lines.count || k < other->lines.count) {
		struct brute_line line;

		if (k < other->lines.count) {
			line = other->lines.items[k];
			line.constant += add.constant;
			line.slope += add.slope;
		}
		if (k == other->lines.count ||
		    (i < target->lines.count && target->lines.items[i].slope <= line.slope))
			line = target->lines.items[i++];
		else
			k++;
		push_line(&result, line);
	}
	envelope_release(target);
	*target = result;
}

void envelope_release(struct envelope *envelope)
{
	array_release(&envelope->lines);
}

/* --------------------------------------------------------------------- costs */

/* Put `count` times what a message has in place of L, o or G into the coefficients. */
static void place_symbol(const struct program *program, const struct instance *send,
			 uint32_t symbol, wide count, wide coefficients[VARIABLES_MOST])
{
	const struct message_place message = {
		.from = send->rank, .to = send->op.peer, .rank_count = program->rank_count,
		.bytes = send->op.size,
	};

	message_variables(program->loggps->network, &message, symbol, count, coefficients);
}

/* nL L + no (o + size O) + bytes G + gaps g + ns of a message, in the varied parameter */
static struct brute_line cost(const struct program *program, const struct instance *send,
			      int latencies, int overheads, wide bytes, int gaps, wide ns)
{
	const wide handled = loggps_value(program->loggps, VARIABLE_O) > 0 && send
				     ? (wide)overheads * (wide)send->op.size : 0;
	wide coefficients[VARIABLES_MOST] = {[VARIABLE_g] = gaps, [VARIABLE_O] = handled};
	struct brute_line line = {ns * AS_PER_NS, 0};

	if (send && program->loggps->network) {
		place_symbol(program, send, VARIABLE_L, latencies, coefficients);
		place_symbol(program, send, VARIABLE_o, overheads, coefficients);
		place_symbol(program, send, VARIABLE_G, bytes, coefficients);
	} else {
		coefficients[VARIABLE_L] = latencies;
		coefficients[VARIABLE_o] = overheads;
		coefficients[VARIABLE_G] = bytes;
	}
	line.slope = coefficients[program->parameter];
	for (uint32_t v = 0; v < program->loggps->variables.count; v++)
		if (v != program->parameter)
			line.constant += coefficients[v] * loggps_value(program->loggps, v);
	return line;
}

static struct brute_line busy(const struct program *program, const struct instance *self)
{
	if (self->op.kind == GOAL_CALC)
		return cost(program, NULL, 0, 0, 0, 0, self->op.size);
	return self->op.kind == GOAL_SEND ? cost(program, self, 0, 1, 0, 0, 0) : nothing;
}

/* --------------------------------------------------------------- the program */

static void read_ops(struct program *program, const struct goal *goal)
{
	program->ops = calloc(goal->op_count + 1, sizeof *program->ops);
	if (!program->ops)
		abort();
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op op = goal_op(block, i);
			uint32_t first = block->first_op;

			program->ops[first + i].op = op;
			program->ops[first + i].rank = rank;
			for (uint32_t k = 0; k < op.requires_count; k++)
				PUSH(&program->waits,
				     ((struct wait){REQUIRES, first + goal_successor(
						    block, op.requires_first + k), first + i, 0}));
			for (uint32_t k = 0; k < op.irequires_count; k++)
				PUSH(&program->waits,
				     ((struct wait){IREQUIRES, first + goal_successor(
						    block, op.irequires_first + k), first + i, 0}));
		}
	}
	program->op_count = goal->op_count;
	program->rank_count = goal->rank_count;
	program->plain_waits = program->waits.count;
}

/* Match the n-th send of each channel with its n-th receive. */
static void match(struct program *program)
{
	for (uint32_t u = 0; u < program->op_count; u++) {
		struct instance *send = &program->ops[u];
		uint32_t earlier = 0;

		if (send->op.kind != GOAL_SEND)
			continue;
		for (uint32_t w = 0; w < u; w++)
			earlier += program->ops[w].op.kind == GOAL_SEND &&
				   program->ops[w].rank == send->rank &&
				   program->ops[w].op.peer == send->op.peer &&
				   program->ops[w].op.tag == send->op.tag;
		for (uint32_t v = 0; v < program->op_count; v++) {
			struct instance *recv = &program->ops[v];

			if (recv->op.kind != GOAL_RECV || recv->rank != send->op.peer ||
			    recv->op.peer != send->rank || recv->op.tag != send->op.tag ||
			    earlier-- != 0)
				continue;
			send->partner = v;
			recv->partner = u;
			send->bytes = recv->bytes = send->op.size ? (wide)send->op.size - 1 : 0;
			send->rendezvous = recv->rendezvous =
				send->op.size > program->loggps->S;
			break;
		}
	}
}

/* ---------------------------------------------------------------- simulation */

/* Let a value of an operation be later if the program delays it there. */
static void be_late(const struct program *program, const struct instance *op,
		    enum brute_place place, struct envelope *value)
{
	const struct brute_delay *delay = program->delay;

	if (!delay || op != &program->ops[delay->op] || place != delay->place)
		return;
	for (size_t i = 0; i < value->lines.count; i++)
		value->lines.items[i].constant += delay->as;
}

static void deepen(uint32_t *depth, uint32_t before)
{
	if (*depth < before + 1)
		*depth = before + 1;
}

static bool is_known(const struct program *program, const struct wait *wait)
{
	const struct instance *before = &program->ops[wait->before];

	return wait->kind == REQUIRES ? before->end_known : before->start_known;
}

static void wait_for(const struct program *program, struct instance *self,
		     const struct wait *wait)
{
	const struct instance *before = &program->ops[wait->before];

	switch (wait->kind) {
	case REQUIRES:
		raise_to(&self->start, &before->end, nothing);
		deepen(&self->depth, before->op.kind == GOAL_RECV || before->rendezvous
					     ? before->match_depth
					     : before->depth);
		break;
	case IREQUIRES:
		raise_to(&self->start, &before->start, busy(program, before));
		deepen(&self->depth, before->depth);
		break;
	case GAP:
		raise_to(&self->start, &before->start,
			 cost(program, before, 0, 0, (wide)before->op.size, 0, 0));
		raise_to(&self->start, &before->start,
			 cost(program, before, 0, 0, 0, 1, 0));
		break;
	}
}

/* Compute s(v) if all its waits are known. */
static bool try_start(const struct program *program, struct instance *self)
{
	for (size_t i = self->last_wait; i; i = program->waits.items[i - 1].next)
		if (!is_known(program, &program->waits.items[i - 1]))
			return false;
	push_line(&self->start, nothing);
	for (size_t i = self->last_wait; i; i = program->waits.items[i - 1].next)
		wait_for(program, self, &program->waits.items[i - 1]);
	be_late(program, self, BRUTE_START, &self->start);
	return self->start_known = true;
}

/* Compute e(u) and e(v) of a message from u to v after both starts are known. */
static void end_rendezvous(const struct program *program, struct instance *u, struct instance *v)
{
	struct envelope meet = {0};

	switch (program->loggps->rendezvous) {
	case RENDEZVOUS_READ:
		raise_to(&meet, &u->start, cost(program, u, 1, 1, 0, 0, 0));
		raise_to(&meet, &v->start, nothing);
		be_late(program, v, BRUTE_MATCH, &meet);
		raise_to(&v->end, &meet, cost(program, u, 2, 1, v->bytes, 0, 0));
		raise_to(&u->end, &v->end, cost(program, u, 1, 0, 0, 0, 0));
		break;
	case RENDEZVOUS_SYNC:
		raise_to(&meet, &u->start, cost(program, u, 1, 1, v->bytes, 0, 0));
		raise_to(&meet, &v->start, nothing);
		be_late(program, v, BRUTE_MATCH, &meet);
		raise_to(&v->end, &meet, cost(program, u, 0, 1, 0, 0, 0));
		raise_to(&u->end, &v->end, nothing);
		break;
	case RENDEZVOUS_PAPER:
		raise_to(&meet, &u->start, cost(program, u, 1, 0, 0, 0, 0));
		raise_to(&meet, &v->start, nothing);
		be_late(program, v, BRUTE_MATCH, &meet);
		raise_to(&v->end, &meet, cost(program, u, 3, 2, v->bytes, 0, 0));
		raise_to(&u->end, &meet, cost(program, u, 3, 3, v->bytes, 0, 0));
		break;
	}
	envelope_release(&meet);
	be_late(program, u, BRUTE_END, &u->end);
	u->end_known = true;
}

static void end_recv(struct program *program, struct instance *u, struct instance *v)
{
	if (v->rendezvous) {
		end_rendezvous(program, u, v);
	} else {
		raise_to(&v->end, &u->start, cost(program, u, 1, 2, v->bytes, 0, 0));
		raise_to(&v->end, &v->start, cost(program, u, 0, 1, 0, 0, 0));
		be_late(program, v, BRUTE_MATCH, &v->end);
	}
	deepen(&v->match_depth, v->depth);
	deepen(&v->match_depth, u->depth);
	u->match_depth = v->match_depth;
	v->end_known = true;
}

static bool try_end(struct program *program, uint32_t number)
{
	struct instance *self = &program->ops[number];
	struct instance *partner = &program->ops[self->partner];

	if (!self->start_known)
		return false;
	if (self->op.kind == GOAL_CALC || (self->op.kind == GOAL_SEND && !self->rendezvous)) {
		raise_to(&self->end, &self->start, busy(program, self));
		return self->end_known = true;
	}
	/* A rendezvous send ends with its receive. */
	if (self->op.kind == GOAL_SEND || !partner->start_known)
		return false;
	end_recv(program, partner, self);
	return true;
}

static void forget(struct program *program)
{
	for (uint32_t i = 0; i < program->op_count; i++) {
		struct instance *self = &program->ops[i];

		envelope_release(&self->start);
		envelope_release(&self->end);
		self->start_known = self->end_known = false;
		self->depth = self->match_depth = 0;
		self->last_wait = 0;
	}
}

/*
 * Apply the equations with the first `wait_count` waits until no further value becomes known.
 * True if all values are known.
 */
static bool simulate(struct program *program, size_t wait_count)
{
	uint32_t known = 0;
	bool progress = true;

	forget(program);
	for (size_t i = 0; i < wait_count; i++) {
		struct wait *wait = &program->waits.items[i];

		wait->next = program->ops[wait->after].last_wait;
		program->ops[wait->after].last_wait = i + 1;
	}
	while (progress) {
		progress = false;
		for (uint32_t i = 0; i < program->op_count; i++) {
			struct instance *self = &program->ops[i];

			if (!self->start_known && try_start(program, self))
				progress = true;
			if (!self->end_known && try_end(program, i))
				progress = true;
		}
	}
	for (uint32_t i = 0; i < program->op_count; i++)
		known += program->ops[i].end_known;
	return known == program->op_count;
}

/* ---------------------------------------------------------------------- gaps */

/* Set reach[a * n + b] if b waits for a by dependencies of the rank, directly or indirectly. */
static void close_transitively(bool *reach, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; reach[a * n + k] && b < n; b++)
				reach[a * n + b] |= reach[k * n + b];
}

static void add_gaps(struct program *program)
{
	const uint32_t n = program->op_count;
	bool *reach = calloc((size_t)n * n + 1, sizeof *reach);

	if (!reach)
		abort();
	for (size_t i = 0; i < program->plain_waits; i++)
		reach[program->waits.items[i].before * n + program->waits.items[i].after] = true;
	close_transitively(reach, n);
	for (uint32_t u = 0; u < n; u++) {
		uint32_t v = u + 1;

		if (program->ops[u].op.kind != GOAL_SEND)
			continue;
		while (v < n && program->ops[v].op.kind != GOAL_SEND)
			v++;
		if (v == n || program->ops[u].rank != program->ops[v].rank ||
		    reach[u * n + v] || reach[v * n + u])
			continue;
		PUSH(&program->waits, ((struct wait){GAP, v, u, 0}));
	}
	free(reach);
}

/* Turn gaps so that the send with the shorter chain before it is first. */
static void turn_gaps(struct program *program)
{
	for (size_t i = program->plain_waits; i < program->waits.count; i++) {
		struct wait *wait = &program->waits.items[i];

		if (program->ops[wait->after].depth < program->ops[wait->before].depth)
			*wait = (struct wait){GAP, wait->before, wait->after, 0};
	}
}

static bool run(struct program *program)
{
	if (!simulate(program, program->plain_waits))
		return false;
	if (loggps_value(program->loggps, VARIABLE_g) <= 0)
		return true;
	add_gaps(program);
	if (simulate(program, program->waits.count))
		return true;
	simulate(program, program->plain_waits);
	turn_gaps(program);
	if (!simulate(program, program->waits.count))
		abort();
	return true;
}

bool brute_force(struct envelope *runtime, const struct goal *goal, const struct loggps *loggps,
		 uint32_t parameter)
{
	return brute_force_delayed(runtime, goal, loggps, parameter, NULL);
}

bool brute_force_delayed(struct envelope *runtime, const struct goal *goal,
			 const struct loggps *loggps, uint32_t parameter,
			 const struct brute_delay *delay)
{
	struct program program = {.loggps = loggps, .parameter = parameter, .delay = delay};
	bool done;

	*runtime = (struct envelope){0};
	read_ops(&program, goal);
	match(&program);
	done = run(&program);
	for (uint32_t i = 0; done && i < program.op_count; i++)
		raise_to(runtime, &program.ops[i].end, nothing);
	if (done && program.op_count == 0)
		push_line(runtime, nothing);
	forget(&program);
	free(program.ops);
	array_release(&program.waits);
	return done;
}

/* ------------------------------------------------------------------- answers */

int fraction_compare(struct fraction a, struct fraction b)
{
	wide left = a.numerator * b.denominator, right = b.numerator * a.denominator;

	return (left > right) - (left < right);
}

struct fraction envelope_breakpoint(const struct envelope *envelope, size_t i)
{
	const struct brute_line *line = &envelope->lines.items[i];

	return (struct fraction){line[0].constant - line[1].constant,
				 line[1].slope - line[0].slope};
}

size_t envelope_left(const struct envelope *envelope, struct fraction at)
{
	size_t i = 0;

	while (i + 1 < envelope->lines.count &&
	       fraction_compare(envelope_breakpoint(envelope, i), at) < 0)
		i++;
	return i;
}

size_t envelope_right(const struct envelope *envelope, struct fraction at)
{
	size_t i = 0;

	while (i + 1 < envelope->lines.count &&
	       fraction_compare(envelope_breakpoint(envelope, i), at) <= 0)
		i++;
	return i;
}

bool envelope_tolerance(const struct envelope *envelope, wide runtime, uint32_t thousandths,
			struct fraction *at)
{
	bool found = false;

	for (size_t i = 0; i < envelope->lines.count; i++) {
		const struct brute_line *line = &envelope->lines.items[i];
		struct fraction reached = {
			runtime * (100000 + (wide)thousandths) - line->constant * 100000,
			line->slope * 100000,
		};

		if (line->slope == 0 || (found && fraction_compare(reached, *at) >= 0))
			continue;
		*at = reached;
		found = true;
	}
	return found;
}
