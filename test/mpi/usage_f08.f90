! The calls of usage_calls.inc with the module mpi_f08.
program usage_f08
  use mpi_f08
  implicit none
  integer :: code, me, ranks, i
  double precision :: sent(100), came(100)

  sent = 1
  include 'usage_calls.inc'
end program
