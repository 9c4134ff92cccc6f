#include "llamp/analysis/critical_steps.h"

#include "common/progress.h"
#include "llamp/graph/build.h"
#include "llamp/graph/topological_order.h"
#include "llamp/path/lexicographic_key.h"

/* Events as numbers: the start of v is 2 v, the match of what v receives 2 v + 1. */
#define NO_EVENT UINT32_MAX

/* When an event comes, as a key (llamp/path/path_engine.h), and what decides it. */
struct search {
	const struct execution_graph *execution;
	struct lexicographic_key key;
	int128 each[COST_RULE_COUNT], per_byte[COST_RULE_COUNT];	/* what costs add to it */
	/*
	 * Of every operation: the largest key of its start so far; once it has
	 * started, that of the match of its message by way of it.
	 */
	int128 *latest;
	uint32_t *before;		/* event that decides a start */
	uint8_t *by_sender;		/* of a receive: its message came last */
	int128 end;
	uint32_t before_end;
	/* The event whose edges are visited. */
	uint32_t event;
	int128 now;
};

static int128 cost_key(const struct search *search, const struct cost *cost)
{
	return search->key.key.ns * cost->ns + search->each[cost->rule] +
	       search->per_byte[cost->rule] * cost->bytes;
}

/* What the costs of the rules add to a key. */
static void weigh_rules(struct search *search)
{
	for (int rule = 0; rule < COST_RULE_COUNT; rule++)
		for (uint32_t v = 0; v < LOGGPS_COUNT; v++) {
			search->each[rule] += cost_rules[rule].each[v] * search->key.key.of[v];
			search->per_byte[rule] +=
				cost_rules[rule].per_byte[v] * search->key.key.of[v];
		}
}

static void open_event(void *context, struct event at, uint32_t sender)
{
	struct search *search = context;

	search->event = 2 * at.op + at.match;
	search->now = search->latest[at.op];
	if (at.match && search->latest[sender] > search->now) {
		search->now = search->latest[sender];
		search->by_sender[at.op] = true;
	}
}

static void visit_edge(void *context, const struct edge *edge)
{
	struct search *search = context;
	const int128 key = search->now + cost_key(search, edge->cost);

	switch (edge->target) {
	case TARGET_START:
		if (search->before[edge->to] == NO_EVENT || key > search->latest[edge->to]) {
			search->latest[edge->to] = key;
			search->before[edge->to] = search->event;
		}
		break;
	case TARGET_MATCH:
		search->latest[edge->to] = key;
		break;
	case TARGET_END:
		if (search->before_end == NO_EVENT || key > search->end) {
			search->end = key;
			search->before_end = search->event;
		}
		break;
	}
}

static struct event event_of(uint32_t number)
{
	return (struct event){number / 2, number % 2 != 0};
}

/* The longest of the edges from one event to another, or to the end. */
struct longest_edge {
	const struct search *search;
	struct critical_step step;
	int128 key;
	bool found;
};

static void note_longest(void *context, const struct edge *edge)
{
	struct longest_edge *longest = context;
	const int128 key = cost_key(longest->search, edge->cost);
	struct critical_step *step = &longest->step;

	if ((edge->target == TARGET_END) != step->to_end ||
	    (longest->found && key <= longest->key))
		return;
	if (!step->to_end) {
		const struct event to = execution_target(longest->search->execution, edge);

		if (to.op != step->to.op || to.match != step->to.match)
			return;
	}
	longest->found = true;
	longest->key = key;
	step->op = edge->op;
	step->cost = *edge->cost;
}

/* What decides an event: from the end of the path towards its beginning. */
static uint32_t event_before(const struct search *search, struct event at)
{
	if (!at.match)
		return search->before[at.op];
	return 2 * (search->by_sender[at.op] ? search->execution->matching.partner[at.op] : at.op);
}

static int trace_back(struct critical_steps *steps, const struct search *search,
		      struct error *err)
{
	uint32_t from = search->before_end;
	struct event to = {0};
	bool to_end = true;
	size_t count;

	while (from != NO_EVENT) {
		struct longest_edge longest = {
			.search = search,
			.step = {.from = event_of(from), .to = to, .to_end = to_end},
		};

		execution_edges(search->execution, event_of(from), note_longest, &longest);
		TRY(array_push(&steps->list, longest.step, err));
		to = event_of(from);
		to_end = false;
		from = event_before(search, to);
	}
	count = steps->list.count;
	for (size_t i = 0; i < count / 2; i++) {
		const struct critical_step step = steps->list.items[i];

		steps->list.items[i] = steps->list.items[count - 1 - i];
		steps->list.items[count - 1 - i] = step;
	}
	return 0;
}

static int visit(struct search *search, struct error *err)
{
	static const struct order_visitor visitor = {open_event, visit_edge};
	const size_t op_count = search->execution->goal->op_count;
	struct topological_order order;
	int result;

	TRY(allocate(&search->latest, op_count, sizeof *search->latest, err));
	TRY(allocate(&search->before, op_count, sizeof *search->before, err));
	TRY(allocate(&search->by_sender, op_count, sizeof *search->by_sender, err));
	memset(search->before, 0xff, op_count * sizeof *search->before);
	search->before_end = NO_EVENT;
	progress_phase("finding the critical path");
	result = order_init(&order, search->execution, err);
	if (result == 0)
		result = order_visit(&order, &visitor, search);
	order_release(&order);
	return result;
}

int critical_steps_find(struct critical_steps *steps, const struct model *model,
			struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, VARIABLE_L);
	const struct path_point point = {&direction, rational_from(direction.start_as), SIDE_RIGHT};
	/* Edges of the execution are no multiples of what those of the cost graph are. */
	const struct cost_graph bounds = {.most = model->graph.most};
	struct execution_graph execution;
	struct search search = {.execution = &execution};
	int result;

	*steps = (struct critical_steps){0};
	TRY(key_init(&search.key, &bounds, &point, err));
	weigh_rules(&search);
	TRY(execution_graph_build(&execution, &model->goal, &model->loggps, err));
	result = visit(&search, err);
	if (result == 0)
		result = trace_back(steps, &search, err);
	free(search.latest);
	free(search.before);
	free(search.by_sender);
	execution_graph_release(&execution);
	if (result < 0)
		critical_steps_release(steps);
	return result;
}

void critical_steps_release(struct critical_steps *steps)
{
	array_release(&steps->list);
}
