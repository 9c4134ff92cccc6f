/* Communicators made and freed. */
#include "pmpi/requests.h"
#include "pmpi/sums.h"

#include <stdio.h>
#include <string.h>

/* Add the events of a call on `over` that made a communicator, or NULL, on this rank. */
static void add_creation(const struct call *call, const struct comm *over, const struct comm *made)
{
	struct mpi_event *event;

	if (made && made->id != NO_COMM)
		call_event(call, EVENT_COMM_CREATE)->comm = made->id;
	if (!over || over->id == NO_COMM)
		return;
	event = call_event(call, EVENT_COLLECTIVE);
	event->collective = COLL_CREATE_HANDLE;
	event->comm = over->id;
	event->root = NO_ROOT;
}

/* End a call in which all ranks of the parent make the communicator. */
static int made_by_parent(struct call *call, MPI_Comm parent_handle, const MPI_Comm *made,
			  int result)
{
	struct comm *parent = comm_find(parent_handle);
	uint32_t child = comm_next_child(parent);
	struct comm *comm = NULL;

	if (result == MPI_SUCCESS) {
		if (*made != MPI_COMM_NULL)
			comm = comm_add(*made, parent, child);
		add_creation(call, parent, comm);
	}
	return call_end(call, result);
}

/* A constructor whose parameters begin with `parent` and end with `made`. */
#define CONSTRUCTOR(Name, PARAMETERS, ARGUMENTS)                                                \
	EXPORT int MPI_##Name(MPI_Comm parent, UNWRAP PARAMETERS MPI_Comm *made)                \
	{                                                                                       \
		COUNTED_BRACKET(sums_comm(&sums, parent), Name, parent, UNWRAP ARGUMENTS made); \
		return made_by_parent(&call, parent, made, result);                             \
	}

CONSTRUCTOR(Comm_dup, (), ())
CONSTRUCTOR(Comm_dup_with_info, (MPI_Info info, ), (info, ))
CONSTRUCTOR(Comm_split, (int color, int key, ), (color, key, ))
CONSTRUCTOR(Comm_split_type, (int type, int key, MPI_Info info, ), (type, key, info, ))
CONSTRUCTOR(Comm_create, (MPI_Group group, ), (group, ))
CONSTRUCTOR(Cart_create, (int n, const int dims[], const int periods[], int reorder, ),
	    (n, dims, periods, reorder, ))
CONSTRUCTOR(Cart_sub, (const int remain[], ), (remain, ))
CONSTRUCTOR(Graph_create, (int n, const int index[], const int edges[], int reorder, ),
	    (n, index, edges, reorder, ))
CONSTRUCTOR(Dist_graph_create,
	    (int n, const int sources[], const int degrees[], const int destinations[],
	     const int weights[], MPI_Info info, int reorder, ),
	    (n, sources, degrees, destinations, weights, info, reorder, ))
CONSTRUCTOR(Dist_graph_create_adjacent,
	    (int in, const int sources[], const int source_weights[], int out,
	     const int destinations[], const int destination_weights[], MPI_Info info,
	     int reorder, ),
	    (in, sources, source_weights, out, destinations, destination_weights, info, reorder, ))
CONSTRUCTOR(Intercomm_merge, (int high, ), (high, ))

/* ------------------------------------------------------------------- spawning */

/*
 * What the root tells the launcher of processes that the program spawns: `info`, and for Open MPI the variable of
 * the sink.  MPI has no key for variables.  The result is `info` itself, or to be freed.
 */
static MPI_Info info_of_spawned(MPI_Info info)
{
	const char *variable = process.state == PROCESS_ACTIVE && sink.variable ? sink.variable()
										: NULL;
	MPI_Info own = info;

#ifdef OPEN_MPI
	static const char key[] = "env"; /* lines NAME=VALUE */
	char value[MPI_MAX_INFO_VAL];
	int length = 0, found = 0;

	if (!variable || (info == MPI_INFO_NULL ? PMPI_Info_create(&own)
						: PMPI_Info_dup(info, &own)) != MPI_SUCCESS)
		return info;
	PMPI_Info_get_valuelen(own, key, &length, &found);
	if ((size_t)length + strlen(variable) + 2 < sizeof value) {
		*value = 0;
		if (found)
			PMPI_Info_get(own, key, (int)sizeof value - 1, value, &found);
		length = (int)strlen(value);
		snprintf(value + length, sizeof value - (size_t)length, "%s%s", length ? "\n" : "",
			 variable);
		PMPI_Info_set(own, key, value);
	}
#else
	(void)variable;
#endif
	return own;
}

