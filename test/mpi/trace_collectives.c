/*
 * Collectives: blocking, non-blocking and persistent, in place or not, with unequal blocks.  The
 * expected records follow the definition in doc/trace-format.md.
 */
#include "trace_log.h"

enum { MOST = 64 };
static int in[MOST * MOST], out[MOST * MOST], counts[MOST], offsets[MOST], zeros[MOST];
static MPI_Datatype types[MOST];
static int started;

/* Count of rank i for unequal blocks; some are zero, neighbours may be equal. */
static int count_of(int i)
{
	return i / 2 * 3;
}

/* Vector of count_of() as text: bytes from or to ranks 0 ... size - 1, scaled. */
static const char *vector_text(int scale)
{
	static char text[1024];
	char *at = text;

	for (int i = 0; i < size; i += 2)
		at += sprintf(at, i + 1 < size ? "%s%d*2" : "%s%d", i ? "," : "",
			      4 * scale * count_of(i));
	return text;
}

static int sum_counts(void)
{
	int sum = 0;

	for (int i = 0; i < size; i++)
		sum += count_of(i);
	return sum;
}

#define WORLD MPI_COMM_WORLD

static void finish(MPI_Request *request, const char *what, const char *root, int sent,
		   int received, const char *more)
{
	MPI_Wait(request, no_status);
	did("MPI_Wait: completed %s %s %d %d MPI_COMM_WORLD%s #%d", what, root, sent, received,
	    more, started++);
}

/* Log a collective, or its start; then wait for it and log its completion. */
static void done(int blocking, const char *name, MPI_Request *request, const char *what,
		 const char *root, int sent, int received, const char *more)
{
	if (blocking) {
		did("MPI_%c%s: coll %s %s %d %d MPI_COMM_WORLD%s", name[0] - 'a' + 'A', name + 1,
		    what, root, sent, received, more);
		return;
	}
	did("MPI_I%s: icoll #%d", name, started);
	finish(request, what, root, sent, received, more);
}

