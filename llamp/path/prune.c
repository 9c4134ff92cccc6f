#include "llamp/path/prune.h"

#include "common/parallel/parallel.h"
#include "common/units.h"
#include "llamp/graph/subgraph.h"
#include "llamp/path/longest_path.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Length of no path (minus infinity). */
#define NONE (-1e30F)

/* The compiler chooses the instructions.  GCC 12 makes a maximum of floats one instruction. */
typedef float vector __attribute__((vector_size(32)));

enum { LANES = 16, WIDTH = sizeof(vector) / sizeof(float), VECTORS = LANES / WIDTH };

/* Edges of a step per slot.  A step has at least one per slot and LEAST_STEP_EDGES. */
enum { STEP_EDGES = 8, LEAST_STEP_EDGES = 64 };

/* Lengths at the points of a group, in ns, in one cache line. */
union lanes {
	_Alignas(64) float of[LANES];
	vector vectors[VECTORS];
};

struct place {
	uint64_t edge;
	uint32_t vertex;
};

struct pruner {
	const struct cost_graph *graph;
	const struct direction *direction;
	struct bounds *bounds;
	uint64_t step_edges;
	uint32_t step_count, chunk_steps, chunk_count;
	struct group *groups;
	uint32_t group_count;
	uint64_t *wanted; /* a bit for each edge */
	uint64_t most;	  /* most edges that may be wanted */
	bool given_up;	  /* more edges are wanted, by an estimate; atomic */
};

/*
 * Group of points that are passed together.  Each slot has a head, the length of the longest path
 * to its vertex, and a tail, the length of the longest path from it to the end.
 *
 * Edges are passed in steps.  Before each step heads are shifted so that the largest one is 0:
 * small floats lose little by rounding.  Steps are grouped into chunks.  On the way forward the
 * heads at the beginning of each chunk are saved.  Before the way back through a chunk, the chunk
 * is passed forward again, and the heads that its vertices overwrite are kept.  The way back
 * restores them, so it finds each head as it was when its vertex was passed.
 */
struct group {
	union lanes *expressions;
	union lanes *heads, *tails; /* [slot] */
	bool *alive;		    /* [slot]: has a tail */
	union lanes limit;	    /* of the sum of head and tail */
	union lanes *shifts;	    /* [step]: subtracted from heads before it */
	struct place *starts;	    /* [step]: its first edge; [step_count]: the end */
	union lanes *saved, *kept;
	uint32_t kept_count, most_kept;
	uint64_t *wanted; /* not owned */
	uint64_t marked;  /* number of edges */
};

/* Point of a lane.  Surplus lanes repeat the last point. */
static struct bound *point_of(const struct pruner *pruner, uint32_t group, int lane)
{
	const size_t i = (size_t)group * LANES + (size_t)lane, last = pruner->bounds->count - 1;

	return &pruner->bounds->points[i < last ? i : last];
}

/* -------------------------------------------------------------------- passes */

/* Whether edge i is the first in-edge of its vertex, or after the last edge. */
static inline bool starts_vertex(const struct cost_graph *graph, uint64_t i)
{
	return i == 0 || cost_graph_is_last(graph, i - 1);
}

/* Function that is inlined into a function for each instruction set. */
#define PASS static inline __attribute__((always_inline))

#define EACH_VECTOR(k) _Pragma("GCC unroll 16") for (int k = 0; k < VECTORS; k++)

static const vector none = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};

/* Replace each lane of *to by that of *value if the latter is larger. */
PASS void take_larger(vector *to, const vector *value)
{
	const vector a = *to, b = *value;
	vector larger;

	for (int i = 0; i < WIDTH; i++)
		larger[i] = b[i] > a[i] ? b[i] : a[i];
	*to = larger;
}

PASS void copy_lanes(vector to[VECTORS], const vector from[VECTORS])
{
	EACH_VECTOR (k)
		to[k] = from[k];
}

/* Find the largest value of all slots in each lane. */
PASS void find_largest(const union lanes *values, uint32_t count, union lanes *largest)
{
	*largest = values[0];
	for (uint32_t slot = 1; slot < count; slot++)
		EACH_VECTOR (k)
			take_larger(&largest->vectors[k], &values[slot].vectors[k]);
}

