/* Windows and files: what each call moves. */
#include "trace_log.h"

#define WORLD MPI_COMM_WORLD
static int in[64], out[64];
static int right;

static void one_sided(MPI_Win window)
{
	MPI_Request request;
	MPI_Datatype type;

	MPI_Type_vector(2, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Put(in, 3, MPI_INT, right, 0, 3, MPI_INT, window);
	did("MPI_Put: bytes=12 target=%d", right);
	MPI_Put(in, 1, type, right, 8, 1, type, window);
	did("MPI_Put: bytes=8 target=%d", right);
	MPI_Put(in, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
	did("MPI_Put:");
	MPI_Get(out, 5, MPI_INT, right, 16, 5, MPI_INT, window);
	did("MPI_Get: bytes=20 target=%d", right);
	MPI_Accumulate(in, 2, MPI_INT, right, 32, 2, MPI_INT, MPI_SUM, window);
	did("MPI_Accumulate: bytes=8 target=%d", right);
	MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, right, 32, 2, MPI_INT,
			   MPI_NO_OP, window);
	did("MPI_Get_accumulate: bytes=8 target=%d", right);
	MPI_Fetch_and_op(in, out, MPI_INT, right, 40, MPI_SUM, window);
	did("MPI_Fetch_and_op: bytes=4 target=%d", right);
	MPI_Compare_and_swap(in, in, out, MPI_INT, right, 40, window);
	did("MPI_Compare_and_swap: bytes=4 target=%d", right);
	MPI_Win_flush(right, window);
	did("MPI_Win_flush:");
	MPI_Rput(in, 4, MPI_INT, right, 48, 4, MPI_INT, window, &request);
	did("MPI_Rput: bytes=16 target=%d", right);
	MPI_Wait(&request, no_status);
	did("MPI_Wait:");
	MPI_Type_free(&type);
}

static void windows(void)
{
	MPI_Win window;
	int *memory;

	MPI_Win_allocate(256, 1, MPI_INFO_NULL, WORLD, &memory, &window);
	did("MPI_Win_allocate:");
	MPI_Win_fence(0, window);
	did("MPI_Win_fence:");
	MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
	did("MPI_Win_fence:");
	MPI_Win_lock_all(0, window);
	did("MPI_Win_lock_all:");
	one_sided(window);
	MPI_Win_unlock_all(window);
	did("MPI_Win_unlock_all:");
	MPI_Win_free(&window);
	did("MPI_Win_free:");
}

static void files(void)
{
	const char *directory = getenv("TRACE_LOG");
	MPI_File file;
	MPI_Request request;
	char path[4096];

	snprintf(path, sizeof path, "%s/file", directory ? directory : ".");
	MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &file);
	did("MPI_File_open:");
	MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	did("MPI_File_set_view:");
	MPI_File_write_at_all(file, 4 * rank, in, 4, MPI_INT, no_status);
	did("MPI_File_write_at_all: bytes=16");
	MPI_File_iwrite_at(file, 4 * rank, in, 2, MPI_INT, &request);
	did("MPI_File_iwrite_at: bytes=8");
	MPI_Wait(&request, no_status);
	did("MPI_Wait:");
	MPI_File_seek(file, 0, MPI_SEEK_SET);
	did("MPI_File_seek:");
	MPI_File_read(file, out, 1, MPI_DOUBLE, no_status);
	did("MPI_File_read: bytes=8");
	MPI_File_read_all_begin(file, out, 3, MPI_INT);
	did("MPI_File_read_all_begin: bytes=12");
	MPI_File_read_all_end(file, out, no_status);
	did("MPI_File_read_all_end:");
	MPI_File_close(&file);
	did("MPI_File_close:");
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	right = (rank + 1) % size;
	windows();
	files();
	return end();
}
