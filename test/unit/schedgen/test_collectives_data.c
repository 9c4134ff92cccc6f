/* runs: only-long */
/* Collective algorithms as data movement: every rank ends with what MPI specifies. */
#include "test/unit/lib/oracle/coll_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct play play;

static int release(void **state)
{
	(void)state;
	play_release(&play);
	return 0;
}

/* Check whether no messages are expected for lack of data. */
static bool is_empty(enum mpi_collective kind, uint32_t size)
{
	uint64_t sum = 0;

	if (size == 1)
		return true;
	if (coll_is_neighbor(kind) || kind == COLL_INTER_BARRIER || kind_has_inter_vectors(kind))
		return false;
	if (kind == COLL_ALLGATHERV || kind == COLL_REDUCE_SCATTER) {
		const uint64_t *bytes = calls[0].receive_bytes ? calls[0].receive_bytes
							       : calls[0].send_bytes;

		for (uint32_t i = 0; bytes && i < size; i++)
			sum += bytes[i];
		return bytes && sum == 0;
	}
	return !kind_has_vectors(kind) && kind != COLL_BARRIER && calls[0].block_bytes == 0;
}

static void play_it(const struct coll_algorithm *algorithm, uint32_t size)
{
	const bool empty = is_empty(algorithm->kind, size);
	enum play_order order;

	if (!play_generate(&play, algorithm, calls, size))
		fail_msg("%s", play.fault);
	if (empty ? play.messages != 0 : !play.messages && !kind_has_vectors(algorithm->kind) &&
				      !kind_has_inter_vectors(algorithm->kind))
		fail_msg("%s %s, %u ranks: %llu messages", coll_name(algorithm->kind),
			 algorithm->name, size, (unsigned long long)play.messages);
	assert_true(play.dependencies <= 4 * play.ops.count);
	for (order = PLAY_FIRST_READY_FIRST; order <= PLAY_RANDOM; order++) {
		if (!play_execute(&play, order))
			fail_msg("%s", play.fault);
		/* Without an area the call was found to need nothing. */
		if (play.areas[0][0].slot_count && !play_check(&play))
			fail_msg("%s", play.fault);
		if ((algorithm->kind == COLL_BARRIER || algorithm->kind == COLL_INTER_BARRIER) &&
		    !play_synchronizes(&play))
			fail_msg("%s", play.fault);
	}
}

/* All roots of small communicators, some of large ones. */
static bool is_tried(enum mpi_collective kind, uint32_t size, uint32_t root)
{
	if (coll_is_inter(kind) && size < 2)
		return false;
	if (!kind_has_root(kind))
		return root == 0;
	return size <= 17 || root <= 1 || root == size / 2 || root == size - 1;
}

static void move_data(uint32_t least_size, uint32_t most_size)
{
	static const uint64_t sizes[] = {0, 1, 7, 1024};
	const struct coll_algorithm *algorithm;
	uint32_t size, root, i;

	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		for (size = least_size; size <= most_size; size++) {
			for (root = 0; root < size; root++) {
				if (!is_tried(algorithm->kind, size, root))
					continue;
				for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
					calls_set(algorithm->kind, size, root, sizes[i]);
					play_it(algorithm, size);
				}
			}
		}
	}
}

static void every_algorithm_moves_the_data_that_mpi_specifies(void **state)
{
	(void)state;
	move_data(1, 17);
}

static void every_algorithm_moves_the_data_among_18_to_33_ranks(void **state)
{
	(void)state;
	move_data(18, 33);
}

/* Random size, zero in `zeros` of four cases. */
static uint64_t random_bytes(uint64_t *random, uint32_t zeros)
{
	return play_random(random) % 4 < zeros ? 0 : 1 + play_random(random) % 999;
}

static void v_forms_move_blocks_of_random_sizes(void **state)
{
	const struct coll_algorithm *algorithm;
	uint32_t size, root, zeros, i, j;
	uint64_t random = 1;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		for (size = 1; kind_has_vectors(algorithm->kind) && size <= 33; size++) {
			/* No zeros, some, only zeros. */
			for (zeros = 0; zeros <= 4; zeros += 2) {
				root = play_random(&random) % size;
				for (i = 0; i < size; i++) {
					for (j = 0; j < size; j++)
						matrix[i][j] = random_bytes(&random, zeros);
				}
				calls_set(algorithm->kind, size, root, 0);
				calls_set_vectors(algorithm->kind, size, root);
				calls_tell_sizes(algorithm, size, root);
				for (i = 0; i < size; i++)
					calls[i].sizes_told = size % 2;
				play_it(algorithm, size);
			}
		}
	}
}

