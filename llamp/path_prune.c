#include "llamp/path_prune.h"

#include "common/parallel.h"
#include "common/units.h"
#include "llamp/path_line.h"
#include "llamp/path_pass.h"

#include <math.h>
#include <string.h>

/* The length of a path that there is not. */
#define NONE (-1e300)

/* Which instructions a vector takes is the compiler's business. */
typedef double vector __attribute__((vector_size(32)));

enum { WIDTH = sizeof(vector) / sizeof(double), VECTORS = PATH_LANES / WIDTH };

/* Lengths at the points of a group, in ns; or of the chords between each and the next. */
union lanes {
	_Alignas(64) double of[PATH_LANES];
	vector vectors[VECTORS];
};

/* Points that ascend; an interval may lie between one and the next. */
struct group {
	union lanes at_as;
	/* Of intervals: what the ends of chords weigh where they are compared, with what. */
	union lanes low, high, limit;
};

struct place {
	uint64_t edge;
	uint32_t vertex;
};

struct pruner {
	const struct cost_graph *graph;
	const struct loggps *loggps;
	int varied;
	struct group *groups;
	uint32_t group_count;
	uint64_t chunk_edges;
	uint32_t chunk_count;
	uint64_t *wanted;	/* a bit for each edge */
};

/*
 * A thread's.  The values at the beginning of each chunk of edges are saved on the way
 * forward, so that on the way back each chunk is passed again, and its values noted.
 */
struct worker {
	const struct group *group;
	union lanes *forms, *form_chords;
	union lanes *values;		/* of slots: of paths from the beginning or to the end */
	union lanes *saved;		/* values at the beginning of each chunk */
	struct place *starts;		/* of chunks, and the end */
	union lanes *chords;		/* of the slots when a chunk begins, and of its vertices */
	uint32_t *owner;		/* of slots: index of its chord */
	uint32_t *sources;		/* of the edges of the chunk: index of the chord */
	uint64_t *wanted;
};

/* -------------------------------------------------------------------- groups */

/* In as; all terms are positive, so that little is lost. */
static double line_value(struct line line, struct rational at)
{
	return (double)line.constant + (double)line.slope * ((double)at.numerator /
							     (double)at.denominator);
}

static bool same_point(struct rational a, struct rational b)
{
	return a.numerator == b.numerator && a.denominator == b.denominator;
}

/*
 * Compare chords near to where the lines meet.  The shares add up to 1 exactly: any
 * point would be right.
 */
static void set_interval(struct group *group, int lane, const struct path_interval *interval,
			 double margin)
{
	const double below = lines_distance_at(interval->begin, interval->end, interval->low);
	const double above = lines_distance_at(interval->end, interval->begin, interval->high);
	const double low = ldexp(rint(ldexp(above / (below + above), 30)), -30);
	const double begin = low * line_value(interval->begin, interval->low) +
			     (1 - low) * line_value(interval->begin, interval->high);
	const double end = low * line_value(interval->end, interval->low) +
			   (1 - low) * line_value(interval->end, interval->high);

	group->low.of[lane] = low;
	group->high.of[lane] = 1 - low;
	group->limit.of[lane] = (begin < end ? begin : end) / AS_PER_NS * (1 - margin);
}

/* Points are put into lanes one after the other, intervals where the lower one is. */
static int make_groups(struct pruner *pruner, const struct path_interval *intervals,
		       size_t count, struct error *err)
{
	/* Sums of so many terms lose less than 2^-53 of each partial sum, and so do weights. */
	const double margin = ldexp(pruner->graph->vertex_count + 64.0, -52);
	int lanes = PATH_LANES;
	struct group *group = NULL;

	/* A group that is full has half as many intervals as lanes, or more. */
	TRY(path_lanes_allocate(&pruner->groups, (count / (PATH_LANES / 2) + 1) *
				(sizeof *group / sizeof(union lanes)), err));
	for (size_t i = 0; i < count; i++) {
		const struct path_interval *interval = &intervals[i];
		const bool goes_on = i > 0 && same_point(interval[-1].high, interval->low);

		if (lanes + 2 - goes_on > PATH_LANES) {
			group = &pruner->groups[pruner->group_count++];
			memset(group, 0, sizeof *group);
			for (int lane = 0; lane < PATH_LANES; lane++)
				group->limit.of[lane] = -NONE;
			lanes = 0;
		}
		if (lanes == 0 || !goes_on)
			group->at_as.of[lanes++] = rational_value(interval->low);
		set_interval(group, lanes - 1, interval, margin);
		group->at_as.of[lanes++] = rational_value(interval->high);
	}
	return 0;
}

