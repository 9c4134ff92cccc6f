! The calls of trace_calls.inc and trace_groups.inc with the module mpi.
program trace_use_mpi
  use mpi
  implicit none
  include 'trace_values.inc'
  include 'trace_handles.inc'

  include 'trace_calls.inc'
  include 'trace_groups.inc'
contains
  include 'trace_log.inc'
  include 'trace_statuses.inc'
end program
