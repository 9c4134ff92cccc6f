/* Files: the bytes that each call moves. */
#include "trace_log.h"

#define WORLD MPI_COMM_WORLD
static int in[64], out[64];

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
	files();
	return end();
}
