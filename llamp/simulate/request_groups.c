#include "llamp/simulate/request_groups.h"

#define NOT_LISTED UINT64_MAX

/* ----------------------------------------------------------------- requests of a group */

static inline bool is_before(const struct resource_request *a, const struct resource_request *b)
{
	return a->time != b->time ? a->time < b->time : a->event < b->event;
}

/* Join two heaps: the root that is later becomes the first child of the other root. */
static inline uint32_t meld(struct request_node *nodes, uint32_t a, uint32_t b)
{
	const bool swapped = is_before(&nodes[b].request, &nodes[a].request);
	const uint32_t first = swapped ? b : a, later = swapped ? a : b;

	nodes[later].next = nodes[first].child;
	nodes[first].child = later;
	return first;
}

/* Join a list of heaps: first in pairs, then all pairs from the last to the first. */
static uint32_t meld_all(struct request_node *nodes, uint32_t list)
{
	uint32_t pairs = 0, all;

	while (list) {
		const uint32_t a = list, b = nodes[a].next;
		uint32_t pair = a;

		list = b ? nodes[b].next : 0;
		if (b)
			pair = meld(nodes, a, b);
		nodes[pair].next = pairs;
		pairs = pair;
	}
	if (!pairs)
		return 0;
	all = pairs;
	pairs = nodes[pairs].next;
	while (pairs) {
		const uint32_t next = nodes[pairs].next;

		all = meld(nodes, all, pairs);
		pairs = next;
	}
	return all;
}

static int new_node(struct request_groups *groups, uint32_t *node, struct error *err)
{
	*node = groups->unused;
	if (*node) {
		groups->unused = groups->nodes.items[*node].next;
		return 0;
	}
	*node = (uint32_t)groups->nodes.count;
	return array_push(&groups->nodes, (struct request_node){0}, err);
}

static struct resource_request free_node(struct request_groups *groups, uint32_t node)
{
	groups->nodes.items[node].next = groups->unused;
	groups->unused = node;
	return groups->nodes.items[node].request;
}

static struct resource_request pop(struct request_groups *groups, struct request_group *group)
{
	struct request_node *nodes = groups->nodes.items;
	const uint32_t first = group->first;

	group->first = nodes[first].child ? meld_all(nodes, nodes[first].child) : 0;
	return free_node(groups, first);
}

static struct resource_request take_mail(struct request_groups *groups, struct request_group *group)
{
	const uint32_t mail = group->mail;

	group->mail = groups->nodes.items[mail].next;
	group->mails--;
	return free_node(groups, mail);
}

/* --------------------------------------------------------------------- order of groups */

/* Tell whether the first request of a group without mail may be served. */
static inline bool may_serve(const struct request_groups *groups, const struct request_group *group)
{
	return group->first &&
	       (!group->open || groups->nodes.items[group->first].request.time < groups->limit);
}

/* Tell whether a group is ready. */
static inline bool may_run(const struct request_groups *groups, const struct request_group *group)
{
	if (!group->mail)
		return may_serve(groups, group);
	return group->mails >= group->open || group->mail_time < groups->limit;
}

/* Add a group, which is not running, to the ready groups or to its window. */
static int request_groups_line_up(struct request_groups *groups, uint32_t number, struct error *err)
{
	struct request_group *group = &groups->groups[number];
	uint64_t time = UINT64_MAX, window;

	if (group->ready || (!group->first && !group->mail))
		return 0;
	if (may_run(groups, group)) {
		group->ready = true;
		groups->ring[groups->tail++ & groups->ring_mask] = number;
		return 0;
	}
	if (group->first)
		time = groups->nodes.items[group->first].request.time;
	if (group->mail && group->mail_time < time)
		time = group->mail_time;
	window = time / groups->window;
	if (window >= group->listed)
		return 0;
	group->listed = window;
	return lookahead_add(&groups->windows, window, number, err);
}

