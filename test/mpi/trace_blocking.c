/* Blocking messages in all modes, Sendrecv, MPI_PROC_NULL, wildcards, errors, nested calls. */
#include "trace_log.h"

#include <setjmp.h>
#include <unwind.h>

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
	int ignored = 0;

	(void)type;
	for (int i = 0; i < *count; i++)
		((int *)inout)[i] += ((int *)in)[i];
	/* Calls inside calls are not recorded. */
	MPI_Sendrecv_replace(&ignored, 1, MPI_INT, 0, 99, 0, 99, MPI_COMM_SELF, no_status);
}

static void modes(double *data)
{
	static char buffer[1 << 16];
	int (*const sends[])(const void *, int, MPI_Datatype, int, int, MPI_Comm) = {
		MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
	static const char *const names[] = {"Send", "Bsend", "Ssend", "Rsend"};
	MPI_Status status;

	MPI_Buffer_attach(buffer, sizeof buffer);
	for (int mode = 0; mode < 4; mode++) {
		int count = 10 * (mode + 1);

		if (rank == 0) {
			if (mode == 3) {
				MPI_Recv(NULL, 0, MPI_INT, 1, 1000, MPI_COMM_WORLD, no_status);
				did("MPI_Recv: recv 1 1000 0 MPI_COMM_WORLD");
			}
			sends[mode](data, count, MPI_DOUBLE, 1, mode, MPI_COMM_WORLD);
			did("MPI_%s: send 1 %d %d MPI_COMM_WORLD", names[mode], mode, 8 * count);
		} else if (rank == 1 && mode == 3) {
			MPI_Request request;

			MPI_Irecv(data, 100, MPI_DOUBLE, 0, mode, MPI_COMM_WORLD, &request);
			did("MPI_Irecv: irecv #0");
			MPI_Send(NULL, 0, MPI_INT, 0, 1000, MPI_COMM_WORLD);
			did("MPI_Send: send 0 1000 0 MPI_COMM_WORLD");
			MPI_Wait(&request, no_status);
			did("MPI_Wait: received 0 3 320 MPI_COMM_WORLD #0");
		} else if (rank == 1) {
			MPI_Recv(data, 100, MPI_DOUBLE, mode == 1 ? MPI_ANY_SOURCE : 0,
				 mode == 2 ? MPI_ANY_TAG : mode, MPI_COMM_WORLD, &status);
			did("MPI_Recv: recv %d %d %d MPI_COMM_WORLD%s", status.MPI_SOURCE,
			    status.MPI_TAG, 8 * count,
			    mode == 1 ? " posted=1" : mode == 2 ? " posted=2" : "");
		}
	}
	MPI_Buffer_detach(&(char *){NULL}, &(int){0});
	did("MPI_Buffer_detach:");
}

static void exchange(double *data)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Datatype pair;

	MPI_Sendrecv(data, 3, MPI_FLOAT, right, 5, data + 50, 100, MPI_BYTE, MPI_ANY_SOURCE,
		     MPI_ANY_TAG, MPI_COMM_WORLD, no_status);
	did("MPI_Sendrecv: send %d 5 12 MPI_COMM_WORLD | recv %d 5 12 MPI_COMM_WORLD posted=3",
	    right, left);
	MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &pair);
	MPI_Type_commit(&pair);
	MPI_Sendrecv_replace(data, 2, pair, right, 6, left, 6, MPI_COMM_WORLD, no_status);
	did("MPI_Sendrecv_replace: send %d 6 32 MPI_COMM_WORLD | recv %d 6 32 MPI_COMM_WORLD",
	    right, left);
	MPI_Type_free(&pair);
	/* Send along a line; MPI_PROC_NULL is at its ends. */
	right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	MPI_Sendrecv(data, 1, MPI_INT, right, 7, data + 1, 1, MPI_INT, left, 7, MPI_COMM_WORLD,
		     no_status);
	if (rank == 0 && size > 1)
		did("MPI_Sendrecv: send 1 7 4 MPI_COMM_WORLD");
	else if (rank == size - 1)
		did("MPI_Sendrecv: recv %d 7 4 MPI_COMM_WORLD", left);
	else
		did("MPI_Sendrecv: send %d 7 4 MPI_COMM_WORLD | recv %d 7 4 MPI_COMM_WORLD", right,
		    left);
	MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	did("MPI_Send:");
	MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, no_status);
	did("MPI_Recv:");
}

