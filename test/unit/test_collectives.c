/* Collectives as point-to-point operations: data movement, closed forms, interface. */
#include "coll_formula.h"
#include "coll_play.h"
#include "goal/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct play play;
static struct collective calls[PLAY_RANKS];
static uint64_t matrix[PLAY_RANKS][PLAY_RANKS], transposed[PLAY_RANKS][PLAY_RANKS];

static int release(void **state)
{
	(void)state;
	play_release(&play);
	return 0;
}

/* ------------------------------------------------------------------ calls */

static bool has_vectors(enum mpi_collective kind)
{
	return kind == COLL_GATHERV || kind == COLL_SCATTERV || kind == COLL_ALLGATHERV ||
	       kind == COLL_ALLTOALLV || kind == COLL_ALLTOALLW || kind == COLL_REDUCE_SCATTER;
}

static bool has_inter_vectors(enum mpi_collective kind)
{
	return has_vectors((enum mpi_collective)(kind - COLL_INTER_BARRIER + COLL_BARRIER));
}

static bool has_root(enum mpi_collective kind)
{
	return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER ||
	       kind == COLL_GATHERV || kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

/* Let the neighbours of a call be those in a ring. */
static void set_ring(struct collective *call)
{
	static uint32_t around[PLAY_RANKS][3];
	static uint64_t bytes[2];
	uint32_t *ranks = around[call->rank];

	if (!coll_is_neighbor(call->kind))
		return;
	bytes[0] = bytes[1] = call->block_bytes;
	ranks[0] = ranks[2] = (call->rank + call->size - 1) % call->size;
	ranks[1] = (call->rank + 1) % call->size;
	call->destinations = ranks;
	call->sources = ranks + 1;
	call->destination_count = call->source_count = 2;
	call->send_bytes = call->receive_bytes = bytes;
}

/* Split the ranks of a call into two groups, the first with `first` ranks, and root 0 in it. */
static void set_groups(struct collective *call, uint32_t first, uint32_t root)
{
	static uint32_t world[PLAY_RANKS];
	const uint32_t all = call->size, rank = call->rank;

	for (uint32_t i = 0; i < all; i++)
		world[i] = i;
	call->first_group = rank < first;
	call->size = call->first_group ? first : all - first;
	call->remote_size = all - call->size;
	call->world = world + (call->first_group ? 0 : first);
	call->remote_world = world + (call->first_group ? first : 0);
	call->rank = call->first_group ? rank : rank - first;
	call->root = root;
	call->root_place = !call->first_group ? COLL_ROOT_REMOTE :
			   call->rank == root ? COLL_ROOT_SELF : COLL_ROOT_BESIDE;
	call->remote_bytes = call->block_bytes;
	if (call->kind == COLL_INTER_REDUCE_SCATTER || call->kind == COLL_INTER_REDUCE_SCATTER_BLOCK)
		call->block_bytes *= (uint64_t)call->size * call->remote_size;
}

static void set_calls(enum mpi_collective kind, uint32_t size, uint32_t root, uint64_t bytes)
{
	for (uint32_t rank = 0; rank < size; rank++) {
		calls[rank] = (struct collective){.kind = kind, .size = size, .rank = rank,
						  .root = root, .tag = 7, .block_bytes = bytes};
		set_ring(&calls[rank]);
		if (coll_is_inter(kind) && size > 1)
			set_groups(&calls[rank], size / 2, 0);
	}
}

/* Give the calls vectors; matrix[i][j] is what rank i sends to j, row 0 what each contributes. */
static void set_vectors(enum mpi_collective kind, uint32_t size, uint32_t root)
{
	uint32_t i, j;

	for (i = 0; i < size; i++) {
		for (j = 0; j < size; j++)
			transposed[j][i] = matrix[i][j];
	}
	for (i = 0; i < size; i++) {
		if (kind == COLL_ALLTOALLV || kind == COLL_ALLTOALLW) {
			calls[i].send_bytes = matrix[i];
			calls[i].receive_bytes = transposed[i];
		} else if (kind == COLL_ALLGATHERV) {
			calls[i].receive_bytes = matrix[0];
		} else if (kind == COLL_REDUCE_SCATTER) {
			calls[i].send_bytes = matrix[0];
		} else {
			calls[i].block_bytes = matrix[0][i];
		}
	}
	if (kind == COLL_GATHERV)
		calls[root].receive_bytes = matrix[0];
	if (kind == COLL_SCATTERV)
		calls[root].send_bytes = matrix[0];
}

/* Give the calls the parameters of "name:parameters". */
static void set_parameters(const struct coll_algorithm *algorithm, const char *text, uint32_t size)
{
	struct coll_choice choice;
	struct error err;
	char words[256];

	snprintf(words, sizeof words, "%s:%s", algorithm->name, text);
	if (coll_choice_parse(&choice, algorithm->kind, words, &err) < 0)
		fail_msg("%s", err.text);
	assert_ptr_equal(choice.algorithm, algorithm);
	for (uint32_t rank = 0; rank < size; rank++)
		calls[rank].parameters = choice.parameters;
}

/* Tell all ranks the sizes of gatherv and scatterv, if the algorithm needs them. */
static void tell_sizes(const struct coll_algorithm *algorithm, uint32_t size, uint32_t root)
{
	for (uint32_t i = 0; coll_needs_all_sizes(algorithm) && i < size; i++) {
		calls[i].send_bytes = calls[root].send_bytes;
		calls[i].receive_bytes = calls[root].receive_bytes;
	}
}

/* Are no messages expected because there is no data? */
static bool is_empty(enum mpi_collective kind, uint32_t size)
{
	uint64_t sum = 0;

	if (size == 1)
		return true;
	if (coll_is_neighbor(kind) || kind == COLL_INTER_BARRIER || has_inter_vectors(kind))
		return false;
	if (kind == COLL_ALLGATHERV || kind == COLL_REDUCE_SCATTER) {
		const uint64_t *bytes = calls[0].receive_bytes ? calls[0].receive_bytes
							       : calls[0].send_bytes;

		for (uint32_t i = 0; bytes && i < size; i++)
			sum += bytes[i];
		return bytes && sum == 0;
	}
	return !has_vectors(kind) && kind != COLL_BARRIER && calls[0].block_bytes == 0;
}

static void play_it(const struct coll_algorithm *algorithm, uint32_t size)
{
	const bool empty = is_empty(algorithm->kind, size);
	enum play_order order;

	if (!play_generate(&play, algorithm, calls, size))
		fail_msg("%s", play.fault);
	if (empty ? play.messages != 0 : !play.messages && !has_vectors(algorithm->kind) &&
				      !has_inter_vectors(algorithm->kind))
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

/* ---------------------------------------------------------- data movement */

/* All roots of small communicators, some of large ones. */
static bool is_tried(enum mpi_collective kind, uint32_t size, uint32_t root)
{
	if (coll_is_inter(kind) && size < 2)
		return false;
	if (!has_root(kind))
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
					set_calls(algorithm->kind, size, root, sizes[i]);
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

static void it_does_so_among_18_to_33_ranks(void **state)
{
	(void)state;
	move_data(18, 33);
}

/* Zero in so many of four cases. */
static uint64_t random_bytes(uint64_t *random, uint32_t zeros)
{
	return play_random(random) % 4 < zeros ? 0 : 1 + play_random(random) % 999;
}

static void v_forms_do_so_with_random_counts(void **state)
{
	const struct coll_algorithm *algorithm;
	uint32_t size, root, zeros, i, j;
	uint64_t random = 1;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		for (size = 1; has_vectors(algorithm->kind) && size <= 33; size++) {
			/* No zeros, some, only zeros. */
			for (zeros = 0; zeros <= 4; zeros += 2) {
				root = play_random(&random) % size;
				for (i = 0; i < size; i++) {
					for (j = 0; j < size; j++)
						matrix[i][j] = random_bytes(&random, zeros);
				}
				set_calls(algorithm->kind, size, root, 0);
				set_vectors(algorithm->kind, size, root);
				tell_sizes(algorithm, size, root);
				play_it(algorithm, size);
			}
		}
	}
}

/* With these parameters, for blocks of no more than so many bytes. */
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

	if (has_vectors(algorithm->kind) && !strcmp(text, "segment=7"))
		most_bytes = 7;		/* else there are more slots than can be played */
	for (uint32_t size = 1; size <= 33; size++) {
		const uint32_t roots[] = {0, size / 2, size - 1};

		for (size_t i = 0; i < (has_root(algorithm->kind) ? 3 : 1); i++) {
			for (size_t j = 0; j < 3 && sizes[j] <= most_bytes; j++) {
				set_calls(algorithm->kind, size, roots[i], sizes[j]);
				set_parameters(algorithm, text, size);
				play_it(algorithm, size);
			}
		}
	}
}

static void they_do_so_with_all_parameters(void **state)
{
	char text[128];

	(void)state;
	for (const struct coll_algorithm *each = coll_algorithms; each->name; each++) {
		for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
			if (each->parameters & variants[i].takes)
				move_data_with(each, variants[i].text, variants[i].most_bytes);
		}
		if (!(each->parameters & COLL_TAKES_LEADERS))
			continue;
		for (const struct coll_algorithm *inner = coll_algorithms; inner->name; inner++) {
			if (inner->kind != each->kind || inner == each)
				continue;
			snprintf(text, sizeof text, "node=3,leaders=%s", inner->name);
			move_data_with(each, text, 1024);
		}
	}
}

