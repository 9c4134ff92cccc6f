#include "llamp/simulate/service_events.h"

#include "common/parallel.h"
#include "llamp/graph/common_divisor.h"
#include "llamp/graph/times.h"
#include "llamp/network/network.h"

/* ------------------------------------------------------------------------- set-up */

static int64_t in_units(__int128 weight)
{
	return weight < INT64_MAX ? (int64_t)weight : INT64_MAX;
}

/* The largest time of which all costs are multiples becomes the unit. */
static void set_costs(struct pass *pass)
{
	struct cost_weights *weights = &pass->weights;
	__int128 unit = AS_PER_NS;

	for (uint32_t v = 0; v < pass->loggps->variables.count; v++)
		unit = common_divisor(unit, loggps_value(pass->loggps, v));
	*weights = times_weights(pass->loggps);
	weights->classes = pass->execution->classes.list;
	pass->per_ns = in_units(weights->per_ns /= unit);
	for (uint32_t v = 0; v < pass->loggps->variables.count; v++)
		weights->of_variables[v] /= unit;
	for (int rule = 0; rule < COST_RULE_COUNT; rule++) {
		weights->rules[rule] /= unit;
		weights->per_byte[rule] /= unit;
		weights->per_size[rule] /= unit;
	}
	pass->service->unit_as = (int64_t)unit;
}

/*
 * The operations that require a message wait for its end: do not count that among the others.  One
 * that requires sends, but no receive, has no wait.
 */
static void read_waits(struct awaited *ops, const struct goal_block *block,
		       const struct goal_op *message)
{
	for (uint32_t k = 0; k < message->requires_count; k++) {
		struct awaited *later = &ops[goal_successor(block, message->requires_first + k)];

		if (message->kind == GOAL_SEND && !(later->ends & ENDS_COUNT))
			continue;
		later->others--;
		later->ends++;
	}
}

/* Count what the operations of a rank wait for, and its servers. */
static void service_read_rank(struct pass *pass, const struct goal_block *block,
			      struct rank_servers *servers)
{
	struct awaited *ops = pass->ops + block->first_op;
	bool meets = false;

	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct goal_op op = goal_op(block, i);

		ops[i].others += op.dependencies;
		servers->cpus = op.cpu >= servers->cpus ? op.cpu + 1 : servers->cpus;
		servers->nics = op.nic >= servers->nics ? op.nic + 1 : servers->nics;
		if (op.kind == GOAL_SEND && op.size > pass->most_bytes)
			pass->most_bytes = op.size;
		meets |= pass_meets(pass, &op);
		if (op.kind != GOAL_RECV)
			continue;
		ops[i].ends |= MESSAGE_AWAITED;
		if (pass->has_cpu)
			read_waits(ops, block, &op);
	}
	for (uint32_t i = 0; meets && pass->has_cpu && i < block->op_count; i++) {
		const struct goal_op op = goal_op(block, i);

		if (pass_meets(pass, &op))
			read_waits(ops, block, &op);
	}
}

/* Let the ranks of a node share the NICs of the first of them, which has the most that any has. */
static int share_nics(struct pass *pass)
{
	const uint32_t rank_count = pass->goal->rank_count;
	uint32_t *hosts, *first_of, most = 0;

	TRY(network_place(pass->loggps->network, rank_count, &hosts, pass->err));
	for (uint32_t rank = 0; rank < rank_count; rank++)
		most = hosts[rank] > most ? hosts[rank] : most;
	if (allocate(&first_of, (size_t)most + 1, sizeof *first_of, pass->err) < 0) {
		free(hosts);
		return -1;
	}
	for (uint32_t rank = rank_count; rank-- > 0;)
		first_of[hosts[rank]] = rank;
	for (uint32_t rank = 0; rank < rank_count; rank++) {
		struct rank_servers *first = &pass->ranks[first_of[hosts[rank]]];

		if (pass->ranks[rank].nics > first->nics)
			first->nics = pass->ranks[rank].nics;
		pass->ranks[rank].node = first_of[hosts[rank]];
	}
	free(hosts);
	free(first_of);
	return 0;
}

/* Number the servers of all ranks. */
static void number_servers(struct pass *pass)
{
	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		struct rank_servers *servers = &pass->ranks[rank];

		servers->first = pass->server_count;
		pass->server_count += servers->cpus;
		servers->first_nic = pass->server_count;
		if (servers->node == rank) {
			pass->server_count += 2 * servers->nics;
		} else {
			servers->first_nic = pass->ranks[servers->node].first_nic;
			servers->nics = pass->ranks[servers->node].nics;
		}
	}
	pass->first_link = pass->server_count;
	pass->server_count += pass->execution->routes.link_count;
}

