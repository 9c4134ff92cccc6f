#include "profiler/reduce.h"

#include "pmpi/process.h"
#include "pmpi/together.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_HEAD, TAG_SUBTREE, TAG_ROLES, TAG_RANK_HEAD, TAG_RANK, TAG_SAID };
enum { HOST_BYTES = 64, ROLES = 4 };

/* In jobs of up to so many ranks, many of which have a role, all send their calls without being asked: a wait less. */
enum { MOST_UNASKED = 16 };

/* Wait for what is not needed: a sender would wait for longer if nobody received it. */
enum { DROP_NS = 1000000000 };

/* First message of a subtree: sizes of the second, which has the times and then the cells. */
struct head {
	uint32_t ranks, cells, threads, overflow, excluded;
};

/* What a subtree has. */
struct subtree {
	struct job_cells *cells;
	ARRAY(struct job_time) times;
	uint32_t threads, excluded;
	uint64_t start_ns, budget_ns;
	bool whole;
};

/* Ranks with a role, with repetitions; of all ranks if `all`. */
struct chosen {
	int32_t ranks[ROLES], all;
};

/* First message of a rank with a role: the second has its calls. */
struct rank_head {
	uint64_t mpi_ns, local_ns, counters[JOB_COUNTER_END];
	uint32_t calls;
	char host[HOST_BYTES];
};

/* ---------------------------------------------------------------------- messages */

/* Give the memory of a message up if the message is not over: MPI may still use it. */
static void release_message(void *memory, bool over)
{
	if (over)
		free(memory);
}

static bool receive_until(void *into, size_t bytes, int from, int tag, uint64_t deadline_ns)
{
	MPI_Request request;

	if (PMPI_Irecv(into, (int)bytes, MPI_BYTE, from, tag, process.comm, &request) !=
	    MPI_SUCCESS)
		return false;
	if (together_wait_until(&request, deadline_ns))
		return true;
	if (request != MPI_REQUEST_NULL) {
		PMPI_Cancel(&request);
		PMPI_Request_free(&request);
	}
	return false;
}

static bool send_until(const void *from, size_t bytes, int to, int tag, uint64_t deadline_ns)
{
	MPI_Request request;

	return PMPI_Isend(from, (int)bytes, MPI_BYTE, to, tag, process.comm, &request) ==
		       MPI_SUCCESS &&
	       together_wait_until(&request, deadline_ns);
}

/* Send a head, in memory of its own as it may have to stay, and a body, which is freed. */
static bool send_both(const void *head, size_t head_bytes, void *body, size_t body_bytes, int to,
		      int tag, uint64_t deadline_ns)
{
	struct error err;
	void *copy;
	bool sent = false;

	if (allocate(&copy, 1, head_bytes, &err) < 0) {
		free(body);
		return false;
	}
	memcpy(copy, head, head_bytes);
	if (send_until(copy, head_bytes, to, tag, deadline_ns)) {
		free(copy);
		sent = send_until(body, body_bytes, to, tag + 1, deadline_ns);
	}
	release_message(body, sent);
	return sent;
}

/* ------------------------------------------------------------------------- up */

/* Levels of the subtree of this rank: its children are rank + 1, rank + 2, rank + 4, ... */
static int own_levels(void)
{
	int levels = 0;

	while (1 << levels < process.size && !(process.rank >> levels & 1))
		levels++;
	return levels;
}

static int all_levels(void)
{
	int levels = 0;

	while (1 << levels < process.size)
		levels++;
	return levels;
}

/* When a rank with so many levels below no longer waits for them. */
static uint64_t deadline(const struct subtree *subtree, int levels)
{
	return subtree->start_ns +
	       subtree->budget_ns / 2 * (uint64_t)(levels + 1) / (uint64_t)(all_levels() + 1);
}

static int add_body(struct subtree *subtree, const struct head *head, const char *body,
		    struct error *err)
{
	const size_t times = head->ranks * sizeof(struct job_time);

