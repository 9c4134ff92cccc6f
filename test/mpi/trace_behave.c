/*
 * Program that ends as its first argument tells, and prints text that a tracer must not change.
 *
 *	status	with its own exit status
 *	jump	after a longjmp out of a call
 *	abort	in MPI_Abort
 *	leave	without MPI_Finalize, by exit
 *	vanish	without MPI_Finalize, by _exit
 *	long	after many calls
 *	full	the limit of file sizes is too small for the journal
 *	large	the limit is the size of the journal, less than the archive's
 *	narrow	the limit is too small in MPI_Finalize only
 *
 * The second argument is the number of calls.  Its default 500000 exceeds the tracer's buffer.
 */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void limit_files(rlim_t bytes)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
}

static jmp_buf back;

static void jump_back(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	longjmp(back, 1);
}

static void jump(int nobody)
{
	MPI_Errhandler handler;

	MPI_Comm_create_errhandler(jump_back, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (setjmp(back) == 0)
		MPI_Send(&nobody, 1, MPI_INT, nobody, 0, MPI_COMM_WORLD);
	MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "status";
	int calls = argc > 2 ? atoi(argv[2]) : 500000;
	int rank, size, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 100; i++)
		MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("mean %d\n", sum / size);
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	if (strcmp(how, "jump") == 0)
		jump(size);
	if (strcmp(how, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 5);
	if (strcmp(how, "leave") == 0)
		exit(6);
	if (strcmp(how, "vanish") == 0)
		_exit(6);
	if (strcmp(how, "full") == 0)
		limit_files(13 * (rlim_t)calls);
	if (strcmp(how, "large") == 0)
		limit_files(38 * (rlim_t)calls);
	if (strcmp(how, "long") == 0 || strcmp(how, "full") == 0 || strcmp(how, "large") == 0 ||
	    strcmp(how, "narrow") == 0)
		for (int i = 0; i < calls; i++)
			MPI_Sendrecv_replace(&sum, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF,
					     &(MPI_Status){0});
	if (strcmp(how, "narrow") == 0)
		limit_files(1 << 16);
	MPI_Finalize();
	return rank == 0 ? 7 : 0;
}
