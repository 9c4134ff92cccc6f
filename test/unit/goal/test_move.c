/* Receives posted earlier and awaited later: programs take what their steps take with the waits moved. */
#include "goal/change/move.h"
#include "goal/traversal/check.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/lib/make/random_graph.h"

enum { RANKS = 3, STEPS = 64, MESSAGES = 12 };

/* A step of a rank.  Messages are numbered. */
struct step {
	enum { COMPUTE, SEND, RECV, POST, WAIT } kind;
	uint64_t ns;
	uint32_t message;
};

struct program {
	struct step steps[RANKS][STEPS];
	uint32_t count[RANKS], messages;
	uint32_t from[MESSAGES], to[MESSAGES];
};

static char path[300], moved[300];

static void add_step(struct program *program, uint32_t rank, int kind, uint64_t ns,
		     uint32_t message)
{
	struct step *step = &program->steps[rank][program->count[rank]++];

	assert_true(program->count[rank] <= STEPS);
	*step = (struct step){.ns = ns, .message = message};
	step->kind = kind;
}

static void compute(struct program *program, uint32_t rank, uint64_t *numbers)
{
	if (random_below(numbers, 3))
		add_step(program, rank, COMPUTE, 1 + random_below(numbers, 1000), 0);
}

/* Make messages one after the other: each is sent, and received at once, or posted before and awaited. */
static void make_program(struct program *program, uint64_t *numbers)
{
	*program = (struct program){.messages = 1 + (uint32_t)random_below(numbers, MESSAGES)};
	for (uint32_t m = 0; m < program->messages; m++) {
		const uint32_t from = (uint32_t)random_below(numbers, RANKS);
		const uint32_t to = (from + 1 + (uint32_t)random_below(numbers, RANKS - 1)) % RANKS;
		const bool posts = random_below(numbers, 2);

		program->from[m] = from;
		program->to[m] = to;
		if (posts)
			add_step(program, to, POST, 0, m);
		compute(program, from, numbers);
		add_step(program, from, SEND, 0, m);
		compute(program, to, numbers);
		add_step(program, to, posts ? WAIT : RECV, 0, m);
	}
	for (uint32_t r = 0; r < RANKS; r++)
		compute(program, r, numbers);
}

/* ----------------------------------------------------------------------- graph */

/* Operations that the next one waits for. */
struct tail {
	uint32_t ops[STEPS], count;
	uint32_t posted[MESSAGES]; /* [message]: its receive */
};

static uint32_t add_op(struct goal_builder *builder, const struct program *program,
		       const struct tail *tail, const struct step *step)
{
	struct error err;
	uint32_t op;

	if (step->kind == COMPUTE)
		MUST(goal_builder_calc(builder, step->ns, &op, &err));
	else if (step->kind == SEND)
		MUST(goal_builder_send(builder, 8, program->to[step->message], step->message, &op,
				       &err));
	else
		MUST(goal_builder_recv(builder, 8, program->from[step->message], step->message, &op,
				       &err));
	for (uint32_t i = 0; i < tail->count; i++)
		MUST(goal_builder_requires(builder, op, tail->ops[i], &err));
	return op;
}

static void build_rank(struct goal_builder *builder, const struct program *program, uint32_t rank)
{
	static const char *const functions[] = {[SEND] = "MPI_Send",
						[RECV] = "MPI_Recv",
						[POST] = "MPI_Irecv",
						[WAIT] = "MPI_Wait"};
	struct tail tail = {.count = 0};
	bool begun = false; /* the entry, with the computation before its call */
	struct error err;

	goal_builder_clear(builder);
	for (uint32_t i = 0; i < program->count[rank]; i++) {
		const struct step *step = &program->steps[rank][i];
		const bool ends = i + 1 == program->count[rank];
		struct goal_call call = {.number = i + 1};

		if (step->kind == COMPUTE) {
			/* It is before the next call, whose entry it begins. */
			call.function = ends ? "(end)" : functions[step[1].kind];
			call.before = true;
			call.number++;
		} else {
			call.function = functions[step->kind];
			call.before = begun;
		}
		if (step->kind == WAIT) {
			tail.ops[tail.count++] = tail.posted[step->message];
			continue;
		}
		if (step->kind == POST) {
			tail.posted[step->message] = add_op(builder, program, &tail, step);
		} else {
			tail.ops[0] = add_op(builder, program, &tail, step);
			tail.count = 1;
		}
		begun = step->kind == COMPUTE && !ends && step[1].kind != WAIT && i % 2;
		if (!begun)
			MUST(goal_builder_call(builder, &call, &err));
	}
}