	TRY(array_reserve(&subtree->times, head->ranks, err));
	if (times)
		memcpy(subtree->times.items + subtree->times.count, body, times);
	subtree->times.count += head->ranks;
	job_cells_add(subtree->cells, (const struct job_cell *)(const void *)(body + times),
		      head->cells);
	subtree->cells->table.overflow |= head->overflow;
	subtree->excluded += head->excluded;
	if (head->threads > subtree->threads)
		subtree->threads = head->threads;
	return 0;
}

/* Add the subtree of a child.  Without it the own one is not whole. */
static int take_child(struct subtree *subtree, int child, uint64_t deadline_ns, struct error *err)
{
	struct head *head;
	char *body = NULL;
	size_t bytes;
	int result = 0;
	bool over;

	TRY(allocate(&head, 1, sizeof *head, err));
	if (!receive_until(head, sizeof *head, child, TAG_HEAD, deadline_ns)) {
		subtree->whole = false;
		return 0;
	}
	bytes = head->ranks * sizeof(struct job_time) + head->cells * sizeof(struct job_cell);
	if (allocate(&body, bytes + 1, 1, err) < 0) {
		free(head);
		return -1;
	}
	over = receive_until(body, bytes, child, TAG_SUBTREE, deadline_ns);
	if (over)
		result = add_body(subtree, head, body, err);
	subtree->whole = subtree->whole && over;
	release_message(body, over);
	free(head);
	return result;
}

static int send_up(const struct subtree *subtree, int parent, uint64_t deadline_ns,
		   struct error *err)
{
	const size_t times = subtree->times.count * sizeof(struct job_time);
	struct job_log sums = {0};
	struct head head;
	size_t bytes;
	char *body;

	if (job_cells_put(subtree->cells, &sums, err) < 0) {
		job_log_release(&sums);
		return -1;
	}
	bytes = times + sums.cells.count * sizeof(struct job_cell);
	if (allocate(&body, bytes + 1, 1, err) < 0) {
		job_log_release(&sums);
		return -1;
	}
	if (times)
		memcpy(body, subtree->times.items, times);
	if (bytes > times)
		memcpy(body + times, sums.cells.items, bytes - times);
	head = (struct head){(uint32_t)subtree->times.count, (uint32_t)sums.cells.count,
			     subtree->threads, subtree->cells->table.overflow, subtree->excluded};
	job_log_release(&sums);
	send_both(&head, sizeof head, body, bytes, parent, TAG_HEAD, deadline_ns);
	return 0;
}

/* ------------------------------------------------------------------ down, roles */

static bool is_chosen(const struct chosen *chosen, int rank)
{
	for (int i = 0; i < ROLES; i++)
		if (chosen->ranks[i] == rank)
			return true;
	return chosen->all;
}

/* Take words from the parent and give them to the children.  False if they do not come. */
static bool hand_down(int32_t *words, size_t bytes, int tag, uint64_t deadline_ns)
{
	const int levels = own_levels();

	if (process.rank != 0 &&
	    !receive_until(words, bytes, process.rank - (1 << levels), tag, deadline_ns))
		return false;
	for (int level = levels - 1; level >= 0; level--)
		if (process.rank + (1 << level) < process.size)
			send_until(words, bytes, process.rank + (1 << level), tag, deadline_ns);
	return true;
}

/* Learn which ranks are chosen.  False if nobody says so. */
static bool learn_chosen(struct chosen *chosen, uint64_t deadline_ns)
{
	static int32_t words[ROLES + 1]; /* stay, as messages may not be over */

	memcpy(words, chosen->ranks, sizeof chosen->ranks);
	words[ROLES] = chosen->all;
	if (!hand_down(words, sizeof words, TAG_ROLES, deadline_ns))
		return false;
	memcpy(chosen->ranks, words, sizeof chosen->ranks);
	chosen->all = words[ROLES];
	return true;
}

