/*
 * Threads that use sessions of each other: the first one opens one, others make communicators from it, the
 * first one uses these, and another one frees them; meanwhile one begins and ends MPI_COMM_WORLD.
 */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>

enum { THREADS = 3 };

static MPI_Info info;
static MPI_Session session;
static MPI_Comm made[THREADS];
static sem_t ready[THREADS];
static int rank, size;

static MPI_Session open_session(void)
{
	MPI_Session opened;

	MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &opened);
	return opened;
}

static MPI_Comm make(MPI_Session from, const char *name)
{
	MPI_Group group;
	MPI_Comm comm;

	MPI_Group_from_session_pset(from, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	return comm;
}

static void turn(MPI_Comm comm, int tag)
{
	int value = rank;

	MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, tag, (rank + size - 1) % size,
			     tag, comm, MPI_STATUS_IGNORE);
}

/* Make a communicator from the session of the first thread, and use it and one from an own session. */
static void *perform(void *number)
{
	const int own = *(int *)number;
	const char names[THREADS][2][4] = {{"", ""}, {"a", "A"}, {"b", "B"}};
	MPI_Session inner;
	MPI_Comm comm;

	made[own] = make(session, names[own][0]);
	for (int i = 0; i < 20; i++)
		turn(made[own], own);
	sem_post(&ready[own]);
	inner = open_session();
	comm = make(inner, names[own][1]);
	for (int i = 0; i < 20; i++)
		MPI_Barrier(comm);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&inner);
	return NULL;
}

int main(void)
{
	static int numbers[THREADS];
	pthread_t threads[THREADS];
	MPI_Group all;
	int level;

	MPI_Info_create(&info);
	MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
	session = open_session();
	MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
	MPI_Group_rank(all, &rank);
	MPI_Group_size(all, &size);
	MPI_Group_free(&all);
	for (int t = 1; t < THREADS; t++) {
		numbers[t] = t;
		sem_init(&ready[t], 0, 0);
		pthread_create(&threads[t], NULL, perform, &numbers[t]);
	}
	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	turn(MPI_COMM_WORLD, 7);
	for (int t = 1; t < THREADS; t++) {
		sem_wait(&ready[t]);
		turn(made[t], 8);
		MPI_Barrier(made[t]);
	}
	for (int t = 1; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	MPI_Finalize();
	for (int t = 1; t < THREADS; t++)
		MPI_Comm_free(&made[t]);
	MPI_Session_finalize(&session);
	return 0;
}
