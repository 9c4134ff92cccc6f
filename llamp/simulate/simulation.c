#include "llamp/simulate/sim_events.h"

#include "common/parallel/parallel.h"
#include "llamp/graph/common_divisor.h"
#include "llamp/graph/event_times.h"
#include "llamp/network/network.h"

/* ------------------------------------------------------------------------- set-up */

static int64_t in_units(__int128 weight)
{
	return weight < INT64_MAX ? (int64_t)weight : INT64_MAX;
}

/* Find the unit, the largest time of which all costs are multiples, and the costs in units. */
static void set_costs(struct sim *sim)
{
	struct cost_weights *weights = &sim->weights;
	__int128 unit = AS_PER_NS;

	for (uint32_t v = 0; v < sim->loggps->variables.count; v++)
		unit = common_divisor(unit, loggps_value(sim->loggps, v));
	*weights = event_times_weights(sim->loggps);
	weights->classes = sim->execution->classes.list;
	sim->per_ns = in_units(weights->per_ns /= unit);
	for (uint32_t v = 0; v < sim->loggps->variables.count; v++)
		weights->of_variables[v] /= unit;
	for (int rule = 0; rule < COST_RULE_COUNT; rule++) {
		weights->rules[rule] /= unit;
		weights->per_byte[rule] /= unit;
		weights->per_size[rule] /= unit;
	}
	sim->result->unit_as = (int64_t)unit;
}

/*
 * Count the end of a message among the ends that the operations which require it wait for, instead
 * of their other dependencies.  An operation that requires no receive has no wait.
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

/* Count the dependencies of the operations of a rank, and its servers. */
static void sim_read_rank(struct sim *sim, const struct goal_block *block,
			  struct rank_servers *servers)
{
	struct awaited *ops = sim->ops + block->first_op;
	bool meets = false;

	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct goal_op op = goal_op(block, i);

		ops[i].others += op.dependencies;
		servers->cpus = op.cpu >= servers->cpus ? op.cpu + 1 : servers->cpus;
		servers->nics = op.nic >= servers->nics ? op.nic + 1 : servers->nics;
		if (op.kind == GOAL_SEND && op.size > sim->most_bytes)
			sim->most_bytes = op.size;
		meets |= sim_meets(sim, &op);
		if (op.kind != GOAL_RECV)
			continue;
		ops[i].ends |= MESSAGE_AWAITED | IS_RECEIVE;
		if (sim->has_cpu)
			read_waits(ops, block, &op);
	}
	for (uint32_t i = 0; meets && sim->has_cpu && i < block->op_count; i++) {
		const struct goal_op op = goal_op(block, i);

		if (sim_meets(sim, &op))
			read_waits(ops, block, &op);
	}
}

/* Give the ranks of a node the NICs of its first rank: as many as the rank with most NICs has. */
static int share_nics(struct sim *sim)
{
	const uint32_t rank_count = sim->goal->rank_count;
	uint32_t *hosts, *first_of, most = 0;

	TRY(network_place(sim->loggps->network, rank_count, &hosts, sim->err));
	for (uint32_t rank = 0; rank < rank_count; rank++)
		most = hosts[rank] > most ? hosts[rank] : most;
	if (allocate(&first_of, (size_t)most + 1, sizeof *first_of, sim->err) < 0) {
		free(hosts);
		return -1;
	}
	for (uint32_t rank = rank_count; rank-- > 0;)
		first_of[hosts[rank]] = rank;
	for (uint32_t rank = 0; rank < rank_count; rank++) {
		struct rank_servers *first = &sim->ranks[first_of[hosts[rank]]];

		if (sim->ranks[rank].nics > first->nics)
			first->nics = sim->ranks[rank].nics;
		sim->ranks[rank].node = first_of[hosts[rank]];
	}
	free(hosts);
	free(first_of);
	return 0;
}

/* Number the servers of all ranks. */
static void number_servers(struct sim *sim)
{
	for (uint32_t rank = 0; rank < sim->goal->rank_count; rank++) {
		struct rank_servers *servers = &sim->ranks[rank];

		servers->first = sim->server_count;
		sim->server_count += servers->cpus;
		servers->first_nic = sim->server_count;
		if (servers->node == rank) {
			sim->server_count += 2 * servers->nics;
		} else {
			servers->first_nic = sim->ranks[servers->node].first_nic;
			servers->nics = sim->ranks[servers->node].nics;
		}
	}
	sim->first_link = sim->server_count;
	sim->server_count += sim->execution->routes.link_count;
}