/* Call the persistent form, started twice. */
#if MPI_VERSION >= 4
#define PERSISTENT(Name, what, root, sent, received, more, ...)                             \
	do {                                                                                \
		MPI_Request persistent;                                                     \
		MPI_##Name##_init(__VA_ARGS__, WORLD, MPI_INFO_NULL, &persistent);          \
		did("MPI_" #Name "_init:");                                                 \
		for (int i = 0; i < 2; i++) {                                               \
			MPI_Start(&persistent);                                             \
			did("MPI_Start: icoll #%d", started);                               \
			finish(&persistent, what, root, sent, received, more);              \
		}                                                                           \
		MPI_Request_free(&persistent);                                              \
		did("MPI_Request_free:");                                                   \
	} while (0)
#else
#define PERSISTENT(...) (void)0
#endif

/* Call all forms, which have the same arguments. */
#define RUN(Name, name, what, root, sent, received, more, ...)                              \
	do {                                                                                \
		RUN_ONCE(Name, name, what, root, sent, received, more, __VA_ARGS__);        \
		PERSISTENT(Name, what, root, sent, received, more, __VA_ARGS__);            \
	} while (0)
/* MPI_Scatter_init of MPICH 4.0 fails by itself on three ranks or more. */
#define RUN_ONCE(Name, name, what, root, sent, received, more, ...)                         \
	do {                                                                                \
		MPI_Request request;                                                        \
		MPI_##Name(__VA_ARGS__, WORLD);                                             \
		done(1, #name, NULL, what, root, sent, received, more);                     \
		MPI_I##name(__VA_ARGS__, WORLD, &request);                                  \
		done(0, #name, &request, what, root, sent, received, more);                 \
	} while (0)

static void rooted(int root)
{
	char name[16], more[1100];
	int is_root = rank == root, b = 12, P = size, sum = 4 * sum_counts(),
	    own = 4 * count_of(rank);
	void *place = is_root ? MPI_IN_PLACE : in;
	const char *inplace = is_root ? " inplace=1" : "";

	sprintf(name, "%d", root);
	RUN(Bcast, bcast, "BCAST", name, is_root ? P * b : 0, b, "", in, 3, MPI_INT, root);
	RUN(Gather, gather, "GATHER", name, b, is_root ? P * b : 0, "", in, 3, MPI_INT, out, 12,
	    MPI_BYTE, root);
	RUN(Gather, gather, "GATHER", name, is_root ? 0 : b, is_root ? (P - 1) * b : 0, inplace,
	    place, 3, MPI_INT, out, 3, MPI_INT, root);
	RUN_ONCE(Scatter, scatter, "SCATTER", name, is_root ? P * b : 0, b, "", in, 3, MPI_INT, out,
		 12, MPI_BYTE, root);
	RUN_ONCE(Scatter, scatter, "SCATTER", name, is_root ? (P - 1) * b : 0, is_root ? 0 : b,
		 inplace, in, 3, MPI_INT, is_root ? MPI_IN_PLACE : (void *)out, 3, MPI_INT, root);
	RUN(Reduce, reduce, "REDUCE", name, b, is_root ? P * b : 0, " op=MPI_MAX", in, out, 3,
	    MPI_INT, MPI_MAX, root);
	sprintf(more, "%s op=MPI_SUM", inplace);
	RUN(Reduce, reduce, "REDUCE", name, is_root ? 0 : b, is_root ? (P - 1) * b : 0, more, place,
	    out, 3, MPI_INT, MPI_SUM, root);
	sprintf(more, " receives=%s", vector_text(1));
	RUN(Gatherv, gatherv, "GATHERV", name, own, is_root ? sum : 0, is_root ? more : "", in,
	    counts[rank], MPI_INT, out, is_root ? counts : NULL, offsets, MPI_INT, root);
	sprintf(more, " inplace=1 receives=%s", vector_text(1));
	RUN(Gatherv, gatherv, "GATHERV", name, is_root ? 0 : own, is_root ? sum - own : 0,
	    is_root ? more : "", place, counts[rank], MPI_INT, out, counts, offsets, MPI_INT, root);
	sprintf(more, " sends=%s", vector_text(1));
	RUN(Scatterv, scatterv, "SCATTERV", name, is_root ? sum : 0, own, is_root ? more : "", in,
	    is_root ? counts : NULL, offsets, MPI_INT, out, counts[rank], MPI_INT, root);
}

static void unrooted(void)
{
	int b = 8, P = size, r = rank, sum = 4 * sum_counts(), own = 4 * count_of(rank);
	char more[2200];

	RUN(Allgather, allgather, "ALLGATHER", "none", P * b, P * b, "", in, 2, MPI_INT, out, 2,
	    MPI_INT);
	RUN(Allgather, allgather, "ALLGATHER", "none", (P - 1) * b, (P - 1) * b, " inplace=1",
	    MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT);
	RUN(Alltoall, alltoall, "ALLTOALL", "none", P * b, P * b, "", in, 2, MPI_INT, out, 1,
	    MPI_DOUBLE);
	RUN(Alltoall, alltoall, "ALLTOALL", "none", (P - 1) * b, (P - 1) * b, " inplace=1",
	    MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT);
	RUN(Allreduce, allreduce, "ALLREDUCE", "none", P * b, P * b, " op=MPI_PROD", in, out, 2,
	    MPI_INT, MPI_PROD);
	RUN(Allreduce, allreduce, "ALLREDUCE", "none", (P - 1) * b, (P - 1) * b,
	    " inplace=1 op=MPI_SUM", MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM);
	RUN(Reduce_scatter_block, reduce_scatter_block, "REDUCE_SCATTER_BLOCK", "none", P * b,
	    P * b, " op=MPI_SUM", in, out, 2, MPI_INT, MPI_SUM);
	RUN(Scan, scan, "SCAN", "none", (P - r) * b, (r + 1) * b, " op=MPI_BXOR", in, out, 2,
	    MPI_INT, MPI_BXOR);
	RUN(Scan, scan, "SCAN", "none", (P - r - 1) * b, r * b, " inplace=1 op=MPI_BXOR",
	    MPI_IN_PLACE, out, 2, MPI_INT, MPI_BXOR);
	RUN(Exscan, exscan, "EXSCAN", "none", (P - r - 1) * b, r * b, " op=MPI_LOR", in, out, 2,
	    MPI_INT, MPI_LOR);
	sprintf(more, " receives=%s", vector_text(1));
	RUN(Allgatherv, allgatherv, "ALLGATHERV", "none", P * own, sum, more, in, counts[rank],
	    MPI_INT, out, counts, offsets, MPI_INT);
	sprintf(more, " inplace=1 receives=%s", vector_text(1));
	RUN(Allgatherv, allgatherv, "ALLGATHERV", "none", (P - 1) * own, sum - own, more,
	    MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, offsets, MPI_INT);
	sprintf(more, " op=MPI_SUM sends=%s", vector_text(1));
	RUN(Reduce_scatter, reduce_scatter, "REDUCE_SCATTER", "none", sum, P * own, more, in, out,
	    counts, MPI_INT, MPI_SUM);
}

/* Rank i sends count_of(i) to each other rank, so it receives count_of(j) from j. */
static void alltoallv(void)
{
	int own = 4 * count_of(rank), sum = 4 * sum_counts(), same[MOST];
	char more[2200];

	for (int i = 0; i < size; i++)
		same[i] = count_of(rank);
	sprintf(more, " sends=%d%s%.0d receives=%s", own, size > 1 ? "*" : "", size > 1 ? size : 0,
		vector_text(1));
	RUN(Alltoallv, alltoallv, "ALLTOALLV", "none", size * own, sum, more, in, same, zeros,
	    MPI_INT, out, counts, offsets, MPI_INT);
	sprintf(more, " sends=%d%s%.0d receives=%s", 2 * own, size > 1 ? "*" : "",
		size > 1 ? size : 0, vector_text(2));
	for (int i = 0; i < size; i++)
		types[i] = MPI_DOUBLE;
	RUN(Alltoallw, alltoallw, "ALLTOALLW", "none", 2 * size * own, 2 * sum, more, in, same,
	    zeros, types, out, counts, offsets, types);
}

static void in_place_alltoallv(void)
{
	int same[MOST], others = 4 * (size - 1);
	char more[64];

	for (int i = 0; i < size; i++)
		same[i] = 1;
	sprintf(more, size > 1 ? " inplace=1 receives=4*%d" : " inplace=1 receives=4", size);
	RUN(Alltoallv, alltoallv, "ALLTOALLV", "none", others, others, more, MPI_IN_PLACE, NULL,
	    NULL, MPI_DATATYPE_NULL, out, same, offsets, MPI_INT);
}

int main(int argc, char **argv)
{
	MPI_Request request;

	begin(&argc, &argv);
	for (int i = 0, at = 0; i < size; i++) {
		counts[i] = count_of(i);
		offsets[i] = at;
		at += 1 + 2 * counts[i];
	}
	MPI_Barrier(WORLD);
	did("MPI_Barrier: coll BARRIER none 0 0 MPI_COMM_WORLD");
	MPI_Ibarrier(WORLD, &request);
	done(0, "barrier", &request, "BARRIER", "none", 0, 0, "");
	rooted(0);
	rooted(size - 1);
	unrooted();
	alltoallv();
	in_place_alltoallv();
	return end();
}
