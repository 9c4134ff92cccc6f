/*
 * The end of a trace: every rank reports its strings and communicators to rank
 * 0, which numbers them for the archive and tells each rank its numbers.
 */
#include "tracer/clock.h"
#include "tracer/comms.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Words of 64 bits; texts are padded with zeros, at least one. */
struct words {
	ARRAY(uint64_t) list;
};

static int put(struct words *words, uint64_t value, struct error *err)
{
	return array_push(&words->list, value, err);
}

static int put_all(struct words *words, const uint64_t *values, size_t count, struct error *err)
{
	if (!count)
		return 0;
	TRY(array_reserve(&words->list, count, err));
	memcpy(words->list.items + words->list.count, values, count * sizeof *values);
	words->list.count += count;
	return 0;
}

static int put_text(struct words *words, const char *text, struct error *err)
{
	size_t count = strlen(text) / 8 + 1;

	TRY(put(words, count, err));
	TRY(array_reserve(&words->list, count, err));
	words->list.items[words->list.count + count - 1] = 0;
	memcpy(words->list.items + words->list.count, text, strlen(text));
	words->list.count += count;
	return 0;
}

static const uint64_t *get(const uint64_t **at, size_t count)
{
	const uint64_t *words = *at;

	*at += count;
	return words;
}

static uint64_t get_word(const uint64_t **at)
{
	return *get(at, 1);
}

static const char *get_text(const uint64_t **at)
{
	return (const char *)get(at, get_word(at));
}

/* ------------------------------------------------------------- the report */

static int report_comm(struct words *words, const struct comm *comm, struct error *err)
{
	char name[MPI_MAX_OBJECT_NAME];

	TRY(put(words, comm->key, err));
	TRY(put(words, comm->parent_key, err));
	TRY(put(words, comm->depth, err));
	TRY(put_text(words, comm_name(comm, name), err));
	TRY(put(words, (uint64_t)comm->size, err));
	TRY(put_all(words, comm->members, (size_t)comm->size, err));
	TRY(put(words, comm->inter ? (uint64_t)comm->peers : 0, err));
	return comm->inter ? put_all(words, comm->remote, (size_t)comm->peers, err) : 0;
}

static bool reported(const struct comm *comm)
{
	return comm->id >= FIRST_OWN_COMM_ID && comm->members;
}

static int report(struct words *words, struct error *err)
{
	struct trace_rank rank;
	const struct string_table *strings;
	char host[256] = "";
	uint64_t definitions = 0;

	TRY(trace_writer_end(tracer.writer, now_ns(), &rank, err));
	gethostname(host, sizeof host - 1);
	TRY(put_text(words, host, err));
	TRY(put(words, rank.events, err));
	TRY(put(words, rank.begin_ns, err));
	TRY(put(words, rank.end_ns, err));
	TRY(put(words, tracer.complete, err));
	strings = trace_writer_strings(tracer.writer);
	TRY(put(words, strings->starts.count, err));
	for (uint32_t i = 0; i < strings->starts.count; i++)
		TRY(put_text(words, string_table_get(strings, i), err));
	TRY(put(words, comms.list.count, err));
	for (size_t i = 0; i < comms.list.count; i++) {
		TRY(put(words, comms.list.items[i]->key, err));
		definitions += reported(comms.list.items[i]);
	}
	TRY(put(words, definitions, err));
	for (size_t i = 0; i < comms.list.count; i++)
		if (reported(comms.list.items[i]))
			TRY(report_comm(words, comms.list.items[i], err));
	return 0;
}

/* ------------------------------------------------------------- on rank 0 */

/* A communicator as reported. */
struct entry {
	uint64_t key, parent_key, depth;
	size_t order;		/* of the reports */
	uint32_t id;
	struct trace_comm_definition definition;
};

struct collected {
	ARRAY(struct trace_rank) ranks;
	ARRAY(struct entry) entries;	/* then sorted by key */
	ARRAY(struct trace_comm_definition) comms;
	struct string_table strings;
	bool complete;
	/* For each rank: the ids of its strings, then of its communicators. */
	ARRAY(uint32_t) replies;
	ARRAY(int) reply_counts;
};

static void collected_release(struct collected *all)
{
	array_release(&all->ranks);
	array_release(&all->entries);
	array_release(&all->comms);
	string_table_release(&all->strings);
	array_release(&all->replies);
	array_release(&all->reply_counts);
}

static uint64_t lowest(const uint64_t *members, uint32_t count)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < count; i++)
		if (members[i] < least)
			least = members[i];
	return least;
}

