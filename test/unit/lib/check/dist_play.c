#include "test/unit/lib/check/dist_play.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_BYTES = 1 << 19 };

/* A message that no process has received yet, or none: bytes is NULL. */
struct letter {
	uint32_t from, to;
	unsigned char *bytes;
	size_t size;
};

/* What a process shows the others between two barriers. */
struct shown {
	const void *bytes;
	const uint64_t *sizes;
};

struct member;

struct team {
	uint32_t size;
	dist_work *work;
	void *data;
	struct member *members;
	struct shown *shown; /* [process] */
	uint32_t arrived;    /* at the barrier */
	uint64_t barriers;   /* passed */
	uint64_t events;     /* arrivals there, letters sent, processes ended */
	ARRAY(struct letter) letters;
	ucontext_t main;
};

struct member {
	struct dist dist; /* first: its address is that of the member */
	struct team *team;
	ucontext_t context;
	char *stack;
	bool ended;
};

static struct team *team_of(struct dist *dist)
{
	return ((struct member *)dist)->team;
}

/* Let the other processes go on. */
static void give_way(struct dist *dist)
{
	swapcontext(&((struct member *)dist)->context, &team_of(dist)->main);
}

static void wait_for_all(struct dist *dist)
{
	struct team *team = team_of(dist);
	const uint64_t barriers = team->barriers;

	team->events++;
	if (++team->arrived == team->size) {
		team->arrived = 0;
		team->barriers++;
	}
	while (team->barriers == barriers)
		give_way(dist);
}

/* Show bytes to all, and see those of all until done() is called. */
static const struct shown *show(struct dist *dist, const void *bytes, const uint64_t *sizes)
{
	struct team *team = team_of(dist);

	team->shown[dist->rank] = (struct shown){bytes, sizes};
	wait_for_all(dist);
	return team->shown;
}

static void done(struct dist *dist)
{
	wait_for_all(dist);
}

static uint64_t combine(uint64_t a, uint64_t b, enum dist_operation operation)
{
	if (operation == DIST_SUM)
		return a + b;
	return (a < b) == (operation == DIST_MIN) ? a : b;
}

static int allreduce(struct dist *dist, uint64_t *values, size_t count,
		     enum dist_operation operation, struct error *err)
{
	const struct shown *shown = show(dist, values, NULL);
	uint64_t *results = malloc((count + 1) * sizeof *results);

	(void)err;
	if (!results)
		abort();
	for (size_t i = 0; i < count; i++) {
		results[i] = ((const uint64_t *)shown[0].bytes)[i];
		for (uint32_t p = 1; p < dist->size; p++)
			results[i] = combine(results[i], ((const uint64_t *)shown[p].bytes)[i],
					     operation);
	}
	done(dist);
	if (count)
		memcpy(values, results, count * sizeof *results);
	free(results);
	return 0;
}

static int bcast(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err)
{
	const struct shown *shown = show(dist, bytes, NULL);

	(void)err;
	if (from != dist->rank && size)
		memcpy(bytes, shown[from].bytes, size);
	done(dist);
	return 0;
}

static int alltoall(struct dist *dist, const uint64_t *values, uint64_t *received,
		    struct error *err)
{
	const struct shown *shown = show(dist, values, NULL);

	(void)err;
	for (uint32_t p = 0; p < dist->size; p++)
		received[p] = ((const uint64_t *)shown[p].bytes)[dist->rank];
	done(dist);
	return 0;
}

static int alltoallv(struct dist *dist, const void *bytes, const uint64_t *sizes, void *received,
		     const uint64_t *received_sizes, struct error *err)
{
	const struct shown *shown = show(dist, bytes, sizes);
	unsigned char *to = received;

	(void)err;
	for (uint32_t p = 0; p < dist->size; p++) {
		const unsigned char *from = shown[p].bytes;

		if (shown[p].sizes[dist->rank] != received_sizes[p])
			abort();
		for (uint32_t k = 0; k < dist->rank; k++)
			from += shown[p].sizes[k];
		if (received_sizes[p])
			memcpy(to, from, received_sizes[p]);
		to += received_sizes[p];
	}
	done(dist);
	return 0;
}

static int send(struct dist *dist, uint32_t to, const void *bytes, size_t size, struct error *err)
{
	struct team *team = team_of(dist);
	struct letter letter = {dist->rank, to, malloc(size + 1), size};

	if (!letter.bytes)
		abort();
	if (size)
		memcpy(letter.bytes, bytes, size);
	team->events++;
	return array_push(&team->letters, letter, err);
}

/* Find the first letter that is for a process, or NULL. */
static struct letter *find_letter(struct team *team, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < team->letters.count; i++) {
		struct letter *letter = &team->letters.items[i];

		if (letter->bytes && letter->to == to &&
		    (from == ANY_PROCESS || letter->from == from))
			return letter;
	}
	return NULL;
}

static int receive(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err)
{
	struct team *team = team_of(dist);
	struct letter *letter;

	(void)err;
	while (!(letter = find_letter(team, from, dist->rank)))
		give_way(dist);
	if (letter->size > size)
		abort();
	if (letter->size)
		memcpy(bytes, letter->bytes, letter->size);
	free(letter->bytes);
	letter->bytes = NULL;
	return 0;
}

static const struct dist_transport means = {
	.allreduce = allreduce,
	.bcast = bcast,
	.alltoall = alltoall,
	.alltoallv = alltoallv,
	.send = send,
	.receive = receive,
};

/* Members of the team that is made; makecontext passes numbers only. */
static struct team *playing;

static void run(int number)
{
	struct team *team = playing;
	struct member *member = &team->members[number];

	team->work(&member->dist, team->data);
	member->ended = true;
	team->events++;
}

static void make_member(struct team *team, uint32_t number)
{
	struct member *member = &team->members[number];

	member->dist = (struct dist){.rank = number, .size = team->size, .transport = &means};
	member->team = team;
	member->stack = malloc(STACK_BYTES);
	if (!member->stack || getcontext(&member->context) < 0)
		abort();
	member->context.uc_stack.ss_sp = member->stack;
	member->context.uc_stack.ss_size = STACK_BYTES;
	member->context.uc_link = &team->main;
	makecontext(&member->context, (void (*)(void))run, 1, (int)number);
}

/* Let each process go on.  Returns whether one has not ended. */
static bool play_round(struct team *team)
{
	const uint64_t events = team->events;
	bool open = false;

	for (uint32_t p = 0; p < team->size; p++) {
		if (team->members[p].ended)
			continue;
		playing = team;
		swapcontext(&team->main, &team->members[p].context);
		open |= !team->members[p].ended;
	}
	if (open && team->events == events)
		abort();
	return open;
}

void dist_play(uint32_t processes, dist_work *work, void *data)
{
	struct team team = {.size = processes, .work = work, .data = data};

	team.members = calloc(processes, sizeof *team.members);
	team.shown = calloc(processes, sizeof *team.shown);
	if (!team.members || !team.shown)
		abort();
	for (uint32_t p = 0; p < processes; p++)
		make_member(&team, p);
	while (play_round(&team))
		;
	for (uint32_t p = 0; p < processes; p++)
		free(team.members[p].stack);
	for (size_t i = 0; i < team.letters.count; i++)
		free(team.letters.items[i].bytes);
	array_release(&team.letters);
	free(team.shown);
	free(team.members);
}
