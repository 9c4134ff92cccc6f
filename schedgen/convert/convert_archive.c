#include "schedgen/convert/convert_archive.h"

#include "common/units.h"
#include "schedgen/collectives/rules.h"
#include "schedgen/convert/convert_ranks.h"
#include "schedgen/convert/inputs.h"
#include "trace/call/trace_hosts.h"
#include "trace/sequence/run_begin.h"

/* Archive that is being converted. */
struct archive {
	const char *path, *output;
	const struct archive_options *options;
	struct trace_reader *reader;
	uint64_t begin_ns; /* of the run, in the time of the trace */
	struct rules rules;
	struct rank_slice *slices; /* by rank; NULL: the whole run */
	enum { FIRST_TRY, UNMATCHED, MATCHING } state;
};

static bool is_sliced(const struct archive_options *options)
{
	return options->from.kind || options->to.kind;
}

static uint64_t length_of_run_ns(const struct archive *archive, const struct convert_ranks *ranks)
{
	return ranks->end_ns > archive->begin_ns ? ranks->end_ns - archive->begin_ns : 0;
}

/* Check that the slice begins in the run, whose length is known when it has been read. */
static int check_begin(const struct archive *archive, const struct convert_ranks *ranks,
		       struct error *err)
{
	const struct slice_edge *from = &archive->options->from;
	const uint64_t length_ns = length_of_run_ns(archive, ranks);
	char begin[UNIT_TEXT_BYTES], length[UNIT_TEXT_BYTES];

	if (from->kind != SLICE_TIME || !from->time_ns || from->time_ns < length_ns)
		return 0;
	return error_set(err, STATUS_USAGE, "--from %s is not in the run, which is %s long",
			 format_time((double)from->time_ns, 4, begin),
			 format_time((double)length_ns, 4, length));
}

static int convert_archive_open(struct archive *archive, struct error *err)
{
	const struct archive_options *options = archive->options;

	TRY(slice_edges_check(&options->from, &options->to, err));
	if (options->rules)
		TRY(rules_open(&archive->rules, options->rules, err));
	if (options->preset)
		TRY(rules_preset(&archive->rules, options->preset, err));
	if (options->repeat)
		TRY(trace_reader_open_repeated(&archive->reader, archive->path, err));
	else if (trace_reader_open(&archive->reader, archive->path, err) < 0)
		return inputs_explain(archive->path, err);
	TRY(run_begin_find(&archive->begin_ns, archive->reader, err));
	if (!is_sliced(options))
		return 0;
	TRY(allocate(&archive->slices, trace_reader_world(archive->reader)->rank_count,
		     sizeof *archive->slices, err));
	if (slices_find(archive->slices, archive->reader, archive->begin_ns, 0,
			trace_reader_world(archive->reader)->rank_count, &options->from,
			&options->to, err) < 0)
		return error_prefix(err, "%s", archive->path);
	return 0;
}

/* Length of the traced run that the graph is of, or 0: nobody ran it. */
static uint64_t traced_run_ns(const struct archive *archive, const struct convert_ranks *ranks)
{
	const struct convert_options *options = &archive->options->convert;

	return options->copies == 1 && options->compute_scale == 1 ? ranks->sum.longest_ns : 0;
}

/* Find the nodes of all ranks of the graph; NULL if they are not known. */
static int find_nodes(const struct archive *archive, uint32_t rank_count, uint32_t **nodes,
		      struct error *err)
{
	const struct trace_world *world = trace_reader_world(archive->reader);
	const uint32_t per_node = archive->options->convert.ranks_per_node;
	uint32_t count = 0;

	*nodes = NULL;
	if (!world->nodes && !per_node)
		return 0;
	TRY(allocate(nodes, rank_count, sizeof **nodes, err));
	for (uint32_t rank = 0; !per_node && rank < world->rank_count; rank++)
		count = world->nodes[rank] >= count ? world->nodes[rank] + 1 : count;
	for (uint32_t rank = 0; rank < rank_count; rank++)
		(*nodes)[rank] = per_node ? rank / per_node
					  : rank / world->rank_count * count +
						    world->nodes[rank % world->rank_count];
	return 0;
}

/* Begin the file of calls, to which the ranks add theirs. */
static int begin_calls(const struct archive *archive, uint32_t rank_count,
		       struct goal_writer *writer, struct error *err)
{
	struct goal_calls_origin origin = {
		.timed = true,
		.begin_ns = archive->begin_ns,
		.how = archive->options->how,
		.sites = trace_reader_world(archive->reader)->has_sites,
		.repeated = trace_reader_world(archive->reader)->repeated,
	};
	char crowded[TRACE_HOSTS_TEXT_BYTES];
	uint32_t *nodes;
	int result;

	origin.crowded = trace_hosts_say_shared(trace_reader_world(archive->reader), crowded);
	TRY(find_nodes(archive, rank_count, &nodes, err));
	origin.nodes = nodes;
	result = goal_writer_calls(writer, &origin, err);
	free(nodes);
	return result;
}

/* Barriers may order what ranks do to windows and files, so they stay if there are some. */
static int check_barriers(const struct archive *archive, const struct convert_ranks *ranks,
			  struct error *err)
{
	if (!archive->options->convert.without_barriers)
		return 0;
	for (size_t i = 0; i < ranks->sum.statistics.list.count; i++) {
		const struct mpi_function *is = &ranks->sum.statistics.list.items[i].is;

		if (is->class == MPI_CLASS_RMA || is->class == MPI_CLASS_IO)
			return error_set(
				err, STATUS_DATA,
				"%s: the program calls %s, and barriers may order its accesses to windows or files;"
				" convert it with them, without --without-barriers",
				archive->path, is->name);
	}
	return 0;
}

