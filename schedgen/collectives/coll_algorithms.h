/*
 * All collective algorithms, and what several of them are made of.
 *
 * Each algorithm is one function run for one rank (schedgen/collectives/coll_run.h) and one
 * entry in the table of collective.c.  The comment above a function names its
 * source.  What runs where:
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

/* What a node of a tree passes on. */
enum coll_share {
	COLL_VECTOR,	/* all of the run's tree_area */
	COLL_SUBTREE,	/* the slots with the numbers of the ranks of the subtree */
};

/*
 * Towards the root, from the root, along a binomial tree: the rank v places
 * after the root (in a circle) has parent v - (v's lowest bit) and a subtree of
 * ranks v, v + 1, ...  Children are served one after another.
 */
int coll_binomial_up(struct coll_run *run, enum coll_share share, enum coll_mode mode);
int coll_binomial_down(struct coll_run *run, enum coll_share share);

/* All to the root and the root to all, in one round. */
int coll_linear_up(struct coll_run *run, enum coll_share share, enum coll_mode mode);
int coll_linear_down(struct coll_run *run, enum coll_share share);

/*
 * Trees along which segments are passed on.  Ranks, this one's parent and children.
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
	bool top;		/* there is no parent */
	uint32_t parent;
	uint32_t child_count, children[COLL_MOST_CHILDREN];
};

struct coll_tree coll_chain(const struct coll_run *run);
struct coll_tree coll_binary_tree(const struct coll_run *run);
struct coll_tree coll_doubling_tree(const struct coll_run *run);
struct coll_tree coll_knomial_tree(const struct coll_run *run);
struct coll_tree coll_in_order_tree(const struct coll_run *run);

/* Slots down from the top, or combined up to it, one by one; the circle's end is not passed. */
int coll_pipeline_down(struct coll_run *run, const struct coll_tree *tree, struct coll_slots slots);
int coll_pipeline_up(struct coll_run *run, const struct coll_tree *tree, struct coll_slots slots);

/*
 * What a tree algorithm of bcast, reduce or scatter does, with area 0 as it is and nothing in
 * segments: parts of other collectives.  Others than those that coll_choice.c takes for
 * parameters, and NULL, stand for the binomial one.
 */
int coll_bcast_part(struct coll_run *run, const struct coll_algorithm *bcast);
int coll_reduce_part(struct coll_run *run, const struct coll_algorithm *reduce);
int coll_scatter_part(struct coll_run *run, const struct coll_algorithm *scatter);

/* ---------------------------------------------------------------- folding */

/*
 * Power-of-two algorithms among any number of ranks.  With 2^f <= P < 2^(f+1)
 * the first 2 (P - 2^f) places form pairs; one of each pair stands for both
 * while a group of 2^f ranks works.  A place is a rank's distance from `origin`
 * in a circle.
 */
struct coll_fold {
	uint32_t power;		/* 2^f */
	uint32_t rest;		/* P - 2^f, how many pairs there are */
	uint32_t origin;	/* the rank with place 0 */
	bool first_works;	/* of a pair, the first one works; else the second */
	bool paired, works;	/* this rank */
	uint32_t partner;	/* paired: the other one */
	uint32_t index;		/* works: its number in the group */
};

struct coll_fold coll_fold(const struct coll_run *run, uint32_t origin, bool first_works);

/* The rank with this number in the group. */
uint32_t coll_fold_rank(const struct coll_run *run, const struct coll_fold *fold, uint32_t index);

/* Who does not work hands its slots to the partner, who combines them; one round. */
int coll_fold_in(struct coll_run *run, const struct coll_fold *fold, struct coll_slots slots);

/* Likewise, but each of the two combines half of the slots; two rounds. */
int coll_fold_in_halves(struct coll_run *run, const struct coll_fold *fold,
			struct coll_slots slots);

/* Who does not work gets these slots from the partner; one round. */
int coll_fold_out(struct coll_run *run, const struct coll_fold *fold, struct coll_slots slots);

/* Exchange these slots with all of the group and combine them, distance doubling. */
int coll_fold_doubling(struct coll_run *run, const struct coll_fold *fold,
		       struct coll_slots slots);

/*
 * Combine the pieces of area 0 (as many as the group has ranks), vector halving
 * and distance doubling; in the end each of the group holds one piece, *piece.
 */
int coll_fold_reduce_scatter(struct coll_run *run, const struct coll_fold *fold, uint32_t *piece);

/* ----------------------------------------------------------------- phases */

/* Each rank holds block `own` (the next rank holds the next block); in the end all. */
int coll_ring_allgather(struct coll_run *run, uint32_t own);

/*
 * In the end each rank holds, combined, the block after `first`: P blocks of one slot,
 * or this segment of the blocks.
 */
int coll_ring_reduce_scatter(struct coll_run *run, uint32_t first, uint32_t segment);

/*
 * Each rank holds the slot of its number; in the end all.  Places count from `origin`:
 * aligned groups of 1, 2, 4, ... places exchange what they hold.
 */
int coll_doubling_allgather(struct coll_run *run, uint32_t origin);

/*
 * In an aligned group of `width` places whose neighbour is not full, the ranks without a
 * partner there get what the others received, by halving.  Sets *received for these.
 */
int coll_spread(struct coll_run *run, uint32_t origin, uint32_t width, struct coll_slots slots,
		bool *received);

static inline bool coll_is_power_of_two(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

#endif
