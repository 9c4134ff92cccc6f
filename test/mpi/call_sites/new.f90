! Calls by the module mpi_f08.  The comment behind a call names its line for test/mpi/call_sites.sh.
program new
	use mpi_f08
	implicit none
	integer :: rank, peer, i, values(4)
	type(MPI_Request) :: requests(2)

	call MPI_Init()
	call MPI_Comm_rank(MPI_COMM_WORLD, rank)
	values = rank
	peer = 1 - rank
	do i = 1, 20
		if (rank == 0) then
			call MPI_Send(values, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD) ! first send
			call MPI_Send(values, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD) ! second send
		else
			call MPI_Recv(values, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! first receive
			call MPI_Recv(values, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! second receive
		end if
		call MPI_Irecv(values, 2, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(1)) ! post
		call MPI_Isend(values(3), 2, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(2)) ! start
		call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) ! wait
		call MPI_Sendrecv(rank, 1, MPI_INTEGER, peer, 2, values, 1, MPI_INTEGER, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! exchange
	end do
	call MPI_Barrier(MPI_COMM_WORLD) ! barrier
	call MPI_Finalize()
	print *, 'done'
end program
