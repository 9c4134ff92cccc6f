#include "test/unit/lib/make/feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const uint32_t all[] = {0, 1, 2, 3}, odd[] = {3, 1}, low[] = {0, 1}, high[] = {2, 3};

static const struct trace_comm comms[] = {
	{.defined = true, .identity = true, .name = "MPI_COMM_WORLD", .size = 4, .ranks = all},
	{.defined = true, .self = true, .name = "MPI_COMM_SELF", .size = 1},
	{.defined = true, .name = "odd", .size = 2, .ranks = odd},
	{.defined = true, .identity = true, .name = "copy", .size = 4, .ranks = all},
	{.defined = true, .inter = true, .name = "", .size = 2, .ranks = low, .remote_size = 2,
	 .remote_ranks = high},
	{.name = ""},
};

const struct trace_world feed_world = {.rank_count = 4, .comm_count = 6, .comms = comms};

void feed_init(struct feed *feed, const struct convert_options *options)
{
	static const struct convert_options plain = {.compute_scale = 1, .copies = 1};

	memset(feed, 0, sizeof *feed);
	feed->tags.world_comm = NO_COMM;
	feed_must(feed, convert_init(&feed->convert, &feed_world, options ? options : &plain,
				     &feed->err));
}

void feed_release(struct feed *feed)
{
	convert_release(&feed->convert);
	goal_tags_release(&feed->tags);
}

void feed_begin(struct feed *feed, uint32_t rank)
{
	goal_tags_clear(&feed->convert.tags);
	convert_begin(&feed->convert, rank);
	feed->now_ns = 1000000;
	feed_plain(feed, 0, "MPI_Init");
}

int feed_set_up(void **state)
{
	static struct feed feed;

	feed_init(&feed, NULL);
	feed_begin(&feed, 0);
	*state = &feed;
	return 0;
}

int feed_tear_down(void **state)
{
	feed_release(*state);
	return 0;
}

int feed_call(struct feed *feed, uint64_t gap_ns, const char *function, uint32_t event_count,
	      const struct mpi_event *events)
{
	struct mpi_call call = {
		.function = function, .enter_ns = feed->now_ns + gap_ns,
		.leave_ns = feed->now_ns + gap_ns + 10, .events = events,
		.event_count = event_count
	};

	feed->now_ns = call.leave_ns;
	return convert_call(&feed->convert, &call, &feed->err);
}

void feed_must(const struct feed *feed, int result)
{
	if (result < 0)
		fail_msg("%s", feed->err.text);
}

static int receive(void *data, const struct mpi_call *call, struct error *err)
{
	return convert_call(data, call, err);
}

int feed_trace(struct feed *feed, const char *path, uint32_t rank, struct trace_reader **reader)
{
	static const struct convert_options plain = {.compute_scale = 1, .copies = 1};

	memset(feed, 0, sizeof *feed);
	feed->tags.world_comm = NO_COMM;
	TRY(trace_reader_open(reader, path, &feed->err));
	feed_must(feed, convert_init(&feed->convert, trace_reader_world(*reader), &plain,
				     &feed->err));
	convert_begin(&feed->convert, rank);
	TRY(trace_reader_rank(*reader, rank, receive, &feed->convert, &feed->err));
	TRY(convert_end(&feed->convert, &feed->err));
	return goal_tags_join(&feed->convert.tags, &feed->tags, &feed->err);
}

uint32_t feed_tag(const struct feed *feed, uint32_t op)
{
	return goal_tags_joined(&feed->convert.tags, feed->convert.builder.ops.items[op].tag);
}

void feed_end(struct feed *feed)
{
	feed_must(feed, convert_end(&feed->convert, &feed->err));
	feed_must(feed, goal_tags_join(&feed->convert.tags, &feed->tags, &feed->err));
}

static void print_dependencies(FILE *stream, const struct goal_builder *builder, uint32_t op,
			       bool irequires)
{
	bool first = true;

	for (size_t i = 0; i < builder->dependencies.count; i++) {
		const struct goal_dependency *each = &builder->dependencies.items[i];

		if (each->after != op || each->irequires != irequires)
			continue;
		fprintf(stream, "%s %u", !first ? "" : irequires ? " >>" : " >", each->before);
		first = false;
	}
}

void feed_expect(const struct feed *feed, const char *text)
{
	const struct goal_builder *builder = &feed->convert.builder;
	char *found = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&found, &bytes);

	assert_non_null(stream);
	for (uint32_t i = 0; i < builder->ops.count; i++) {
		const struct goal_new_op *op = &builder->ops.items[i];

		if (op->kind == GOAL_CALC)
			fprintf(stream, "calc %llu", (unsigned long long)op->size);
		else
			fprintf(stream, "%s %llu %s %u tag %u",
				op->kind == GOAL_SEND ? "send" : "recv",
				(unsigned long long)op->size, op->kind == GOAL_SEND ? "to" : "from",
				op->peer, feed_tag(feed, i));
		if (op->cpu)
			fprintf(stream, " cpu %u", op->cpu);
		print_dependencies(stream, builder, i, false);
		print_dependencies(stream, builder, i, true);
		fprintf(stream, "\n");
	}
	fclose(stream);
	assert_string_equal(found, text);
	free(found);
}

struct trace_left_out feed_expect_rank(const char *path, uint32_t rank, const char *graph)
{
	struct trace_left_out left_out;
	struct trace_reader *reader;
	struct feed feed;

	if (feed_trace(&feed, path, rank, &reader) < 0)
		fail_msg("%s", feed.err.text);
	feed_expect(&feed, graph);
	left_out = trace_reader_left_out(reader);
	feed_release(&feed);
	trace_reader_close(reader);
	return left_out;
}
