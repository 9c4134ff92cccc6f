#include "schedgen/convert/conversion.h"

#include "common/parallel.h"
#include "common/progress.h"
#include "common/units.h"
#include "schedgen/convert/convert_archive.h"

/* Progress is told after so many calls. */
enum { CALLS_OF_A_STEP = 4096 };

/* What a thread works with. */
struct worker {
	struct conversion *conversion;	/* NULL: not used yet */
	struct trace_reader *reader;
	uint32_t copy;			/* of the world, that the reader has read from */
	struct trace_left_out left_out;	/* of the first copy, when another is read */
	struct converter converter;
	struct balance balance;
	uint64_t calls;			/* so far */
	uint64_t events_read;		/* of them the conversion knows */
	uint64_t end_ns;		/* the last call was left */
};

/* May an algorithm be chosen that needs the sizes of all ranks? */
static bool wants_sizes(const struct convert_options *options)
{
	for (int kind = 0; kind < COLL_KINDS; kind++) {
		const struct coll_algorithm *chosen = options->choices[kind].algorithm;

		if (chosen && coll_needs_all_sizes(chosen))
			return true;
		for (size_t i = 0; options->rules && i < options->rules->of[kind].count; i++)
			if (coll_needs_all_sizes(
				    options->rules->of[kind].items[i].choice.algorithm))
				return true;
	}
	return false;
}

/* A reader reads a rank once only: each pass over all ranks has one of its own. */
static int read_sizes(struct conversion *conversion, struct error *err)
{
	struct trace_reader *reader;
	int result;

	TRY(trace_reader_again(&reader, conversion->reader, err));
	result = all_sizes_read(&conversion->all_sizes, reader, err);
	trace_reader_close(reader);
	conversion->sum.options.all_sizes = &conversion->all_sizes;
	return result;
}

int conversion_init(struct conversion *conversion, struct trace_reader *reader,
		    const struct convert_options *options, struct error *err)
{
	const struct trace_world *world = trace_reader_world(reader);

	*conversion = (struct conversion){.reader = reader, .events = trace_reader_events(reader)};
	conversion->left_out = trace_reader_left_out(reader);
	TRY(converter_init(&conversion->sum, world, options, err));
	if (wants_sizes(options))
		TRY(read_sizes(conversion, err));
	if (__builtin_mul_overflow(world->rank_count, options->copies, &conversion->rank_count) ||
	    conversion->rank_count > ARCHIVE_MOST_RANKS)
		return error_set(err, STATUS_LIMIT, "%u times %u rank%s are more than %d",
				 options->copies, world->rank_count, plural(world->rank_count),
				 ARCHIVE_MOST_RANKS);
	conversion->events *= options->copies;
	return balance_init(&conversion->balance, world, options->copies, err);
}

void conversion_release(struct conversion *conversion)
{
	converter_release(&conversion->sum);
	balance_release(&conversion->balance);
	all_sizes_release(&conversion->all_sizes);
	cut_release(&conversion->cut);
	tags_release(&conversion->cut_tags);
	rma_plan_release(&conversion->rma_plan);
}

/* ------------------------------------------------------------- the first pass */

struct planning {
	struct trace_reader *reader;
	const struct convert_slice *windows;	/* of the run; NULL: all of it */
	enum convert_stage stage;		/* of the rank's */
	struct rma_plan *plan;
	struct rma_origin origin;
};

static int plan_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct planning *planning = data;
	struct rma_origin *origin = &planning->origin;

	if (planning->windows)
		planning->stage = convert_stage_at(planning->stage,
						   &planning->windows[origin->rank],
						   call->enter_ns);
	origin->outside = planning->stage != CONVERT_INSIDE;
	return rma_plan_call(planning->plan, origin, call, err);
}

