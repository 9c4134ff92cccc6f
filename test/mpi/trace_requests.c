/* Requests: all ways to start, complete, cancel and free them. */
#include "trace_log.h"

#include <string.h>

enum { COUNT = 6 };
static int data[COUNT][64];
static int started;		/* number of requests so far */

/* Receive from the previous rank, send to the next rank, and log the calls. */
static void post(MPI_Request *requests, int *numbers)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	int (*const sends[])(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
		MPI_Isend, MPI_Issend, MPI_Ibsend};
	static const char *const names[] = {"Isend", "Issend", "Ibsend"};

	for (int i = 0; i < COUNT / 2; i++) {
		MPI_Irecv(data[i], 64, MPI_INT, i == 1 ? MPI_ANY_SOURCE : left, 20 + i,
			  MPI_COMM_WORLD, &requests[i]);
		numbers[i] = started++;
		did("MPI_Irecv: irecv #%d%s", numbers[i], i == 1 ? " posted=1" : "");
	}
	for (int i = 0; i < COUNT / 2; i++) {
		sends[i](data[COUNT / 2 + i], 5 + i, MPI_INT, right, 20 + i, MPI_COMM_WORLD,
			 &requests[COUNT / 2 + i]);
		numbers[COUNT / 2 + i] = started++;
		did("MPI_%s: isend %d %d %d MPI_COMM_WORLD #%d", names[i], right, 20 + i,
		    4 * (5 + i), numbers[COUNT / 2 + i]);
	}
}

static const char *completion(int i, const int *numbers)
{
	static char text[COUNT][128];
	int left = (rank + size - 1) % size;

	if (i < COUNT / 2)
		snprintf(text[i], sizeof text[i], "received %d %d %d MPI_COMM_WORLD #%d", left,
			 20 + i, 4 * (5 + i), numbers[i]);
	else
		snprintf(text[i], sizeof text[i], "sent #%d", numbers[i]);
	return text[i];
}

static void did_some(const char *function, int count, const int *indices, const int *numbers)
{
	char line[1024];

	snprintf(line, sizeof line, "%s:", function);
	for (int i = 0; i < count; i++)
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s %s", i ? " |" : "",
			 completion(indices[i], numbers));
	did("%s", line);
}

static void did_all(const char *function, const int *numbers)
{
	static const int all[COUNT] = {0, 1, 2, 3, 4, 5};

	did_some(function, COUNT, all, numbers);
}

/* Find the first active request of the list. */
static int first_active(const MPI_Request *requests)
{
	for (int i = 0; i < COUNT; i++)
		if (requests[i] != MPI_REQUEST_NULL)
			return i;
	return -1;
}

static void waits(void)
{
	MPI_Request requests[COUNT];
	MPI_Status statuses[COUNT];
	int numbers[COUNT], indices[COUNT], index, completed;

	post(requests, numbers);
	for (int i = 0; i < COUNT; i++) {
		MPI_Wait(&requests[i], i % 2 ? no_status : statuses);
		did("MPI_Wait: %s", completion(i, numbers));
	}
	MPI_Wait(&requests[0], no_status);
	did("MPI_Wait:");
	post(requests, numbers);
	MPI_Waitall(COUNT, requests, no_statuses);
	did_all("MPI_Waitall", numbers);
	post(requests, numbers);
	MPI_Waitall(COUNT, requests, statuses);
	did_all("MPI_Waitall", numbers);
	MPI_Waitall(0, requests, no_statuses);
	did("MPI_Waitall:");
	post(requests, numbers);
	for (int i = 0; i < COUNT; i++) {
		MPI_Waitany(COUNT, requests, &index, i % 2 ? no_status : statuses);
		did_some("MPI_Waitany", 1, &index, numbers);
	}
	MPI_Waitany(COUNT, requests, &index, no_status);
	did("MPI_Waitany:");
	post(requests, numbers);
	while (first_active(requests) >= 0) {
		MPI_Waitsome(COUNT, requests, &completed, indices, no_statuses);
		did_some("MPI_Waitsome", completed, indices, numbers);
	}
}