static void segmented_allgatherv_does_so_with_random_counts(void **state)
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
				set_calls(COLL_ALLGATHERV, size, 0, 0);
				set_vectors(COLL_ALLGATHERV, size, 0);
				set_parameters(ring, segments[i], size);
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
	static const struct coll_nodes nodes = {4, of, first, members, leaders};

	(void)state;
	for (const struct coll_algorithm *each = coll_algorithms; each->name; each++) {
		if (!(each->parameters & COLL_TAKES_NODE))
			continue;
		for (uint32_t root = 0; root < (has_root(each->kind) ? 9 : 1); root++) {
			set_calls(each->kind, 9, root, 100);
			for (uint32_t rank = 0; rank < 9; rank++)
				calls[rank].nodes = &nodes;
			play_it(each, 9);
		}
	}
	/* Between the nodes, the four leaders exchange the vector in two rounds. */
	set_calls(COLL_ALLREDUCE, 9, 0, 100);
	for (uint32_t rank = 0; rank < 9; rank++)
		calls[rank].nodes = &nodes;
	play_it(coll_find(COLL_ALLREDUCE, "two-level"), 9);
	assert_int_equal(play.messages, 5 + 4 * 2 + 5);
}

static void linear_alltoallv_sends_no_empty_blocks(void **state)
{
	(void)state;
	memset(matrix, 0, sizeof matrix);
	matrix[0][3] = 5;
	matrix[3][1] = 6;
	matrix[2][2] = 7;
	set_calls(COLL_ALLTOALLV, 5, 0, 0);
	set_vectors(COLL_ALLTOALLV, 5, 0);
	play_it(coll_find(COLL_ALLTOALLV, "linear"), 5);
	assert_int_equal(play.messages, 2);
	assert_int_equal(play.bytes, 11);
}