/* -------------------------------------------------------------------- passes */

/* Inlined into a function for each instruction set. */
#define PASS static inline __attribute__((always_inline))

static const union lanes none = {.of = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
					  NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE}};

#define EACH_VECTOR(k) _Pragma("GCC unroll 16") for (int k = 0; k < VECTORS; k++)

/* The larger ones; a single instruction where there is one. */
PASS void raise(vector *to, const vector *value)
{
	const vector a = *to, b = *value;
	vector larger;

	for (int i = 0; i < WIDTH; i++)
		larger[i] = b[i] > a[i] ? b[i] : a[i];
	*to = larger;
}

PASS void copy(vector to[VECTORS], const vector from[VECTORS])
{
	EACH_VECTOR(k)
		to[k] = from[k];
}

PASS void chords(const struct group *group, const vector values[VECTORS], vector sums[VECTORS])
{
	EACH_VECTOR(k) {
		const vector value = values[k];
		const double behind = k + 1 < VECTORS ? values[k + 1][0] : 0;
		const vector next = {value[1], value[2], value[3], behind};

		sums[k] = group->low.vectors[k] * value + group->high.vectors[k] * next;
	}
}

/* Forward from *place to the first vertex behind `stop`; chords are noted or not. */
PASS void advance(const struct cost_graph *graph, struct worker *worker, struct place *place,
		  uint64_t stop, bool noting)
{
	const struct cost_vertex *vertex = &graph->vertices[place->vertex];
	union lanes *chord = worker->chords + graph->slot_count;
	vector best[VECTORS];
	uint64_t i = place->edge;

	copy(best, none.vectors);
	while (i < stop || !(graph->edges[i - 1].form & COST_LAST_EDGE)) {
		const struct cost_edge *edge = &graph->edges[i];
		const vector *from = worker->values[edge->from].vectors;
		const vector *form = worker->forms[cost_edge_form(edge)].vectors;
		const double ns = (double)edge->ns;

		EACH_VECTOR(k) {
			const vector value = from[k] + (form[k] + ns);

			raise(&best[k], &value);
		}
		if (noting)
			worker->sources[i - place->edge] = worker->owner[edge->from];
		i++;
		if (!(edge->form & COST_LAST_EDGE))
			continue;
		copy(worker->values[vertex->slot].vectors, best);
		if (noting) {
			chords(worker->group, best, chord->vectors);
			worker->owner[vertex->slot] = (uint32_t)(chord++ - worker->chords);
		}
		copy(best, none.vectors);
		vertex++;
	}
	*place = (struct place){i, (uint32_t)(vertex - graph->vertices)};
}

/* Whether any of all reaches 0. */
PASS bool any_reached(const vector sums[VECTORS])
{
	vector most = sums[0];

	EACH_VECTOR(k)
		raise(&most, &sums[k]);
	return (most[0] >= 0) | (most[1] >= 0) | (most[2] >= 0) | (most[3] >= 0);
}

/* Back through a chunk whose chords are noted: which edges have a chord not below its limit. */
PASS void go_back(const struct cost_graph *graph, struct worker *worker, struct place first,
		  struct place end)
{
	const struct cost_vertex *vertex = &graph->vertices[end.vertex];
	vector rest[VECTORS], above[VECTORS];