/* Parameters to test, for blocks of at most `most_bytes` bytes. */
static const struct {
	unsigned takes;
	const char *text;
	uint64_t most_bytes;
} variants[] = {
	{COLL_TAKES_SEGMENT, "segment=1", 7},
	{COLL_TAKES_SEGMENT, "segment=7", 1024},
	{COLL_TAKES_SEGMENT, "segment=100", 1024},
	{COLL_TAKES_SEGMENT, "segment=1KiB", 1024},
	{COLL_TAKES_SEGMENT, "segment=5000", 1024},
	{COLL_TAKES_RADIX, "radix=2", 1024},
	{COLL_TAKES_RADIX, "radix=3,segment=100", 1024},
	{COLL_TAKES_RADIX, "radix=64", 1024},
	{COLL_TAKES_BATCH, "batch=1", 1024},
	{COLL_TAKES_BATCH, "batch=4", 1024},
	{COLL_TAKES_BATCH, "batch=32", 1024},
	{COLL_TAKES_BCAST, "bcast=binomial", 1024},
	{COLL_TAKES_BCAST, "bcast=binomial-doubling", 1024},
	{COLL_TAKES_BCAST, "bcast=binary", 1024},
	{COLL_TAKES_BCAST, "bcast=knomial", 1024},
	{COLL_TAKES_BCAST, "bcast=chain", 1024},
	{COLL_TAKES_BCAST, "bcast=linear", 1024},
	{COLL_TAKES_REDUCE, "reduce=binomial", 1024},
	{COLL_TAKES_REDUCE, "reduce=binary", 1024},
	{COLL_TAKES_REDUCE, "reduce=chain", 1024},
	{COLL_TAKES_REDUCE, "reduce=linear", 1024},
	{COLL_TAKES_SCATTER, "scatter=binomial", 1024},
	{COLL_TAKES_SCATTER, "scatter=linear", 1024},
	{COLL_TAKES_NODE, "node=1", 1024},
	{COLL_TAKES_NODE, "node=3", 1024},
	{COLL_TAKES_NODE, "node=8", 1024},
	{COLL_TAKES_NODE, "node=100", 1024},
};

static void move_data_with(const struct coll_algorithm *algorithm, const char *text,
			   uint64_t most_bytes)
{
	static const uint64_t sizes[] = {1, 7, 1024};

	if (kind_has_vectors(algorithm->kind) && !strcmp(text, "segment=7"))
		most_bytes = 7;		/* larger blocks have too many slots to play */
	for (uint32_t size = 1; size <= 33; size++) {
		const uint32_t roots[] = {0, size / 2, size - 1};

		for (size_t i = 0; i < (kind_has_root(algorithm->kind) ? 3 : 1); i++) {
			for (size_t j = 0; j < 3 && sizes[j] <= most_bytes; j++) {
				calls_set(algorithm->kind, size, roots[i], sizes[j]);
				calls_set_parameters(algorithm, text, size);
				play_it(algorithm, size);
			}
		}
	}
}

static void algorithms_move_the_data_with_all_parameters(void **state)
{
	char text[128];

	(void)state;
	for (const struct coll_algorithm *each = coll_algorithms; each->name; each++) {
		for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
			if (each->parameters & variants[i].takes)
				move_data_with(each, variants[i].text, variants[i].most_bytes);
		}
		for (const struct coll_algorithm *inner = coll_algorithms; inner->name; inner++) {
			if (inner->parameters & COLL_TAKES_NODE)
				continue;
			if (each->parameters & COLL_TAKES_LEADERS && inner->kind == each->kind) {
				snprintf(text, sizeof text, "node=3,leaders=%s", inner->name);
				move_data_with(each, text, 1024);
			}
			if (each->parameters & COLL_TAKES_INSIDE &&
			    inner->kind == coll_inside_kind(each->kind)) {
				snprintf(text, sizeof text, "node=11,inside=%s", inner->name);
				move_data_with(each, text, 1024);
			}
		}
	}
}