/* A graph in which any two ranks, and each with itself, may be neighbours several times. */
static void play_random_graph(const struct coll_algorithm *algorithm, uint32_t size,
			      uint32_t edges, uint64_t *random)
{
	static uint32_t to[PLAY_RANKS][PLAY_RANKS], from[PLAY_RANKS][PLAY_RANKS];
	static uint64_t sent[PLAY_RANKS][PLAY_RANKS], received[PLAY_RANKS][PLAY_RANKS];
	const bool gathers = algorithm->kind == COLL_NEIGHBOR_ALLGATHER ||
			     algorithm->kind == COLL_NEIGHBOR_ALLGATHERV;

	set_calls(algorithm->kind, size, 0, 0);
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

/* Groups of these sizes; what ranks send to each other is matrix[from][to], if anything. */
static void play_groups(const struct coll_algorithm *algorithm, uint32_t first, uint32_t second,
			uint32_t root, uint64_t bytes, bool vectors)
{
	static uint64_t received[PLAY_RANKS][PLAY_RANKS], pieces[2][PLAY_RANKS];
	const uint32_t size = first + second;
	const enum mpi_collective kind = algorithm->kind;
	uint64_t sum[2] = {0};

	set_calls(kind, size, 0, bytes);
	for (uint32_t i = 0; i < size; i++) {
		calls[i] = (struct collective){.kind = kind, .size = size, .rank = i, .tag = 7,
					       .block_bytes = bytes};
		set_groups(&calls[i], first, root);
		if (kind == COLL_INTER_ALLGATHER || kind == COLL_INTER_ALLTOALL) {
			/* What goes one way need not be as large as what goes the other. */
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

static void groups_do_so_with_random_counts(void **state)
{
	const struct coll_algorithm *algorithm;
	uint64_t random = 3;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		for (uint32_t round = 0; round < 90 && has_inter_vectors(algorithm->kind); round++) {
			const uint32_t first = 1 + play_random(&random) % 17;
			const uint32_t second = 1 + play_random(&random) % 16;

			for (uint32_t i = 0; i < PLAY_RANKS; i++)
				for (uint32_t j = 0; j < PLAY_RANKS; j++)
					matrix[i][j] = random_bytes(&random, round % 5);
			play_groups(algorithm, first, second, play_random(&random) % first, 0, true);
		}
	}
}

/* ------------------------------------------------------------ closed forms */

enum { KIND, ALGORITHM, ROUNDS, MESSAGES, BYTES, LATENCIES, COLUMNS };

/* Cut the cells between backticks out of a line of the table; false for other lines. */
static bool read_cells(char *line, const char *cells[COLUMNS])
{
	if (strncmp(line, "| `", 3) != 0)
		return false;
	for (int i = 0; i < COLUMNS; i++) {
		line = strchr(line, '`');
		if (!line)
			return false;
		cells[i] = ++line;
		line = strchr(line, '`');
		if (!line)
			return false;
		*line++ = '\0';
	}
	return true;
}

static const struct coll_algorithm *find_named(const char *kind, const char *name)
{
	const struct coll_algorithm *algorithm;

	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		if (strcmp(coll_name(algorithm->kind), kind) == 0 &&
		    strcmp(algorithm->name, name) == 0)
			return algorithm;
	}
	return NULL;
}

static void compare(const char *cells[COLUMNS], int column, uint32_t size, uint64_t bytes,
		    uint64_t segment, uint64_t found)
{
	static const char *const names[] = {[ROUNDS] = "rounds", [MESSAGES] = "messages",
					    [BYTES] = "bytes", [LATENCIES] = "latencies"};
	const char *fault;
	const bool none = !strcmp(cells[column], "-") && (column == ROUNDS || column == LATENCIES);
	const uint64_t value = none ? 0 : formula_value(cells[column], size, bytes, segment, &fault);

	if (none)
		return;
	if (fault)
		fail_msg("%s %s: \"%s\" has %s", cells[KIND], cells[ALGORITHM], cells[column],
			 fault);
	if (value != found)
		fail_msg("%s %s, %u ranks: %llu %s, but %s = %llu", cells[KIND], cells[ALGORITHM],
			 size, (unsigned long long)found, names[column], cells[column],
			 (unsigned long long)value);
}

/* Blocks that can be cut into P and into p pieces. */
static uint64_t divisible_bytes(uint32_t size)
{
	return UINT64_C(64) * size;
}

static void compare_line(const char *cells[COLUMNS], const struct coll_algorithm *algorithm,
			 uint64_t segment)
{
	uint32_t size, i, j, root;
	uint64_t bytes;
	char text[64];

	for (size = 2; size <= PLAY_RANKS; size++) {
		bytes = divisible_bytes(size);
		root = algorithm->kind == COLL_REDUCE ? 0 : size / 3;
		set_calls(algorithm->kind, size, root, bytes);
		for (i = 0; i < size; i++) {
			for (j = 0; j < size; j++)
				matrix[i][j] = bytes;
		}
		if (has_vectors(algorithm->kind))
			set_vectors(algorithm->kind, size, root);
		tell_sizes(algorithm, size, root);
		if (segment) {
			snprintf(text, sizeof text, "segment=%llu", (unsigned long long)segment);
			set_parameters(algorithm, text, size);
		}
		if (!play_generate(&play, algorithm, calls, size) ||
		    !play_execute(&play, PLAY_FIRST_READY_FIRST))
			fail_msg("%s", play.fault);
		compare(cells, ROUNDS, size, bytes, segment, play.most_rounds);
		compare(cells, MESSAGES, size, bytes, segment, play.messages);
		compare(cells, BYTES, size, bytes, segment, play.bytes);
		compare(cells, LATENCIES, size, bytes, segment, play.depth);
	}
}

/* Segments that do not divide blocks, that do, and larger ones; PLAY_SLOTS is the limit. */
static void compare_segmented(const char *cells[COLUMNS], const struct coll_algorithm *algorithm)
{
	static const uint64_t segments[] = {33, 64, 1000, 1024, 1 << 20};

	for (size_t i = has_vectors(algorithm->kind) ? 2 : 0;
	     i < sizeof segments / sizeof *segments; i++)
		compare_line(cells, algorithm, segments[i]);
}

static void the_closed_forms_of_the_manual_hold_for_2_to_64_ranks(void **state)
{
	const char *source = getenv("SOURCE"), *cells[COLUMNS];
	const struct coll_algorithm *algorithm;
	size_t lines = 0, algorithms = 0;
	char path[4096], line[2048];
	FILE *manual;

	(void)state;
	snprintf(path, sizeof path, "%s/doc/collectives.md", source ? source : ".");
	manual = fopen(path, "r");
	assert_non_null(manual);
	while (fgets(line, sizeof line, manual)) {
		if (!read_cells(line, cells))
			continue;
		algorithm = find_named(cells[KIND], cells[ALGORITHM]);
		if (!algorithm)
			fail_msg("%s %s does not exist", cells[KIND], cells[ALGORITHM]);
		/* The manual lists them in the order of the table, so each once, defaults first. */
		assert_ptr_equal(algorithm, &coll_algorithms[lines]);
		compare_line(cells, algorithm, 0);
		if (algorithm->parameters & COLL_TAKES_SEGMENT)
			compare_segmented(cells, algorithm);
		lines++;
	}
	fclose(manual);
	while (coll_algorithms[algorithms].name)
		algorithms++;
	assert_int_equal(lines, algorithms);
}

static void two_levels_add_the_trees_within_the_nodes(void **state)
{
	const struct coll_algorithm *across = coll_find(COLL_ALLREDUCE, "rabenseifner");
	const struct coll_algorithm *two = coll_find(COLL_ALLREDUCE, "two-level");
	uint64_t messages, bytes;
	uint32_t depth;
	char text[64];

	(void)state;
	for (uint32_t nodes = 1; nodes <= 16; nodes++) {
		set_calls(COLL_ALLREDUCE, nodes, 0, 1024);
		if (!play_generate(&play, across, calls, nodes) ||
		    !play_execute(&play, PLAY_FIRST_READY_FIRST))
			fail_msg("%s", play.fault);
		messages = play.messages;
		bytes = play.bytes;
		depth = play.depth;
		for (uint32_t m = 1; m * nodes <= PLAY_RANKS; m++) {
			snprintf(text, sizeof text, "node=%u,leaders=rabenseifner", m);
			set_calls(COLL_ALLREDUCE, m * nodes, 0, 1024);
			set_parameters(two, text, m * nodes);
			if (!play_generate(&play, two, calls, m * nodes) ||
			    !play_execute(&play, PLAY_FIRST_READY_FIRST))
				fail_msg("%s", play.fault);
			assert_int_equal(play.messages, messages + 2 * nodes * (m - 1));
			assert_int_equal(play.bytes, bytes + 2 * nodes * (m - 1) * 1024);
			assert_int_equal(play.depth, depth + 2 * (31 - (uint32_t)__builtin_clz(m)));
		}
	}
}

/* -------------------------------------------------------------- interface */

static void every_kind_has_a_name_and_a_default(void **state)
{
	int kind;

	(void)state;
	for (kind = COLL_BARRIER; kind <= COLL_REDUCE_SCATTER_BLOCK; kind++) {
		assert_non_null(coll_name((enum mpi_collective)kind));
		assert_non_null(coll_find((enum mpi_collective)kind, NULL));
	}
	assert_null(coll_name(COLL_CREATE_HANDLE));
	assert_null(coll_name(COLL_DESTROY_HANDLE));
	assert_null(coll_find(COLL_CREATE_HANDLE, NULL));
	assert_string_equal(coll_name(COLL_ALLREDUCE), "allreduce");
	assert_string_equal(coll_name(COLL_REDUCE_SCATTER_BLOCK), "reduce_scatter_block");
}

static void algorithms_are_found_by_kind_and_name(void **state)
{
	const struct coll_algorithm *algorithm;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		assert_ptr_equal(coll_find(algorithm->kind, algorithm->name), algorithm);
		assert_non_null(algorithm->help);
	}
	assert_null(coll_find(COLL_BARRIER, "ring"));
	assert_null(coll_find(COLL_ALLREDUCE, ""));
	assert_string_equal(coll_find(COLL_BARRIER, NULL)->name, "dissemination");
	assert_string_equal(coll_find(COLL_ALLREDUCE, NULL)->name, "recursive-doubling");
	assert_string_equal(coll_find(COLL_BCAST, NULL)->name, "binomial");
}

static void refused(const struct coll_algorithm *algorithm, const struct collective *call,
		    enum status status, const char *text)
{
	struct goal_builder builder = {0};
	struct front front = {0};
	struct error err;

	assert_int_equal(coll_generate(algorithm, call, &builder, &front, &err), -1);
	assert_int_equal(err.status, status);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not say \"%s\"", err.text, text);
	goal_builder_release(&builder);
	front_release(&front);
}

