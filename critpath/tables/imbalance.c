#include "critpath/tables/imbalance.h"

#include "critpath/path/trace_quality.h"
#include "critpath/tables/imbalance_share.h"
#include "trace/call/mpi_functions.h"

#include <math.h>
#include <string.h>

const char *const instance_state_names[INSTANCE_STATES + 1] = {
	[INSTANCE_SYNCHRONOUS] = "synchronous",
	[INSTANCE_NOT_SYNCHRONOUS] = "not synchronous",
	[INSTANCE_NOT_BLOCKING] = "not blocking",
	[INSTANCE_INCOMPLETE] = "incomplete",
};

static uint64_t waits_in(const struct call_parts *calls)
{
	return calls->before_ns + calls->after_ns;
}

double imbalance_ratio(const struct call_parts *calls, uint64_t computation_ns)
{
	const uint64_t whole_ns = calls->execution_ns + computation_ns;

	if (whole_ns)
		return (double)waits_in(calls) / (double)whole_ns;
	return waits_in(calls) ? INFINITY : 0;
}

static void add_parts(struct call_parts *to, const struct call_parts *parts)
{
	to->before_ns += parts->before_ns;
	to->execution_ns += parts->execution_ns;
	to->after_ns += parts->after_ns;
}

/* ------------------------------------------------------------------ instances */

static void find_states(struct imbalance *imbalance)
{
	const struct measured_run *run = imbalance->waits->run;

	for (size_t i = 0; i < run->instances.count; i++) {
		const struct measured_instance *instance = &run->instances.items[i];

		imbalance->states[i] = instance->split		     ? INSTANCE_NOT_BLOCKING
				       : measured_lacks_members(run, instance) ? INSTANCE_INCOMPLETE
				       : instance->first_end_ns < instance->last.begin_ns
					       ? INSTANCE_NOT_SYNCHRONOUS
					       : INSTANCE_SYNCHRONOUS;
	}
	for (size_t i = 0; i < run->instances.count; i++)
		if (imbalance_lists(imbalance, i))
			imbalance->instance_states[imbalance->states[i]]++;
}

bool imbalance_lists(const struct imbalance *imbalance, size_t instance)
{
	const struct measured_run *run = imbalance->waits->run;

	return measured_owns(run, run->instances.items[instance].first_rank) &&
	       measured_reports(run, run->instances.items[instance].last.begin_ns);
}

struct imbalance_instance imbalance_row(const struct imbalance *imbalance, size_t instance)
{
	return (struct imbalance_instance){
		.instance = imbalance->waits->run->instances.items[instance],
		.parts = imbalance->instances[instance],
		.state = imbalance->states[instance],
	};
}

static int find_instances_of(struct imbalance *imbalance, uint32_t number, struct error *err)
{
	const struct measured_run *run = imbalance->waits->run;
	const struct measured_rank *rank = &run->ranks[number];
	uint32_t *at;

	TRY(allocate(&imbalance->instance_at[number], rank->calls.count, sizeof *at, err));
	at = imbalance->instance_at[number];
	memset(at, 0xff, rank->calls.count * sizeof *at);
	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct participation *part = &rank->parts.items[i];
		const uint32_t index = run->instance_of[number][i];

		if (index != NO_MATCH && imbalance->states[index] == INSTANCE_SYNCHRONOUS &&
		    !measured_looks_on(run, part))
			at[part->end] = index;
	}
	return 0;
}

/* Parts of a call from time to time, as far as they are reported. */
static struct call_parts parts_between(const struct measured_run *run,
				       const struct measured_call *call, uint64_t execution_ns,
				       uint64_t after_ns)
{
	const struct time_span slice = measured_slice(run);

	return (struct call_parts){
		.before_ns = time_span_common_ns(
			slice, (struct time_span){call->enter_ns, execution_ns}),
		.execution_ns =
			time_span_common_ns(slice, (struct time_span){execution_ns, after_ns}),
		.after_ns =
			time_span_common_ns(slice, (struct time_span){after_ns, call->leave_ns}),
	};
}

