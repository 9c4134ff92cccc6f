#include "test/unit/lib/oracle/coll_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct collective calls[PLAY_RANKS];
uint64_t matrix[PLAY_RANKS][PLAY_RANKS];
static uint64_t transposed[PLAY_RANKS][PLAY_RANKS];

bool kind_has_vectors(enum mpi_collective kind)
{
	return kind == COLL_GATHERV || kind == COLL_SCATTERV || kind == COLL_ALLGATHERV ||
	       kind == COLL_ALLTOALLV || kind == COLL_ALLTOALLW || kind == COLL_REDUCE_SCATTER;
}

bool kind_has_inter_vectors(enum mpi_collective kind)
{
	return kind_has_vectors((enum mpi_collective)(kind - COLL_INTER_BARRIER + COLL_BARRIER));
}

bool kind_has_root(enum mpi_collective kind)
{
	return kind == COLL_BCAST || kind == COLL_REDUCE || kind == COLL_GATHER ||
	       kind == COLL_GATHERV || kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

void call_set_ring(struct collective *call)
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

void call_set_groups(struct collective *call, uint32_t first, uint32_t root)
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
	if (call->kind == COLL_INTER_REDUCE_SCATTER ||
	    call->kind == COLL_INTER_REDUCE_SCATTER_BLOCK)
		call->block_bytes *= (uint64_t)call->size * call->remote_size;
}

void calls_set(enum mpi_collective kind, uint32_t size, uint32_t root, uint64_t bytes)
{
	for (uint32_t rank = 0; rank < size; rank++) {
		calls[rank] = (struct collective){.kind = kind, .size = size, .rank = rank,
						  .root = root, .tag = 7, .block_bytes = bytes};
		call_set_ring(&calls[rank]);
		if (coll_is_inter(kind) && size > 1)
			call_set_groups(&calls[rank], size / 2, 0);
	}
}

void calls_set_vectors(enum mpi_collective kind, uint32_t size, uint32_t root)
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

void calls_set_parameters(const struct coll_algorithm *algorithm, const char *text, uint32_t size)
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

void calls_tell_sizes(const struct coll_algorithm *algorithm, uint32_t size, uint32_t root)
{
	uint64_t largest = calls[0].block_bytes;

	if (!coll_needs_all_sizes(algorithm))
		return;
	for (uint32_t i = 0; calls[0].send_bytes && i < size * size; i++)
		largest = matrix[i / size][i % size] > largest ? matrix[i / size][i % size] :
								 largest;
	for (uint32_t i = 0; i < size; i++) {
		calls[i].largest_bytes = largest;
		if (!kind_has_root(calls[i].kind))
			continue;
		calls[i].send_bytes = calls[root].send_bytes;
		calls[i].receive_bytes = calls[root].receive_bytes;
	}
}
