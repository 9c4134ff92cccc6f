#include "schedgen/convert/convert_ranks.h"

#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "common/units.h"
#include "schedgen/collectives/rules.h"

/* Number of calls between two reports of progress. */
enum { CALLS_OF_A_STEP = 4096 };

/* State of a thread. */
struct worker {
	struct convert_ranks *ranks;	/* NULL: not used yet */
	struct trace_reader *reader;
	uint32_t copy;			/* copy of the world that the reader reads */
	struct trace_left_out left_out;	/* of the first copy */
	struct convert convert;
	struct message_balance balance;
	uint64_t calls;			/* so far */
	uint64_t events_read;		/* already added to ranks->events_read */
	uint64_t end_ns;		/* of the ranks, each where it enters MPI_Finalize */
};

static bool rules_want_sizes(const struct rules *rules, int kind)
{
	for (size_t i = 0; rules && i < rules->of[kind].count; i++)
		if (coll_needs_all_sizes(rules->of[kind].items[i].choice.algorithm))
			return true;
	return false;
}

/* May an algorithm be chosen that needs the sizes of all ranks? */
static bool wants_sizes(const struct convert_options *options)
{
	for (int kind = 0; kind < COLL_KINDS; kind++) {
		const struct coll_algorithm *chosen = options->choices[kind].algorithm;

		if (chosen && coll_needs_all_sizes(chosen))
			return true;
		if (rules_want_sizes(options->first_rules, kind) ||
		    rules_want_sizes(options->rules, kind))
			return true;
	}
	return false;
}

/* Read the sizes with another reader, because a reader reads each rank once only. */
static int read_sizes(struct convert_ranks *ranks, struct error *err)
{
	struct trace_reader *reader;
	int result;

	TRY(trace_reader_again(&reader, ranks->reader, err));
	result = all_sizes_read(&ranks->all_sizes, reader, err);
	trace_reader_close(reader);
	ranks->sum.options.all_sizes = &ranks->all_sizes;
	return result;
}

int convert_ranks_init(struct convert_ranks *ranks, struct trace_reader *reader,
		       const struct convert_options *options, struct error *err)
{
	const struct trace_world *world = trace_reader_world(reader);

	*ranks = (struct convert_ranks){.reader = reader, .events = trace_reader_events(reader)};
	ranks->left_out = trace_reader_left_out(reader);
	TRY(convert_init(&ranks->sum, world, options, err));
	if (wants_sizes(options))
		TRY(read_sizes(ranks, err));
	if (__builtin_mul_overflow(world->rank_count, options->copies, &ranks->rank_count) ||
	    ranks->rank_count > CONVERT_MOST_RANKS)
		return error_set(err, STATUS_LIMIT, "%u times %u rank%s are more than %d",
				 options->copies, world->rank_count, plural(world->rank_count),
				 CONVERT_MOST_RANKS);
	ranks->events *= options->copies;
	return message_balance_init(&ranks->balance, world, options->copies, err);
}

void convert_ranks_release(struct convert_ranks *ranks)
{
	convert_release(&ranks->sum);
	message_balance_release(&ranks->balance);
	all_sizes_release(&ranks->all_sizes);
	slice_channels_release(&ranks->channels);
	goal_tags_release(&ranks->channel_tags);
	rma_plan_release(&ranks->rma_plan);
	deferred_release(&ranks->deferred);
}

/* ------------------------------------------------------------- the first pass */

struct planning {
	struct trace_reader *reader;
	const struct rank_slice *slices;	/* by rank; NULL: the whole run */
	enum slice_stage stage;		/* of the rank that is read */
	struct rma_plan *plan;
	struct rma_origin origin;
};

static int plan_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct planning *planning = data;
	struct rma_origin *origin = &planning->origin;

	if (planning->slices)
		planning->stage = slice_stage_at(planning->stage,
						   &planning->slices[origin->rank],
						   call->enter_ns);
	origin->outside = planning->stage != SLICE_INSIDE;
	return rma_plan_call(planning->plan, origin, call, err);
}

/* Plan the one-sided communication of the ranks, one after the other. */
static int plan_ranks(struct convert_ranks *ranks, struct planning *planning, struct error *err)
{
	const struct trace_world *world = trace_reader_world(ranks->reader);

	TRY(rma_plan_init(planning->plan, world, err));
	TRY(rma_origin_init(&planning->origin, world, NULL, err));
	TRY(trace_reader_again(&planning->reader, ranks->reader, err));
	for (uint32_t rank = 0; rank < world->rank_count; rank++) {
		rma_origin_begin(&planning->origin, rank);
		planning->stage = planning->slices ? SLICE_BEFORE : SLICE_INSIDE;
		TRY(trace_reader_rank(planning->reader, rank, plan_call, planning, err));
	}
	rma_plan_sort(planning->plan);
	ranks->sum.options.rma_plan = planning->plan;
	return 0;
}

