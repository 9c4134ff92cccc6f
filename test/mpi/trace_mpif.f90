! The same ring with mpif.h.
program trace_mpif
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, size, right, left, comm, requests(2)
  integer :: values(4), got(4)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call open_log(rank)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  values = rank
  call did('MPI_Init:')
  call MPI_Irecv(got, 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierror)
  call did('MPI_Irecv: irecv #0')
  call MPI_Isend(values, 4, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2), ierror)
  call did('MPI_Isend: isend', right, '1 16 MPI_COMM_WORLD #1')
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  call did('MPI_Waitall: received', left, '1 16 MPI_COMM_WORLD #0 | sent #1')
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call did('MPI_Comm_dup: create copy | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD')
  call MPI_Comm_set_name(comm, 'copy', ierror)
  call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, comm, ierror)
  call did('MPI_Allreduce: coll ALLREDUCE none', 8 * (size - 1), '', 8 * (size - 1), &
           'copy inplace=1 op=MPI_SUM')
  call MPI_Comm_free(comm, ierror)
  call did('MPI_Comm_free: destroy copy | coll DESTROY_HANDLE none 0 0 copy')
  call did('MPI_Finalize:')
  call MPI_Finalize(ierror)
contains
  include 'trace_log.inc'
end program
