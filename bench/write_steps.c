/*
 * Write a trace of a program of many ranks that was never run: write_steps FOLDER RANKS STEPS.  In each
 * step a rank computes for 0.5 to 1.5 us, sends a message to both neighbours in a ring, waits for theirs,
 * and takes part in an allreduce: 6 calls.
 */
#include "common/array.h"
#include "common/hash.h"
#include "trace/call/mpi_functions.h"
#include "trace/otf2/trace_writer.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALL_NS = 100, MESSAGE_NS = 200, REDUCE_NS = 500 };

static struct error err;

static void must(int result)
{
	if (result == 0)
		return;
	fprintf(stderr, "write_steps: %s\n", err.text);
	exit(1);
}

struct program {
	uint32_t ranks, steps;
	uint64_t *starts; /* [step] */
};

/* When the rank has computed. */
static uint64_t computed_ns(const struct program *program, uint32_t rank, uint32_t step)
{
	return program->starts[step] + 500 + mix64((uint64_t)rank << 32 | step) % 1000;
}

static uint32_t neighbour(const struct program *program, uint32_t rank, int side)
{
	return (rank + (side ? 1 : program->ranks - 1)) % program->ranks;
}

/* When the rank has the messages of both neighbours, which they send after both receives. */
static uint64_t received_ns(const struct program *program, uint32_t rank, uint32_t step)
{
	uint64_t last = computed_ns(program, rank, step);

	for (int side = 0; side < 2; side++) {
		const uint64_t sent = computed_ns(program, neighbour(program, rank, side), step);

		last = sent > last ? sent : last;
	}
	return last + 4 * CALL_NS + MESSAGE_NS;
}

static void find_starts(struct program *program)
{
	must(allocate(&program->starts, (size_t)program->steps + 1, sizeof *program->starts, &err));
	program->starts[0] = CALL_NS;
	for (uint32_t step = 0; step < program->steps; step++) {
		uint64_t last = 0;

		for (uint32_t rank = 0; rank < program->ranks; rank++) {
			const uint64_t received = received_ns(program, rank, step);

			last = received > last ? received : last;
		}
		program->starts[step + 1] = last + REDUCE_NS;
	}
}

/* The i-th message half of a step: two receives, two sends. */
static struct mpi_event half(const struct program *program, uint32_t rank, uint32_t step, int i,
			     bool ends)
{
	const bool sends = i >= 2;

	return (struct mpi_event){
		.kind = sends ? (ends ? EVENT_ISEND_COMPLETE : EVENT_ISEND)
			      : (ends ? EVENT_IRECV : EVENT_IRECV_REQUEST),
		.peer = neighbour(program, rank, i % 2),
		.bytes = 1000,
		.request = (uint64_t)step * 4 + (uint64_t)i + 1,
	};
}

static void write_call(struct trace_writer *writer, unsigned function, uint64_t enter_ns,
		       uint64_t leave_ns, const struct mpi_event *events, uint32_t count)
{
	const struct mpi_call call = {.enter_ns = enter_ns,
				      .leave_ns = leave_ns,
				      .events = events,
				      .event_count = count};

	must(trace_writer_call(writer, 0, function, &call, &err));
}

static void write_step(struct trace_writer *writer, const struct program *program, uint32_t rank,
		       uint32_t step)
{
	static const struct mpi_event reduce = {.kind = EVENT_COLLECTIVE,
						.collective = COLL_ALLREDUCE,
						.root = NO_ROOT,
						.bytes_sent = 16,
						.bytes_received = 16};
	const uint64_t received = received_ns(program, rank, step);
	uint64_t now = computed_ns(program, rank, step);
	struct mpi_event event, ends[4];

	for (int i = 0; i < 4; i++, now += CALL_NS) {
		event = half(program, rank, step, i, false);
		ends[i] = half(program, rank, step, i, true);
		write_call(writer, i < 2 ? CALL_Irecv : CALL_Isend, now, now + CALL_NS, &event, 1);
	}
	write_call(writer, CALL_Waitall, now, received, ends, 4);
	write_call(writer, CALL_Allreduce, received, program->starts[step + 1], &reduce, 1);
}

static void write_rank(struct trace_writer *writer, const struct program *program, uint32_t rank,
		       struct trace_rank *summary)
{
	const uint64_t end_ns = program->starts[program->steps];
	uint64_t *events;

	write_call(writer, CALL_Init, 1, CALL_NS, NULL, 0);
	for (uint32_t step = 0; step < program->steps; step++)
		write_step(writer, program, rank, step);
	write_call(writer, CALL_Finalize, end_ns, end_ns + CALL_NS, NULL, 0);
	must(trace_writer_end(writer, end_ns + CALL_NS, summary, &err));
	summary->host = "node";
	summary->cpus = "";
	must(allocate(&events, 1, sizeof *events, &err));
	*events = *summary->events;
	summary->events = events;
}

static void close_rank(struct trace_writer *writer)
{
	static const uint32_t same[] = {COMM_ID_WORLD, COMM_ID_SELF};

	must(trace_writer_map(writer,
			      &(struct trace_maps){.strings = same, .comms = same, .comm_count = 2},
			      &err));
	must(trace_writer_close(writer, &err));
}

static void define(struct trace_writer *writer, const struct program *program,
		   const struct trace_rank *ranks)
{
	struct string_table strings = {0};
	const struct trace_definitions all = {.rank_count = program->ranks,
					      .ranks = ranks,
					      .strings = &strings,
					      .complete = true};
	uint32_t empty;

	must(string_table_add(&strings, "", 0, &empty, &err));
	must(trace_writer_define(writer, &all, &err));
	string_table_release(&strings);
}

int main(int argc, char **argv)
{
	struct program program = {0};
	struct trace_writer *first = NULL, *writer;
	struct trace_rank *ranks;

	if (argc == 4) {
		program.ranks = (uint32_t)strtoul(argv[2], NULL, 10);
		program.steps = (uint32_t)strtoul(argv[3], NULL, 10);
	}
	if (program.ranks < 3 || !program.steps) {
		fprintf(stderr, "usage: write_steps FOLDER RANKS STEPS, with at least 3 ranks\n");
		return 2;
	}
	find_starts(&program);
	must(allocate(&ranks, program.ranks, sizeof *ranks, &err));
	for (uint32_t rank = 0; rank < program.ranks; rank++) {
		must(trace_writer_open(&writer, argv[1],
				       &(struct trace_place){rank, program.ranks, 1}, 0, &err));
		write_rank(writer, &program, rank, &ranks[rank]);
		if (rank == 0)
			first = writer;
		else
			close_rank(writer);
	}
	define(first, &program, ranks);
	close_rank(first);
	for (uint32_t rank = 0; rank < program.ranks; rank++)
		free((void *)(uintptr_t)ranks[rank].events);
	free(ranks);
	free(program.starts);
	return 0;
}