static int plan_windows(struct convert_ranks *ranks, struct error *err)
{
	struct planning planning = {.plan = &ranks->rma_plan,
				    .slices = ranks->sum.options.slices};
	int result;

	if (!trace_reader_world(ranks->reader)->window_count)
		return 0;
	result = plan_ranks(ranks, &planning, err);
	rma_origin_release(&planning.origin);
	trace_reader_close(planning.reader);
	return result;
}

/* ------------------------------------------------------------------ the second */

static int convert_ranks_begin(struct worker *worker, struct convert_ranks *ranks,
			       struct error *err)
{
	const struct trace_world *world = trace_reader_world(ranks->reader);

	worker->ranks = ranks;
	TRY(trace_reader_again(&worker->reader, ranks->reader, err));
	TRY(convert_init(&worker->convert, world, &ranks->sum.options, err));
	goal_builder_spill(&worker->convert.builder, ranks->writer);
	if (world->has_sites) {
		worker->convert.sites = ranks->reader;
		goal_builder_sites(&worker->convert.builder);
	}
	if (world->repeated)
		goal_builder_repeated(&worker->convert.builder);
	return message_balance_init(&worker->balance, world, ranks->sum.options.copies, err);
}

/* Replace the reader, which reads each rank once only, for the next copy. */
static int renew_reader(struct worker *worker, struct error *err)
{
	if (!worker->copy)
		worker->left_out = trace_reader_left_out(worker->reader);
	trace_reader_close(worker->reader);
	worker->reader = NULL;
	worker->events_read = 0;
	worker->copy = worker->convert.copy;
	return trace_reader_again(&worker->reader, worker->ranks->reader, err);
}

/* Add the sums of a thread.  Called by one thread at a time. */
static void convert_ranks_end(void *state)
{
	struct worker *worker = state;
	struct convert_ranks *ranks = worker->ranks;

	if (worker->balance.world) {
		message_balance_add(&ranks->balance, &worker->balance);
		if (worker->end_ns > ranks->end_ns)
			ranks->end_ns = worker->end_ns;
	}
	if (worker->reader && !worker->copy)
		worker->left_out = trace_reader_left_out(worker->reader);
	if (ranks && !ranks->surveying)
		trace_left_out_add(&ranks->left_out, &worker->left_out);
	message_balance_release(&worker->balance);
	convert_release(&worker->convert);
	trace_reader_close(worker->reader);
}

static void tell_progress(struct worker *worker)
{
	struct convert_ranks *ranks = worker->ranks;
	const uint64_t read = trace_reader_events_read(worker->reader);
	const uint64_t more = read - worker->events_read;

	worker->events_read = read;
	progress_show(atomic_fetch_add(&ranks->events_read, more) + more, ranks->events);
}

static int convert_ranks_receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct worker *worker = data;
	const bool ended = worker->convert.ended;
	uint64_t end_ns;

	if (worker->calls++ % CALLS_OF_A_STEP == 0)
		tell_progress(worker);
	TRY(convert_call(&worker->convert, call, err));
	end_ns = worker->convert.ended ? call->enter_ns : call->leave_ns;
	if (!ended && end_ns > worker->end_ns)
		worker->end_ns = end_ns;
	return 0;
}

/* ------------------------------------------------- the steps of a rank, in order */

/* Drop halves of messages after the survey, which has found all tags. */
static int drop_halves(struct worker *worker, uint32_t rank, struct error *err)
{
	struct convert_ranks *ranks = worker->ranks;
	struct convert *convert = &worker->convert;
	struct slice_dropped dropped = {0};

	if (ranks->surveying)
		return 0;
	TRY(goal_tags_join(&convert->tags, &ranks->channel_tags, err));
	TRY(slice_channels_apply(&ranks->channels, rank, &convert->channels, &convert->tags,
				 &convert->builder, &dropped, err));
	atomic_fetch_add(&ranks->dropped_sends, dropped.sends);
	atomic_fetch_add(&ranks->dropped_others, dropped.others);
	return 0;
}

static int convert_ranks_read(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct worker *worker = state;

	if (!worker->ranks)
		TRY(convert_ranks_begin(worker, shared, err));
	goal_tags_clear(&worker->convert.tags);
	convert_begin(&worker->convert, rank);
	if (worker->convert.copy != worker->copy)
		TRY(renew_reader(worker, err));
	TRY(trace_reader_rank(worker->reader, worker->convert.rank, convert_ranks_receive, worker,
			      err));
	if (convert_end(&worker->convert, err) < 0)
		return error_prefix(err, "rank %u", rank);
	if (worker->ranks->sum.options.slices)
		TRY(drop_halves(worker, rank, err));
	if (worker->ranks->surveying)
		return 0;
	return message_balance_rank(&worker->balance, rank, &worker->convert.builder,
				    &worker->convert.tags, err);
}