/* Pass forward from *place to the first vertex after `stop`.  `keeping`: keep old heads. */
PASS void advance_heads(const struct cost_graph *graph, struct group *group, struct place *place,
			uint64_t stop, bool keeping)
{
	const struct cost_edges edges = graph->edges;
	const uint32_t *slot = &graph->slots[place->vertex];
	union lanes *kept = group->kept + group->kept_count;
	uint64_t i = place->edge;
	vector best[VECTORS];

	EACH_VECTOR (k)
		best[k] = none;
	while (i < stop || !starts_vertex(graph, i)) {
		const struct cost_edge edge = cost_edges_at(&edges, i++);
		const vector *from = group->heads[edge.from].vectors;
		const vector *expression = group->expressions[cost_edge_expression(&edge)].vectors;
		const float ns = (float)edge.ns;

		EACH_VECTOR (k) {
			const vector value = from[k] + (expression[k] + ns);

			take_larger(&best[k], &value);
		}
		if (!(edge.expression & COST_LAST_EDGE))
			continue;
		if (keeping)
			copy_lanes(kept++->vectors, group->heads[*slot].vectors);
		copy_lanes(group->heads[*slot].vectors, best);
		EACH_VECTOR (k)
			best[k] = none;
		slot++;
	}
	group->kept_count = (uint32_t)(kept - group->kept);
	*place = (struct place){i, (uint32_t)(slot - graph->slots)};
}

/* Pass forward through a step, for the first time or (`keeping`) again. */
PASS void step_forward(const struct cost_graph *graph, struct group *group, uint32_t step,
		       uint64_t stop, bool keeping)
{
	union lanes *shift = &group->shifts[step];
	struct place place = group->starts[step];

	if (!keeping)
		find_largest(group->heads, graph->slot_count, shift);
	for (uint32_t slot = 0; slot < graph->slot_count; slot++)
		EACH_VECTOR (k)
			group->heads[slot].vectors[k] -= shift->vectors[k];
	advance_heads(graph, group, &place, stop, keeping);
	group->starts[step + 1] = place;
}

/* Whether head + value reaches the limit in any lane. */
PASS bool prune_reaches(const vector head[VECTORS], const vector value[VECTORS],
			const vector limit[VECTORS])
{
	union {
		__typeof__(*head >= *limit) vector;
		uint64_t of[sizeof(vector) / sizeof(uint64_t)];
	} reached = {0};

	EACH_VECTOR (k)
		reached.vector |= head[k] + value[k] >= limit[k];
	return (reached.of[0] | reached.of[1] | reached.of[2] | reached.of[3]) != 0;
}

/*
 * Mark the in-edges of a vertex that are on a path that reaches the limit, and extend tails by
 * them.  `rest` is the tail of the vertex.  Returns the number of the first in-edge.
 */
PASS uint64_t mark_edges(const struct cost_graph *graph, struct group *group, uint64_t end,
			 const vector rest[VECTORS])
{
	uint64_t i = end;

	do {
		const struct cost_edge edge = cost_graph_edge(graph, --i);
		const vector *expression = group->expressions[cost_edge_expression(&edge)].vectors;
		vector *tail = group->tails[edge.from].vectors;
		const float ns = (float)edge.ns;
		vector value[VECTORS];

		EACH_VECTOR (k)
			value[k] = rest[k] + (expression[k] + ns);
		if (!prune_reaches(group->heads[edge.from].vectors, value, group->limit.vectors))
			continue;
		__atomic_fetch_or(&group->wanted[i / 64], UINT64_C(1) << i % 64, __ATOMIC_RELAXED);
		group->marked++;
		EACH_VECTOR (k) {
			if (group->alive[edge.from])
				take_larger(&value[k], &tail[k]);
			tail[k] = value[k];
		}
		group->alive[edge.from] = true;
	} while (!starts_vertex(graph, i));
	return i;
}

/*
 * Pass back through a step.  If no edge out of a vertex is on a path that reaches the limit, no
 * edge into it is, either.  Such a vertex has no tail and is skipped.
 */