static void segmented_allgatherv_moves_blocks_of_random_sizes(void **state)
{
	static const char *const segments[] = {"segment=77", "segment=500", "segment=2000"};
	const struct coll_algorithm *ring = coll_find(COLL_ALLGATHERV, "ring");
	uint64_t random = 7;

	(void)state;
	for (uint32_t size = 1; size <= 33; size++) {
		for (uint32_t zeros = 0; zeros <= 4; zeros += 2) {
			for (uint32_t i = 0; i < size; i++)
				matrix[0][i] = random_bytes(&random, zeros);
			for (size_t i = 0; i < 3; i++) {
				calls_set(COLL_ALLGATHERV, size, 0, 0);
				calls_set_vectors(COLL_ALLGATHERV, size, 0);
				calls_set_parameters(ring, segments[i], size);
				play_it(ring, size);
			}
		}
	}
}

/* Nodes of odd sizes, whose ranks do not follow each other. */
static void two_levels_follow_the_nodes_of_a_trace(void **state)
{
	static const uint32_t of[] = {0, 1, 0, 2, 2, 1, 3, 2, 2}, first[] = {0, 2, 4, 8, 9},
			      members[] = {0, 2, 1, 5, 3, 4, 7, 8, 6}, leaders[] = {0, 1, 3, 6};
	static const struct coll_nodes nodes = {4, of, first, members, leaders, false};

	(void)state;
	for (const struct coll_algorithm *each = coll_algorithms; each->name; each++) {
		if (!(each->parameters & COLL_TAKES_NODE))
			continue;
		for (uint32_t root = 0; root < (kind_has_root(each->kind) ? 9 : 1); root++) {
			calls_set(each->kind, 9, root, 100);
			for (uint32_t rank = 0; rank < 9; rank++)
				calls[rank].nodes = &nodes;
			play_it(each, 9);
		}
	}
	/* Between the nodes, the four leaders exchange the vector in two rounds. */
	calls_set(COLL_ALLREDUCE, 9, 0, 100);
	for (uint32_t rank = 0; rank < 9; rank++)
		calls[rank].nodes = &nodes;
	play_it(coll_find(COLL_ALLREDUCE, "two-level"), 9);
	assert_int_equal(play.messages, 5 + 4 * 2 + 5);
}

