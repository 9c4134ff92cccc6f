#include "trace/liballprof/text_calls.h"

#include <string.h>

/* Blocking and non-blocking, which has the request behind. */
#define COLLECTIVE_ROWS(name, lower, signature, kind)                                     \
	{"MPI_" #name, signature, TEXT_COLLECTIVE, kind},                                 \
	{"MPI_I" #lower, signature "p", TEXT_COLLECTIVE, kind}

static const struct text_function functions[] = {
	{"MPI_Send", "pidiic", TEXT_SEND, 0},
	{"MPI_Bsend", "pidiic", TEXT_SEND, 0},
	{"MPI_Ssend", "pidiic", TEXT_SEND, 0},
	{"MPI_Rsend", "pidiic", TEXT_SEND, 0},
	{"MPI_Recv", "pidiicp", TEXT_RECV, 0},
	{"MPI_Isend", "pidiicp", TEXT_ISEND, 0},
	{"MPI_Ibsend", "pidiicp", TEXT_ISEND, 0},
	{"MPI_Issend", "pidiicp", TEXT_ISEND, 0},
	{"MPI_Irsend", "pidiicp", TEXT_ISEND, 0},
	{"MPI_Irecv", "pidiicp", TEXT_IRECV, 0},
	{"MPI_Send_init", "pidiicp", TEXT_SEND_INIT, 0},
	{"MPI_Bsend_init", "pidiicp", TEXT_SEND_INIT, 0},
	{"MPI_Ssend_init", "pidiicp", TEXT_SEND_INIT, 0},
	{"MPI_Rsend_init", "pidiicp", TEXT_SEND_INIT, 0},
	{"MPI_Recv_init", "pidiicp", TEXT_RECV_INIT, 0},
	{"MPI_Sendrecv", "pidiipidiicp", TEXT_SENDRECV, 0},
	{"MPI_Sendrecv_replace", "pidiiiicp", TEXT_SENDRECV_REPLACE, 0},
	{"MPI_Start", "p", TEXT_START, 0},
	{"MPI_Startall", "ip", TEXT_STARTALL, 0},
	{"MPI_Wait", "pp", TEXT_WAIT, 0},
	{"MPI_Waitall", "ipp", TEXT_WAITALL, 0},
	{"MPI_Waitany", "ippp", TEXT_WAITANY, 0},
	{"MPI_Waitsome", "ipppp", TEXT_WAITSOME, 0},
	{"MPI_Test", "ppp", TEXT_TEST, 0},
	{"MPI_Testall", "ippp", TEXT_TESTALL, 0},
	{"MPI_Testany", "ipppp", TEXT_TESTANY, 0},
	{"MPI_Testsome", "ipppp", TEXT_TESTANY, 0},
	{"MPI_Cancel", "p", TEXT_CANCEL, 0},
	{"MPI_Request_free", "p", TEXT_REQUEST_FREE, 0},
	{"MPI_Mprobe", "iicpp", TEXT_MPROBE, 0},
	{"MPI_Improbe", "iicppp", TEXT_IMPROBE, 0},
	{"MPI_Mrecv", "pidpp", TEXT_MRECV, 0},
	{"MPI_Imrecv", "pidpp", TEXT_IMRECV, 0},
	{"MPI_Comm_rank", "cp", TEXT_OF_COMM, 0},
	{"MPI_Comm_size", "cp", TEXT_OF_COMM, 0},
	{"MPI_Comm_dup", "cp", TEXT_COMM_DUP, COLL_CREATE_HANDLE},
	{"MPI_Comm_dup_with_info", "cpp", TEXT_COMM_DUP, COLL_CREATE_HANDLE},
	{"MPI_Comm_create", "cpp", TEXT_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Comm_split", "ciip", TEXT_COMM_SPLIT, COLL_CREATE_HANDLE},
	{"MPI_Comm_split_type", "ciipp", TEXT_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Cart_create", "cippip", TEXT_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Cart_sub", "cpp", TEXT_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Graph_create", "cippip", TEXT_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Dist_graph_create", "cipppppip", TEXT_COLLECTIVE, COLL_CREATE_HANDLE},
	{"MPI_Dist_graph_create_adjacent", "cippippp" "ip", TEXT_COLLECTIVE, COLL_CREATE_HANDLE},
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

const struct text_function *text_function_find(const char *name, uint32_t length)
{
	for (const struct text_function *each = functions; each->name; each++)
		if (strlen(each->name) == length && !memcmp(each->name, name, length))
			return each;
	return NULL;
}
