#include "llamp/placement/placement_flows.h"

#include "llamp/analysis/communication.h"

void flows_release(struct flows *flows)
{
	array_release(&flows->list);
	number_map_release(&flows->known);
	free(flows->first);
	free(flows->of_rank);
}

static int add_message(struct flows *flows, const struct placed_model *placed,
		       const struct critical_message *message, struct error *err)
{
	const struct goal_op send = goal_op(&placed->model.goal.ranks[message->from],
					    message->send);
	const uint32_t row = network_row(&placed->network, send.size);
	const uint64_t pair = (uint64_t)message->from << 32 | message->to;
	uint32_t index = number_map_get(&flows->known, pair, row);

	if (message->from == message->to)
		return 0;
	if (index == NUMBER_MAP_EMPTY) {
		index = (uint32_t)flows->list.count;
		TRY(number_map_add(&flows->known, pair, row, index, err));
		TRY(array_push(&flows->list,
			       ((struct flow){{message->from, message->to}, row, 0, 0, 0, 0}),
			       err));
	}
	flows->list.items[index].latencies += (double)message->lambda;
	flows->list.items[index].bytes += send.size ? (double)(send.size - 1) : 0;
	return 0;
}

/* List all messages between ranks, whatever T depends on, as flows. */
static int add_all_messages(struct flows *flows, const struct placed_model *placed,
			    struct error *err)
{
	struct communication communication;
	int result = 0;

	TRY(communication_count(&communication, &placed->model.goal, err));
	for (size_t i = 0; result == 0 && i < communication.pairs.count; i++) {
		const struct communication_pair *pair = &communication.pairs.items[i];
		const uint64_t mean = pair->bytes / pair->messages;

		if (pair->source != pair->destination)
			result = array_push(&flows->list,
					    ((struct flow){{pair->source, pair->destination},
							   network_row(&placed->network, mean),
							   (double)pair->messages,
							   (double)pair->bytes,
							   0,
							   0}),
					    err);
	}
	communication_release(&communication);
	return result;
}

/* Compute the time of a flow between two hosts, in as. */
static double find_flow_as(const struct placed_model *placed, const struct flow *flow,
			   uint32_t from, uint32_t to)
{
	const struct message_class class = network_class(&placed->network, from, to, flow->row);
	double sum = 0;

	for (uint32_t i = 0; i < class.term_count; i++) {
		const struct class_term *term = &class.terms[i];
		const double value = (double)term->count *
				     (double)loggps_value(&placed->model.loggps, term->variable);

		if (term->symbol == VARIABLE_L)
			sum += flow->latencies * value;
		else if (term->symbol == VARIABLE_G)
			sum += flow->bytes * value;
	}
	return sum;
}

/*
 * Find the times of all flows within a host, and what they take longer than their latencies by the
 * distance of two hosts.
 */
static void find_times(struct flows *flows, const struct placed_model *placed,
		       const struct placement_task *task)
{
	for (size_t i = 0; i < flows->list.count; i++) {
		struct flow *flow = &flows->list.items[i];

		flow->within_as = find_flow_as(placed, flow, 0, 0);
		if (task->host_count > 1)
			flow->between_as = find_flow_as(placed, flow, 0, 1) -
					   flow->latencies *
						   placement_distance_as(&task->hosts, 0, 1);
	}
}

static int index_flows(struct flows *flows, const struct placement_task *task,
		       const struct placed_model *placed, struct error *err)
{
	const uint32_t rank_count = task->model->goal.rank_count;

	TRY(allocate(&flows->first, (size_t)rank_count + 1, sizeof *flows->first, err));
	TRY(allocate(&flows->of_rank, 2 * flows->list.count, sizeof *flows->of_rank, err));
	for (size_t i = 0; i < flows->list.count; i++)
		for (int end = 0; end < 2; end++)
			flows->first[flows->list.items[i].ranks[end]]++;
	for (uint32_t rank = 1; rank <= rank_count; rank++)
		flows->first[rank] += flows->first[rank - 1];
	for (size_t i = flows->list.count; i-- > 0;)
		for (int end = 0; end < 2; end++)
			flows->of_rank[--flows->first[flows->list.items[i].ranks[end]]] = (uint32_t)
				i;
	find_times(flows, placed, task);
	return 0;
}

int flows_of_path(struct flows *flows, const struct placement_task *task,
		  const struct placed_model *placed, const struct critical_path *path,
		  struct error *err)
{
	int result = 0;

	*flows = (struct flows){0};
	for (size_t i = 0; result == 0 && i < path->messages.count; i++)
		result = add_message(flows, placed, &path->messages.items[i], err);
	if (result == 0)
		result = index_flows(flows, task, placed, err);
	if (result < 0)
		flows_release(flows);
	return result;
}

int flows_of_all(struct flows *flows, const struct placement_task *task,
		 const struct placed_model *placed, struct error *err)
{
	int result;

	*flows = (struct flows){0};
	result = add_all_messages(flows, placed, err);
	if (result == 0)
		result = index_flows(flows, task, placed, err);
	if (result < 0)
		flows_release(flows);
	return result;
}

double flow_as(const struct placement_task *task, const struct flow *flow, uint32_t from,
	       uint32_t to)
{
	return from == to ? flow->within_as
			  : flow->between_as +
				    flow->latencies * placement_distance_as(&task->hosts, from, to);
}
