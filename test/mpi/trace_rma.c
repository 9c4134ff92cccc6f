/* Windows: creation, operations, and all ways of synchronising. */
#include "trace_log.h"

#define WORLD MPI_COMM_WORLD
enum { INTS = 64 };
static int in[INTS], out[INTS], memory[INTS];
static int right, left, started;

/* Use each kind of operation in an epoch; all but gets share a number. */
static void operations(MPI_Win window, const char *name)
{
	MPI_Datatype type;

	MPI_Type_vector(2, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Put(in, 3, MPI_INT, right, 0, 3, MPI_INT, window);
	did("MPI_Put: put %d 12 %s #%d", right, name, started);
	MPI_Put(in, 1, type, right, 8, 1, type, window);
	did("MPI_Put: put %d 8 %s #%d", right, name, started);
	MPI_Put(in, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
	did("MPI_Put:");
	MPI_Get(out, 5, MPI_INT, right, 16, 5, MPI_INT, window);
	did("MPI_Get: get %d 20 %s #%d", right, name, started + 1);
	MPI_Accumulate(in, 2, MPI_INT, right, 32, 2, MPI_INT, MPI_SUM, window);
	did("MPI_Accumulate: ACCUMULATE %d 8 0 %s #%d op=MPI_SUM", right, name, started);
	MPI_Get_accumulate(NULL, 7, MPI_DATATYPE_NULL, out, 2, MPI_INT, right, 32, 2, MPI_INT,
			   MPI_NO_OP, window);
	did("MPI_Get_accumulate: FETCH_AND_ACCUMULATE %d 0 8 %s #%d op=MPI_NO_OP", right, name,
	    started);
	MPI_Fetch_and_op(in, out + 8, MPI_INT, right, 40, MPI_SUM, window);
	did("MPI_Fetch_and_op: FETCH_AND_ACCUMULATE %d 4 4 %s #%d op=MPI_SUM", right, name,
	    started);
	MPI_Compare_and_swap(in, in, out + 9, MPI_INT, right, 40, window);
	did("MPI_Compare_and_swap: COMPARE_AND_SWAP %d 4 4 %s #%d", right, name, started);
	MPI_Type_free(&type);
	started += 2;
}

static void fences(void)
{
	MPI_Win window;
	int *base, numbers;

	MPI_Win_allocate(sizeof memory, 1, MPI_INFO_NULL, WORLD, &base, &window);
	MPI_Win_set_name(window, "fenced");
	did("MPI_Win_allocate: create fenced MPI_COMM_WORLD | "
	    "rma CREATE_HANDLE_AND_ALLOCATE process fenced");
	MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
	did("MPI_Win_fence: rma BARRIER both fenced");
	numbers = started;
	operations(window, "fenced");
	MPI_Win_fence(0, window);
	did("MPI_Win_fence: here #%d | here #%d | there #%d | rma BARRIER both fenced", numbers,
	    numbers + 1, numbers + 1);
	MPI_Get(out, 1, MPI_INT, left, 0, 1, MPI_INT, window);
	did("MPI_Get: get %d 4 fenced #%d", left, started);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
	did("MPI_Win_fence: here #%d | there #%d | rma BARRIER both fenced", started, started);
	started++;
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy fenced | rma DESTROY_HANDLE_AND_DEALLOCATE process fenced");
}

/* Use post, start, complete and wait; on two ranks both neighbours are the same. */
static void groups(void)
{
	MPI_Win window;
	MPI_Comm comm;
	MPI_Group all, group;
	int neighbours[] = {left, right}, flag = 0;
	char names[64];

	snprintf(names, sizeof names, size > 2 ? "%d,%d" : "%d", left, right);
	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_set_name(comm, "copy");
	did("MPI_Comm_dup: create copy | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &window);
	MPI_Win_set_name(window, "win1");
	did("MPI_Win_create: create win1 copy | rma CREATE_HANDLE process win1");
	MPI_Comm_group(WORLD, &all);
	MPI_Group_incl(all, size > 2 ? 2 : 1, neighbours, &group);
	for (int i = 0; i < 2; i++) {
		MPI_Win_post(group, 0, window);
		did("MPI_Win_post: sync process win1 %s", names);
		MPI_Win_start(group, 0, window);
		did("MPI_Win_start: sync process win1 %s", names);
		MPI_Put(in, 2, MPI_INT, right, 0, 2, MPI_INT, window);
		did("MPI_Put: put %d 8 win1 #%d", right, started);
		MPI_Win_complete(window);
		did("MPI_Win_complete: here #%d | sync both win1 %s", started++, names);
		if (i == 0) {
			MPI_Win_wait(window);
			did("MPI_Win_wait: sync both win1 %s", names);
		}
	}
	MPI_Barrier(comm);
	did("MPI_Barrier: coll BARRIER none 0 0 copy");
	while (!flag) {
		MPI_Win_test(window, &flag);
		did("MPI_Win_test: sync %s win1 %s", flag ? "both" : "none", names);
	}
	MPI_Group_free(&group);
	MPI_Group_free(&all);
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy win1 | rma DESTROY_HANDLE process win1");
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy copy | coll DESTROY_HANDLE none 0 0 copy");
}

static void locks(void)
{
	MPI_Win window;
	int *base, numbers;

	MPI_Win_allocate(sizeof memory, 1, MPI_INFO_NULL, WORLD, &base, &window);
	MPI_Win_set_name(window, "win2");
	did("MPI_Win_allocate: create win2 MPI_COMM_WORLD | "
	    "rma CREATE_HANDLE_AND_ALLOCATE process win2");
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
	did("MPI_Win_lock: lock %d EXCLUSIVE win2", right);
	MPI_Put(in, 1, MPI_INT, right, 0, 1, MPI_INT, window);
	did("MPI_Put: put %d 4 win2 #%d", right, started);
	MPI_Win_flush_local(right, window);
	did("MPI_Win_flush_local: here #%d", started);
	MPI_Win_flush(right, window);
	did("MPI_Win_flush: there #%d", started++);
	MPI_Put(in, 1, MPI_INT, right, 0, 1, MPI_INT, window);
	did("MPI_Put: put %d 4 win2 #%d", right, started);
	MPI_Win_unlock(right, window);
	did("MPI_Win_unlock: here #%d | there #%d | unlock %d win2", started, started, right);
	started++;
	MPI_Win_lock_all(0, window);
	did("MPI_Win_lock_all: lock all SHARED win2");
	numbers = started;
	operations(window, "win2");
	MPI_Win_flush_local_all(window);
	did("MPI_Win_flush_local_all: here #%d | here #%d | there #%d", numbers, numbers + 1,
	    numbers + 1);
	MPI_Win_sync(window);
	did("MPI_Win_sync: rmasync %d win2", rank);
	MPI_Win_flush_all(window);
	did("MPI_Win_flush_all: there #%d", numbers);
	MPI_Win_flush_all(window);
	did("MPI_Win_flush_all:");
	MPI_Win_unlock_all(window);
	did("MPI_Win_unlock_all: unlock all win2");
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy win2 | rma DESTROY_HANDLE_AND_DEALLOCATE process win2");
}

/* Use requests; a completed request completes a get, but not a put. */
static void requests(void)
{
	MPI_Win window;
	MPI_Request request[4];
	int *base;

	MPI_Win_allocate(sizeof memory, 1, MPI_INFO_NULL, WORLD, &base, &window);
	MPI_Win_set_name(window, "win3");
	did("MPI_Win_allocate: create win3 MPI_COMM_WORLD | "
	    "rma CREATE_HANDLE_AND_ALLOCATE process win3");
	MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
	did("MPI_Win_lock: lock %d SHARED win3", right);
	MPI_Rput(in, 4, MPI_INT, right, 48, 4, MPI_INT, window, &request[0]);
	did("MPI_Rput: put %d 16 win3 #%d", right, started);
	MPI_Rget(out, 3, MPI_INT, right, 0, 3, MPI_INT, window, &request[1]);
	did("MPI_Rget: get %d 12 win3 #%d", right, started + 1);
	MPI_Raccumulate(in, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_MAX, window, &request[2]);
	did("MPI_Raccumulate: ACCUMULATE %d 4 0 win3 #%d op=MPI_MAX", right, started + 2);
	MPI_Rget_accumulate(in, 2, MPI_INT, out + 16, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM,
			    window, &request[3]);
	did("MPI_Rget_accumulate: FETCH_AND_ACCUMULATE %d 8 8 win3 #%d op=MPI_SUM", right,
	    started + 3);
	MPI_Wait(&request[0], no_status);
	did("MPI_Wait: here #%d", started);
	MPI_Waitall(3, request + 1, no_statuses);
	did("MPI_Waitall: here #%d | there #%d | here #%d | here #%d", started + 1, started + 1,
	    started + 2, started + 3);
	MPI_Rget(out, 1, MPI_INT, right, 0, 1, MPI_INT, window, &request[0]);
	did("MPI_Rget: get %d 4 win3 #%d", right, started + 4);
	MPI_Win_unlock(right, window);
	/* The last get is at the place of the first one. */
	did("MPI_Win_unlock: there #%d | here #%d | there #%d | there #%d | there #%d | "
	    "unlock %d win3", started, started + 4, started + 4, started + 2, started + 3, right);
	MPI_Wait(&request[0], no_status);
	did("MPI_Wait:");
	started += 5;
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy win3 | rma DESTROY_HANDLE_AND_DEALLOCATE process win3");
}

static void kinds(void)
{
	MPI_Win window;
	int *base;

	MPI_Win_allocate_shared(sizeof memory, 1, MPI_INFO_NULL, WORLD, &base, &window);
	MPI_Win_set_name(window, "win4");
	did("MPI_Win_allocate_shared: create win4 MPI_COMM_WORLD | "
	    "rma CREATE_HANDLE_AND_ALLOCATE process win4");
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy win4 | rma DESTROY_HANDLE_AND_DEALLOCATE process win4");
	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
	MPI_Win_set_name(window, "win5");
	did("MPI_Win_create_dynamic: create win5 MPI_COMM_WORLD | rma CREATE_HANDLE process win5");
	MPI_Win_attach(window, memory, sizeof memory);
	did("MPI_Win_attach:");
	MPI_Win_detach(window, memory);
	did("MPI_Win_detach:");
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy win5 | rma DESTROY_HANDLE process win5");
#ifndef OPEN_MPI	/* 4.1 makes no windows of a single process */
/* Each rank has its own window, with its own number. */
	MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
	MPI_Win_set_name(window, "mine");
	did("MPI_Win_create: create mine MPI_COMM_SELF | rma CREATE_HANDLE process mine");
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy mine | rma DESTROY_HANDLE process mine");
#endif
}

#if MPI_VERSION >= 4
static void large(void)
{
	MPI_Win window;
	MPI_Request request;
	int *base;

	MPI_Win_allocate_c(sizeof memory, 1, MPI_INFO_NULL, WORLD, &base, &window);
	MPI_Win_set_name(window, "large");
	did("MPI_Win_allocate_c: create large MPI_COMM_WORLD | "
	    "rma CREATE_HANDLE_AND_ALLOCATE process large");
	MPI_Win_lock_all(0, window);
	did("MPI_Win_lock_all: lock all SHARED large");
	MPI_Put_c(in, 3, MPI_INT, right, 0, 3, MPI_INT, window);
	did("MPI_Put_c: put %d 12 large #%d", right, started);
	MPI_Get_c(out, 2, MPI_INT, right, 16, 2, MPI_INT, window);
	did("MPI_Get_c: get %d 8 large #%d", right, started + 1);
	MPI_Accumulate_c(in, 1, MPI_INT, right, 32, 1, MPI_INT, MPI_SUM, window);
	did("MPI_Accumulate_c: ACCUMULATE %d 4 0 large #%d op=MPI_SUM", right, started);
	MPI_Rput_c(in, 1, MPI_INT, right, 0, 1, MPI_INT, window, &request);
	did("MPI_Rput_c: put %d 4 large #%d", right, started + 2);
	MPI_Wait(&request, no_status);
	did("MPI_Wait: here #%d", started + 2);
	MPI_Win_unlock_all(window);
	did("MPI_Win_unlock_all: here #%d | there #%d | here #%d | there #%d | there #%d | "
	    "unlock all large", started, started, started + 1, started + 1, started + 2);
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy large | rma DESTROY_HANDLE_AND_DEALLOCATE process large");
}
#endif

/* Use operations that fail on a window with MPI_ERRORS_RETURN. */
static void refused(void)
{
	MPI_Win window;

	MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, WORLD, &window);
	MPI_Win_set_name(window, "refusing");
	did("MPI_Win_create: create refusing MPI_COMM_WORLD | rma CREATE_HANDLE process refusing");
	MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
	MPI_Put(in, 1, MPI_DATATYPE_NULL, right, 0, 1, MPI_INT, window);
	did("MPI_Put:");
	MPI_Accumulate(in, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_OP_NULL, window);
	did("MPI_Accumulate:");
	MPI_Win_free(&window);
	did("MPI_Win_free: destroy refusing | rma DESTROY_HANDLE process refusing");
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	fences();
	groups();
	locks();
	requests();
	kinds();
	refused();
#if MPI_VERSION >= 4
	large();
#endif
	return end();
}