static void two_levels_follow_nodes_of_ranks_in_order(void **state)
{
	static const uint32_t of[] = {0, 0, 0, 1, 2, 2, 2, 2, 3}, first[] = {0, 3, 4, 8, 9},
			      members[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, leaders[] = {0, 3, 4, 8};
	static const struct coll_nodes nodes = {4, of, first, members, leaders, true};

	(void)state;
	calls_set(COLL_SCAN, 9, 0, 100);
	for (uint32_t rank = 0; rank < 9; rank++)
		calls[rank].nodes = &nodes;
	play_it(coll_find(COLL_SCAN, "two-level"), 9);
	/*
	 * Doubling in nodes of 3 and 4, to their leaders, among these, to the next, down in a node.
	 */
	assert_int_equal(play.messages, 4 + 8 + 2 + 8 + 3 + 3);
}

static void linear_alltoallv_sends_no_empty_blocks(void **state)
{
	(void)state;
	memset(matrix, 0, sizeof matrix);
	matrix[0][3] = 5;
	matrix[3][1] = 6;
	matrix[2][2] = 7;
	calls_set(COLL_ALLTOALLV, 5, 0, 0);
	calls_set_vectors(COLL_ALLTOALLV, 5, 0);
	play_it(coll_find(COLL_ALLTOALLV, "linear"), 5);
	assert_int_equal(play.messages, 2);
	assert_int_equal(play.bytes, 11);
}

static void linear_gatherv_and_scatterv_have_none_where_the_root_knows_the_sizes(void **state)
{
	static const enum mpi_collective kinds[] = {COLL_GATHERV, COLL_SCATTERV};

	(void)state;
	memset(matrix, 0, sizeof matrix);
	matrix[0][0] = 4;
	matrix[0][3] = 5;
	for (int i = 0; i < 4; i++) {
		calls_set(kinds[i / 2], 5, 1, 0);
		calls_set_vectors(kinds[i / 2], 5, 1);
		for (uint32_t rank = 0; rank < 5; rank++)
			calls[rank].sizes_told = i % 2;
		play_it(coll_find(kinds[i / 2], "linear"), 5);
		assert_int_equal(play.messages, i % 2 ? 2 : 4);
		assert_int_equal(play.bytes, 9);
	}
}

/* A graph in which any two ranks, and each with itself, may be neighbours several times. */
static void play_random_graph(const struct coll_algorithm *algorithm, uint32_t size,
			      uint32_t edges, uint64_t *random)
{
	static uint32_t to[PLAY_RANKS][PLAY_RANKS], from[PLAY_RANKS][PLAY_RANKS];
	static uint64_t sent[PLAY_RANKS][PLAY_RANKS], received[PLAY_RANKS][PLAY_RANKS];
	const bool gathers = algorithm->kind == COLL_NEIGHBOR_ALLGATHER ||
			     algorithm->kind == COLL_NEIGHBOR_ALLGATHERV;

	calls_set(algorithm->kind, size, 0, 0);
	for (uint32_t i = 0; i < size; i++) {
		calls[i].block_bytes = random_bytes(random, 1);
		calls[i].source_count = calls[i].destination_count = 0;
		calls[i].sources = from[i];
		calls[i].destinations = to[i];
		calls[i].send_bytes = sent[i];
		calls[i].receive_bytes = received[i];
	}
	for (uint32_t i = 0; i < edges; i++) {
		const uint32_t source = play_random(random) % size;
		const uint32_t destination = play_random(random) % size;
		const uint32_t out = calls[source].destination_count;
		const uint32_t in = calls[destination].source_count;

		if (out == PLAY_RANKS || in == PLAY_RANKS)
			continue;
		calls[source].destination_count++;
		calls[destination].source_count++;
		to[source][out] = destination;
		from[destination][in] = source;
		sent[source][out] = gathers ? calls[source].block_bytes : random_bytes(random, 1);
		received[destination][in] = sent[source][out];
	}
	if (!play_generate(&play, algorithm, calls, size))
		fail_msg("%s", play.fault);
	for (enum play_order order = PLAY_FIRST_READY_FIRST; order <= PLAY_RANDOM; order++)
		if (!play_execute(&play, order) || !play_check(&play))
			fail_msg("%s", play.fault);
}

static void neighbours_several_times_and_of_oneself_get_what_is_theirs(void **state)
{
	const struct coll_algorithm *algorithm;
	uint64_t random = 2;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++)
		for (uint32_t size = 1; coll_is_neighbor(algorithm->kind) && size <= 33; size++)
			for (uint32_t edges = 0; edges < 256; edges = 4 * edges + 1)
				play_random_graph(algorithm, size, edges, &random);
}

