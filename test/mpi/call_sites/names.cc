// Calls of MPI in functions whose symbols are mangled.
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1 // not the library of old bindings
#include <mpi.h>

namespace solver
{
template <typename Value, int Width> struct Field {
	Value sum[Width];

	__attribute__((noinline)) Value reduce(Value value)
	{
		MPI_Allreduce(&value, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		return sum[0];
	}
	__attribute__((noinline)) Field &operator/(int times)
	{
		for (int i = 0; i < times; i++)
			MPI_Barrier(MPI_COMM_WORLD);
		return *this;
	}
};

namespace
{
template <typename Function> __attribute__((noinline)) int call(Function function)
{
	return function() + 1;
}

struct Step {
	int all;

	int go()
	{
		return call([this]() __attribute__((noinline)) {
			MPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);
			return all;
		});
	}
};
} // namespace
} // namespace solver

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	solver::Field<int, 3> field = {};
	solver::Step step = {field.reduce(1)};
	const int all = step.go();

	field / all;
	MPI_Finalize();
	return 0;
}
