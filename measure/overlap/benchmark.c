#include "measure/overlap/benchmark.h"

#include <string.h>

#define SEQUENCE(...)               \
	{                           \
		{                   \
			__VA_ARGS__ \
		}                   \
	}
#define RANK(...)                   \
	{                           \
		__VA_ARGS__, OP_END \
	}

const struct sequence latency_sequence = SEQUENCE(RANK(OP_NOTIFY, OP_AWAIT),
						  RANK(OP_AWAIT, OP_NOTIFY));

static const struct sequence ping_pong = SEQUENCE(RANK(OP_SEND, OP_RECV), RANK(OP_RECV, OP_SEND));
static const struct sequence one_rank_computes = SEQUENCE(RANK(OP_COMPUTE));
static const struct sequence all_compute = SEQUENCE(RANK(OP_COMPUTE), RANK(OP_COMPUTE));

/* ------------------------------------------------------------ two-sided messages */

/* By the side that computes, a message of one direction, or of each in turn. */
static const struct sequence measured_sides[SIDE_COUNT] = {
	[SIDE_SENDER] = SEQUENCE(RANK(OP_ISEND, OP_COMPUTE, OP_WAIT, OP_AWAIT),
				 RANK(OP_RECV, OP_NOTIFY)),
	[SIDE_RECEIVER] = SEQUENCE(RANK(OP_NOTIFY, OP_IRECV, OP_COMPUTE, OP_WAIT),
				   RANK(OP_AWAIT, OP_SEND)),
	[SIDE_BOTH] = SEQUENCE(RANK(OP_ISEND, OP_COMPUTE, OP_WAIT, OP_IRECV, OP_COMPUTE, OP_WAIT),
			       RANK(OP_IRECV, OP_COMPUTE, OP_WAIT, OP_ISEND, OP_COMPUTE, OP_WAIT)),
};

static struct benchmark overlap_of_side(enum side side, enum layout layout)
{
	return (struct benchmark){
		.measured = measured_sides[side],
		.comm = ping_pong,
		.comp = side == SIDE_BOTH ? all_compute : one_rank_computes,
		.halves = true,
		.layout = layout,
	};
}

/*
 * The processor time of messages: rank 0 waits for no answer, and T_comm is its blocking call.  A receiver
 * says that it is ready, as messages that it does not expect may take another way.
 */
static struct benchmark cpu_of_side(enum side side)
{
	static const struct benchmark sides[SIDE_COUNT] = {
		[SIDE_SENDER] = {.measured = SEQUENCE(RANK(OP_ISEND, OP_COMPUTE, OP_WAIT),
						      RANK(OP_RECV)),
				 .comm = SEQUENCE(RANK(OP_SEND), RANK(OP_RECV)),
				 .comp = SEQUENCE(RANK(OP_COMPUTE))},
		[SIDE_RECEIVER] = {.measured = SEQUENCE(RANK(OP_NOTIFY, OP_IRECV, OP_COMPUTE,
							     OP_WAIT),
							RANK(OP_AWAIT, OP_SEND)),
				   .comm = SEQUENCE(RANK(OP_NOTIFY, OP_RECV),
						    RANK(OP_AWAIT, OP_SEND)),
				   .comp = SEQUENCE(RANK(OP_COMPUTE))},
		[SIDE_BOTH] = {.measured = SEQUENCE(RANK(OP_ISEND, OP_IRECV, OP_COMPUTE, OP_WAIT),
						    RANK(OP_IRECV, OP_ISEND, OP_COMPUTE, OP_WAIT)),
			       .comm = SEQUENCE(RANK(OP_ISEND, OP_IRECV, OP_WAIT),
						RANK(OP_IRECV, OP_ISEND, OP_WAIT)),
			       .comp = SEQUENCE(RANK(OP_COMPUTE), RANK(OP_COMPUTE))},
	};

	return sides[side];
}

/* Blocking calls beside threads that compute all the time. */
static struct benchmark nload_of_side(enum side side)
{
	static const struct sequence directions[SIDE_COUNT] = {
		[SIDE_SENDER] = SEQUENCE(RANK(OP_SEND, OP_AWAIT), RANK(OP_RECV, OP_NOTIFY)),
		[SIDE_RECEIVER] = SEQUENCE(RANK(OP_NOTIFY, OP_RECV), RANK(OP_AWAIT, OP_SEND)),
		[SIDE_BOTH] = SEQUENCE(RANK(OP_SEND, OP_RECV), RANK(OP_RECV, OP_SEND)),
	};

	return (struct benchmark){
		.measured = directions[side],
		.comm = directions[side],
		.halves = side == SIDE_BOTH,
		.answered = side != SIDE_BOTH,
	};
}

/* ------------------------------------------------------------------- others */

static struct benchmark persistent(enum operation start, enum side side)
{
	struct benchmark benchmark = overlap_of_side(side, LAYOUT_CONTIGUOUS);
	const unsigned place = side == SIDE_RECEIVER; /* after OP_NOTIFY */

	benchmark.measured.ranks[0][place] = start;
	return benchmark;
}

