#include "llamp/analysis/critical_steps.h"

#include "common/progress.h"
#include "llamp/graph/execution_walk.h"
#include "llamp/path/path_key.h"

/* Instants as numbers: the start of v is 2 v, the meeting of what v receives 2 v + 1. */
#define NO_INSTANT UINT32_MAX

/* When an instant comes, as a key (llamp/path/path_engine.h), and what decides it. */
struct search {
	const struct execution *execution;
	struct path_key key;
	/*
	 * Of every operation: the largest key of its start so far; once it has
	 * started, that of the meeting of its message by way of it.
	 */
	int128 *latest;
	uint32_t *before;		/* instant that decides a start */
	uint8_t *by_sender;		/* of a receive: its message came last */
	int128 end;
	uint32_t before_end;
	/* The instant whose edges are visited. */
	uint32_t instant;
	int128 now;
};

static int128 cost_key(const struct path_key *key, const struct cost *cost)
{
	const struct cost_form form = {.of = {
		[TERM_L] = cost->latencies, [TERM_G] = cost->bytes,
		[TERM_O] = cost->overheads, [TERM_GAP] = cost->gaps,
	}};

	return key->key.ns * cost->ns + path_key_form(key, &form);
}

static void open_instant(void *context, struct instant at, uint32_t sender)
{
	struct search *search = context;

	search->instant = 2 * at.op + at.meeting;
	search->now = search->latest[at.op];
	if (at.meeting && search->latest[sender] > search->now) {
		search->now = search->latest[sender];
		search->by_sender[at.op] = true;
	}
}

static void visit_edge(void *context, const struct edge *edge)
{
	struct search *search = context;
	const int128 key = search->now + cost_key(&search->key, edge->cost);

	switch (edge->target) {
	case TARGET_START:
		if (search->before[edge->to] == NO_INSTANT || key > search->latest[edge->to]) {
			search->latest[edge->to] = key;
			search->before[edge->to] = search->instant;
		}
		break;
	case TARGET_MEETING:
		search->latest[edge->to] = key;
		break;
	case TARGET_END:
		if (search->before_end == NO_INSTANT || key > search->end) {
			search->end = key;
			search->before_end = search->instant;
		}
		break;
	}
}

static struct instant instant_of(uint32_t number)
{
	return (struct instant){number / 2, number % 2 != 0};
}

/* The longest of the edges from one instant to another, or to the end. */
struct longest_edge {
	const struct search *search;
	struct critical_step step;
	int128 key;
	bool found;
};

static void note_longest(void *context, const struct edge *edge)
{
	struct longest_edge *longest = context;
	const int128 key = cost_key(&longest->search->key, edge->cost);
	struct critical_step *step = &longest->step;

	if ((edge->target == TARGET_END) != step->to_end ||
	    (longest->found && key <= longest->key))
		return;
	if (!step->to_end) {
		const struct instant to = execution_target(longest->search->execution, edge);

		if (to.op != step->to.op || to.meeting != step->to.meeting)
			return;
	}
	longest->found = true;
	longest->key = key;
	step->op = edge->op;
	step->cost = *edge->cost;
}

/* What decides an instant: from the end of the path towards its beginning. */
static uint32_t before_instant(const struct search *search, struct instant at)
{
	if (!at.meeting)
		return search->before[at.op];
	return 2 * (search->by_sender[at.op] ? search->execution->matching.partner[at.op] : at.op);
}

static int trace_back(struct critical_steps *steps, const struct search *search,
		      struct error *err)
{
	uint32_t from = search->before_end;
	struct instant to = {0};
	bool to_end = true;
	size_t count;

	while (from != NO_INSTANT) {
		struct longest_edge longest = {
			.search = search,
			.step = {.from = instant_of(from), .to = to, .to_end = to_end},
		};

		execution_edges(search->execution, instant_of(from), note_longest, &longest);
		TRY(array_push(&steps->list, longest.step, err));
		to = instant_of(from);
		to_end = false;
		from = before_instant(search, to);
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
	static const struct walk_visitor visitor = {open_instant, visit_edge};
	const size_t op_count = search->execution->goal->op_count;
	struct walk walk;
	int result;

	TRY(allocate(&search->latest, op_count, sizeof *search->latest, err));
	TRY(allocate(&search->before, op_count, sizeof *search->before, err));
	TRY(allocate(&search->by_sender, op_count, sizeof *search->by_sender, err));
	memset(search->before, 0xff, op_count * sizeof *search->before);
	search->before_end = NO_INSTANT;
	progress_phase("finding the critical path");
	result = walk_init(&walk, search->execution, err);
	if (result == 0)
		result = walk_run(&walk, &visitor, search);
	walk_release(&walk);
	return result;
}

int critical_steps_find(struct critical_steps *steps, const struct model *model,
			struct error *err)
{
	const struct path_point point = {PARAMETER_L, rational_from(model->loggps.L), SIDE_RIGHT};
	/* Edges of the execution are no multiples of what those of the cost graph are. */
	const struct cost_graph bounds = {.most = model->graph.most};
	struct execution execution;
	struct search search = {.execution = &execution};
	int result;

	*steps = (struct critical_steps){0};
	TRY(path_key_init(&search.key, &bounds, &model->loggps, &point, err));
	TRY(execution_init(&execution, &model->goal, &model->loggps, err));
	result = visit(&search, err);
	if (result == 0)
		result = trace_back(steps, &search, err);
	free(search.latest);
	free(search.before);
	free(search.by_sender);
	execution_release(&execution);
	if (result < 0)
		critical_steps_release(steps);
	return result;
}

void critical_steps_release(struct critical_steps *steps)
{
	array_release(&steps->list);
}
