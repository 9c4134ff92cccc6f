! The calls of usage_calls.inc with mpif.h.
program usage_mpif
  implicit none
  include 'mpif.h'
  integer :: code, me, ranks, i
  double precision :: sent(100), came(100)

  sent = 1
  include 'usage_calls.inc'
end program