int request_groups_push(struct request_groups *groups, uint32_t group,
			struct resource_request request, struct error *err)
{
	struct request_group *to = &groups->groups[group];
	uint32_t node;

	TRY(new_node(groups, &node, err));
	groups->nodes.items[node] = (struct request_node){.request = request};
	to->first = to->first ? meld(groups->nodes.items, to->first, node) : node;
	return group == groups->running ? 0 : request_groups_line_up(groups, group, err);
}

int request_groups_mail(struct request_groups *groups, uint32_t group, struct resource_request mail,
			struct error *err)
{
	struct request_group *to = &groups->groups[group];
	uint32_t node;

	TRY(new_node(groups, &node, err));
	groups->nodes.items[node] = (struct request_node){.request = mail, .next = to->mail};
	if (!to->mail || mail.time < to->mail_time)
		to->mail_time = mail.time;
	to->mail = node;
	to->mails++;
	return group == groups->running ? 0 : request_groups_line_up(groups, group, err);
}

int request_groups_close(struct request_groups *groups, uint32_t group, uint32_t fewer,
			 struct error *err)
{
	groups->groups[group].open -= fewer;
	if (groups->groups[group].open || group == groups->running)
		return 0;
	return request_groups_line_up(groups, group, err);
}

/* Visit the next group of the open window.  Returns 1, or 0 if there is none. */
static int visit_next(struct request_groups *groups)
{
	const struct window_list *open = groups->windows.open;

	while (open && groups->visited < open->count) {
		const struct window_entry *entry = &open->items[groups->visited++];
		struct request_group *group = &groups->groups[entry->group];

		/* It was added to an earlier window after that, and visited there. */
		if (group->listed != entry->window)
			continue;
		group->listed = NOT_LISTED;
		groups->running = entry->group;
		return 1;
	}
	return 0;
}

/* Set groups->running to the next group, if there is any.  Returns 1, 0 or -1. */
static int next_group(struct request_groups *groups, struct error *err)
{
	if (groups->head != groups->tail) {
		groups->running = groups->ring[groups->head++ & groups->ring_mask];
		groups->groups[groups->running].ready = false;
		return 1;
	}
	while (!visit_next(groups)) {
		int opened;

		TRY(opened = lookahead_open(&groups->windows, err));
		if (!opened)
			return 0;
		groups->visited = 0;
		groups->limit = (groups->windows.base + 1) * groups->window;
	}
	return 1;
}

int request_groups_take(struct request_groups *groups, struct resource_request *taken,
			struct error *err)
{
	for (;;) {
		const uint32_t running = groups->running;
		int found;

		if (running != NO_GROUP) {
			struct request_group *group = &groups->groups[running];

			if (group->mail) {
				*taken = take_mail(groups, group);
				return 1;
			}
			if (may_serve(groups, group)) {
				*taken = pop(groups, group);
				return 1;
			}
			groups->running = NO_GROUP;
			TRY(request_groups_line_up(groups, running, err));
		}
		TRY(found = next_group(groups, err));
		if (!found)
			return 0;
	}
}

/* ------------------------------------------------------------------------------- all */

int request_groups_init(struct request_groups *groups, uint32_t count, uint32_t open,
			uint64_t window, struct error *err)
{
	uint32_t size = 1;

	while (size < count)
		size *= 2;
	groups->ring_mask = size - 1;
	groups->running = NO_GROUP;
	groups->window = window;
	TRY(allocate(&groups->groups, count, sizeof *groups->groups, err));
	TRY(allocate(&groups->ring, size, sizeof *groups->ring, err));
	for (uint32_t i = 0; i < count; i++)
		groups->groups[i] = (struct request_group){.listed = NOT_LISTED, .open = open};
	return array_push(&groups->nodes, (struct request_node){0}, err);
}

void request_groups_release(struct request_groups *groups)
{
	free(groups->groups);
	free(groups->ring);
	array_release(&groups->nodes);
	lookahead_release(&groups->windows);
}