	copy(rest, none.vectors);
	copy(above, none.vectors);
	for (uint64_t i = end.edge; i-- > first.edge;) {
		const struct cost_edge *edge = &graph->edges[i];
		const double ns = (double)edge->ns;
		const vector *form = worker->forms[cost_edge_form(edge)].vectors;
		const vector *form_chord = worker->form_chords[cost_edge_form(edge)].vectors;
		const vector *source = worker->chords[worker->sources[i - first.edge]].vectors;
		vector *from = worker->values[edge->from].vectors;
		vector sums[VECTORS];

		if (edge->form & COST_LAST_EDGE) {
			vertex--;
			copy(rest, worker->values[vertex->slot].vectors);
			copy(worker->values[vertex->slot].vectors, none.vectors);
			chords(worker->group, rest, above);
			EACH_VECTOR(k)
				above[k] -= worker->group->limit.vectors[k];
		}
		EACH_VECTOR(k) {
			const vector value = rest[k] + (form[k] + ns);

			raise(&from[k], &value);
			sums[k] = source[k] + (form_chord[k] + ns) + above[k];
		}
		worker->wanted[i / 64] |= (uint64_t)any_reached(sums) << i % 64;
	}
}

struct passes {
	void (*advance)(const struct cost_graph *graph, struct worker *worker, struct place *place,
			uint64_t stop);
	void (*note)(const struct cost_graph *graph, struct worker *worker, struct place *place,
		     uint64_t stop);
	void (*go_back)(const struct cost_graph *graph, struct worker *worker, struct place first,
			struct place end);
};

#define DEFINE_PASSES(suffix, attributes)                                                   \
	attributes static void advance_##suffix(const struct cost_graph *graph,             \
						struct worker *worker, struct place *place, \
						uint64_t stop)                              \
	{                                                                                   \
		advance(graph, worker, place, stop, false);                                 \
	}                                                                                   \
	attributes static void note_##suffix(const struct cost_graph *graph,                \
					     struct worker *worker, struct place *place,    \
					     uint64_t stop)                                 \
	{                                                                                   \
		advance(graph, worker, place, stop, true);                                  \
	}                                                                                   \
	attributes static void go_back_##suffix(const struct cost_graph *graph,             \
						struct worker *worker, struct place first,  \
						struct place end)                           \
	{                                                                                   \
		go_back(graph, worker, first, end);                                         \
	}

DEFINE_PASSES(portable, )
#if defined(__x86_64__)
DEFINE_PASSES(avx2, __attribute__((target("avx2"))))
DEFINE_PASSES(avx512, __attribute__((target("avx512f,avx512dq"))))
#endif

/* As path_lanes_best counts them. */
static const struct passes passes[] = {
	{advance_portable, note_portable, go_back_portable},
#if defined(__x86_64__)
	{advance_avx2, note_avx2, go_back_avx2},
	{advance_avx512, note_avx512, go_back_avx512},
#endif
};

/* ------------------------------------------------------------------- a group */

static void set_forms(const struct pruner *pruner, struct worker *worker)
{
	for (size_t i = 0; i < pruner->graph->forms.list.count; i++) {
		const struct cost_form *form = &pruner->graph->forms.list.items[i];

		for (int k = 0; k < PATH_LANES; k++) {
			double sum = 0;

			for (int term = 0; term < TERM_COUNT; term++)
				sum += (double)form->of[term] *
				       (term == pruner->varied
						? worker->group->at_as.of[k]
						: (double)path_key_value(pruner->loggps, term));
			worker->forms[i].of[k] = sum / AS_PER_NS;
		}
		chords(worker->group, worker->forms[i].vectors, worker->form_chords[i].vectors);
	}
}

