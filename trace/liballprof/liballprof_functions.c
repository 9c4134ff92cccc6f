/* Functions that liballprof records, and their arguments. */
#include "trace/liballprof/liballprof_calls.h"

#include <string.h>

/* Rows of a blocking collective and of the non-blocking one, whose last argument is a request. */
#define COLLECTIVE_ROWS(name, lower, signature, kind)                                     \
	{"MPI_" #name, signature, LIBALLPROF_COLLECTIVE, kind},                                 \
	{"MPI_I" #lower, signature "p", LIBALLPROF_COLLECTIVE, kind}

static const struct liballprof_function functions[] = {
	{"MPI_Send", "pidiic", LIBALLPROF_SEND, 0},
	{"MPI_Bsend", "pidiic", LIBALLPROF_SEND, 0},
	{"MPI_Ssend", "pidiic", LIBALLPROF_SEND, 0},
	{"MPI_Rsend", "pidiic", LIBALLPROF_SEND, 0},
	{"MPI_Recv", "pidiicp", LIBALLPROF_RECV, 0},
	{"MPI_Isend", "pidiicp", LIBALLPROF_ISEND, 0},
	{"MPI_Ibsend", "pidiicp", LIBALLPROF_ISEND, 0},
	{"MPI_Issend", "pidiicp", LIBALLPROF_ISEND, 0},
	{"MPI_Irsend", "pidiicp", LIBALLPROF_ISEND, 0},
	{"MPI_Irecv", "pidiicp", LIBALLPROF_IRECV, 0},
	{"MPI_Send_init", "pidiicp", LIBALLPROF_SEND_INIT, 0},
	{"MPI_Bsend_init", "pidiicp", LIBALLPROF_SEND_INIT, 0},
	{"MPI_Ssend_init", "pidiicp", LIBALLPROF_SEND_INIT, 0},
	{"MPI_Rsend_init", "pidiicp", LIBALLPROF_SEND_INIT, 0},
	{"MPI_Recv_init", "pidiicp", LIBALLPROF_RECV_INIT, 0},
	{"MPI_Sendrecv", "pidiipidiicp", LIBALLPROF_SENDRECV, 0},
	{"MPI_Sendrecv_replace", "pidiiiicp", LIBALLPROF_SENDRECV_REPLACE, 0},
	{"MPI_Start", "p", LIBALLPROF_START, 0},
	{"MPI_Startall", "ip", LIBALLPROF_STARTALL, 0},
	{"MPI_Wait", "pp", LIBALLPROF_WAIT, 0},
	{"MPI_Waitall", "ipp", LIBALLPROF_WAITALL, 0},
	{"MPI_Waitany", "ippp", LIBALLPROF_WAITANY, 0},
	{"MPI_Waitsome", "ipppp", LIBALLPROF_WAITSOME, 0},
	{"MPI_Test", "ppp", LIBALLPROF_TEST, 0},
	{"MPI_Testall", "ippp", LIBALLPROF_TESTALL, 0},
	{"MPI_Testany", "ipppp", LIBALLPROF_TESTANY, 0},
	{"MPI_Testsome", "ipppp", LIBALLPROF_TESTANY, 0},
	{"MPI_Cancel", "p", LIBALLPROF_CANCEL, 0},
	{"MPI_Request_free", "p", LIBALLPROF_REQUEST_FREE, 0},
	{"MPI_Mprobe", "iicpp", LIBALLPROF_MPROBE, 0},
	{"MPI_Improbe", "iicppp", LIBALLPROF_IMPROBE, 0},
	{"MPI_Mrecv", "pidpp", LIBALLPROF_MRECV, 0},
	{"MPI_Imrecv", "pidpp", LIBALLPROF_IMRECV, 0},
	{"MPI_Comm_rank", "cp", LIBALLPROF_OF_COMM, 0},
	{"MPI_Comm_size", "cp", LIBALLPROF_OF_COMM, 0},
	{"MPI_Comm_dup", "cp", LIBALLPROF_COMM_DUP, COLL_CREATE_HANDLE},
	{"MPI_Comm_dup_with_info", "cpp", LIBALLPROF_COMM_DUP, COLL_CREATE_HANDLE},
	{"MPI_Comm_create", "cpp", LIBALLPROF_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Comm_split", "ciip", LIBALLPROF_COMM_SPLIT, COLL_CREATE_HANDLE},
	{"MPI_Comm_split_type", "ciipp", LIBALLPROF_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Cart_create", "cippip", LIBALLPROF_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Cart_sub", "cpp", LIBALLPROF_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Graph_create", "cippip", LIBALLPROF_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Dist_graph_create", "cipppppip", LIBALLPROF_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Dist_graph_create_adjacent", "cippippp" "ip", LIBALLPROF_COLLECTIVE,
	 COLL_CREATE_HANDLE},
	COLLECTIVE_ROWS(Barrier, barrier, "c", COLL_BARRIER),
	COLLECTIVE_ROWS(Bcast, bcast, "pidic", COLL_BCAST),
	COLLECTIVE_ROWS(Gather, gather, "pidpidic", COLL_GATHER),
	COLLECTIVE_ROWS(Gatherv, gatherv, "pidpvvdic", COLL_GATHERV),
	COLLECTIVE_ROWS(Scatter, scatter, "pidpidic", COLL_SCATTER),
	COLLECTIVE_ROWS(Scatterv, scatterv, "pvvdpidic", COLL_SCATTERV),
	COLLECTIVE_ROWS(Allgather, allgather, "pidpidc", COLL_ALLGATHER),
	COLLECTIVE_ROWS(Allgatherv, allgatherv, "pidpvvdc", COLL_ALLGATHERV),
	COLLECTIVE_ROWS(Alltoall, alltoall, "pidpidc", COLL_ALLTOALL),
	COLLECTIVE_ROWS(Alltoallv, alltoallv, "pvvdpvvdc", COLL_ALLTOALLV),
	COLLECTIVE_ROWS(Alltoallw, alltoallw, "pvvppvvpc", COLL_ALLTOALLW),
	COLLECTIVE_ROWS(Allreduce, allreduce, "ppidpc", COLL_ALLREDUCE),
	COLLECTIVE_ROWS(Reduce, reduce, "ppidpic", COLL_REDUCE),
	COLLECTIVE_ROWS(Reduce_scatter, reduce_scatter, "ppvdpc", COLL_REDUCE_SCATTER),
	COLLECTIVE_ROWS(Reduce_scatter_block, reduce_scatter_block, "ppidpc",
			COLL_REDUCE_SCATTER_BLOCK),
	COLLECTIVE_ROWS(Scan, scan, "ppidpc", COLL_SCAN),
	COLLECTIVE_ROWS(Exscan, exscan, "ppidpc", COLL_EXSCAN),
	{0},
};

const struct liballprof_function *liballprof_function_find(const char *name, uint32_t length)
{
	for (const struct liballprof_function *each = functions; each->name; each++)
		if (strlen(each->name) == length && !memcmp(each->name, name, length))
			return each;
	return NULL;
}
