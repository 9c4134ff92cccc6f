! Calls by mpif.h.  The comment behind a call names its line for test/mpi/call_sites.sh.
program old
	implicit none
	include 'mpif.h'
	integer :: rank, peer, i, error, values(4), requests(2)

	call MPI_Init(error)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
	values = rank
	peer = 1 - rank
	do i = 1, 20
		if (rank == 0) then
			call MPI_Send(values, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error) ! first send
			call MPI_Send(values, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error) ! second send
		else
			call MPI_Recv(values, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! first receive
			call MPI_Recv(values, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! second receive
		end if
		call MPI_Irecv(values, 2, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(1), error) ! post
		call MPI_Isend(values(3), 2, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(2), error) ! start
		call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error) ! wait
		call MPI_Sendrecv(rank, 1, MPI_INTEGER, peer, 2, values, 1, MPI_INTEGER, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! exchange
	end do
	call MPI_Barrier(MPI_COMM_WORLD, error) ! barrier
	call MPI_Finalize(error)
	print *, 'done'
end program
