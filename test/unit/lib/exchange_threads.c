#include "test/unit/lib/exchange_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A message that no thread has received yet, or none: bytes is NULL. */
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

struct team {
	uint32_t size;
	exchange_work *work;
	void *data;
	pthread_barrier_t barrier;
	struct shown *shown; /* [process] */
	pthread_mutex_t lock;
	pthread_cond_t arrival;
	ARRAY(struct letter) letters;
};

struct member {
	struct exchange exchange; /* first: its address is that of the member */
	struct team *team;
	pthread_t thread;
};

static struct team *team_of(struct exchange *exchange)
{
	return ((struct member *)exchange)->team;
}

/* Show bytes to all, and see those of all until done() is called. */
static const struct shown *show(struct exchange *exchange, const void *bytes, const uint64_t *sizes)
{
	struct team *team = team_of(exchange);

	team->shown[exchange->rank] = (struct shown){bytes, sizes};
	pthread_barrier_wait(&team->barrier);
	return team->shown;
}

static void done(struct exchange *exchange)
{
	pthread_barrier_wait(&team_of(exchange)->barrier);
}

static uint64_t combine(uint64_t a, uint64_t b, enum exchange_operation operation)
{
	if (operation == EXCHANGE_SUM)
		return a + b;
	return (a < b) == (operation == EXCHANGE_LEAST) ? a : b;
}

static int reduce(struct exchange *exchange, uint64_t *values, size_t count,
		  enum exchange_operation operation, struct error *err)
{
	const struct shown *shown = show(exchange, values, NULL);
	uint64_t *results = malloc((count + 1) * sizeof *results);

	(void)err;
	if (!results)
		abort();
	for (size_t i = 0; i < count; i++) {
		results[i] = ((const uint64_t *)shown[0].bytes)[i];
		for (uint32_t p = 1; p < exchange->size; p++)
			results[i] = combine(results[i], ((const uint64_t *)shown[p].bytes)[i],
					     operation);
	}
	done(exchange);
	if (count)
		memcpy(values, results, count * sizeof *results);
	free(results);
	return 0;
}

static int tell(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		struct error *err)
{
	const struct shown *shown = show(exchange, bytes, NULL);

	(void)err;
	if (from != exchange->rank && size)
		memcpy(bytes, shown[from].bytes, size);
	done(exchange);
	return 0;
}

static int swap(struct exchange *exchange, const uint64_t *values, uint64_t *received,
		struct error *err)
{
	const struct shown *shown = show(exchange, values, NULL);

	(void)err;
	for (uint32_t p = 0; p < exchange->size; p++)
		received[p] = ((const uint64_t *)shown[p].bytes)[exchange->rank];
	done(exchange);
	return 0;
}

static int transfer(struct exchange *exchange, const void *bytes, const uint64_t *sizes,
		    void *received, const uint64_t *received_sizes, struct error *err)
{
	const struct shown *shown = show(exchange, bytes, sizes);
	unsigned char *to = received;

	(void)err;
	for (uint32_t p = 0; p < exchange->size; p++) {
		const unsigned char *from = shown[p].bytes;

		if (shown[p].sizes[exchange->rank] != received_sizes[p])
			abort();
		for (uint32_t k = 0; k < exchange->rank; k++)
			from += shown[p].sizes[k];
		if (received_sizes[p])
			memcpy(to, from, received_sizes[p]);
		to += received_sizes[p];
	}
	done(exchange);
	return 0;
}

static int send(struct exchange *exchange, uint32_t to, const void *bytes, size_t size,
		struct error *err)
{
	struct team *team = team_of(exchange);
	struct letter letter = {exchange->rank, to, malloc(size + 1), size};
	int result;

	if (!letter.bytes)
		abort();
	if (size)
		memcpy(letter.bytes, bytes, size);
	pthread_mutex_lock(&team->lock);
	result = array_push(&team->letters, letter, err);
	pthread_cond_broadcast(&team->arrival);
	pthread_mutex_unlock(&team->lock);
	return result;
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

static int receive(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		   struct error *err)
{
	struct team *team = team_of(exchange);
	struct letter *letter;

	(void)err;
	pthread_mutex_lock(&team->lock);
	while (!(letter = find_letter(team, from, exchange->rank)))
		pthread_cond_wait(&team->arrival, &team->lock);
	if (letter->size > size)
		abort();
	if (letter->size)
		memcpy(bytes, letter->bytes, letter->size);
	free(letter->bytes);
	letter->bytes = NULL;
	pthread_mutex_unlock(&team->lock);
	return 0;
}

static const struct exchange_means means = {
	.reduce = reduce,
	.tell = tell,
	.swap = swap,
	.transfer = transfer,
	.send = send,
	.receive = receive,
};

static void *run(void *pointer)
{
	struct member *member = pointer;

	member->team->work(&member->exchange, member->team->data);
	return NULL;
}

void exchange_threads(uint32_t processes, exchange_work *work, void *data)
{
	struct team team = {.size = processes, .work = work, .data = data};
	struct member *members = calloc(processes, sizeof *members);

	team.shown = calloc(processes, sizeof *team.shown);
	if (!members || !team.shown || pthread_barrier_init(&team.barrier, NULL, processes) ||
	    pthread_mutex_init(&team.lock, NULL) || pthread_cond_init(&team.arrival, NULL))
		abort();
	for (uint32_t p = 0; p < processes; p++) {
		members[p].exchange = (struct exchange){.rank = p,
							.size = processes,
							.means = &means};
		members[p].team = &team;
		if (pthread_create(&members[p].thread, NULL, run, &members[p]))
			abort();
	}
	for (uint32_t p = 0; p < processes; p++)
		pthread_join(members[p].thread, NULL);
	for (size_t i = 0; i < team.letters.count; i++)
		free(team.letters.items[i].bytes);
	array_release(&team.letters);
	pthread_barrier_destroy(&team.barrier);
	pthread_mutex_destroy(&team.lock);
	pthread_cond_destroy(&team.arrival);
	free(team.shown);
	free(members);
}
