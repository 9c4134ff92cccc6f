#include "trace/sequence/slice.h"

#include "common/units.h"
#include "trace/sequence/iterations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- spelling */

static int parse_place(const char *text, uint64_t *number, struct error *err)
{
	return parse_count(text, 1, UINT32_MAX, number, err);
}

static int parse_region(struct slice_edge *edge, const char *text, struct error *err)
{
	const char *colon = strrchr(text, ':');
	const size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
	size_t length = strlen(text);

	edge->number = 1;
	/* Names may have colons ("solver::step"): only digits are taken for a number. */
	if (digits && !colon[1 + digits]) {
		TRY(parse_place(colon + 1, &edge->number, err));
		length = (size_t)(colon - text);
	}
	if (!length)
		return error_set(err, STATUS_USAGE, "a region has a name: region:NAME:NUMBER");
	edge->region = strndup(text, length);
	return edge->region ? 0 : error_set_memory(err, length + 1);
}

int slice_edge_parse(struct slice_edge *edge, const char *text, struct error *err)
{
	static const char region[] = "region:", iteration[] = "iteration:";

	slice_edge_release(edge);
	if (!strncmp(text, region, strlen(region))) {
		edge->kind = SLICE_REGION;
		return parse_region(edge, text + strlen(region), err);
	}
	if (!strncmp(text, iteration, strlen(iteration))) {
		edge->kind = SLICE_ITERATION;
		return parse_place(text + strlen(iteration), &edge->number, err);
	}
	edge->kind = SLICE_TIME;
	return parse_time_ns(text, &edge->time_ns, err);
}

char *slice_edge_text(const struct slice_edge *edge)
{
	char time[UNIT_TEXT_BYTES], *text;
	int length;

	if (edge->kind == SLICE_REGION)
		length = asprintf(&text, "region:%s:%llu", edge->region,
				  (unsigned long long)edge->number);
	else if (edge->kind == SLICE_ITERATION)
		length = asprintf(&text, "iteration:%llu", (unsigned long long)edge->number);
	else
		length = asprintf(&text, "%s", format_time((double)edge->time_ns, 4, time));
	return length < 0 ? NULL : text;
}

void slice_edge_release(struct slice_edge *edge)
{
	free(edge->region);
	*edge = (struct slice_edge){0};
}

int slice_edges_check(const struct slice_edge *from, const struct slice_edge *to, struct error *err)
{
	char first[UNIT_TEXT_BYTES], last[UNIT_TEXT_BYTES];

	if (from->kind != SLICE_TIME || to->kind != SLICE_TIME || from->time_ns < to->time_ns)
		return 0;
	return error_set(err, STATUS_USAGE,
			 "--to %s is not after --from %s (a time without a unit is in ns)",
			 format_time((double)to->time_ns, 4, last),
			 format_time((double)from->time_ns, 4, first));
}

/* ---------------------------------------------------------------------- reading */

/* Search on the rank that is being read. */
struct finding {
	const struct slice_edge *edge;
	bool end; /* find the end of the region, else its begin */
	bool found;
	uint64_t time_ns;
	/* Of the region: how often it was entered, without nested ones. */
	uint64_t entered;
	uint32_t depth;
};

static void see_region(void *data, uint64_t time_ns, bool enters)
{
	struct finding *finding = data;
	const uint32_t depth = finding->depth;

	if (!enters && !depth)
		return;
	finding->depth += enters ? 1 : -1U;
	finding->entered += enters && !depth;
	if (finding->found || finding->entered != finding->edge->number)
		return;
	finding->found = finding->end ? !enters && depth == 1 : enters && !depth;
	finding->time_ns = time_ns;
}

static int see_call(void *data, const struct mpi_call *call, struct error *err)
{
	(void)data, (void)call, (void)err;
	return 0;
}

/* Suggest a similar name: names are complete, in C++ with all parameters. */
static int no_such_region(const struct finding *finding, const struct trace_reader *reader,
			  uint32_t rank, struct error *err)
{
	const char *name = finding->edge->region;
	const char *like = finding->entered ? NULL : trace_reader_region_like(reader, name);

	if (like && strcmp(like, name) != 0)
		return error_set(err, STATUS_DATA,
				 "region '%s' does not occur on rank %u, but '%s' does", name, rank,
				 like);
	if (!finding->entered)
		return error_set(err, STATUS_DATA, "region '%s' does not occur on rank %u", name,
				 rank);
	return error_set(err, STATUS_DATA, "region '%s' occurs %llu time%s on rank %u, not %llu",
			 name, (unsigned long long)finding->entered, plural(finding->entered), rank,
			 (unsigned long long)finding->edge->number);
}

