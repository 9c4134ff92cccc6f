/*
 * Sessions of MPI 4; with an older MPI library the program does nothing.
 *
 *	(none)	sessions only: several in turn inside of another one
 *	status	as (none), but prints a sum and returns 7
 *	within	sessions between MPI_Init and MPI_Finalize
 *	around	MPI_Init and MPI_Finalize inside of a session that continues
 *	after	as around, with sessions after that
 *	some	as after, but ranks without the session of rank 0 call MPI_Init at once
 *	many	a session with 4000 calls, which ends when files may have no more than 32 KiB
 *	threads	each thread has its own session, at the same time
 *	late	a thread of rank 0 is still making a communicator when MPI_Finalize has ended
 *	kill	rank 1 is killed in the middle of its session
 *	leave	all ranks call exit in the middle of their sessions
 *	vanish	rank 1 calls _exit after its last session
 */
#include "trace_log.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if MPI_VERSION >= 4
static int sum_of(MPI_Comm comm)
{
	int sum = 0;

	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	return sum;
}

static MPI_Session open_session(void)
{
	MPI_Session session;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	return session;
}

static void close_session(MPI_Session *session)
{
	MPI_Session_finalize(session);
	did("MPI_Session_finalize:");
}

static void made(const char *name)
{
	did("MPI_Comm_create_from_group: create %s | coll CREATE_HANDLE none 0 0 %s", name, name);
}

static void drop(MPI_Comm *comm, const char *name)
{
	MPI_Comm_free(comm);
	did("MPI_Comm_free: destroy %s | coll DESTROY_HANDLE none 0 0 %s", name, name);
}

static MPI_Comm make(MPI_Group group, const char *name)
{
	MPI_Comm comm;

	MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Comm_set_name(comm, name);
	made(name);
	return comm;
}

/* Exchange messages, and call a collective of all ranks. */
static void use(MPI_Comm comm, const char *name)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size, value;
	static int started;
	MPI_Request request;

	MPI_Irecv(&value, 1, MPI_INT, left, 5, comm, &request);
	did("MPI_Irecv: irecv #%d", started);
	MPI_Send(&rank, 1, MPI_INT, right, 5, comm);
	did("MPI_Send: send %d 5 4 %s", right, name);
	MPI_Wait(&request, no_status);
	did("MPI_Wait: received %d 5 4 %s #%d", left, name, started++);
	if (sum_of(comm) != size * (size - 1) / 2)
		exit(1);
	did("MPI_Allreduce: coll ALLREDUCE none %d %d %s op=MPI_SUM", 4 * size, 4 * size, name);
}

/* Communicate in this rank's process set, and in a group of the last and the first rank. */
static void parts(MPI_Session session, MPI_Group all)
{
	int ends[] = {size - 1, 0}, value = rank, mine;
	MPI_Group group;
	MPI_Comm comm;

	MPI_Group_from_session_pset(session, "mpi://SELF", &group);
	comm = make(group, "own");
	MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 3, 0, 3, comm, no_status);
	did("MPI_Sendrecv_replace: send 0 3 4 own | recv 0 3 4 own");
	drop(&comm, "own");
	MPI_Group_free(&group);
	if (size == 1 || (rank != 0 && rank != size - 1))
		return;
	MPI_Group_incl(all, 2, ends, &group);
	comm = make(group, "ends");
	MPI_Comm_rank(comm, &mine);
	MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - mine, 4, 1 - mine, 4, comm, no_status);
	did("MPI_Sendrecv_replace: send %d 4 4 ends | recv %d 4 4 ends", 1 - mine, 1 - mine);
	drop(&comm, "ends");
	MPI_Group_free(&group);
}

/* Make an inter-communicator between even and odd ranks. */
static void between(MPI_Group all)
{
	int range[2][3] = {{0, (size - 1) / 2 * 2, 2}, {1, size / 2 * 2 - 1, 2}}, value = 0;
	int others = rank % 2 ? (size + 1) / 2 : size / 2;
	MPI_Group side, other;
	MPI_Comm inter;

	MPI_Group_range_incl(all, 1, &range[rank % 2], &side);
	MPI_Group_range_incl(all, 1, &range[!(rank % 2)], &other);
	MPI_Intercomm_create_from_groups(side, 0, other, 0, "inter", MPI_INFO_NULL,
					 MPI_ERRORS_ARE_FATAL, &inter);
	MPI_Comm_set_name(inter, "inter");
	did("MPI_Intercomm_create_from_groups: create inter | coll CREATE_HANDLE none 0 0 inter");
	if (rank < 2) {
		MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 2, MPI_ANY_SOURCE, 2, inter, no_status);
		did("MPI_Sendrecv_replace: send 0 2 4 inter | recv 0 2 4 inter posted=1");
	}
	MPI_Allgather(&value, 1, MPI_INT, (int[16]){0}, 1, MPI_INT, inter);
	did("MPI_Allgather: coll ALLGATHER none %d %d inter", 4 * others, 4 * others);
	drop(&inter, "inter");
	MPI_Group_free(&side);
	MPI_Group_free(&other);
}