/* Tell whether o exceeds g + B of each message, at all points of the direction. */
static bool overhead_covers_nic(const struct sim *sim)
{
	const struct direction *along = sim->along ? sim->along : sim->loggps->asked;
	const enum cost_rule busy = sim->has_gap ? COST_NIC_GAP : COST_NIC;
	const uint64_t bytes = message_charged(sim->most_bytes);

	return along && !along->weight[VARIABLE_o] && !along->weight[VARIABLE_g] &&
	       !along->weight[VARIABLE_G] &&
	       sim->weights.rules[busy] + sim->weights.per_byte[busy] * bytes <
		       sim->weights.rules[COST_OVERHEAD];
}

static int read_ranks(struct sim *sim)
{
	const uint32_t *gaps = sim->execution->gap_first;
	bool covers;

	for (uint32_t rank = 0; rank < sim->goal->rank_count; rank++) {
		struct rank_servers *servers = &sim->ranks[rank];

		sim_read_rank(sim, &sim->goal->ranks[rank], servers);
		servers->node = rank;
	}
	sim->meets = message_is_rendezvous(sim->loggps, sim->most_bytes);
	sim->announces = message_is_announced(sim->loggps, sim->most_bytes);
	covers = !sim->meets && !sim->has_links && overhead_covers_nic(sim);
	if (sim->shares_nics)
		TRY(share_nics(sim));
	number_servers(sim);
	for (uint32_t rank = 0; rank < sim->goal->rank_count; rank++) {
		struct rank_servers *servers = &sim->ranks[rank];
		bool injects_in_order;

		servers->one_cpu = sim->has_cpu && servers->cpus == 1 && !sim->announces;
		servers->meets_in_order = servers->one_cpu && !sim->meets && !gaps &&
					  !sim->keeps_causes;
		injects_in_order = servers->one_cpu && !sim->shares_nics &&
				   !sim->execution->classes.of_op &&
				   sim->weights.rules[COST_OVERHEAD] > 0;
		servers->injects_at_once = injects_in_order && sim->weights.rules[COST_LATENCY] > 0;
		servers->injects_freely = injects_in_order && covers && !sim->keeps_causes;
	}
	for (uint32_t i = 0; gaps && i < gaps[sim->goal->op_count]; i++)
		sim->ops[sim->execution->gap_later[i]].others++;
	return 0;
}

/* Return the smallest cost of a rule over all classes of messages, in units. */
static int64_t least_cost(const struct sim *sim, enum cost_rule rule)
{
	int64_t least = INT64_MAX;

	/* If messages have classes, class 0 is the class of calcs only. */
	for (uint32_t class = sim->execution->classes.of_op != NULL;
	     class < sim->execution->classes.count; class ++) {
		const struct cost cost = {.rule = rule, .class = class};
		const int64_t weight = in_units(cost_weigh(&sim->weights, &cost));

		least = weight < least ? weight : least;
	}
	return least;
}

/*
 * Return the least time, in units, from a resource request at one rank to requests at other ranks
 * that follow from it.  A message takes L, and also o unless the request is for its injection.  The
 * end of a rendezvous send follows the overhead of its receive.
 *
 * Without limited CPUs requests for arrivals are delayed by the overheads of the receive and of a
 * send after it.  They still precede the requests for injections that follow from them, and
 * injections reach other ranks later by this delay.
 */
static int64_t least_reach(struct sim *sim)
{
	const int64_t overhead = least_cost(sim, COST_OVERHEAD);
	const int64_t latency = least_cost(sim, COST_LATENCY);
	bool at_once = true;

	if (sim->meets)
		return overhead < latency ? overhead : latency;
	if (overhead > INT64_MAX / 4 || latency > INT64_MAX / 4)
		return latency;
	for (uint32_t rank = 0; rank < sim->goal->rank_count; rank++)
		at_once = at_once && (!sim->has_nic || sim->ranks[rank].injects_at_once);
	if (at_once)
		return overhead + latency;
	/* With L = 0 the order of requests of one time matters, so there is no delay. */
	sim->arrivals_later = sim->has_cpu || latency == 0 ? 0 : 2 * overhead;
	return latency + sim->arrivals_later;
}

