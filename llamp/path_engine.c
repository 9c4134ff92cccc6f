#include "llamp/path_pass.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

int path_evaluate(const struct cost_graph *graph, const struct loggps *loggps,
		  enum parameter parameter, struct rational at, enum side side,
		  struct line *line, uint32_t *tight, struct error *err)
{
	const struct path_point point = {parameter, at, side};
	struct path_key key;
	int128 longest;

	TRY(path_key_init(&key, graph, loggps, &point, err));
	TRY((key.narrow ? path_pass_narrow : path_pass_wide)(graph, &key, &longest, tight, err));
	*line = path_key_line(&key, longest);
	return 0;
}

/* So many points take one pass of all lanes longer than a pass each. */
enum { FEW = 2 };

/* A graph of fewer edges is passed before a thread has started. */
enum { THREAD_EDGES = 100000 };

enum { MOST_THREADS = 64 };

/*
 * Points to evaluate, and what is left of them.  The narrow ones come first in
 * `order`, and are taken as many at a time as there are lanes.
 */
struct batch {
	const struct cost_graph *graph;
	const struct path_key *keys;
	const size_t *order;
	size_t count, narrow_count;
	int128 *longest;
	atomic_size_t next;
	atomic_bool failed;
	pthread_mutex_t *lock;
	struct error *err;	/* of the first failure; behind the lock */
};

static int evaluate_lanes(struct batch *batch, const size_t *order, size_t count,
			  struct error *err)
{
	const struct path_key *keys[PATH_LANES];
	int128 longest[PATH_LANES];

	for (size_t i = 0; i < PATH_LANES; i++)
		keys[i] = &batch->keys[order[i < count ? i : 0]];
	TRY(path_pass_lanes(batch->graph, keys, path_lanes_best(), longest, err));
	for (size_t i = 0; i < count; i++)
		batch->longest[order[i]] = longest[i];
	return 0;
}

static int evaluate_each(struct batch *batch, const size_t *order, size_t count,
			 struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct path_key *key = &batch->keys[order[i]];

		TRY((key->narrow ? path_pass_narrow : path_pass_wide)(
			batch->graph, key, &batch->longest[order[i]], NULL, err));
	}
	return 0;
}

/* How many of the points from `first` on are taken together. */
static size_t share(const struct batch *batch, size_t first)
{
	const size_t narrow = first < batch->narrow_count ? batch->narrow_count - first : 0;

	if (narrow <= FEW)
		return 1;
	return narrow < PATH_LANES ? narrow : PATH_LANES;
}

static void *work(void *argument)
{
	struct batch *batch = argument;
	struct error err = {0};
	size_t first = atomic_load(&batch->next);

	while (first < batch->count && !atomic_load(&batch->failed)) {
		const size_t count = share(batch, first);
		const size_t *order = batch->order + first;

		if (!atomic_compare_exchange_weak(&batch->next, &first, first + count))
			continue;
		if ((count > 1 ? evaluate_lanes : evaluate_each)(batch, order, count, &err) < 0) {
			pthread_mutex_lock(batch->lock);
			if (!atomic_exchange(&batch->failed, true))
				*batch->err = err;
			pthread_mutex_unlock(batch->lock);
		}
		first = atomic_load(&batch->next);
	}
	return NULL;
}

/* Processors that this process may use. */
static size_t processor_count(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* Do the work with as many threads as there are shares and processors, this one among them. */
static void run(struct batch *batch)
{
	pthread_t threads[MOST_THREADS];
	size_t shares = 0, wanted, started = 0;

	for (size_t first = 0; first < batch->count; first += share(batch, first))
		shares++;
	wanted = batch->graph->edge_count < THREAD_EDGES ? 1 : processor_count();
	wanted = wanted < shares ? wanted : shares;
	wanted = wanted < MOST_THREADS ? wanted : MOST_THREADS;
	/* A thread that cannot be started is none: the others do its work. */
	while (started + 1 < wanted &&
	       pthread_create(&threads[started], NULL, work, batch) == 0)
		started++;
	work(batch);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}

/* Narrow keys first. */
static size_t sort_keys(const struct path_key *keys, size_t count, size_t *order)
{
	size_t narrow = 0, wide = count;

	for (size_t i = 0; i < count; i++)
		order[keys[i].narrow ? narrow++ : --wide] = i;
	return narrow;
}

static int evaluate(struct batch *batch, struct path_key *keys, size_t *order,
		    const struct loggps *loggps, const struct path_point *points,
		    struct line *lines, struct error *err)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	for (size_t i = 0; i < batch->count; i++)
		TRY(path_key_init(&keys[i], batch->graph, loggps, &points[i], err));
	batch->keys = keys;
	batch->order = order;
	batch->narrow_count = sort_keys(keys, batch->count, order);
	batch->lock = &lock;
	run(batch);
	if (atomic_load(&batch->failed))
		return -1;
	for (size_t i = 0; i < batch->count; i++)
		lines[i] = path_key_line(&keys[i], batch->longest[i]);
	return 0;
}

int path_evaluate_all(const struct cost_graph *graph, const struct loggps *loggps,
		      const struct path_point *points, size_t count, struct line *lines,
		      struct error *err)
{
	struct batch batch = {.graph = graph, .count = count, .err = err};
	struct path_key *keys = NULL;
	size_t *order = NULL;
	int result = -1;

	if (allocate(&keys, count, sizeof *keys, err) == 0 &&
	    allocate(&order, count, sizeof *order, err) == 0 &&
	    allocate(&batch.longest, count, sizeof *batch.longest, err) == 0)
		result = evaluate(&batch, keys, order, loggps, points, lines, err);
	free(keys);
	free(order);
	free(batch.longest);
	return result;
}