/* Whether o is larger than what a NIC is busy for, by any message, along the asked direction. */
static bool overhead_covers_nic(const struct pass *pass)
{
	const struct direction *asked = pass->loggps->asked;
	const enum cost_rule busy = pass->has_gap ? COST_NIC_GAP : COST_NIC;
	const uint64_t bytes = message_charged(pass->most_bytes);

	return asked && !asked->weight[VARIABLE_o] && !asked->weight[VARIABLE_g] &&
	       !asked->weight[VARIABLE_G] &&
	       pass->weights.rules[busy] + pass->weights.per_byte[busy] * bytes <
		       pass->weights.rules[COST_OVERHEAD];
}

static int read_ranks(struct pass *pass)
{
	const uint32_t *gaps = pass->execution->gap_first;
	bool covers;

	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		struct rank_servers *servers = &pass->ranks[rank];

		service_read_rank(pass, &pass->goal->ranks[rank], servers);
		servers->node = rank;
	}
	pass->meets = message_is_rendezvous(pass->loggps, pass->most_bytes);
	pass->announces = pass->meets && pass->loggps->rendezvous != RENDEZVOUS_SYNC;
	covers = !pass->meets && !pass->has_links && !pass->traced && overhead_covers_nic(pass);
	if (pass->shares_nics)
		TRY(share_nics(pass));
	number_servers(pass);
	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		struct rank_servers *servers = &pass->ranks[rank];

		servers->one_cpu = pass->has_cpu && servers->cpus == 1 && !pass->announces;
		servers->injects_at_once = servers->one_cpu && !pass->shares_nics &&
					   !pass->execution->classes.of_op &&
					   pass->weights.rules[COST_OVERHEAD] > 0 &&
					   pass->weights.rules[COST_LATENCY] > 0;
		servers->injects_freely = servers->injects_at_once && covers;
	}
	for (uint32_t i = 0; gaps && i < gaps[pass->goal->op_count]; i++)
		pass->ops[pass->execution->gap_later[i]].others++;
	return 0;
}

/* The smallest cost of a rule over all classes of messages, in units. */
static int64_t least_cost(const struct pass *pass, enum cost_rule rule)
{
	int64_t least = INT64_MAX;

	/* If messages have classes, class 0 is only that of calcs. */
	for (uint32_t class = pass->execution->classes.of_op != NULL;
	     class < pass->execution->classes.count; class ++) {
		const struct cost cost = {.rule = rule, .class = class};
		const int64_t weight = in_units(cost_weigh(&pass->weights, &cost));

		least = weight < least ? weight : least;
	}
	return least;
}

/*
 * A request at one rank leads to requests at others after this time or later: a message takes L, and
 * also o unless the request is for its injection.  The end of a send by rendezvous follows the overhead
 * of its receive.
 *
 * Without limited CPUs a request for an arrival is taken the later by the overheads of its receive and of
 * a send after it.  So it still comes before the requests for injections to which it leads, and
 * injections reach other ranks that much later.
 */
static int64_t least_reach(struct pass *pass)
{
	const int64_t overhead = least_cost(pass, COST_OVERHEAD);
	const int64_t latency = least_cost(pass, COST_LATENCY);
	bool at_once = true;

	if (pass->meets)
		return overhead < latency ? overhead : latency;
	if (overhead > INT64_MAX / 4 || latency > INT64_MAX / 4)
		return latency;
	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++)
		at_once = at_once && (!pass->has_nic || pass->ranks[rank].injects_at_once);
	if (at_once)
		return overhead + latency;
	/* With L = 0 it matters which of several requests at one time leads to another at that time. */
	pass->arrivals_later = pass->has_cpu || latency == 0 ? 0 : 2 * overhead;
	return latency + pass->arrivals_later;
}

/*
 * Form the groups of requests: ranks that share NICs, or all ranks if they share links or what
 * happens at one rank may reach others at the same time.
 */
