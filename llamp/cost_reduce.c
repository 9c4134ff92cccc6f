#include "llamp/cost_reduce.h"

#include "llamp/execution_walk.h"

/* A join of more edges becomes a vertex although only one leads on from it. */
enum { MOST_LED_PAST = 16 };

/* So many edges are looked at to find that one costs no more than others. */
enum { MOST_COMPARED = 8 };

/* An edge of the reduced graph into an instant that was not visited yet. */
struct candidate {
	uint64_t ns;
	uint32_t base;		/* number of a vertex + 1; 0: the beginning of the program */
	uint32_t form;
	uint32_t next;		/* in a list; 0 ends it */
};

struct reducer {
	struct cost_writer writer;
	/*
	 * The note of every operation is a list: the candidates into its start; once
	 * it has started, those into the meeting of its message by way of it.
	 */
	struct walk *walk;
	uint32_t end_list;		/* candidates into the end */
	ARRAY(struct candidate) pool;	/* the first one is not used */
	uint32_t unused;		/* a list */
	/* The instant whose edges are visited. */
	ARRAY(struct candidate) open;
	ARRAY(uint32_t) marks;		/* of every base: which one in `open` came from it last */
	ARRAY(uint64_t) first_edges;	/* of every base: the first edge into it */
	uint32_t instant;
	bool failed;			/* *err says why */
	struct error *err;
};

static bool is_below(const struct reducer *reducer, const struct candidate *a,
		     const struct candidate *b)
{
	const struct cost_form *forms = reducer->writer.forms.list.items;

	return a->ns <= b->ns &&
	       (a->form == b->form || cost_form_below(&forms[a->form], &forms[b->form]));
}

/* Add a candidate to those into the open instant, unless it is dominated. */
static void take(struct reducer *reducer, const struct candidate *candidate)
{
	uint32_t *mark = &reducer->marks.items[candidate->base];

	if (*mark < reducer->open.count &&
	    reducer->open.items[*mark].base == candidate->base) {
		struct candidate *known = &reducer->open.items[*mark];

		if (is_below(reducer, candidate, known))
			return;
		if (is_below(reducer, known, candidate)) {
			*known = *candidate;
			return;
		}
	}
	*mark = (uint32_t)reducer->open.count;
	if (array_push(&reducer->open, *candidate, reducer->err) < 0)
		reducer->failed = true;
}

/* Take a list and leave it empty; `alone` if there will be no other. */
static void take_list(struct reducer *reducer, uint32_t *list, bool alone)
{
	uint32_t i = *list;

	*list = 0;
	/* One candidate cannot be dominated, and needs no mark. */
	if (alone && i && !reducer->pool.items[i].next && reducer->open.capacity) {
		reducer->open.items[0] = reducer->pool.items[i];
		reducer->open.count = 1;
		reducer->pool.items[i].next = reducer->unused;
		reducer->unused = i;
		return;
	}
	while (i) {
		struct candidate *candidate = &reducer->pool.items[i];
		const uint32_t next = candidate->next;

		take(reducer, candidate);
		candidate->next = reducer->unused;
		reducer->unused = i;
		i = next;
	}
}

/* All values are at least 0: the beginning matters only where it costs more than another. */
static void drop_beginnings(struct reducer *reducer)
{
	struct candidate *open = reducer->open.items;
	size_t kept = 0;

	for (size_t i = 0; i < reducer->open.count; i++) {
		bool below = false;

		for (size_t k = 0; open[i].base == 0 && !below && k < reducer->open.count &&
				   k < MOST_COMPARED; k++)
			below = open[k].base != 0 && is_below(reducer, &open[i], &open[k]);
		if (!below)
			open[kept++] = open[i];
	}
	reducer->open.count = kept;
}

/* Whether a path by way of `candidate` whose first edge is `edge` costs as much as `other`. */
static bool leads_past(const struct reducer *reducer, const struct cost_edge *edge,
		       const struct candidate *candidate, const struct candidate *other)
{
	const struct cost_form *forms = reducer->writer.forms.list.items;
	const struct cost_form *a = &forms[cost_edge_form(edge)], *b = &forms[candidate->form];
	const struct cost_form *c = &forms[other->form];

	/* Sums that overflow are taken for too small. */
	if (edge->ns + candidate->ns < other->ns)
		return false;
	for (int term = 0; term < TERM_COUNT; term++)
		if (a->of[term] + b->of[term] < c->of[term])
			return false;
	return true;
}

#define DROPPED UINT32_MAX

/*
 * An edge that has come to lead from x past y to the instant is dropped if one from x
 * to y and one from y to the instant cost no less.
 */
static void drop_detours(struct reducer *reducer)
{
	struct candidate *open = reducer->open.items;
	uint32_t first = open[0].base;
	size_t kept = 0;

	for (size_t i = 1; i < reducer->open.count; i++)
		first = open[i].base < first ? open[i].base : first;
	for (size_t i = 0; i < reducer->open.count; i++) {
		const struct cost_edge *edge;

		if (open[i].base == 0 || open[i].base == DROPPED)
			continue;
		edge = &reducer->writer.edges.items[reducer->first_edges.items[open[i].base]];
		for (int k = 0; k < MOST_COMPARED; k++, edge++) {
			/* Most come from before all others: their marks need not be looked at. */
			if (edge->from >= first) {
				const uint32_t mark = reducer->marks.items[edge->from];

				if (mark < reducer->open.count && open[mark].base == edge->from &&
				    leads_past(reducer, edge, &open[i], &open[mark]))
					open[mark].base = DROPPED;
			}
			if (edge->form & COST_LAST_EDGE)
				break;
		}
	}
	for (size_t i = 0; i < reducer->open.count; i++)
		if (open[i].base != DROPPED)
			open[kept++] = open[i];
	reducer->open.count = kept;
}

