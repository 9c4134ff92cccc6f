/*
 * All collective algorithms, and their common parts.
 *
 * Each algorithm is one function run for one rank (schedgen/collectives/coll_run.h) and one
 * entry in the table of collective.c.  The comment above a function names its source.
 *
 *	coll_tree.c		binomial and binary trees, linear fan-in and fan-out
 *	coll_pipeline.c		trees along which segments are passed on
 *	coll_gather.c		gather(v), scatter(v)
 *	coll_parts.c		trees as parts of other collectives
 *	coll_two_level.c	within nodes, and among one rank of each
 *	coll_fold.c		groups whose size is no power of two
 *	coll_barrier.c		barrier
 *	coll_reduce_scatter.c	reduce_scatter(_block), and halving and ring phases
 *	coll_allgather.c	allgather(v), and its rings and doublings as phases
 *	coll_bcast.c, coll_reduce.c, coll_allreduce.c, coll_alltoall.c, coll_scan.c,
 *	coll_neighbor.c
 *	coll_inter.c, coll_inter_all.c	inter-communicators: with a root, without
 */
#ifndef SCHEDGEN_COLL_ALGORITHMS_H
#define SCHEDGEN_COLL_ALGORITHMS_H

#include "schedgen/collectives/coll_run.h"

int coll_barrier_dissemination(struct coll_run *run);
int coll_barrier_recursive_doubling(struct coll_run *run);
int coll_barrier_binomial(struct coll_run *run);
int coll_barrier_linear(struct coll_run *run);
int coll_barrier_two_level(struct coll_run *run);

int coll_bcast_binomial(struct coll_run *run);
int coll_bcast_scatter_recursive_doubling(struct coll_run *run);
int coll_bcast_scatter_ring(struct coll_run *run);
int coll_bcast_binary(struct coll_run *run);
int coll_bcast_chain(struct coll_run *run);
int coll_bcast_split_binary(struct coll_run *run);
int coll_bcast_knomial(struct coll_run *run);
int coll_bcast_binomial_doubling(struct coll_run *run);
int coll_bcast_linear(struct coll_run *run);
int coll_bcast_two_level(struct coll_run *run);

int coll_reduce_binomial(struct coll_run *run);
int coll_reduce_scatter_gather(struct coll_run *run);
int coll_reduce_linear(struct coll_run *run);
int coll_reduce_scatter_gather_halves(struct coll_run *run);
int coll_reduce_chain(struct coll_run *run);
int coll_reduce_binary(struct coll_run *run);
int coll_reduce_in_order_binary(struct coll_run *run);
int coll_reduce_two_level(struct coll_run *run);

int coll_gather_binomial(struct coll_run *run);
int coll_gather_linear(struct coll_run *run);
int coll_gather_linear_sync(struct coll_run *run);
int coll_scatter_binomial(struct coll_run *run);
int coll_scatter_linear(struct coll_run *run);

int coll_allreduce_recursive_doubling(struct coll_run *run);
int coll_allreduce_rabenseifner(struct coll_run *run);
int coll_allreduce_ring(struct coll_run *run);
int coll_allreduce_reduce_bcast(struct coll_run *run);
int coll_allreduce_rabenseifner_halves(struct coll_run *run);
int coll_allreduce_dissemination(struct coll_run *run);
int coll_allreduce_two_level(struct coll_run *run);

int coll_allgather_recursive_doubling(struct coll_run *run);
int coll_allgather_bruck(struct coll_run *run);
int coll_allgather_ring(struct coll_run *run);
int coll_allgather_neighbor_exchange(struct coll_run *run);
int coll_allgather_linear(struct coll_run *run);
int coll_allgather_gather_bcast(struct coll_run *run);
int coll_allgather_sparbit(struct coll_run *run);
int coll_allgatherv_ring(struct coll_run *run);

int coll_alltoall_linear(struct coll_run *run);
int coll_alltoall_pairwise(struct coll_run *run);
int coll_alltoall_bruck(struct coll_run *run);
int coll_alltoallv_bruck(struct coll_run *run);

