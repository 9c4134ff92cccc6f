#include "llamp/placement/link_load.h"

#include "common/number_map.h"
#include "llamp/analysis/communication.h"

#include <stdlib.h>

struct work {
	struct link_load *load;
	struct number_map numbers;	/* nodes and parallel -> index in load->links */
	struct hops hops;
	struct error *err;
};

static int add_to_link(struct work *work, const struct hop *hop,
		       const struct communication_pair *pair)
{
	const uint64_t key = (uint64_t)hop->from << 32 | hop->to;
	uint32_t number = number_map_get(&work->numbers, key, hop->parallel);
	struct loaded_link *link;

	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)work->load->links.count;
		TRY(array_push(&work->load->links, (struct loaded_link){.hop = *hop}, work->err));
		TRY(number_map_add(&work->numbers, key, hop->parallel, number, work->err));
	}
	link = &work->load->links.items[number];
	link->messages += pair->messages;
	link->bytes += pair->bytes;
	return 0;
}

static int add_pairs(struct work *work, const struct communication *communication,
		     const struct topology *topology, const uint32_t *hosts)
{
	for (size_t i = 0; i < communication->pairs.count; i++) {
		const struct communication_pair *pair = &communication->pairs.items[i];

		TRY(topology_hops(topology, hosts[pair->source], hosts[pair->destination],
				  &work->hops, work->err));
		if (!work->hops.count)
			work->load->inside += pair->messages;
		for (size_t k = 0; k < work->hops.count; k++)
			TRY(add_to_link(work, &work->hops.items[k], pair));
	}
	return 0;
}

static int by_load(const void *a, const void *b)
{
	const struct loaded_link *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->messages != y->messages)
		return x->messages < y->messages ? 1 : -1;
	if (x->hop.from != y->hop.from)
		return x->hop.from < y->hop.from ? -1 : 1;
	if (x->hop.to != y->hop.to)
		return x->hop.to < y->hop.to ? -1 : 1;
	return (x->hop.parallel > y->hop.parallel) - (x->hop.parallel < y->hop.parallel);
}

static int find_load(struct link_load *load, const struct communication *communication,
		     const struct network *network, struct error *err)
{
	struct work work = {.load = load, .err = err};
	uint32_t *hosts;
	int result;

	TRY(network_place(network, communication->rank_count, &hosts, err));
	load->messages = communication->messages;
	load->bytes = communication->bytes;
	result = add_pairs(&work, communication, network->topology, hosts);
	if (result == 0 && load->links.count)
		qsort(load->links.items, load->links.count, sizeof *load->links.items, by_load);
	number_map_release(&work.numbers);
	array_release(&work.hops);
	free(hosts);
	return result;
}

int link_load_find(struct link_load *load, const struct goal *goal, const struct network *network,
		   struct error *err)
{
	struct communication communication;
	int result;

	*load = (struct link_load){0};
	TRY(communication_count(&communication, goal, err));
	result = find_load(load, &communication, network, err);
	communication_release(&communication);
	if (result < 0)
		link_load_release(load);
	return result;
}

void link_load_release(struct link_load *load)
{
	array_release(&load->links);
}