/* Make the open instant a vertex. */
static int make_vertex(struct reducer *reducer)
{
	struct cost_writer *writer = &reducer->writer;

	TRY(array_push(&reducer->first_edges, writer->edges.count, reducer->err));
	for (size_t i = 0; i < reducer->open.count; i++) {
		const struct candidate *candidate = &reducer->open.items[i];

		TRY(cost_writer_edge(writer, candidate->base, candidate->ns, candidate->form,
				     reducer->err));
	}
	TRY(cost_writer_vertex(writer, reducer->instant, reducer->err));
	reducer->open.count = 1;
	reducer->open.items[0] = (struct candidate){.base = (uint32_t)writer->vertices.count};
	return array_push(&reducer->marks, 0, reducer->err);
}

/* What comes in now is all there is. */
static int close_list(struct reducer *reducer)
{
	const struct candidate beginning = {0};

	if (reducer->open.count == 0)
		take(reducer, &beginning);
	if (reducer->open.count > 1)
		drop_detours(reducer);
	if (reducer->open.count > 1)
		drop_beginnings(reducer);
	return reducer->failed ? -1 : 0;
}

static int open_instant(void *context, struct instant at, uint32_t sender, uint32_t edges)
{
	struct reducer *reducer = context;

	reducer->open.count = 0;
	reducer->instant = 2 * at.op + at.meeting;
	take_list(reducer, &reducer->walk->ops[at.op].note, !at.meeting);
	if (at.meeting)
		take_list(reducer, &reducer->walk->ops[sender].note, false);
	TRY(close_list(reducer));
	if (reducer->open.count > 1 && (edges > 1 || reducer->open.count > MOST_LED_PAST))
		return make_vertex(reducer);
	return 0;
}

static uint32_t new_candidate(struct reducer *reducer)
{
	uint32_t i = reducer->unused;

	if (i) {
		reducer->unused = reducer->pool.items[i].next;
		return i;
	}
	if (reducer->pool.count == UINT32_MAX) {
		error_set(reducer->err, STATUS_LIMIT,
			  "more than %u edges wait for operations that cannot start", UINT32_MAX);
		return 0;
	}
	if (array_push(&reducer->pool, (struct candidate){0}, reducer->err) < 0)
		return 0;
	return (uint32_t)reducer->pool.count - 1;
}

/* Whether the sum with a cost fits 64 bits. */
static bool add_cost(struct reducer *reducer, const struct candidate *candidate, uint64_t ns,
		     uint32_t form, struct candidate *sum)
{
	if (form == FORM_FAILED || __builtin_add_overflow(candidate->ns, ns, &sum->ns))
		return false;
	sum->form = cost_forms_add(&reducer->writer.forms, candidate->form, form);
	sum->base = candidate->base;
	return sum->form != FORM_FAILED;
}

/* Lead the candidates of the open instant on to a list. */
static int lead_on(struct reducer *reducer, uint32_t *list, const struct cost *cost)
{
	const uint32_t form = cost_forms_of(&reducer->writer.forms, cost);

	for (size_t i = 0; i < reducer->open.count; i++) {
		struct candidate *added;
		const uint32_t number = new_candidate(reducer);

		if (!number)
			return -1;
		/* Fields are written one by one: they are read soon, and whole ones would wait. */
		added = &reducer->pool.items[number];
		if (!add_cost(reducer, &reducer->open.items[i], cost->ns, form, added)) {
			if (reducer->writer.forms.failed)
				return -1;
			/* Those before it are dominated by the vertex's now. */
			TRY(make_vertex(reducer));
			if (!add_cost(reducer, &reducer->open.items[0], cost->ns, form, added))
				return -1;
		}
		added->next = *list;
		*list = number;
	}
	return 0;
}

static void visit_edge(void *context, const struct edge *edge)
{
	struct reducer *reducer = context;
	uint32_t *list = edge->target == TARGET_END ? &reducer->end_list
						    : &reducer->walk->ops[edge->to].note;

	if (lead_on(reducer, list, edge->cost) < 0)
		reducer->failed = true;
}

static int finish(struct reducer *reducer)
{
	reducer->open.count = 0;
	reducer->instant = COST_INSTANT_END;
	take_list(reducer, &reducer->end_list, true);
	TRY(close_list(reducer));
	return make_vertex(reducer);
}

static int reduce(struct reducer *reducer, struct walk *walk)
{
	static const struct walk_visitor visitor = {open_instant, visit_edge};

	reducer->walk = walk;
	TRY(array_push(&reducer->pool, (struct candidate){0}, reducer->err));
	TRY(array_push(&reducer->marks, 0, reducer->err));
	TRY(array_push(&reducer->first_edges, 0, reducer->err));
	TRY(walk_run(walk, &visitor, reducer));
	if (!walk_complete(walk))
		return walk_cycle_error(walk, reducer->err);
	return finish(reducer);
}

int cost_reduce(struct cost_graph *graph, const struct execution *execution, struct error *err)
{
	struct reducer reducer = {.err = err};
	struct walk walk;
	int result;

	TRY(cost_writer_init(&reducer.writer, err));
	result = walk_init(&walk, execution, err);
	if (result == 0)
		result = reduce(&reducer, &walk);
	walk_release(&walk);
	array_release(&reducer.pool);
	array_release(&reducer.open);
	array_release(&reducer.marks);
	array_release(&reducer.first_edges);
	if (result < 0) {
		cost_writer_release(&reducer.writer);
		return -1;
	}
	TRY(cost_writer_finish(&reducer.writer, graph, err));
	graph->op_count = execution->goal->op_count;
	graph->message_count = execution->matching.message_count;
	return 0;
}