/* What the ranks do on windows, one after the other. */
static int plan_ranks(struct conversion *conversion, struct planning *planning, struct error *err)
{
	const struct trace_world *world = trace_reader_world(conversion->reader);

	TRY(rma_plan_init(planning->plan, world, err));
	TRY(rma_origin_init(&planning->origin, world, NULL, err));
	TRY(trace_reader_again(&planning->reader, conversion->reader, err));
	for (uint32_t rank = 0; rank < world->rank_count; rank++) {
		rma_origin_begin(&planning->origin, rank);
		planning->stage = planning->windows ? CONVERT_BEFORE : CONVERT_INSIDE;
		TRY(trace_reader_rank(planning->reader, rank, plan_call, planning, err));
	}
	rma_plan_sort(planning->plan);
	conversion->sum.options.rma_plan = planning->plan;
	return 0;
}

static int plan_windows(struct conversion *conversion, struct error *err)
{
	struct planning planning = {.plan = &conversion->rma_plan,
				    .windows = conversion->sum.options.windows};
	int result;

	if (!trace_reader_world(conversion->reader)->window_count)
		return 0;
	result = plan_ranks(conversion, &planning, err);
	rma_origin_release(&planning.origin);
	trace_reader_close(planning.reader);
	return result;
}

/* ------------------------------------------------------------------ the second */

static int begin(struct worker *worker, struct conversion *conversion, struct error *err)
{
	const struct trace_world *world = trace_reader_world(conversion->reader);

	worker->conversion = conversion;
	TRY(trace_reader_again(&worker->reader, conversion->reader, err));
	TRY(converter_init(&worker->converter, world, &conversion->sum.options, err));
	goal_builder_spill(&worker->converter.builder, conversion->writer);
	return balance_init(&worker->balance, world, conversion->sum.options.copies, err);
}

/* A reader reads a rank once only, but every copy needs it. */
static int renew_reader(struct worker *worker, struct error *err)
{
	if (!worker->copy)
		worker->left_out = trace_reader_left_out(worker->reader);
	trace_reader_close(worker->reader);
	worker->reader = NULL;
	worker->events_read = 0;
	worker->copy = worker->converter.copy;
	return trace_reader_again(&worker->reader, worker->conversion->reader, err);
}

/* One thread at a time. */
static void end(void *state)
{
	struct worker *worker = state;
	struct conversion *conversion = worker->conversion;

	if (worker->balance.world) {
		const uint64_t begin_ns = worker->balance.world->begin_ns;

		balance_add(&conversion->balance, &worker->balance);
		if (worker->end_ns > begin_ns + conversion->length_ns)
			conversion->length_ns = worker->end_ns - begin_ns;
	}
	if (worker->reader && !worker->copy)
		worker->left_out = trace_reader_left_out(worker->reader);
	if (conversion && !conversion->surveying)
		trace_left_out_add(&conversion->left_out, &worker->left_out);
	balance_release(&worker->balance);
	converter_release(&worker->converter);
	trace_reader_close(worker->reader);
}

static void tell_progress(struct worker *worker)
{
	struct conversion *conversion = worker->conversion;
	const uint64_t read = trace_reader_events_read(worker->reader);
	const uint64_t more = read - worker->events_read;

	worker->events_read = read;
	progress_show(atomic_fetch_add(&conversion->events_read, more) + more, conversion->events);
}

static int receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct worker *worker = data;

	if (worker->calls++ % CALLS_OF_A_STEP == 0)
		tell_progress(worker);
	if (call->leave_ns > worker->end_ns)
		worker->end_ns = call->leave_ns;
	return converter_call(&worker->converter, call, err);
}

/* ------------------------------------------------- the steps of a rank, in order */

/* After the survey, which has met all tags, so that this finds them only. */
static int cut_rank(struct worker *worker, uint32_t rank, struct error *err)
{
	struct conversion *conversion = worker->conversion;
	struct converter *converter = &worker->converter;
	struct cut_dropped dropped = {0};

	if (conversion->surveying)
		return 0;
	TRY(tags_join(&converter->tags, &conversion->cut_tags, err));
	TRY(cut_apply(&conversion->cut, rank, &converter->cut, &converter->tags,
		      &converter->builder, &dropped, err));
	atomic_fetch_add(&conversion->dropped_sends, dropped.sends);
	atomic_fetch_add(&conversion->dropped_others, dropped.others);
	return 0;
}