/* Both sides need partitioned requests, so that T_comm is the sequence without computation. */
static struct benchmark partitioned(enum side side)
{
	static const struct benchmark sides[] = {
		[SIDE_SENDER] = {.measured = SEQUENCE(RANK(OP_START_SEND, OP_COMPUTE, OP_WAIT,
							   OP_AWAIT),
						      RANK(OP_START_RECV, OP_WAIT, OP_NOTIFY)),
				 .comm = SEQUENCE(RANK(OP_START_SEND, OP_WAIT, OP_AWAIT),
						  RANK(OP_START_RECV, OP_WAIT, OP_NOTIFY))},
		[SIDE_RECEIVER] = {.measured = SEQUENCE(RANK(OP_NOTIFY, OP_START_RECV, OP_COMPUTE,
							     OP_WAIT),
							RANK(OP_AWAIT, OP_START_SEND, OP_WAIT)),
				   .comm = SEQUENCE(RANK(OP_NOTIFY, OP_START_RECV, OP_WAIT),
						    RANK(OP_AWAIT, OP_START_SEND, OP_WAIT))},
	};
	struct benchmark benchmark = sides[side];

	benchmark.comp = one_rank_computes;
	benchmark.answered = true;
	return benchmark;
}

/* Where the target computes it is rank 0: it tells the origin when it begins, and learns that all is done. */
static struct benchmark one_sided(enum operation access, bool target_computes)
{
	struct benchmark benchmark = {
		.measured = SEQUENCE(RANK(access, OP_COMPUTE, OP_FLUSH), {OP_END}),
		.comm = SEQUENCE(RANK(access, OP_FLUSH), {OP_END}),
		.comp = one_rank_computes,
	};

	if (target_computes)
		benchmark.measured = (struct sequence)
			SEQUENCE(RANK(OP_NOTIFY, OP_COMPUTE, OP_AWAIT),
				 RANK(OP_AWAIT, access, OP_FLUSH, OP_NOTIFY));
	return benchmark;
}

static struct benchmark collective(void)
{
	return (struct benchmark){
		.measured = SEQUENCE(RANK(OP_COLLECTIVE, OP_COMPUTE, OP_WAIT)),
		.comm = SEQUENCE(RANK(OP_COLLECTIVE, OP_WAIT)),
		.comp = one_rank_computes,
		.blocking = SEQUENCE(RANK(OP_BLOCKING)),
	};
}

static struct benchmark benchmark_of_one(const struct cell_spec *spec)
{
	switch (spec->bench) {
	case BENCH_SENDER:
		return overlap_of_side(SIDE_SENDER, LAYOUT_CONTIGUOUS);
	case BENCH_RECEIVER:
		return overlap_of_side(SIDE_RECEIVER, LAYOUT_CONTIGUOUS);
	case BENCH_BOTH:
		return overlap_of_side(SIDE_BOTH, LAYOUT_CONTIGUOUS);
	case BENCH_NONCONTIG:
		return overlap_of_side(spec->side, LAYOUT_VECTOR);
	case BENCH_CPU:
		return cpu_of_side(spec->side);
	case BENCH_NLOAD:
		return nload_of_side(spec->side);
	case BENCH_PERSISTENT_SEND:
		return persistent(OP_START_SEND, SIDE_SENDER);
	case BENCH_PERSISTENT_RECV:
		return persistent(OP_START_RECV, SIDE_RECEIVER);
	case BENCH_PARTITIONED_SEND:
		return partitioned(SIDE_SENDER);
	case BENCH_PARTITIONED_RECV:
		return partitioned(SIDE_RECEIVER);
	case BENCH_PUT:
	case BENCH_PUT_TARGET:
		return one_sided(OP_PUT, spec->bench == BENCH_PUT_TARGET);
	case BENCH_GET:
	case BENCH_GET_TARGET:
		return one_sided(OP_GET, spec->bench == BENCH_GET_TARGET);
	default:
		return collective();
	}
}

/* ---------------------------------------------------------- several messages */

/* The operations with MPI_Isend and MPI_Irecv in place of blocking calls, which take one message after the other. */
static void begin_at_once(enum operation *operations)
{
	enum operation all[2 * MOST_OPERATIONS];
	unsigned count = 0;

	for (const enum operation *each = operations; *each != OP_END; each++) {
		const bool blocking = *each == OP_SEND || *each == OP_RECV;

		all[count++] = !blocking ? *each : *each == OP_SEND ? OP_ISEND : OP_IRECV;
		if (blocking)
			all[count++] = OP_WAIT;
	}
	all[count++] = OP_END;
	memcpy(operations, all, count * sizeof *all);
}

static void remove_computation(enum operation *operations)
{
	enum operation *kept = operations;

	for (; *operations != OP_END; operations++)
		if (*operations != OP_COMPUTE)
			*kept++ = *operations;
	*kept = OP_END;
}

/* Begin all messages before one is completed.  A ping-pong has them one by one, so T_comm is the sequence itself. */
static void take_several(struct benchmark *benchmark, bool both_sides)
{
	if (benchmark->halves) {
		benchmark->comm = benchmark->measured;
		benchmark->halves = both_sides;
		benchmark->answered = !both_sides;
	}
	for (int r = 0; r < 2; r++) {
		begin_at_once(benchmark->measured.ranks[r]);
		begin_at_once(benchmark->comm.ranks[r]);
		remove_computation(benchmark->comm.ranks[r]);
	}
}

struct benchmark benchmark_of(const struct cell_spec *spec)
{
	const bool has_sides = spec->bench == BENCH_NONCONTIG || spec->bench == BENCH_NLOAD;
	struct benchmark benchmark = benchmark_of_one(spec);

	if (spec->pending > 1)
		take_several(&benchmark,
			     spec->bench == BENCH_BOTH || (has_sides && spec->side == SIDE_BOTH));
	return benchmark;
}
