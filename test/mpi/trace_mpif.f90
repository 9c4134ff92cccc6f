! The calls of trace_calls.inc with mpif.h.
program trace_mpif
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, size, right, left, index, count, indices(3)
  integer :: values(4), got(4), many(64), comm, part, requests(3)
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 3)
  logical :: flag

  include 'trace_calls.inc'
contains
  include 'trace_log.inc'

  integer function source_of(status)
    integer, intent(in) :: status(:)

    source_of = status(MPI_SOURCE)
  end function

  integer function tag_of(status)
    integer, intent(in) :: status(:)

    tag_of = status(MPI_TAG)
  end function
end program
