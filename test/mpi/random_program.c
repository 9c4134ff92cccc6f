/*
 * Random MPI program: random_program SEED STEPS [gaps]
 *
 * All ranks draw the same plan from the seed, so that every step is correct by
 * construction.  Steps are messages in all modes, with and without wildcards, persistent,
 * tested and waited for in odd orders; collectives on the world and on a
 * changing set of sub-communicators.  Sizes are from 0 to above the eager
 * limit.  Prints "messages BYTES COUNT" of the point-to-point part.  With `gaps` a rank switches recording
 * off in some of the steps, and all ranks do in others.
 */
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMMS = 4, MOST_BYTES = 100000, MOST_RANKS = 16 };

static uint64_t state;
static int world_rank, world_size;
static MPI_Comm comms[MOST_COMMS];	/* MPI_COMM_NULL where this rank is not a member */
static int comm_count = 1;
static char *out, *in;
static long messages, bytes;	/* sent by this rank */

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

/* Draw the communicator of a step, the same on all ranks of the world. */
static MPI_Comm draw_comm(int *rank, int *size)
{
	MPI_Comm comm = comms[draw((uint32_t)comm_count)];

	if (comm != MPI_COMM_NULL) {
		MPI_Comm_rank(comm, rank);
		MPI_Comm_size(comm, size);
	}
	return comm;
}

static int draw_bytes(void)
{
	static const int sizes[] = {0, 1, 8, 100, 4096, MOST_BYTES};

	return sizes[draw(sizeof sizes / sizeof *sizes)];
}

static void count_message(int count)
{
	messages++;
	bytes += count;
}

/* Complete all requests in the way `how`. */
static void complete(int count, MPI_Request *requests, uint32_t how)
{
	int left = count, index, flag = 0, indices[2 * MOST_RANKS];
	MPI_Status statuses[2 * MOST_RANKS];

	switch (how % 7) {
	case 0:
		MPI_Waitall(count, requests, how % 2 ? statuses : MPI_STATUSES_IGNORE);
		break;
	case 1:
		for (int i = count - 1; i >= 0; i--)
			MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
		break;
	case 2:
		for (; left > 0; left--)
			MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
		break;
	case 3:
		while (left > 0) {
			MPI_Waitsome(count, requests, &index, indices, statuses);
			left -= index;
		}
		break;
	case 4:
		for (; !flag; sched_yield())
			MPI_Testall(count, requests, &flag, statuses);
		break;
	case 5:
		for (int i = 0; i < count; i++)
			for (flag = 0; !flag; sched_yield())
				MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
		break;
	case 6:
		while (left > 0) {
			MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
			left -= flag;
		}
		break;
	}
}

/* Send to the rank `shift` further on, by non-blocking or persistent operations. */
static void shift_step(void)
{
	int rank = 0, size = 1, tag = (int)draw(3) * 1000, count = draw_bytes(),
	    shift = (int)draw(5);
	uint32_t how = draw(1000), wildcard = draw(4), mode = draw(4);
	MPI_Comm comm = draw_comm(&rank, &size);
	MPI_Request requests[2];
	int to, from;

	if (comm == MPI_COMM_NULL)
		return;
	to = (rank + shift) % size;
	from = (rank + size - shift % size) % size;
	if (shift == 4) {	/* a line instead of a ring */
		to = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
		from = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	}
	if (to != MPI_PROC_NULL)
		count_message(count);
	/* Without the barrier, a wildcard could match a message of the next step. */
	if (wildcard == 1)
		MPI_Barrier(comm);
	if (wildcard == 1 && from != MPI_PROC_NULL)
		from = MPI_ANY_SOURCE;
	if (mode == 0) {
		MPI_Recv_init(in, MOST_BYTES, MPI_BYTE, from, tag, comm, &requests[0]);
		MPI_Send_init(out, count, MPI_BYTE, to, tag, comm, &requests[1]);
		MPI_Startall(2, requests);
		complete(2, requests, how % 2 ? 0 : 1);
		MPI_Request_free(&requests[0]);
		MPI_Request_free(&requests[1]);
	} else if (mode == 1) {
		MPI_Sendrecv(out, count, MPI_BYTE, to, tag, in, MOST_BYTES, MPI_BYTE, from, tag,
			     comm, MPI_STATUS_IGNORE);
	} else {
		MPI_Irecv(in, MOST_BYTES, MPI_BYTE, from, tag, comm, &requests[0]);
		if (mode == 2)
			MPI_Isend(out, count, MPI_BYTE, to, tag, comm, &requests[1]);
		else
			MPI_Issend(out, count, MPI_BYTE, to, tag, comm, &requests[1]);
		complete(2, requests, how);
	}
	if (wildcard == 1)
		MPI_Barrier(comm);
}