static int find_region(struct finding *finding, struct trace_reader *reader, uint32_t rank,
		       struct error *err)
{
	finding->found = false;
	finding->entered = 0;
	finding->depth = 0;
	TRY(trace_reader_rank(reader, rank, see_call, finding, err));
	return finding->found ? 0 : no_such_region(finding, reader, rank, err);
}

/* Find the begin or the end of an iteration of a rank. */
static int find_iteration(uint64_t *time_ns, const struct slice_edge *edge, bool end,
			  struct trace_reader *reader, uint32_t rank, struct error *err)
{
	struct iterations iterations;
	uint64_t count;

	TRY(iterations_find(&iterations, reader, rank, err));
	count = iterations.starts_ns.count;
	if (edge->number <= count)
		*time_ns = edge->number + end > count
				   ? iterations.end_ns
				   : iterations.starts_ns.items[edge->number + end - 1];
	iterations_release(&iterations);
	if (edge->number <= count)
		return 0;
	return error_set(err, STATUS_DATA,
			 "rank %u: the main loop has %llu iteration%s: there is no iteration:%llu",
			 rank, (unsigned long long)count, plural(count),
			 (unsigned long long)edge->number);
}

/* What is to be found: an edge of the slices of some ranks. */
struct search {
	struct rank_slice *slices;
	uint32_t first, last; /* ranks, `last` is the first one beyond */
	const struct slice_edge *edge;
	bool end;	   /* the end of the slices, else their begin */
	uint64_t begin_ns; /* of the run */
};

static void set_edge(const struct search *search, uint32_t rank, uint64_t time_ns)
{
	*(search->end ? &search->slices[rank].end_ns : &search->slices[rank].begin_ns) = time_ns;
}

/* Read the ranks to find an edge. */
static int find_in_calls(const struct search *search, struct trace_reader *opened,
			 struct error *err)
{
	struct finding finding = {.edge = search->edge, .end = search->end};
	struct trace_reader *reader;
	int result = 0;

	TRY(trace_reader_again(&reader, opened, err));
	if (search->edge->kind == SLICE_REGION)
		trace_reader_watch(reader, search->edge->region, see_region, &finding);
	for (uint32_t rank = search->first; rank < search->last && result == 0; rank++) {
		result = search->edge->kind == SLICE_REGION
				 ? find_region(&finding, reader, rank, err)
				 : find_iteration(&finding.time_ns, search->edge, search->end,
						  reader, rank, err);
		set_edge(search, rank, finding.time_ns);
	}
	trace_reader_close(reader);
	return result;
}

static int find_edge(const struct search *search, struct trace_reader *reader, struct error *err)
{
	const struct slice_edge *edge = search->edge;
	uint64_t time_ns = search->end ? UINT64_MAX : 0;

	if (edge->kind == SLICE_REGION || edge->kind == SLICE_ITERATION)
		return find_in_calls(search, reader, err);
	if (edge->kind == SLICE_TIME &&
	    __builtin_add_overflow(search->begin_ns, edge->time_ns, &time_ns))
		time_ns = UINT64_MAX;
	for (uint32_t rank = search->first; rank < search->last; rank++)
		set_edge(search, rank, time_ns);
	return 0;
}

int slices_find(struct rank_slice *slices, struct trace_reader *reader, uint64_t begin_ns,
		uint32_t first, uint32_t end, const struct slice_edge *from,
		const struct slice_edge *to, struct error *err)
{
	struct search search = {
		.slices = slices, .first = first, .last = end, .edge = from, .begin_ns = begin_ns};

	TRY(find_edge(&search, reader, err));
	search.edge = to;
	search.end = true;
	TRY(find_edge(&search, reader, err));
	for (uint32_t rank = first; rank < end; rank++)
		if (slices[rank].begin_ns >= slices[rank].end_ns)
			return error_set(err, STATUS_DATA, "rank %u: --to is not after --from",
					 rank);
	return 0;
}
