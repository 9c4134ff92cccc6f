/* One-sided communication of doc/worked-example.md: each kind once, on two ranks. */
#include <mpi.h>

static char in[128], out[128], memory[128];
static int rank, other;
static MPI_Win window;

/* Let rank 0 put and accumulate while rank 1 gets. */
static void fences(void)
{
	MPI_Win_fence(0, window);
	if (rank == 0) {
		MPI_Put(in, 101, MPI_BYTE, other, 0, 101, MPI_BYTE, window);
		MPI_Accumulate(in, 21, MPI_BYTE, other, 101, 21, MPI_BYTE, MPI_BOR, window);
	} else {
		MPI_Get(out, 51, MPI_BYTE, other, 0, 51, MPI_BYTE, window);
	}
	MPI_Win_fence(0, window);
}

/* Let rank 1 put without calls of rank 0. */
static void locks(void)
{
	if (rank == 0)
		return;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
	MPI_Put(in, 31, MPI_BYTE, other, 0, 31, MPI_BYTE, window);
	MPI_Win_unlock(other, window);
}

/* Let rank 0 put after rank 1 has posted. */
static void groups(void)
{
	MPI_Group all, group;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &other, &group);
	if (rank == 0) {
		MPI_Win_start(group, 0, window);
		MPI_Put(in, 41, MPI_BYTE, other, 0, 41, MPI_BYTE, window);
		MPI_Win_complete(window);
	} else {
		MPI_Win_post(group, 0, window);
		MPI_Win_wait(window);
	}
	MPI_Group_free(&group);
	MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	fences();
	locks();
	groups();
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