/* Send from all ranks to all others, and receive in any order. */
static void exchange_step(void)
{
	int rank = 0, size = 1, count = draw_bytes() / MOST_RANKS, posted = 0;
	uint32_t how = draw(1000);
	MPI_Comm comm = draw_comm(&rank, &size);
	MPI_Request requests[2 * MOST_RANKS];

	if (comm == MPI_COMM_NULL)
		return;
	MPI_Barrier(comm);
	for (int i = 1; i < size; i++)
		MPI_Irecv(in + i * MOST_BYTES / MOST_RANKS, count, MPI_BYTE, MPI_ANY_SOURCE,
			  MPI_ANY_TAG, comm, &requests[posted++]);
	for (int i = 1; i < size; i++) {
		MPI_Isend(out, count, MPI_BYTE, (rank + i) % size, i, comm, &requests[posted++]);
		count_message(count);
	}
	complete(posted, requests, how);
	MPI_Barrier(comm);
}

/* Gather on rank 0 of a communicator by probing. */
static void probe_step(void)
{
	int rank = 0, size = 1, count = draw_bytes();
	uint32_t how = draw(4);
	MPI_Comm comm = draw_comm(&rank, &size);
	MPI_Status status;
	MPI_Message message;
	int flag = 0, got;

	if (comm == MPI_COMM_NULL)
		return;
	MPI_Barrier(comm);
	if (rank != 0) {
		MPI_Send(out, count, MPI_BYTE, 0, rank, comm);
		count_message(count);
		MPI_Barrier(comm);
		return;
	}
	for (int i = 1; i < size; i++, flag = 0) {
		if (how == 0) {
			MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
		} else if (how == 1) {
			while (!flag)
				MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
		} else if (how == 2) {
			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
		} else {
			while (!flag)
				MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &message,
					    &status);
		}
		MPI_Get_count(&status, MPI_BYTE, &got);
		if (how < 2)
			MPI_Recv(in, got, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm,
				 MPI_STATUS_IGNORE);
		else
			MPI_Mrecv(in, got, MPI_BYTE, &message, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(comm);
}

static void vector_step(MPI_Comm comm, int rank, int size, uint32_t which, uint32_t seed)
{
	int sends[MOST_RANKS], receives[MOST_RANKS], displacements[MOST_RANKS];
	int root = (int)seed % size;

	for (int i = 0; i < size; i++) {
		/* Sizes are a function of both ranks, so that both sides agree. */
		sends[i] = (int)((seed + (uint32_t)(rank * 7 + i * 3)) % 5) * 40;
		receives[i] = (int)((seed + (uint32_t)(i * 7 + rank * 3)) % 5) * 40;
		displacements[i] = i * 200;
	}
	if (which == 0)
		MPI_Alltoallv(out, sends, displacements, MPI_BYTE, in, receives, displacements,
			      MPI_BYTE, comm);
	for (int i = 0; i < size; i++)
		receives[i] = (int)((seed + (uint32_t)i) % 4) * 16;
	if (which == 1)
		MPI_Allgatherv(out, receives[rank], MPI_BYTE, in, receives, displacements, MPI_BYTE,
			       comm);
	if (which == 2)
		MPI_Gatherv(out, receives[rank], MPI_BYTE, in, receives, displacements, MPI_BYTE,
			    root, comm);
	if (which == 3)
		MPI_Scatterv(out, receives, displacements, MPI_BYTE, in, receives[rank], MPI_BYTE,
			     root, comm);
	if (which == 4)
		MPI_Reduce_scatter(out, in, receives, MPI_SIGNED_CHAR, MPI_MAX, comm);
}

static void collective_step(void)
{
	int rank = 0, size = 1, count = draw_bytes() / MOST_RANKS;
	uint32_t which = draw(18), seed = draw(1000);
	int in_place = draw(2) == 0;
	MPI_Comm comm = draw_comm(&rank, &size);
	const void *from = in_place ? MPI_IN_PLACE : out;
	int root;

	if (comm == MPI_COMM_NULL)
		return;
	root = (int)seed % size;
	switch (which) {
	case 0: MPI_Barrier(comm); break;
	case 1: MPI_Bcast(in, count, MPI_BYTE, root, comm); break;
	case 2: /* MPICH 4.0 crashes in place unless the root is 0. */
		MPI_Reduce(in_place && rank == 0 ? MPI_IN_PLACE : out, in, count, MPI_SIGNED_CHAR,
			   MPI_SUM, in_place ? 0 : root, comm);
		break;
	case 3: MPI_Allreduce(from, in, count, MPI_SIGNED_CHAR, MPI_SUM, comm); break;
	case 4: MPI_Gather(in_place && rank == root ? MPI_IN_PLACE : out, count, MPI_BYTE, in,
			   count, MPI_BYTE, root, comm); break;
	case 5: MPI_Scatter(out, count, MPI_BYTE, in_place && rank == root ? MPI_IN_PLACE : in,
			    count, MPI_BYTE, root, comm); break;
	case 6: MPI_Allgather(from, count, MPI_BYTE, in, count, MPI_BYTE, comm); break;
	case 7: MPI_Alltoall(from, count, MPI_BYTE, in, count, MPI_BYTE, comm); break;
	case 8: MPI_Reduce_scatter_block(from, in, count, MPI_SIGNED_CHAR, MPI_BOR, comm); break;
	case 9: MPI_Scan(from, in, count, MPI_SIGNED_CHAR, MPI_BXOR, comm); break;
	case 10: MPI_Exscan(from, in, count, MPI_SIGNED_CHAR, MPI_PROD, comm); break;
	default: vector_step(comm, rank, size, which % 5, seed); break;
	}
}

/* Replace a communicator by one of some world ranks, or by a copy of another one. */
static void comm_step(void)
{
	int slot = 1 + (int)draw(MOST_COMMS - 1), colours = 1 + (int)draw(3);
	uint32_t how = draw(4), reverse = draw(2);
	int colour = world_rank % colours;

	if (slot < comm_count && comms[slot] != MPI_COMM_NULL)
		MPI_Comm_free(&comms[slot]);
	if (slot >= comm_count)
		slot = comm_count++;
	if (how == 0) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[slot]);
	} else if (how == 1) {
		if (colours == 3 && colour == 2)
			colour = MPI_UNDEFINED;
		MPI_Comm_split(MPI_COMM_WORLD, colour, reverse ? -world_rank : world_rank,
			       &comms[slot]);
	} else {
		MPI_Group all, some;
		int range[1][3] = {{0, world_size - 1, colours}};

		MPI_Comm_group(MPI_COMM_WORLD, &all);
		MPI_Group_range_incl(all, 1, range, &some);
		comms[slot] = MPI_COMM_NULL;
		if (how == 2)
			MPI_Comm_create(MPI_COMM_WORLD, some, &comms[slot]);
		else if (colour == 0)
			MPI_Comm_create_group(MPI_COMM_WORLD, some, slot, &comms[slot]);
		MPI_Group_free(&all);
		MPI_Group_free(&some);
	}
}

