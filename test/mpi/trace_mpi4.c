/*
 * Functions of MPI 4: large counts, a send and a receive in one request, partitions.  With an older
 * MPI library the program does nothing.
 */
#include "trace_log.h"

#define WORLD MPI_COMM_WORLD

#if MPI_VERSION >= 4
enum { MOST = 64 };
static int in[MOST], out[MOST];
static int right, left, started;

static void messages(void)
{
	MPI_Message message;
	MPI_Request request;

	MPI_Sendrecv_c(in, 3, MPI_INT, right, 1, out, 3, MPI_INT, left, 1, WORLD, no_status);
	did("MPI_Sendrecv_c: send %d 1 12 MPI_COMM_WORLD | recv %d 1 12 MPI_COMM_WORLD", right,
	    left);
	MPI_Sendrecv_replace_c(in, 2, MPI_INT, right, 2, MPI_ANY_SOURCE, 2, WORLD, no_status);
	did("MPI_Sendrecv_replace_c: send %d 2 8 MPI_COMM_WORLD"
	    " | recv %d 2 8 MPI_COMM_WORLD posted=1",
	    right, left);
	MPI_Isend_c(in, 4, MPI_INT, right, 3, WORLD, &request);
	did("MPI_Isend_c: isend %d 3 16 MPI_COMM_WORLD #%d", right, started);
	MPI_Recv_c(out, MOST, MPI_INT, left, 3, WORLD, no_status);
	did("MPI_Recv_c: recv %d 3 16 MPI_COMM_WORLD", left);
	MPI_Wait(&request, no_status);
	did("MPI_Wait: sent #%d", started++);
	MPI_Irecv_c(out, 5, MPI_INT, left, 4, WORLD, &request);
	did("MPI_Irecv_c: irecv #%d", started);
	MPI_Send_c(in, 5, MPI_INT, right, 4, WORLD);
	did("MPI_Send_c: send %d 4 20 MPI_COMM_WORLD", right);
	MPI_Wait(&request, no_status);
	did("MPI_Wait: received %d 4 20 MPI_COMM_WORLD #%d", left, started++);
	MPI_Send_init_c(in, 6, MPI_INT, right, 5, WORLD, &request);
	did("MPI_Send_init_c:");
	MPI_Start(&request);
	did("MPI_Start: isend %d 5 24 MPI_COMM_WORLD #%d", right, started);
	MPI_Mprobe(left, 5, WORLD, &message, no_status);
	did("MPI_Mprobe: comm=MPI_COMM_WORLD source=%d tag=5 bytes=24", left);
	MPI_Mrecv_c(out, 6, MPI_INT, &message, no_status);
	did("MPI_Mrecv_c: recv %d 5 24 MPI_COMM_WORLD", left);
	MPI_Wait(&request, no_status);
	did("MPI_Wait: sent #%d", started++);
	MPI_Request_free(&request);
	did("MPI_Request_free:");
}

/*
 * Send and receive in one request.  The send has the first number and is reported first.
 * (MPI_PROC_NULL crashes in MPICH 4.0, also without the tracer.)
 */
static void pairs(void)
{
	MPI_Request request, both[2];

	MPI_Isendrecv(in, 3, MPI_INT, right, 6, out, 3, MPI_INT, left, 6, WORLD, &request);
	did("MPI_Isendrecv: isend %d 6 12 MPI_COMM_WORLD #%d | irecv #%d", right, started,
	    started + 1);
	MPI_Wait(&request, no_status);
	did("MPI_Wait: sent #%d | received %d 6 12 MPI_COMM_WORLD #%d", started, left, started + 1);
	started += 2;
	MPI_Isendrecv_replace_c(in, 2, MPI_INT, right, 7, left, 7, WORLD, &both[0]);
	did("MPI_Isendrecv_replace_c: isend %d 7 8 MPI_COMM_WORLD #%d | irecv #%d", right,
	    started, started + 1);
	MPI_Isendrecv_c(in, 1, MPI_INT, right, 8, out, 1, MPI_INT, left, 8, WORLD, &both[1]);
	did("MPI_Isendrecv_c: isend %d 8 4 MPI_COMM_WORLD #%d | irecv #%d", right, started + 2,
	    started + 3);
	MPI_Waitall(2, both, no_statuses);
	did("MPI_Waitall: sent #%d | received %d 7 8 MPI_COMM_WORLD #%d | sent #%d | "
	    "received %d 8 4 MPI_COMM_WORLD #%d", started, left, started + 1, started + 2, left,
	    started + 3);
	started += 4;
}