/* A rule that somebody wrote for some calls, and that fits none, has a mistake. */
static int check_first_rules(const struct archive *archive, struct error *err)
{
	const struct rules *rules = archive->options->convert.first_rules;
	const struct rule *unused = rules ? rules_unused(rules) : NULL;
	const bool has_sites = trace_reader_world(archive->reader)->has_sites;

	if (!unused)
		return 0;
	if (unused->site && !has_sites)
		return error_set(
			err, STATUS_DATA,
			"%s: a rule is for the call site '%s', but the trace has no call sites;"
			" llamp-trace records them",
			archive->path, unused->site);
	return error_set(err, STATUS_DATA, "%s: no call fits the rule for %s by %s%s%s%s%s",
			 archive->path, coll_name(unused->choice.algorithm->kind),
			 unused->choice.algorithm->name, unused->site ? " at " : "",
			 unused->site ? unused->site : "", unused->communicator ? " on " : "",
			 unused->communicator ? unused->communicator : "");
}

static int run_ranks(struct archive *archive, struct convert_ranks *ranks,
		     struct goal_writer *writer, struct error *err)
{
	const unsigned threads = archive->options->threads;

	TRY(begin_calls(archive, ranks->rank_count, writer, err));
	TRY(convert_ranks_run(ranks, writer, threads ? threads : convert_ranks_threads(ranks),
			      err));
	goal_writer_run(writer, traced_run_ns(archive, ranks));
	TRY(check_begin(archive, ranks, err));
	TRY(check_barriers(archive, ranks, err));
	TRY(check_first_rules(archive, err));
	if (archive->state == MATCHING)
		return ranks->dropped_others ? -1 : 0;
	if (message_balance_check(&ranks->balance, err) == 0)
		return 0;
	archive->state = UNMATCHED;
	return error_prefix(err, "%s", archive->path);
}

/* Convert all ranks and write the graph; release *ranks in any case. */
static int write_graph(struct archive *archive, struct convert_ranks *ranks, struct error *err)
{
	struct convert_options options = archive->options->convert;
	struct goal_writer writer;

	options.rules = &archive->rules;
	options.slices = archive->slices;
	TRY(convert_ranks_init(ranks, archive->reader, &options, err));
	TRY(goal_writer_open(&writer, archive->output, archive->options->format, ranks->rank_count,
			     err));
	if (run_ranks(archive, ranks, &writer, err) < 0) {
		goal_writer_discard(&writer);
		return -1;
	}
	return goal_writer_close(&writer, err);
}

/*
 * Convert an archive with messages that have one end.  Take a slice that is the whole run,
 * because a slice keeps only messages with both ends.  Accept it if only sends of the program
 * are left out.
 */
static int write_matched(struct archive *archive, struct convert_ranks *ranks, struct error *err)
{
	const uint32_t rank_count = trace_reader_world(archive->reader)->rank_count;
	struct error failure = {0};

	TRY(allocate(&archive->slices, rank_count, sizeof *archive->slices, err));
	for (uint32_t rank = 0; rank < rank_count; rank++)
		archive->slices[rank].end_ns = UINT64_MAX;
	convert_ranks_release(ranks);
	archive->state = MATCHING;
	if (write_graph(archive, ranks, &failure) == 0)
		return 0;
	/* Keep the error about messages unless another one has occurred. */
	if (failure.status != STATUS_OK)
		*err = failure;
	return -1;
}

/* Move the reader and the sums over the ranks. */
static void fill_summary(struct summary *summary, struct archive *archive,
			 struct convert_ranks *ranks)
{
	const struct message_balance *balance = &ranks->balance;
	const uint64_t sends = ranks->dropped_sends;

	*summary = (struct summary){
		.reader = archive->reader,
		.incomplete = trace_reader_world(archive->reader)->incomplete,
		.synthetic_times = trace_reader_world(archive->reader)->synthetic_times,
		.lacks_records = trace_reader_world(archive->reader)->lacks_records,
		.defers = archive->options->convert.progress,
		.output = archive->output,
		.rank_count = ranks->rank_count,
		.length_ns = length_of_run_ns(archive, ranks),
		.from = is_sliced(archive->options) ? &archive->options->from : NULL,
		.to = is_sliced(archive->options) ? &archive->options->to : NULL,
		.calls = ranks->sum.statistics,
		.totals = ranks->sum.totals,
		.collectives = ranks->sum.counts,
		.left_out = ranks->left_out,
		.cut_halves = is_sliced(archive->options) ? sends + ranks->dropped_others : 0,
		.unreceived = is_sliced(archive->options) ? 0 : sends,
		.operations = ranks->operations,
		.messages = balance->messages,
		.bytes = balance->bytes,
		.own_messages = balance->own_messages,
	};
	summary->repeats = trace_reader_repeats(archive->reader, &summary->repeat);
	ranks->sum.statistics = (struct call_statistics){0};
	ranks->sum.counts = NULL;
	archive->reader = NULL;
}

int convert_archive(const char *path, const char *output, const struct archive_options *options,
		    struct summary *summary, struct error *err)
{
	struct archive archive = {.path = path, .output = output, .options = options};
	struct convert_ranks ranks = {0};
	int result = convert_archive_open(&archive, err);

	if (result == 0)
		result = write_graph(&archive, &ranks, err);
	if (archive.state == UNMATCHED && !archive.slices)
		result = write_matched(&archive, &ranks, err);
	if (result == 0)
		fill_summary(summary, &archive, &ranks);
	convert_ranks_release(&ranks);
	rules_release(&archive.rules);
	free(archive.slices);
	trace_reader_close(archive.reader);
	return result;
}
