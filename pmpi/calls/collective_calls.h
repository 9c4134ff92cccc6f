/*
 * Collectives with counts of type COUNT and offsets of type OFFSET.  collectives.c includes this
 * file once for the usual functions and once for those of MPI 4 with large counts.  NAMED makes a
 * function's name, and BLOCKS a struct blocks.
 */
#ifndef COLLECTIVE
/* TOTALS: the arguments of totals_... after event and communicator. */
#define COLLECTIVE(Name, name, COLL, PARAMETERS, ARGUMENTS, totals, TOTALS)               \
	BLOCKING(NAMED(Name), COLL, PARAMETERS, ARGUMENTS, totals, TOTALS)                \
	NONBLOCKING(NAMED(I##name), COLL, PARAMETERS, ARGUMENTS, totals, TOTALS)          \
	PERSISTENT(NAMED(Name##_init), COLL, PARAMETERS, ARGUMENTS, totals, TOTALS)
#define NEIGHBOURS(name, COLL, PARAMETERS, ARGUMENTS, TOTALS)                               \
	BLOCKING(NAMED(Neighbor_##name), COLL, PARAMETERS, ARGUMENTS, totals_neighbours,    \
		 TOTALS)                                                                    \
	NONBLOCKING(NAMED(Ineighbor_##name), COLL, PARAMETERS, ARGUMENTS,                   \
		    totals_neighbours, TOTALS)                                              \
	PERSISTENT(NAMED(Neighbor_##name##_init), COLL, PARAMETERS, ARGUMENTS,              \
		   totals_neighbours, TOTALS)
#define SAME(buffer, count, type) (struct blocks){buffer, NULL, NULL, type, NULL, count}
#define BLOCK(...) (struct block){__VA_ARGS__}
#define SEND const void *send, COUNT send_count, MPI_Datatype send_type
#define RECEIVE void *receive, COUNT receive_count, MPI_Datatype receive_type
#define REDUCTION const void *send, void *receive, COUNT count, MPI_Datatype type, MPI_Op op,
#define REDUCTION_ARGUMENTS send, receive, count, type, op,
#endif

COLLECTIVE(Bcast, bcast, COLL_BCAST, (void *buffer, COUNT count, MPI_Datatype type, int root,),
	   (buffer, count, type, root,), totals_bcast, (, BLOCK(buffer, count, type), root))
COLLECTIVE(Gather, gather, COLL_GATHER, (SEND, RECEIVE, int root,),
	   (send, send_count, send_type, receive, receive_count, receive_type, root,),
	   totals_gather, (, BLOCK(send, send_count, send_type),
			   BLOCK(receive, receive_count, receive_type), root))
COLLECTIVE(Gatherv, gatherv, COLL_GATHERV,
	   (SEND, void *receive, const COUNT counts[], const OFFSET offsets[],
	    MPI_Datatype receive_type, int root,),
	   (send, send_count, send_type, receive, counts, offsets, receive_type, root,),
	   totals_gatherv, (, BLOCK(send, send_count, send_type),
			    BLOCKS(receive, counts, receive_type, NULL), root))
COLLECTIVE(Scatter, scatter, COLL_SCATTER, (SEND, RECEIVE, int root,),
	   (send, send_count, send_type, receive, receive_count, receive_type, root,),
	   totals_scatter, (, BLOCK(send, send_count, send_type),
			    BLOCK(receive, receive_count, receive_type), root))
COLLECTIVE(Scatterv, scatterv, COLL_SCATTERV,
	   (const void *send, const COUNT counts[], const OFFSET offsets[], MPI_Datatype send_type,
	    RECEIVE, int root,),
	   (send, counts, offsets, send_type, receive, receive_count, receive_type, root,),
	   totals_scatterv, (, BLOCKS(send, counts, send_type, NULL),
			     BLOCK(receive, receive_count, receive_type), root))
COLLECTIVE(Allgather, allgather, COLL_ALLGATHER, (SEND, RECEIVE,),
	   (send, send_count, send_type, receive, receive_count, receive_type,),
	   totals_all, (, BLOCK(send, send_count, send_type),
			BLOCK(receive, receive_count, receive_type)))
COLLECTIVE(Allgatherv, allgatherv, COLL_ALLGATHERV,
	   (SEND, void *receive, const COUNT counts[], const OFFSET offsets[],
	    MPI_Datatype receive_type,),
	   (send, send_count, send_type, receive, counts, offsets, receive_type,),
	   totals_allgatherv, (, BLOCK(send, send_count, send_type),
			       BLOCKS(receive, counts, receive_type, NULL)))
COLLECTIVE(Alltoall, alltoall, COLL_ALLTOALL, (SEND, RECEIVE,),
	   (send, send_count, send_type, receive, receive_count, receive_type,),
	   totals_all, (, BLOCK(send, send_count, send_type),
			BLOCK(receive, receive_count, receive_type)))
COLLECTIVE(Alltoallv, alltoallv, COLL_ALLTOALLV,
	   (const void *send, const COUNT send_counts[], const OFFSET send_offsets[],
	    MPI_Datatype send_type, void *receive, const COUNT receive_counts[],
	    const OFFSET receive_offsets[], MPI_Datatype receive_type,),
	   (send, send_counts, send_offsets, send_type, receive, receive_counts, receive_offsets,
	    receive_type,),
	   totals_alltoallv, (, BLOCKS(send, send_counts, send_type, NULL),
			      BLOCKS(receive, receive_counts, receive_type, NULL)))
COLLECTIVE(Alltoallw, alltoallw, COLL_ALLTOALLW,
	   (const void *send, const COUNT send_counts[], const OFFSET send_offsets[],
	    const MPI_Datatype send_types[], void *receive, const COUNT receive_counts[],
	    const OFFSET receive_offsets[], const MPI_Datatype receive_types[],),
	   (send, send_counts, send_offsets, send_types, receive, receive_counts,
	    receive_offsets, receive_types,),
	   totals_alltoallv, (, BLOCKS(send, send_counts, MPI_DATATYPE_NULL, send_types),
			      BLOCKS(receive, receive_counts, MPI_DATATYPE_NULL, receive_types)))

COLLECTIVE(Reduce, reduce, COLL_REDUCE, (REDUCTION int root,), (REDUCTION_ARGUMENTS root,),
	   totals_reduce, (, BLOCK(send, count, type), op, root))
COLLECTIVE(Allreduce, allreduce, COLL_ALLREDUCE, (REDUCTION), (REDUCTION_ARGUMENTS),
	   totals_reduction, (, BLOCK(send, count, type), op))
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, COLL_REDUCE_SCATTER_BLOCK, (REDUCTION),
	   (REDUCTION_ARGUMENTS), totals_reduction, (, BLOCK(send, count, type), op))
COLLECTIVE(Scan, scan, COLL_SCAN, (REDUCTION), (REDUCTION_ARGUMENTS), totals_reduction,
	   (, BLOCK(send, count, type), op))
COLLECTIVE(Exscan, exscan, COLL_EXSCAN, (REDUCTION), (REDUCTION_ARGUMENTS), totals_reduction,
	   (, BLOCK(send, count, type), op))
COLLECTIVE(Reduce_scatter, reduce_scatter, COLL_REDUCE_SCATTER,
	   (const void *send, void *receive, const COUNT counts[], MPI_Datatype type, MPI_Op op,),
	   (send, receive, counts, type, op,), totals_reduce_scatter,
	   (, BLOCKS(send, counts, type, NULL), op))

NEIGHBOURS(allgather, COLL_ALLGATHER, (SEND, RECEIVE,),
	   (send, send_count, send_type, receive, receive_count, receive_type,),
	   (, SAME(send, send_count, send_type), SAME(receive, receive_count, receive_type)))
NEIGHBOURS(allgatherv, COLL_ALLGATHERV,
	   (SEND, void *receive, const COUNT counts[], const OFFSET offsets[],
	    MPI_Datatype receive_type,),
	   (send, send_count, send_type, receive, counts, offsets, receive_type,),
	   (, SAME(send, send_count, send_type), BLOCKS(receive, counts, receive_type, NULL)))
NEIGHBOURS(alltoall, COLL_ALLTOALL, (SEND, RECEIVE,),
	   (send, send_count, send_type, receive, receive_count, receive_type,),
	   (, SAME(send, send_count, send_type), SAME(receive, receive_count, receive_type)))
NEIGHBOURS(alltoallv, COLL_ALLTOALLV,
	   (const void *send, const COUNT send_counts[], const OFFSET send_offsets[],
	    MPI_Datatype send_type, void *receive, const COUNT receive_counts[],
	    const OFFSET receive_offsets[], MPI_Datatype receive_type,),
	   (send, send_counts, send_offsets, send_type, receive, receive_counts, receive_offsets,
	    receive_type,),
	   (, BLOCKS(send, send_counts, send_type, NULL),
	    BLOCKS(receive, receive_counts, receive_type, NULL)))
NEIGHBOURS(alltoallw, COLL_ALLTOALLW,
	   (const void *send, const COUNT send_counts[], const MPI_Aint send_offsets[],
	    const MPI_Datatype send_types[], void *receive, const COUNT receive_counts[],
	    const MPI_Aint receive_offsets[], const MPI_Datatype receive_types[],),
	   (send, send_counts, send_offsets, send_types, receive, receive_counts,
	    receive_offsets, receive_types,),
	   (, BLOCKS(send, send_counts, MPI_DATATYPE_NULL, send_types),
	    BLOCKS(receive, receive_counts, MPI_DATATYPE_NULL, receive_types)))