PASS void step_back(const struct cost_graph *graph, struct group *group, uint32_t step)
{
	const struct place *start = &group->starts[step];
	uint32_t vertex = start[1].vertex;
	const vector *shift = group->shifts[step].vectors;
	const union lanes *kept = group->kept + group->kept_count;

	for (uint64_t i = start[1].edge; i > start->edge;) {
		const uint32_t slot = graph->slots[--vertex];
		vector rest[VECTORS];

		copy_lanes(group->heads[slot].vectors, (--kept)->vectors);
		if (!group->alive[slot]) {
			while (!starts_vertex(graph, --i))
				;
			continue;
		}
		group->alive[slot] = false;
		copy_lanes(rest, group->tails[slot].vectors);
		i = mark_edges(graph, group, i, rest);
	}
	group->kept_count = (uint32_t)(kept - group->kept);
	for (uint32_t slot = 0; slot < graph->slot_count; slot++)
		EACH_VECTOR (k) {
			group->heads[slot].vectors[k] += shift[k];
			group->tails[slot].vectors[k] -= shift[k];
		}
}

struct passes {
	void (*advance)(const struct cost_graph *graph, struct group *group, uint32_t step,
			uint64_t stop);
	void (*keep)(const struct cost_graph *graph, struct group *group, uint32_t step);
	void (*go_back)(const struct cost_graph *graph, struct group *group, uint32_t step);
};

#define DEFINE_PASSES(suffix, attributes)                                                          \
	attributes static void advance_##suffix(const struct cost_graph *graph,                    \
						struct group *group, uint32_t step, uint64_t stop) \
	{                                                                                          \
		step_forward(graph, group, step, stop, false);                                     \
	}                                                                                          \
	attributes static void keep_##suffix(const struct cost_graph *graph, struct group *group,  \
					     uint32_t step)                                        \
	{                                                                                          \
		step_forward(graph, group, step, group->starts[step + 1].edge, true);              \
	}                                                                                          \
	attributes static void go_back_##suffix(const struct cost_graph *graph,                    \
						struct group *group, uint32_t step)                \
	{                                                                                          \
		step_back(graph, group, step);                                                     \
	}

DEFINE_PASSES(portable, )
#if defined(__x86_64__)
DEFINE_PASSES(avx2, __attribute__((target("avx2"))))
#endif

/* The best passes for this processor.  Vectors wider than those of AVX2 gain nothing. */
static const struct passes *best_passes(void)
{
	static const struct passes passes[] = {
		{advance_portable, keep_portable, go_back_portable},
#if defined(__x86_64__)
		{advance_avx2, keep_avx2, go_back_avx2},
#endif
	};
	const size_t last = sizeof passes / sizeof *passes - 1;
	const size_t best = (size_t)batch_best();

	return &passes[best < last ? best : last];
}

/* ------------------------------------------------------------------- a group */

static void set_expressions(const struct pruner *pruner, uint32_t item)
{
	const struct direction *direction = pruner->direction;
	const struct cost_expressions *expressions = &pruner->graph->expressions;

	for (uint32_t i = 0; i < expressions->list.count; i++) {
		uint32_t count;
		const struct cost_term *terms = cost_terms(expressions, i, &count);

		for (int k = 0; k < LANES; k++) {
			const double at = point_of(pruner, item, k)->at;
			double sum = 0;

			for (uint32_t j = 0; j < count; j++) {
				const uint32_t v = terms[j].variable;

				sum += (double)terms[j].coefficient *
				       ((double)direction->origin_as[v] +
					(double)direction->weight[v] * at);
			}
			pruner->groups[item].expressions[i].of[k] = (float)(sum / AS_PER_NS);
		}
	}
}

static int start_group(const struct pruner *pruner, struct group *group, struct error *err)
{
	const struct cost_graph *graph = pruner->graph;
	const size_t slots = graph->slot_count;

	group->wanted = pruner->wanted;
	TRY(batch_allocate(&group->expressions, graph->expressions.list.count, err));
	TRY(batch_allocate(&group->heads, slots, err));
	TRY(batch_allocate(&group->tails, slots, err));
	TRY(allocate(&group->alive, slots, sizeof *group->alive, err));
	TRY(batch_allocate(&group->shifts, pruner->step_count, err));
	TRY(allocate(&group->starts, pruner->step_count + (size_t)1, sizeof *group->starts, err));
	return batch_allocate(&group->saved, pruner->chunk_count * slots, err);
}

