#include "trace/assemble/global_ids.h"

#include "common/hash.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Key of communicators that no rank knows.  They may have any id. */
enum { LOST = 0 };

/* --------------------------------------------------------- message of one rank */

static int report_comm(struct rank_message *message, const struct summary_comm *comm,
		       struct error *err)
{
	TRY(ids_put(message, comm->comm.key, err));
	TRY(ids_put(message, comm->comm.parent_key, err));
	TRY(ids_put(message, comm->comm.depth, err));
	TRY(ids_put_text(message, comm->name ? comm->name : "", err));
	TRY(ids_put(message, comm->comm.size, err));
	TRY(ids_put_all(message, comm->comm.members, comm->comm.size, err));
	TRY(ids_put(message, comm->comm.remote_size, err));
	return ids_put_all(message, comm->comm.remote, comm->comm.remote_size, err);
}

static int report_window(struct rank_message *message, const struct rank_summary *summary,
			 const struct summary_window *window, struct error *err)
{
	TRY(ids_put(message, window->window.key, err));
	TRY(ids_put(message, window->window.comm, err));
	TRY(ids_put(message, summary->comms.items[window->window.comm].comm.key, err));
	return ids_put_text(message, window->name ? window->name : "", err);
}

static bool reported(const struct summary_comm *comm)
{
	return comm->comm.id >= FIRST_OWN_COMM_ID && comm->comm.members && !comm->lost;
}

int rank_message_add(struct rank_message *message, const struct rank_summary *summary,
		     const struct trace_rank *rank, const struct string_table *strings,
		     struct error *err)
{
	uint64_t definitions = 0;

	TRY(ids_put_text(message, rank->host, err));
	TRY(ids_put_text(message, rank->cpus, err));
	TRY(ids_put(message, rank->preemptions.count, err));
	TRY(ids_put(message, rank->preemptions.ns, err));
	TRY(ids_put(message, rank->preemptions.waited_ns, err));
	TRY(ids_put(message, rank->threads, err));
	TRY(ids_put_all(message, rank->events, rank->threads, err));
	TRY(ids_put(message, rank->begin_ns, err));
	TRY(ids_put(message, rank->end_ns, err));
	TRY(ids_put(message, summary->complete, err));
	TRY(ids_put(message, summary->has_sites, err));
	TRY(ids_put(message, summary->has_below, err));
	TRY(ids_put(message, strings->starts.count, err));
	for (uint32_t i = 0; i < strings->starts.count; i++)
		TRY(ids_put_text(message, string_table_get(strings, i), err));
	TRY(ids_put(message, summary->comms.count, err));
	for (size_t i = 0; i < summary->comms.count; i++) {
		TRY(ids_put(message,
			    summary->comms.items[i].lost ? LOST : summary->comms.items[i].comm.key,
			    err));
		definitions += reported(&summary->comms.items[i]);
	}
	TRY(ids_put(message, definitions, err));
	for (size_t i = 0; i < summary->comms.count; i++)
		if (reported(&summary->comms.items[i]))
			TRY(report_comm(message, &summary->comms.items[i], err));
	TRY(ids_put(message, summary->windows.count, err));
	for (size_t i = 0; i < summary->windows.count; i++)
		TRY(report_window(message, summary, &summary->windows.items[i], err));
	TRY(ids_put(message, summary->groups.count, err));
	for (size_t i = 0; i < summary->groups.count; i++) {
		const struct mpi_group *group = &summary->groups.items[i];

		TRY(ids_put(message, group->size, err));
		TRY(ids_put_all(message, group->members, group->size, err));
	}
	return 0;
}

/* ------------------------------------------------------- messages of all ranks */

void global_ids_release(struct global_ids *all)
{
	array_release(&all->ranks);
	array_release(&all->entries);
	array_release(&all->comms);
	array_release(&all->window_entries);
	array_release(&all->windows);
	array_release(&all->groups);
	number_map_release(&all->groups_by_hash);
	string_table_release(&all->strings);
	array_release(&all->replies);
	array_release(&all->reply_counts);
	array_release(&all->parts);
}

static uint64_t lowest(const uint64_t *members, uint32_t count)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < count; i++)
		if (members[i] < least)
			least = members[i];
	return least;
}