static void tests(void)
{
	MPI_Request requests[COUNT];
	MPI_Status statuses[COUNT];
	int numbers[COUNT], indices[COUNT], index, flag, completed;

	post(requests, numbers);
	for (int i = 0; i < COUNT; i++)
		do {
			MPI_Test(&requests[i], &flag, i % 2 ? no_status : statuses);
			if (flag)
				did("MPI_Test: %s", completion(i, numbers));
			else
				did("MPI_Test: test #%d", numbers[i]);
		} while (!flag);
	post(requests, numbers);
	do {
		MPI_Testall(COUNT, requests, &flag, no_statuses);
		if (!flag)
			did("MPI_Testall: test #%d", numbers[0]);
	} while (!flag);
	did_all("MPI_Testall", numbers);
	post(requests, numbers);
	while ((index = first_active(requests)) >= 0) {
		int first = numbers[index];

		MPI_Testany(COUNT, requests, &index, &flag, no_status);
		if (flag)
			did_some("MPI_Testany", 1, &index, numbers);
		else
			did("MPI_Testany: test #%d", first);
	}
	post(requests, numbers);
	while ((index = first_active(requests)) >= 0) {
		int first = numbers[index];

		MPI_Testsome(COUNT, requests, &completed, indices, statuses);
		if (completed)
			did_some("MPI_Testsome", completed, indices, numbers);
		else
			did("MPI_Testsome: test #%d", first);
	}
	post(requests, numbers);
	do {
		MPI_Request_get_status(requests[0], &flag, no_status);
		if (flag)
			did("MPI_Request_get_status:");
		else
			did("MPI_Request_get_status: test #%d", numbers[0]);
	} while (!flag);
	MPI_Waitall(COUNT, requests, no_statuses);
	did_all("MPI_Waitall", numbers);
}

/* Use persistent requests, one of them with MPI_PROC_NULL. */
static void persistent(void)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request requests[3];

	MPI_Recv_init(data[0], 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
		      &requests[0]);
	did("MPI_Recv_init:");
	MPI_Ssend_init(data[1], 7, MPI_INT, right, 30, MPI_COMM_WORLD, &requests[1]);
	did("MPI_Ssend_init:");
	MPI_Send_init(data[2], 7, MPI_INT, MPI_PROC_NULL, 30, MPI_COMM_WORLD, &requests[2]);
	did("MPI_Send_init:");
	MPI_Waitall(3, requests, no_statuses);
	did("MPI_Waitall:");
	for (int i = 0; i < 2; i++) {
		MPI_Startall(3, requests);
		did("MPI_Startall: isend %d 30 28 MPI_COMM_WORLD #%d | irecv #%d posted=3", right,
		    started + 1, started);
		MPI_Waitall(3, requests, no_statuses);
		did("MPI_Waitall: received %d 30 28 MPI_COMM_WORLD #%d | sent #%d", left, started,
		    started + 1);
		started += 2;
	}
	MPI_Start(&requests[0]);
	did("MPI_Start: irecv #%d posted=3", started);
	MPI_Start(&requests[1]);
	did("MPI_Start: isend %d 30 28 MPI_COMM_WORLD #%d", right, started + 1);
	MPI_Wait(&requests[1], no_status);
	did("MPI_Wait: sent #%d", started + 1);
	MPI_Wait(&requests[0], no_status);
	did("MPI_Wait: received %d 30 28 MPI_COMM_WORLD #%d", left, started);
	started += 2;
	for (int i = 0; i < 3; i++) {
		MPI_Request_free(&requests[i]);
		did("MPI_Request_free:");
	}
}

/* Use ready mode, which needs posted receives, and further persistent modes. */
static void ready(void)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request requests[6];

	for (int i = 0; i < 3; i++) {
		MPI_Irecv(data[i], 64, MPI_INT, left, 35 + i, MPI_COMM_WORLD, &requests[i]);
		did("MPI_Irecv: irecv #%d", started + i);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	did("MPI_Barrier: coll BARRIER none 0 0 MPI_COMM_WORLD");
	MPI_Irsend(data[3], 3, MPI_INT, right, 35, MPI_COMM_WORLD, &requests[3]);
	did("MPI_Irsend: isend %d 35 12 MPI_COMM_WORLD #%d", right, started + 3);
	MPI_Rsend_init(data[3], 4, MPI_INT, right, 36, MPI_COMM_WORLD, &requests[4]);
	did("MPI_Rsend_init:");
	MPI_Bsend_init(data[3], 5, MPI_INT, right, 37, MPI_COMM_WORLD, &requests[5]);
	did("MPI_Bsend_init:");
	MPI_Startall(2, &requests[4]);
	did("MPI_Startall: isend %d 36 16 MPI_COMM_WORLD #%d | isend %d 37 20 MPI_COMM_WORLD #%d",
	    right, started + 4, right, started + 5);
	MPI_Waitall(6, requests, no_statuses);
	did("MPI_Waitall: received %d 35 12 MPI_COMM_WORLD #%d"
	    " | received %d 36 16 MPI_COMM_WORLD #%d"
	    " | received %d 37 20 MPI_COMM_WORLD #%d | sent #%d | sent #%d | sent #%d",
	    left, started, left, started + 1, left, started + 2, started + 3, started + 4,
	    started + 5);
	for (int i = 4; i < 6; i++) {
		MPI_Request_free(&requests[i]);
		did("MPI_Request_free:");
	}
	started += 6;
}