/* Put the group with the lowest rank first; both sides have reported. */
static void order_groups(struct trace_comm_definition *comm)
{
	const struct trace_comm_definition given = *comm;

	if (!comm->remote_members || lowest(comm->members, comm->member_count) <
					     lowest(comm->remote_members, comm->remote_member_count))
		return;
	comm->members = given.remote_members;
	comm->member_count = given.remote_member_count;
	comm->remote_members = given.members;
	comm->remote_member_count = given.member_count;
}

static int collect_entry(struct collected *all, const uint64_t **at, struct error *err)
{
	struct entry entry = {.order = all->entries.count};
	struct trace_comm_definition *comm = &entry.definition;

	entry.key = get_word(at);
	entry.parent_key = get_word(at);
	entry.depth = get_word(at);
	comm->name = get_text(at);
	comm->member_count = (uint32_t)get_word(at);
	comm->members = get(at, comm->member_count);
	comm->remote_member_count = (uint32_t)get_word(at);
	if (comm->remote_member_count)
		comm->remote_members = get(at, comm->remote_member_count);
	order_groups(comm);
	return array_push(&all->entries, entry, err);
}

/* First pass over a report: everything but the ids of communicators. */
static int collect(struct collected *all, const uint64_t *at, struct error *err)
{
	struct trace_rank rank = {.host = get_text(&at)};
	uint64_t count;
	uint32_t id;

	rank.events = get_word(&at);
	rank.begin_ns = get_word(&at);
	rank.end_ns = get_word(&at);
	TRY(array_push(&all->ranks, rank, err));
	all->complete &= get_word(&at) != 0;
	for (count = get_word(&at); count; count--) {
		const char *text = get_text(&at);

		TRY(string_table_add(&all->strings, text, strlen(text), &id, err));
	}
	get(&at, get_word(&at));
	for (count = get_word(&at); count; count--)
		TRY(collect_entry(all, &at, err));
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int by_depth(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static const struct entry *find_entry(const struct collected *all, uint64_t key)
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

/* Number the communicators, parents first; those that several ranks report, once. */
static int number_comms(struct collected *all, struct error *err)
{
	struct entry *entries = all->entries.items;
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
		const struct entry *parent = find_entry(all, entries[i].parent_key);

		*comm = entries[i].definition;
		/* Children of MPI_COMM_SELF are those of one rank that are in no other. */
		comm->parent = parent ? parent->id
			       : entries[i].parent_key == comms.list.items[COMM_ID_WORLD]->key
				       ? COMM_ID_WORLD : COMM_ID_SELF;
	}
	return 0;
}

/* Second pass: the ids of a rank's strings and communicators. */
static int reply(struct collected *all, const uint64_t *at, struct error *err)
{
	size_t before = all->replies.count;
	uint64_t count, i;
	uint32_t id;

	get_text(&at);
	get(&at, 4);
	for (count = get_word(&at); count; count--) {
		const char *text = get_text(&at);

		TRY(string_table_add(&all->strings, text, strlen(text), &id, err));
		TRY(array_push(&all->replies, id, err));
	}
	count = get_word(&at);
	for (i = 0; i < count; i++) {
		const struct entry *entry = find_entry(all, get_word(&at));

		if (i >= FIRST_OWN_COMM_ID && !entry)
			return error_set(err, STATUS_SYSTEM, "a communicator is not known on its rank 0");
		TRY(array_push(&all->replies, entry ? entry->id : (uint32_t)i, err));
	}
	return array_push(&all->reply_counts, (int)(all->replies.count - before), err);
}

static int unify(struct collected *all, const uint64_t *words, const int *starts,
		 struct error *err)
{
	struct trace_definitions definitions = {.rank_count = (uint32_t)tracer.size};
	uint32_t empty;

	all->complete = true;
	TRY(string_table_add(&all->strings, "", 0, &empty, err));
	for (int i = 0; i < tracer.size; i++)
		TRY(collect(all, words + starts[i], err));
	TRY(number_comms(all, err));
	for (int i = 0; i < tracer.size; i++)
		TRY(reply(all, words + starts[i], err));
	if (all->replies.count > INT_MAX)
		return error_set(err, STATUS_LIMIT, "too many communicators and strings");
	definitions.ranks = all->ranks.items;
	definitions.strings = &all->strings;
	definitions.comms = all->comms.items;
	definitions.comm_count = (uint32_t)all->comms.count;
	definitions.complete = all->complete;
	return trace_writer_define(tracer.writer, &definitions, err);
}

/* -------------------------------------------------------------- together */

/* Note a failure, and see whether all ranks are well. */
static bool step(MPI_Comm comm, int result, const struct error *err)
{
	if (result < 0)
		tracer_fail(err);
	return tracer_agree(comm);
}

/* Where each part begins; -1 if all do not fit an int. */
static int add_up(const int *counts, int *starts, struct error *err)
{
	int64_t sum = 0;

	for (int i = 0; i < tracer.size; i++) {
		starts[i] = (int)sum;
		sum += counts[i];
		if (sum > INT_MAX)
			return error_set(err, STATUS_LIMIT, "too many communicators and strings");
	}
	starts[tracer.size] = (int)sum;
	return 0;
}

/* Room for what rank 0 gathers. */
struct gathered {
	int *counts, *starts;
	uint64_t *words;
	struct collected all;
};

static bool gather(MPI_Comm comm, const struct words *own, struct gathered *to)
{
	int count = (int)own->list.count, result = 0;
	struct error err;

	if (own->list.count > INT_MAX)
		result = error_set(&err, STATUS_LIMIT, "too many communicators and strings");
	else if (tracer.rank == 0 &&
		 (allocate(&to->counts, (size_t)tracer.size, sizeof(int), &err) < 0 ||
		  allocate(&to->starts, (size_t)tracer.size + 1, sizeof(int), &err) < 0))
		result = -1;
	if (!step(comm, result, &err))
		return false;
	PMPI_Gather(&count, 1, MPI_INT, to->counts, 1, MPI_INT, 0, comm);
	if (tracer.rank == 0 &&
	    (add_up(to->counts, to->starts, &err) < 0 ||
	     allocate(&to->words, (size_t)to->starts[tracer.size], sizeof *to->words, &err) < 0))
		result = -1;
	if (!step(comm, result, &err))
		return false;
	PMPI_Gatherv(own->list.items, count, MPI_UINT64_T, to->words, to->counts, to->starts,
		     MPI_UINT64_T, 0, comm);
	if (tracer.rank == 0)
		result = unify(&to->all, to->words, to->starts, &err);
	return step(comm, result, &err);
}

static bool scatter(MPI_Comm comm, struct gathered *from, uint32_t **ids)
{
	int count = 0, result = 0;
	struct error err;

	if (tracer.rank == 0)
		result = add_up(from->all.reply_counts.items, from->starts, &err);
	PMPI_Scatter(from->all.reply_counts.items, 1, MPI_INT, &count, 1, MPI_INT, 0, comm);
	if (result == 0)
		result = allocate(ids, (size_t)count, sizeof **ids, &err);
	if (!step(comm, result, &err))
		return false;
	PMPI_Scatterv(from->all.replies.items, from->all.reply_counts.items, from->starts,
		      MPI_UINT32_T, *ids, count, MPI_UINT32_T, 0, comm);
	return true;
}

static int map_and_close(const uint32_t *ids, struct error *err)
{
	size_t strings = trace_writer_strings(tracer.writer)->starts.count;
	struct trace_writer *writer = tracer.writer;

	TRY(trace_writer_map(writer, ids, ids + strings, comms.list.count, err));
	tracer.writer = NULL;
	return trace_writer_close(writer, err);
}

/* Rank 0 comes last, for it writes the anchor file that makes the archive whole. */
static bool close_all(MPI_Comm comm, const uint32_t *ids)
{
	struct error err;
	int result = 0;

	if (tracer.rank != 0)
		result = map_and_close(ids, &err);
	if (!step(comm, result, &err))
		return false;
	if (tracer.rank == 0)
		result = map_and_close(ids, &err);
	return step(comm, result, &err);
}

static bool finish_on(MPI_Comm comm)
{
	struct words own = {0};
	struct gathered gathered = {0};
	uint32_t *ids = NULL;
	struct error err;
	struct trace_clock clock = clock_measure_end(comm);
	bool done;
	int result = 0;

	if (tracer.state == TRACER_ACTIVE) {
		trace_writer_set_clock(tracer.writer, &clock);
		result = report(&own, &err);
	}
	done = step(comm, result, &err) && gather(comm, &own, &gathered) &&
	       scatter(comm, &gathered, &ids) && close_all(comm, ids);
	array_release(&own.list);
	free(gathered.counts);
	free(gathered.starts);
	free(gathered.words);
	collected_release(&gathered.all);
	free(ids);
	return done;
}

void tracer_finish(void)
{
	MPI_Errhandler handler;
	MPI_Comm comm;
	bool have_handler, done = false;

	/* Nothing that goes wrong here may end the program. */
	have_handler = PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler) == MPI_SUCCESS;
	PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (PMPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS) {
		done = finish_on(comm);
		PMPI_Comm_free(&comm);
	}
	if (have_handler) {
		PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
		PMPI_Errhandler_free(&handler);
	}
	if (!done)
		trace_writer_remove(tracer.directory, (uint32_t)tracer.rank);
}
