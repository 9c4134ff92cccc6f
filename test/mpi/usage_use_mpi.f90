! The calls of usage_calls.inc with the module mpi.
program usage_use_mpi
  use mpi
  implicit none
  integer :: code, me, ranks, i
  double precision :: sent(100), came(100)

  sent = 1
  include 'usage_calls.inc'
end program