static void write_program(const struct program *program)
{
	struct goal_builder builder = {.cpu = 0};
	struct goal_writer writer;
	struct error err;

	snprintf(path, sizeof path, "%s/a.bin", scratch);
	snprintf(moved, sizeof moved, "%s/b.bin", scratch);
	MUST(goal_writer_open(&writer, path, GOAL_BINARY, RANKS, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.run_ns = 5}, &err));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		build_rank(&builder, program, rank);
		MUST(goal_writer_rank(&writer, &builder, &err));
	}
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
}

/* ------------------------------------------------------------------------- run */

/* A rank that runs: it has made some steps, and has not yet waited for some messages. */
struct runner {
	uint64_t now;
	uint32_t step, waits[MESSAGES], wait_count;
};

struct run {
	const struct program *program;
	uint32_t percent; /* 0: waits are not moved */
	struct runner ranks[RANKS];
	bool is_sent[MESSAGES];
	uint64_t sent[MESSAGES];
};

/* Wait for the messages.  Returns false if one was not sent yet. */
static bool wait(struct run *run, struct runner *rank, uint64_t *now)
{
	for (uint32_t i = 0; i < rank->wait_count; i++) {
		if (!run->is_sent[rank->waits[i]])
			return false;
		if (run->sent[rank->waits[i]] > *now)
			*now = run->sent[rank->waits[i]];
	}
	rank->wait_count = 0;
	return true;
}

/* Make a step, or return false if it must wait for a message that was not sent yet. */
static bool make_step(struct run *run, struct runner *rank, const struct step *step)
{
	const uint64_t part = step->ns * run->percent / 100;
	uint64_t now = rank->now;

	switch (step->kind) {
	case POST:
		return true;
	case RECV:
	case WAIT:
		rank->waits[rank->wait_count++] = step->message;
		return true;
	case SEND:
		if (!wait(run, rank, &now))
			return false;
		run->is_sent[step->message] = true;
		run->sent[step->message] = rank->now = now;
		return true;
	default:
		now += part;
		if (!wait(run, rank, &now))
			return false;
		rank->now = now + step->ns - part;
		return true;
	}
}

static uint64_t run_program(const struct program *program, uint32_t percent)
{
	struct run run = {.program = program, .percent = percent};
	uint64_t end = 0;

	for (bool goes_on = true; goes_on;) {
		goes_on = false;
		for (uint32_t r = 0; r < RANKS; r++) {
			struct runner *rank = &run.ranks[r];

			while (rank->step < program->count[r] &&
			       make_step(&run, rank, &program->steps[r][rank->step])) {
				rank->step++;
				goes_on = true;
			}
		}
	}
	for (uint32_t r = 0; r < RANKS; r++) {
		assert_int_equal(run.ranks[r].step, program->count[r]);
		assert_true(wait(&run, &run.ranks[r], &run.ranks[r].now));
		end = run.ranks[r].now > end ? run.ranks[r].now : end;
	}
	return end;
}

/* ----------------------------------------------------------------------- tests */

static uint64_t path_of(const char *file)
{
	struct goal goal;
	struct goal_calls calls;
	struct error err;
	uint64_t path_ns;

	MUST(goal_open(&goal, file, &err));
	assert_int_equal(goal_calls_open(&calls, &goal, file, &err), 0);
	MUST(goal_find_computation(&path_ns, &goal, &err));
	goal_calls_release(&calls);
	goal_release(&goal);
	return path_ns;
}

/* Move the receives of each function by its share.  Returns whether there were some of both. */
static bool move_by(const double *shares)
{
	static const struct goal_call_key keys[] = {{"MPI_Recv", NULL}, {"MPI_Irecv", NULL}};
	struct goal goal;
	struct goal_calls calls;
	struct goal_writer writer;
	struct error err;
	int result;

	MUST(goal_open(&goal, path, &err));
	assert_int_equal(goal_calls_open(&calls, &goal, path, &err), 0);
	MUST(goal_writer_open(&writer, moved, GOAL_BINARY, RANKS, &err));
	result = goal_move(&goal, &calls, keys, shares, 2, NULL, &writer, &err);
	if (result == 0) {
		MUST(goal_writer_close(&writer, &err));
	} else {
		assert_int_equal(err.status, STATUS_DATA);
		assert_non_null(strstr(err.text, "no computation begins behind a receive of MPI_"));
		goal_writer_discard(&writer);
	}
	goal_calls_release(&calls);
	goal_release(&goal);
	return result == 0;
}

static bool move(double percent)
{
	return move_by((const double[]){percent, percent});
}