/* Put the group with the lowest rank first, as ranks of both groups report the communicator. */
static void order_groups(struct trace_comm_definition *comm)
{
	const struct trace_comm_definition given = *comm;

	if (!comm->remote_members ||
	    lowest(comm->members, comm->member_count) <
		    lowest(comm->remote_members, comm->remote_member_count))
		return;
	comm->members = given.remote_members;
	comm->member_count = given.remote_member_count;
	comm->remote_members = given.members;
	comm->remote_member_count = given.member_count;
}

static struct global_comm ids_get_entry(const uint64_t **at)
{
	struct global_comm entry = {.key = ids_get_word(at)};
	struct trace_comm_definition *comm = &entry.definition;

	entry.parent_key = ids_get_word(at);
	entry.depth = ids_get_word(at);
	comm->name = ids_get_text(at);
	comm->member_count = (uint32_t)ids_get_word(at);
	comm->members = ids_get(at, comm->member_count);
	comm->remote_member_count = (uint32_t)ids_get_word(at);
	if (comm->remote_member_count)
		comm->remote_members = ids_get(at, comm->remote_member_count);
	return entry;
}

static int collect_entry(struct global_ids *all, const uint64_t **at, struct error *err)
{
	struct global_comm entry = ids_get_entry(at);

	entry.order = all->entries.count;
	order_groups(&entry.definition);
	return array_push(&all->entries, entry, err);
}

/* Collect the windows of a message, without their communicators, which have no ids yet. */
static int collect_windows(struct global_ids *all, const uint64_t **at, struct error *err)
{
	for (uint64_t count = ids_get_word(at); count; count--) {
		struct global_window window = {.order = all->window_entries.count};

		window.key = ids_get_word(at);
		ids_get(at, 2);
		window.definition.name = ids_get_text(at);
		TRY(array_push(&all->window_entries, window, err));
	}
	return 0;
}

/* Find or add the group with these members, and set *place to its index. */
static int number_group(struct global_ids *all, const uint64_t *members, uint32_t count,
			uint32_t *place, struct error *err)
{
	struct trace_group_definition group = {.members = members, .member_count = count};
	uint64_t hash = hash_numbers(members, count);

	for (uint32_t second = 0;; second++) {
		*place = number_map_get(&all->groups_by_hash, hash, second);
		if (*place == NUMBER_MAP_EMPTY) {
			*place = (uint32_t)all->groups.count;
			TRY(number_map_add(&all->groups_by_hash, hash, second, *place, err));
			return array_push(&all->groups, group, err);
		}
		if (all->groups.items[*place].member_count == count &&
		    !memcmp(all->groups.items[*place].members, members, count * sizeof *members))
			return 0;
	}
}

/* Collect the groups of a message.  With `reply`, append their ids to the replies. */
static int collect_groups(struct global_ids *all, const uint64_t **at, bool reply,
			  struct error *err)
{
	for (uint64_t count = ids_get_word(at); count; count--) {
		uint32_t size = (uint32_t)ids_get_word(at), place;

		TRY(number_group(all, ids_get(at, size), size, &place, err));
		if (reply)
			TRY(array_push(&all->replies, FIRST_OWN_GROUP_ID + place, err));
	}
	return 0;
}

/* Read a message in the first pass, before ids are given. */
static int collect(struct global_ids *all, const uint64_t *at, struct error *err)
{
	struct trace_rank rank = {.host = ids_get_text(&at)};
	uint64_t count;
	uint32_t id;

	rank.cpus = ids_get_text(&at);
	rank.preemptions.count = ids_get_word(&at);
	rank.preemptions.ns = ids_get_word(&at);
	rank.preemptions.waited_ns = ids_get_word(&at);
	rank.threads = (uint32_t)ids_get_word(&at);
	rank.events = ids_get(&at, rank.threads);
	rank.begin_ns = ids_get_word(&at);
	rank.end_ns = ids_get_word(&at);
	TRY(array_push(&all->ranks, rank, err));
	all->complete &= ids_get_word(&at) != 0;
	all->has_sites |= ids_get_word(&at) != 0;
	all->has_below |= ids_get_word(&at) != 0;
	for (count = ids_get_word(&at); count; count--) {
		const char *text = ids_get_text(&at);

		TRY(string_table_add(&all->strings, text, strlen(text), &id, err));
	}
	count = ids_get_word(&at);
	if (count)
		all->world_key = at[COMM_ID_WORLD];
	ids_get(&at, count);
	for (count = ids_get_word(&at); count; count--)
		TRY(collect_entry(all, &at, err));
	TRY(collect_windows(all, &at, err));
	return collect_groups(all, &at, false, err);
}