/* Forward through all chunks; how many edges and vertices the largest ones have. */
static void go_forward(const struct pruner *pruner, struct worker *worker, uint64_t *edges,
		       uint32_t *vertices)
{
	const struct cost_graph *graph = pruner->graph;
	struct place place = {0};

	*edges = *vertices = 0;
	memset(worker->values, 0, graph->slot_count * sizeof *worker->values);
	for (uint32_t i = 0; i < pruner->chunk_count; i++) {
		const struct place start = place;
		const uint64_t stop = (i + 1) * pruner->chunk_edges;

		worker->starts[i] = start;
		memcpy(worker->saved + (size_t)i * graph->slot_count, worker->values,
		       graph->slot_count * sizeof *worker->values);
		passes[path_lanes_best()].advance(
			graph, worker, &place, stop < graph->edge_count ? stop : graph->edge_count);
		if (place.edge - start.edge > *edges)
			*edges = place.edge - start.edge;
		if (place.vertex - start.vertex > *vertices)
			*vertices = place.vertex - start.vertex;
	}
	worker->starts[pruner->chunk_count] = place;
}

/* Note the chords of a chunk, from the values that were saved. */
static void note_chunk(const struct pruner *pruner, struct worker *worker, uint32_t chunk)
{
	const struct cost_graph *graph = pruner->graph;
	union lanes *values = worker->values;
	struct place place = worker->starts[chunk];

	worker->values = worker->saved + (size_t)chunk * graph->slot_count;
	for (uint32_t slot = 0; slot < graph->slot_count; slot++) {
		chords(worker->group, worker->values[slot].vectors,
		       worker->chords[slot].vectors);
		worker->owner[slot] = slot;
	}
	passes[path_lanes_best()].note(graph, worker, &place, worker->starts[chunk + 1].edge);
	worker->values = values;
}

static int start_worker(const struct pruner *pruner, struct worker *worker, struct error *err)
{
	const struct cost_graph *graph = pruner->graph;
	const size_t forms = graph->forms.list.count, slots = graph->slot_count;

	if (worker->wanted)
		return 0;
	TRY(path_lanes_allocate(&worker->forms, forms, err));
	TRY(path_lanes_allocate(&worker->form_chords, forms, err));
	TRY(path_lanes_allocate(&worker->values, slots, err));
	TRY(path_lanes_allocate(&worker->saved, pruner->chunk_count * slots, err));
	TRY(allocate(&worker->starts, pruner->chunk_count + (size_t)1, sizeof *worker->starts,
		     err));
	TRY(allocate(&worker->owner, slots, sizeof *worker->owner, err));
	return allocate(&worker->wanted, graph->edge_count / 64 + 1, sizeof *worker->wanted, err);
}

static int prune_group(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct pruner *pruner = shared;
	const struct cost_graph *graph = pruner->graph;
	struct worker *worker = state;
	uint64_t edges;
	uint32_t vertices;

	TRY(start_worker(pruner, worker, err));
	worker->group = &pruner->groups[item];
	set_forms(pruner, worker);
	go_forward(pruner, worker, &edges, &vertices);
	if (!worker->chords) {
		TRY(path_lanes_allocate(&worker->chords, (size_t)graph->slot_count + vertices,
					err));
		TRY(allocate(&worker->sources, edges, sizeof *worker->sources, err));
	}
	for (uint32_t slot = 0; slot < graph->slot_count; slot++)
		worker->values[slot] = none;
	worker->values[graph->vertices[graph->vertex_count - 1].slot] = (union lanes){.of = {0}};
	for (uint32_t i = pruner->chunk_count; i-- > 0;) {
		note_chunk(pruner, worker, i);
		passes[path_lanes_best()].go_back(graph, worker, worker->starts[i],
						  worker->starts[i + 1]);
	}
	return 0;
}

static int merge_group(void *shared, void *state, uint32_t item, struct error *err)
{
	struct pruner *pruner = shared;
	struct worker *worker = state;

	(void)item;
	(void)err;
	for (uint64_t i = 0; i <= pruner->graph->edge_count / 64; i++)
		pruner->wanted[i] |= worker->wanted[i];
	return 0;
}

static void release_worker(void *state)
{
	struct worker *worker = state;

	free(worker->forms);
	free(worker->form_chords);
	free(worker->values);
	free(worker->saved);
	free(worker->starts);
	free(worker->chords);
	free(worker->owner);
	free(worker->sources);
	free(worker->wanted);
}

