/* One-sided communication: windows, operations, synchronisation. */
#include "pmpi/sums.h"
#include "pmpi/totals.h"
#include "pmpi/windows.h"

/* ----------------------------------------------------------------- windows */

static void add_window_collective(const struct call *call, const struct window *window,
				  enum mpi_collective collective, uint8_t sync)
{
	struct mpi_event *event = window_event(call, EVENT_RMA_COLLECTIVE, window);

	event->collective = collective;
	event->sync = sync;
}

static int window_created(struct call *call, MPI_Win handle, MPI_Comm comm, bool allocated,
			  int result)
{
	const struct window *window =
		result == MPI_SUCCESS ? window_add(handle, comm, allocated) : NULL;

	if (window) {
		window_event(call, EVENT_WIN_CREATE, window);
		add_window_collective(call, window,
				      allocated ? COLL_CREATE_HANDLE_AND_ALLOCATE
						: COLL_CREATE_HANDLE,
				      RMA_SYNC_PROCESS);
	}
	return call_end(call, result);
}

#define WIN_CREATE(Name, PARAMETERS, ARGUMENTS, allocated)                   \
	EXPORT int MPI_##Name PARAMETERS                                     \
	{                                                                    \
		COUNTED_BRACKET(sums_comm(&sums, comm), Name, UNWRAP ARGUMENTS);      \
		return window_created(&call, *win, comm, allocated, result); \
	}

#define WIN_CREATES(SUFFIX, UNIT)                                                              \
	WIN_CREATE(Win_create##SUFFIX,                                                         \
		   (void *base, MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm comm,        \
		    MPI_Win *win),                                                             \
		   (base, size, unit, info, comm, win), false)                                 \
	WIN_CREATE(Win_allocate##SUFFIX,                                                       \
		   (MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm comm, void *base,        \
		    MPI_Win *win),                                                             \
		   (size, unit, info, comm, base, win), true)                                  \
	WIN_CREATE(Win_allocate_shared##SUFFIX,                                                \
		   (MPI_Aint size, UNIT unit, MPI_Info info, MPI_Comm comm, void *base,        \
		    MPI_Win *win),                                                             \
		   (size, unit, info, comm, base, win), true)
WIN_CREATES(, int)
WIN_CREATE(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win),
	   false)

/* Look the window up before it is freed. */
static struct window *window_about_to_free(const struct call *call, MPI_Win handle)
{
	struct window *window;

	if (!call->tracking)
		return NULL;
	process_lock();
	window = window_find(handle);
	if (window)
		window_hand_over_name(window);
	process_unlock();
	return window;
}

EXPORT int MPI_Win_free(MPI_Win *win)
{
	BRACKETED_CALL call;
	struct window *window;

	call_prepare(&call, CALL_Win_free);
	window = window_about_to_free(&call, *win);
	LIBRARY_CALL(Win_free, win);
	if (window && result == MPI_SUCCESS) {
		window_event(&call, EVENT_WIN_DESTROY, window);
		add_window_collective(&call, window,
				      window->allocated ? COLL_DESTROY_HANDLE_AND_DEALLOCATE
						 : COLL_DESTROY_HANDLE,
				      RMA_SYNC_PROCESS);
		window_remove(window);
	}
	return call_end(&call, result);
}

/* -------------------------------------------------------------- operations */

/* Begin an operation on a window.  `operation` is the name of an MPI_Op, or NULL. */
struct access {
	enum mpi_event_kind kind;
	int target;
	uint64_t sent, received;
	enum rma_atomic atomic;
	const char *operation;
};

static void sums_access(struct mpi_sums *sums, const struct access *access)
{
	sums->peer = -1;
	if (access->target == MPI_PROC_NULL)
		return;
	sums->bytes = access->kind == EVENT_RMA_GET ? access->received : access->sent;
	sums->moved = access->sent + access->received;
}

static int end_access(struct call *call, MPI_Win win, const struct access *access,
		      const MPI_Request *handle, int result)
{
	struct window *window = window_find(win);
	bool get = access->kind == EVENT_RMA_GET;
	struct request *request = NULL;
	struct mpi_event *event;

	if (result != MPI_SUCCESS || !window || !call->recording ||
	    access->target == MPI_PROC_NULL || process.state != PROCESS_ACTIVE)
		return call_end(call, result);
	event = window_event(call, access->kind, window);
	event->peer = (uint32_t)access->target;
	event->bytes_sent = access->sent;
	event->bytes_received = access->received;
	event->atomic = access->atomic;
	event->operation = access->operation;
	if (handle)
		request = request_add(&requests, HANDLE_KEY(*handle));
	if (request) {
		request->kind = REQUEST_RMA;
		request->comm = window->comm;
		request->active = request->recorded = true;
		window_request(window, event->peer, get, request);
		event->request = request->id;
	} else {
		event->request = window_operation(window, event->peer, get);
	}
	return call_end(call, result);
}