static int by_key(const void *a, const void *b)
{
	const struct global_comm *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int by_depth(const void *a, const void *b)
{
	const struct global_comm *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static const struct global_comm *find_entry(const struct global_ids *all, uint64_t key)
{
	size_t low = 0, high = all->entries.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (all->entries.items[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == all->entries.count || all->entries.items[low].key != key)
		return NULL;
	return &all->entries.items[low];
}

/* Number the communicators, parents first, each once. */
static int number_comms(struct global_ids *all, struct error *err)
{
	struct global_comm *entries = all->entries.items;
	size_t count = 0;

	if (!all->entries.count)
		return 0;
	qsort(entries, all->entries.count, sizeof *entries, by_key);
	for (size_t i = 0; i < all->entries.count; i++)
		if (!count || entries[i].key != entries[count - 1].key)
			entries[count++] = entries[i];
	all->entries.count = count;
	qsort(entries, count, sizeof *entries, by_depth);
	for (size_t i = 0; i < count; i++)
		entries[i].id = (uint32_t)(FIRST_OWN_COMM_ID + i);
	TRY(array_reserve(&all->comms, count, err));
	all->comms.count = count;
	qsort(entries, count, sizeof *entries, by_key);
	for (size_t i = 0; i < count; i++) {
		struct trace_comm_definition *comm =
			&all->comms.items[entries[i].id - FIRST_OWN_COMM_ID];
		const struct global_comm *parent = find_entry(all, entries[i].parent_key);

		*comm = entries[i].definition;
		/* A parent that is not reported is MPI_COMM_SELF or MPI_COMM_WORLD. */
		comm->parent = parent ? parent->id
			       : entries[i].parent_key == all->world_key
				       ? COMM_ID_WORLD : COMM_ID_SELF;
	}
	return 0;
}

static int window_by_key(const void *a, const void *b)
{
	const struct global_window *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int window_by_order(const void *a, const void *b)
{
	const struct global_window *x = a, *y = b;

	return x->order < y->order ? -1 : 1;
}

/* Number the windows in the order of first reports.  The first report with a name names it. */
static int number_windows(struct global_ids *all, struct error *err)
{
	struct global_window *entries = all->window_entries.items;
	size_t count = 0;

	if (!all->window_entries.count)
		return 0;
	qsort(entries, all->window_entries.count, sizeof *entries, window_by_key);
	for (size_t i = 0; i < all->window_entries.count; i++)
		if (!count || entries[i].key != entries[count - 1].key)
			entries[count++] = entries[i];
		else if (!*entries[count - 1].definition.name)
			entries[count - 1].definition.name = entries[i].definition.name;
	all->window_entries.count = count;
	qsort(entries, count, sizeof *entries, window_by_order);
	TRY(array_reserve(&all->windows, count, err));
	for (size_t i = 0; i < count; i++) {
		entries[i].id = (uint32_t)i;
		all->windows.items[all->windows.count++] = entries[i].definition;
	}
	qsort(entries, count, sizeof *entries, window_by_key);
	return 0;
}

/* Set the communicators of a message's windows, and append the windows' ids to the replies. */
static int reply_windows(struct global_ids *all, const uint64_t **at, struct error *err)
{
	for (uint64_t count = ids_get_word(at); count; count--) {
		struct global_window key = {.key = ids_get_word(at)};
		uint64_t own_comm = ids_get_word(at);
		const struct global_comm *comm = find_entry(all, ids_get_word(at));
		const struct global_window *found;

		ids_get_text(at);
		for (size_t low = 0, high = all->window_entries.count;;) {
			found = &all->window_entries.items[(low + high) / 2];
			if (found->key == key.key)
				break;
			if (found->key < key.key)
				low = (low + high) / 2 + 1;
			else
				high = (low + high) / 2;
		}
		all->windows.items[found->id].comm = comm ? comm->id
						     : own_comm == COMM_ID_SELF ? COMM_ID_SELF
										: COMM_ID_WORLD;
		TRY(array_push(&all->replies, found->id, err));
	}
	return 0;
}

/* Append the ids of a rank's strings, communicators, windows and groups, in the second pass. */
static int reply(struct global_ids *all, const uint64_t *at, struct error *err)
{
	struct global_reply part = {.first = all->replies.count};
	uint64_t count, i;
	uint32_t id;

	ids_get_text(&at);
	ids_get_text(&at);
	ids_get(&at, 3);
	ids_get(&at, ids_get_word(&at));
	ids_get(&at, 5);
	for (count = ids_get_word(&at); count; count--) {
		const char *text = ids_get_text(&at);

		TRY(string_table_add(&all->strings, text, strlen(text), &id, err));
		TRY(array_push(&all->replies, id, err));
	}
	part.strings = all->replies.count - part.first;
	count = ids_get_word(&at);
	part.comms = (size_t)count;
	for (i = 0; i < count; i++) {
		uint64_t key = ids_get_word(&at);
		const struct global_comm *entry = find_entry(all, key);

		if (i >= FIRST_OWN_COMM_ID && !entry && key != LOST)
			return error_set(err, STATUS_SYSTEM,
					 "a communicator is not known on its first rank");
		id = entry ? entry->id : key == LOST ? COMM_ID_WORLD : (uint32_t)i;
		TRY(array_push(&all->replies, id, err));
	}
	for (count = ids_get_word(&at); count; count--)
		ids_get_entry(&at);
	TRY(reply_windows(all, &at, err));
	part.windows = all->replies.count - part.first - part.strings - part.comms;
	TRY(collect_groups(all, &at, true, err));
	count = all->replies.count - part.first;
	part.groups = (size_t)count - part.strings - part.comms - part.windows;
	TRY(array_push(&all->parts, part, err));
	return array_push(&all->reply_counts, (int)count, err);
}

int global_ids_number(struct global_ids *all, const uint64_t *messages, const int *starts,
		      uint32_t ranks, struct error *err)
{
	uint32_t empty;

	all->complete = true;
	TRY(string_table_add(&all->strings, "", 0, &empty, err));
	for (uint32_t i = 0; i < ranks; i++)
		TRY(collect(all, messages + starts[i], err));
	TRY(number_comms(all, err));
	TRY(number_windows(all, err));
	for (uint32_t i = 0; i < ranks; i++)
		TRY(reply(all, messages + starts[i], err));
	if (all->replies.count > INT_MAX)
		return error_set(err, STATUS_LIMIT, "too many communicators and strings");
	return 0;
}

struct trace_maps global_ids_maps(const uint32_t *reply, const struct rank_summary *summary,
				  const struct string_table *strings)
{
	struct trace_maps maps = {
		.strings = reply,
		.comm_count = summary->comms.count,
		.window_count = summary->windows.count,
		.group_count = summary->groups.count,
	};

	maps.comms = maps.strings + strings->starts.count;
	maps.windows = maps.comms + maps.comm_count;
	maps.groups = maps.windows + maps.window_count;
	return maps;
}

struct trace_maps global_ids_maps_of(const struct global_ids *all, uint32_t rank)
{
	const struct global_reply *part = &all->parts.items[rank];
	struct trace_maps maps = {
		.strings = all->replies.items + part->first,
		.comm_count = part->comms,
		.window_count = part->windows,
		.group_count = part->groups,
	};

	maps.comms = maps.strings + part->strings;
	maps.windows = maps.comms + maps.comm_count;
	maps.groups = maps.windows + maps.window_count;
	return maps;
}

int global_ids_define(struct global_ids *all, struct trace_writer *writer,
		      const struct summary_property *properties, size_t property_count,
		      struct error *err)
{
	struct trace_definitions definitions = {
		.rank_count = (uint32_t)all->ranks.count,
		.ranks = all->ranks.items,
		.strings = &all->strings,
		.comms = all->comms.items,
		.comm_count = (uint32_t)all->comms.count,
		.windows = all->windows.items,
		.window_count = (uint32_t)all->windows.count,
		.groups = all->groups.items,
		.group_count = (uint32_t)all->groups.count,
		.complete = all->complete,
		.has_sites = all->has_sites,
		.has_below = all->has_below,
	};

	TRY(trace_writer_define(writer, &definitions, err));
	for (size_t i = 0; i < property_count; i++)
		TRY(trace_writer_property(writer, properties[i].name, properties[i].value, err));
	return 0;
}