static int form_groups(struct pass *pass)
{
	const int64_t reach = least_reach(pass);
	const bool alone = pass->has_links || reach == 0;
	const bool counts = !alone && !pass->has_nic;

	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++)
		pass->ranks[rank].group = alone ? 0 : pass->ranks[rank].node;
	if (counts)
		TRY(allocate(&pass->unopened, pass->goal->op_count, sizeof *pass->unopened,
			     pass->err));
	/* An arrival at a NIC may come from anywhere. */
	return request_groups_init(&pass->requests, alone ? 1 : pass->goal->rank_count,
				   pass->has_nic && !alone, alone ? 1 : (uint64_t)reach, pass->err);
}

static int allocate_causes(struct pass *pass)
{
	const uint32_t op_count = pass->goal->op_count;

	pass->causes->op_count = op_count;
	return allocate(&pass->causes->of, (size_t)CAUSES_PER_OP * op_count + pass_entries(pass),
			sizeof *pass->causes->of, pass->err);
}

/* Forget all costs.  No cost has number 0. */
static int init_known(struct pass *pass)
{
	TRY(allocate(&pass->known, KNOWN_COSTS, sizeof *pass->known, pass->err));
	for (uint32_t i = 1; i < KNOWN_COSTS; i++)
		pass->known[i].class_rule = UINT32_MAX;
	return 0;
}

static int init(struct pass *pass)
{
	struct error *err = pass->err;

	set_costs(pass);
	TRY(init_known(pass));
	TRY(allocate(&pass->ops, pass->goal->op_count, sizeof *pass->ops, err));
	TRY(allocate(&pass->ranks, pass->goal->rank_count, sizeof *pass->ranks, err));
	TRY(read_ranks(pass));
	TRY(allocate(&pass->servers, pass->server_count, sizeof *pass->servers, err));
	TRY(form_groups(pass));
	/* The first event is the end of the program. */
	TRY(pass_grow(pass));
	pass->unused = 0;
	TRY(array_push(&pass->waiters, (struct waiter){0}, err));
	if (pass->traced)
		TRY(allocate(&pass->server_traces, pass->server_count, sizeof *pass->server_traces,
			     err));
	return pass->causes ? allocate_causes(pass) : 0;
}

static void release(struct pass *pass)
{
	free(pass->known);
	free(pass->ops);
	free(pass->ranks);
	free(pass->servers);
	free(pass->server_traces);
	array_release(&pass->log);
	array_release(&pass->pool);
	array_release(&pass->traces);
	array_release(&pass->waiters);
	array_release(&pass->ready);
	request_groups_release(&pass->requests);
	free(pass->unopened);
}

/* -------------------------------------------------------------------------- passes */

/* A pass that writes a graph: it goes ahead in one thread, and the graph follows in another. */
struct writing_pass {
	struct pass *pass;
	struct service_writer writer;
	uint32_t chunks;
};

static int serve_chunk(void *shared, void *state, uint32_t item, struct error *err)
{
	struct writing_pass *writing = shared;
	struct pass *pass = writing->pass;

	pass->steps = state;
	pass->steps->steps.count = pass->steps->costs.count = 0;
	pass->err = err;
	if (item == 0)
		TRY(pass_begin_roots(pass));
	TRY(pass_serve(pass, (uint64_t)pass->goal->op_count * (item + 1) / writing->chunks));
	return item + 1 == writing->chunks ? pass_bound_end_by_cpus(pass) : 0;
}

static int write_chunk(void *shared, void *state, uint32_t item, struct error *err)
{
	struct writing_pass *writing = shared;

	(void)item;
	return service_writer_add(&writing->writer, state, err);
}

static void release_steps(void *state)
{
	struct step_list *steps = state;

	array_release(&steps->steps);
	array_release(&steps->costs);
}

static int run_writing(struct pass *pass, struct cost_graph *graph)
{
	/* Operations that are served before the next thread goes on with their steps. */
	enum { CHUNK = 1 << 14 };
	struct error *err = pass->err;
	struct writing_pass writing = {.pass = pass, .chunks = pass->goal->op_count / CHUNK + 1};
	const struct parallel_work work = {
		.line_up = serve_chunk,
		.take = write_chunk,
		.shared = &writing,
		.state_bytes = sizeof(struct step_list),
		.release = release_steps,
	};
	const unsigned threads = parallel_threads(pass->goal->op_count) > 1 ? 2 : 1;
	int result = service_writer_init(&writing.writer, pass->server_count, err);

	if (result == 0)
		result = cost_expressions_ask(&writing.writer.writer.expressions,
					      pass->loggps->asked, err);
	if (result == 0)
		result = cost_expressions_use(&writing.writer.writer.expressions,
					      pass->execution->classes.list,
					      pass->execution->classes.count, err);
	if (result == 0)
		result = parallel_run(&work, writing.chunks, threads, err);
	pass->err = err;
	if (result == 0)
		result = service_writer_finish(&writing.writer, graph, err);
	service_writer_release(&writing.writer);
	return result;
}

