#include "llamp/graph/gaps.h"

#include "llamp/graph/cycle.h"

/*
 * Numbers of two sends of a rank that the gap keeps apart.  `first` starts first.
 */
struct gap_pair {
	uint32_t first, second;
};

struct gap_pairs {
	ARRAY(struct gap_pair) list;
};

/* Step of a depth-first search.  `next` is the number of edges of `op` that were visited. */
struct step {
	uint32_t op, next;
};

/* Search in a rank.  The arrays have room for the largest rank. */
struct search {
	uint32_t *position;	/* [operation of the rank]: place in topological order */
	uint32_t *seen;		/* [operation of the rank]: number of its last search */
	uint32_t searches;
	struct step *path;	/* operations from the root of the search */
};

/* Positions of operations that have none yet: not visited, and on the path. */
#define UNSEEN UINT32_MAX
#define ON_PATH (UINT32_MAX - 1)

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
 * Order the operations of a rank topologically, and otherwise as in the file: visit them depth
 * first from the last operation of the file, and give the positions from the last one down.  In a
 * cycle they have any positions.
 */
static void order_rank(struct search *search, const struct goal_block *block)
{
	uint32_t left = block->op_count;

	for (uint32_t i = 0; i < block->op_count; i++)
		search->position[i] = UNSEEN;
	for (uint32_t root = block->op_count; root-- > 0;) {
		size_t depth = 0;

		if (search->position[root] != UNSEEN)
			continue;
		search->position[root] = ON_PATH;
		search->path[depth++] = (struct step){root, 0};
		while (depth) {
			struct step *step = &search->path[depth - 1];
			struct goal_op op = goal_op(block, step->op);

			if (step->next < degree(&op)) {
				uint32_t next = successor(block, &op, step->next++);

				if (search->position[next] == UNSEEN) {
					search->position[next] = ON_PATH;
					search->path[depth++] = (struct step){next, 0};
				}
			} else {
				search->position[step->op] = --left;
				depth--;
			}
		}
	}
}

/*
 * Whether a path leads from one operation to another.  No operation after `to` is visited.  If
 * successive sends are in the order of their positions, the searches of a rank visit disjoint
 * operations.
 */
static bool gaps_reaches(struct search *search, const struct goal_block *block, uint32_t from,
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
	return search->position[a] < search->position[b] ? gaps_reaches(search, block, a, b)
							 : gaps_reaches(search, block, b, a);
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

static int find_pairs(struct gap_pairs *gaps, const struct goal *goal, struct error *err)
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

/* ---------------------------------------------------------------- direction */

/* Store the pairs in the execution graph, in the order of their first sends. */
static int set_gaps(struct execution_graph *execution, const struct gap_pairs *gaps,
		    struct error *err)
{
	const uint32_t op_count = execution->goal->op_count;
	uint32_t *first;

	if (!execution->gap_first) {
		TRY(allocate(&execution->gap_first, (size_t)op_count + 1, sizeof *first, err));
		TRY(allocate(&execution->gap_later, gaps->list.count, sizeof *first, err));
	}
	first = execution->gap_first;
	memset(first, 0, ((size_t)op_count + 1) * sizeof *first);
	for (size_t i = 0; i < gaps->list.count; i++)
		first[gaps->list.items[i].first]++;
	for (uint32_t op = 1; op <= op_count; op++)
		first[op] += first[op - 1];
	for (size_t i = gaps->list.count; i-- > 0;) {
		const struct gap_pair *pair = &gaps->list.items[i];

		execution->gap_later[--first[pair->first]] = pair->second;
	}
	return 0;
}

static void gaps_forget(struct execution_graph *execution)
{
	free(execution->gap_first);
	free(execution->gap_later);
	execution->gap_first = execution->gap_later = NULL;
}

/* Depths of events: the largest numbers of edges on a path to them. */
struct depths {
	/*
	 * [operation]: depth of its start.  After the visit of a send or a receive, depth of its
	 * edge to the match, which is greater by 1.
	 */
	uint32_t *of;
	uint32_t here;		/* of the current event */
};

static void open_depth(void *context, struct event at, uint32_t sender)
{
	struct depths *depths = context;

	depths->here = depths->of[at.op];
	if (at.match && depths->of[sender] > depths->here)
		depths->here = depths->of[sender];
}

static void deepen(void *context, const struct edge *edge)
{
	struct depths *depths = context;

	if (edge->target == TARGET_MATCH)
		depths->of[edge->to] = depths->here + 1;
	else if (edge->target == TARGET_START && depths->of[edge->to] <= depths->here)
		depths->of[edge->to] = depths->here + 1;
}

/*
 * Find all depths, and check that the graph without gaps is acyclic.  The result is the depth
 * of each send plus 1, which compares like the depth.
 */
static int find_depths(struct depths *depths, const struct execution_graph *execution,
		       struct error *err)
{
	static const struct order_visitor visitor = {open_depth, deepen};
	struct topological_order order;
	int result = order_init(&order, execution, err);

	if (result == 0)
		result = order_visit(&order, &visitor, depths);
	if (result == 0 && !order_complete(&order))
		result = cycle_error(&order, err);
	order_release(&order);
	return result;
}

/* Returns 1 if the graph has a cycle, else 0, or -1 on failure. */
static int is_cyclic(const struct execution_graph *execution, struct error *err)
{
	struct topological_order order;
	int result = order_visit_all(&order, execution, err);

	if (result == 0 && !order_complete(&order))
		result = 1;
	order_release(&order);
	return result;
}

/* Direct each pair to the send of greater depth. */
static int direct_by_depth(struct execution_graph *execution, struct gap_pairs *gaps,
			   struct error *err)
{
	struct depths depths = {0};
	int result;

	gaps_forget(execution);
	TRY(allocate(&depths.of, execution->goal->op_count, sizeof *depths.of, err));
	result = find_depths(&depths, execution, err);
	for (size_t i = 0; result == 0 && i < gaps->list.count; i++) {
		struct gap_pair *pair = &gaps->list.items[i];

		if (depths.of[pair->second] < depths.of[pair->first])
			*pair = (struct gap_pair){pair->second, pair->first};
	}
	free(depths.of);
	return result < 0 ? -1 : set_gaps(execution, gaps, err);
}

static int find_gaps(struct execution_graph *execution, struct gap_pairs *gaps, struct error *err)
{
	TRY(find_pairs(gaps, execution->goal, err));
	return set_gaps(execution, gaps, err);
}

int gaps_find_in_file_order(struct execution_graph *execution, struct error *err)
{
	struct gap_pairs gaps = {0};
	const int result = find_gaps(execution, &gaps, err);

	array_release(&gaps.list);
	return result;
}

int gaps_find(struct execution_graph *execution, struct error *err)
{
	struct gap_pairs gaps = {0};
	int result = find_gaps(execution, &gaps, err);

	if (result == 0)
		result = is_cyclic(execution, err);
	if (result > 0)
		result = direct_by_depth(execution, &gaps, err);
	array_release(&gaps.list);
	return result;
}