struct call_parts imbalance_of_call(const struct imbalance *imbalance, uint32_t rank, uint32_t call)
{
	const struct measured_run *run = imbalance->waits->run;
	const struct measured_call *times = &run->ranks[rank].calls.items[call];
	const uint32_t index = imbalance->instance_at[rank][call];
	const struct measured_instance *instance;

	if (index == NO_MATCH)
		return parts_between(run, times,
				     times->enter_ns + wait_ns(imbalance->waits, rank, call),
				     times->leave_ns);
	instance = &run->instances.items[index];
	return parts_between(run, times, instance->last.begin_ns, instance->first_end_ns);
}

/* ---------------------------------------------------------------------- ranks */

static bool is_in_run(const struct measured_rank *rank, const struct measured_call *call)
{
	return call->enter_ns >= rank->begin_ns && call->leave_ns <= rank->end_ns;
}

/* Add the computation of a thread from time to time, as far as it is reported. */
static void add_computation(struct imbalance *imbalance, uint32_t number, uint32_t thread,
			    uint64_t from_ns, uint64_t to_ns)
{
	const struct time_span slice = measured_slice(imbalance->waits->run);
	const uint64_t ns = time_span_common_ns(slice, (struct time_span){from_ns, to_ns});

	imbalance->ranks[number].computation_ns += ns;
	if (thread == 0)
		imbalance->ranks[number].first_thread_ns += ns;
}

static void imbalance_add_call(struct imbalance *imbalance, struct parts_group *functions,
			       uint32_t number, uint32_t at)
{
	const struct measured_run *run = imbalance->waits->run;
	const struct measured_call *call = &run->ranks[number].calls.items[at];
	struct rank_parts *rank = &imbalance->ranks[number];
	const struct call_parts parts = imbalance_of_call(imbalance, number, at);
	const uint32_t index = imbalance->instance_at[number][at];

	if (trace_quality_is_gap(run, call->function)) {
		rank->unknown_ns += parts.before_ns + parts.execution_ns + parts.after_ns;
		return;
	}
	add_parts(&rank->calls, &parts);
	functions[call->function].count++;
	add_parts(&functions[call->function].calls, &parts);
	if (index != NO_MATCH)
		add_parts(&imbalance->instances[index], &parts);
}

static void add_thread(struct imbalance *imbalance, struct parts_group *functions, uint32_t number,
		       uint32_t thread)
{
	const struct measured_run *run = imbalance->waits->run;
	const struct measured_rank *rank = &run->ranks[number];
	struct time_span span = {rank->begin_ns, rank->begin_ns};
	bool begun = thread == 0;

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];

		if (call->thread != thread || !is_in_run(rank, call))
			continue;
		if (!begun)
			span = (struct time_span){call->enter_ns, call->enter_ns};
		begun = true;
		add_computation(imbalance, number, thread, span.end_ns, call->enter_ns);
		if (call->leave_ns > span.end_ns)
			span.end_ns = call->leave_ns;
		if (measured_touches(run, call))
			imbalance_add_call(imbalance, functions, number, c);
	}
	if (thread == 0 && rank->end_ns > span.end_ns) {
		add_computation(imbalance, number, thread, span.end_ns, rank->end_ns);
		span.end_ns = rank->end_ns;
	}
	imbalance->ranks[number].run_ns += time_span_common_ns(measured_slice(run), span);
}

static void add_ranks(struct imbalance *imbalance)
{
	struct rank_parts *sum = &imbalance->sum;

	for (uint32_t r = 0; r < imbalance->waits->run->rank_count; r++) {
		const struct rank_parts *rank = &imbalance->ranks[r];

		add_parts(&sum->calls, &rank->calls);
		sum->computation_ns += rank->computation_ns;
		sum->first_thread_ns += rank->first_thread_ns;
		sum->unknown_ns += rank->unknown_ns;
		sum->run_ns += rank->run_ns;
		if (rank->first_thread_ns > imbalance->ranks[imbalance->busiest].first_thread_ns)
			imbalance->busiest = r;
	}
}

/* --------------------------------------------------------------------- groups */

