#include "schedgen/skeleton/skeleton.h"

#include "schedgen/pattern/pattern_kinds.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Kind of the collective that a function is in any of its forms, or -1. */
static int skeleton_kind_of(const char *function)
{
	size_t length = strlen(function);
	char plain[64];
	int kind;

	if (length > 2 && !strcmp(function + length - 2, "_c"))
		length -= 2;
	kind = coll_find_kind(function, length);
	if (kind >= 0 || strncmp(function, "MPI_I", 5) != 0)
		return kind;
	/* MPI_Iallreduce is MPI_allreduce here, which is found in any case. */
	snprintf(plain, sizeof plain, "MPI_%c%.*s", function[5] - 'a' + 'A', (int)length - 6,
		 function + 6);
	return coll_find_kind(plain, strlen(plain));
}

/* Bytes of a block, from the bytes of a call that passes all of its blocks. */
static uint64_t block_of(int kind, uint64_t bytes, uint32_t ranks)
{
	const bool all = kind == COLL_ALLTOALLV || kind == COLL_ALLTOALLW ||
			 kind == COLL_REDUCE_SCATTER;

	return all ? bytes / ranks : bytes;
}

static bool sends(uint16_t function)
{
	switch (function) {
	case CALL_Recv:
	case CALL_Recv_c:
	case CALL_Irecv:
	case CALL_Irecv_c:
	case CALL_Mrecv:
	case CALL_Mrecv_c:
	case CALL_Imrecv:
	case CALL_Imrecv_c:
		return false;
	default:
		return mpi_functions[function].class == MPI_CLASS_P2P &&
		       !(mpi_functions[function].traits & MPI_SILENT);
	}
}

/* Describe what a rank does of the calls of a cell.  Returns false if it does nothing. */
static bool plan_cell(struct skeleton *skeleton, const struct job_log *log,
		      const struct usage_cell *cell, struct skeleton_cell *planned)
{
	const uint16_t function = cell->key.function;
	const uint64_t most = usage_comm_most(cell->key.comm_class);
	int kind;

	if (function >= MPI_FUNCTION_COUNT || cell->calls == 0)
		return false;
	*planned = (struct skeleton_cell){.function = mpi_functions[function].name};
	planned->ranks = most == 0 || most > log->ranks ? log->ranks : (uint32_t)most;
	planned->bytes = cell->bytes / cell->calls;
	planned->calls = (cell->calls + log->ranks_seen / 2) / log->ranks_seen;
	if (function == CALL_Start || function == CALL_Startall)
		planned->calls /= 2;
	else if (mpi_functions[function].class == MPI_CLASS_COMMUNICATOR)
		planned->choice = &skeleton->defaults[COLL_BARRIER];
	else if (mpi_functions[function].class == MPI_CLASS_COLLECTIVE) {
		kind = skeleton_kind_of(planned->function);
		if (kind < 0 || coll_is_neighbor((enum mpi_collective)kind))
			return kind >= 0 && planned->calls > 0;
		planned->choice = &skeleton->defaults[kind];
		planned->bytes = block_of(kind, planned->bytes, planned->ranks);
	} else if (!sends(function))
		return false;
	return planned->calls > 0;
}

static int plan_compute(struct skeleton *skeleton, const struct job_log *log, struct error *err)
{
	const struct job_rank *average = NULL;

	for (size_t i = 0; i < log->rank_list.count; i++)
		if (log->rank_list.items[i].roles & JOB_AVERAGE)
			average = &log->rank_list.items[i];
	if (log->ranks == 0 || log->ranks_seen == 0 || !average)
		return error_set(err, STATUS_DATA, "the log has no ranks");
	if (log->mpi_ns == USAGE_UNKNOWN)
		return error_set(err, STATUS_DATA, "the log does not know how long the job ran");
	if (log->ranks > PATTERN_MOST_RANKS)
		return error_set(err, STATUS_LIMIT, "more than %d ranks", PATTERN_MOST_RANKS);
	skeleton->compute_ns = log->mpi_ns > average->mpi_ns ? log->mpi_ns - average->mpi_ns : 0;
	return 0;
}

static int plan(struct skeleton *skeleton, const struct job_log *log, struct error *err)
{
	double calls = 0;

	TRY(plan_compute(skeleton, log, err));
	for (size_t i = 0; i < log->cells.count; i++) {
		struct skeleton_cell planned;

		if (!plan_cell(skeleton, log, &log->cells.items[i].cell, &planned))
			continue;
		TRY(array_push(&skeleton->cells, planned, err));
		calls += (double)planned.calls;
		skeleton->steps = planned.calls > skeleton->steps ? planned.calls : skeleton->steps;
	}
	/* Each call has one operation of a rank at least. */
	if (calls * log->ranks >= ldexp(1, 32))
		return error_set(err, STATUS_LIMIT,
				 "%.4g calls on %" PRIu32 " ranks: 2^32 operations or more", calls,
				 log->ranks);
	return 0;
}