/*
 * Form the groups of resource requests: the ranks that share NICs.  All ranks are one group if they
 * share links, or if an event of one rank may reach another rank at the same time.
 */
static int form_groups(struct sim *sim)
{
	const int64_t reach = least_reach(sim);
	const bool alone = sim->has_links || reach == 0;
	const bool counts = !alone && !sim->has_nic;

	for (uint32_t rank = 0; rank < sim->goal->rank_count; rank++)
		sim->ranks[rank].group = alone ? 0 : sim->ranks[rank].node;
	if (counts)
		TRY(allocate(&sim->unopened, sim->goal->op_count, sizeof *sim->unopened, sim->err));
	/* An arrival at a NIC may come from anywhere. */
	return request_groups_init(&sim->requests, alone ? 1 : sim->goal->rank_count,
				   sim->has_nic && !alone, alone ? 1 : (uint64_t)reach, sim->err);
}

static int allocate_causes(struct sim *sim)
{
	const uint32_t op_count = sim->goal->op_count;

	sim->causes->op_count = op_count;
	return allocate(&sim->causes->of, (size_t)CAUSES_PER_OP * op_count + sim_entries(sim),
			sizeof *sim->causes->of, sim->err);
}

/* Allocate the hash table of costs.  Slot 0 is right as zeros: the cost 0, which has number 0. */
static int init_known(struct sim *sim)
{
	TRY(allocate(&sim->known, KNOWN_COSTS, sizeof *sim->known, sim->err));
	for (uint32_t i = 1; i < KNOWN_COSTS; i++)
		sim->known[i].class_rule = UINT32_MAX;
	return 0;
}

static int init(struct sim *sim)
{
	struct error *err = sim->err;

	sim->keeps_causes = sim->causes || sim->slack;
	set_costs(sim);
	TRY(init_known(sim));
	TRY(allocate(&sim->ops, sim->goal->op_count, sizeof *sim->ops, err));
	TRY(allocate(&sim->ranks, sim->goal->rank_count, sizeof *sim->ranks, err));
	TRY(read_ranks(sim));
	TRY(allocate(&sim->servers, sim->server_count, sizeof *sim->servers, err));
	TRY(form_groups(sim));
	/* The first event is the end of the program. */
	TRY(sim_grow(sim));
	sim->unused = 0;
	TRY(array_push(&sim->waiters, (struct waiter){0}, err));
	return sim->causes ? allocate_causes(sim) : 0;
}

static void release(struct sim *sim)
{
	free(sim->known);
	free(sim->ops);
	free(sim->ranks);
	free(sim->servers);
	array_release(&sim->log);
	array_release(&sim->pool);
	array_release(&sim->provenances);
	array_release(&sim->waiters);
	array_release(&sim->ready);
	request_groups_release(&sim->requests);
	free(sim->unopened);
}

/* ---------------------------------------------------------------------- simulations */

/* Simulation in one thread, chunk by chunk, and writer of the graph in another. */
struct writing_sim {
	struct sim *sim;
	struct sim_writer writer;
	uint32_t chunks;
};

static int serve_chunk(void *shared, void *state, uint32_t item, struct error *err)
{
	struct writing_sim *writing = shared;
	struct sim *sim = writing->sim;

	sim->steps = state;
	sim->steps->steps.count = sim->steps->costs.count = 0;
	sim->err = err;
	if (item == 0)
		TRY(sim_begin_roots(sim));
	TRY(sim_serve(sim, (uint64_t)sim->goal->op_count * (item + 1) / writing->chunks));
	return item + 1 == writing->chunks ? sim_bound_end_by_cpus(sim) : 0;
}

static int write_chunk(void *shared, void *state, uint32_t item, struct error *err)
{
	struct writing_sim *writing = shared;

	(void)item;
	return sim_writer_add(&writing->writer, state, err);
}

static void release_steps(void *state)
{
	struct step_list *steps = state;

	array_release(&steps->steps);
	array_release(&steps->costs);
}

