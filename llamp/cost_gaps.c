#include "llamp/cost_builder.h"

/* A depth-first search stands at the `next`-th edge out of `op`. */
struct step {
	uint32_t op, next;
};

/* Room for the largest rank. */
struct search {
	uint32_t *position;	/* of the rank's operations in a topological order */
	uint32_t *seen;		/* by which search the operation was last visited */
	uint32_t searches;
	struct step *path;	/* as deep as the rank has operations */
};

static uint32_t degree(const struct goal_op *op)
{
	return op->requires_count + op->irequires_count;
}

static uint32_t successor(const struct goal_block *block, const struct goal_op *op, uint32_t i)
{
	return goal_successor(block, i < op->requires_count
					     ? op->requires_first + i
					     : op->irequires_first + i - op->requires_count);
}

/*
 * Order the operations of a rank topologically and as close to the file as that
 * allows: depth first from the last operation, the positions given from the end.
 */
static void order_rank(struct search *search, const struct goal_block *block)
{
	uint32_t left = block->op_count;

	memset(search->position, 0xff, (size_t)block->op_count * sizeof *search->position);
	for (uint32_t root = block->op_count; root-- > 0;) {
		size_t depth = 0;

		if (search->position[root] != UINT32_MAX)
			continue;
		search->path[depth++] = (struct step){root, 0};
		while (depth) {
			struct step *step = &search->path[depth - 1];
			struct goal_op op = goal_op(block, step->op);

			if (step->next < degree(&op)) {
				uint32_t next = successor(block, &op, step->next++);

				if (search->position[next] == UINT32_MAX)
					search->path[depth++] = (struct step){next, 0};
			} else {
				search->position[step->op] = --left;
				depth--;
			}
		}
	}
}

/*
 * Whether a path leads from one operation to another.  Nothing that stands
 * behind `to` is visited; for sends in the order of the positions the searches
 * of a rank visit disjoint operations.
 */
static bool reaches(struct search *search, const struct goal_block *block, uint32_t from,
		    uint32_t to)
{
	size_t depth = 0;

	search->searches++;
	search->path[depth++] = (struct step){from, 0};
	while (depth) {
		struct step *step = &search->path[depth - 1];
		struct goal_op op = goal_op(block, step->op);
		uint32_t next;

		if (step->next == degree(&op)) {
			depth--;
			continue;
		}
		next = successor(block, &op, step->next++);
		if (next == to)
			return true;
		if (search->position[next] < search->position[to] &&
		    search->seen[next] != search->searches) {
			search->seen[next] = search->searches;
			search->path[depth++] = (struct step){next, 0};
		}
	}
	return false;
}

static bool connected(struct search *search, const struct goal_block *block, uint32_t a,
		      uint32_t b)
{
	return search->position[a] < search->position[b] ? reaches(search, block, a, b)
							 : reaches(search, block, b, a);
}

static int find_in_rank(struct gap_pairs *gaps, struct search *search,
			const struct goal_block *block, struct error *err)
{
	uint32_t last = UINT32_MAX;

	order_rank(search, block);
	memset(search->seen, 0, (size_t)block->op_count * sizeof *search->seen);
	search->searches = 0;
	for (uint32_t i = 0; i < block->op_count; i++) {
		if (goal_op(block, i).kind != GOAL_SEND)
			continue;
		if (last != UINT32_MAX && !connected(search, block, last, i))
			TRY(array_push(&gaps->list,
				       ((struct gap_pair){block->first_op + last,
							  block->first_op + i}),
				       err));
		last = i;
	}
	return 0;
}

int gap_pairs_find(struct gap_pairs *gaps, const struct goal *goal, struct error *err)
{
	struct search search = {0};
	uint32_t largest = 0;
	int status = 0;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		if (goal->ranks[rank].op_count > largest)
			largest = goal->ranks[rank].op_count;
	if (allocate(&search.position, largest, sizeof *search.position, err) < 0 ||
	    allocate(&search.seen, largest, sizeof *search.seen, err) < 0 ||
	    allocate(&search.path, (size_t)largest + 1, sizeof *search.path, err) < 0)
		status = -1;
	for (uint32_t rank = 0; status == 0 && rank < goal->rank_count; rank++)
		status = find_in_rank(gaps, &search, &goal->ranks[rank], err);
	free(search.position);
	free(search.seen);
	free(search.path);
	return status;
}