/* Wait for a copy of a handle, without the handle itself. */
static void copied(void)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request request, copies[3];

	MPI_Irecv(data[0], 64, MPI_INT, left, 43, MPI_COMM_WORLD, &request);
	did("MPI_Irecv: irecv #%d", started);
	copies[0] = copies[2] = MPI_REQUEST_NULL;
	copies[1] = request;
	request = MPI_REQUEST_NULL;
	MPI_Send(data[1], 9, MPI_INT, right, 43, MPI_COMM_WORLD);
	did("MPI_Send: send %d 43 36 MPI_COMM_WORLD", right);
	MPI_Wait(&request, no_status);
	did("MPI_Wait:");
	MPI_Waitall(3, copies, no_statuses);
	did("MPI_Waitall: received %d 43 36 MPI_COMM_WORLD #%d", left, started++);
}

static void cancel_and_free(void)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request request, other;

	MPI_Irecv(data[0], 4, MPI_INT, left, 40, MPI_COMM_WORLD, &request);
	did("MPI_Irecv: irecv #%d", started);
	MPI_Cancel(&request);
	did("MPI_Cancel:");
	MPI_Wait(&request, no_status);
	did("MPI_Wait: cancelled #%d", started++);
	MPI_Irecv(data[0], 4, MPI_INT, left, 41, MPI_COMM_WORLD, &request);
	did("MPI_Irecv: irecv #%d", started);
	MPI_Isend(data[1], 4, MPI_INT, right, 41, MPI_COMM_WORLD, &other);
	did("MPI_Isend: isend %d 41 16 MPI_COMM_WORLD #%d", right, started + 1);
	MPI_Request_free(&other);
	did("MPI_Request_free: sent #%d", started + 1);
	MPI_Request_free(&request);
	did("MPI_Request_free: received %d 41 16 MPI_COMM_WORLD #%d", left, started);
	started += 2;
	MPI_Irecv(data[0], 4, MPI_INT, MPI_PROC_NULL, 42, MPI_COMM_WORLD, &request);
	did("MPI_Irecv:");
	MPI_Wait(&request, no_status);
	did("MPI_Wait:");
	MPI_Barrier(MPI_COMM_WORLD);
	did("MPI_Barrier: coll BARRIER none 0 0 MPI_COMM_WORLD");
}

/* Receive messages longer than their buffers: they are recorded nevertheless. */
static void truncated(void)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request request;
	MPI_Status status;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < 3; i++) {
		MPI_Irecv(data[0], 2, MPI_INT, left, 44 + i, MPI_COMM_WORLD, &request);
		did("MPI_Irecv: irecv #%d", started);
		MPI_Send(data[1], 9, MPI_INT, right, 44 + i, MPI_COMM_WORLD);
		did("MPI_Send: send %d %d 36 MPI_COMM_WORLD", right, 44 + i);
		if (i == 0)
			MPI_Wait(&request, no_status);
		else
			MPI_Waitall(1, &request, i == 1 ? &status : no_statuses);
		did("MPI_Wait%s: received %d %d 8 MPI_COMM_WORLD #%d", i ? "all" : "", left, 44 + i,
		    started++);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Use more requests at a time than the tables initially hold. */
static void many(void)
{
	enum { MANY = 3000 };
	static MPI_Request requests[2 * MANY];
	static char line[2 * MANY * 48], byte[2];
	int right = (rank + 1) % size, left = (rank + size - 1) % size, at;

	for (int i = 0; i < MANY; i++) {
		MPI_Isend(&byte[0], 1, MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[i]);
		did("MPI_Isend: isend %d %d 1 MPI_COMM_WORLD #%d", right, i, started + i);
	}
	for (int i = 0; i < MANY; i++) {
		MPI_Irecv(&byte[1], 1, MPI_CHAR, left, i, MPI_COMM_WORLD, &requests[MANY + i]);
		did("MPI_Irecv: irecv #%d", started + MANY + i);
	}
	MPI_Waitall(2 * MANY, requests, no_statuses);
	at = sprintf(line, "MPI_Waitall:");
	for (int i = 0; i < MANY; i++)
		at += sprintf(line + at, "%s sent #%d", i ? " |" : "", started + i);
	for (int i = 0; i < MANY; i++)
		at += sprintf(line + at, " | received %d %d 1 MPI_COMM_WORLD #%d", left, i,
			      started + MANY + i);
	did("%s", line);
	started += 2 * MANY;
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];

	begin(&argc, &argv);
	MPI_Buffer_attach(buffer, sizeof buffer);
	waits();
	tests();
	persistent();
	ready();
	copied();
	cancel_and_free();
	truncated();
	many();
	MPI_Buffer_detach(&(char *){NULL}, &(int){0});
	did("MPI_Buffer_detach:");
	return end();
}
