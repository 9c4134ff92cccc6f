/* Tests of files that many processes write together: the same bytes as by one, and errors that all know. */
#include "eventflow/gather/flow_dist.h"
#include "test/unit/lib/check/dist_play.h"
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "trace/flow/file/flow_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PROCESSES = 11 };

static const struct flow_options options = {.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE};

/* What the processes have, and what became of it. */
struct job {
	const struct trace_world *world;
	const char *path;
	struct flow *flows[PROCESSES];
	int results[PROCESSES];
	struct error errs[PROCESSES];
};

/* Make the flows of processes that have `least` ranks or more each. */
static void make_flows(struct job *job, const struct flow_feed *feed, uint32_t processes,
		       uint32_t least, uint64_t *numbers)
{
	struct flow_source source = flow_feed_source(feed);
	uint32_t first = 0;
	struct error err;

	source.threads = 1;
	*job = (struct job){.world = &feed->world, .path = scratch_path};
	for (uint32_t p = 0; p < processes; p++) {
		const uint32_t left = feed->world.rank_count - first,
			       free_ranks = left - least * (processes - p);
		const uint32_t count = p + 1 < processes
					       ? least + random_below(numbers, free_ranks + 1)
					       : left;

		MUST(flow_build_ranks(&job->flows[p], &source, &options, first, count, &err));
		first += count;
	}
}

static void write_together(struct dist *dist, void *data)
{
	struct job *job = data;

	job->results[dist->rank] = flow_dist_write(dist, &job->flows[dist->rank], job->world,
						   job->path, &job->errs[dist->rank]);
}

static void release_flows(struct job *job, uint32_t processes)
{
	for (uint32_t p = 0; p < processes; p++)
		flow_release(job->flows[p]);
}

/* Check the bytes of the file; `many`: there are more than fit in a message from each of three processes. */
static void check_file(struct flow *flow, bool many)
{
	FILE *file = fopen(scratch_path, "rb");
	struct flow_bytes bytes;
	struct error err;
	uint8_t *found;

	MUST(flow_to_bytes(flow, &bytes, &err));
	flow_release(flow);
	assert_non_null(file);
	MUST(allocate(&found, bytes.count + 1, 1, &err));
	assert_int_equal(fread(found, 1, bytes.count + 1, file), bytes.count);
	assert_memory_equal(found, bytes.items, bytes.count);
	fclose(file);
	free(found);
	if (many)
		assert_true(bytes.count > 3 << 16);
	array_release(&bytes);
}

static void any_number_of_processes_writes_the_same_file(void **state)
{
	uint64_t numbers = 21;

	(void)state;
	for (uint32_t processes = 1; processes <= PROCESSES; processes++)
		for (uint32_t round = 0; round < 4; round++) {
			struct flow_feed feed;
			struct job job;

			flow_feed_begin(&feed, round < 3 ? 1 + random_below(&numbers, 12) : 3);
			flow_feed_random(&feed, 2, round < 3 ? 50 : 20000, &numbers);
			make_flows(&job, &feed, processes, 0, &numbers);
			dist_play(processes, write_together, &job);
			for (uint32_t p = 0; p < processes; p++)
				if (job.results[p] < 0)
					fail_msg("process %u: %s", p, job.errs[p].text);
			release_flows(&job, processes);
			check_file(flow_feed_build(&feed, &options), round == 3);
			flow_feed_release(&feed);
		}
}

/* Check that all processes fail with one error, that has the text. */
static void check_failure(struct job *job, uint32_t processes, enum status status, const char *text)
{
	dist_play(processes, write_together, job);
	for (uint32_t p = 0; p < processes; p++) {
		assert_int_equal(job->results[p], -1);
		assert_int_equal(job->errs[p].status, status);
		assert_string_equal(job->errs[p].text, job->errs[0].text);
	}
	assert_non_null(strstr(job->errs[0].text, text));
	release_flows(job, processes);
}

static void an_error_of_one_process_is_that_of_all(void **state)
{
	uint64_t numbers = 22;
	struct flow_feed feed;

	(void)state;
	flow_feed_begin(&feed, 12);
	flow_feed_random(&feed, 1, 30, &numbers);
	for (uint32_t processes = 2; processes <= 8; processes++)
		for (uint32_t p = 1; p < processes; p++) {
			struct job job;

			make_flows(&job, &feed, processes, 1, &numbers);
			job.flows[p]->times = FLOW_TIMES_NONE;
			check_failure(&job, processes, STATUS_DATA, "a part has other times");
			make_flows(&job, &feed, processes, 1, &numbers);
			job.flows[p]->first_rank += 5;
			check_failure(&job, processes, STATUS_DATA, "damaged");
		}
	flow_feed_release(&feed);
}

static void a_file_that_cannot_be_made_is_an_error_of_all(void **state)
{
	uint64_t numbers = 23;
	struct flow_feed feed;
	struct job job;

	(void)state;
	flow_feed_begin(&feed, 5);
	flow_feed_random(&feed, 1, 30, &numbers);
	make_flows(&job, &feed, 4, 0, &numbers);
	job.path = "/nowhere/app.efg";
	check_failure(&job, 4, STATUS_SYSTEM, "/nowhere");
	flow_feed_release(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_processes_writes_the_same_file),
		cmocka_unit_test(an_error_of_one_process_is_that_of_all),
		cmocka_unit_test(a_file_that_cannot_be_made_is_an_error_of_all),
	};

	return cmocka_run_group_tests(tests, scratch_file_make, scratch_file_remove);
}