static void calls_that_contradict_themselves_are_refused(void **state)
{
	const struct coll_algorithm *bcast = coll_find(COLL_BCAST, NULL);
	const struct coll_algorithm *alltoall = coll_find(COLL_ALLTOALL, NULL);
	const struct coll_algorithm *alltoallv = coll_find(COLL_ALLTOALLV, NULL);
	const struct coll_algorithm *allreduce = coll_find(COLL_ALLREDUCE, NULL);
	const uint64_t huge[2] = {UINT64_MAX, 1};

	(void)state;
	refused(bcast, &(struct collective){.kind = COLL_BCAST, .size = 4, .rank = 4},
		STATUS_DATA, "rank 4 of 4");
	refused(bcast, &(struct collective){.kind = COLL_BCAST, .size = 0}, STATUS_DATA,
		"rank 0 of 0");
	refused(bcast, &(struct collective){.kind = COLL_BCAST, .size = 4, .root = NO_ROOT},
		STATUS_DATA, "root 4294967295 among 4");
	refused(bcast, &(struct collective){.kind = COLL_REDUCE, .size = 4}, STATUS_DATA,
		"binomial is no algorithm for reduce");
	refused(bcast, &(struct collective){.kind = COLL_BCAST, .size = UINT32_MAX}, STATUS_LIMIT,
		"2^31");
	refused(alltoall,
		&(struct collective){.kind = COLL_ALLTOALL, .size = 4,
				     .block_bytes = UINT64_C(1) << 62},
		STATUS_LIMIT, "2^64 bytes");
	refused(alltoallv,
		&(struct collective){.kind = COLL_ALLTOALLV, .size = 2, .send_bytes = huge,
				     .receive_bytes = huge},
		STATUS_LIMIT, "2^64 bytes");
	refused(allreduce,
		&(struct collective){.kind = COLL_ALLREDUCE, .size = 2,
				     .block_bytes = UINT64_C(1) << 62, .reduce_ns_per_byte = 4},
		STATUS_LIMIT, "2^63 ns");
}

