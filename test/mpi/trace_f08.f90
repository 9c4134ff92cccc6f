! A ring with the module mpi_f08: of MPICH's bindings only calls with a buffer can be seen.
program trace_f08
  use mpi_f08
  implicit none
  integer :: rank, size, right, left
  integer :: values(4), got(4)
  type(MPI_Comm) :: comm

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call open_log(rank)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  values = rank
  call did('MPI_Init:')
  call MPI_Sendrecv(values, 4, MPI_INTEGER, right, 1, got, 4, MPI_INTEGER, left, 1, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call did('MPI_Sendrecv: send', right, '1 16 MPI_COMM_WORLD | recv', left, '1 16 MPI_COMM_WORLD')
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_name(comm, 'copy')
  call MPI_Barrier(comm)
  call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, comm)
  call did('MPI_Allreduce: coll ALLREDUCE none', 8 * (size - 1), '', 8 * (size - 1), &
           'copy inplace=1 op=MPI_SUM')
  call MPI_Comm_free(comm)
  call did('MPI_Finalize:')
  call MPI_Finalize()
contains
  include 'trace_log.inc'
end program