int coll_reduce_scatter_recursive_halving(struct coll_run *run);
int coll_reduce_scatter_pairwise(struct coll_run *run);
int coll_reduce_scatter_ring(struct coll_run *run);
int coll_reduce_scatter_reduce_scatterv(struct coll_run *run);
int coll_reduce_scatter_butterfly(struct coll_run *run);
int coll_reduce_scatter_block_butterfly(struct coll_run *run);
int coll_reduce_scatter_recursive_doubling(struct coll_run *run);

int coll_scan_recursive_doubling(struct coll_run *run);
int coll_scan_linear(struct coll_run *run);
int coll_scan_two_level(struct coll_run *run);
int coll_exscan_recursive_doubling(struct coll_run *run);
int coll_exscan_linear(struct coll_run *run);

int coll_neighbor_direct(struct coll_run *run);

int coll_inter_barrier(struct coll_run *run);
int coll_inter_barrier_exchange(struct coll_run *run);
int coll_inter_bcast(struct coll_run *run);
int coll_inter_bcast_linear(struct coll_run *run);
int coll_inter_gather(struct coll_run *run);
int coll_inter_gather_linear(struct coll_run *run);
int coll_inter_scatter(struct coll_run *run);
int coll_inter_scatter_linear(struct coll_run *run);
int coll_inter_allgather(struct coll_run *run);
int coll_inter_allgather_exchange(struct coll_run *run);
int coll_inter_allgatherv(struct coll_run *run);
int coll_inter_alltoall_pairwise(struct coll_run *run);
int coll_inter_alltoall_linear(struct coll_run *run);
int coll_inter_allreduce(struct coll_run *run);
int coll_inter_reduce(struct coll_run *run);
int coll_inter_reduce_linear(struct coll_run *run);
int coll_inter_reduce_scatter(struct coll_run *run);

/* ------------------------------------------------------------------ trees */

/* Slots that a node of a tree passes on. */
enum coll_share {
	COLL_VECTOR,	/* all of the run's tree_area */
	COLL_SUBTREE,	/* the slots with the numbers of the ranks of the subtree */
};

/*
 * Pass slots up to the root, or down from it, along a binomial tree.  The rank v places after the
 * root (in a circle) has parent v - (v's lowest bit) and a subtree of ranks v, v + 1, ...
 * Children are served one after another.
 */
int coll_binomial_up(struct coll_run *run, enum coll_share share, enum coll_mode mode);
int coll_binomial_down(struct coll_run *run, enum coll_share share);

/* Send from all ranks to the root, or from the root to all ranks, in one round. */
int coll_linear_up(struct coll_run *run, enum coll_share share, enum coll_mode mode);
int coll_linear_down(struct coll_run *run, enum coll_share share);

/*
 * Trees along which segments are passed on, as parent and children of this rank.
 *
 *	chain		each rank has the next one below it
 *	binary tree	levels of 1, 2, 4, ... places after the root; place v of a level
 *			of w has v + w and v + 2 w below it (Open MPI: topo_build_tree)
 *	doubling tree	binomial; place v has v + 2^i below it for all 2^i > v
 *	k-nomial tree	place v has v + i r^j below it for 0 < i < r and all r^j up to
 *			v's lowest non-zero digit in base r, the radix
 *	in-order tree	binary; the top is rank P - 1, whatever the root (Open MPI:
 *			topo_build_in_order_bintree)
 */
enum { COLL_MOST_RADIX = 64, COLL_MOST_CHILDREN = 6 * (COLL_MOST_RADIX - 1) };

struct coll_tree {
	bool top;		/* has no parent */
	uint32_t parent;
	uint32_t child_count, children[COLL_MOST_CHILDREN];
};

struct coll_tree coll_chain(const struct coll_run *run);
struct coll_tree coll_binary_tree(const struct coll_run *run);
struct coll_tree coll_doubling_tree(const struct coll_run *run);
struct coll_tree coll_knomial_tree(const struct coll_run *run);
struct coll_tree coll_in_order_tree(const struct coll_run *run);

