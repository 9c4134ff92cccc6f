/* Probes and matched receives. */
#include "trace_log.h"

static void did_probe(const char *function, int found, int source, int tag)
{
	if (found)
		did("%s: comm=probes source=%d tag=%d bytes=4", function, source, tag);
	else
		did("%s:", function);
}

/* Receive probed messages without a status: their sizes are known from the probe. */
static void without_status(MPI_Comm comm, int left, int right)
{
	int values[3] = {0}, received[3];
	MPI_Message message;
	MPI_Request request;

	/* Mrecv uses the error handler of the communicator, MPICH's Wait that of MPI_COMM_WORLD. */
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 4; i < 7; i++) {
		MPI_Send(values, 3, MPI_INT, right, i, comm);
		did("MPI_Send: send %d %d 12 probes", right, i);
		MPI_Mprobe(MPI_ANY_SOURCE, i, comm, &message, no_status);
		did("MPI_Mprobe: comm=probes source=%d tag=%d bytes=12", left, i);
		if (i == 6) {
			MPI_Mrecv(received, 2, MPI_INT, &message, no_status);
			did("MPI_Mrecv: recv %d 6 8 probes posted=1", left);
			break;
		}
		MPI_Imrecv(received, i == 4 ? 3 : 1, MPI_INT, &message, &request);
		did("MPI_Imrecv: irecv #%d posted=1", i + 1);
		if (i == 4)
			MPI_Request_free(&request);
		else
			MPI_Wait(&request, no_status);
		did("MPI_%s: received %d %d %d probes #%d", i == 4 ? "Request_free" : "Wait", left,
		    i, i == 4 ? 12 : 4, i + 1);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
	int right, left, flag = 0, value = 0, received = 0;
	MPI_Request send, request;
	MPI_Message message;
	MPI_Comm comm;

	begin(&argc, &argv);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	did("MPI_Comm_dup: create probes | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	MPI_Comm_set_name(comm, "probes");
	for (int i = 0; i < 4; i++) {
		MPI_Isend(&value, 1, MPI_INT, right, i, comm, &send);
		did("MPI_Isend: isend %d %d 4 probes #%d", right, i, i + (i == 3));
		if (i == 0) {
			MPI_Probe(left, i, comm, no_status);
			did("MPI_Probe: comm=probes source=%d tag=%d bytes=4", left, i);
		}
		for (flag = i != 1; !flag; did_probe("MPI_Iprobe", flag, left, i))
			MPI_Iprobe(MPI_ANY_SOURCE, i, comm, &flag, no_status);
		if (i < 2) {
			MPI_Recv(&received, 1, MPI_INT, left, i, comm, no_status);
			did("MPI_Recv: recv %d %d 4 probes", left, i);
		} else if (i == 2) {
			MPI_Mprobe(left, MPI_ANY_TAG, comm, &message, no_status);
			did("MPI_Mprobe: comm=probes source=%d tag=2 bytes=4", left);
			MPI_Imrecv(&received, 1, MPI_INT, &message, &request);
			did("MPI_Imrecv: irecv #3 posted=2");
			MPI_Wait(&request, no_status);
			did("MPI_Wait: received %d 2 4 probes #3", left);
		} else {
			for (flag = 0; !flag; did_probe("MPI_Improbe", flag, left, i))
				MPI_Improbe(MPI_ANY_SOURCE, i, comm, &flag, &message, no_status);
			MPI_Mrecv(&received, 1, MPI_INT, &message, no_status);
			did("MPI_Mrecv: recv %d 3 4 probes posted=1", left);
		}
		MPI_Wait(&send, no_status);
		did("MPI_Wait: sent #%d", i + (i == 3));
	}
	MPI_Mprobe(MPI_PROC_NULL, 0, comm, &message, no_status);
	did("MPI_Mprobe:");
	MPI_Mrecv(&received, 1, MPI_INT, &message, no_status);
	did("MPI_Mrecv:");
	without_status(comm, left, right);
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy probes | coll DESTROY_HANDLE none 0 0 probes");
	return end();
}