static void only_the_front_is_waited_for(void **state)
{
	const struct coll_algorithm *algorithm;
	struct goal_builder builder = {0};
	struct front front = {0};
	struct collective call;
	struct error err;
	size_t i, first;
	uint32_t op;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		goal_builder_clear(&builder);
		front.entries.count = 0;
		for (i = 0; i < 10; i++) {
			assert_int_equal(goal_builder_calc(&builder, i, &op, &err), 0);
			/* The front is every other operation, one of them only started. */
			if (i % 2)
				assert_int_equal(front_add(&front, op, i == 3, &err), 0);
		}
		set_calls(algorithm->kind, 8, 5, 8);
		call = calls[5];
		assert_int_equal(coll_generate(algorithm, &call, &builder, &front, &err), 0);
		/* The five are joined once; all else hangs on the collective's own operations. */
		assert_int_equal(builder.ops.items[10].kind, GOAL_CALC);
		for (i = first = 0; i < builder.dependencies.count; i++) {
			const struct goal_dependency *dependency = &builder.dependencies.items[i];

			if (dependency->before >= 10)
				continue;
			assert_int_equal(dependency->after, 10);
			assert_int_equal(dependency->before % 2, 1);
			assert_int_equal(dependency->irequires, dependency->before == 3);
			first++;
		}
		assert_int_equal(first, 5);
		for (i = 0; i < front.entries.count; i++) {
			assert_true(front.entries.items[i].op > 10);
			assert_false(front.entries.items[i].irequires);
		}
	}
	goal_builder_release(&builder);
	front_release(&front);
}