/* Whether this rank is the root.  MPI reads commands and infos only there. */
static bool is_root(int root, MPI_Comm comm)
{
	int rank;

	return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

static void release_info(MPI_Info own, MPI_Info info)
{
	if (own != info)
		PMPI_Info_free(&own);
}

WRAPPER_PART int spawn(const char *command, char *arguments[], int most, MPI_Info info, int root,
		       MPI_Comm comm, MPI_Comm *inter, int codes[])
{
	BRACKET(Comm_spawn, command, arguments, most, info, root, comm, inter, codes);
	return call_end(&call, result);
}

EXPORT int MPI_Comm_spawn(const char *command, char *arguments[], int most, MPI_Info info, int root,
			  MPI_Comm comm, MPI_Comm *inter, int codes[])
{
	const MPI_Info own = is_root(root, comm) ? info_of_spawned(info) : info;
	const int result = spawn(command, arguments, most, own, root, comm, inter, codes);

	release_info(own, info);
	return result;
}

WRAPPER_PART int spawn_multiple(int count, char *commands[], char **arguments[], const int most[],
				const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *inter,
				int codes[])
{
	BRACKET(Comm_spawn_multiple, count, commands, arguments, most, infos, root, comm, inter,
		codes);
	return call_end(&call, result);
}

EXPORT int MPI_Comm_spawn_multiple(int count, char *commands[], char **arguments[],
				   const int most[], const MPI_Info infos[], int root,
				   MPI_Comm comm, MPI_Comm *inter, int codes[])
{
	/* Without memory the spawned processes do not know who spawned them. */
	MPI_Info *const own = is_root(root, comm) && infos && count > 0
				      ? malloc((size_t)count * sizeof *own)
				      : NULL;
	int result;

	for (int i = 0; own && i < count; i++)
		own[i] = info_of_spawned(infos[i]);
	result = spawn_multiple(count, commands, arguments, most, own ? own : infos, root, comm,
				inter, codes);
	for (int i = 0; own && i < count; i++)
		release_info(own[i], infos[i]);
	free(own);
	return result;
}

EXPORT int MPI_Comm_create_group(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm *made)
{
	struct comm *comm = NULL;

	COUNTED_BRACKET(sums_comm(&sums, parent), Comm_create_group, parent, group, tag, made);
	if (result == MPI_SUCCESS && *made != MPI_COMM_NULL) {
		comm = comm_add_group(*made, parent, tag);
		add_creation(&call, comm, comm);
	}
	return call_end(&call, result);
}

EXPORT int MPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader,
				int tag, MPI_Comm *made)
{
	struct comm *comm = NULL;

	COUNTED_BRACKET(sums_comm(&sums, local), Intercomm_create, local, local_leader, peer,
			remote_leader, tag, made);
	if (result == MPI_SUCCESS) {
		if (*made != MPI_COMM_NULL)
			comm = comm_add_alone(*made);
		add_creation(&call, comm_find(local), comm);
	}
	return call_end(&call, result);
}

#if HAVE_MPI4
/* End a call in which the members make the communicator, without a parent. */
static int made_from_groups(struct call *call, const char *tag, const MPI_Comm *made, int result)
{
	struct comm *comm;

	if (result == MPI_SUCCESS && *made != MPI_COMM_NULL) {
		comm = comm_add_from_groups(*made, tag);
		add_creation(call, comm, comm);
	}
	return call_end(call, result);
}

EXPORT int MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info,
				      MPI_Errhandler handler, MPI_Comm *made)
{
	COUNTED_BRACKET(sums_comm(&sums, *made), Comm_create_from_group, group, tag, info, handler,
			made);
	return made_from_groups(&call, tag, made, result);
}