/* Send partitioned messages, which begin when their last partition is ready. */
static void partitioned(void)
{
	MPI_Request both[2];
	int rest[] = {2, 0}, arrived;

	MPI_Psend_init(in, 5, 3, MPI_INT, right, 9, WORLD, MPI_INFO_NULL, &both[0]);
	did("MPI_Psend_init:");
	MPI_Precv_init(out, 3, 5, MPI_INT, left, 9, WORLD, MPI_INFO_NULL, &both[1]);
	did("MPI_Precv_init:");
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, both);
		did("MPI_Startall: irecv #%d partitions=3", started++);
		MPI_Pready(4, both[0]);
		did("MPI_Pready:");
		MPI_Pready_list(2, rest, both[0]);
		did("MPI_Pready_list:");
		MPI_Pready(1, both[0]);
		did("MPI_Pready:");
		MPI_Pready_range(3, 3, both[0]);
		did("MPI_Pready_range: isend %d 9 60 MPI_COMM_WORLD #%d partitions=5", right,
		    started++);
		MPI_Parrived(both[1], 0, &arrived);
		did("MPI_Parrived:");
		MPI_Waitall(2, both, no_statuses);
		did("MPI_Waitall: sent #%d | received %d 9 60 MPI_COMM_WORLD #%d", started - 1,
		    left, started - 2);
	}
	MPI_Request_free(&both[0]);
	did("MPI_Request_free:");
	MPI_Request_free(&both[1]);
	did("MPI_Request_free:");
}

static void collectives(void)
{
	MPI_Count counts[MOST], large = (MPI_Count)3 << 30;
	MPI_Aint offsets[MOST];
	MPI_Request request;
	MPI_Comm comm;

	for (int i = 0; i < size; i++)
		counts[i] = offsets[i] = i;
	MPI_Allreduce_c(in, out, 2, MPI_INT, MPI_SUM, WORLD);
	did("MPI_Allreduce_c: coll ALLREDUCE none %d %d MPI_COMM_WORLD op=MPI_SUM", 8 * size,
	    8 * size);
	MPI_Allgatherv_c(in, rank, MPI_INT, out, counts, offsets, MPI_INT, WORLD);
	did("MPI_Allgatherv_c: coll ALLGATHERV none %d %d MPI_COMM_WORLD receives=%s",
	    4 * size * rank, 2 * size * (size - 1), size == 2 ? "0,4" : "0,4,8");
	MPI_Ibcast_c(in, large, MPI_BYTE, 0, MPI_COMM_SELF, &request);
	did("MPI_Ibcast_c: icoll #%d", started);
	MPI_Wait(&request, no_status);
	did("MPI_Wait: completed BCAST 0 %lld %lld MPI_COMM_SELF #%d", (long long)large,
	    (long long)large, started++);
	MPI_Bcast_init_c(in, 3, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request);
	did("MPI_Bcast_init_c:");
	MPI_Startall(1, &request);
	did("MPI_Startall: icoll #%d", started);
	MPI_Waitall(1, &request, no_statuses);
	did("MPI_Waitall: completed BCAST 0 %d 12 MPI_COMM_WORLD #%d", rank ? 0 : 12 * size,
	    started++);
	MPI_Request_free(&request);
	did("MPI_Request_free:");
	MPI_Comm_idup_with_info(WORLD, MPI_INFO_NULL, &comm, &request);
	did("MPI_Comm_idup_with_info: icoll #%d", started);
	MPI_Wait(&request, no_status);
	did("MPI_Wait: create comm2 | completed CREATE_HANDLE none 0 0 MPI_COMM_WORLD #%d",
	    started++);
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy comm2 | coll DESTROY_HANDLE none 0 0 comm2");
}
#endif

int main(int argc, char **argv)
{
	begin(&argc, &argv);
#if MPI_VERSION >= 4
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	messages();
	pairs();
	partitioned();
	collectives();
#endif
	return end();
}