bool reduce_tell(bool said, uint64_t budget_ns)
{
	static int32_t word;

	word = said;
	return hand_down(&word, sizeof word, TAG_SAID, now_ns() + budget_ns) && word;
}

static int describe_own(struct job_rank *rank, const struct reduce_own *own, struct error *err)
{
	char host[HOST_BYTES] = "";

	*rank = (struct job_rank){.rank = (uint32_t)process.rank};
	memcpy(rank->counters, own->counters, sizeof rank->counters);
	usage_table_time(own->table, &rank->mpi_ns, &rank->local_ns);
	gethostname(host, sizeof host - 1);
	rank->host = strdup(host);
	if (!rank->host)
		return error_set_memory(err, sizeof host);
	return usage_table_calls(own->table, rank, err);
}

static int send_rank(const struct reduce_own *own, uint64_t deadline_ns, struct error *err)
{
	struct rank_head head = {0};
	struct job_rank rank;
	int result = describe_own(&rank, own, err);

	if (result == 0) {
		head.mpi_ns = rank.mpi_ns;
		head.local_ns = rank.local_ns;
		memcpy(head.counters, rank.counters, sizeof head.counters);
		head.calls = (uint32_t)rank.calls.count;
		snprintf(head.host, sizeof head.host, "%s", rank.host);
		send_both(&head, sizeof head, rank.calls.items,
			  rank.calls.count * sizeof *rank.calls.items, 0, TAG_RANK_HEAD,
			  deadline_ns);
	} else {
		array_release(&rank.calls);
	}
	free(rank.host);
	return result;
}

/* Whether only chosen ranks send their calls, which all learn. */
static bool are_asked(void)
{
	return process.size > MOST_UNASKED;
}

/* Receive what a rank sends.  *over: it has come. */
static int take_rank(struct job_rank *rank, uint64_t deadline_ns, bool *over, struct error *err)
{
	struct rank_head *head;

	*over = false;
	TRY(allocate(&head, 1, sizeof *head, err));
	if (!receive_until(head, sizeof *head, (int)rank->rank, TAG_RANK_HEAD, deadline_ns))
		return 0;
	rank->mpi_ns = head->mpi_ns;
	rank->local_ns = head->local_ns;
	memcpy(rank->counters, head->counters, sizeof rank->counters);
	rank->host = strdup(head->host);
	if (array_reserve(&rank->calls, head->calls, err) < 0) {
		free(head);
		return -1;
	}
	*over = receive_until(rank->calls.items, head->calls * sizeof *rank->calls.items,
			      (int)rank->rank, TAG_RANK, deadline_ns);
	if (*over)
		rank->calls.count = head->calls;
	free(head);
	return 0;
}

/* Receive what a rank without a role has sent unasked.  It may have died since. */
static void drop_rank(uint32_t number, uint64_t deadline_ns)
{
	struct job_rank rank = {.rank = number};
	struct error err;
	bool over;

	if (number == (uint32_t)process.rank)
		return;
	if (take_rank(&rank, deadline_ns, &over, &err) == 0 && over)
		array_release(&rank.calls);
	free(rank.host);
}

/* Add a rank to the log, the own one or what another one sends. */
static int put_rank(struct job_log *log, const struct reduce_own *own, uint32_t number,
		    unsigned roles, uint64_t deadline_ns, bool *whole, struct error *err)
{
	struct job_rank rank = {.rank = number};
	bool over = true;
	int result = number == (uint32_t)process.rank ? describe_own(&rank, own, err)
						      : take_rank(&rank, deadline_ns, &over, err);

	rank.roles = roles;
	if (result == 0 && over)
		result = array_push(&log->rank_list, rank, err);
	else
		free(rank.host); /* its calls may still come */
	*whole = *whole && over;
	return result;
}

/* -------------------------------------------------------------------- rank 0 */

