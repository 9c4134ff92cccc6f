#include "measure/overlap/benchmark.h"

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

/* Several messages at once are begun and completed as in the benchmark: a ping-pong has them one by one. */
static const struct sequence comm_sides[SIDE_COUNT] = {
	[SIDE_SENDER] = SEQUENCE(RANK(OP_ISEND, OP_WAIT, OP_AWAIT), RANK(OP_RECV, OP_NOTIFY)),
	[SIDE_RECEIVER] = SEQUENCE(RANK(OP_NOTIFY, OP_IRECV, OP_WAIT), RANK(OP_AWAIT, OP_SEND)),
	[SIDE_BOTH] = SEQUENCE(RANK(OP_ISEND, OP_WAIT, OP_IRECV, OP_WAIT),
			       RANK(OP_IRECV, OP_WAIT, OP_ISEND, OP_WAIT)),
};

static struct benchmark overlap_of_side(enum side side, unsigned pending, enum layout layout)
{
	const bool several = pending > 1;

	return (struct benchmark){
		.measured = measured_sides[side],
		.comm = several ? comm_sides[side] : ping_pong,
		.comp = side == SIDE_BOTH ? all_compute : one_rank_computes,
		.halves = !several || side == SIDE_BOTH,
		.answered = several && side != SIDE_BOTH,
		.layout = layout,
	};
}

/* The processor time of messages: rank 0 waits for nobody, and T_comm is its blocking call. */
static struct benchmark cpu_of_side(enum side side)
{
	static const struct benchmark sides[SIDE_COUNT] = {
		[SIDE_SENDER] = {.measured = SEQUENCE(RANK(OP_ISEND, OP_COMPUTE, OP_WAIT),
						      RANK(OP_RECV)),
				 .comm = SEQUENCE(RANK(OP_SEND), RANK(OP_RECV)),
				 .comp = SEQUENCE(RANK(OP_COMPUTE))},
		[SIDE_RECEIVER] = {.measured = SEQUENCE(RANK(OP_IRECV, OP_COMPUTE, OP_WAIT),
							RANK(OP_SEND)),
				   .comm = SEQUENCE(RANK(OP_RECV), RANK(OP_SEND)),
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

static struct benchmark persistent(enum operation start, enum side side, unsigned pending)
{
	struct benchmark benchmark = overlap_of_side(side, pending, LAYOUT_CONTIGUOUS);
	const unsigned place = side == SIDE_RECEIVER; /* after OP_NOTIFY */

	benchmark.measured.ranks[0][place] = start;
	if (benchmark.answered)
		benchmark.comm.ranks[0][place] = start;
	return benchmark;
}

static struct benchmark one_sided(enum operation access, bool target_computes)
{
	if (target_computes)
		return (struct benchmark){
			.measured = SEQUENCE(RANK(access, OP_FLUSH, OP_AWAIT),
					     RANK(OP_COMPUTE, OP_NOTIFY)),
			.comm = SEQUENCE(RANK(access, OP_FLUSH), {OP_END}),
			.comp = one_rank_computes,
		};
	return (struct benchmark){
		.measured = SEQUENCE(RANK(access, OP_COMPUTE, OP_FLUSH), {OP_END}),
		.comm = SEQUENCE(RANK(access, OP_FLUSH), {OP_END}),
		.comp = one_rank_computes,
	};
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

struct benchmark benchmark_of(const struct cell_spec *spec)
{
	switch (spec->bench) {
	case BENCH_SENDER:
		return overlap_of_side(SIDE_SENDER, spec->pending, LAYOUT_CONTIGUOUS);
	case BENCH_RECEIVER:
		return overlap_of_side(SIDE_RECEIVER, spec->pending, LAYOUT_CONTIGUOUS);
	case BENCH_BOTH:
		return overlap_of_side(SIDE_BOTH, spec->pending, LAYOUT_CONTIGUOUS);
	case BENCH_NONCONTIG:
		return overlap_of_side(spec->side, spec->pending, LAYOUT_VECTOR);
	case BENCH_CPU:
		return cpu_of_side(spec->side);
	case BENCH_NLOAD:
		return nload_of_side(spec->side);
	case BENCH_PERSISTENT_SEND:
		return persistent(OP_START_SEND, SIDE_SENDER, spec->pending);
	case BENCH_PERSISTENT_RECV:
		return persistent(OP_START_RECV, SIDE_RECEIVER, spec->pending);
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