/* Messages of some sizes twice, by datatypes that are freed: their handles come again for other sizes. */
static void sizes(double *data)
{
	const int right = (rank + 1) % size, left = (rank + size - 1) % size;

	for (int i = 0; i < 20; i++) {
		const int count = 1 + i % 10;
		MPI_Datatype type;

		MPI_Type_contiguous(count, MPI_INT, &type);
		MPI_Type_commit(&type);
		MPI_Sendrecv(data, 1, type, right, 10, data + 50, 100, MPI_BYTE, left, 10,
			     MPI_COMM_WORLD, no_status);
		did("MPI_Sendrecv: send %d 10 %d MPI_COMM_WORLD | recv %d 10 %d MPI_COMM_WORLD",
		    right, 4 * count, left, 4 * count);
		MPI_Type_free(&type);
	}
}

/* Receive messages longer than the buffer: they are recorded nevertheless. */
static void truncated(void)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	int sent[5] = {0}, received[5];

	MPI_Send(sent, 5, MPI_INT, right, 8, MPI_COMM_WORLD);
	did("MPI_Send: send %d 8 20 MPI_COMM_WORLD", right);
	MPI_Recv(received, 2, MPI_INT, left, 8, MPI_COMM_WORLD, no_status);
	did("MPI_Recv: recv %d 8 8 MPI_COMM_WORLD", left);
	MPI_Sendrecv(sent, 5, MPI_INT, right, 9, received, 3, MPI_INT, left, 9, MPI_COMM_WORLD,
		     no_status);
	did("MPI_Sendrecv: send %d 9 20 MPI_COMM_WORLD | recv %d 9 12 MPI_COMM_WORLD", right, left);
}

/* Make calls that fail on a communicator with MPI_ERRORS_RETURN. */
static void refused(void)
{
	MPI_Request request;
	MPI_Comm comm;
	int data[2];

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	did("MPI_Comm_dup: create refusing | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	MPI_Comm_set_name(comm, "refusing");
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Recv(data, 1, MPI_DATATYPE_NULL, 0, 0, comm, no_status);
	did("MPI_Recv:");
	MPI_Sendrecv(data, 1, MPI_INT, 0, 0, data + 1, 1, MPI_DATATYPE_NULL, 0, 0, comm, no_status);
	did("MPI_Sendrecv:");
	MPI_Sendrecv_replace(data, 1, MPI_DATATYPE_NULL, 0, 0, 0, 0, comm, no_status);
	did("MPI_Sendrecv_replace:");
	MPI_Isend(data, 1, MPI_DATATYPE_NULL, 0, 0, comm, &request);
	did("MPI_Isend:");
	MPI_Bcast(data, 1, MPI_DATATYPE_NULL, 0, comm);
	did("MPI_Bcast:");
#if MPI_VERSION >= 4
	MPI_Psend_init(data, 1, 1, MPI_DATATYPE_NULL, 0, 0, comm, MPI_INFO_NULL, &request);
	did("MPI_Psend_init:");
#endif
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy refusing | coll DESTROY_HANDLE none 0 0 refusing");
}

static jmp_buf caught;
static struct _Unwind_Exception exception;

/* Unwind all frames below the one with the given address. */
static _Unwind_Reason_Code until(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				 struct _Unwind_Exception *thrown, struct _Unwind_Context *context,
				 void *frame)
{
	(void)version, (void)actions, (void)class, (void)thrown;
	if (_Unwind_GetCFA(context) > (_Unwind_Word)frame)
		longjmp(caught, 1);
	return _URC_NO_REASON;
}

static void *catching_frame;

/* Throw an exception from an error handler, as C++ programs do. */
static void throwing(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	_Unwind_ForcedUnwind(&exception, until, catching_frame);
}

/* Leave a call by an exception: the call has ended, and later calls are recorded. */
static void thrown(void)
{
	MPI_Errhandler handler;
	int one = 1;

	MPI_Comm_create_errhandler(throwing, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	catching_frame = __builtin_frame_address(0);
	if (setjmp(caught) == 0)
		MPI_Send(&one, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
	did("MPI_Send:");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&handler);
	MPI_Barrier(MPI_COMM_WORLD);
	did("MPI_Barrier: coll BARRIER none 0 0 MPI_COMM_WORLD");
}

static void errors_and_nesting(void)
{
	MPI_Op op;
	int one = 1, sum = 0;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Send(&one, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
	did("MPI_Send:");
	truncated();
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	refused();
	thrown();
	MPI_Op_create(add, 1, &op);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	did("MPI_Allreduce: coll ALLREDUCE none %d %d MPI_COMM_WORLD op=user", 4 * size, 4 * size);
	MPI_Op_free(&op);
	MPI_Pcontrol(0);
	MPI_Barrier(MPI_COMM_WORLD);
	did("off");
	MPI_Pcontrol(1);
	did("on");
	MPI_Barrier(MPI_COMM_WORLD);
	did("MPI_Barrier: coll BARRIER none 0 0 MPI_COMM_WORLD");
	if (sum != size)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	double data[200] = {0};

	begin(&argc, &argv);
	modes(data);
	exchange(data);
	sizes(data);
	errors_and_nesting();
	return end();
}
