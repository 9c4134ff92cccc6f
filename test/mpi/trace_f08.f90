! The calls of trace_calls.inc and trace_groups.inc with the module mpi_f08.
program trace_f08
  use mpi_f08
  implicit none
  include 'trace_values.inc'
  type(MPI_Comm) :: comm, part, inter
  type(MPI_Group) :: group
  type(MPI_Message) :: message
  type(MPI_Datatype) :: types(8)
  type(MPI_Request) :: requests(7)
  type(MPI_Status) :: status, statuses(7)

  include 'trace_calls.inc'
  include 'trace_groups.inc'
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
