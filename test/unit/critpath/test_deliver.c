/* Items that processes deliver to each other, at once and in turns, where a process fails, too. */
#include "dist/dist_deliver.h"
#include "test/unit/lib/check/dist_play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define MOST 7
#define TURNS 4

struct item {
	uint64_t to, value;
};

struct job {
	uint32_t turns;	       /* 0: dist_deliver */
	uint32_t fails_in;     /* turn in which the last process fails */
	bool right[MOST];      /* [process]: what arrived is what was sent */
	uint32_t played[MOST]; /* [process]: turns that delivered items */
	int results[MOST];
	struct error errors[MOST];
};

static uint32_t process_of_item(const void *data, const void *item)
{
	(void)data;
	return (uint32_t)((const struct item *)item)->to;
}

/* How many items a process has for another one. */
static uint32_t count_of(uint32_t from, uint32_t to, uint32_t turn)
{
	return (from + 2 * to + turn) % 3;
}

static uint64_t value_of(uint32_t from, uint32_t turn, uint32_t number)
{
	return UINT64_C(1000) * turn + UINT64_C(100) * from + number;
}

/* List the items of a process for the others, in turns, so that none is in order. */
static int list_items(struct item **list, size_t *count, const struct dist *dist, uint32_t turn,
		      struct error *err)
{
	*count = 0;
	TRY(allocate(list, 2 * (size_t)dist->size, sizeof **list, err));
	for (uint32_t number = 0; number < 2; number++)
		for (uint32_t p = dist->size; p-- > 0;)
			if (number < count_of(dist->rank, p, turn))
				(*list)[(*count)++] = (struct item){p, value_of(dist->rank, turn,
										number)};
	return 0;
}

static bool are_right(const struct bytes *arrived, const struct dist *dist, uint32_t turn)
{
	const struct item *items = (const struct item *)arrived->list.items;
	size_t count = 0;

	for (uint32_t from = 0; from < dist->size; from++)
		for (uint32_t number = 0; number < count_of(from, dist->rank, turn); number++) {
			if ((count + 1) * sizeof *items > arrived->list.count ||
			    items[count].to != dist->rank ||
			    items[count].value != value_of(from, turn, number))
				return false;
			count++;
		}
	return count * sizeof *items == arrived->list.count;
}

static int deliver_once(struct job *job, struct dist *dist, struct error *err)
{
	struct item *list;
	struct dist_items items = {(void **)&list, 0, sizeof *list, process_of_item, NULL};
	struct bytes arrived;

	TRY(list_items(&list, &items.count, dist, 0, err));
	TRY(dist_deliver(dist, &items, &arrived, err));
	job->right[dist->rank] = are_right(&arrived, dist, 0) && !list;
	bytes_release(&arrived);
	return 0;
}

static int take_turn(struct job *job, struct dist_turns *turns, uint32_t turn, bool *any,
		     struct error *err)
{
	const struct dist *dist = turns->dist;
	struct item *list;
	struct dist_items items = {(void **)&list, 0, sizeof *list, process_of_item, NULL};
	int result = list_items(&list, &items.count, dist, turn, err);

	if (turn >= job->turns)
		items.count = 0;
	if (turn == job->fails_in && dist->rank == dist->size - 1)
		result = error_set(err, STATUS_DATA, "process %u fails", dist->rank);
	result = dist_turn(turns, &items, result, any, err);
	free(list);
	if (result == 0 && *any) {
		job->played[dist->rank]++;
		job->right[dist->rank] &= are_right(&turns->arrived, dist, turn);
	}
	return result;
}

static int deliver_in_turns(struct job *job, struct dist *dist, struct error *err)
{
	struct dist_turns turns;
	bool any = true;
	int result = dist_turns_begin(&turns, dist, err);

	job->right[dist->rank] = true;
	for (uint32_t turn = 0; result == 0 && any; turn++)
		result = take_turn(job, &turns, turn, &any, err);
	dist_turns_end(&turns);
	return result;
}

static void work(struct dist *dist, void *data)
{
	struct job *job = data;
	struct error *err = &job->errors[dist->rank];

	job->results[dist->rank] = job->turns ? deliver_in_turns(job, dist, err)
					      : deliver_once(job, dist, err);
}

static void items_arrive_in_the_order_of_processes_and_lists(void **state)
{
	(void)state;
	for (uint32_t processes = 1; processes <= MOST; processes++) {
		struct job job = {0};

		dist_play(processes, work, &job);
		for (uint32_t p = 0; p < processes; p++) {
			assert_int_equal(job.results[p], 0);
			assert_true(job.right[p]);
		}
	}
}

static void turns_end_when_no_process_has_an_item(void **state)
{
	(void)state;
	/* One process alone has no item for itself in the first turn. */
	for (uint32_t processes = 2; processes <= MOST; processes++) {
		struct job job = {.turns = TURNS, .fails_in = UINT32_MAX};

		dist_play(processes, work, &job);
		for (uint32_t p = 0; p < processes; p++) {
			assert_int_equal(job.results[p], 0);
			assert_true(job.right[p]);
			assert_int_equal(job.played[p], TURNS);
		}
	}
}

static void a_failure_of_one_process_ends_the_turns_of_all(void **state)
{
	(void)state;
	for (uint32_t processes = 2; processes <= MOST; processes++)
		for (uint32_t turn = 0; turn <= TURNS; turn++) {
			struct job job = {.turns = TURNS, .fails_in = turn};
			char text[32];

			snprintf(text, sizeof text, "process %u fails", processes - 1);
			dist_play(processes, work, &job);
			for (uint32_t p = 0; p < processes; p++) {
				assert_int_equal(job.results[p], -1);
				assert_int_equal(job.errors[p].status, STATUS_DATA);
				assert_string_equal(job.errors[p].text, text);
				assert_int_equal(job.played[p], turn);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_arrive_in_the_order_of_processes_and_lists),
		cmocka_unit_test(turns_end_when_no_process_has_an_item),
		cmocka_unit_test(a_failure_of_one_process_ends_the_turns_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
