#include "trace/sequence/run_begin.h"

#include "trace/call/mpi_functions.h"

struct beginning {
	uint64_t begin_ns; /* of the rank */
	bool called, known;
};

/*
 * Take a call of a rank, and stop by a failure when the begin is known: MPI_Init comes before all calls
 * that communicate.
 */
static int take_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct beginning *of = data;
	const struct mpi_function function = mpi_function_named(call->function);

	(void)err;
	if (!of->called)
		of->begin_ns = call->enter_ns;
	of->called = true;
	of->known = call->event_count > 0;
	if (function.class == MPI_CLASS_INIT && !(function.traits & MPI_OF_SESSION)) {
		of->begin_ns = call->leave_ns;
		of->known = true;
	}
	return of->known ? -1 : 0;
}

static int find_in(uint64_t *begin_ns, struct trace_reader *reader, struct error *err)
{
	const struct trace_world *world = trace_reader_world(reader);

	*begin_ns = UINT64_MAX;
	for (uint32_t rank = 0; rank < world->rank_count; rank++) {
		struct beginning of = {0};

		if (trace_reader_rank(reader, rank, take_call, &of, err) < 0 && !of.known)
			return -1;
		if (of.called && of.begin_ns < *begin_ns)
			*begin_ns = of.begin_ns;
	}
	if (*begin_ns == UINT64_MAX)
		*begin_ns = world->begin_ns;
	return 0;
}

int run_begin_find(uint64_t *begin_ns, const struct trace_reader *opened, struct error *err)
{
	struct trace_reader *reader;
	int result;

	TRY(trace_reader_again(&reader, opened, err));
	trace_reader_only_first(reader);
	result = find_in(begin_ns, reader, err);
	trace_reader_close(reader);
	return result;
}