/*
 * Add the tags and counts of a rank to the totals of all ranks.  Called in the order of the ranks.
 */
static int join_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct convert_ranks *ranks = shared;
	struct worker *worker = state;

	(void)rank;
	TRY(goal_tags_join(&worker->convert.tags, &ranks->sum.tags, err));
	ranks->operations += goal_builder_op_count(&worker->convert.builder);
	TRY(convert_take(&ranks->sum, &worker->convert, err));
	return goal_writer_reserve(ranks->writer, &worker->convert.builder, err);
}

/* Replace the tag numbers of this rank by the numbers of all ranks. */
static int convert_ranks_give_tag(void *data, struct goal_new_op *op, struct error *err)
{
	(void)err;
	if (op->kind == GOAL_CALC)
		return 0;
	op->tag = goal_tags_joined(data, op->tag);
	return 1;
}

static int finish_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	const struct convert_ranks *ranks = shared;
	struct convert *convert = &((struct worker *)state)->convert;
	struct goal_builder *builder = &convert->builder;

	(void)rank;
	if (goal_tags_differ(&convert->tags))
		TRY(goal_builder_each(builder, convert_ranks_give_tag, &convert->tags, err));
	return goal_writer_place(ranks->writer, builder, err);
}

static int convert_ranks_write(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct convert_ranks *ranks = shared;
	struct worker *worker = state;

	(void)rank;
	return goal_writer_placed(ranks->writer, &worker->convert.builder, err);
}

/* Survey: add the channels of the rank. */
static int note_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct convert_ranks *ranks = shared;
	struct worker *worker = state;

	TRY(goal_tags_join(&worker->convert.tags, &ranks->channel_tags, err));
	return slice_channels_add(&ranks->channels, rank, &worker->convert.channels,
				  &worker->convert.tags, err);
}

static int nothing(void *shared, void *state, uint32_t rank, struct error *err)
{
	(void)shared, (void)state, (void)rank, (void)err;
	return 0;
}

static int survey_ranks(struct convert_ranks *ranks, unsigned threads, struct error *err)
{
	const struct parallel_work work = {
		.make = convert_ranks_read, .line_up = note_rank, .finish = nothing,
		.take = nothing, .shared = ranks, .state_bytes = sizeof(struct worker),
		.release = convert_ranks_end
	};
	int result;

	ranks->channel_tags.world_comm = ranks->sum.tags.world_comm;
	ranks->surveying = true;
	ranks->events *= 2;
	result = parallel_run(&work, ranks->rank_count, threads, err);
	ranks->surveying = false;
	return result;
}

/* ----------------------------------------------------------- deferred messages */

/* First reading: add the deferred receives of the rank. */
static int note_deferred(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct convert_ranks *ranks = shared;
	struct convert *convert = &((struct worker *)state)->convert;

	return deferred_add(&ranks->deferred, rank, &convert->deferral.found, &convert->tags, err);
}

/* Find the deferred messages, if there can be any; they are the same in all copies of the ranks. */
static int find_deferred(struct convert_ranks *ranks, unsigned threads, struct error *err)
{
	const struct parallel_work work = {
		.make = convert_ranks_read, .line_up = note_deferred, .finish = nothing,
		.take = nothing, .shared = ranks, .state_bytes = sizeof(struct worker),
		.release = convert_ranks_end
	};
	const struct trace_world *world = trace_reader_world(ranks->reader);
	int result;

	if (!ranks->sum.options.progress)
		return 0;
	TRY(deferred_init(&ranks->deferred, world->rank_count, world->world_comm, err));
	ranks->surveying = true;
	ranks->events += ranks->events / ranks->sum.options.copies;
	result = parallel_run(&work, world->rank_count, threads, err);
	ranks->surveying = false;
	deferred_match(&ranks->deferred, ranks->sum.options.progress);
	ranks->sum.options.deferred = &ranks->deferred;
	return result;
}

unsigned convert_ranks_threads(const struct convert_ranks *ranks)
{
	return ranks->events ? parallel_threads(ranks->events) : processor_count();
}

int convert_ranks_run(struct convert_ranks *ranks, struct goal_writer *writer, unsigned threads,
		      struct error *err)
{
	const struct parallel_work work = {.make = convert_ranks_read,
					   .line_up = join_rank,
					   .finish = finish_rank,
					   .take = convert_ranks_write,
					   .shared = ranks,
					   .state_bytes = sizeof(struct worker),
					   .release = convert_ranks_end};

	ranks->writer = writer;
	TRY(plan_windows(ranks, err));
	TRY(find_deferred(ranks, threads, err));
	if (ranks->sum.options.slices)
		TRY(survey_ranks(ranks, threads, err));
	return parallel_run(&work, ranks->rank_count, threads, err);
}