int skeleton_plan(struct skeleton *skeleton, const struct job_log *log,
		  const struct coll_choice choices[static COLL_KINDS], double reduce_ns_per_byte,
		  struct error *err)
{
	memset(skeleton, 0, sizeof *skeleton);
	skeleton->pattern.options = (struct pattern_options){
		.ranks = log->ranks, .iterations = 1, .reduce_ns_per_byte = reduce_ns_per_byte};
	for (int kind = 0; kind < COLL_KINDS; kind++) {
		skeleton->defaults[kind] = choices[kind];
		if (!choices[kind].algorithm)
			skeleton->defaults[kind].algorithm = coll_find((enum mpi_collective)kind,
								       NULL);
	}
	if (plan(skeleton, log, err) == 0)
		return 0;
	skeleton_release(skeleton);
	return -1;
}

void skeleton_release(struct skeleton *skeleton)
{
	array_release(&skeleton->cells);
	pattern_release(&skeleton->pattern);
}

/* ---------------------------------------------------------------------- a rank */

/* Run a collective among the consecutive ranks that this rank belongs to. */
static int add_skeleton_collective(struct skeleton *skeleton, const struct skeleton_cell *cell,
				   struct error *err)
{
	struct pattern *pattern = &skeleton->pattern;
	const uint32_t all = pattern->options.ranks,
		       first = pattern->rank / cell->ranks * cell->ranks;
	const struct collective call = {
		.kind = cell->choice->algorithm->kind,
		.size = all - first < cell->ranks ? all - first : cell->ranks,
		.rank = pattern->rank - first,
		.world_offset = first,
		.block_bytes = cell->bytes,
		.largest_bytes = cell->bytes,
		.sizes_told = true,
		.reduce_ns_per_byte = pattern->options.reduce_ns_per_byte,
		.parameters = cell->choice->parameters,
	};

	return coll_generate(cell->choice->algorithm, &call, &pattern->builder, &pattern->frontier,
			     err);
}

static int add_exchange(struct pattern *pattern, uint64_t bytes, struct error *err)
{
	const uint32_t ranks = pattern->options.ranks, rank = pattern->rank;

	if (ranks == 1)
		return 0;
	TRY(pattern_recv(pattern, bytes, (rank + ranks - 1) % ranks, 0, err));
	TRY(pattern_send(pattern, bytes, (rank + 1) % ranks, 0, err));
	pattern_round_end(pattern);
	return 0;
}

/* floor(total i / steps) */
static uint64_t until(uint64_t total, uint64_t step, uint64_t steps)
{
	return (uint64_t)((unsigned __int128)total * step / steps);
}

/* The operations since the last call are of this one. */
static int note_cell_call(struct pattern *pattern, const char *function, bool computes,
			  uint64_t number, struct error *err)
{
	const struct goal_call call = {.function = function, .number = number, .before = computes};

	return goal_builder_call(&pattern->builder, &call, err);
}

static int add_step(struct skeleton *skeleton, uint64_t step, uint64_t *number, struct error *err)
{
	struct pattern *pattern = &skeleton->pattern;
	const uint64_t compute_ns = until(skeleton->compute_ns, step + 1, skeleton->steps) -
				    until(skeleton->compute_ns, step, skeleton->steps);
	bool computes = compute_ns > 0;

	TRY(pattern_compute(pattern, compute_ns, err));
	for (size_t i = 0; i < skeleton->cells.count; i++) {
		const struct skeleton_cell *cell = &skeleton->cells.items[i];
		const uint64_t end = until(cell->calls, step + 1, skeleton->steps);

		for (uint64_t call = until(cell->calls, step, skeleton->steps); call < end;
		     call++) {
			if (cell->choice)
				TRY(add_skeleton_collective(skeleton, cell, err));
			else
				TRY(add_exchange(pattern, cell->bytes, err));
			TRY(note_cell_call(pattern, cell->function, computes, ++*number, err));
			computes = false;
		}
	}
	return 0;
}

int skeleton_rank(struct skeleton *skeleton, uint32_t rank, struct error *err)
{
	struct pattern *pattern = &skeleton->pattern;
	uint64_t number = 0;

	goal_builder_clear(&pattern->builder);
	pattern->frontier.entries.count = pattern->round.entries.count = 0;
	pattern->rank = rank;
	if (skeleton->steps == 0)
		TRY(pattern_compute(pattern, skeleton->compute_ns, err));
	for (uint64_t step = 0; step < skeleton->steps; step++)
		TRY(add_step(skeleton, step, &number, err));
	pattern->ops += goal_builder_op_count(&pattern->builder);
	if (pattern->ops < UINT32_MAX)
		return 0;
	return error_set(err, STATUS_LIMIT, "the graph has 2^32 operations or more");
}
