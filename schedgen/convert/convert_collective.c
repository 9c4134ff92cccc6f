/* Convert the record of a collective to operations: its ranks, and its algorithm. */
#include "schedgen/convert/convert_internal.h"

#include "common/source/source_lines.h"
#include "schedgen/collectives/normalise.h"
#include "schedgen/collectives/rules.h"

/*
 * Kind of collective that models the record; COLL_KINDS if none does.  Making a communicator is
 * modelled as a barrier: all ranks wait for all ranks, and little data is moved.
 */
static enum mpi_collective modelled_as(const struct convert *convert, const struct mpi_event *event)
{
	const struct trace_world *world = convert->world;
	int kind = event->collective == COLL_CREATE_HANDLE ? COLL_BARRIER : (int)event->collective;

	if (event->collective > COLL_DESTROY_HANDLE)
		return (enum mpi_collective)COLL_KINDS;
	if (event->comm < world->comm_count && world->comms[event->comm].inter)
		kind += COLL_INTER_BARRIER - COLL_BARRIER;
	else if (event->neighbours)
		kind += COLL_NEIGHBOR_ALLGATHER - COLL_ALLGATHER;
	return (enum mpi_collective)kind;
}

bool convert_models(const struct convert *convert, const struct mpi_event *event)
{
	const struct trace_comm *comm = convert->world->comms + event->comm;
	enum mpi_collective kind;

	switch (event->kind) {
	case EVENT_COMM_CREATE:
	case EVENT_COMM_DESTROY:
	case EVENT_TRANSFER:
	case EVENT_PROBE:
		return false;
	case EVENT_COLLECTIVE:
	case EVENT_COLLECTIVE_COMPLETE:
		kind = modelled_as(convert, event);
		return (unsigned)kind < COLL_KINDS && convert->defaults[kind];
	case EVENT_WIN_CREATE:
	case EVENT_WIN_DESTROY:
	case EVENT_RMA_SYNC:
		return false;
	case EVENT_RMA_PUT:
	case EVENT_RMA_GET:
	case EVENT_RMA_ATOMIC:
		if (!convert->options.rma_plan || event->comm >= convert->world->comm_count)
			return convert->options.rma_plan;
		/* The rank itself is no target of messages. */
		return !comm->self &&
		       (event->peer >= comm->size || comm->ranks[event->peer] != convert->rank);
	default:
		return !event_is_rma(event->kind) || convert->options.rma_plan;
	}
}

static int find_nodes(struct convert *convert, uint32_t comm, struct collective *collective,
		      struct error *err)
{
	return comm_nodes_find(&convert->nodes, convert->world, convert->options.ranks_per_node,
			       comm, collective->size, &collective->nodes, err);
}

/* Find where the call is, as far as rules ask for it. */
static int find_call_place(struct convert *convert, const struct rules *rules,
			   const struct goal_call *call, struct coll_place *place,
			   struct error *err)
{
	place->communicator = call->communicator;
	if (!rules->by_site || !call->site)
		return 0;
	place->site = call->site;
	if (!convert->lines)
		TRY(source_lines_open(&convert->lines, err));
	return source_lines_name(convert->lines, call->site, &place->site_name, err);
}

/* Choose by rules.  *choice becomes NULL if none fits. */
static int choose_by(struct convert *convert, struct rules *rules, const struct mpi_event *event,
		     const struct goal_call *call, struct collective *collective,
		     const struct coll_choice **choice, struct error *err)
{
	*choice = NULL;
	if (!rules)
		return 0;
	if (rules->by_nodes)
		TRY(find_nodes(convert, event->comm, collective, err));
	TRY(find_call_place(convert, rules, call, &collective->place, err));
	*choice = rules_choose(rules, collective, event->kind == EVENT_COLLECTIVE);
	return 0;
}

/* Choose the algorithm.  Give the call its parameters and, if it uses them, its nodes. */
static int choose(struct convert *convert, const struct mpi_event *event,
		  const struct goal_call *call, struct collective *collective,
		  const struct coll_algorithm **algorithm, struct error *err)
{
	const struct convert_options *options = &convert->options;
	const struct coll_choice *choice;

	TRY(choose_by(convert, options->first_rules, event, call, collective, &choice, err));
	if (!choice && options->choices[collective->kind].algorithm)
		choice = &options->choices[collective->kind];
	if (!choice)
		TRY(choose_by(convert, options->rules, event, call, collective, &choice, err));
	*algorithm = convert->defaults[collective->kind];
	if (!choice)
		return 0;
	*algorithm = choice->algorithm;
	collective->parameters = choice->parameters;
	if (!((*algorithm)->parameters & COLL_TAKES_NODE))
		return 0;
	TRY(find_nodes(convert, event->comm, collective, err));
	if (options->rules)
		rules_choose_levels(options->rules, *algorithm, collective,
				    event->kind == EVENT_COLLECTIVE);
	return 0;
}

/*
 * Make the operations of a call, and count the messages that the rank sends in it.  Rank 0 counts
 * the call; between groups the root does, or rank 0 of the first group.
 */