/* Play groups of these sizes.  Ranks send matrix[from][to] bytes to each other, if anything. */
static void play_groups(const struct coll_algorithm *algorithm, uint32_t first, uint32_t second,
			uint32_t root, uint64_t bytes, bool vectors)
{
	static uint64_t received[PLAY_RANKS][PLAY_RANKS], pieces[2][PLAY_RANKS];
	const uint32_t size = first + second;
	const enum mpi_collective kind = algorithm->kind;
	uint64_t sum[2] = {0};

	calls_set(kind, size, 0, bytes);
	for (uint32_t i = 0; i < size; i++) {
		calls[i] = (struct collective){.kind = kind, .size = size, .rank = i, .tag = 7,
					       .block_bytes = bytes};
		call_set_groups(&calls[i], first, root);
		if (kind == COLL_INTER_ALLGATHER || kind == COLL_INTER_ALLTOALL) {
			/* The two directions may have different sizes. */
			calls[i].block_bytes = i < first ? bytes : bytes / 2;
			calls[i].remote_bytes = i < first ? bytes / 2 : bytes;
		}
		if (kind == COLL_INTER_REDUCE_SCATTER || kind == COLL_INTER_REDUCE_SCATTER_BLOCK)
			calls[i].block_bytes = bytes * first * second;
	}
	for (uint32_t i = 0; i < size; i++) {
		struct collective *call = &calls[i];

		for (uint32_t j = 0; vectors && j < call->remote_size; j++)
			received[i][j] = kind == COLL_INTER_ALLGATHERV ||
					 kind == COLL_INTER_GATHERV ?
						 matrix[call->remote_world[j]][0] :
						 matrix[call->remote_world[j]][call->rank];
		if (!vectors)
			continue;
		if (kind == COLL_INTER_ALLTOALLV || kind == COLL_INTER_ALLTOALLW) {
			call->send_bytes = matrix[i];
			call->receive_bytes = received[i];
		} else if (kind == COLL_INTER_ALLGATHERV || kind == COLL_INTER_GATHERV) {
			call->block_bytes = matrix[i][0];
			call->receive_bytes = received[i];
		} else if (kind == COLL_INTER_SCATTERV) {
			call->block_bytes = matrix[root][call->rank];
			call->send_bytes = matrix[i];
		} else if (kind == COLL_INTER_REDUCE_SCATTER) {
			pieces[i >= first][call->rank] = matrix[i][0];
			sum[i >= first] += matrix[i][0];
			call->receive_bytes = pieces[i >= first];
		}
	}
	/* Both groups reduce vectors of one length. */
	for (int group = 0; group < 2 && kind == COLL_INTER_REDUCE_SCATTER && vectors; group++)
		if (sum[group] < sum[!group])
			pieces[group][0] += sum[!group] - sum[group];
	for (uint32_t i = 0; i < size && kind == COLL_INTER_REDUCE_SCATTER && vectors; i++)
		calls[i].block_bytes = sum[0] > sum[1] ? sum[0] : sum[1];
	for (uint32_t i = 0; i < size; i++)
		calls[i].sizes_told = vectors && size % 2;
	if (!play_generate(&play, algorithm, calls, size))
		fail_msg("%s", play.fault);
	assert_true(play.dependencies <= 3 * play.ops.count);
	for (enum play_order order = PLAY_FIRST_READY_FIRST; order <= PLAY_RANDOM; order++)
		if (!play_execute(&play, order) || !play_check(&play) ||
		    (kind == COLL_INTER_BARRIER && !play_synchronizes(&play)))
			fail_msg("%s", play.fault);
}

static void groups_of_all_sizes_get_what_the_other_group_has(void **state)
{
	static const uint64_t sizes[] = {0, 2, 7, 1024};
	const struct coll_algorithm *algorithm;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++)
		for (uint32_t first = 1; coll_is_inter(algorithm->kind) && first <= 9; first++)
			for (uint32_t second = 1; second <= 9; second++)
				for (int i = 0; i < 4; i++)
					play_groups(algorithm, first, second, i % first, sizes[i],
						    false);
}

static void groups_exchange_blocks_of_random_sizes(void **state)
{
	const struct coll_algorithm *algorithm;
	uint64_t random = 3;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		for (uint32_t round = 0; round < 90 && kind_has_inter_vectors(algorithm->kind);
		     round++) {
			const uint32_t first = 1 + play_random(&random) % 17;
			const uint32_t second = 1 + play_random(&random) % 16;

			for (uint32_t i = 0; i < PLAY_RANKS; i++)
				for (uint32_t j = 0; j < PLAY_RANKS; j++)
					matrix[i][j] = random_bytes(&random, round % 5);
			play_groups(algorithm, first, second, play_random(&random) % first, 0,
				    true);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_algorithm_moves_the_data_that_mpi_specifies),
		cmocka_unit_test(every_algorithm_moves_the_data_among_18_to_33_ranks),
		cmocka_unit_test(v_forms_move_blocks_of_random_sizes),
		cmocka_unit_test(algorithms_move_the_data_with_all_parameters),
		cmocka_unit_test(segmented_allgatherv_moves_blocks_of_random_sizes),
		cmocka_unit_test(two_levels_follow_the_nodes_of_a_trace),
		cmocka_unit_test(two_levels_follow_nodes_of_ranks_in_order),
		cmocka_unit_test(linear_alltoallv_sends_no_empty_blocks),
		cmocka_unit_test(
			linear_gatherv_and_scatterv_have_none_where_the_root_knows_the_sizes),
		cmocka_unit_test(neighbours_several_times_and_of_oneself_get_what_is_theirs),
		cmocka_unit_test(groups_of_all_sizes_get_what_the_other_group_has),
		cmocka_unit_test(groups_exchange_blocks_of_random_sizes),
	};

	return cmocka_run_group_tests_name("collectives: data movement", tests, NULL, release);
}