/* Run a step without recording on one rank, or on all of them. */
static void step_in_gap(void (*step)(void))
{
	const int rank = (int)draw((uint32_t)world_size + 1);
	const bool off = rank == world_rank || rank == world_size;

	if (off)
		MPI_Pcontrol(0);
	step();
	if (off)
		MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
	static void (*const steps[])(void) = {
		shift_step, shift_step, exchange_step, probe_step, collective_step, collective_step,
		comm_step,
	};
	long total[2], local[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &world_size);
	out = calloc(MOST_RANKS, MOST_BYTES);
	in = calloc(MOST_RANKS, MOST_BYTES);
	if (argc < 3 || world_size > MOST_RANKS || !out || !in)
		MPI_Abort(MPI_COMM_WORLD, 1);
	state = strtoull(argv[1], NULL, 10) * 2654435761u + 12345;
	comms[0] = MPI_COMM_WORLD;
	for (int step = atoi(argv[2]); step > 0; step--) {
		void (*next)(void) = steps[draw(sizeof steps / sizeof *steps)];

		if (argc > 3 && !draw(10))
			step_in_gap(next);
		else
			next();
	}
	local[0] = messages;
	local[1] = bytes;
	PMPI_Reduce(local, total, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (world_rank == 0)
		printf("%ld %ld\n", total[0], total[1]);
	free(out);
	free(in);
	MPI_Finalize();
	return 0;
}