static void release_group(struct group *group)
{
	free(group->expressions);
	free(group->heads);
	free(group->tails);
	free(group->alive);
	free(group->shifts);
	free(group->starts);
	free(group->saved);
	free(group->kept);
}

/* Pass forward through all steps for the first time. */
static void pass_steps(const struct pruner *pruner, struct group *group)
{
	const struct cost_graph *graph = pruner->graph;
	const size_t bytes = graph->slot_count * sizeof *group->heads;
	uint32_t first = 0;

	memset(group->heads, 0, bytes);
	for (uint32_t step = 0; step < pruner->step_count; step++) {
		const uint64_t stop = (step + 1) * pruner->step_edges;

		if (step % pruner->chunk_steps == 0) {
			memcpy((char *)group->saved + step / pruner->chunk_steps * bytes,
			       group->heads, bytes);
			first = group->starts[step].vertex;
		}
		best_passes()->advance(graph, group, step,
				       stop < graph->edge_count ? stop : graph->edge_count);
		if (group->starts[step + 1].vertex - first > group->most_kept)
			group->most_kept = group->starts[step + 1].vertex - first;
	}
}

/* Find the lengths of the longest paths at the points of a group. */
static int find_lengths(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct pruner *pruner = shared;
	const struct cost_graph *graph = pruner->graph;
	struct group *group = &pruner->groups[item];
	const int rounding = fegetround();

	(void)state;
	TRY(start_group(pruner, group, err));
	fesetround(FE_UPWARD);
	set_expressions(pruner, item);
	pass_steps(pruner, group);
	for (int k = 0; k < LANES; k++) {
		double sum = (double)group->heads[graph->slots[graph->vertex_count - 1]].of[k];

		for (uint32_t step = 0; step < pruner->step_count; step++)
			sum += (double)group->shifts[step].of[k];
		point_of(pruner, item, k)->longest = sum;
	}
	fesetround(rounding);
	return 0;
}

/* Set the limit of head + tail: the limit of lengths less all shifts. */
static void set_limit(const struct pruner *pruner, uint32_t item)
{
	struct group *group = &pruner->groups[item];

	for (int k = 0; k < LANES; k++) {
		double limit = point_of(pruner, item, k)->limit;

		/* Each addition loses less than 2^-52 of the sum. */
		limit -= fabs(limit) * ldexp(pruner->step_count + 64.0, -52);
		for (uint32_t step = 0; step < pruner->step_count; step++)
			limit -= (double)group->shifts[step].of[k];
		group->limit.of[k] = nextafterf((float)limit, -INFINITY);
	}
}

/* Pass back through a chunk, after passing it forward again from the saved heads. */
static void go_back(const struct pruner *pruner, struct group *group, uint32_t chunk)
{
	const size_t bytes = pruner->graph->slot_count * sizeof *group->heads;
	const uint32_t first = chunk * pruner->chunk_steps, all = pruner->step_count;
	const uint32_t end = first + pruner->chunk_steps < all ? first + pruner->chunk_steps : all;

	memcpy(group->heads, (char *)group->saved + chunk * bytes, bytes);
	for (uint32_t step = first; step < end; step++)
		best_passes()->keep(pruner->graph, group, step);
	for (uint32_t step = end; step-- > first;)
		best_passes()->go_back(pruner->graph, group, step);
}

/* Whether to give up because too many edges are marked in the part that has been passed. */
static bool gives_up(struct pruner *pruner, const struct group *group, uint32_t chunk)
{
	const double edges = (double)pruner->graph->edge_count;
	const double passed = edges - (double)group->starts[chunk * pruner->chunk_steps].edge;

	if (passed > edges / 16 && (double)group->marked > (double)pruner->most / edges * passed)
		__atomic_store_n(&pruner->given_up, true, __ATOMIC_RELAXED);
	return __atomic_load_n(&pruner->given_up, __ATOMIC_RELAXED);
}