/* ------------------------------------------------------------------ the part */

/*
 * Copy the edges that are wanted and can be reached.  A slot is alive while the vertex
 * that has it is one of the part.
 */
static void copy_wanted(struct cost_graph *part, const struct cost_graph *graph,
			const uint64_t *wanted, bool *alive)
{
	uint64_t i = 0;

	alive[0] = true;
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const uint64_t first = part->edge_count;
		const uint32_t slot = graph->vertices[v].slot;

		do {
			const struct cost_edge *edge = &graph->edges[i];

			if (!(wanted[i / 64] >> i % 64 & 1) || !alive[edge->from])
				continue;
			part->edges[part->edge_count] = *edge;
			part->edges[part->edge_count++].form = cost_edge_form(edge);
		} while (!(graph->edges[i++].form & COST_LAST_EDGE));
		alive[slot] = part->edge_count > first;
		if (!alive[slot])
			continue;
		part->edges[part->edge_count - 1].form |= COST_LAST_EDGE;
		part->vertices[part->vertex_count++] = graph->vertices[v];
	}
}

static int make_part(struct cost_graph *part, const struct pruner *pruner, struct error *err)
{
	const struct cost_graph *graph = pruner->graph;
	uint64_t count = 0;
	bool *alive;

	*part = *graph;
	part->edges = NULL;
	part->vertices = NULL;
	part->edge_count = part->vertex_count = 0;
	for (uint64_t i = 0; i <= graph->edge_count / 64; i++)
		count += (uint64_t)__builtin_popcountll(pruner->wanted[i]);
	TRY(allocate(&alive, graph->slot_count, sizeof *alive, err));
	if (allocate(&part->edges, count, sizeof *part->edges, err) < 0 ||
	    allocate(&part->vertices, count, sizeof *part->vertices, err) < 0) {
		free(alive);
		path_prune_release(part);
		return -1;
	}
	copy_wanted(part, graph, pruner->wanted, alive);
	free(alive);
	return 0;
}

/* So many that the values saved of all chunks are as many as those noted of one. */
static uint64_t chunk_edges(const struct cost_graph *graph)
{
	return (uint64_t)sqrt((double)graph->edge_count * graph->slot_count) + 1;
}

bool path_prune_fits(const struct cost_graph *graph)
{
	const uint64_t edges = chunk_edges(graph);
	const uint64_t lanes = (graph->edge_count / edges + 1) * graph->slot_count + edges;

	return lanes * sizeof(union lanes) <=
	       (UINT64_C(1) << 26) + graph->edge_count * sizeof *graph->edges;
}

static int prune(struct cost_graph *part, struct pruner *pruner, struct error *err)
{
	const struct parallel_work work = {
		.make = prune_group, .take = merge_group, .shared = pruner,
		.state_bytes = sizeof(struct worker), .release = release_worker,
	};

	TRY(allocate(&pruner->wanted, pruner->graph->edge_count / 64 + 1, sizeof *pruner->wanted,
		     err));
	TRY(parallel_run(&work, pruner->group_count,
			 parallel_threads(pruner->graph->edge_count), err));
	return make_part(part, pruner, err);
}

int path_prune(struct cost_graph *part, const struct cost_graph *graph,
	       const struct loggps *loggps, enum parameter parameter,
	       const struct path_interval *intervals, size_t count, struct error *err)
{
	struct pruner pruner = {.graph = graph, .loggps = loggps, .varied = (int)parameter,
				.chunk_edges = chunk_edges(graph)};
	int result;

	pruner.chunk_count = (uint32_t)((graph->edge_count - 1) / pruner.chunk_edges + 1);
	result = make_groups(&pruner, intervals, count, err);
	if (result == 0)
		result = prune(part, &pruner, err);
	free(pruner.groups);
	free(pruner.wanted);
	return result;
}

void path_prune_release(struct cost_graph *part)
{
	free(part->edges);
	free(part->vertices);
	part->edges = NULL;
	part->vertices = NULL;
}
