#include "test/unit/lib/make/make_flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test/unit/lib/must.h"
#include "trace/flow/file/flow_file.h"

void flow_feed_begin(struct flow_feed *feed, uint32_t ranks)
{
	memset(feed, 0, sizeof *feed);
	for (uint32_t i = 0; i < ranks; i++)
		feed->identity[i] = i;
	feed->comm = (struct trace_comm){.defined = true,
					 .identity = true,
					 .name = "",
					 .size = ranks,
					 .ranks = feed->identity};
	feed->world = (struct trace_world){.rank_count = ranks,
					   .comm_count = 1,
					   .comms = &feed->comm,
					   .has_counts = true};
}

void flow_feed_release(struct flow_feed *feed)
{
	for (uint32_t i = 0; i < feed->world.rank_count; i++)
		array_release(&feed->ranks[i].calls);
}

void flow_feed_add(struct flow_feed *feed, uint32_t rank, const char *function,
		   const struct mpi_event *events, uint32_t count)
{
	struct flow_feed_rank *calls = &feed->ranks[rank];
	struct flow_feed_call made = {.call = {.function = function, .event_count = count}};
	struct error err;

	made.call.enter_ns = calls->calls.count
				     ? calls->calls.items[calls->calls.count - 1].call.leave_ns + 10
				     : 100;
	made.call.leave_ns = made.call.enter_ns + 5;
	if (count)
		memcpy(made.events, events, count * sizeof *events);
	MUST(array_push(&calls->calls, made, &err));
}

void flow_feed_letters(struct flow_feed *feed, uint32_t rank, const char *letters)
{
	static char names[128][2];

	for (; *letters; letters++) {
		names[(int)*letters][0] = *letters;
		flow_feed_add(feed, rank, names[(int)*letters], NULL, 0);
	}
}

static int flow_feed_deliver(void *data, uint32_t rank, trace_receive *receive, void *receiver,
			     struct error *err)
{
	const struct flow_feed *feed = data;

	for (size_t i = 0; i < feed->ranks[rank].calls.count; i++) {
		struct mpi_call call = feed->ranks[rank].calls.items[i].call;

		call.events = feed->ranks[rank].calls.items[i].events;
		TRY(receive(receiver, &call, err));
	}
	return 0;
}

static const char *flow_feed_site(void *data, uint64_t place)
{
	static const char *const sites[] = {"app+0x1[ab]", "app+0x2[ab]", "lib+0x1[cd]", ""};

	(void)data;
	return sites[place % 4];
}

struct flow_source flow_feed_source(const struct flow_feed *feed)
{
	return (struct flow_source){.world = &feed->world,
				    .rank = flow_feed_deliver,
				    .site = flow_feed_site,
				    .data = (void *)feed};
}

struct flow *flow_feed_build(const struct flow_feed *feed, const struct flow_options *options)
{
	const struct flow_source source = flow_feed_source(feed);
	struct flow *flow;
	struct error err;

	MUST(flow_build(&flow, &source, options, &err));
	return flow;
}

/* Add `count` different calls, "s1.0", "s1.1", ... */
static void add_sequence(struct flow_feed *feed, int sequence, int count)
{
	static char names[4][48][32];

	for (int i = 0; i < count; i++) {
		snprintf(names[sequence][i], sizeof names[sequence][i], "s%d.%d", sequence, i);
		flow_feed_add(feed, 0, names[sequence][i], NULL, 0);
	}
}

void flow_to_file(const struct flow *flow, const char *path)
{
	FILE *file = fopen(path, "wb");
	struct error err;

	assert_non_null(file);
	MUST(flow_write(flow, file, &err));
	assert_int_equal(fclose(file), 0);
}

struct flow *make_minighost(void)
{
	static const char *const inner[] = {"C", "CED", "C", "CGF", "C", "C"};
	struct flow_feed feed;
	struct flow *flow;

	flow_feed_begin(&feed, 1);
	flow_feed_add(&feed, 0, "MPI_Init", NULL, 0);
	add_sequence(&feed, 1, 9);
	for (int step = 0; step < 60; step++) {
		flow_feed_letters(&feed, 0, "AB");
		for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
			flow_feed_letters(&feed, 0, inner[i]);
		add_sequence(&feed, 3, 39);
		flow_feed_letters(&feed, 0, "H");
	}
	add_sequence(&feed, 2, 29);
	flow_feed_add(&feed, 0, "MPI_Finalize", NULL, 0);
	flow = flow_feed_build(&feed, &(struct flow_options){.times = FLOW_TIMES_ALL,
							     .level = FLOW_BY_SITE});
	flow_feed_release(&feed);
	return flow;
}