EXPORT int MPI_Intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote,
					    int remote_leader, const char *tag, MPI_Info info,
					    MPI_Errhandler handler, MPI_Comm *made)
{
	COUNTED_BRACKET(sums_comm(&sums, *made), Intercomm_create_from_groups, local, local_leader,
			remote, remote_leader, tag, info, handler, made);
	return made_from_groups(&call, tag, made, result);
}
#endif

/*
 * Add the request.  The communicator is made when the request completes, but its handle is known at
 * once.  Read the handle now, as a Fortran binding has it in a variable of its own.
 */
static void add_idup(const struct call *call, MPI_Comm parent, MPI_Comm made, MPI_Request handle,
		     int result)
{
	struct comm *comm = comm_find(parent);
	struct request *request;

	request = result == MPI_SUCCESS ? request_add(&requests, HANDLE_KEY(handle)) : NULL;
	if (!request)
		return;
	request->kind = REQUEST_COLLECTIVE;
	request->comm = comm;
	request->new_comm = made;
	request->child = comm_next_child(comm);
	request->collective.collective = COLL_CREATE_HANDLE;
	request->collective.comm = comm ? comm->id : NO_COMM;
	request->collective.root = NO_ROOT;
	request_start(call, request);
}

EXPORT int MPI_Comm_idup(MPI_Comm parent, MPI_Comm *made, MPI_Request *handle)
{
	*made = MPI_COMM_NULL;
	COUNTED_BRACKET(sums_comm(&sums, parent), Comm_idup, parent, made, handle);
	add_idup(&call, parent, *made, *handle, result);
	return call_end(&call, result);
}

#if HAVE_MPI4
EXPORT int MPI_Comm_idup_with_info(MPI_Comm parent, MPI_Info info, MPI_Comm *made,
				   MPI_Request *handle)
{
	*made = MPI_COMM_NULL;
	COUNTED_BRACKET(sums_comm(&sums, parent), Comm_idup_with_info, parent, info, made, handle);
	add_idup(&call, parent, *made, *handle, result);
	return call_end(&call, result);
}
#endif

/* Hand over the name at once, in case the run dies. */
EXPORT int MPI_Comm_set_name(MPI_Comm handle, const char *name)
{
	const struct comm *comm;
	struct error err;

	COUNTED_BRACKET(sums_comm(&sums, handle), Comm_set_name, handle, name);
	comm = result == MPI_SUCCESS ? comm_find_known(handle) : NULL;
	if (comm && comm->id != NO_COMM && comm_hand_over_name(comm, &err) < 0)
		process_fail(&err);
	return call_end(&call, result);
}

/* Look the communicator up before it is freed. */
static struct comm *comm_about_to_free(const struct call *call, MPI_Comm handle)
{
	struct comm *comm;

	if (!call->tracking)
		return NULL;
	process_lock();
	comm = comm_find(handle);
	process_unlock();
	return comm;
}

/* Find what to count of freeing a communicator, before it is freed, and forget its size. */
static struct mpi_sums sums_of_freeing(const struct call *call, MPI_Comm handle)
{
	struct mpi_sums sums = {0};

	if (call->recording && !call->tracking)
		sums_comm(&sums, handle);
	sizes_forget_comms();
	return sums;
}

static int comm_freed(struct call *call, const struct comm *comm, int result)
{
	struct mpi_event *event;

	if (result == MPI_SUCCESS && comm && comm->id != NO_COMM) {
		call_event(call, EVENT_COMM_DESTROY)->comm = comm->id;
		event = call_event(call, EVENT_COLLECTIVE);
		event->collective = COLL_DESTROY_HANDLE;
		event->comm = comm->id;
		event->root = NO_ROOT;
	}
	return call_end(call, result);
}

#define COMM_FREE(Name)                                    \
	EXPORT int MPI_##Name(MPI_Comm *handle)            \
	{                                                  \
		BRACKETED_CALL call;                       \
		struct mpi_sums before;                    \
		struct comm *comm;                         \
                                                           \
		call_prepare(&call, CALL_##Name);          \
		comm = comm_about_to_free(&call, *handle); \
		before = sums_of_freeing(&call, *handle);  \
		COUNTED_CALL(sums = before, Name, handle); \
		return comm_freed(&call, comm, result);    \
	}
COMM_FREE(Comm_free)
COMM_FREE(Comm_disconnect)