/* Use a session, with a communicator of all ranks. */
static void round_of(const char *name)
{
	MPI_Session session = open_session();
	MPI_Group group;
	MPI_Comm comm;

	did("MPI_Session_init:");
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	comm = make(group, name);
	use(comm, name);
	drop(&comm, name);
	MPI_Group_free(&group);
	close_session(&session);
}

static void rounds(void)
{
	for (int i = 0; i < 3; i++) {
		char name[] = {'r', (char)('0' + i), 0};

		round_of(name);
	}
}

/* Find the rank by the process set, and begin the log. */
static MPI_Session open_first(MPI_Group *all)
{
	MPI_Session session = open_session();

	MPI_Group_from_session_pset(session, "mpi://WORLD", all);
	MPI_Group_rank(*all, &rank);
	MPI_Group_size(*all, &size);
	no_status = MPI_STATUS_IGNORE;
	open_log(0);
	did("MPI_Session_init:");
	return session;
}

static int close_last(MPI_Session *session, MPI_Group *all)
{
	MPI_Group_free(all);
	close_session(session);
	return close_log();
}

static void die(const char *how, MPI_Comm comm)
{
	if (!strcmp(how, "kill"))
		MPI_Barrier(comm);
	if (!strcmp(how, "kill") && rank == 1)
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "kill"))
		MPI_Barrier(comm);
	if (!strcmp(how, "leave"))
		exit(6);
}

static int sessions_only(const char *how)
{
	MPI_Group all;
	MPI_Session session = open_first(&all);
	MPI_Comm comm = make(all, "first");
	int status;

	use(comm, "first");
	parts(session, all);
	if (size > 1)
		between(all);
	rounds();
	die(how, comm);
	/* A communicator that outlives others and has the members of an earlier one. */
	drop(&comm, "first");
	comm = make(all, "first");
	use(comm, "first");
	drop(&comm, "first");
	status = close_last(&session, &all);
	if (!strcmp(how, "vanish") && rank == 1)
		_exit(status);
	if (strcmp(how, "status") != 0)
		return status;
	if (rank == 0)
		printf("sum %d\n", size * (size - 1) / 2);
	return 7;
}

/* Events of 4000 calls take 100 KiB.  The journals, 4 MiB each, are there before the limit. */
static int many(void)
{
	const struct rlimit limit = {32 << 10, 32 << 10};
	MPI_Session session = open_session();
	int sets;

	for (int i = 0; i < 4000; i++)
		MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
	setrlimit(RLIMIT_FSIZE, &limit);
	MPI_Session_finalize(&session);
	return 0;
}

static int within(void)
{
	begin(NULL, NULL);
	rounds();
	use(MPI_COMM_WORLD, "MPI_COMM_WORLD");
	return end();
}

static int around(const char *how)
{
	MPI_Group all;
	MPI_Session session = open_first(&all);
	MPI_Comm comm = make(all, "first");

	use(comm, "first");
	MPI_Init(NULL, NULL);
	did("MPI_Init:");
	use(MPI_COMM_WORLD, "MPI_COMM_WORLD");
	use(comm, "first");
	rounds();
	drop(&comm, "first");
	end();
	if (!strcmp(how, "after"))
		rounds();
	return close_last(&session, &all);
}

static int some(void)
{
	MPI_Session session;
	MPI_Group all;
	const char *number = getenv("PMI_RANK");

	if (!number || strcmp(number, "0"))
		return within();
	session = open_first(&all);
	within();
	return close_last(&session, &all);
}

static void *thread(void *name)
{
	MPI_Session session = open_session();
	MPI_Group group;
	MPI_Comm comm;

	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Comm_set_name(comm, name);
	for (int i = 0; i < 100; i++)
		sum_of(comm);
	MPI_Comm_free(&comm);
	MPI_Group_free(&group);
	MPI_Session_finalize(&session);
	return NULL;
}

static int threads(void)
{
	char names[3][2] = {"a", "b", "c"};
	pthread_t ids[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, thread, names[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
	return 0;
}

static void *make_late(void *group)
{
	MPI_Comm comm = make(*(MPI_Group *)group, "late");

	sum_of(comm);
	MPI_Comm_free(&comm);
	return NULL;
}

static int late(void)
{
	MPI_Group all;
	MPI_Session session = open_first(&all);
	pthread_t id;

	MPI_Init(NULL, NULL);
	if (rank == 0)
		pthread_create(&id, NULL, make_late, &all);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (rank != 0)
		make_late(&all);
	else
		pthread_join(id, NULL);
	MPI_Group_free(&all);
	MPI_Session_finalize(&session);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	return !strcmp(how, "within")				 ? within()
	       : !strcmp(how, "around") || !strcmp(how, "after") ? around(how)
	       : !strcmp(how, "some")				 ? some()
	       : !strcmp(how, "many")				 ? many()
	       : !strcmp(how, "threads")			 ? threads()
	       : !strcmp(how, "late")				 ? late()
								 : sessions_only(how);
}
#else
int main(int argc, char **argv)
{
	begin(&argc, &argv);
	return end();
}
#endif