static void peers_are_world_ranks(void **state)
{
	const uint32_t world[] = {40, 30, 20, 10};
	struct goal_builder builder = {0};
	struct front front = {0};
	struct error err;

	(void)state;
	assert_int_equal(coll_generate(coll_find(COLL_BARRIER, NULL),
				       &(struct collective){.kind = COLL_BARRIER, .size = 4,
							    .rank = 3, .world = world, .tag = 9},
				       &builder, &front, &err), 0);
	assert_int_equal(builder.ops.count, 4);
	assert_int_equal(builder.ops.items[0].peer, 40);
	assert_int_equal(builder.ops.items[1].peer, 20);
	assert_int_equal(builder.ops.items[2].peer, 30);
	assert_int_equal(builder.ops.items[3].peer, 30);
	assert_int_equal(builder.ops.items[3].tag, 9);
	assert_int_equal(builder.ops.items[3].size, 0);
	goal_builder_release(&builder);
	front_release(&front);
}

/* The costs of all calcs of one rank. */
static uint64_t reduction_ns(enum mpi_collective kind, const char *name, uint32_t rank)
{
	struct goal_builder builder = {0};
	struct front front = {0};
	struct collective call = {.kind = kind, .size = 4, .rank = rank, .block_bytes = 1001,
				  .reduce_ns_per_byte = 0.5};
	uint64_t ns = 0;
	struct error err;

	assert_int_equal(coll_generate(coll_find(kind, name), &call, &builder, &front, &err), 0);
	for (size_t i = 0; i < builder.ops.count; i++)
		ns += builder.ops.items[i].kind == GOAL_CALC ? builder.ops.items[i].size : 0;
	goal_builder_release(&builder);
	front_release(&front);
	return ns;
}