/* Pass slots down from the top, or combine them up to it, one by one; `slots` do not wrap. */
int coll_pipeline_down(struct coll_run *run, const struct coll_tree *tree, struct coll_slots slots);
int coll_pipeline_up(struct coll_run *run, const struct coll_tree *tree, struct coll_slots slots);

/*
 * Run a tree algorithm of bcast, reduce or scatter as a part of another collective, on area 0 as
 * it is and without segments.  NULL, and an algorithm that coll_choice.c does not accept as a
 * parameter, select the binomial one.
 */
int coll_bcast_part(struct coll_run *run, const struct coll_algorithm *bcast);
int coll_reduce_part(struct coll_run *run, const struct coll_algorithm *reduce);
int coll_scatter_part(struct coll_run *run, const struct coll_algorithm *scatter);

/* ---------------------------------------------------------------- folding */

/*
 * Power-of-two algorithms among any number of ranks.  With 2^f <= P < 2^(f+1) the first
 * 2 (P - 2^f) places form pairs.  One rank of each pair works for both in a group of 2^f ranks.
 * A place is a rank's distance from `origin` in a circle.
 */
struct coll_fold {
	uint32_t power;		/* 2^f */
	uint32_t rest;		/* P - 2^f, number of pairs */
	uint32_t origin;	/* the rank with place 0 */
	bool first_works;	/* the first rank of a pair works, else the second */
	bool paired, works;	/* this rank */
	uint32_t partner;	/* if paired: the other rank of the pair */
	uint32_t index;		/* if it works: number in the group */
};

struct coll_fold coll_fold(const struct coll_run *run, uint32_t origin, bool first_works);

/* Rank with number `index` in the group. */
uint32_t coll_fold_rank(const struct coll_run *run, const struct coll_fold *fold, uint32_t index);

/* Send slots of ranks that do not work to their partners to be combined, in one round. */
int coll_fold_in(struct coll_run *run, const struct coll_fold *fold, struct coll_slots slots);

/*
 * Combine slots of a pair on the rank that works, in two rounds.  Each rank combines half of them.
 */
int coll_fold_in_halves(struct coll_run *run, const struct coll_fold *fold,
			struct coll_slots slots);

/* Send slots to ranks that do not work from their partners, in one round. */
int coll_fold_out(struct coll_run *run, const struct coll_fold *fold, struct coll_slots slots);

/* Exchange slots with all of the group and combine them, distance doubling. */
int coll_fold_doubling(struct coll_run *run, const struct coll_fold *fold,
		       struct coll_slots slots);

/*
 * Combine the pieces of area 0, one for each rank of the group, by vector halving and distance
 * doubling.  At last each rank of the group has one combined piece, *piece.
 */
int coll_fold_reduce_scatter(struct coll_run *run, const struct coll_fold *fold, uint32_t *piece);

/* ----------------------------------------------------------------- phases */

/* Gather all blocks on each rank.  This rank has block `own`, the next rank the next block. */
int coll_ring_allgather(struct coll_run *run, uint32_t own);

/*
 * Combine P blocks, or one segment of them, so that each rank has the combined block after
 * `first`.
 */
int coll_ring_reduce_scatter(struct coll_run *run, uint32_t first, uint32_t segment);

/*
 * Gather all slots on each rank, which has the slot of its number.  Aligned groups of 1, 2, 4,
 * ... places exchange their slots.  Places count from `origin`.
 */
int coll_doubling_allgather(struct coll_run *run, uint32_t origin);

/*
 * Pass slots on in an aligned group of `width` places whose neighbour group is not full: ranks
 * without a partner there get the slots by halving.  Set *received on these ranks.
 */
int coll_spread(struct coll_run *run, uint32_t origin, uint32_t width, struct coll_slots slots,
		bool *received);

static inline bool coll_is_power_of_two(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

#endif