static void programs_take_what_their_steps_take_with_the_waits_moved(void **state)
{
	static const uint32_t shares[] = {25, 50, 100};
	uint64_t numbers = 5;
	uint32_t changed = 0, count = 0;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		struct program program;
		const uint32_t percent = shares[round % 3];
		uint64_t before, after;

		make_program(&program, &numbers);
		write_program(&program);
		before = run_program(&program, 0);
		assert_int_equal(path_of(path), before);
		if (!move(percent))
			continue;
		after = run_program(&program, percent);
		assert_int_equal(path_of(moved), after);
		assert_true(after <= before);
		count++;
		changed += after < before;
	}
	assert_true(count > 200 && changed > 100);
}

/* Rank 0 waits for a message at 100 ns, and for another one at 50 ns, and computes for 100 ns then. */
static void a_computation_behind_receives_of_two_keys_is_that_of_both(void **state)
{
	struct program program = {.messages = 2, .from = {1, 2}, .to = {0, 0}};

	(void)state;
	add_step(&program, 1, COMPUTE, 100, 0);
	add_step(&program, 1, SEND, 0, 0);
	add_step(&program, 2, COMPUTE, 50, 0);
	add_step(&program, 2, SEND, 0, 1);
	add_step(&program, 0, POST, 0, 0);
	add_step(&program, 0, RECV, 0, 1);
	add_step(&program, 0, WAIT, 0, 0);
	add_step(&program, 0, COMPUTE, 100, 0);
	write_program(&program);
	assert_int_equal(path_of(path), 200);
	assert_true(move(100));
	assert_int_equal(path_of(moved), 100);
	assert_true(move_by((const double[]){25, 50}));
	assert_int_equal(path_of(moved), 150);
	assert_true(move_by((const double[]){50, 25}));
	assert_int_equal(path_of(moved), 150);
}

/* Rank 0 receives after 10 ns, and computes for 20 then, for 30 after the next wait, and sends after the third. */
static void the_survey_adds_up_what_is_computed_behind_receives(void **state)
{
	struct program program = {.messages = 3, .from = {1, 1, 1}, .to = {0, 0, 0}};
	struct goal_awaited_sums sums;
	struct goal goal;
	struct goal_calls calls;
	struct error err;

	(void)state;
	for (uint32_t m = 0; m < 3; m++)
		add_step(&program, 1, SEND, 0, m);
	add_step(&program, 0, COMPUTE, 10, 0);
	add_step(&program, 0, RECV, 0, 0);
	add_step(&program, 0, COMPUTE, 20, 0);
	add_step(&program, 0, POST, 0, 1);
	add_step(&program, 0, WAIT, 0, 1);
	add_step(&program, 0, COMPUTE, 30, 0);
	add_step(&program, 0, RECV, 0, 2);
	write_program(&program);
	MUST(goal_open(&goal, path, &err));
	assert_int_equal(goal_calls_open(&calls, &goal, path, &err), 0);
	MUST(goal_awaited_survey(&sums, &goal, &calls, &err));
	assert_int_equal(sums.list.count, 2);
	assert_string_equal(sums.list.items[0].key.function, "MPI_Irecv");
	assert_int_equal(sums.list.items[0].most_ns, 30);
	assert_string_equal(sums.list.items[1].key.function, "MPI_Recv");
	assert_int_equal(sums.list.items[1].most_ns, 20);
	goal_awaited_sums_release(&sums);
	goal_calls_release(&calls);
	goal_release(&goal);
}

static void a_share_is_a_percentage_of_a_function_and_maybe_a_site(void **state)
{
	char sited[] = "50%:MPI_Irecv@a.c:5", plain[] = "12.5%:MPI_Recv";
	char wrong[][24] = {"MPI_Recv",	  "0%:MPI_Recv", "101%:MPI_Recv",
			    "x:MPI_Recv", "50%:",	 "50%:@a.c:5"};
	struct goal_call_key key;
	struct error err;
	double percent;

	(void)state;
	MUST(goal_move_parse(sited, &key, &percent, &err));
	assert_string_equal(key.function, "MPI_Irecv");
	assert_string_equal(key.site, "a.c:5");
	assert_true(percent == 50);
	MUST(goal_move_parse(plain, &key, &percent, &err));
	assert_null(key.site);
	assert_true(percent == 12.5);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(goal_move_parse(wrong[i], &key, &percent, &err), -1);
		assert_int_equal(err.status, STATUS_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_take_what_their_steps_take_with_the_waits_moved),
		cmocka_unit_test(a_computation_behind_receives_of_two_keys_is_that_of_both),
		cmocka_unit_test(the_survey_adds_up_what_is_computed_behind_receives),
		cmocka_unit_test(a_share_is_a_percentage_of_a_function_and_maybe_a_site),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