static void combining_costs_time_for_each_byte(void **state)
{
	(void)state;
	/* 500.5 ns a vector, rounded up, in two rounds. */
	assert_int_equal(reduction_ns(COLL_ALLREDUCE, "recursive-doubling", 2), 2 * 501);
	/* Half the vector (501 bytes), then a quarter (251 bytes). */
	assert_int_equal(reduction_ns(COLL_ALLREDUCE, "rabenseifner", 0), 251 + 126);
	assert_int_equal(reduction_ns(COLL_REDUCE, "linear", 0), 3 * 501);
	assert_int_equal(reduction_ns(COLL_REDUCE, "linear", 1), 0);
	/* Into the partial result in both rounds, into the result in those from lower ranks. */
	assert_int_equal(reduction_ns(COLL_SCAN, "recursive-doubling", 0), 2 * 501);
	assert_int_equal(reduction_ns(COLL_SCAN, "recursive-doubling", 3), 2 * 1001);
	assert_int_equal(reduction_ns(COLL_BCAST, "binomial", 1), 0);
	assert_int_equal(reduction_ns(COLL_ALLGATHER, "ring", 1), 0);
}

/* Through a file and back, as the commands do it. */
static void all_algorithms_make_graphs_without_leftovers(void **state)
{
	const struct coll_algorithm *algorithm;
	char path[] = "/tmp/test-collectives-XXXXXX";
	struct goal_builder builder = {0};
	struct goal_matching matching;
	struct goal_writer writer;
	struct goal graph;
	struct error err;
	uint32_t rank;
	int file = mkstemp(path);

	(void)state;
	assert_true(file >= 0);
	close(file);
	assert_int_equal(goal_writer_open(&writer, path, GOAL_BINARY, 13, &err), 0);
	for (rank = 0; rank < 13; rank++) {
		struct front front = {0};

		goal_builder_clear(&builder);
		for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
			struct collective call = {
				.kind = algorithm->kind, .size = 13, .rank = rank, .root = 12,
				.block_bytes = 100, .reduce_ns_per_byte = 1,
				.tag = (uint32_t)(algorithm - coll_algorithms)};

			set_ring(&call);
			if (coll_is_inter(call.kind))
				set_groups(&call, 5, 0);
			if (coll_generate(algorithm, &call, &builder, &front, &err) < 0)
				fail_msg("%s", err.text);
		}
		front_release(&front);
		assert_int_equal(goal_writer_rank(&writer, &builder, &err), 0);
	}
	goal_builder_release(&builder);
	assert_int_equal(goal_writer_close(&writer, &err), 0);
	assert_int_equal(goal_open(&graph, path, &err), 0);
	unlink(path);
	if (goal_match(&matching, &graph, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(matching.message_count > 13 * 12);
	goal_matching_release(&matching);
	goal_release(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_a_name_and_a_default),
		cmocka_unit_test(algorithms_are_found_by_kind_and_name),
		cmocka_unit_test(calls_that_contradict_themselves_are_refused),
		cmocka_unit_test(only_the_front_is_waited_for),
		cmocka_unit_test(peers_are_world_ranks),
		cmocka_unit_test(combining_costs_time_for_each_byte),
		cmocka_unit_test(every_algorithm_moves_the_data_that_mpi_specifies),
		cmocka_unit_test(it_does_so_among_18_to_33_ranks),
		cmocka_unit_test(v_forms_do_so_with_random_counts),
		cmocka_unit_test(they_do_so_with_all_parameters),
		cmocka_unit_test(segmented_allgatherv_does_so_with_random_counts),
		cmocka_unit_test(two_levels_follow_the_nodes_of_a_trace),
		cmocka_unit_test(linear_alltoallv_sends_no_empty_blocks),
		cmocka_unit_test(neighbours_several_times_and_of_oneself_get_what_is_theirs),
		cmocka_unit_test(groups_of_all_sizes_get_what_the_other_group_has),
		cmocka_unit_test(groups_do_so_with_random_counts),
		cmocka_unit_test(the_closed_forms_of_the_manual_hold_for_2_to_64_ranks),
		cmocka_unit_test(two_levels_add_the_trees_within_the_nodes),
		cmocka_unit_test(all_algorithms_make_graphs_without_leftovers),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