/* Mark the edges on paths that reach one of the limits of a group. */
static int mark_group(void *shared, void *state, uint32_t item, struct error *err)
{
	struct pruner *pruner = shared;
	const struct cost_graph *graph = pruner->graph;
	struct group *group = &pruner->groups[item];
	const int rounding = fegetround();
	uint32_t chunk = pruner->chunk_count;

	(void)state;
	TRY(batch_allocate(&group->kept, group->most_kept, err));
	fesetround(FE_UPWARD);
	set_limit(pruner, item);
	memset(group->tails, 0, graph->slot_count * sizeof *group->tails);
	group->alive[graph->slots[graph->vertex_count - 1]] = true;
	do
		go_back(pruner, group, --chunk);
	while (chunk > 0 && !gives_up(pruner, group, chunk));
	fesetround(rounding);
	return 0;
}

/* ------------------------------------------------------------------- pruning */

/*
 * Choose the sizes of steps and chunks.  A step has enough edges to take longer than the shift of
 * all heads.  A subgraph has about as many steps as the whole graph, since heads must stay as
 * small.  All chunks together save about as many heads as one chunk keeps.
 */
static void set_steps(struct pruner *pruner)
{
	const struct cost_graph *graph = pruner->graph;
	const double edges = (double)graph->edge_count, slots = graph->slot_count;
	const double share = fmin(1, edges / (graph->op_count ? graph->op_count : edges));

	pruner->step_edges = (uint64_t)fmax(STEP_EDGES * share * slots, slots + LEAST_STEP_EDGES);
	pruner->step_count = (uint32_t)((graph->edge_count - 1) / pruner->step_edges + 1);
	pruner->chunk_steps = (uint32_t)(sqrt(edges * slots) / (double)pruner->step_edges) + 1;
	pruner->chunk_count = (pruner->step_count - 1) / pruner->chunk_steps + 1;
}

/* Memory that an evaluation of several points takes for an expression. */
enum { EVALUATION_BYTES = BATCH_LANES * sizeof(int64_t) };

bool prune_fits(const struct cost_graph *graph, size_t count)
{
	struct pruner pruner = {.graph = graph};
	uint64_t lanes;

	set_steps(&pruner);
	lanes = ((uint64_t)pruner.chunk_count + 2) * graph->slot_count +
		pruner.chunk_steps * pruner.step_edges + 2 * (uint64_t)pruner.step_count +
		graph->expressions.list.count;
	return lanes * sizeof(union lanes) * ((count - 1) / LANES + 1) <=
	       (UINT64_C(1) << 26) + graph->edge_count * sizeof *graph->edges.list.items +
		       graph->expressions.list.count * EVALUATION_BYTES;
}

static uint64_t count_wanted(const struct pruner *pruner)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i <= pruner->graph->edge_count / 64; i++)
		count += (uint64_t)__builtin_popcountll(pruner->wanted[i]);
	return count;
}

static int prune(struct cost_graph *subgraph, struct pruner *pruner, struct error *err)
{
	const uint64_t edges = pruner->graph->edge_count;
	struct parallel_work work = {.make = find_lengths, .shared = pruner};
	const double unit = (double)key_slope_unit(pruner->graph, pruner->direction) / AS_PER_NS;

	TRY(allocate(&pruner->wanted, edges / 64 + 1, sizeof *pruner->wanted, err));
	TRY(allocate(&pruner->groups, pruner->group_count, sizeof *pruner->groups, err));
	TRY(parallel_run(&work, pruner->group_count, parallel_threads(edges), err));
	bounds_set(pruner->bounds, unit);
	work.make = mark_group;
	TRY(parallel_run(&work, pruner->group_count, parallel_threads(edges), err));
	if (pruner->given_up || count_wanted(pruner) > pruner->most)
		return 0;
	return subgraph_build(subgraph, pruner->graph, pruner->wanted, err);
}

int prune_graph(struct cost_graph *subgraph, const struct cost_graph *graph,
		const struct direction *direction, struct bounds *bounds, uint64_t most,
		struct error *err)
{
	struct pruner pruner = {
		.graph = graph,
		.direction = direction,
		.bounds = bounds,
		.group_count = (uint32_t)((bounds->count - 1) / LANES + 1),
		.most = most,
	};
	int result;

	*subgraph = (struct cost_graph){0};
	set_steps(&pruner);
	result = prune(subgraph, &pruner, err);
	for (uint32_t i = 0; pruner.groups && i < pruner.group_count; i++)
		release_group(&pruner.groups[i]);
	free(pruner.groups);
	free(pruner.wanted);
	return result;
}