static struct pass pass_of(struct service *service, const struct execution_graph *execution,
			   const struct direction *along, struct error *err)
{
	return (struct pass){
		.execution = execution,
		.goal = execution->goal,
		.loggps = execution->loggps,
		.service = service,
		.has_cpu = execution->loggps->resources & RESOURCE_CPU,
		.has_nic = execution->loggps->resources & RESOURCE_NIC,
		.has_links = execution->loggps->resources & RESOURCE_LINK,
		.shares_nics = execution->loggps->resources & RESOURCE_NODE_NIC,
		.has_gap = variable_is_on(&execution->loggps->variables.of[VARIABLE_g]),
		.traced = along != NULL,
		.along = along,
		.err = err,
	};
}

static int serve_all(struct pass *pass, struct cost_graph *graph)
{
	TRY(init(pass));
	if (graph)
		return run_writing(pass, graph);
	TRY(pass_begin_roots(pass));
	return pass_serve(pass, pass->goal->op_count);
}

/* Set the results that the end of the program has. */
static void set_end(const struct pass *pass)
{
	const struct trace *trace = pass->traced ? &pass->traces.items[0] : NULL;

	pass->service->end.time = pass->pool.items[0].time;
	if (trace) {
		pass->service->end.left = trace->left;
		pass->service->end.right = trace->right;
	}
	if (pass->causes)
		pass->causes->end = trace->cause;
}

static int run(struct pass *pass, struct cost_graph *graph)
{
	int result;

	*pass->service = (struct service){.order = REACH_UNBOUNDED, .waits = REACH_UNBOUNDED};
	result = serve_all(pass, graph);
	if (result == 0 && pass->has_end)
		set_end(pass);
	if (result == 0 && pass->slack)
		result = pass_slack(pass);
	release(pass);
	return result;
}

int service_run(struct service *service, const struct execution_graph *execution,
		const struct direction *along, struct cost_graph *graph, struct causes *causes,
		struct error *err)
{
	struct pass pass = pass_of(service, execution, along, err);
	int result;

	pass.causes = causes;
	if (causes)
		*causes = (struct causes){.end.op = NO_EVENT};
	result = run(&pass, graph);
	if (result == 0 && graph) {
		graph->op_count = execution->goal->op_count;
		graph->message_count = execution->matching.message_count;
	}
	if (result < 0 && causes)
		causes_release(causes);
	return result;
}

int service_find_times(struct service_times **times, struct service *service,
		       const struct execution_graph *execution, struct error *err)
{
	const struct direction along_L = direction_of(&execution->loggps->variables, VARIABLE_L);
	struct pass pass = pass_of(service, execution, &along_L, err);
	int result;

	TRY(allocate(times, execution->goal->op_count, sizeof **times, err));
	pass.times = *times;
	result = run(&pass, NULL);
	if (result < 0) {
		free(*times);
		*times = NULL;
	}
	return result;
}

int service_find_slack(int64_t **slack, struct service *service,
		       const struct execution_graph *execution, struct error *err)
{
	const struct direction along_L = direction_of(&execution->loggps->variables, VARIABLE_L);
	struct pass pass = pass_of(service, execution, &along_L, err);
	int result;

	TRY(allocate(slack, execution->goal->op_count, sizeof **slack, err));
	pass.slack = *slack;
	result = run(&pass, NULL);
	if (result < 0) {
		free(*slack);
		*slack = NULL;
	}
	return result;
}

/* ------------------------------------------------------------------------- causes */

void causes_release(struct causes *causes)
{
	free(causes->of);
	*causes = (struct causes){0};
}

struct cause *cause_of(const struct causes *causes, uint32_t op, enum event_kind kind)
{
	static const uint8_t place[] = {
		[EVENT_START] = 0,   [EVENT_COMPLETION] = 0, [EVENT_INJECTION] = 1,
		[EVENT_ARRIVAL] = 1, [EVENT_MATCH] = 2,	     [EVENT_POST] = 2,
		[EVENT_WAIT] = 3,
	};

	if (op >= causes->op_count)
		return &causes->of[(size_t)causes->op_count * (CAUSES_PER_OP - 1) + op];
	return &causes->of[(size_t)op * CAUSES_PER_OP + place[kind]];
}