#define OPERATION(Name, PARAMETERS, ARGUMENTS, handle, ...)                                    \
	EXPORT int MPI_##Name PARAMETERS                                                       \
	{                                                                                      \
		struct access access = {0};                                                    \
											       \
		COUNTED_BRACKET(sums_access(&sums, &(struct access){__VA_ARGS__}), Name,       \
				UNWRAP ARGUMENTS);                                             \
		if (result == MPI_SUCCESS)                                                     \
			access = (struct access){__VA_ARGS__};                                 \
		return end_access(&call, win, &access, handle, result);                        \
	}

/* Put, get and accumulate, with and without requests: their first parameters are the same. */
#define TRANSFER(Name, CONST, COUNT, OP, REQUEST, op_arguments, handle, ...)                   \
	OPERATION(Name,                                                                        \
		  (CONST void *origin, COUNT count, MPI_Datatype type, int target,             \
		   MPI_Aint offset, COUNT target_count, MPI_Datatype target_type OP,           \
		   MPI_Win win REQUEST),                                                       \
		  (origin, count, type, target, offset, target_count,                          \
		   target_type op_arguments), handle, __VA_ARGS__)
#define COMMA ,
#define PUT EVENT_RMA_PUT, target, bytes_of(count, type), 0, 0, NULL
#define GET EVENT_RMA_GET, target, 0, bytes_of(count, type), 0, NULL
#define ACCUMULATE EVENT_RMA_ATOMIC, target, bytes_of(count, type), 0, RMA_ACCUMULATE, \
	operation_name(op)

/* Send nothing with MPI_NO_OP, for which the type need not be valid. */
#define GET_ACCUMULATE(Name, COUNT, REQUEST, request_argument, handle)                         \
	OPERATION(Name,                                                                        \
		  (const void *origin, COUNT count, MPI_Datatype type, void *into,             \
		   COUNT into_count, MPI_Datatype into_type, int target, MPI_Aint offset,      \
		   COUNT target_count, MPI_Datatype target_type, MPI_Op op,                    \
		   MPI_Win win REQUEST),                                                       \
		  (origin, count, type, into, into_count, into_type, target, offset,           \
		   target_count, target_type, op, win request_argument), handle,               \
		  EVENT_RMA_ATOMIC, target, op == MPI_NO_OP ? 0 : bytes_of(count, type),       \
		  bytes_of(into_count, into_type), RMA_FETCH_AND_ACCUMULATE,                   \
		  operation_name(op))

