! Calls whose counts and bytes are known (usage_tally.sh), by the interface that is asked for.
program known
#ifdef HAS_F08
  use mpi_f08
#elif defined HAS_MODULE
  use mpi
#endif
  implicit none
#if !defined HAS_F08 && !defined HAS_MODULE
  include 'mpif.h'
#endif
  integer :: code, me, ranks, i
  double precision :: sent(100), came(100)

  sent = 1
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  do i = 1, 5
    call MPI_Bcast(sent, 100, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code)
    call MPI_Allreduce(sent, came, 30, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
    call MPI_Sendrecv(sent, 7 * i, MPI_DOUBLE_PRECISION, modulo(me + 1, ranks), 0, came, 100, &
      MPI_DOUBLE_PRECISION, modulo(me - 1, ranks), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    if (me == 0) call MPI_Send(sent, 11, MPI_INTEGER, 1, i, MPI_COMM_WORLD, code)
    if (me == 1) call MPI_Recv(came, 100, MPI_INTEGER, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call MPI_Alltoall(sent, 5, MPI_BYTE, came, 5, MPI_BYTE, MPI_COMM_WORLD, code)
    call MPI_Gather(sent, 2, MPI_DOUBLE_PRECISION, came, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code)
    call MPI_Barrier(MPI_COMM_WORLD, code)
  end do
  call MPI_Finalize(code)
end program
