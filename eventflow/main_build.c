/* Making the graphs of traces: by the threads of one process, or by many processes. */
#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "eventflow/commands.h"
#include "eventflow/gather/flow_dist.h"
#include "trace/trace_reader.h"

/* A trace that a thread reads. */
struct common_reader {
	struct trace_reader *reader;
	struct trace_left_out *left_out; /* of all threads */
};

static int common_rank(void *data, uint32_t rank, trace_receive *receive, void *receiver,
		       struct error *err)
{
	return trace_reader_rank(((struct common_reader *)data)->reader, rank, receive, receiver,
				 err);
}

static const char *common_site(void *data, uint64_t place)
{
	return trace_reader_site(((struct common_reader *)data)->reader, (uint32_t)place);
}

static int common_again(void *data, void **another, struct error *err)
{
	const struct common_reader *first = data;
	struct common_reader *opened;

	TRY(allocate(&opened, 1, sizeof *opened, err));
	*opened = *first;
	if (trace_reader_again(&opened->reader, first->reader, err) < 0) {
		free(opened);
		return -1;
	}
	*another = opened;
	return 0;
}

static void common_close(void *another)
{
	struct common_reader *opened = another;
	const struct trace_left_out left_out = trace_reader_left_out(opened->reader);

	trace_left_out_add(opened->left_out, &left_out);
	trace_reader_close(opened->reader);
	free(opened);
}

static struct flow_source source_of(struct common_reader *first)
{
	const uint64_t events = trace_reader_events(first->reader);

	return (struct flow_source){.world = trace_reader_world(first->reader),
				    .rank = common_rank,
				    .site = common_site,
				    .data = first,
				    .again = common_again,
				    .close = common_close,
				    .threads = events ? parallel_threads(events) : 0};
}

static int open_trace(struct trace_reader **reader, const char *path,
		      const struct flow_options *options, struct error *err)
{
	TRY(trace_reader_open(reader, path, err));
	if (!trace_reader_world(*reader)->synthetic_times || options->times == FLOW_TIMES_NONE)
		return 0;
	trace_reader_close(*reader);
	*reader = NULL;
	return error_set(err, STATUS_DATA, "%s lacks the times of calls: give --times none", path);
}

int commands_build(struct flow **flow, const char *path, const struct flow_options *options,
		   struct error *err)
{
	struct trace_left_out left_out;
	struct common_reader first = {.left_out = &left_out};
	struct flow_source source;
	int result;

	*flow = NULL;
	TRY(open_trace(&first.reader, path, options, err));
	left_out = trace_reader_left_out(first.reader);
	source = source_of(&first);
	progress_begin("eventflow", "reading the trace");
	result = flow_build(flow, &source, options, err);
	progress_end();
	if (result == 0)
		(*flow)->left_out = left_out;
	trace_reader_close(first.reader);
	return result;
}

/* ------------------------------------------------------------------- processes */

static struct dist *dist;

void commands_share(struct dist *with)
{
	dist = with;
}

/* First of the ranks of a process; of the one after the last: the number of ranks. */
static uint32_t first_rank(const struct trace_world *world, uint32_t process)
{
	return (uint32_t)((uint64_t)world->rank_count * process / dist->size);
}

/* Make the graphs of the ranks of this process. */
static int build_own(struct common_reader *first, const struct flow_options *options,
		     struct flow **flow, struct error *err)
{
	struct flow_source source = source_of(first);
	const uint32_t begin = first_rank(source.world, dist->rank),
		       end = first_rank(source.world, dist->rank + 1);

	if (dist->size > 1)
		source.threads = 1;
	/* What the whole trace lacks is counted once. */
	if (dist->rank == 0)
		*first->left_out = trace_reader_left_out(first->reader);
	TRY(flow_build_ranks(flow, &source, options, begin, end - begin, err));
	(*flow)->left_out = *first->left_out;
	return 0;
}

int commands_build_file(const char *path, const struct flow_options *options, const char *output,
			struct error *err)
{
	struct trace_left_out left_out = {0};
	struct common_reader first = {.left_out = &left_out};
	struct flow *flow = NULL;
	int result = dist_agree(dist, open_trace(&first.reader, path, options, err), err);

	if (dist->rank == 0)
		progress_begin("eventflow", "reading the trace");
	if (result == 0)
		result = dist_agree(dist, build_own(&first, options, &flow, err), err);
	progress_end();
	if (result == 0)
		result = flow_dist_write(dist, &flow, trace_reader_world(first.reader), output,
					 err);
	flow_release(flow);
	trace_reader_close(first.reader);
	return result;
}