#define OPERATIONS(SUFFIX, COUNT)                                                              \
	TRANSFER(Put##SUFFIX, const, COUNT, , , COMMA win, NULL, PUT)                          \
	TRANSFER(Get##SUFFIX, , COUNT, , , COMMA win, NULL, GET)                               \
	TRANSFER(Accumulate##SUFFIX, const, COUNT, COMMA MPI_Op op, , COMMA op COMMA win,      \
		 NULL, ACCUMULATE)                                                             \
	TRANSFER(Rput##SUFFIX, const, COUNT, , COMMA MPI_Request *request,                     \
		 COMMA win COMMA request, request, PUT)                                        \
	TRANSFER(Rget##SUFFIX, , COUNT, , COMMA MPI_Request *request,                          \
		 COMMA win COMMA request, request, GET)                                        \
	TRANSFER(Raccumulate##SUFFIX, const, COUNT, COMMA MPI_Op op,                           \
		 COMMA MPI_Request *request, COMMA op COMMA win COMMA request, request,        \
		 ACCUMULATE)                                                                   \
	GET_ACCUMULATE(Get_accumulate##SUFFIX, COUNT, , , NULL)                                \
	GET_ACCUMULATE(Rget_accumulate##SUFFIX, COUNT, COMMA MPI_Request *request,             \
		       COMMA request, request)
OPERATIONS(, int)

#if HAVE_MPI4
WIN_CREATES(_c, MPI_Aint)
OPERATIONS(_c, MPI_Count)
#endif

OPERATION(Fetch_and_op,
	  (const void *origin, void *into, MPI_Datatype type, int target, MPI_Aint offset,
	   MPI_Op op, MPI_Win win),
	  (origin, into, type, target, offset, op, win), NULL, EVENT_RMA_ATOMIC, target,
	  op == MPI_NO_OP ? 0 : bytes_of(1, type), bytes_of(1, type), RMA_FETCH_AND_ACCUMULATE,
	  operation_name(op))
OPERATION(Compare_and_swap,
	  (const void *origin, const void *compare, void *into, MPI_Datatype type, int target,
	   MPI_Aint offset, MPI_Win win),
	  (origin, compare, into, type, target, offset, win), NULL, EVENT_RMA_ATOMIC, target,
	  bytes_of(1, type), bytes_of(1, type), RMA_COMPARE_AND_SWAP, NULL)

/* --------------------------------------------------------- synchronisation */

static void end_fence(const struct call *call, struct window *window)
{
	window_complete(call, window, ALL_TARGETS, COMPLETE_EPOCH);
	add_window_collective(call, window, COLL_BARRIER, RMA_SYNC_PROCESS | RMA_SYNC_MEMORY);
}

static void add_group_sync(const struct call *call, const struct window *window, uint32_t group,
			   uint8_t sync)
{
	struct mpi_event *event;

	if (group == NOWHERE)
		return;
	event = window_event(call, EVENT_RMA_GROUP_SYNC, window);
	event->group = group;
	event->sync = sync;
}

static void open_epoch(const struct call *call, const struct window *window, MPI_Group group,
		       uint32_t *epoch)
{
	*epoch = window_group(group);
	add_group_sync(call, window, *epoch, RMA_SYNC_PROCESS);
}

static void close_epoch(const struct call *call, const struct window *window, uint32_t *epoch)
{
	add_group_sync(call, window, *epoch, RMA_SYNC_PROCESS | RMA_SYNC_MEMORY);
	*epoch = NOWHERE;
}

static void complete_access(const struct call *call, struct window *window)
{
	window_complete(call, window, ALL_TARGETS, COMPLETE_EPOCH);
	close_epoch(call, window, &window->access);
}

static void end_test(const struct call *call, struct window *window, bool over)
{
	if (over)
		close_epoch(call, window, &window->exposure);
	else
		add_group_sync(call, window, window->exposure, RMA_SYNC_NONE);
}

static void add_lock(const struct call *call, const struct window *window,
		     enum mpi_event_kind kind, uint32_t target, bool exclusive)
{
	struct mpi_event *event = window_event(call, kind, window);

	event->peer = target;
	event->exclusive = exclusive;
}

static void lock_one(const struct call *call, const struct window *window, int target, int type)
{
	if (target != MPI_PROC_NULL)
		add_lock(call, window, EVENT_RMA_LOCK, (uint32_t)target,
			 type == MPI_LOCK_EXCLUSIVE);
}

static void unlock(const struct call *call, struct window *window, uint32_t target)
{
	window_complete(call, window, target, COMPLETE_THERE);
	add_lock(call, window, EVENT_RMA_UNLOCK, target, false);
}

static void unlock_one(const struct call *call, struct window *window, int target)
{
	if (target != MPI_PROC_NULL)
		unlock(call, window, (uint32_t)target);
}

static void flush_one(const struct call *call, struct window *window, int target,
		      enum completion how)
{
	if (target != MPI_PROC_NULL)
		window_complete(call, window, (uint32_t)target, how);
}

/* A call on a window, with an ACTION if it succeeds. */
#define ON_WINDOW(Name, PARAMETERS, ARGUMENTS, ACTION)                       \
	EXPORT int MPI_##Name PARAMETERS                                     \
	{                                                                    \
		struct window *window;                                       \
                                                                                      \
		BRACKET(Name, UNWRAP ARGUMENTS);                                      \
		window = result == MPI_SUCCESS ? window_find(win) : NULL;    \
		if (window)                                                  \
			ACTION;                                              \
		return call_end(&call, result);                              \
	}

ON_WINDOW(Win_fence, (int assert, MPI_Win win), (assert, win), end_fence(&call, window))
ON_WINDOW(Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win),
	  open_epoch(&call, window, group, &window->exposure))
ON_WINDOW(Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win),
	  open_epoch(&call, window, group, &window->access))
ON_WINDOW(Win_complete, (MPI_Win win), (win), complete_access(&call, window))
ON_WINDOW(Win_wait, (MPI_Win win), (win), close_epoch(&call, window, &window->exposure))
ON_WINDOW(Win_test, (MPI_Win win, int *flag), (win, flag), end_test(&call, window, *flag))
ON_WINDOW(Win_lock, (int type, int target, int assert, MPI_Win win), (type, target, assert, win),
	  lock_one(&call, window, target, type))
ON_WINDOW(Win_lock_all, (int assert, MPI_Win win), (assert, win),
	  add_lock(&call, window, EVENT_RMA_LOCK, RMA_ALL, false))
ON_WINDOW(Win_unlock, (int target, MPI_Win win), (target, win),
	  unlock_one(&call, window, target))
ON_WINDOW(Win_unlock_all, (MPI_Win win), (win), unlock(&call, window, ALL_TARGETS))
ON_WINDOW(Win_flush, (int target, MPI_Win win), (target, win),
	  flush_one(&call, window, target, COMPLETE_THERE))
ON_WINDOW(Win_flush_all, (MPI_Win win), (win),
	  window_complete(&call, window, ALL_TARGETS, COMPLETE_THERE))
ON_WINDOW(Win_flush_local, (int target, MPI_Win win), (target, win),
	  flush_one(&call, window, target, COMPLETE_HERE))
ON_WINDOW(Win_flush_local_all, (MPI_Win win), (win),
	  window_complete(&call, window, ALL_TARGETS, COMPLETE_HERE))
ON_WINDOW(Win_sync, (MPI_Win win), (win),
	  window_event(&call, EVENT_RMA_SYNC, window)->peer = (uint32_t)window->comm->rank)