static int run_writing(struct sim *sim, struct cost_graph *graph)
{
	/* Operations of a chunk, whose steps the writer gets together. */
	enum { CHUNK = 1 << 14 };
	struct error *err = sim->err;
	struct writing_sim writing = {.sim = sim, .chunks = sim->goal->op_count / CHUNK + 1};
	const struct parallel_work work = {
		.line_up = serve_chunk,
		.take = write_chunk,
		.shared = &writing,
		.state_bytes = sizeof(struct step_list),
		.release = release_steps,
	};
	const unsigned threads = parallel_threads(sim->goal->op_count) > 1 ? 2 : 1;
	int result = sim_writer_init(&writing.writer, sim->server_count, err);

	if (result == 0)
		result = cost_expressions_ask(&writing.writer.writer.expressions,
					      sim->loggps->asked, err);
	if (result == 0)
		result = cost_expressions_use(&writing.writer.writer.expressions,
					      sim->execution->classes.list,
					      sim->execution->classes.count, err);
	if (result == 0)
		result = parallel_run(&work, writing.chunks, threads, err);
	sim->err = err;
	if (result == 0)
		result = sim_writer_finish(&writing.writer, graph, err);
	sim_writer_release(&writing.writer);
	return result;
}

static struct sim sim_of(struct sim_result *simulation, const struct execution_graph *execution,
			 const struct direction *along, struct error *err)
{
	return (struct sim){
		.execution = execution,
		.goal = execution->goal,
		.loggps = execution->loggps,
		.result = simulation,
		.has_cpu = execution->loggps->resources & RESOURCE_CPU,
		.has_nic = execution->loggps->resources & RESOURCE_NIC,
		.has_links = execution->loggps->resources & RESOURCE_LINK,
		.shares_nics = execution->loggps->resources & RESOURCE_NODE_NIC,
		.has_gap = variable_is_on(&execution->loggps->variables.of[VARIABLE_g]),
		.along = along,
		.err = err,
	};
}

static int serve_all(struct sim *sim, struct cost_graph *graph)
{
	TRY(init(sim));
	if (graph)
		return run_writing(sim, graph);
	TRY(sim_begin_roots(sim));
	return sim_serve(sim, sim->goal->op_count);
}

/* Set the results of the end of the program. */
static void set_end(const struct sim *sim)
{
	sim->result->end = sim->pool.items[0].at;
	if (sim->causes)
		sim->causes->end = sim->provenances.items[0];
}

static int run(struct sim *sim, struct cost_graph *graph)
{
	int result;

	*sim->result = (struct sim_result){.order = REACH_UNBOUNDED, .waits = REACH_UNBOUNDED};
	result = serve_all(sim, graph);
	if (result == 0 && sim->has_end)
		set_end(sim);
	if (result == 0 && sim->slack)
		result = sim_find_slack_from_log(sim);
	release(sim);
	return result;
}

int sim_run(struct sim_result *simulation, const struct execution_graph *execution,
	    const struct direction *along, struct cost_graph *graph, struct causes *causes,
	    struct error *err)
{
	struct sim sim = sim_of(simulation, execution, along, err);
	int result;

	sim.causes = causes;
	if (causes)
		*causes = (struct causes){.end.op = NO_EVENT};
	result = run(&sim, graph);
	if (result == 0 && graph) {
		graph->op_count = execution->goal->op_count;
		graph->message_count = execution->matching.message_count;
	}
	if (result < 0 && causes)
		causes_release(causes);
	return result;
}

int sim_find_times(struct sim_times **times, struct sim_result *simulation,
		   const struct execution_graph *execution, struct error *err)
{
	const struct direction along_L = direction_of(&execution->loggps->variables, VARIABLE_L);
	struct sim sim = sim_of(simulation, execution, &along_L, err);
	int result;

	TRY(allocate(times, execution->goal->op_count, sizeof **times, err));
	sim.times = *times;
	result = run(&sim, NULL);
	if (result < 0) {
		free(*times);
		*times = NULL;
	}
	return result;
}

int sim_find_slack(int64_t **slack, struct sim_result *simulation,
		   const struct execution_graph *execution, struct error *err)
{
	const struct direction along_L = direction_of(&execution->loggps->variables, VARIABLE_L);
	struct sim sim = sim_of(simulation, execution, &along_L, err);
	int result;

	TRY(allocate(slack, execution->goal->op_count, sizeof **slack, err));
	sim.slack = *slack;
	result = run(&sim, NULL);
	if (result < 0) {
		free(*slack);
		*slack = NULL;
	}
	return result;
}