static int compare_groups(const void *a, const void *b)
{
	const struct parts_group *x = a, *y = b;

	if (waits_in(&x->calls) != waits_in(&y->calls))
		return waits_in(&x->calls) > waits_in(&y->calls) ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Keep the groups that occur, in order. */
static void keep_groups(struct parts_group *groups, size_t *count)
{
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++)
		if (groups[i].count + groups[i].left_out)
			groups[kept++] = groups[i];
	*count = kept;
	if (kept)
		qsort(groups, kept, sizeof *groups, compare_groups);
}

/* Add the instances to the groups of their communicators. */
static void add_comms(struct imbalance *imbalance)
{
	const struct measured_run *run = imbalance->waits->run;

	for (size_t i = 0; i < run->instances.count; i++) {
		struct parts_group *comm = &imbalance->comms.items[run->instances.items[i].comm];

		/* The parts are those of own ranks yet. */
		add_parts(&comm->calls, &imbalance->instances[i]);
		if (!imbalance_lists(imbalance, i))
			continue;
		if (imbalance->states[i] == INSTANCE_SYNCHRONOUS)
			comm->count++;
		else
			comm->left_out++;
	}
}

static int add_own(struct imbalance *imbalance, struct error *err)
{
	const struct measured_run *run = imbalance->waits->run;

	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		TRY(find_instances_of(imbalance, r, err));
		for (uint32_t t = 0; t < run->ranks[r].thread_count; t++)
			add_thread(imbalance, imbalance->functions.items, r, t);
	}
	add_comms(imbalance);
	return 0;
}

/* Make room for groups of the numbers below `count`. */
#define make_groups(groups, numbers, err) \
	make_groups_(&(groups)->items, &(groups)->count, numbers, err)

static int make_groups_(struct parts_group **groups, size_t *count, size_t numbers,
			struct error *err)
{
	TRY(allocate(groups, numbers, sizeof **groups, err));
	*count = numbers;
	for (size_t i = 0; i < numbers; i++)
		(*groups)[i].number = (uint32_t)i;
	return 0;
}

static int imbalance_make_room(struct imbalance *imbalance, struct error *err)
{
	const struct measured_run *run = imbalance->waits->run;

	TRY(allocate(&imbalance->instance_at, run->rank_count, sizeof *imbalance->instance_at,
		     err));
	TRY(allocate(&imbalance->ranks, run->rank_count, sizeof *imbalance->ranks, err));
	TRY(allocate(&imbalance->states, run->instances.count, sizeof *imbalance->states, err));
	TRY(allocate(&imbalance->instances, run->instances.count, sizeof *imbalance->instances,
		     err));
	TRY(make_groups(&imbalance->functions, measured_function_count(&run->names), err));
	return make_groups(&imbalance->comms, run->world->comm_count, err);
}

static int find_own(struct imbalance *imbalance, struct error *err)
{
	TRY(imbalance_make_room(imbalance, err));
	find_states(imbalance);
	return add_own(imbalance, err);
}

static void finish(struct imbalance *imbalance)
{
	add_ranks(imbalance);
	keep_groups(imbalance->functions.items, &imbalance->functions.count);
	keep_groups(imbalance->comms.items, &imbalance->comms.count);
}

int imbalance_find(struct imbalance *imbalance, const struct waits *waits, struct dist *dist,
		   struct error *err)
{
	int result;

	*imbalance = (struct imbalance){.waits = waits};
	result = dist_agree(dist, find_own(imbalance, err), err);
	if (result == 0)
		result = imbalance_share(imbalance, dist, err);
	if (result == 0)
		finish(imbalance);
	else
		imbalance_release(imbalance);
	return result;
}

void imbalance_release(struct imbalance *imbalance)
{
	for (uint32_t r = 0; imbalance->instance_at && r < imbalance->waits->run->rank_count; r++)
		free(imbalance->instance_at[r]);
	free(imbalance->instance_at);
	free(imbalance->states);
	free(imbalance->instances);
	free(imbalance->ranks);
	array_release(&imbalance->comms);
	array_release(&imbalance->functions);
}
