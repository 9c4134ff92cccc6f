! The calls of trace_calls.inc with the module mpi_f08.
program trace_f08
  use mpi_f08
  implicit none
  integer :: ierror, rank, size, right, left, index, count, indices(3)
  integer :: values(4), got(4), many(64)
  type(MPI_Comm) :: comm, part
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: status, statuses(3)
  logical :: flag

  include 'trace_calls.inc'
contains
  include 'trace_log.inc'

  integer function source_of(status)
    type(MPI_Status), intent(in) :: status

    source_of = status%MPI_SOURCE
  end function

  integer function tag_of(status)
    type(MPI_Status), intent(in) :: status

    tag_of = status%MPI_TAG
  end function
end program