static int compare_times(const void *a, const void *b)
{
	const uint32_t x = ((const struct job_time *)a)->rank,
		       y = ((const struct job_time *)b)->rank;

	return x < y ? -1 : x > y;
}

static int fill_log(struct job_log *log, struct subtree *subtree, const struct reduce_own *own,
		    bool all, struct error *err)
{
	const uint32_t count = (uint32_t)subtree->times.count;
	const uint64_t end_ns = subtree->start_ns + subtree->budget_ns;
	const struct job_time *times = subtree->times.items;
	struct chosen chosen = {{-1, -1, -1, -1}, all};
	struct job_roles roles;
	uint64_t drop_ns;

	if (count == 0) {
		if (are_asked())
			learn_chosen(&chosen, end_ns);
		return 0;
	}
	qsort(subtree->times.items, count, sizeof *times, compare_times);
	roles = job_roles_find(times, count);
	chosen.ranks[0] = 0;
	chosen.ranks[1] = (int32_t)times[roles.most].rank;
	chosen.ranks[2] = (int32_t)times[roles.least].rank;
	chosen.ranks[3] = (int32_t)times[roles.average].rank;
	if (are_asked())
		learn_chosen(&chosen, end_ns);
	log->ranks_seen = count;
	log->threads = subtree->threads;
	TRY(job_log_set_times(log, times, count, err));
	for (uint32_t i = 0; i < count; i++)
		if (all || job_roles_of(&roles, i))
			TRY(put_rank(log, own, times[i].rank, job_roles_of(&roles, i), end_ns,
				     &subtree->whole, err));
	/* Last, as nothing of the log depends on them. */
	drop_ns = now_ns() + DROP_NS;
	for (uint32_t i = 0; i < count && !all && !are_asked(); i++)
		if (!job_roles_of(&roles, i))
			drop_rank(times[i].rank, drop_ns < end_ns ? drop_ns : end_ns);
	return job_cells_put(subtree->cells, log, err);
}

/* Whether this rank, another one than rank 0, has to send its calls. */
static bool is_to_send(const struct reduce_own *own, uint64_t deadline_ns)
{
	struct chosen chosen = {0};

	if (!are_asked())
		return !own->excluded;
	return learn_chosen(&chosen, deadline_ns) && is_chosen(&chosen, process.rank) &&
	       !own->excluded;
}

static int reduce(struct job_log *log, struct subtree *subtree, const struct reduce_own *own,
		  bool all, struct error *err)
{
	const int levels = own_levels();
	struct job_time time = {.rank = (uint32_t)process.rank};
	const uint64_t end_ns = subtree->start_ns + subtree->budget_ns;
	uint64_t local_ns;

	usage_table_time(own->table, &time.ns, &local_ns);
	if (!own->excluded) {
		TRY(array_push(&subtree->times, time, err));
		job_cells_add_table(subtree->cells, own->table);
	}
	for (int level = 0; level < levels; level++)
		if (process.rank + (1 << level) < process.size)
			TRY(take_child(subtree, process.rank + (1 << level),
				       deadline(subtree, level), err));
	if (process.rank == 0)
		return fill_log(log, subtree, own, all, err);
	TRY(send_up(subtree, process.rank - (1 << levels), deadline(subtree, all_levels()), err));
	return is_to_send(own, end_ns) ? send_rank(own, end_ns, err) : 0;
}

int reduce_to_log(struct job_log *log, const struct reduce_own *own, bool all, uint64_t budget_ns,
		  bool *whole, struct error *err)
{
	struct subtree subtree = {.threads = own->threads,
				  .excluded = own->excluded,
				  .start_ns = now_ns(),
				  .budget_ns = budget_ns,
				  .whole = true};
	int result;

	TRY(job_cells_make(&subtree.cells, err));
	result = reduce(log, &subtree, own, all, err);
	*whole = subtree.whole && subtree.times.count + subtree.excluded == (size_t)process.size;
	array_release(&subtree.times);
	free(subtree.cells);
	return result;
}