static int generate(struct convert *convert, const struct coll_algorithm *algorithm,
		    const struct collective *collective, bool blocking, struct frontier *frontier,
		    struct error *err)
{
	struct coll_count *counted =
		&convert->counts[2 * (size_t)(algorithm - coll_algorithms) + blocking];
	const uint64_t sends = convert->builder.sends;
	const uint64_t bytes = convert->builder.sent_bytes;
	bool counts = collective->rank == 0;

	TRY(coll_generate(algorithm, collective, &convert->builder, frontier, err));
	if (convert->stage != SLICE_INSIDE)
		return 0;
	if (coll_is_inter(collective->kind))
		counts = coll_is_rooted(collective->kind) ? collective->root_place == COLL_ROOT_SELF
							  : counts && collective->first_group;
	counted->calls += counts;
	counted->messages += convert->builder.sends - sends;
	counted->bytes += convert->builder.sent_bytes - bytes;
	return 0;
}

/* Set the ranks of the collective. */
static int set_group(struct convert *convert, uint32_t id, struct collective *collective,
		     struct error *err)
{
	const struct trace_comm *comm = convert->world->comms + id;
	const struct tracked_comm *own;

	TRY(call_tracker_comm(&convert->tracker, id, &own, err));
	if (!own->member)
		return error_set(err, STATUS_DATA, "the rank is not in communicator %u", id);
	collective->rank = own->rank;
	collective->size = comm->size;
	collective->world = comm->self ? &convert->rank : comm->identity ? NULL : comm->ranks;
	if (!comm->inter)
		return 0;
	collective->first_group = !own->in_remote_group;
	collective->remote_size = own->in_remote_group ? comm->size : comm->remote_size;
	collective->remote_world = own->in_remote_group ? comm->ranks : comm->remote_ranks;
	if (own->in_remote_group) {
		collective->size = comm->remote_size;
		collective->world = comm->remote_ranks;
	}
	return 0;
}

/*
 * Find the sizes from other ranks if the algorithm needs them.  `started` non-blocking
 * collectives were started before a non-blocking one.
 */
static int find_sizes(struct convert *convert, const struct mpi_event *event, uint32_t started,
		      const struct coll_algorithm *algorithm, struct collective *collective,
		      struct error *err)
{
	const struct all_sizes *sizes = convert->options.all_sizes;
	const struct trace_comm *comm = &convert->world->comms[event->comm];
	const enum all_sizes_class class = all_sizes_class(collective->kind);
	const bool blocking = event->kind == EVENT_COLLECTIVE;
	const uint64_t *bytes = NULL;
	uint32_t number = 0;

	if (class == SIZES_NONE)
		return 0;
	if (blocking)
		TRY(call_tracker_ordinal(&convert->tracker, event->comm, ORDINAL_SIZES, class,
					 &number, err));
	if (!coll_needs_all_sizes(algorithm) || collective->size == 1)
		return 0;
	if (sizes && event->persistent)
		bytes = all_sizes_find_persistent(sizes, class, event->comm, event->persistent);
	else if (sizes)
		bytes = blocking ? all_sizes_find(sizes, class, event->comm, number)
				 : all_sizes_find_started(sizes, class, event->comm, convert->rank,
							  started);
	if (!bytes)
		return error_set(err, STATUS_LIMIT,
				 "%s by %s needs the size of each block, which the trace has not",
				 coll_name(collective->kind), algorithm->name);
	if (class == SIZE_OF_LARGEST) {
		collective->largest_bytes = *bytes;
		return 0;
	}
	if (collective->kind == COLL_GATHERV)
		collective->receive_bytes = bytes;
	else
		collective->send_bytes = bytes;
	return collective->size == comm->size
		       ? 0
		       : convert_repeat_vectors(convert, comm->size, collective, err);
}

int convert_collective(struct convert *convert, const struct mpi_event *event,
		       const struct goal_call *call, uint32_t started, uint32_t tag,
		       struct frontier *frontier, struct error *err)
{
	struct collective collective = {.tag = tag,
					.reduce_ns_per_byte = convert->options.reduce_ns_per_byte,
					.sizes_told = convert->world->has_counts};
	bool blocking = event->kind == EVENT_COLLECTIVE, guessed = false;
	const struct coll_algorithm *algorithm;

	if (convert->options.without_barriers && event->collective == COLL_BARRIER)
		return 0;
	TRY(set_group(convert, event->comm, &collective, err));
	if (event->neighbours && !convert->world->comms[event->comm].inter)
		TRY(neighbours_read(&convert->neighbours, &collective, event, err));
	else
		TRY(normalise(&collective, event, &guessed, err));
	collective.kind = modelled_as(convert, event);
	convert->totals.guessed_collectives += guessed;
	collective.world_offset = convert->world_offset;
	if (convert->options.copies > 1)
		TRY(convert_extrapolate(convert, event->comm, &collective, err));
	TRY(choose(convert, event, call, &collective, &algorithm, err));
	if (convert->options.all_sizes || coll_needs_all_sizes(algorithm))
		TRY(find_sizes(convert, event, started, algorithm, &collective, err));
	return generate(convert, algorithm, &collective, blocking, frontier, err);
}