static int read_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct worker *worker = state;

	if (!worker->conversion)
		TRY(begin(worker, shared, err));
	tags_clear(&worker->converter.tags);
	converter_begin(&worker->converter, rank);
	if (worker->converter.copy != worker->copy)
		TRY(renew_reader(worker, err));
	TRY(trace_reader_rank(worker->reader, worker->converter.rank, receive, worker, err));
	if (converter_end(&worker->converter, err) < 0)
		return error_prefix(err, "rank %u", rank);
	if (worker->conversion->sum.options.windows)
		TRY(cut_rank(worker, rank, err));
	if (worker->conversion->surveying)
		return 0;
	return balance_rank(&worker->balance, rank, &worker->converter.builder,
			    &worker->converter.tags, err);
}

/* One rank after the other: what the ranks number and count together. */
static int join_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct conversion *conversion = shared;
	struct worker *worker = state;

	(void)rank;
	TRY(tags_join(&worker->converter.tags, &conversion->sum.tags, err));
	conversion->operations += goal_builder_op_count(&worker->converter.builder);
	TRY(converter_take(&conversion->sum, &worker->converter, err));
	return goal_writer_reserve(conversion->writer, &worker->converter.builder, err);
}

/* The numbers of this rank become those of all ranks. */
static int give_tag(void *data, struct goal_new_op *op, struct error *err)
{
	(void)err;
	if (op->kind == GOAL_CALC)
		return 0;
	op->tag = tags_joined(data, op->tag);
	return 1;
}

static int finish_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	const struct conversion *conversion = shared;
	struct converter *converter = &((struct worker *)state)->converter;
	struct goal_builder *builder = &converter->builder;

	(void)rank;
	if (tags_differ(&converter->tags))
		TRY(goal_builder_each(builder, give_tag, &converter->tags, err));
	return goal_writer_place(conversion->writer, builder, err);
}

static int write_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct conversion *conversion = shared;
	struct worker *worker = state;

	(void)rank;
	return goal_writer_placed(conversion->writer, &worker->converter.builder, err);
}

/* Of a survey: what the windows leave of the channels. */
static int note_rank(void *shared, void *state, uint32_t rank, struct error *err)
{
	struct conversion *conversion = shared;
	struct worker *worker = state;

	TRY(tags_join(&worker->converter.tags, &conversion->cut_tags, err));
	return cut_add(&conversion->cut, rank, &worker->converter.cut, &worker->converter.tags,
		       err);
}

static int nothing(void *shared, void *state, uint32_t rank, struct error *err)
{
	(void)shared, (void)state, (void)rank, (void)err;
	return 0;
}

static int survey(struct conversion *conversion, unsigned threads, struct error *err)
{
	const struct parallel_work work = {
		.make = read_rank, .line_up = note_rank, .finish = nothing, .take = nothing,
		.shared = conversion, .state_bytes = sizeof(struct worker), .release = end
	};
	int result;

	conversion->cut_tags.world_comm = conversion->sum.tags.world_comm;
	conversion->surveying = true;
	conversion->events *= 2;
	result = parallel_run(&work, conversion->rank_count, threads, err);
	conversion->surveying = false;
	return result;
}

unsigned conversion_threads(const struct conversion *conversion)
{
	return conversion->events ? parallel_threads(conversion->events) : processor_count();
}

int conversion_run(struct conversion *conversion, struct goal_writer *writer, unsigned threads,
		   struct error *err)
{
	const struct parallel_work work = {
		.make = read_rank, .line_up = join_rank, .finish = finish_rank, .take = write_rank,
		.shared = conversion, .state_bytes = sizeof(struct worker), .release = end
	};

	conversion->writer = writer;
	TRY(plan_windows(conversion, err));
	if (conversion->sum.options.windows)
		TRY(survey(conversion, threads, err));
	return parallel_run(&work, conversion->rank_count, threads, err);
}
