#include "llamp/graph/message_classes.h"

#include "common/array.h"
#include "common/hash.h"
#include "common/number_map.h"
#include "llamp/network/topology.h"

#include <string.h>

enum { MOST_CLASSES = UINT16_MAX, RECENT = 1 << 12 };

/* Class of messages from one host to another, of a row of sizes. */
struct recent {
	uint32_t from, to, row, class; /* class 0: not used */
};

struct classification {
	const struct network *network;
	const struct goal *goal;
	const struct goal_matching *matching;
	uint32_t *hosts; /* [rank] */
	struct recent *recent;
	ARRAY(struct message_class) list;
	struct number_map numbers; /* keys: hash of a class, number of earlier classes with it */
	uint16_t *of_op;
};

static uint64_t class_hash(const struct message_class *class)
{
	uint64_t hash = class->term_count << 1 | class->within_node;

	for (uint32_t i = 0; i < class->term_count; i++) {
		const struct class_term *term = &class->terms[i];

		hash = mix64(hash ^ ((uint64_t)term->symbol << 56 | (uint64_t)term->variable << 32 |
				     term->count));
	}
	return hash;
}

static int add_class(struct classification *all, const struct message_class *class, uint64_t hash,
		     uint32_t same_hash, uint32_t *number, struct error *err)
{
	*number = (uint32_t)all->list.count;
	if (*number == MOST_CLASSES)
		return error_set(err, STATUS_LIMIT,
				 "the messages have more than %d different routes and sizes",
				 MOST_CLASSES - 1);
	TRY(number_map_add(&all->numbers, hash, same_hash, *number, err));
	return array_push(&all->list, *class, err);
}

/* Find the number of a class, a new one if it has none. */
static int number_class(struct classification *all, const struct message_class *class,
			uint32_t *number, struct error *err)
{
	const uint64_t hash = class_hash(class);
	uint32_t same_hash = 0;

	while ((*number = number_map_get(&all->numbers, hash, same_hash)) != NUMBER_MAP_EMPTY) {
		if (!memcmp(&all->list.items[*number], class, sizeof *class))
			return 0;
		same_hash++;
	}
	return add_class(all, class, hash, same_hash, number, err);
}

static int classify_message(struct classification *all, uint32_t from, uint32_t to, uint64_t bytes,
			    uint32_t *number, struct error *err)
{
	const uint32_t row = network_row(all->network, bytes);
	struct recent *recent =
		&all->recent[(from * UINT32_C(31) + to * UINT32_C(7) + row) % RECENT];

	if (!recent->class || recent->from != from || recent->to != to || recent->row != row) {
		const struct message_class class = network_class(all->network, from, to, row);

		*recent = (struct recent){from, to, row, 0};
		TRY(number_class(all, &class, &recent->class, err));
	}
	*number = recent->class;
	return 0;
}

static int classify_rank(struct classification *all, uint32_t rank, struct error *err)
{
	const struct goal_block *block = &all->goal->ranks[rank];

	for (uint32_t i = 0; i < block->op_count; i++) {
		const struct goal_op op = goal_op(block, i);
		const uint32_t send = block->first_op + i;
		uint32_t class;

		if (op.kind != GOAL_SEND)
			continue;
		TRY(classify_message(all, all->hosts[rank], all->hosts[op.peer], op.size, &class,
				     err));
		all->of_op[send] = (uint16_t) class;
		if (all->matching)
			all->of_op[all->matching->partner[send]] = (uint16_t) class;
	}
	return 0;
}

static int classify_all(struct classification *all, struct error *err)
{
	TRY(network_place(all->network, all->goal->rank_count, &all->hosts, err));
	TRY(allocate(&all->recent, RECENT, sizeof *all->recent, err));
	TRY(allocate(&all->of_op, all->goal->op_count, sizeof *all->of_op, err));
	TRY(array_push(&all->list, message_class_plain, err));
	for (uint32_t rank = 0; rank < all->goal->rank_count; rank++)
		TRY(classify_rank(all, rank, err));
	return 0;
}

/* Add the classes of the latencies of links, which no message has. */
static int add_links(struct classification *all, uint32_t *first, struct error *err)
{
	const struct topology *topology = all->network->topology;

	*first = (uint32_t)all->list.count;
	for (uint32_t i = 0; topology && i < 2 * topology->class_count; i++) {
		if (all->list.count == MOST_CLASSES)
			return error_set(err, STATUS_LIMIT, "the network has too many routes");
		TRY(array_push(&all->list, network_link_class(all->network, i / 2, i % 2), err));
	}
	return 0;
}

int message_classes_find(struct message_classes *classes, const struct goal *goal,
			 const struct goal_matching *matching, const struct loggps *loggps,
			 struct error *err)
{
	const struct network *network = loggps->network;
	uint32_t first_link = 0;
	struct classification all = {.network = network, .goal = goal, .matching = matching};
	int result;

	*classes = (struct message_classes){.list = &message_class_plain, .count = 1};
	if (!network || network_is_plain(network))
		return 0;
	result = classify_all(&all, err);
	if (result == 0 && loggps->resources & RESOURCE_LINK)
		result = add_links(&all, &first_link, err);
	free(all.hosts);
	free(all.recent);
	number_map_release(&all.numbers);
	if (result < 0) {
		array_release(&all.list);
		free(all.of_op);
		return -1;
	}
	*classes = (struct message_classes){
		.list = all.list.items,
		.owned = all.list.items,
		.count = (uint32_t)all.list.count,
		.of_op = all.of_op,
		.first_link = first_link,
	};
	return 0;
}

void message_classes_release(struct message_classes *classes)
{
	free(classes->owned);
	free(classes->of_op);
	*classes = (struct message_classes){0};
}
