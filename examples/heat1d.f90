! The heat equation on a rod, explicit in time.
!
!     mpiexec -n 8 heat1d
!
! The points are divided among the ranks.  In each step every rank exchanges
! one value with the neighbours to the left and to the right (MPI_Sendrecv) and
! updates its points.  At the end the first rank gathers the rod.
!
! The start, sin(pi x), shrinks in every step by the factor
! 1 - 4 r sin(pi h / 2)**2, with which the result is compared.
!
! With TALLY=PREFIX in the environment every rank writes its own count of its
! communication to PREFIX.RANK (tally.h describes the lines).
program heat1d
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08
    implicit none

    integer, parameter :: points_per_rank = 4000, steps = 100
    real(real64), parameter :: pi = acos(-1.0_real64), r = 0.25_real64
    real(real64), allocatable :: now(:), next(:), rod(:)
    real(real64) :: h, factor, error, largest
    integer :: rank, ranks, left, right, i, step

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)

    allocate (now(0:points_per_rank + 1), next(0:points_per_rank + 1))
    allocate (rod(merge(ranks * points_per_rank, 0, rank == 0)))
    h = 1 / real(ranks * points_per_rank + 1, real64)
    now = 0
    do i = 1, points_per_rank
        now(i) = sin(pi * h * (rank * points_per_rank + i))
    end do

    next = 0
    do step = 1, steps
        ! Send a value to the right and receive one from the left, then the reverse.
        call MPI_Sendrecv(now(points_per_rank), 1, MPI_DOUBLE_PRECISION, right, 1, &
                          now(0), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(now(1), 1, MPI_DOUBLE_PRECISION, left, 2, &
                          now(points_per_rank + 1), 1, MPI_DOUBLE_PRECISION, right, 2, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        do i = 1, points_per_rank
            next(i) = now(i) + r * (now(i - 1) - 2 * now(i) + now(i + 1))
        end do
        now = next
    end do

    factor = (1 - 4 * r * sin(pi * h / 2)**2)**steps
    error = 0
    do i = 1, points_per_rank
        error = max(error, abs(now(i) - factor * sin(pi * h * (rank * points_per_rank + i))))
    end do
    call MPI_Allreduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Gather(now(1), points_per_rank, MPI_DOUBLE_PRECISION, &
                    rod, points_per_rank, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)

    if (rank == 0) then
        print '(a, i0, a, i0, a, i0, a, a, a, es8.1, a, f8.6, a)', 'heat1d: ', size(rod), &
            ' points, ', ranks, ' ranks, ', steps, ' steps: ', &
            merge('correct', 'WRONG  ', largest < 1e-12_real64), ' (error', largest, &
            ', largest value ', maxval(rod), ')'
    end if
    call write_tally()
    call MPI_Finalize()
    if (largest >= 1e-12_real64) error stop 1

contains

    subroutine write_tally()
        character(len=1024) :: prefix
        character(len=16) :: number
        integer :: status, file

        call get_environment_variable('TALLY', prefix, status=status)
        if (status /= 0) return
        write (number, '(i0)') rank
        open (newunit=file, file=trim(prefix)//'.'//trim(number), action='write', status='replace')
        call write_neighbour(file, left)
        call write_neighbour(file, right)
        write (file, '(a)') 'collective MPI_Allreduce 1', 'collective MPI_Gather 1'
        close (file)
    end subroutine write_tally

    ! Each step has one message of one value in each direction.
    subroutine write_neighbour(file, peer)
        integer, intent(in) :: file, peer

        if (peer == MPI_PROC_NULL) return
        write (file, '(a, 3(1x, i0))') 'send', peer, steps, 8 * steps
        write (file, '(a, 3(1x, i0))') 'recv', peer, steps, 8 * steps
    end subroutine write_neighbour

end program heat1d
